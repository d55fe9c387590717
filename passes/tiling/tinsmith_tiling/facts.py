"""What follows from a problem alone (lifetimes, columns, room); a choice of columns, and the blocks it asks for."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from tinsmith_tiling.columns import Column, Columns
from tinsmith_tiling.model import Problem

Key = tuple[str, int]
"""Of a block: "tensor", "own" (all that a layer has for itself) or "ahead" (its prefetched constants), and an index."""


@dataclass(frozen=True, slots=True)
class Block:
    """units of the alignment of a memory, held from the layer `first` to the layer `last`, both included."""

    key: Key
    memory: int
    first: int
    last: int
    units: int


@dataclass(frozen=True)
class Choice:
    """A column for each layer and a home for each tensor, by index, which say the same of homes."""

    columns: tuple[Column, ...]
    homes: tuple[int, ...]

    def ahead_cycles(self, layer: int) -> int:
        """Of the layer's constants, copied while the one before computes; 0 behind the last layer."""
        return self.columns[layer].ahead_cycles if layer < len(self.columns) else 0

    def layer_cycles(self, layer: int) -> int:
        """What the layer takes."""
        return self.columns[layer].cycles(self.ahead_cycles(layer + 1))

    @property
    def cycles(self) -> int:
        """What all layers take."""
        return sum(map(self.layer_cycles, range(len(self.columns))))


@dataclass(frozen=True)
class Placed:
    """A choice and, in units, where each of its blocks begins.

    early: layers whose constants are fetched two layers ahead, of those that have them fetched ahead.
    """

    choice: Choice
    offsets: Mapping[Key, int]
    early: frozenset[int] = frozenset()


class Facts:
    """A problem by indices."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.rooms = tuple(
            None if memory.size_bytes is None else memory.size_bytes // memory.alignment
            for memory in problem.memories
        )
        self.layers = range(len(problem.layers))
        index = {tensor.name: at for at, tensor in enumerate(problem.tensors)}
        self.tensors_of = tuple(
            tuple(index[name] for name in layer.tensors) for layer in problem.layers
        )
        self.columns = tuple(Columns(problem, layer, self.rooms[0]) for layer in self.layers)
        self.lives = tuple(self._lives(index))

    def _lives(self, index: Mapping[str, int]) -> Iterator[tuple[int, int]]:
        first = [0] * len(index)
        last = [len(self.layers) - 1] * len(index)
        for layer in self.problem.layers:
            for name in layer.reads:
                last[index[name]] = -1
        for at, layer in enumerate(self.problem.layers):
            for name in layer.writes:
                first[index[name]] = at
            for name in layer.reads:
                is_output = self.problem.tensors[index[name]].is_output
                last[index[name]] = len(self.layers) - 1 if is_output else at
        return zip(first, last, strict=True)

    @cached_property
    def users(self) -> tuple[tuple[int, ...], ...]:
        """The layers that read or write each tensor."""
        found: list[list[int]] = [[] for _ in self.problem.tensors]
        for layer in self.layers:
            for tensor in self.tensors_of[layer]:
                found[tensor].append(layer)
        return tuple(map(tuple, found))

    @cached_property
    def live(self) -> tuple[tuple[int, ...], ...]:
        """The tensors that live while each layer runs."""
        found: list[list[int]] = [[] for _ in self.layers]
        for tensor, (first, last) in enumerate(self.lives):
            for layer in range(first, last + 1):
                found[layer].append(tensor)
        return tuple(map(tuple, found))

    @cached_property
    def usable(self) -> tuple[frozenset[int], ...]:
        """The homes of each tensor for which each of its layers has a way."""
        found = [frozenset(tensor.homes) for tensor in self.problem.tensors]
        for layer in self.layers:
            for tensor, homes in zip(
                self.tensors_of[layer], self.columns[layer].usable, strict=True
            ):
                found[tensor] &= homes
        return tuple(found)

    def units(self, tensor: int, memory: int) -> int:
        """What the tensor takes in that memory."""
        bytes_, unit = (
            self.problem.tensors[tensor].size_bytes,
            self.problem.memories[memory].alignment,
        )
        return -(-bytes_ // unit)

    def near_units(self, layer: int, homes: tuple[int, ...]) -> int:
        """What tensors take in the near memory while the layer runs."""
        return sum(self.units(tensor, 0) for tensor in self.live[layer] if homes[tensor] == 0)

    def vector(self, layer: int, homes: tuple[int, ...]) -> tuple[int, ...]:
        """The homes of the layer's own tensors."""
        return tuple(homes[tensor] for tensor in self.tensors_of[layer])

    def tensor_block(self, tensor: int, memory: int) -> Block:
        """The tensor as a block of that memory."""
        return Block(("tensor", tensor), memory, *self.lives[tensor], self.units(tensor, memory))

    def layer_blocks(self, layer: int, column: Column) -> Iterator[Block]:
        """What the layer has for itself; all of it is one block, but for constants that are fetched ahead."""
        if column.own_units:
            yield Block(("own", layer), 0, layer, layer, column.own_units)
        if column.ahead_units:
            yield Block(("ahead", layer), 0, layer - 1, layer, column.ahead_units)

    def blocks(
        self, choice: Choice, tensors: Iterable[int], layers: Iterable[int]
    ) -> Iterator[Block]:
        """The blocks of these tensors and layers in memories of a stated size."""
        for tensor in tensors:
            if self.rooms[choice.homes[tensor]] is not None:
                yield self.tensor_block(tensor, choice.homes[tensor])
        if self.rooms[0] is not None:
            for layer in layers:
                yield from self.layer_blocks(layer, choice.columns[layer])

    def blocks_around(self, choice: Choice, first: int, last: int) -> Iterator[Block]:
        """Those of which some step lies from `first` to `last`, and perhaps a few more."""
        first, last = max(first, 0), min(last, len(self.layers) - 1)
        tensors = sorted(
            {tensor for layer in range(first, last + 1) for tensor in self.live[layer]}
        )
        return self.blocks(choice, tensors, range(first, min(last + 2, len(self.layers))))
