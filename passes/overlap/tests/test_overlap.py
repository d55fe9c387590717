"""Programs behind the pass: the same results whenever engines end, and what runs at the same time."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from overlapped_networks import KERNELS, SIRACUSA, chip, network, tiled
from tinsmith_allocation import AllocateBuffers
from tinsmith_ir import Graph, GraphError, evaluate_graph, evaluate_program, verify_program
from tinsmith_ir.expressions import Expression
from tinsmith_ir.program import Call, Engine, Program, Step, Wait
from tinsmith_ir.testing import random_inputs
from tinsmith_overlap import OverlapCalls, Overlapping
from tinsmith_overlap.tokens import TOKENS
from tinsmith_target import target

_BRANCHES = network("a = conv x, c = conv a, p = pool x, q = pool p, y = add c q", "y")
_CHAIN = network("a = conv x, b = conv a, c = conv b, d = conv c", "d")


def _overlapped(graph: Graph, near_bytes: int | None = None) -> Program:
    return OverlapCalls(chip(near_bytes), KERNELS).run(tiled(graph, near_bytes))


def _is_equal(graph: Graph, program: Program) -> bool:
    """Whether its results are the graph's, with engines that work at once and as late as they may."""
    inputs = random_inputs(graph, seed=3)
    expected = evaluate_graph(graph, inputs)
    return all(
        np.array_equal(evaluate_program(program, inputs, completion=completion)[name], array)
        for completion in ("earliest", "latest")
        for name, array in expected.items()
    )


def _beside(program: Program) -> list[str]:
    """Calls that are started and waited for apart, of the accelerator."""
    return [call.name for call in program.calls if call.engine is not None]


def _wait_of(steps: Sequence[Step], call: Call) -> int:
    """The number of the wait for a call."""
    begin = steps.index(call)
    return begin + next(
        number
        for number, step in enumerate(steps[begin:])
        if isinstance(step, Wait) and step.token == call.token
    )


def _call(program: Program, name: str) -> Call:
    return next(call for call in program.calls if call.name == name)


@pytest.mark.parametrize(
    ("layers", "output"),
    [
        ("a = conv x, c = conv a, p = pool x, q = pool p, y = add c q", "y"),
        ("p = pool x, q = pool p, a = conv x, c = conv a, y = add c q", "y"),
        ("a = conv x, b = conv x, c = conv x, s = add a b, y = add s c", "y"),
        ("a = conv x, p = pool a, b = conv a, y = add p b", "y"),
        ("a = keep x, b = conv a, p = pool a, c = keep b, d = keep p, y = add c d", "y"),
        ("a = keep x, b = keep x, c = keep x, s = add a b, y = add s c", "y"),
    ],
)
@pytest.mark.parametrize("near_bytes", [None, 24 * 1024, 14 * 1024])
def test_results_are_the_graphs_whenever_engines_end(
    layers: str, output: str, near_bytes: int | None
) -> None:
    graph = network(layers, output, side=16)
    program = _overlapped(graph, near_bytes)
    verify_program(program)
    assert _is_equal(graph, program)


def test_cores_work_while_the_accelerator_does() -> None:
    program = _overlapped(_BRANCHES)
    steps = program.steps
    assert _beside(program) == ["a", "c"]
    begins = [steps.index(_call(program, name)) for name in ("a", "c", "p", "q", "y")]
    ends = [_wait_of(steps, _call(program, name)) for name in ("a", "c")]
    assert begins == sorted(begins)
    assert begins[3] < min(ends) < max(ends) < begins[4]


def test_jobs_are_started_though_the_cores_come_first_in_the_graph() -> None:
    graph = network("p = pool x, q = pool p, a = conv x, c = conv a, y = add c q", "y")
    program = _overlapped(graph)
    order = [call.name for call in program.calls]
    assert order == ["p", "a", "c", "q", "y"]  # constants are not there before


def test_a_job_is_started_before_the_one_that_it_reads_of_has_ended() -> None:
    program = _overlapped(_CHAIN)
    steps = program.steps
    assert _beside(program) == ["a", "b", "c", "d"]
    a, b, c = (_call(program, name) for name in "abc")
    assert steps.index(b) < _wait_of(steps, a) < steps.index(c)  # two are under way at most


