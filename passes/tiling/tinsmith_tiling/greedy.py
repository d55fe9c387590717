"""Plans made step by step: what fits at all, then tensors kept near, constants fetched ahead, and faster ways, each
where it makes the whole faster. No randomness, no solver.
"""

from collections.abc import Iterator

from tinsmith_ir.checked import checked

from tinsmith_tiling.columns import Column
from tinsmith_tiling.facts import Choice, Facts, Placed
from tinsmith_tiling.model import Plan, Problem
from tinsmith_tiling.place import first_fit
from tinsmith_tiling.result import least_cycles, plan_of
from tinsmith_tiling.shortage import shortage
from tinsmith_tiling.start import Stuck, start_of


@checked
def solve_greedy(problem: Problem) -> Plan:
    """A plan that is found fast; its bound is the sum of what each layer takes at least.

    Raises DoesNotFitError, which names a layer and the least near memory with which there is such a plan, and
    TilingError where the ways of two layers contradict each other.
    """
    facts = Facts(problem)
    start = start_of(facts)
    if isinstance(start, Stuck):
        raise shortage(facts, start)
    return plan_of(facts, improved(facts, start), least_cycles(facts))


def improved(facts: Facts, start: Placed) -> Placed:
    """Tensors near, by the copies that they save for each byte and layer; then prefetches; then ways once more."""
    work = _Work(facts, start)
    tensors = [at for at, homes in enumerate(facts.usable) if 0 in homes and work.homes[at]]
    for tensor in sorted(tensors, key=lambda at: (-work.worth(at), at)):
        work.bring_near(tensor)
    for layer in facts.layers[1:]:
        work.prefetch(layer)
    for tensor in tensors:
        if work.homes[tensor]:
            work.bring_near(tensor)
    for layer in facts.layers:
        work.speed_up(layer)
    return work.placed()


class _Work:
    """A placed choice that is changed where that makes it faster."""

    def __init__(self, facts: Facts, start: Placed) -> None:
        self._facts = facts
        self._columns = list(start.choice.columns)
        self._offsets = dict(start.offsets)
        self.homes = start.choice.homes

    def placed(self) -> Placed:
        return Placed(self._choice(), self._offsets)

    def _choice(self) -> Choice:
        return Choice(tuple(self._columns), self.homes)

    def worth(self, tensor: int) -> float:
        """Cycles of copies that the tensor's layers have now, for each unit and layer that it would take."""
        facts = self._facts
        name = facts.problem.tensors[tensor].name
        first, last = facts.lives[tensor]
        cycles = sum(
            staging.cycles_from(self.homes[tensor])
            for layer in facts.users[tensor]
            for staging in facts.problem.layers[layer].ways[self._columns[layer].way].stagings
            if staging.tensor == name
        )
        return cycles / (facts.units(tensor, 0) * (last - first + 1))

    def bring_near(self, tensor: int) -> None:
        """Let the tensor live in the near memory, and the layers meanwhile go by with what is left."""
        homes = (*self.homes[:tensor], 0, *self.homes[tensor + 1 :])
        self._try(*self._facts.lives[tensor], homes, None, [tensor])

    def prefetch(self, layer: int) -> None:
        """Fetch the layer's constants while the layer before computes."""
        self._try(layer - 1, layer, self.homes, layer, [])

    def speed_up(self, layer: int) -> None:
        """Take a faster way where there is room for it."""
        self._try(layer, layer, self.homes, None, [])

    def _try(
        self, first: int, last: int, homes: tuple[int, ...], ahead: int | None, tensors: list[int]
    ) -> None:
        """Choose the columns from layer `first` to `last` anew, that of layer `ahead` with a prefetch, and keep
        them if they are faster and find their places.
        """
        old = self._choice()
        touched = range(max(first - 1, 0), last + 1)
        before = sum(map(old.layer_cycles, touched))
        columns = self._chosen(first, last, homes, ahead)
        if columns is None:
            return
        chosen = (*self._columns[:first], *columns, *self._columns[last + 1 :])
        new = Choice(chosen, homes)
        if sum(map(new.layer_cycles, touched)) >= before:
            return
        free = list(self._facts.blocks(new, tensors, range(first, last + 1)))
        moved = {("tensor", tensor) for tensor in tensors}
        moved |= {(kind, layer) for layer in range(first, last + 1) for kind in ("own", "ahead")}
        around = self._facts.blocks_around(new, first - 1, last)
        fixed = [block for block in around if block.key not in moved]
        found = first_fit(free, fixed, self._offsets, self._facts.rooms)
        if found is None:
            return
        for key in moved:
            self._offsets.pop(key, None)
        self._offsets |= found
        self._columns, self.homes = list(chosen), homes

    def _chosen(
        self, first: int, last: int, homes: tuple[int, ...], ahead: int | None
    ) -> list[Column] | None:
        """From the last layer to the first the fastest column for which there are bytes enough."""
        found: list[Column] = []
        next_column = self._columns[last + 1] if last + 1 < len(self._columns) else None
        for layer in range(last, first - 1, -1):
            is_prefetched = layer == ahead or self._columns[layer].is_prefetched
            fitting = [
                column
                for column in self._fitting(layer, homes, next_column)
                if column.is_prefetched == is_prefetched
            ]
            if not fitting:
                return None
            cycles = next_column.ahead_cycles if next_column is not None else 0
            next_column = _fastest(fitting, cycles)
            found.append(next_column)
        return found[::-1]

    def _fitting(
        self, layer: int, homes: tuple[int, ...], next_column: Column | None
    ) -> Iterator[Column]:
        facts = self._facts
        columns = facts.columns[layer].of(facts.vector(layer, homes))
        room = facts.rooms[0]
        if room is None:
            return iter(columns)
        room -= facts.near_units(layer, homes)
        room -= 0 if next_column is None else next_column.ahead_units
        return (column for column in columns if column.units <= room)


def _fastest(columns: list[Column], next_ahead_cycles: int) -> Column:
    return min(columns, key=lambda column: column.cycles(next_ahead_cycles))
