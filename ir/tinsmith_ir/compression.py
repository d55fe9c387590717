"""Bytes in fewer bytes: weights as flash holds them, where they are decompressed before they are read.

Two codes that small decoders take. Rice's is for integers around 0, each by itself: the better, the more of them are
small. LZ4's block format is for what repeats: runs of one value above all, which it expands at an instruction a byte or
less.
"""

import enum
import functools

import numpy as np
from numpy.typing import NDArray


class Compression(enum.Enum):
    """How bytes are compressed.

    RICE: a byte with k, in [0, 7], then bits, the highest of each byte first. An integer v is z = 2v, or -2v - 1
    below 0 (R. F. Rice, "Some practical universal noiseless coding techniques", JPL 79-22): z >> k ones and a zero,
    and the k lowest bits of z; where that would be 16 ones or more, 16 ones and the 8 bits of z. Four bytes of zeros
    end it, so that a decoder may read words.
    LZ4: a block of https://github.com/lz4/lz4/blob/dev/doc/lz4_Block_format.md, without a frame.
    """

    RICE = "rice"
    LZ4 = "lz4"


ESCAPE = 16
"""As many ones say that all bits of an integer follow."""
PADDING = 4
"""Bytes behind the bits of a Rice code."""

_SHORTEST_MATCH = 4
_LAST_LITERALS = 5
_LAST_MATCH = 12
"""A match begins at least so far from the end."""
_FARTHEST = (1 << 16) - 1
_LONG = 15
"""Lengths from here on go on in further bytes."""


def compress(data: NDArray[np.generic], code: Compression) -> NDArray[np.uint8]:
    """The code of int8 of any shape, in their order; the same for the same data."""
    if data.dtype != np.int8:
        raise ValueError(f"expected int8 to compress, got {data.dtype}")
    flat = np.ascontiguousarray(data).reshape(-1).astype(np.int8)
    return np.frombuffer(
        _rice(flat) if code is Compression.RICE else _lz4(flat.tobytes()), np.uint8
    )


@functools.lru_cache(maxsize=256)
def decompress(data: bytes, size: int, code: Compression) -> bytes:
    """The bytes that `compress` made this code of; of a Rice code the first `size` of them.

    Raises ValueError for bytes that are no such code, or of another number of bytes.
    """
    return _of_rice(data, size) if code is Compression.RICE else _of_lz4(data, size)


def _folded(values: NDArray[np.int8]) -> NDArray[np.int64]:
    """Integers that are not negative, the smaller the nearer to 0."""
    wide = values.astype(np.int64)
    return np.where(wide < 0, -2 * wide - 1, 2 * wide)


def _rice_lengths(folded: NDArray[np.int64], k: int) -> NDArray[np.int64]:
    ones = folded >> k
    return np.where(ones < ESCAPE, ones + 1 + k, ESCAPE + 8)


def _rice(values: NDArray[np.int8]) -> bytes:
    """With the k that takes least bits, the first of several."""
    folded = _folded(values)
    k = min(range(8), key=lambda it: int(_rice_lengths(folded, it).sum()))
    lengths = _rice_lengths(folded, k)
    ones = folded >> k
    low = folded & ((1 << k) - 1)
    is_short = ones < ESCAPE
    codes = np.where(
        is_short, ((1 << (ones + 1)) - 2 << k) | low, (((1 << ESCAPE) - 1) << 8) | folded
    )
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if ends.size else 0
    bits = np.zeros(-(-total // 8) * 8, np.uint8)
    for place in range(ESCAPE + 8):
        # Bit number `place` of each code, counted from its last one.
        chosen = lengths > place
        bits[ends[chosen] - 1 - place] = (codes[chosen] >> place) & 1
    return bytes([k]) + np.packbits(bits).tobytes() + bytes(PADDING)


def _of_rice(data: bytes, size: int) -> bytes:
    if not data or data[0] > 7:
        raise ValueError("expected a Rice code that begins with a k in [0, 7]")
    k, body = data[0], data[1:-PADDING] if len(data) > PADDING else b""
    text = "".join(f"{byte:08b}" for byte in body)
    at, found = 0, bytearray()
    for _ in range(size):
        end = text.find("0", at, at + ESCAPE)
        ones = ESCAPE if end < 0 else end - at
        begin = at + ESCAPE if end < 0 else end + 1
        at = begin + (8 if end < 0 else k)
        if at > len(text):
            raise ValueError(f"expected a Rice code of {size} integers, got {len(found)}")
        low = int(text[begin:at] or "0", 2)
        folded = low if end < 0 else ones << k | low
        if folded > 0xFF:
            raise ValueError("expected a Rice code of int8")
        found.append((folded >> 1) ^ (0xFF if folded & 1 else 0))
    return bytes(found)


def _lz4(data: bytes) -> bytes:
    """Greedy, with the latest place of each four bytes."""
    found = bytearray()
    places: dict[bytes, int] = {}
    at, anchor, last = 0, 0, len(data) - _LAST_MATCH
    while at <= last:
        key = data[at : at + _SHORTEST_MATCH]
        place = places.get(key)
        places[key] = at
        if place is None or at - place > _FARTHEST:
            at += 1
            continue
        length, most = _SHORTEST_MATCH, len(data) - _LAST_LITERALS - at
        while length < most and data[place + length] == data[at + length]:
            length += 1
        _add_sequence(found, data[anchor:at], at - place, length)
        places.update((data[it : it + _SHORTEST_MATCH], it) for it in range(at + 1, at + length))
        at += length
        anchor = at
    _add_sequence(found, data[anchor:], 0, 0)
    return bytes(found)


def _add_sequence(found: bytearray, literals: bytes, distance: int, length: int) -> None:
    """Literals and a match; none with a distance of 0."""
    extra = length - _SHORTEST_MATCH if distance else 0
    found.append(min(len(literals), _LONG) << 4 | min(extra, _LONG))
    found += _rest(len(literals)) + literals
    if distance:
        found += distance.to_bytes(2, "little") + _rest(extra)


def _rest(length: int) -> bytes:
    """What follows a length that four bits do not hold."""
    if length < _LONG:
        return b""
    full, rest = divmod(length - _LONG, 0xFF)
    return bytes([0xFF]) * full + bytes([rest])


def _of_lz4(data: bytes, size: int) -> bytes:
    found, at = bytearray(), 0
    try:
        while True:
            token = data[at]
            count, at = _length(data, at + 1, token >> 4)
            if at + count > len(data):
                raise IndexError
            found += data[at : at + count]
            at += count
            if at == len(data):
                break
            distance = int.from_bytes(data[at : at + 2], "little")
            count, at = _length(data, at + 2, token & _LONG)
            if not 0 < distance <= len(found) or len(found) + count + _SHORTEST_MATCH > size:
                raise ValueError("expected an LZ4 block whose matches lie within it")
            for _ in range(count + _SHORTEST_MATCH):
                found.append(found[-distance])
    except IndexError:
        raise ValueError("expected a whole LZ4 block, got a part of one") from None
    if len(found) != size:
        raise ValueError(f"expected an LZ4 block of {size} bytes, got {len(found)}")
    return bytes(found)


def _length(data: bytes, at: int, length: int) -> tuple[int, int]:
    """A length whose four bits were read, and where what follows it begins."""
    if length == _LONG:
        while True:
            length += data[at]
            at += 1
            if data[at - 1] != 0xFF:
                break
    return length, at
