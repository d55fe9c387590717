"""An order of steps in which the core that issues them waits little: list scheduling, with modelled cycles.

At each time one step is issued of those whose predecessors all were: first what an engine is given, since that takes
the core little; then waits for what has ended, if an engine is given something behind; then work of the core, what most
depends on first; and if there is none of these, the wait for what ends first, or what an engine is given that is free
first. A wait that nobody needs yet is left for later, as the model may be wrong.

An engine keeps what it is given in a queue; or it is one or several units (`Orders.units`), of which the first that is
idle takes a step, and the core stands still until there is one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

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
    """Of the steps of a program. predecessors: as of order.py. units: of engines that have no queue, in the order in
    which they are asked. most: steps that may be under way at once.
    """

    program: Program
    costs: Sequence[StepCost]
    flights: Sequence[Flight]
    predecessors: Sequence[set[int]]
    units: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])
    most: int | None = None

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
        self._units = orders.units
        self._most = orders.most
        units = (unit for some in self._units.values() for unit in some)
        self._free_at = dict.fromkeys((*self._depths, *units), 0)
        self._held = dict.fromkeys(self._depths, 0)
        self._ends: dict[int, int] = {}

    def urgency(self, number: int) -> tuple[int, int, int]:
        """What is least is to be issued first."""
        step = self._steps[number]
        if isinstance(step, Wait):
            end = self._end(number)
            return (1, 0, 0) if end <= self.now and number in self._urgent else (3, end, 1)
        if isinstance(step, Call | Copy) and step.engine is not None:
            if self._is_full(step.engine):
                return (4, 0, 0)
            free_at = self._free_at[self._unit(step.engine)]
            if step.engine in self._units and free_at > self.now:
                return (3, free_at, 0)
            # Who has several units leaves the first one to others.
            return (0, len(self._units.get(step.engine, ())), 0)
        return (2, 0, 0)

    def issue(self, number: int) -> None:
        """The core issues a step, when what it waits for has ended."""
        step, cost = self._steps[number], self._costs[number]
        if isinstance(step, Wait):
            self.now = max(self.now, self._end(number)) + cost.core
            self._hold(self._start_of[number], -1)
            return
        if isinstance(step, Call | Copy) and step.engine is not None:
            self._hold(number, 1)
            unit = self._unit(step.engine)
            if step.engine in self._units:
                self.now = max(self.now, self._free_at[unit])
            self.now += cost.core
            begin = max(self.now, self._free_at[unit])
            self._free_at[unit] = self._ends[number] = begin + cost.engine
        else:
            self.now += cost.core
            self._ends[number] = self.now + cost.engine

    def _unit(self, engine: str) -> str:
        """That is given its next step: the first one that is idle, or else is so first."""
        units = self._units.get(engine, (engine,))
        return min(units, key=lambda unit: max(self.now, self._free_at[unit]))

    def _is_full(self, engine: str) -> bool:
        depth = self._depths[engine]
        has_all = self._most is not None and sum(self._held.values()) >= self._most
        return has_all or (depth is not None and self._held[engine] >= depth)

    def _end(self, wait: int) -> int:
        return self._ends[self._start_of[wait]]

    def _hold(self, start: int, more: int) -> None:
        """Of what loops start and end, nobody counts how much it is."""
        step = self._steps[start]
        if isinstance(step, Call | Copy) and step.engine is not None:
            self._held[step.engine] += more
