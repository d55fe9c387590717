"""Constants that are fetched two layers ahead."""

import numpy as np
import pytest
from small_networks import Network, kernels_of, lowered, outputs_of, small
from tinsmith_ir import Call, Copy, Graph, Program, evaluate_program, verify_program
from tinsmith_ir.program import simple_steps
from tinsmith_ir.testing import random_inputs
from tinsmith_target import target
from tinsmith_tiling import Layer, Memory, Plan, Problem, Tensor, TileCalls, Way, check, solve


def chain(near_bytes: int, *layers: tuple[int, int]) -> Problem:
    """Of each layer its computation and the copy of its constants, of 64 B."""
    names = [f"t{number}" for number in range(len(layers) + 1)]
    ways = [
        Way("w", compute, constants_bytes=64 if copy else 0, constants_copy_cycles=copy)
        for compute, copy in layers
    ]
    return Problem(
        (Memory("L1", near_bytes), Memory("L2", None)),
        tuple(Tensor(name, 4, (0,)) for name in names),
        tuple(
            Layer(f"l{number}", (names[number],), (names[number + 1],), (way,))
            for number, way in enumerate(ways)
        ),
    )


def planned(problem: Problem) -> Plan:
    plan = solve(problem)
    check(problem, plan)
    return plan


def test_a_copy_starts_two_layers_ahead_where_the_layer_before_is_too_short_for_it() -> None:
    plan = planned(chain(1000, (100, 0), (10, 0), (50, 90)))
    assert plan.prefetched == (0, 0, 2)
    assert plan.cycles == 100 + 90 + 50  # as if it began in the layer before


def test_it_does_not_where_nothing_is_gained() -> None:
    assert planned(chain(1000, (100, 0), (90, 0), (50, 90))).prefetched == (0, 0, 1)
    assert planned(chain(1000, (10, 0), (10, 90), (50, 90))).prefetched == (0, 1, 1)


def test_what_is_left_over_is_handed_on_as_far_as_there_is_time() -> None:
    plan = planned(chain(1000, (150, 0), (80, 20), (80, 100), (80, 100), (80, 100)))
    # 130 beside layer 0; then 20 more than there is time for, again and again.
    assert plan.prefetched == (0, 1, 2, 2, 2)


@pytest.mark.parametrize(("near_bytes", "ahead"), [(200, 2), (132, 1)])
def test_it_needs_bytes_that_are_free_so_long(near_bytes: int, ahead: int) -> None:
    """In 132 B lie the constants of one layer, and those of the next."""
    problem = chain(near_bytes, (100, 10), (10, 0), (50, 90))
    assert planned(problem).prefetched == (0, 0, ahead)


def network() -> Graph:
    made = Network(1, 320)
    y = made.linear(made.linear(made.x, 320), 4)
    return made.build(made.linear(made.linear(y, 320), 320))


def tiled(near_bytes: int) -> tuple[Program, Plan]:
    chosen = small(near_bytes)
    program, tiling = TileCalls(chosen, kernels_of(chosen)).tile(lowered(network(), chosen))
    assert tiling.plan is not None
    return program, tiling.plan


def test_programs_start_them_so_and_compute_the_same() -> None:
    program, plan = tiled(400_000)
    assert 2 in plan.prefetched
    verify_program(program)
    graph = network()
    expected = evaluate_program(lowered(graph, target("host")), random_inputs(graph, 1))
    for found in outputs_of(program, graph):
        for name, output in zip(program.outputs, graph.outputs, strict=True):
            assert np.array_equal(found[name], expected[output.name])


def test_the_copy_stands_in_front_of_the_layer_two_before() -> None:
    program, plan = tiled(400_000)
    assert plan.prefetched[-1] == 2
    steps = list(simple_steps(program.steps))
    last = [step for step in steps if isinstance(step, Call)][-1]
    near = {program.view[held.view].buffer for held in last.held}
    first = next(
        index
        for index, step in enumerate(steps)
        if isinstance(step, Copy) and program.view[step.destination].buffer in near
    )
    between = [step.name for step in steps[first : steps.index(last)] if isinstance(step, Call)]
    assert between == ["y_1", "y_2"]
