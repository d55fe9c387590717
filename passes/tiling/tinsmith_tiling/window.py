"""Some layers in a row of which everything may be chosen anew, while the rest of a known choice stays as it is."""

from collections.abc import Iterable, Mapping
from functools import cached_property

from tinsmith_tiling.columns import Column
from tinsmith_tiling.facts import Block, Choice, Facts, Key, Placed


class Window:
    """Which columns and homes are free, and which blocks lie still.

    known: None if everything is free; of tensors and layers elsewhere nothing is asked then.
    """

    def __init__(self, facts: Facts, known: Placed | None, layers: range) -> None:
        self.facts = facts
        self.known = known
        self.layers = layers
        count = len(facts.layers)
        self.around = layers
        if known is not None:
            # The layer before gives or takes time for a prefetch; the one behind may be prefetched or not.
            self.around = range(max(layers.start - 1, 0), min(layers.stop + 1, count))
        self.movable = range(layers.start, self.around.stop)
        self.tensors = tuple(
            tensor
            for tensor, (first, last) in enumerate(facts.lives)
            if (layers.start <= first and last < layers.stop)
            or (known is None and first < layers.stop and layers.start <= last)
        )

    @cached_property
    def columns(self) -> Mapping[int, tuple[Column, ...]]:
        """For each layer around those to choose from: none with which even the fastest ones of the other layers are no
        faster than what is known, but for those that are known.
        """
        found = {layer: tuple(self._columns(layer)) for layer in self.around}
        if self.known is None:
            return found
        choice = self.known.choice
        least = {layer: min(one.cycles() for one in columns) for layer, columns in found.items()}
        spare = sum(map(choice.layer_cycles, self.around)) - sum(least.values())
        return {
            layer: tuple(
                column
                for column in columns
                if column.cycles() - least[layer] < spare or column == choice.columns[layer]
            )
            for layer, columns in found.items()
        }

    def _columns(self, layer: int) -> Iterable[Column]:
        facts, known = self.facts, self.known
        if layer in self.layers:
            vectors, _ = self._vectors(layer)
            return (column for vector in vectors for column in facts.columns[layer].of(vector))
        assert known is not None
        mine = known.choice.columns[layer]
        if layer < self.layers.start:
            return (mine,)
        others = facts.columns[layer].of(mine.homes)
        return (column for column in others if column.way == mine.way)

    def _vectors(self, layer: int) -> tuple[list[tuple[int, ...]], bool]:
        facts, known = self.facts, self.known
        free = set(self.tensors)
        homes: list[frozenset[int]] = []
        for tensor in facts.tensors_of[layer]:
            if tensor in free or known is None:
                homes.append(facts.usable[tensor])
            else:
                homes.append(frozenset({known.choice.homes[tensor]}))
        mine = None if known is None else facts.vector(layer, known.choice.homes)
        return facts.columns[layer].vectors(homes, mine)

    def is_no_better(self, choice: Choice) -> bool:
        """True if the known one is as fast."""
        return self.known is not None and choice.cycles >= self.known.choice.cycles

    @property
    def has_all_homes(self) -> bool:
        """True if no homes of a layer's tensors are left out."""
        return all(self._vectors(layer)[1] for layer in self.layers)

    @cached_property
    def _moved(self) -> frozenset[Key]:
        layers = {(kind, layer) for layer in self.movable for kind in ("own", "ahead")}
        return frozenset({("tensor", tensor) for tensor in self.tensors} | layers)

    @cached_property
    def fixed(self) -> tuple[Block, ...]:
        """Blocks that lie still and meet some layer around."""
        if self.known is None:
            return ()
        last = self.around.stop - 1
        around = self.facts.blocks_around(self.known.choice, self.around.start, last)
        return tuple(block for block in around if block.key not in self._moved)

    @cached_property
    def fixed_offsets(self) -> Mapping[Key, int]:
        """The offsets of all blocks of the known choice that are not moved."""
        if self.known is None:
            return {}
        return {key: at for key, at in self.known.offsets.items() if key not in self._moved}

    def blocks(self, choice: Choice) -> list[Block]:
        """Those that may be moved."""
        return list(self.facts.blocks(choice, self.tensors, self.movable))
