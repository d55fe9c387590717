"""Programs that stream rows compute what they did."""

import numpy as np
import pytest
from images import HOST, KERNELS, Network, lowered, random_network
from tinsmith_ir import Call, Program, UsageError, evaluate_program, verify_program
from tinsmith_ir.testing import random_inputs
from tinsmith_lowering import StreamPlan
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


def test_a_wide_tensor_between_two_narrow_ones_becomes_a_window() -> None:
    network = Network(1, 16, 16, 4)
    wide = network.conv(network.x, 32, 1)
    program = lowered(network.build(network.conv(network.depthwise(wide), 4, 1)))
    made, facts = split(program, 0)
    (segment,) = facts.segments
    assert {window.lines for window in segment.windows} == {1, 3}
    assert segment.rows == 1
    assert set(rows_of(made)) == {1}
    assert facts.live_bytes < 4 * 1024 + 5 * 16 * 32  # input, output over it, lines


def test_rows_as_many_as_fit_are_made_at_a_time() -> None:
    network = Network(1, 32, 16, 4)
    wide = network.conv(network.x, 32, 1)
    program = lowered(network.build(network.conv(network.depthwise(wide), 4, 1)))
    _, least = split(program, 0)
    _, more = split(program, least.live_bytes * 3 // 2)
    assert more.segments[0].rows > least.segments[0].rows
    assert more.extra < least.extra
    assert more.live_bytes <= least.live_bytes * 3 // 2


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
