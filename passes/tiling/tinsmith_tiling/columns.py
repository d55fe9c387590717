"""What a layer can do: its ways, each with homes of its tensors and its constants fetched before or not, as numbers.

The one place on the solver's side that says what a way costs; `check` says it once more by itself.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product

from tinsmith_tiling.model import Layer, Memory, Problem, Staging, Tensor, Way

MOST_VECTORS = 64
"""Homes of one layer's tensors that are all tried; of more, some."""


@dataclass(frozen=True, slots=True)
class Column:
    """One possibility of a layer. homes: of Layer.tensors, in that order.

    core_cycles: what is exposed and the computation. dma_cycles: what is exposed and the copies beside the computation,
    but for those ahead of the next layer. ahead_cycles: copies of its own constants while the layer before computes.
    own_units, ahead_units: near memory while it runs, and for constants fetched ahead, in units of the alignment.
    """

    way: int
    homes: tuple[int, ...]
    is_prefetched: bool
    core_cycles: int
    dma_cycles: int
    own_units: int
    ahead_units: int
    ahead_cycles: int

    def cycles(self, next_ahead_cycles: int = 0) -> int:
        """What the layer takes, with the constants of the next one copied meanwhile."""
        return max(self.core_cycles, self.dma_cycles + next_ahead_cycles)

    @property
    def units(self) -> int:
        """Near memory while the layer runs."""
        return self.own_units + self.ahead_units


def parts(
    layer: Layer, way: Way, homes: Mapping[str, int], memory: Memory
) -> Iterator[tuple[str, int]]:
    """Names and bytes, rounded up, of what the layer has in the near memory beside tensors; the constants come last."""
    if way.scratch_bytes:
        yield f"{layer.name}.scratch", memory.aligned(way.scratch_bytes)
    for kind, stagings in (("operand", way.operands), ("result", way.results)):
        for index, staging in enumerate(stagings):
            if homes[staging.tensor]:
                bytes_ = staging.slots * memory.aligned(staging.slot_bytes)
                yield f"{layer.name}.{kind}.{index}", bytes_
    if way.constants_bytes:
        bytes_ = way.constants_slots * memory.aligned(way.constants_bytes)
        yield f"{layer.name}.constants", bytes_


