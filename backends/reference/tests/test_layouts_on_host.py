"""Kernels that take layouts: `lower` puts copies between those that do not agree, and the C computes the same."""

from collections import Counter
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
from numpy.typing import NDArray
from tinsmith_c.testing import HostModel, KernelObjects, place
from tinsmith_ir import (
    Call,
    Copy,
    DType,
    ElementLayout,
    Graph,
    GraphError,
    Program,
    TensorType,
    evaluate_frames,
    evaluate_program_frames,
    parse_graph,
    parse_program,
    print_program,
    verify_program,
)
from tinsmith_ir.evaluate import equal_arrays, varied_frames
from tinsmith_ir.operators import Reshape, Trait
from tinsmith_ir.random_graphs import random_graph
from tinsmith_ir.random_states import with_states
from tinsmith_ir.testing import random_inputs
from tinsmith_lowering import (
    Emission,
    Kernel,
    Layer,
    Layouts,
    Rule,
    Scope,
    Signature,
    check_calls,
    lower,
    prepare,
)
from tinsmith_reference import backend
from tinsmith_target import target

HOST = target("host")


class Reversed(ElementLayout):
    """The last element first: kernels that go element by element compute the same in it."""

    name: ClassVar[str] = "test_reversed"

    def size_bytes(self, type_: TensorType) -> int:
        return type_.size_bytes

    def offsets(self, type_: TensorType) -> NDArray[np.int64]:
        ends = np.arange(type_.elements)[::-1].reshape(type_.shape)
        return ends * type_.dtype.size_bytes


def reversed_layouts(layer: Layer) -> Layouts:
    """Where no operand is broadcast or known at compile time, and all elements have one scale, all lie backwards."""
    types = [type_ for type_ in (*layer.inputs, *layer.outputs) if type_]
    has_axis = any(type_.quantization and type_.quantization.axis is not None for type_ in types)
    if (
        len({type_.shape for type_ in types}) > 1
        or has_axis
        or any(data is not None for data in layer.constants)
    ):
        return Layouts()
    return Layouts((Reversed.name,) * len(layer.inputs), (Reversed.name,))


def kernels() -> tuple[Kernel, ...]:
    return tuple(
        replace(kernel, layouts=reversed_layouts)
        if Trait.ELEMENTWISE in kernel.operator.traits
        else kernel
        for kernel in backend().kernels(HOST)
    )


CHAIN = """graph 2 "chain" {
  input %x: i8[1,2,3]<0.5, 3>
  %a: i8[1,2,3]<0.5, 3> = relu(%x)
  %b: i8[1,2,3]<0.5, 3> = add(%a, %x)
  %flat: i8[1,6]<0.5, 3> = reshape(%b) {shape=[1,6]}
  %c: i8[1,2,3]<0.5, 3> = relu(%b)
  output %c
  output %flat
}
"""


def placed(graph: Graph) -> Program:
    program = place(prepare(lower(graph, HOST, kernels()), HOST, kernels()))
    verify_program(program)
    check_calls(program, HOST, kernels())
    return program


def test_copies_stand_only_between_kernels_that_do_not_agree() -> None:
    program = placed(parse_graph(CHAIN))
    steps = [
        f"{step.source} -> {step.destination}" if isinstance(step, Copy) else step.name
        for step in program.steps
        if isinstance(step, Call | Copy)
    ]
    assert steps == [
        "x -> x.test_reversed",
        "a",
        "b",
        "b -> b.dense",
        "c",
        "c -> c.dense",
    ]
    assert program.outputs == ("c.dense", "flat")
    assert parse_program(print_program(program)).steps == program.steps


