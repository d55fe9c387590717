"""The pass on small networks: which tiles, what lies near, and that results stay, whenever copies end."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from small_networks import Network, kernels_of, lowered, outputs_of, small
from tinsmith_ir import (
    Call,
    Copy,
    DoesNotFitError,
    Graph,
    Loop,
    Program,
    UsageError,
    evaluate_program,
    parse_program,
    print_program,
    unrolled,
    verify_program,
)
from tinsmith_ir.dtypes import DType
from tinsmith_ir.program import simple_steps
from tinsmith_ir.random_graphs import random_graph
from tinsmith_ir.testing import random_inputs
from tinsmith_lowering import AsGiven, Kernel, Layer, Prepared, lower, prepare
from tinsmith_target import target
from tinsmith_tiling import TileCalls, Tiling, check


def tile(graph: Graph, near_bytes: int, *, exact: bool = True) -> tuple[Program, Tiling]:
    chosen = small(near_bytes)
    return TileCalls(chosen, kernels_of(chosen), exact).tile(lowered(graph, chosen))


def parts(tiling: Tiling) -> list[tuple[int, int]]:
    """Of each layer, into how many its rows and its channels are cut."""
    assert tiling.plan is not None
    assert tiling.formulation is not None
    calls = tiling.formulation.calls.values()
    cuts = [call.cuts[way] for call, way in zip(calls, tiling.plan.ways, strict=True)]
    return [(len(cut.tiles[0]), len(cut.tiles)) for cut in cuts]


def assert_same_results(program: Program, graph: Graph) -> None:
    verify_program(program)
    expected = evaluate_program(lowered(graph, target("host")), random_inputs(graph, 1))
    for found in outputs_of(program, graph):
        for name, output in zip(program.outputs, graph.outputs, strict=True):
            assert np.array_equal(found[name], expected[output.name]), name


def convolution() -> Graph:
    network = Network(1, 16, 16, 8)
    return network.build(network.conv(network.x, 16, 3))


def pointwise() -> Graph:
    network = Network(1, 4, 4, 32)
    return network.build(network.conv(network.x, 64))


def matrix() -> Graph:
    network = Network(1, 64)
    return network.build(network.linear(network.x, 200))


def depthwise() -> Graph:
    network = Network(1, 32, 16, 4)
    return network.build(network.depthwise(network.x))


def residual() -> Graph:
    network = Network(1, 16, 16, 8)
    first = network.conv(network.x, 16, 3)
    second = network.conv(network.depthwise(first), 16)
    return network.build(network.pool(network.add(first, second), (16, 16), 1))


def square() -> Graph:
    """One operand, given twice."""
    network = Network(1, 16, 16, 8)
    first = network.conv(network.x, 8)
    return network.build(network.add(first, first))


def one_row_left() -> Graph:
    """Windows that leave a row of the input, and rows that no number of tiles divides."""
    network = Network(1, 24, 9, 6)
    return network.build(network.conv(network.x, 10, 3, 2, same=False))


@pytest.mark.parametrize(
    ("network", "near_bytes", "by_rows", "by_channels"),
    [
        (convolution, 20_000, False, False),
        (convolution, 5_000, True, False),
        (convolution, 3_000, True, True),
        (pointwise, 1_600, False, True),
        (pointwise, 1_000, True, True),
        (matrix, 4_000, False, True),
        (depthwise, 2_500, True, False),
    ],
)
def test_tiles_of_rows_of_channels_and_of_both(
    network: Callable[[], Graph], near_bytes: int, by_rows: bool, by_channels: bool
) -> None:
    graph = network()
    program, tiling = tile(graph, near_bytes)
    ((rows, channels),) = parts(tiling)
    assert (rows > 1, channels > 1) == (by_rows, by_channels)
    assert_same_results(program, graph)


@pytest.mark.parametrize("near_bytes", [4_000, 9_000, 14_000, 40_000])
@pytest.mark.parametrize("network", [residual, square, one_row_left])
@pytest.mark.parametrize("exact", [True, False], ids=["exact", "greedy"])
def test_results_stay(network: Callable[[], Graph], near_bytes: int, exact: bool) -> None:
    graph = network()
    program, tiling = tile(graph, near_bytes, exact=exact)
    assert tiling.formulation is not None
    assert tiling.formulation.problem is not None
    assert tiling.plan is not None
    check(tiling.formulation.problem, tiling.plan)
    assert_same_results(program, graph)


@pytest.mark.parametrize("seed", range(6))
def test_random_networks_stay(seed: int) -> None:
    graph = random_graph(seed, dtype=DType.INT8, nodes=10)
    program, _ = tile(graph, 20_000)
    assert_same_results(program, graph)


def test_tensors_between_layers_stay_near_where_they_fit() -> None:
    graph = residual()
    arenas: list[int] = []
    for near_bytes in (9_000, 40_000):
        program, tiling = tile(graph, near_bytes)
        assert tiling.plan is not None
        buffers = {buffer.name: buffer for buffer in program.buffers}
        arenas.append(sum(b.size_bytes for b in buffers.values() if b.memory == "arena"))
        for name in (*program.inputs, *program.outputs):
            assert buffers[program.view[name].buffer].memory == "arena"
    ends = graph.inputs[0].type.size_bytes + graph.outputs[0].type.size_bytes
    assert arenas[1] == ends < arenas[0]


def test_buffers_near_lie_in_the_room_that_was_given() -> None:
    program, _ = tile(residual(), 9_000)
    near = [buffer for buffer in program.buffers if buffer.memory == "l1"]
    assert near
    ends = [buffer.offset + buffer.size_bytes for buffer in near if buffer.offset is not None]
    assert len(ends) == len(near)
    assert max(ends) <= 9_000


def test_many_tiles_are_a_loop_and_few_are_not() -> None:
    graph = depthwise()
    few, _ = tile(graph, 6_000)
    many, tiling = tile(graph, 1_500)
    ((rows, channels),) = parts(tiling)
    assert rows > 8
    assert channels == 1
    (loop,) = [step for step in many.steps if isinstance(step, Loop)]
    assert loop.count == rows
    assert not any(isinstance(step, Loop) for step in few.steps)
    assert len(many.steps) <= 8
    calls = [step for step in unrolled(many).steps if isinstance(step, Call)]
    assert len(calls) == rows


def test_a_call_reads_its_constants_where_one_copy_brought_them() -> None:
    program, _ = tile(convolution(), 20_000)
    (call,) = program.calls
    assert {held.constant for held in call.held} == set(call.reads)
    copies = [step for step in program.steps if isinstance(step, Copy)]
    (constants,) = [copy for copy in copies if copy.source in program.constant]
    brought = program.view[constants.destination].buffer
    assert {program.view[held.view].buffer for held in call.held} == {brought}


def with_weights_apart(kernel: Kernel) -> Kernel:
    """The kernel, as if it read the largest of its constants from a memory of their own."""

    def apart(layer: Layer) -> tuple[Prepared | AsGiven, ...]:
        *others, weights = kernel.prepare(layer)
        assert isinstance(weights, Prepared)
        return (*others, replace(weights, memory="weights"))

    return replace(kernel, prepare=apart)


@pytest.mark.parametrize(("near_bytes", "least_parts"), [(20_000, 1), (400, 4)])
def test_constants_of_another_memory_are_read_where_they_are(
    near_bytes: int, least_parts: int
) -> None:
    """Neither copied nor in the way of anything near, and those of each part by a call of its own."""
    network = Network(1, 1, 1, 32)
    chosen, graph = small(near_bytes), network.build(network.conv(network.x, 1024))
    kernels = tuple(
        with_weights_apart(kernel) if kernel.name.startswith("tinsmith_pulp_conv2d") else kernel
        for kernel in kernels_of(chosen)
    )
    program = prepare(lower(graph, chosen, kernels), chosen, kernels)
    tiled, tiling = TileCalls(chosen, kernels).tile(program)
    ((_, channels),) = parts(tiling)
    assert channels >= least_parts
    read: list[str] = []
    for call in tiled.calls:
        *others, weights = call.reads
        assert [held.constant for held in call.held] == others
        assert tiled.constant[weights].memory == "weights"
        read.append(weights)
    assert len({*read}) == channels
    copied = [step.source for step in simple_steps(tiled.steps) if isinstance(step, Copy)]
    sizes = [tiled.constant[name].data.nbytes for name in copied if name in tiled.constant]
    weights_bytes = sum(tiled.constant[name].data.nbytes for name in {*read})
    assert sum(sizes) < weights_bytes
    assert_same_results(tiled, graph)


def test_constants_of_the_next_layer_come_while_one_computes() -> None:
    program, tiling = tile(residual(), 20_000)
    assert tiling.plan is not None
    assert any(tiling.plan.prefetched)
    names = [step.name if isinstance(step, Call) else None for step in program.steps]
    first = next(index for index, name in enumerate(names) if name)
    second = next(index for index, name in enumerate(names) if name and index > first)
    before = program.steps[:first]
    copied = [s.destination for s in before if isinstance(s, Copy) and s.source in program.constant]
    later = program.steps[second]
    assert isinstance(later, Call)
    wanted = {program.view[held.view].buffer for held in later.held}
    assert wanted <= {program.view[name].buffer for name in copied}


def test_text_gives_the_program_back() -> None:
    for near_bytes in (3_000, 20_000):
        program, _ = tile(convolution(), near_bytes)
        text = print_program(program)
        assert print_program(parse_program(text)) == text


def softmax() -> Graph:
    """A table takes nearly all of the memory, rows are small beside it."""
    network = Network(100, 5)
    return network.build(network.softmax(network.x))


def doubled() -> Graph:
    network = Network(1, 9, 7, 24)
    return network.build(network.add(network.x, network.depthwise(network.x)))


@pytest.mark.parametrize(
    ("network", "least"), [(convolution, 1192), (softmax, 1048), (doubled, 2216)]
)
def test_refusal_names_the_least_memory_that_does(network: Callable[[], Graph], least: int) -> None:
    graph = network()
    for near_bytes in (1, 64, 300, 600, 900, least - 4, least - 1):
        with pytest.raises(DoesNotFitError, match=f"all layers would fit into {least} B$"):
            tile(graph, near_bytes)
    for near_bytes in range(least, 2 * least, 52):
        tile(graph, near_bytes, exact=False)
    program, _ = tile(graph, least)
    assert_same_results(program, graph)


def test_refusal_says_what_a_layer_takes_in_words_of_the_network() -> None:
    graph = convolution()
    with pytest.raises(DoesNotFitError) as refused:
        tile(graph, 900)
    assert str(refused.value) == (
        "layer y does not fit into the 900 B of l1: cut into 16 x 4 tiles on 1 cores, one at a time, it takes 1192 B "
        "(constants 456 B, x 384 B, scratch 288 B, y 64 B); all layers would fit into 1192 B"
    )


@pytest.mark.parametrize("behind", [0, 1])
def test_what_no_memory_of_the_board_holds_is_left_where_its_tensors_lie(behind: int) -> None:
    network = Network(1, 1, 1, 40_000)
    y = network.conv(network.x, 4)
    graph = network.build(network.conv(y, 8) if behind else y)
    chosen = small(900)
    outcome = TileCalls(chosen, kernels_of(chosen)).run_in_detail(lowered(graph, chosen))
    (warning,) = outcome.warnings
    assert warning.startswith(
        "y: computed where its tensors lie, slower than from l1, of which pulp-open leaves"
    )
    assert "it takes 200" in warning
    calls = outcome.ir.calls
    assert [bool(call.held) for call in calls] == [False, True][: 1 + behind]
    assert_same_results(outcome.ir, graph)


def test_a_target_without_a_cluster_is_left_alone() -> None:
    graph = convolution()
    chosen = target("riscv32")
    program = lowered(graph, chosen)
    tiled, tiling = TileCalls(chosen, kernels_of(chosen)).tile(program)
    assert tiled is program
    assert tiling.plan is None


def test_calls_without_a_cost_are_left_alone() -> None:
    """Float kernels know none."""
    graph = random_graph(3, dtype=DType.FLOAT32, nodes=4)
    chosen = small(9_000)
    program = lowered(graph, chosen)
    tiled, tiling = TileCalls(chosen, kernels_of(chosen)).tile(program)
    assert tiled is program
    assert tiling.plan is None


def test_the_same_program_gives_the_same_tiles() -> None:
    texts = [print_program(tile(residual(), 9_000)[0]) for _ in range(2)]
    assert texts[0] == texts[1]


def test_a_time_below_zero_is_refused() -> None:
    with pytest.raises(UsageError, match="tile: expected time_limit from 0, got -1"):
        TileCalls(small(9_000), (), time_limit=-1.0)


def test_facts_say_of_each_call_its_tiles_and_what_stays_near() -> None:
    network = Network(1, 16, 16, 8)
    first = network.conv(network.x, 16, 3)
    graph = network.build(network.conv(first, 8))
    program, tiling = tile(graph, 6 * 1024)
    facts = tiling.facts()
    assert facts is not None
    assert tiling.plan is not None
    assert [name for layer in facts.layers for name in layer.calls] == [
        call.name for call in program.calls
    ]
    assert all(len(layer.calls) <= layer.tiles for layer in facts.layers)
    assert any(layer.tiles > 1 for layer in facts.layers)
    assert (facts.cycles, facts.bound) == (tiling.plan.cycles, tiling.plan.bound)
    near = {buffer.name for buffer in program.buffers if buffer.memory == "l1"}
    assert all(near.issuperset(layer.near) for layer in facts.layers)
    _, roomy = tile(graph, 64 * 1024)
    whole = roomy.facts()
    assert whole is not None
    assert [layer.near for layer in whole.layers] == [(first.name,), (first.name,)]
    assert [layer.calls for layer in whole.layers] == [(layer.name,) for layer in whole.layers]
