"""Tokens of steps that are started: while an order is looked for they are any numbers, from TOKENS on, a new one for
each start; then those below it are given out.
"""

from collections.abc import Sequence
from dataclasses import replace

from tinsmith_ir.expressions import Expression
from tinsmith_ir.program import Call, Copy, Program, Step, Wait, instances

TOKENS = 32
"""Tokens are below it, as whoever writes C has them."""


def with_tokens(program: Program, free: Sequence[int]) -> Program:
    """The program with tokens of `free` instead of those of any number, the first one first, each taken again behind
    the wait for it. Raises IndexError if they are too few.
    """
    steps: list[Step] = []
    left, taken = [*free], dict[Expression, int]()
    for step in program.steps:
        if isinstance(step, Call | Copy) and step.token is not None and _is_any(step.token):
            taken[step.token] = left.pop(0)
            steps.append(replace(step, token=Expression(taken[step.token])))
        elif isinstance(step, Wait) and step.token in taken:
            token = taken.pop(step.token)
            left = sorted([*left, token])
            steps.append(replace(step, token=Expression(token)))
        else:
            steps.append(step)
    return replace(program, steps=tuple(steps))


def _is_any(token: Expression) -> bool:
    return token.is_constant and token.base >= TOKENS


def free_tokens(program: Program) -> list[int]:
    """Those that no step has, but for those of any number."""
    taken = {
        step.token.value(counters)
        for step, counters in instances(program.steps)
        if isinstance(step, Call | Copy | Wait) and step.token is not None
    }
    return [token for token in range(TOKENS) if token not in taken]