def test_a_wait_that_is_moved_behind_a_reader_is_a_race() -> None:
    program = _overlapped(_BRANCHES)
    steps = [*program.steps]
    steps.append(steps.pop(_wait_of(steps, _call(program, "c"))))
    with pytest.raises(GraphError, match=r'reads what is still being written by\n *call "c"'):
        verify_program(replace(program, steps=tuple(steps)))


def test_a_third_job_before_the_first_was_waited_for_is_refused() -> None:
    program = _overlapped(_CHAIN)
    steps = [*program.steps]
    first, third = (_call(program, name) for name in "ac")
    token = Expression(TOKENS - 1)
    steps[_wait_of(steps, third)] = Wait(token)
    begin = steps.index(third)
    steps[begin] = replace(third, token=token)
    steps.insert(begin, steps.pop(_wait_of(steps, first)))
    with pytest.raises(GraphError, match="'neureka' holds 2 unfinished step"):
        verify_program(replace(program, steps=tuple(steps)))


def test_buffers_that_tile_laid_over_one_another_are_apart_or_in_order() -> None:
    """Where there is no room for both, the order gives way, and results stay."""
    roomy, narrow = (_overlapped(_CHAIN, near_bytes) for near_bytes in (None, 3 * 1024))
    for program in (roomy, narrow):
        verify_program(program)
        assert _is_equal(_CHAIN, program)
    assert len(_beside(narrow)) < len(_beside(roomy))


@pytest.mark.parametrize(
    ("layers", "output", "side", "near_bytes"),
    [
        (
            "a = add x x, b = conv a, c = conv x, d = add a b, e = keep d, f = add c c, y = conv e",
            "y",
            32,
            20 * 1024,
        ),
        (
            "a = pool x, b = add x a, c = conv b, d = pool b, e = conv c, f = pool c, y = add e d",
            "y",
            32,
            32 * 1024,
        ),
    ],
)
def test_planners_find_no_buffers_in_one_place_at_once(
    layers: str, output: str, side: int, near_bytes: int
) -> None:
    """Also where places of tile stay: what lies in another part of a buffer counts, too."""
    program = _overlapped(network(layers, output, side), near_bytes)
    assert _beside(program)
    AllocateBuffers().run(program)


def test_parts_of_a_layer_with_strides_have_scratch_of_their_own() -> None:
    """So the cores keep results of the one while the accelerator computes the next one."""
    graph = network("a = keep x, b = keep x, y = add a b", "y", side=16)
    program = _overlapped(graph)
    steps = program.steps
    a, b = (_call(program, name) for name in "ab")
    assert a.engine == b.engine == "neureka then cores"
    assert a.scratch != b.scratch
    assert steps.index(b) < _wait_of(steps, a)


def test_what_was_decided_is_told() -> None:
    given = tiled(_BRANCHES)
    outcome = OverlapCalls(SIRACUSA, KERNELS).run_in_detail(given)
    assert isinstance(outcome.facts, Overlapping)
    assert outcome.facts.jobs == ("a", "c")
    assert outcome.facts.after < outcome.facts.before


def test_a_program_that_gains_nothing_is_left_alone() -> None:
    given = tiled(network("a = conv x", "a"))
    assert OverlapCalls(SIRACUSA, KERNELS).run(given) is given


def test_a_target_without_a_cluster_is_left_alone() -> None:
    given = tiled(_BRANCHES)
    assert OverlapCalls(target("host"), KERNELS).run(given) is given


def test_tokens_of_others_are_not_taken() -> None:
    given = tiled(_BRANCHES)
    copies = {step.token.value({}) for step in given.steps if isinstance(step, Wait)}
    program = _overlapped(_BRANCHES)
    jobs = {call.token.value({}) for call in program.calls if call.token is not None}
    assert jobs
    assert jobs.isdisjoint(copies)


def test_engines_are_those_of_kernels() -> None:
    program = _overlapped(_BRANCHES)
    assert program.engine["neureka"] == Engine("neureka", ("l1", "weights"), is_fifo=True, depth=2)


def test_the_same_program_comes_of_the_same_program() -> None:
    assert _overlapped(_BRANCHES).steps == _overlapped(_BRANCHES).steps
