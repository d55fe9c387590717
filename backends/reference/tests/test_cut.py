"""Calls cut into boxes compute what they computed whole, in the evaluator and as C."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tinsmith_c.testing import HostModel, KernelObjects, host_compiler, place
from tinsmith_ir import (
    Box,
    Call,
    Copy,
    DType,
    Graph,
    GraphError,
    Program,
    UnsupportedError,
    UsageError,
    evaluate_graph,
    evaluate_program,
    parse_graph,
    verify_program,
)
from tinsmith_ir.evaluate import equal_arrays
from tinsmith_ir.testing import random_graph, random_inputs
from tinsmith_lowering import Layer, cut, cut_each, find_kernel, layer_of_call, lower, prepare
from tinsmith_reference import backend
from tinsmith_target import target

HOST = target("host")
KERNELS = backend().kernels(HOST)
ROOM = Path(__file__).parents[3] / "kernels"

CHAIN = """graph 2 "chain" {
  input %x: i8[1,9,6,2]<0.5, 3>
  const %w: i8[3,3,3,2]<0.125, 0> = base64 "AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyD//v38+/r5+Pf29fTz8vHw7+7t7Ovq"
  %a: i8[1,9,6,3]<0.5, -2> = conv2d(%x, %w, none) {padding=[1,1,1,1]}
  %b: i8[1,9,6,3]<0.5, -2> = relu(%a)
  %y: i8[1,5,3,3]<0.5, -2> = max_pool2d(%b) {window=[2,2], stride=[2,2], padding=[0,1,0,0]}
  output %y
}
"""


def lowered(graph: Graph) -> Program:
    return lower(graph, HOST, KERNELS)


def check(graph: Graph, program: Program) -> None:
    verify_program(program)
    inputs = random_inputs(graph, 1)
    with np.errstate(all="ignore"):
        wanted, got = evaluate_graph(graph, inputs), evaluate_program(program, inputs)
    for name, value in zip(program.outputs, graph.outputs, strict=True):
        assert equal_arrays(got[name], wanted[value.name])


def grid(shape: tuple[int, ...], *at: tuple[int, int]) -> list[Box]:
    """The boxes that cuts at `(axis, index)` make."""
    boxes = [Box.whole(shape)]
    for axis, index in at:
        boxes = [
            box.with_range(axis, *ends)
            for box in boxes
            for ends in (
                [(box.ranges[axis][0], index), (index, box.ranges[axis][1])]
                if box.ranges[axis][0] < index < box.ranges[axis][1]
                else [box.ranges[axis]]
            )
        ]
    return boxes


def test_a_chain_in_boxes_needs_less_memory() -> None:
    graph = parse_graph(CHAIN)
    whole = lowered(graph)
    names = [call.name for call in whole.calls]
    program = cut(whole, names, grid((1, 5, 3, 3), (1, 2), (1, 4)), HOST, KERNELS)
    check(graph, program)
    assert [call.name for call in program.calls] == [f"{n}.{i}" for i in range(3) for n in names]
    # Rows of the result lie densely: nothing but what is read over the border of a part is copied.
    assert not any(isinstance(step, Copy) for step in program.steps)
    assert max(b.size_bytes for b in program.buffers if b.name not in ("x", "y")) == 4 * 6 * 3
    assert {"a", "b"}.isdisjoint(buffer.name for buffer in program.buffers)


def test_boxes_with_gaps_are_copied() -> None:
    graph = parse_graph(CHAIN)
    whole = lowered(graph)
    names = [call.name for call in whole.calls]
    program = cut(whole, names, grid((1, 5, 3, 3), (2, 1), (3, 2)), HOST, KERNELS)
    check(graph, program)
    assert any(isinstance(step, Copy) for step in program.steps)
    assert any(constant.name.startswith("w[") for constant in program.constants)


def cuts(seed: int, dtype: DType) -> Iterator[tuple[Graph, Program]]:
    """Random networks with one random chain in random boxes, where that is possible."""
    random = np.random.default_rng(seed)
    graph = random_graph(seed, dtype=dtype, nodes=8)
    whole = lowered(graph)
    makers = {call.outputs[0]: call for call in whole.calls}
    for last in whole.calls:
        chain = [last]
        for _ in range(int(random.integers(0, 3))):
            before = makers.get(chain[0].inputs[0] or "")
            chain = chain if before is None else [before, *chain]
        shape = whole.type_of(last.outputs[0]).shape
        at = [
            (axis, int(random.integers(1, size)))
            for axis, size in enumerate(shape)
            if size > 1 and random.random() < 0.6
        ]
        if not at:
            continue
        names = [call.name for call in chain]
        try:
            yield graph, cut(whole, names, grid(shape, *at), HOST, KERNELS)
        except (GraphError, UsageError):
            continue


@pytest.mark.parametrize("dtype", [DType.INT8, DType.FLOAT32, DType.INT16])
def test_random_chains_in_random_boxes(dtype: DType) -> None:
    chains = 0
    for seed in range(12):
        for graph, program in cuts(seed, dtype):
            check(graph, program)
            chains += any("." in call.name for call in program.calls)
    assert chains > 12


def test_the_c_of_parts_computes_the_same(tmp_path: Path) -> None:
    if host_compiler() is None:
        pytest.skip("no C compiler on this machine")
    objects = KernelObjects.of_repository(ROOM, ["reference"], tmp_path)
    graph = parse_graph(CHAIN)
    whole = lowered(graph)
    names = [call.name for call in whole.calls]
    parts = cut(whole, names, grid((1, 5, 3, 3), (1, 2), (2, 1), (3, 1)), HOST, KERNELS)
    program = place(prepare(parts, HOST, KERNELS))
    inputs = random_inputs(graph, 2)
    (wanted,) = evaluate_graph(graph, inputs).values()
    (got,) = HostModel.build(program, HOST, KERNELS, objects, tmp_path).run(inputs)
    assert got.tobytes() == wanted.tobytes()


@pytest.mark.parametrize(
    ("calls", "boxes", "message"),
    [
        (["b", "a"], grid((1, 9, 6, 3)), "in the order of the program"),
        (["a", "y"], grid((1, 5, 3, 3)), "%a: expected it to be read by the calls alone"),
        (["y"], grid((1, 5, 3, 3), (1, 2))[:1], "expected each element of the result in one box"),
        (["y"], [Box.whole((1, 6, 3, 3))], "expected a box within the result"),
        ([], [], "in the order of the program"),
    ],
)
def test_what_is_no_cut_is_refused(calls: list[str], boxes: list[Box], message: str) -> None:
    whole = lowered(parse_graph(CHAIN))
    with pytest.raises(UsageError, match=message):
        cut(whole, calls, boxes, HOST, KERNELS)


def test_a_prepared_or_placed_program_is_not_cut() -> None:
    whole = prepare(lowered(parse_graph(CHAIN)), HOST, KERNELS)
    call = next(step for step in whole.steps if isinstance(step, Call) and step.reads)
    box = Box.whole(whole.type_of(call.outputs[0]).shape)
    with pytest.raises(UsageError, match="not yet prepared"):
        cut(whole, [call.name], [box], HOST, KERNELS)
    with pytest.raises(UsageError, match="without offsets"):
        cut(place(lowered(parse_graph(CHAIN))), ["b"], [Box.whole((1, 9, 6, 3))], HOST, KERNELS)


def names_of(parts: Mapping[str, tuple[tuple[Call | Copy, ...], ...]]) -> dict[str, list[str]]:
    """Of the calls of each part, a copy being one without a name."""
    return {
        name: [step.name if isinstance(step, Call) else "" for part in own for step in part]
        for name, own in parts.items()
    }


def test_several_calls_are_cut_each_by_itself() -> None:
    graph = parse_graph(CHAIN)
    whole = lowered(graph)
    boxes = {"a": grid((1, 9, 6, 3), (1, 4)), "y": grid((1, 5, 3, 3), (1, 2), (1, 4))}
    program, parts = cut_each(whole, boxes, HOST, KERNELS)
    check(graph, program)
    assert names_of(parts) == {"a": ["a.0", "a.1"], "y": ["y.0", "y.1", "y.2"]}
    assert [call.name for call in program.calls] == ["a.0", "a.1", "b", "y.0", "y.1", "y.2"]
    assert {"x", "a", "b", "y"} == {buffer.name for buffer in program.buffers}


def test_parts_have_the_kernel_of_their_call() -> None:
    whole = lowered(parse_graph(CHAIN))
    key = find_kernel("tinsmith_conv2d_s8", layer_of_call(whole, whole.calls[0], HOST), KERNELS).key
    given = replace(whole.calls[0], kernel=key, reason="as it was chosen")
    program = replace(whole, steps=(given, *whole.steps[1:]))
    parts, _ = cut_each(program, {"a": grid((1, 9, 6, 3), (1, 4))}, HOST, KERNELS)
    assert {(part.kernel, part.reason) for part in parts.calls[:2]} == {(key, "as it was chosen")}


def test_a_part_that_the_kernel_of_its_call_does_not_take_is_refused() -> None:
    def is_large(layer: Layer) -> str | None:
        """There are more than 4 rows."""
        return None if layer.output.shape[1] > 4 else f"there are {layer.output.shape[1]}"

    picky = [replace(kernel, rules=(*kernel.rules, is_large)) for kernel in KERNELS]
    whole = lower(parse_graph(CHAIN), HOST, picky)
    with pytest.raises(UnsupportedError, match="There are more than 4 rows: there are 4"):
        cut_each(whole, {"a": grid((1, 9, 6, 3), (1, 4))}, HOST, picky)


def test_parts_are_called_as_no_other_call_is() -> None:
    graph = parse_graph(CHAIN.replace("%b", "%a.0"))
    program, parts = cut_each(lowered(graph), {"a": grid((1, 9, 6, 3), (1, 4))}, HOST, KERNELS)
    check(graph, program)
    assert names_of(parts) == {"a": ["a.0.2", "a.1"]}


def test_copies_of_a_part_stand_around_its_call() -> None:
    graph = parse_graph(CHAIN)
    program, parts = cut_each(lowered(graph), {"b": grid((1, 9, 6, 3), (3, 1))}, HOST, KERNELS)
    check(graph, program)
    assert names_of(parts) == {"b": ["", "b.0", "", "", "b.1", ""]}
    assert tuple(step for part in parts["b"] for step in part) == program.steps[1:7]