def staging_cycles(staging: Staging, tiles: int, home: int) -> tuple[int, int]:
    """What is exposed of a staging's copies: of two slots one tile, of one all; and what is beside the computation."""
    cycles = staging.cycles_from(home)
    exposed = -(-cycles // tiles) if staging.slots == 2 else cycles
    return exposed, cycles - exposed


class Columns:
    """The columns of one layer, without those that another one is better than in every respect."""

    def __init__(self, problem: Problem, index: int, room: int | None) -> None:
        """room: units of the near memory, or None for any number."""
        self._layer = problem.layers[index]
        self._memory = problem.memories[0]
        self._may_prefetch = index > 0
        self._room = room
        by_name = {tensor.name: tensor for tensor in problem.tensors}
        self._tensors: list[Tensor] = [by_name[name] for name in self._layer.tensors]
        self._found: dict[tuple[int, ...], tuple[Column, ...]] = {}

    @cached_property
    def usable(self) -> tuple[frozenset[int], ...]:
        """For each tensor of the layer the homes for which there is a way."""
        return tuple(
            frozenset(
                home
                for home in tensor.homes
                if any(_suits(way, tensor.name, home) for way in self._layer.ways)
            )
            for tensor in self._tensors
        )

    def of(self, homes: tuple[int, ...]) -> tuple[Column, ...]:
        """The columns for these homes of Layer.tensors, the fastest first."""
        if homes not in self._found:
            found = [column for column in self._all(homes) if self._fits(column)]
            self._found[homes] = tuple(_undominated(found))
        return self._found[homes]

    def _fits(self, column: Column) -> bool:
        if self._room is None:
            return True
        unit = self._memory.alignment
        near = sum(
            self._memory.aligned(tensor.size_bytes) // unit
            for tensor, home in zip(self._tensors, column.homes, strict=True)
            if home == 0
        )
        return near + column.units <= self._room

    def _all(self, homes: tuple[int, ...]) -> Iterator[Column]:
        at = dict(zip(self._layer.tensors, homes, strict=True))
        for index, way in enumerate(self._layer.ways):
            if all(_suits(way, name, home) for name, home in at.items()):
                yield self._column(index, at, is_prefetched=False)
                if self._may_prefetch and way.first_cycles:
                    yield self._column(index, at, is_prefetched=True)

    def _column(self, index: int, homes: Mapping[str, int], *, is_prefetched: bool) -> Column:
        way = self._layer.ways[index]
        copies = [
            staging_cycles(staging, way.tiles, homes[staging.tensor])
            for staging in way.stagings
            if homes[staging.tensor]
        ]
        exposed, beside = sum(copy[0] for copy in copies), sum(copy[1] for copy in copies)
        own = sum(staging.core_cycles for staging in way.stagings if homes[staging.tensor])
        rest = way.constants_copy_cycles - way.first_cycles
        exposed += 0 if is_prefetched else way.first_cycles
        exposed += rest if way.constants_slots == 1 else 0
        beside += rest if way.constants_slots == 2 else 0
        units = {
            name: bytes_ // self._memory.alignment
            for name, bytes_ in parts(self._layer, way, homes, self._memory)
        }
        ahead = units.get(f"{self._layer.name}.constants", 0) if is_prefetched else 0
        return Column(
            way=index,
            homes=tuple(homes.values()),
            is_prefetched=is_prefetched,
            core_cycles=exposed + way.compute_cycles + own,
            dma_cycles=exposed + beside,
            own_units=sum(units.values()) - ahead,
            ahead_units=ahead,
            ahead_cycles=way.first_cycles if is_prefetched else 0,
        )

    def least_cycles(self) -> int:
        """A bound: no homes of the tensors and no prefetch let the layer take fewer cycles."""
        return min(map(self._least_cycles_of, self._layer.ways))

    def _least_cycles_of(self, way: Way) -> int:
        """Each tensor where it costs least; core and DMA may take different ones, which only lowers the bound."""
        rest = way.constants_copy_cycles - way.first_cycles
        core = way.compute_cycles
        exposed = 0 if self._may_prefetch else way.first_cycles
        exposed += rest if way.constants_slots == 1 else 0
        dma = rest if way.constants_slots == 2 else 0
        stagings = {staging.tensor: staging for staging in way.stagings}
        for tensor in self._tensors:
            homes = [home for home in tensor.homes if _suits(way, tensor.name, home)]
            if 0 in homes or tensor.name not in stagings:
                continue
            core += stagings[tensor.name].core_cycles
            copies = [staging_cycles(stagings[tensor.name], way.tiles, home) for home in homes]
            core += min((copy[0] for copy in copies), default=0)
            dma += min((sum(copy) for copy in copies), default=0)
        return exposed + max(core, dma)

    def vectors(
        self, homes: Iterable[frozenset[int]], preferred: tuple[int, ...] | None
    ) -> tuple[list[tuple[int, ...]], bool]:
        """Homes of the layer's tensors, each of a set; and whether these are all.

        Of more than `MOST_VECTORS`: the preferred, those that differ from it in one home, all near, all far.
        """
        choices = [sorted(set_) for set_ in homes]
        count = 1
        for choice in choices:
            count *= len(choice)
        if count <= MOST_VECTORS:
            return list(product(*choices)), True
        nearest = tuple(choice[0] for choice in choices)
        farthest = tuple(choice[-1] for choice in choices)
        centre = preferred or farthest
        found = {centre: None, nearest: None, farthest: None}
        for at, choice in enumerate(choices):
            found |= dict.fromkeys((*centre[:at], home, *centre[at + 1 :]) for home in choice)
        return list(found), False


def _suits(way: Way, tensor: str, home: int) -> bool:
    """True if the way takes the tensor from, or leaves it in, that memory."""
    if home == 0:
        return tensor not in way.needs_far
    staged = any(staging.tensor == tensor for staging in way.stagings)
    return staged and tensor not in way.needs_near


def _undominated(columns: list[Column]) -> list[Column]:
    """In order of cycles, then of way."""
    costs = [
        (c.core_cycles, c.dma_cycles, c.own_units, c.ahead_units, c.ahead_cycles) for c in columns
    ]
    order = sorted(range(len(columns)), key=lambda at: (max(costs[at][:2]), costs[at], at))
    kept: list[tuple[int, int, int, int, int]] = []
    found: list[Column] = []
    for at in order:
        core, dma, own, ahead, copies = costs[at]
        # Written out, as most of the greedy planner's time goes by here.
        for one in kept:
            if (
                one[0] <= core
                and one[1] <= dma
                and one[2] <= own
                and one[3] <= ahead
                and one[4] <= copies
            ):
                break
        else:
            kept.append(costs[at])
            found.append(columns[at])
    return found
