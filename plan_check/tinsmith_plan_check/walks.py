"""How a kernel's result may lie over an operand: byte by byte, by the order in which the kernel touches them."""

from collections.abc import Iterable, Iterator
from itertools import repeat

from tinsmith_plan_check.errors import PlanRefusedError
from tinsmith_plan_check.plan import Progression

Timed = tuple[int, int, int]
"""Begin and end of some bytes, and the kernel's step that touches them."""


def numbers(progressions: Iterable[Progression]) -> Iterator[int]:
    """All numbers, one after the other."""
    for found in progressions:
        for index in range(found.count):
            yield from repeat(found.first + index * found.increment, found.repeats)


def timed(progressions: Iterable[Progression], size: int, where: str) -> list[Timed]:
    """The steps of as many equal pieces of `size` bytes as there are numbers.

    Raises PlanRefusedError if the bytes cannot be cut into so many.
    """
    steps = [*numbers(progressions)]
    if not steps or size % len(steps):
        raise PlanRefusedError("order", where, f"equal pieces of {size} bytes", len(steps))
    each = size // len(steps)
    found: list[Timed] = []
    for index, step in enumerate(steps):
        if found and found[-1][2] == step:
            found[-1] = (found[-1][0], (index + 1) * each, step)
        else:
            found.append((index * each, (index + 1) * each, step))
    return found


def first_conflict(written: list[Timed], read: list[Timed], distance: int) -> int | None:
    """The first byte of the operand that is written over before it has been read last; None if there is none.

    distance: where the result begins less where the operand begins.
    """
    at = 0
    for begin, end, last in read:
        while at < len(written) and written[at][1] + distance <= begin:
            at += 1
        ahead = at
        while ahead < len(written) and written[ahead][0] + distance < end:
            if written[ahead][2] < last:
                return max(begin, written[ahead][0] + distance)
            ahead += 1
    return None
