"""Networks whose layers are jobs one after the other: tensors stay in rows, and planes behind results harm nothing."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from diana_networks import NETWORKS, layer_calls, strided
from tinsmith_c.testing import HostModel, KernelObjects, place
from tinsmith_diana import DianaRows
from tinsmith_diana.turning import TO_ROWS
from tinsmith_ir import Graph
from tinsmith_ir.layouts import layout_bytes
from tinsmith_ir.operators import Reshape
from tinsmith_ir.program import Copy, Program
from tinsmith_ir.testing import random_inputs
from tinsmith_lowering import Kernel, Layer, Layouts, check_calls, lower, prepare
from tinsmith_target import Target

_NAME = "tinsmith_diana_digital"


def is_job(kernel: str) -> bool:
    return kernel.startswith((_NAME, "diana_digital/"))


def room_behind(program: Program, name: str) -> int:
    """Bytes of a result's buffer behind it."""
    view = program.view[name]
    return program.buffer[view.buffer].size_bytes - layout_bytes(view.layout, view.type)


def with_last(program: Program, name: str) -> Program:
    """Placed one behind another, the buffer of that name at the end."""
    last = [each for each in program.buffers if each.name == name]
    others = [each for each in program.buffers if each.name != name]
    return place(program.with_buffers((*others, *last)))


def without_room(program: Program, name: str) -> Program:
    """The buffer of a result ends with it."""
    view = program.view[name]
    size = layout_bytes(view.layout, view.type)
    buffers = [
        replace(each, size_bytes=size) if each.name == view.buffer else each
        for each in program.buffers
    ]
    return program.with_buffers(tuple(buffers))


def unroomy(kernel: Kernel) -> Callable[[Layer], Layouts]:
    """The kernel's layouts, as if it wrote nothing behind results."""
    return lambda layer: replace(kernel.layouts(layer), behind=())


@pytest.mark.parametrize("network", NETWORKS, ids=lambda network: network.__name__)
def test_networks_are_those_of_the_evaluator(
    network: Callable[[int], Graph],
    host: Target,
    kernels: tuple[Kernel, ...],
    kernel_objects: KernelObjects,
    tmp_path: Path,
) -> None:
    graph = network(7)
    program = prepare(lower(graph, host, kernels), host, kernels)
    check_calls(program, host, kernels)
    others = {call.operator.mnemonic for call in layer_calls(program) if not is_job(call.kernel)}
    assert others <= {"average_pool2d", "mean", "softmax"}
    model = HostModel.build(place(program), host, kernels, kernel_objects, tmp_path)
    for seed in range(3):
        assert model.wrong_results(random_inputs(graph, seed), graph) == []


@pytest.mark.parametrize("network", NETWORKS, ids=lambda network: network.__name__)
def test_tensors_change_their_layout_only_where_the_core_meets_the_accelerator(
    network: Callable[[int], Graph], host: Target, kernels: tuple[Kernel, ...]
) -> None:
    program = lower(network(7), host, kernels)
    assert not [step for step in program.steps if isinstance(step, Copy)]
    turned = [call for call in program.calls if isinstance(call.operator, Reshape)]
    operators = {call.operator.mnemonic for call in program.calls}
    # The input; what the mean takes and gives, or what the average gives; what the softmax takes.
    assert len(turned) == (4 if "mean" in operators else 3 if "average_pool2d" in operators else 2)
    for call in turned:
        (source,), (result,) = call.inputs, call.outputs
        assert source is not None
        layouts = program.view[source].layout, program.view[result].layout
        wanted = ("", DianaRows.name) if call.kernel == TO_ROWS else (DianaRows.name, "")
        assert layouts == wanted


def test_an_average_takes_planes_as_they_lie(host: Target, kernels: tuple[Kernel, ...]) -> None:
    program = lower(strided(7), host, kernels)
    (average,) = [call for call in program.calls if call.operator.mnemonic == "average_pool2d"]
    assert average.kernel == "tinsmith_diana_average"
    (source,) = average.inputs
    assert source is not None
    assert is_job(next(call.kernel for call in program.calls if source in call.outputs))


def test_planes_behind_results_may_hold_anything_and_nothing_further_is_written(
    host: Target, kernels: tuple[Kernel, ...], kernel_objects: KernelObjects, tmp_path: Path
) -> None:
    """Each result that is written behind lies at the end of the arena in turn, under AddressSanitizer."""
    graph = strided(3)
    program = prepare(lower(graph, host, kernels), host, kernels)
    inputs = random_inputs(graph, 5)
    behind = [
        program.view[call.outputs[0]].buffer
        for call in program.calls
        if is_job(call.kernel) and room_behind(program, call.outputs[0]) > 0
    ]
    assert len(behind) >= 4
    for number, name in enumerate(behind):
        folder = tmp_path / str(number)
        folder.mkdir()
        placed = with_last(program, name)
        model = HostModel.build(placed, host, kernels, kernel_objects, folder)
        assert model.wrong_results(inputs, graph) == []


def test_without_room_behind_a_result_it_is_overrun(
    host: Target, kernels: tuple[Kernel, ...], kernel_objects: KernelObjects, tmp_path: Path
) -> None:
    """What the test above stands for: were there no room, the sanitizer would say so."""
    graph = strided(3)
    program = prepare(lower(graph, host, kernels), host, kernels)
    name = next(
        call.outputs[0]
        for call in program.calls
        if call.operator.mnemonic == "depthwise_conv2d" and is_job(call.kernel)
    )
    room = room_behind(program, name)
    assert room == 15 * 12 * 16
    short = without_room(program, name)
    unchecked = [replace(kernel, layouts=unroomy(kernel)) for kernel in kernels]
    model = HostModel.build(
        with_last(short, program.view[name].buffer), host, unchecked, kernel_objects, tmp_path
    )
    with pytest.raises(AssertionError, match="heap-buffer-overflow"):
        model.run(random_inputs(graph, 5))
