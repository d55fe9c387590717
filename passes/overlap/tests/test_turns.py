"""Loops over tiles whose jobs are waited for an iteration later."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from overlapped_networks import KERNELS, chip, network, tiled
from tinsmith_ir import Graph, GraphError, evaluate_graph, evaluate_program, verify_program
from tinsmith_ir.expressions import Counter, Expression, Modulo, Table, Term
from tinsmith_ir.program import Call, Copy, Guard, Loop, Program, SimpleStep, Wait, simple_steps
from tinsmith_ir.testing import random_inputs
from tinsmith_overlap import OverlapCalls
from tinsmith_overlap.turns import earlier

_CHAIN = network("a = conv x, b = conv a", "b", side=32)
_IN_LOOPS = 20 * 1024
_AT_A_TIME = 9 * 1024


def _overlapped(graph: Graph, near_bytes: int) -> Program:
    return OverlapCalls(chip(near_bytes), KERNELS).run(tiled(graph, near_bytes))


def _loops(program: Program) -> list[Loop]:
    return [step for step in program.steps if isinstance(step, Loop)]


def _jobs(steps: Sequence[SimpleStep]) -> list[Call]:
    return [step for step in steps if isinstance(step, Call) and step.engine == "neureka"]


@pytest.mark.parametrize(
    "layers",
    [
        "a = conv x, b = conv a",
        "a = conv x, p = pool a, b = conv p",
        "a = conv x, c = conv x, b = add a c",
        "a = keep x, b = conv a",
    ],
)
@pytest.mark.parametrize("near_bytes", [_AT_A_TIME, 12 * 1024, _IN_LOOPS, 40 * 1024])
def test_results_are_the_graphs_whenever_engines_end(layers: str, near_bytes: int) -> None:
    graph = network(layers, "b", side=32)
    program = _overlapped(graph, near_bytes)
    verify_program(program)
    inputs = random_inputs(graph, seed=7)
    (expected,) = evaluate_graph(graph, inputs).values()
    for completion in ("earliest", "latest"):
        found = evaluate_program(program, inputs, completion=completion)["b"]
        assert np.array_equal(found, expected)


def test_a_job_is_started_before_the_one_before_is_waited_for() -> None:
    before, after = (
        _loops(program) for program in (tiled(_CHAIN, _IN_LOOPS), _overlapped(_CHAIN, _IN_LOOPS))
    )
    assert len(before) == len(after) > 0
    for given, turned in zip(before, after, strict=True):
        assert turned.count == given.count + 1
        steps = [*simple_steps(turned.body)]
        jobs = _jobs(steps)
        assert {job.guard.begin for job in jobs if job.guard} == {0, 1, given.count - 1}
        (wait,) = [
            step
            for step in steps
            if isinstance(step, Wait) and step.guard == Guard(turned.counter, 1, turned.count)
        ]
        assert steps.index(jobs[-1]) < steps.index(wait)
        fetches = [step for step in steps if isinstance(step, Copy)]
        assert steps.index(wait) < min(map(steps.index, fetches))


def test_a_wait_that_is_late_or_missing_is_found() -> None:
    program = _overlapped(_CHAIN, _IN_LOOPS)
    loop = _loops(program)[0]
    later = Guard(loop.counter, 1, loop.count)
    body = [step for step in loop.body if not (isinstance(step, Wait) and step.guard == later)]
    (wait,) = [step for step in loop.body if step not in body]
    assert isinstance(wait, Wait)
    for wrong in ([*body, wait], body):
        steps = [
            replace(loop, body=tuple(wrong)) if step is loop else step for step in program.steps
        ]
        with pytest.raises(GraphError, match="steps beside one another do not race"):
            verify_program(replace(program, steps=tuple(steps)))


def test_tiles_that_come_one_at_a_time_stay_as_they_are() -> None:
    """What a tile fetches is what it computes: nothing can be fetched meanwhile."""
    given = tiled(_CHAIN, _AT_A_TIME)
    loops = [*_loops(given)]
    assert loops
    assert _loops(_overlapped(_CHAIN, _AT_A_TIME)) == loops


def test_an_expression_of_the_iteration_before() -> None:
    inner = Expression(1, (Term(2, Counter("i")), Term(1, Counter("j"))))
    expression = Expression(
        7, (Term(3, Counter("i")), Term(5, Modulo(inner, 4)), Term(1, Table("i", (9, 4, 6))))
    )
    before = earlier(expression, "i")
    for i in (1, 2, 3):
        assert before.value({"i": i, "j": 2}) == expression.value({"i": i - 1, "j": 2})
