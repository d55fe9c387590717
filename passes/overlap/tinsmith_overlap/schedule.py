"""An order of steps in which the core that issues them waits little: list scheduling, with modelled cycles.

At each time one step is issued of those whose predecessors all were: first what an engine is given, since that takes
the core little; then waits for what has ended, if an engine is given something behind; then work of the core, what most
depends on first; and if there is none of these, the wait for what ends first. A wait that nobody needs yet is left for
later, as the model may be wrong.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tinsmith_ir.checked import Checked
from tinsmith_ir.program import Call, Copy, Program, Wait

from tinsmith_overlap.costs import StepCost
from tinsmith_overlap.touches import Flight


@dataclass(frozen=True)
class Overlapping(Checked):
    """What was decided. jobs: calls that an engine is given. before, after: modelled cycles of all steps, where the
    core waits for each call at once, and in the order that was found.
    """

    jobs: tuple[str, ...]
    before: int
    after: int


@dataclass(frozen=True, eq=False)
class Orders:
    """Of the steps of a program. predecessors: as of order.py."""

    program: Program
    costs: Sequence[StepCost]
    flights: Sequence[Flight]
    predecessors: Sequence[set[int]]

    def cycles(self, order: Sequence[int]) -> int:
        """Modelled, of the steps in an order."""
        clock = _Clock(self)
        for step in order:
            clock.issue(step)
        return clock.now

    def best(self) -> list[int]:
        """The numbers of all steps, in the order that was found."""
        clock, tails = _Clock(self), self._tails()
        missing = [len(found) for found in self.predecessors]
        ready = {step for step, count in enumerate(missing) if count == 0}
        behind = self._successors()
        order: list[int] = []
        while ready:
            step = min(ready, key=lambda step: (*clock.urgency(step), -tails[step], step))
            ready.remove(step)
            order.append(step)
            clock.issue(step)
            for other in behind[step]:
                missing[other] -= 1
                if missing[other] == 0:
                    ready.add(other)
        return order

    def _successors(self) -> list[list[int]]:
        found: list[list[int]] = [[] for _ in self.predecessors]
        for step, before in enumerate(self.predecessors):
            for other in before:
                found[other].append(step)
        return found

    def _tails(self) -> list[int]:
        """Of each step, the cycles of the longest way from its start to the end of all."""
        behind = self._successors()
        tails = [0] * len(behind)
        for step in reversed(range(len(behind))):  # they stood in an order that is one
            longest = max((tails[other] for other in behind[step]), default=0)
            tails[step] = self.costs[step].core + self.costs[step].engine + longest
        return tails


class _Clock:
    """The time at which the core is, and what engines have under way."""

    def __init__(self, orders: Orders) -> None:
        program = orders.program
        self.now = 0
        self._steps, self._costs = program.steps, orders.costs
        self._start_of: Mapping[int, int] = {each.end: each.start for each in orders.flights}
        self._urgent = {
            before
            for step, found in enumerate(orders.predecessors)
            if isinstance(given := program.steps[step], Call | Copy) and given.engine is not None
            for before in found
        }
        self._depths = {engine.name: engine.depth for engine in program.engines}
        self._free_at = dict.fromkeys(self._depths, 0)
        self._held = dict.fromkeys(self._depths, 0)
        self._ends: dict[int, int] = {}

    def urgency(self, number: int) -> tuple[int, int]:
        """What is least is to be issued first."""
        step = self._steps[number]
        if isinstance(step, Wait):
            end = self._end(number)
            return (1, 0) if end <= self.now and number in self._urgent else (3, end)
        if isinstance(step, Call | Copy) and step.engine is not None:
            depth = self._depths[step.engine]
            is_full = depth is not None and self._held[step.engine] >= depth
            return (4 if is_full else 0, 0)
        return (2, 0)

    def issue(self, number: int) -> None:
        """The core issues a step, when what it waits for has ended."""
        step, cost = self._steps[number], self._costs[number]
        if isinstance(step, Wait):
            self.now = max(self.now, self._end(number)) + cost.core
            self._hold(self._start_of[number], -1)
            return
        self.now += cost.core
        self._ends[number] = self.now + cost.engine
        if isinstance(step, Call | Copy) and step.engine is not None:
            self._hold(number, 1)
            begin = max(self.now, self._free_at[step.engine])
            self._free_at[step.engine] = self._ends[number] = begin + cost.engine

    def _end(self, wait: int) -> int:
        return self._ends[self._start_of[wait]]

    def _hold(self, start: int, more: int) -> None:
        """Of what loops start and end, nobody counts how much it is."""
        step = self._steps[start]
        if isinstance(step, Call | Copy) and step.engine is not None:
            self._held[step.engine] += more
