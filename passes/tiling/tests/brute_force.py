"""All plans of a tiny problem, tried one after the other: what `solve` is held against."""

from itertools import product

from tinsmith_tiling import Layer, Problem, Way

# Memory, units, first and last layer.
_Block = tuple[int, int, int, int]

# Cycles, a way for each layer, homes, prefetches.
_Candidate = tuple[int, tuple[Way, ...], dict[str, int], tuple[bool, ...]]


def fewest_cycles(problem: Problem) -> int | None:
    """The fewest cycles of any plan; None if none fits. What a layer has for itself is one block."""
    for cycles, ways, homes, prefetched in sorted(_candidates(problem), key=lambda one: one[0]):
        if _has_places(problem, _blocks(problem, ways, homes, prefetched), ()):
            return cycles
    return None


def _candidates(problem: Problem) -> list[_Candidate]:
    found: list[_Candidate] = []
    for vector in product(*(tensor.homes for tensor in problem.tensors)):
        homes = {tensor.name: home for tensor, home in zip(problem.tensors, vector, strict=True)}
        for ways in product(*(_possible(layer, homes) for layer in problem.layers)):
            ahead = [
                (False, True) if index and way.constants_bytes else (False,)
                for index, way in enumerate(ways)
            ]
            for prefetched in product(*ahead):
                found.append((_cycles(ways, homes, prefetched), ways, homes, prefetched))
    return found


def _possible(layer: Layer, homes: dict[str, int]) -> list[Way]:
    near = {name for name in layer.tensors if homes[name] == 0}
    far = set(layer.tensors) - near
    return [
        way
        for way in layer.ways
        if not near & way.needs_far
        and not far & way.needs_near
        and far <= {staging.tensor for staging in way.operands + way.results}
    ]


def _cycles(ways: tuple[Way, ...], homes: dict[str, int], prefetched: tuple[bool, ...]) -> int:
    total = 0
    for index, way in enumerate(ways):
        before = meanwhile = 0
        for staging in way.operands + way.results:
            if home := homes[staging.tensor]:
                cycles = staging.cycles_from(home)
                one = -(-cycles // way.tiles) if staging.slots == 2 else cycles
                before, meanwhile = before + one, meanwhile + cycles - one
        first, rest = way.first_cycles, way.constants_copy_cycles - way.first_cycles
        before += 0 if prefetched[index] else first
        if way.constants_slots == 2:
            meanwhile += rest
        else:
            before += rest
        if index + 1 < len(ways) and prefetched[index + 1]:
            meanwhile += ways[index + 1].first_cycles
        total += before + max(way.compute_cycles, meanwhile)
    return total


def _blocks(
    problem: Problem, ways: tuple[Way, ...], homes: dict[str, int], prefetched: tuple[bool, ...]
) -> list[_Block]:
    near, last = problem.memories[0], len(problem.layers) - 1
    found: list[_Block] = []
    for tensor in problem.tensors:
        writers = [at for at, layer in enumerate(problem.layers) if tensor.name in layer.writes]
        readers = [at for at, layer in enumerate(problem.layers) if tensor.name in layer.reads]
        end = readers[-1] if readers and not tensor.is_output else last
        home = homes[tensor.name]
        units = -(-tensor.size_bytes // problem.memories[home].alignment)
        found.append((home, units, writers[0] if writers else 0, end))
    for index, way in enumerate(ways):
        staged = [one for one in way.operands + way.results if homes[one.tensor]]
        own = _slots(way.scratch_bytes, 1, near.alignment)
        own += sum(_slots(one.slot_bytes, one.slots, near.alignment) for one in staged)
        constants = _slots(way.constants_bytes, way.constants_slots, near.alignment)
        if prefetched[index]:
            found.append((0, constants, index - 1, index))
        else:
            own += constants
        found.append((0, own, index, index))
    return [
        block for block in found if block[1] and problem.memories[block[0]].size_bytes is not None
    ]


def _slots(size_bytes: int, slots: int, alignment: int) -> int:
    return slots * -(-size_bytes // alignment)


def _has_places(problem: Problem, blocks: list[_Block], taken: tuple[int, ...]) -> bool:
    """Try all offsets of all blocks."""
    if not taken and any(_is_crowded(problem, blocks, at) for at in range(len(problem.layers))):
        return False
    if len(taken) == len(blocks):
        return True
    memory, units, first, last = blocks[len(taken)]
    size = problem.memories[memory].size_bytes
    assert size is not None
    barred = [
        (offset, offset + other[1])
        for other, offset in zip(blocks, taken, strict=False)
        if other[0] == memory and other[2] <= last and first <= other[3]
    ]
    return any(
        _has_places(problem, blocks, (*taken, offset))
        for offset in range(size // problem.memories[memory].alignment - units + 1)
        if all(end <= offset or offset + units <= start for start, end in barred)
    )


def _is_crowded(problem: Problem, blocks: list[_Block], layer: int) -> bool:
    """True if more is live in the layer than a memory holds."""
    for index, memory in enumerate(problem.memories):
        live = sum(one[1] for one in blocks if one[0] == index and one[2] <= layer <= one[3])
        if memory.size_bytes is not None and live > memory.size_bytes // memory.alignment:
            return True
    return False
