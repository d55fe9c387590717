"""Problems for the tests: random small ones, and chains whose ways look like those of tiled convolutions."""

import random

from tinsmith_tiling import Layer, Memory, Problem, Staging, Tensor, Way


def random_problem(seed: int, *, layers: int = 4, ways: int = 3, near_bytes: int = 96) -> Problem:
    """Layers that read one or two earlier tensors, in memories of one to three levels."""
    source = random.Random(seed)
    levels = source.choice((2, 2, 3))
    middle = source.choice((None, 160, 240)) if levels == 3 else None
    memories = [Memory("near", near_bytes, source.choice((1, 4, 8)))]
    memories += [Memory("middle", middle)] if levels == 3 else []
    memories.append(Memory("far", None))
    homes = tuple(range(levels))
    tensors = [Tensor("t0", source.randrange(1, 60), (levels - 1,))]
    found: list[Layer] = []
    for index in range(layers):
        names = [tensor.name for tensor in tensors]
        count = 2 if index and source.random() < 0.4 else 1
        reads = tuple(source.sample(names[-3:], count))
        if source.random() < 0.7:
            reads = tuple(dict.fromkeys((names[-1], *reads[: count - 1])))
        result = Tensor(f"t{index + 1}", source.randrange(1, 60), homes, source.random() < 0.1)
        tensors.append(result)
        sizes = {tensor.name: tensor.size_bytes for tensor in tensors}
        made = [_random_way(source, number, reads, result.name, sizes) for number in range(ways)]
        found.append(Layer(f"l{index}", reads, (result.name,), tuple(made)))
    used = {name for layer in found for name in layer.tensors}
    return Problem(
        tuple(memories), tuple(tensor for tensor in tensors if tensor.name in used), tuple(found)
    )


def _random_way(
    source: random.Random, number: int, reads: tuple[str, ...], result: str, sizes: dict[str, int]
) -> Way:
    tiles = source.choice((1, 2, 3, 4))

    def staging(name: str) -> Staging:
        cycles = source.randrange(40)
        return Staging(
            name,
            -(-sizes[name] // tiles),
            source.choice((1, 2)) if tiles > 1 else 1,
            source.choice((cycles, (cycles, cycles + source.randrange(30)))),
        )

    constants = source.choice((0, source.randrange(1, 40)))
    copies = source.randrange(60) if constants else 0
    return Way(
        f"w{number}",
        compute_cycles=source.randrange(100),
        scratch_bytes=source.choice((0, 0, source.randrange(1, 24))),
        operands=tuple(map(staging, reads)),
        results=(staging(result),),
        constants_bytes=constants,
        constants_slots=source.choice((1, 2)),
        constants_copy_cycles=copies,
        first_constants_cycles=source.choice((None, copies // tiles)),
        needs_far=frozenset({result}) if source.random() < 0.15 else frozenset(),
        needs_near=frozenset({reads[0]})
        if source.random() < 0.1 and reads[0] != "t0"
        else frozenset(),
        tiles=tiles,
    )


def chain(layers: int, *, seed: int = 0, near_bytes: int = 65536, skips: bool = True) -> Problem:
    """Convolutions of a network that shrinks, cut in 1 to 12 parts of rows and of channels, behind a DMA of 8 B a
    cycle; every third layer adds what lay three layers before, if `skips`.
    """
    source = random.Random(seed)
    tensors = [Tensor("x0", 32 * 32 * 16, (1,))]
    found: list[Layer] = []
    for index in range(layers):
        pixels = 32 * 32 // (1 << min(6, 2 * (index * 4 // layers)))
        channels = 16 << min(3, index * 4 // layers)
        size = pixels * channels * source.choice((1, 1, 2))
        homes = (1,) if index == layers - 1 else (0, 1)
        tensors.append(Tensor(f"x{index + 1}", size, homes))
        reads = [tensors[-2]]
        if skips and index % 3 == 2:
            reads.append(tensors[-4])
        found.append(_convolution(index, reads, tensors[-1], channels, source))
    return Problem((Memory("L1", near_bytes), Memory("L2", None)), tuple(tensors), tuple(found))


def _convolution(
    index: int, reads: list[Tensor], result: Tensor, channels: int, source: random.Random
) -> Layer:
    weights = 9 * channels * channels // source.choice((1, 9, 9))
    work = result.size_bytes * weights // channels // 24 + 500
    ways: list[Way] = []
    for rows in (1, 2, 3, 4, 6, 8, 16):
        for parts in (1, 2, 4, 8, 16):
            for slots in (1, 2):
                ways.append(_tiled(reads, result, weights, work, rows, parts, slots))
    names = tuple(tensor.name for tensor in reads)
    return Layer(f"conv{index}", names, (result.name,), tuple(ways))


def _tiled(
    reads: list[Tensor],
    result: Tensor,
    weights: int,
    work: int,
    rows: int,
    parts: int,
    slots: int,
) -> Way:
    tiles = rows * parts
    slots = slots if tiles > 1 else 1
    halo = 1 + 0.1 * (rows > 1)
    stagings = tuple(
        Staging(
            tensor.name,
            int(tensor.size_bytes / rows * halo) + 1,
            slots if rows > 1 else 1,
            int(tensor.size_bytes * halo / 8) + 30 * rows,
        )
        for tensor in reads
    )
    output = Staging(
        result.name, -(-result.size_bytes // tiles), slots, result.size_bytes // 8 + 30 * tiles
    )
    copies = weights // 8 + 30 * parts
    return Way(
        f"{rows}x{parts}x{slots}",
        compute_cycles=work + 80 * tiles,
        scratch_bytes=1024,
        operands=stagings,
        results=(output,),
        constants_bytes=-(-weights // parts),
        constants_slots=slots if parts > 1 else 1,
        constants_copy_cycles=copies,
        first_constants_cycles=copies // parts,
        needs_far=frozenset({result.name}) if parts > 1 else frozenset(),
        tiles=tiles,
    )
