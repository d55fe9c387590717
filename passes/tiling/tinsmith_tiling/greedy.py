"""Plans made step by step: what fits at all, then tensors kept near, constants fetched ahead, and faster ways, each
where it makes the whole faster. No randomness, no solver.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from tinsmith_ir.checked import checked
from tinsmith_ir.errors import DoesNotFitError

from tinsmith_tiling.columns import Column
from tinsmith_tiling.facts import Block, Choice, Facts, Key, Placed
from tinsmith_tiling.model import Plan, Problem, TilingError
from tinsmith_tiling.place import first_fit
from tinsmith_tiling.result import least_cycles, plan_of


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


@dataclass(frozen=True)
class Stuck:
    """The layer that finds no room, or with which tensors find none, and the memory that is full."""

    layer: int
    memory: int


def start_of(facts: Facts) -> Placed | Stuck:
    """Each tensor as far as it may be, nothing fetched ahead, of each layer the fastest way that then fits."""
    for tensor, homes in zip(facts.problem.tensors, facts.usable, strict=True):
        if not homes:
            raise TilingError(
                f"tensor {tensor.name}: expected a home among {tensor.homes} for which each of its layers has a way, "
                f"got none"
            )
    homes = _repaired(facts, _far_homes(facts))
    if isinstance(homes, Stuck):
        return homes
    offsets: dict[Key, int] = {}
    for tensor, home in sorted(enumerate(homes), key=lambda pair: (-facts.units(*pair), pair)):
        if facts.rooms[home] is None:
            continue
        block = facts.tensor_block(tensor, home)
        fixed = [facts.tensor_block(index, homes[index]) for _, index in offsets]
        found = first_fit([block], fixed, offsets, facts.rooms)
        if found is None:
            return Stuck(block.first, home)
        offsets |= found
    columns: list[Column] = []
    for layer in facts.layers:
        fixed = [facts.tensor_block(at, 0) for at in facts.live[layer] if homes[at] == 0]
        found = _first_that_fits(facts, layer, homes, fixed, offsets)
        if found is None:
            return Stuck(layer, 0)
        columns.append(found[0])
        offsets |= found[1]
    return Placed(Choice(tuple(columns), homes), offsets)


def _first_that_fits(
    facts: Facts,
    layer: int,
    homes: tuple[int, ...],
    fixed: list[Block],
    offsets: dict[Key, int],
) -> tuple[Column, dict[Key, int]] | None:
    """The fastest column of the layer without a prefetch that finds a place."""
    for column in facts.columns[layer].of(facts.vector(layer, homes)):
        if column.is_prefetched:
            continue
        if facts.rooms[0] is None:
            return column, {}
        blocks = list(facts.layer_blocks(layer, column))
        if (found := first_fit(blocks, fixed, offsets, facts.rooms)) is not None:
            return column, found
    return None


def _far_homes(facts: Facts) -> tuple[int, ...]:
    """The farthest memory of each tensor that still has room; the largest tensors first."""
    homes = [max(usable) for usable in facts.usable]
    order = sorted(range(len(homes)), key=lambda tensor: (-facts.problem.tensors[tensor].size_bytes, tensor))
    used = {memory: [0] * len(facts.layers) for memory in range(len(facts.rooms))}
    for tensor in order:
        first, last = facts.lives[tensor]
        for home in sorted(facts.usable[tensor], reverse=True):
            room, units = facts.rooms[home], facts.units(tensor, home)
            live = used[home][first : last + 1]
            if room is None or max(live, default=0) + units <= room:
                homes[tensor] = home
                used[home][first : last + 1] = [units + other for other in live]
                break
    return tuple(homes)


def _repaired(facts: Facts, homes: tuple[int, ...]) -> tuple[int, ...] | Stuck:
    """Other homes for the tensors of each layer that has no way for the given ones."""
    for layer in facts.layers:
        if _is_possible(facts, layer, homes):
            continue
        tensors = facts.tensors_of[layer]
        mine = facts.vector(layer, homes)
        vectors, _ = facts.columns[layer].vectors([facts.usable[at] for at in tensors], mine)
        vectors.sort(key=lambda one: (sum(a != b for a, b in zip(one, mine, strict=True)), one))
        for vector in vectors:
            changed = list(homes)
            for tensor, home in zip(tensors, vector, strict=True):
                changed[tensor] = home
            users = {user for tensor in tensors for user in facts.users[tensor] if user <= layer}
            if all(_is_possible(facts, user, tuple(changed)) for user in users):
                homes = tuple(changed)
                break
        else:
            return Stuck(layer, 0)
    return homes


def _is_possible(facts: Facts, layer: int, homes: tuple[int, ...]) -> bool:
    """True if the layer has a column without a prefetch beside the tensors that are near."""
    room = facts.rooms[0]
    free = None if room is None else room - facts.near_units(layer, homes)
    return any(
        not column.is_prefetched and (free is None or column.units <= free)
        for column in facts.columns[layer].of(facts.vector(layer, homes))
    )


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


def shortage(facts: Facts, stuck: Stuck) -> DoesNotFitError:
    """The error for a problem of which the greedy planner finds no plan."""
    problem = facts.problem
    memory, layer = problem.memories[stuck.memory], problem.layers[stuck.layer]
    live = sorted((problem.tensors[at] for at in facts.live[stuck.layer]), key=lambda t: -t.size_bytes)
    largest = ", ".join(f"{tensor.name} {tensor.size_bytes} B" for tensor in live[:3])
    where = f"layer {layer.name} does not fit into the {memory.size_bytes} B of {memory.name}"
    about = f"the largest tensors live there: {largest}"
    if stuck.memory:
        return DoesNotFitError(f"{where}, where tensors lie that layers cannot keep nearer; {about}")
    least = least_near_bytes(problem)
    if least is None:
        return DoesNotFitError(
            f"{where}, nor into more: its ways and those of other layers need tensors in different memories; {about}"
        )
    return DoesNotFitError(f"{where}: all layers would fit into {least} B; {about}")


def least_near_bytes(problem: Problem) -> int | None:
    """The least near memory with which the greedy planner finds a plan, in bytes; None if no size lets it."""
    unlimited = Facts(_with_near(problem, None))
    unit = problem.memories[0].alignment
    low = max((_least_units(unlimited, layer) for layer in unlimited.layers), default=1)
    if _starts(problem, low * unit):
        return low * unit
    high = low
    while not _starts(problem, (high := 2 * high) * unit):
        if high > 2 * _all_units(unlimited):
            return None
        low = high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _starts(problem, middle * unit) else (middle, high)
    return high * unit


def _with_near(problem: Problem, size_bytes: int | None) -> Problem:
    near = replace(problem.memories[0], size_bytes=size_bytes)
    return replace(problem, memories=(near, *problem.memories[1:]))


def _starts(problem: Problem, near_bytes: int) -> bool:
    return isinstance(start_of(Facts(_with_near(problem, near_bytes))), Placed)


def _least_units(facts: Facts, layer: int) -> int:
    """What the layer and its own near tensors take in the near memory at least; 1 if no homes suit it."""
    tensors = facts.tensors_of[layer]
    vectors, _ = facts.columns[layer].vectors([facts.usable[at] for at in tensors], None)
    needs: Iterable[int] = (
        column.units
        + sum(
            facts.units(at, 0) for at, home in zip(tensors, vector, strict=True) if home == 0
        )
        for vector in vectors
        for column in facts.columns[layer].of(vector)
        if not column.is_prefetched
    )
    return max(1, min(needs, default=1))


def _all_units(facts: Facts) -> int:
    """More than any plan needs: all tensors, and of each layer the largest column of each choice of homes."""
    total = sum(facts.units(tensor, 0) for tensor in range(len(facts.problem.tensors)))
    for layer in facts.layers:
        homes = [facts.usable[at] for at in facts.tensors_of[layer]]
        vectors, _ = facts.columns[layer].vectors(homes, None)
        total += max(
            (column.units for vector in vectors for column in facts.columns[layer].of(vector)),
            default=0,
        )
    return total
