"""Copies that start earlier: constants that are fetched ahead may come two layers ahead, where bytes are free for them.

A layer whose computation is shorter than the copy for the next one then makes no layer wait if the one before it has
time left. The solver's model knows nothing of it: it counts such a copy in the layer before, and the plan's cycles are
an upper estimate.
"""

from collections.abc import Set
from dataclasses import replace

from tinsmith_tiling.facts import Block, Facts, Placed
from tinsmith_tiling.place import first_fit

REACH = 2
"""Layers ahead at most."""


def hastened(facts: Facts, placed: Placed) -> Placed:
    """The same choice, with copies started two layers ahead where that makes the whole faster and bytes are free."""
    usual = _cycles(placed, frozenset())
    if usual == sum(column.core_cycles for column in placed.choice.columns):
        return placed
    found = placed
    for layer in facts.layers[REACH:]:
        if placed.choice.columns[layer].is_prefetched:
            found = _started_early(facts, found, layer)
    early = found.early
    for layer in sorted(early):
        if _cycles(found, early - {layer}) <= _cycles(found, early):
            early -= {layer}
    if _cycles(found, early) >= usual:
        return placed
    return replace(found, early=early)


def _started_early(facts: Facts, placed: Placed, layer: int) -> Placed:
    """The layer's constants in a place that is free for so long; as before if there is none."""
    early = placed.early | {layer}
    key = ("ahead", layer)
    if facts.rooms[0] is None:
        return replace(placed, early=early)
    blocks = [
        _longer(block, early) for block in facts.blocks_around(placed.choice, layer - REACH, layer)
    ]
    own = [block for block in blocks if block.key == key]
    others = [block for block in blocks if block.key != key]
    place = first_fit(own, others, placed.offsets, facts.rooms)
    if place is None:
        return placed
    return replace(placed, offsets={**placed.offsets, **place}, early=early)


def _longer(block: Block, early: Set[int]) -> Block:
    kind, layer = block.key
    return replace(block, first=layer - REACH) if kind == "ahead" and layer in early else block


def _cycles(placed: Placed, early: Set[int]) -> int:
    """What all layers take: a layer may end while copies for the one after the next are under way, and the next one
    then has them beside its own.
    """
    columns = placed.choice.columns
    total = late = 0
    for layer, column in enumerate(columns):
        ahead = 0 if layer + 1 in early else placed.choice.ahead_cycles(layer + 1)
        further = placed.choice.ahead_cycles(layer + REACH) if layer + REACH in early else 0
        copies = late + column.dma_cycles + ahead
        cycles = max(column.core_cycles, copies)
        late = max(copies + further - cycles, 0)
        total += cycles
    return total
