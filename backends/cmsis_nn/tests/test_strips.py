"""The strip of the packed depthwise kernel: a choice that changes no bit."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tinsmith_c.testing import HostModel, KernelObjects, tight_program
from tinsmith_cmsis_nn import backend
from tinsmith_ir import Call, DType, Graph, GraphError, Option, Program, evaluate_program
from tinsmith_ir.evaluate import equal_arrays
from tinsmith_ir.operators import DepthwiseConv2D
from tinsmith_ir.program import changed_steps
from tinsmith_ir.testing import GraphBuilder, random_array
from tinsmith_ir.types import Quantization, TensorType
from tinsmith_lowering import check_calls, lower, overlaps, prepare
from tinsmith_lowering.lower import find_kernel, layer_of_call, scratch_type
from tinsmith_reference import backend as reference
from tinsmith_target import target

HOST = target("host")
KERNELS = (*backend().kernels(HOST), *reference().kernels(HOST))
SHAPES = [
    ((1, 9, 7, 3), (3, 3), (1, 1), (1, 1, 1, 1)),
    ((2, 6, 11, 5), (2, 4), (2, 1), (0, 1, 2, 1)),
    ((1, 9, 7, 2), (1, 1), (2, 2), (0, 0, 0, 0)),
    ((1, 29, 1, 4), (4, 1), (2, 1), (2, 1, 0, 0)),
]


def depthwise(index: int) -> Graph:
    shape, taps, stride, padding = SHAPES[index]
    generator = np.random.default_rng(index)
    builder = GraphBuilder("depthwise")
    x = builder.input("x", TensorType(shape, DType.INT8, Quantization.per_tensor(0.05, 11)))
    weights = generator.integers(-127, 128, (1, *taps, shape[3])).astype(np.int8)
    w = builder.constant("w", weights, Quantization.per_tensor(0.004, 0))
    bias = builder.constant("b", generator.integers(-900, 900, shape[3]).astype(np.int32))
    operator = DepthwiseConv2D(stride=stride, padding=padding)
    return builder.build(
        builder.add(operator, [x, w, bias], "y", Quantization.per_tensor(0.06, -3))
    )


def lowered(graph: Graph) -> Program:
    return prepare(lower(graph, HOST, KERNELS), HOST, KERNELS)


def with_strip(program: Program, strip: int) -> Program:
    """The plan as a person would write it for another strip: as much scratch, and results over operands as it bears."""
    (call,) = program.calls
    changed = replace(call, options=(Option("strip", strip),))
    layer = layer_of_call(program, changed, HOST)
    kernel = find_kernel(call.kernel, layer, KERNELS)
    size = kernel.scratch_bytes(layer)
    changed = replace(changed, over=overlaps(kernel, layer))

    def edited(step: object) -> tuple[Call]:
        del step
        return (changed,)

    return replace(
        program,
        steps=changed_steps(program.steps, edited),
        views=tuple(
            replace(view, type=scratch_type(size)) if view.name == call.scratch else view
            for view in program.views
        ),
        buffers=tuple(
            replace(buffer, size_bytes=size) if buffer.name == call.scratch else buffer
            for buffer in program.buffers
        ),
    )


@pytest.mark.parametrize("index", range(len(SHAPES)))
def test_every_strip_is_right_as_far_over_its_operand_as_allowed(
    index: int, kernel_objects: KernelObjects, tmp_path: Path
) -> None:
    program = lowered(depthwise(index))
    shape = program.type_of("y").shape
    rows = shape[2] if program.type_of("x").shape[1] > program.type_of("x").shape[2] else shape[1]
    sizes: list[int] = []
    for strip in range(1, rows + 1):
        edited = with_strip(program, strip)
        check_calls(edited, HOST, KERNELS)
        sizes.append(edited.type_of(str(edited.calls[0].scratch)).size_bytes)
        folder = tmp_path / str(strip)
        folder.mkdir()
        tight = tight_program(edited)
        generator = np.random.default_rng(strip)
        inputs = {name: random_array(generator, tight.type_of(name)) for name in tight.inputs}
        expected = evaluate_program(tight, inputs)
        results = HostModel.build(tight, HOST, KERNELS, kernel_objects, folder).run(inputs)
        for name, result in zip(tight.outputs, results, strict=True):
            assert equal_arrays(result, expected[name]), (strip, name)
    assert sizes == sorted(set(sizes))


def test_a_strip_that_wants_more_scratch_than_the_plan_has_is_refused() -> None:
    program = with_strip(lowered(depthwise(0)), 2)
    (call,) = program.calls
    larger = replace(call, options=(Option("strip", 3),))
    with pytest.raises(GraphError, match=r"expected \d+ bytes of scratch, got \d+"):
        check_calls(replace(program, steps=(larger,)), HOST, KERNELS)


@pytest.mark.parametrize("value", [0, 8, "two"])
def test_a_strip_of_no_rows_of_the_output_is_refused(value: int | str) -> None:
    program = lowered(depthwise(0))
    (call,) = program.calls
    wrong = replace(call, options=(Option("strip", value),))
    message = f"expected options strip of 1 to 7; got strip={value}"
    with pytest.raises(GraphError, match=message):
        check_calls(replace(program, steps=(wrong,)), HOST, KERNELS)


def test_strips_are_a_choice_of_c_and_dsp_alone() -> None:
    for name, options in (("cortex-m4", 1), ("host", 1), ("cortex-m55", 0)):
        chip = target(name)
        kernels = (*backend().kernels(chip), *reference().kernels(chip))
        (call,) = lower(depthwise(0), chip, kernels).calls
        assert len(call.options) == options
