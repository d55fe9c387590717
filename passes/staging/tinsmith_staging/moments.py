"""A Program's time as staging counts it: each step of the outermost level is a moment, of a loop each iteration."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tinsmith_ir.program import Loop, Program, SimpleStep, instances


@dataclass(frozen=True, eq=False)
class Moment:
    """A step of the outermost level, or one iteration of a loop there.

    number: in order, from 0 on. index: of the step among the program's. iteration: of the loop; 0 else.
    """

    number: int
    index: int
    iteration: int
    loop: Loop | None = None

    def instances(self, program: Program) -> Iterator[tuple[SimpleStep, Mapping[str, int]]]:
        """Each simple step as written, as often as it runs in the moment, and the counters of the loops around it."""
        if self.loop is None:
            yield from instances((program.steps[self.index],))
        else:
            yield from instances(self.loop.body, {self.loop.counter: self.iteration})


def moments(program: Program) -> Iterator[Moment]:
    """All of them, in order."""
    number = 0
    for index, step in enumerate(program.steps):
        loop = step if isinstance(step, Loop) else None
        for iteration in range(1 if loop is None else loop.count):
            yield Moment(number, index, iteration, loop)
            number += 1
