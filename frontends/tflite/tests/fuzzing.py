"""Damaged variants of sound files, the same on every run for the same seed."""

from collections.abc import Callable, Iterator

import numpy as np

_EXTREMES = (
    0,
    1,
    2,
    0x7F,
    0xFF,
    0x7FFF,
    0xFFFF,
    0x10000,
    0x7FFFFFFF,
    0x80000000,
    0xFFFFFFFE,
    0xFFFFFFFF,
)
Random = np.random.RandomState


def _truncated(data: bytes, random: Random) -> bytes:
    return data[: random.randint(len(data))]


def _flipped(data: bytes, random: Random) -> bytes:
    damaged = bytearray(data)
    for _ in range(random.randint(1, 5)):
        damaged[random.randint(len(data))] ^= 1 << random.randint(8)
    return bytes(damaged)


def _replaced(data: bytes, random: Random) -> bytes:
    damaged = bytearray(data)
    for _ in range(random.randint(1, 4)):
        damaged[random.randint(len(data))] = random.randint(256)
    return bytes(damaged)


def _extreme(data: bytes, random: Random) -> bytes:
    """An aligned word becomes a limit of its range, or a small distance."""
    damaged = bytearray(data)
    place = 4 * random.randint(len(data) // 4)
    words = (*_EXTREMES, len(data), len(data) - place, random.randint(1 << 16))
    damaged[place : place + 4] = words[random.randint(len(words))].to_bytes(4, "little")
    return bytes(damaged)


def _copied(data: bytes, random: Random) -> bytes:
    """A stretch of the file overwrites another."""
    damaged = bytearray(data)
    length = random.randint(1, 33)
    source, target = random.randint(0, len(data) - length, 2)
    damaged[target : target + length] = data[source : source + length]
    return bytes(damaged)


_DAMAGES: tuple[Callable[[bytes, Random], bytes], ...] = (
    _truncated,
    *(_flipped, _replaced, _extreme, _copied) * 3,
)


def damaged(data: bytes, count: int, seed: int) -> Iterator[bytes]:
    """`count` variants of `data`, each damaged once or twice; truncation, mostly fatal, is rarer."""
    random = Random(seed)
    for _ in range(count):
        variant = data
        for _ in range(random.randint(1, 3)):
            if len(variant) > 64:
                variant = _DAMAGES[random.randint(len(_DAMAGES))](variant, random)
        yield variant
