"""Programs that stream rows compute what they did."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from images import HOST, KERNELS, Network, lowered, random_network
from tinsmith_ir import Call, Graph, Program, UsageError, evaluate_program, verify_program
from tinsmith_ir.operators import DepthwiseConv2D
from tinsmith_ir.testing import random_inputs
from tinsmith_lowering import Cost, Layer, StreamPlan, lower
from tinsmith_splitting import SplitCalls


def split(program: Program, ram_bytes: int) -> tuple[Program, StreamPlan]:
    outcome = SplitCalls(HOST, KERNELS, ram_bytes).run_in_detail(program)
    assert isinstance(outcome.facts, StreamPlan)
    return outcome.ir, outcome.facts


def rows_of(program: Program) -> list[int]:
    """Of the first result of each call, its rows."""
    calls = [step for step in program.steps if isinstance(step, Call)]
    return [program.view[call.outputs[0]].type.shape[1] for call in calls]


@pytest.mark.parametrize("seed", range(120))
def test_random_networks_at_the_least_memory_and_between(seed: int) -> None:
    graph = random_network(seed)
    program = lowered(graph)
    inputs = random_inputs(graph, seed)
    wanted = evaluate_program(program, inputs)
    made, facts = split(program, 0)
    least = facts.live_bytes
    for found in (made, *(split(program, least * more // 4)[0] for more in (4, 5, 8))):
        verify_program(found)
        for name, array in evaluate_program(found, inputs).items():
            assert np.array_equal(array, wanted[name])


def test_nothing_changes_without_a_budget_or_where_all_fits() -> None:
    network = Network(1, 16, 16, 4)
    program = lowered(network.build(network.conv(network.conv(network.x, 8), 4)))
    assert SplitCalls(HOST, KERNELS).run(program) is program
    assert split(program, 1 << 20)[0] is program


def expanded(rows: int, columns: int) -> Program:
    return lowered(expanded_graph(rows, columns))


def expanded_graph(rows: int, columns: int) -> Graph:
    """Channels expanded from 4 to 32, filtered each, and joined again."""
    network = Network(1, rows, columns, 4)
    wide = network.conv(network.x, 32, 1)
    return network.build(network.conv(network.depthwise(wide), 4, 1))


def test_a_wide_tensor_between_two_narrow_ones_becomes_a_window() -> None:
    budget = 1024 + 4 * 16 * 32  # input, output over it, lines
    made, facts = split(expanded(16, 16), budget)
    (segment,) = facts.segments
    assert {window.lines for window in segment.windows} == {1, 3}
    assert not segment.patched
    assert segment.rows == 1
    assert set(rows_of(made)) == {1}
    assert facts.live_bytes <= budget


def test_in_less_memory_it_is_computed_in_patches() -> None:
    program = expanded(32, 16)
    _, rows = split(program, 5 * 1024)
    made, least = split(program, 0)
    (segment,) = least.segments
    assert segment.windows == ()
    assert (
        least.live_bytes < 2 * 32 * 16 * 4 + 2 * 16 * 32
    )  # less than input, output and a line of each
    assert least.extra > rows.extra  # what patches share is computed again
    names = [call.name for call in segment.patched]
    assert [call.is_inner for call in segment.patched] == [True, True, False]
    assert [call.reads[0].layer for call in segment.patched] == ["", *names[:-1]]
    last = segment.patched[-1]
    assert sum(patch.box.elements for patch in last.patches) == 32 * 16 * 4
    calls = {step.name for step in made.steps if isinstance(step, Call)}
    assert {patch.part for call in segment.patched for patch in call.patches} == calls


def test_patches_are_as_large_as_fit() -> None:
    program = expanded(32, 16)
    _, least = split(program, 0)
    _, more = split(program, least.live_bytes * 5 // 4)
    assert more.segments[0].patched
    assert len(more.segments[0].patched[-1].patches) < len(least.segments[0].patched[-1].patches)
    assert more.extra < least.extra


def test_rows_as_many_as_fit_are_made_at_a_time() -> None:
    program = expanded(32, 16)
    _, few = split(program, 7 * 1024)
    _, more = split(program, 12 * 1024)
    assert more.segments[0].rows > few.segments[0].rows
    assert more.extra < few.extra
    assert more.live_bytes <= 12 * 1024


@pytest.mark.parametrize(("times", "kept"), [(1.02, True), (1.1, False)])
def test_a_part_keeps_the_kernel_of_the_whole_unless_that_is_much_slower(
    times: float, kept: bool
) -> None:
    def is_tall(layer: Layer) -> str | None:
        """Images have 8 rows."""
        return None if layer.output.shape[1] >= 8 else f"it has {layer.output.shape[1]}"

    def instructions(count: float) -> Callable[[Layer], Cost]:
        return lambda layer: Cost(round(count * layer.output.elements))

    depthwise = "tinsmith_depthwise_conv2d_s8"
    (plain,) = (it for it in KERNELS if it.name == depthwise and it.operator is DepthwiseConv2D)
    tall = replace(plain, name="tall", pays=(is_tall,), cost=instructions(100 * times))
    kernels = tall, *(replace(it, cost=instructions(100)) for it in KERNELS)
    whole = lower(expanded_graph(16, 16), HOST, kernels)
    made = SplitCalls(HOST, kernels, 5 * 1024).run(whole)
    found = {call.kernel for call in made.calls if call.operator.mnemonic == "depthwise_conv2d"}
    assert found == {"tall" if kept else depthwise}


def test_a_budget_below_the_least_is_said() -> None:
    network = Network(1, 16, 16, 4)
    program = lowered(network.build(network.conv(network.x, 8)))
    outcome = SplitCalls(HOST, KERNELS, 64).run_in_detail(program)
    (warning,) = outcome.warnings
    assert "more than 64" in warning


def test_a_budget_below_nothing_is_refused() -> None:
    with pytest.raises(UsageError, match="expected ram-bytes from 0, got -1"):
        SplitCalls(HOST, KERNELS, -1)


def test_the_same_program_gives_the_same_plan() -> None:
    program = lowered(random_network(7))
    assert split(program, 0)[1] == split(program, 0)[1]