@pytest.mark.parametrize("dtype", [DType.INT8, DType.INT16, DType.FLOAT32])
def test_random_networks_compute_the_same(
    dtype: DType, tmp_path: Path, kernel_objects: KernelObjects
) -> None:
    seen: Counter[str] = Counter()
    for seed in range(4):
        graph = random_graph(seed, dtype=dtype, nodes=10)
        graph = graph if seed % 2 else with_states(graph, seed)
        program = placed(graph)
        seen.update(type(step).__name__ for step in program.steps)
        seen.update(view.layout for view in program.views)
        model = HostModel.build(program, HOST, kernels(), kernel_objects, tmp_path)
        frames = [*varied_frames(random_inputs(graph, 1), 3)]
        runs = zip(
            evaluate_frames(graph, frames),
            evaluate_program_frames(parse_program(print_program(program)), frames),
            model.run_frames(frames),
            strict=True,
        )
        for wanted, evaluated, found in runs:
            for value, name, result in zip(graph.outputs, program.outputs, found, strict=True):
                assert equal_arrays(wanted[value.name], evaluated[name]), (seed, name)
                assert equal_arrays(wanted[value.name], result), (seed, name)
    assert seen["Copy"] > 4
    assert seen[Reversed.name] > 8


def _constantly(layouts: Layouts, layer: Layer) -> Layouts:
    del layer
    return layouts


def reversing_kernels(*rules: Rule) -> tuple[Kernel, ...]:
    """Kernels of Reshape that turn to and from reversed bytes, in front of the others."""

    def emit(layer: Layer, scope: Scope) -> Emission:
        last, to, source = layer.output.elements - 1, scope.output, scope.input(0)
        loop = f"for (uint32_t i = 0u; i <= {last}u; ++i)"
        return Emission((f"  {loop} {{ ({to})[i] = ({source})[{last}u - i]; }}",))

    copy = next(kernel for kernel in backend().kernels(HOST) if kernel.operator is Reshape)
    signature = Signature((DType.INT8,), DType.INT8)
    ways = {"to": Layouts(outputs=(Reversed.name,)), "from": Layouts((Reversed.name,))}
    turning = (
        replace(
            copy,
            name=f"test_turn_{way}",
            emit=emit,
            signature=signature,
            rules=rules,
            layouts=partial(_constantly, layouts),
        )
        for way, layouts in ways.items()
    )
    return *turning, *kernels()


def test_kernels_that_turn_are_called_instead_of_copies(
    tmp_path: Path, kernel_objects: KernelObjects
) -> None:
    graph, own = parse_graph(CHAIN), reversing_kernels()
    program = place(prepare(lower(graph, HOST, own), HOST, own))
    check_calls(program, HOST, own)
    turned = [(call.kernel, call.inputs, call.outputs) for call in program.calls]
    assert [step for step in program.steps if isinstance(step, Copy)] == []
    assert [each for each in turned if each[0].startswith("test_turn")] == [
        ("test_turn_to", ("x",), ("x.test_reversed",)),
        ("test_turn_from", ("b",), ("b.dense",)),
        ("test_turn_from", ("c",), ("c.dense",)),
    ]
    assert parse_program(print_program(program)).steps == program.steps
    model = HostModel.build(program, HOST, own, kernel_objects, tmp_path)
    for seed in range(3):
        assert model.wrong_results(random_inputs(graph, seed), graph) == []


def test_a_kernel_whose_rules_refuse_a_tensor_does_not_turn_it() -> None:
    def is_long(layer: Layer) -> str | None:
        """Tensors have 7 elements or more."""
        return None if layer.output.elements > 6 else f"it has {layer.output.elements}"

    program = lower(parse_graph(CHAIN), HOST, reversing_kernels(is_long))
    assert sum(isinstance(step, Copy) for step in program.steps) == 3


def test_a_reshape_of_a_network_is_never_given_to_a_kernel_that_turns() -> None:
    """Of a constant that is an output, the one reshape that is a call."""
    text = 'graph 2 "c" {\n  const %c: i8[3]<0.5, 3> = [1, 2, 3]\n  output %c\n}\n'
    (call,) = lower(parse_graph(text), HOST, reversing_kernels()).calls
    assert isinstance(call.operator, Reshape)
    assert not call.kernel.startswith("test_turn")


def test_a_plan_whose_views_lie_otherwise_is_refused() -> None:
    program = placed(parse_graph(CHAIN))
    text = print_program(program)
    wrong = text.replace(' layout "test_reversed"', "", 1)
    with pytest.raises(GraphError, match='takes layout "test_reversed"; copy it first'):
        check_calls(parse_program(wrong), HOST, kernels())
    with pytest.raises(GraphError, match="takes what lies densely; copy it first"):
        check_calls(program, HOST, backend().kernels(HOST))
