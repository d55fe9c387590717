"""Checks plans by other means than the solver uses, so that neither trusts the other.

It knows no columns and no windows: it walks through the layers with the names and numbers of the Problem, adds up
bytes and cycles as the README's model says, and compares all pairs of blocks that live in a layer.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from tinsmith_ir.checked import checked

from tinsmith_tiling.model import Layer, Memory, Plan, Problem, Tensor, TilingError, Way


@checked
def check(problem: Problem, plan: Plan) -> None:
    """Raise TilingError at the first home, need, block or number of the plan that is not as the problem asks."""
    count = len(problem.layers)
    if not len(plan.ways) == len(plan.prefetched) == len(plan.layer_cycles) == count:
        raise TilingError(
            f"expected {count} ways, prefetches and cycles, got {len(plan.ways)}, {len(plan.prefetched)} and "
            f"{len(plan.layer_cycles)}"
        )
    _check_homes(problem, plan)
    for index, layer in enumerate(problem.layers):
        _check_way(plan, index, layer)
    _check_blocks(problem, plan)
    for index, layer in enumerate(problem.layers):
        cycles = _cycles(problem, plan, index)
        if plan.layer_cycles[index] != cycles:
            raise TilingError(
                f"layer {layer.name}: expected {cycles} cycles, got {plan.layer_cycles[index]}"
            )
    if not 0 <= plan.bound <= plan.cycles:
        raise TilingError(f"{plan.cycles} cycles are below the bound of {plan.bound}: it is wrong")


def _check_homes(problem: Problem, plan: Plan) -> None:
    names = {tensor.name for tensor in problem.tensors}
    if names != set(plan.homes):
        other = sorted(names ^ set(plan.homes))
        raise TilingError(f"expected a home for each tensor and nothing else, got {other[0]} wrong")
    for tensor in problem.tensors:
        if plan.homes[tensor.name] not in tensor.homes:
            raise TilingError(
                f"tensor {tensor.name}: expected a home of {tensor.homes}, got {plan.homes[tensor.name]}"
            )


def _check_way(plan: Plan, index: int, layer: Layer) -> None:
    if not 0 <= plan.ways[index] < len(layer.ways):
        raise TilingError(
            f"layer {layer.name}: expected a way below {len(layer.ways)}, got {plan.ways[index]}"
        )
    way = layer.ways[plan.ways[index]]
    where = f"layer {layer.name}, way {way.label}"
    staged = {staging.tensor for staging in (*way.operands, *way.results)}
    for name in (*layer.reads, *layer.writes):
        if plan.homes[name] == 0 and name in way.needs_far:
            raise TilingError(f"{where}: expected {name} far, got it near")
        if plan.homes[name] > 0 and (name in way.needs_near or name not in staged):
            raise TilingError(f"{where}: expected {name} near, got it in {plan.homes[name]}")
    ahead = plan.prefetched[index]
    if ahead and (not 1 <= ahead <= min(2, index) or not way.constants_bytes):
        raise TilingError(
            f"{where}: expected constants that are fetched one or two layers ahead, got {way.constants_bytes} B "
            f"{ahead} ahead of layer number {index}"
        )


@dataclass(frozen=True)
class _Piece:
    name: str
    memory: int
    size_bytes: int
    first: int
    last: int


def _check_blocks(problem: Problem, plan: Plan) -> None:
    """Raise TilingError for a block that is missing, misaligned, outside, or shares a byte with another."""
    pieces = list(_pieces(problem, plan))
    for piece in pieces:
        memory = problem.memories[piece.memory]
        if piece.name not in plan.offsets:
            raise TilingError(f"block {piece.name} has no offset in {memory.name}")
        offset, size = plan.offsets[piece.name], memory.size_bytes
        if offset < 0 or offset % memory.alignment:
            raise TilingError(
                f"block {piece.name} at {offset}: expected a multiple of {memory.alignment}"
            )
        if size is not None and offset + piece.size_bytes > size:
            raise TilingError(
                f"block {piece.name} ends at {offset + piece.size_bytes}, behind {memory.name} of {size} B"
            )
    if extra := sorted(set(plan.offsets) - {piece.name for piece in pieces}):
        raise TilingError(f"block {extra[0]} has an offset, but there is no such block")
    live: list[list[_Piece]] = [[] for _ in problem.layers]
    for piece in pieces:
        for layer in range(piece.first, piece.last + 1):
            live[layer].append(piece)
    for layer, together in zip(problem.layers, live, strict=True):
        for one, other in combinations(together, 2):
            start, end = plan.offsets[one.name], plan.offsets[other.name]
            apart = start + one.size_bytes <= end or end + other.size_bytes <= start
            if one.memory == other.memory and not apart:
                raise TilingError(
                    f"layer {layer.name}: {one.name} at {start} ({one.size_bytes} B) and {other.name} at {end} "
                    f"({other.size_bytes} B) share bytes of {problem.memories[one.memory].name}"
                )


def _pieces(problem: Problem, plan: Plan) -> Iterator[_Piece]:
    """All blocks in memories of a stated size."""
    for tensor in problem.tensors:
        home = plan.homes[tensor.name]
        if problem.memories[home].size_bytes is not None:
            first, last = _life(problem, tensor)
            yield _Piece(tensor.name, home, tensor.size_bytes, first, last)
    if problem.memories[0].size_bytes is not None:
        for index, layer in enumerate(problem.layers):
            yield from _layer_pieces(problem.memories[0], plan, index, layer)


def _life(problem: Problem, tensor: Tensor) -> tuple[int, int]:
    first, last = 0, -1
    for index, layer in enumerate(problem.layers):
        if tensor.name in layer.writes:
            first = index
        if tensor.name in layer.reads:
            last = index
    return first, len(problem.layers) - 1 if tensor.is_output or last < 0 else last


def _layer_pieces(near: Memory, plan: Plan, index: int, layer: Layer) -> Iterator[_Piece]:
    way = layer.ways[plan.ways[index]]
    if way.scratch_bytes > 0:
        yield _Piece(f"{layer.name}.scratch", 0, way.scratch_bytes, index, index)
    for number, staging in enumerate(way.operands):
        if plan.homes[staging.tensor] > 0:
            size = _slots(near, staging.slot_bytes, staging.slots)
            yield _Piece(f"{layer.name}.operand.{number}", 0, size, index, index)
    for number, staging in enumerate(way.results):
        if plan.homes[staging.tensor] > 0:
            size = _slots(near, staging.slot_bytes, staging.slots)
            yield _Piece(f"{layer.name}.result.{number}", 0, size, index, index)
    if way.constants_bytes > 0:
        size = _slots(near, way.constants_bytes, way.constants_slots)
        first = index - plan.prefetched[index]
        yield _Piece(f"{layer.name}.constants", 0, size, first, index)


def _slots(near: Memory, slot_bytes: int, slots: int) -> int:
    """Bytes up to the end of the last of some slots, of which each begins at a multiple of the alignment."""
    padding = -slot_bytes % near.alignment
    return (slot_bytes + padding) * slots


def _cycles(problem: Problem, plan: Plan, index: int) -> int:
    """What a layer takes: what is exposed, and then the longer one of computation and copies beside it."""
    layer = problem.layers[index]
    way = layer.ways[plan.ways[index]]
    exposed = beside = 0
    own = way.compute_cycles
    for staging in way.operands + way.results:
        home = plan.homes[staging.tensor]
        if home == 0:
            continue
        per_home = staging.copy_cycles
        if isinstance(per_home, int):
            cycles = per_home
        else:
            cycles = per_home[home - 1] if home <= len(per_home) else per_home[-1]
        waits = cycles
        if staging.slots == 2:
            waits = cycles // way.tiles + (cycles % way.tiles > 0)
        exposed += waits
        beside += cycles - waits
        own += staging.core_cycles
    first, rest = _constants_cycles(way)
    if not plan.prefetched[index]:
        exposed += first
    if way.constants_slots == 2:
        beside += rest
    else:
        exposed += rest
    if index + 1 < len(problem.layers) and plan.prefetched[index + 1]:
        following = problem.layers[index + 1].ways[plan.ways[index + 1]]
        beside += _constants_cycles(following)[0]
    return exposed + max(own, beside)


def _constants_cycles(way: Way) -> tuple[int, int]:
    """Of the first tile's constants, and of all others."""
    first = way.first_constants_cycles
    if first is None:
        return way.constants_copy_cycles, 0
    return first, way.constants_copy_cycles - first
