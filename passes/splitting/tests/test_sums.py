"""Streams that end in a mean, and windows that share a place."""

import numpy as np
import pytest
from images import HOST, KERNELS, Network, lowered
from tinsmith_ir import Call, Graph, Program, evaluate_program, verify_program
from tinsmith_ir.operators import (
    AverageOfSums,
    ChannelSums,
    FullyConnected,
    MeanOfSums,
    Requantize,
)
from tinsmith_ir.testing import random_inputs
from tinsmith_lowering import StreamPlan
from tinsmith_splitting import SplitCalls
from tinsmith_splitting.rows import row_call
from tinsmith_splitting.sums import summed_call
from tinsmith_splitting.ways import Ways

_IMAGES = pytest.mark.parametrize(("height", "width"), [(16, 8), (7, 5), (2, 9)])


def split(program: Program, ram_bytes: int = 0) -> tuple[Program, StreamPlan]:
    outcome = SplitCalls(HOST, KERNELS, ram_bytes).run_in_detail(program)
    assert isinstance(outcome.facts, StreamPlan)
    return outcome.ir, outcome.facts


def check(graph: Graph, before: Program, made: Program) -> None:
    verify_program(made)
    graph_inputs = random_inputs(graph, 1)
    wanted = evaluate_program(before, graph_inputs)
    for name, array in evaluate_program(made, graph_inputs).items():
        assert np.array_equal(array, wanted[name])


@_IMAGES
def test_what_is_averaged_is_never_whole(height: int, width: int) -> None:
    network = Network(1, height, width, 4)
    graph = network.build(network.average(network.conv(network.x, 64, 1)))
    program = lowered(graph)
    made, facts = split(program)
    (segment,) = facts.segments
    assert facts.live_bytes < height * width * 64
    (sums,) = (call for call in segment.patched if call.is_sum)
    assert len(sums.patches) == height
    kinds = [type(step.operator) for step in made.steps if isinstance(step, Call)]
    assert kinds.count(ChannelSums) == height
    assert kinds.count(AverageOfSums) == 1
    assert kinds[-1] is AverageOfSums
    check(graph, program, made)
    # All parts add to the same bytes.
    adds = [s for s in made.steps if isinstance(s, Call) and isinstance(s.operator, ChannelSums)]
    assert len({call.outputs for call in adds}) == 1
    assert all(call.inputs[1] == call.outputs[0] for call in adds[1:])


@pytest.mark.parametrize("keep_dims", [True, False])
@_IMAGES
def test_rows_are_added_up_to_a_mean_of_another_scale(
    height: int, width: int, *, keep_dims: bool
) -> None:
    network = Network(1, height, width, 4)
    graph = network.build(network.mean(network.conv(network.x, 64, 1), keep_dims=keep_dims))
    program = lowered(graph)
    made, facts = split(program)
    assert facts.live_bytes < height * width * 64
    kinds = [type(step.operator) for step in made.steps if isinstance(step, Call)]
    assert kinds.count(ChannelSums) == height
    assert kinds[-1] is MeanOfSums
    check(graph, program, made)


@pytest.mark.parametrize("has_bias", [True, False])
@_IMAGES
def test_rows_are_added_up_to_what_they_are_connected_to(
    height: int, width: int, *, has_bias: bool
) -> None:
    network = Network(1, height, width, 4)
    graph = network.build(network.linear(network.conv(network.x, 64, 1), 5, has_bias=has_bias))
    program = lowered(graph)
    made, facts = split(program)
    (segment,) = facts.segments
    assert facts.live_bytes < height * width * 64
    (sums,) = (call for call in segment.patched if call.is_sum)
    assert len(sums.patches) == height
    adds = [s for s in made.steps if isinstance(s, Call) and isinstance(s.operator, FullyConnected)]
    assert len({call.outputs for call in adds}) == 1
    # The bias is in the first sums; the others are added to these where they lie.
    assert len(adds[0].inputs) == 2 + has_bias
    buffers = {made.buffer_of(name) for call in adds[1:] for name in (call.inputs[2],) if name}
    assert buffers == {made.buffer_of(adds[0].outputs[0])}
    assert all(call.over for call in adds[1:])
    # Of the weights each part has its columns, and nobody has all.
    columns = sum(
        made.constant[name].type.shape[1] for call in adds for name in (call.inputs[1],) if name
    )
    assert columns == height * width * 64
    check(graph, program, made)


@pytest.mark.parametrize(("units", "budget", "parts"), [(1000, 700, 2), (1000, 400, 4), (77, 0, 5)])
def test_values_between_two_dense_layers_are_never_all_there(
    units: int, budget: int, parts: int
) -> None:
    network = Network(1, 4, 4, 4)
    graph = network.build(network.linear(network.linear(network.x, units), 5))
    program = lowered(graph)
    made, facts = split(program, budget)
    (segment,) = facts.segments
    (sums,) = (call for call in segment.patched if call.is_sum)
    assert len(sums.patches) == parts
    assert facts.live_bytes <= max(budget, 4 * 4 * 4 + 16 + 5 * 16)
    check(graph, program, made)


def test_a_call_that_makes_rows_and_one_that_adds_rows_have_prices_of_their_own() -> None:
    network = Network(1, 4, 4, 4)
    graph = network.build(network.linear(network.linear(network.x, 77), 5))
    ways = Ways(lowered(graph), HOST, KERNELS)
    last = ways.steps[-1]
    assert isinstance(last, Call)
    made, added = row_call(ways.parts, last, 1), summed_call(ways.parts, last, 1)
    assert made is not None
    assert added is not None
    assert made.stage.name == added.stage.name
    for stage in (made, added):
        assert ways.price(stage, 0, 1) == stage.price(ways.parts, 0, 1)
    assert ways.price(made, 0, 1) != ways.price(added, 0, 1)


def test_many_rows_of_a_batch_are_not_added_up() -> None:
    network = Network(1, 8, 8, 4)
    graph = network.build(network.dense_rows(network.conv(network.x, 64, 1), 5))
    made, _ = split(lowered(graph))
    kinds = [type(step.operator) for step in made.steps if isinstance(step, Call)]
    assert Requantize not in kinds


def test_windows_that_take_turns_share_a_place() -> None:
    network = Network(1, 40, 8, 4)
    value = network.x
    for _ in range(4):
        value = network.conv(network.depthwise(value), 16, 1)
    graph = network.build(network.average(value))
    program = lowered(graph)
    made, facts = split(program, 4200)
    lines = [buffer for buffer in made.buffers if buffer.name.endswith(".lines")]
    windows = sum(len(segment.windows) for segment in facts.segments)
    assert len(lines) < windows
    check(graph, program, made)
