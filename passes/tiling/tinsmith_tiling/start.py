"""A first plan: does everything fit at all, with tensors as far as they may be and nothing fetched ahead?"""

from dataclasses import dataclass

from tinsmith_tiling.columns import Column
from tinsmith_tiling.facts import Block, Choice, Facts, Key, Placed
from tinsmith_tiling.model import TilingError
from tinsmith_tiling.place import first_fit


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
    order = sorted(
        range(len(homes)), key=lambda tensor: (-facts.problem.tensors[tensor].size_bytes, tensor)
    )
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
