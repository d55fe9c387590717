"""What each CORE-V instruction computes, on arrays of operands: written from CV32E40P's manual alone, in numpy.

`model(row, numbers)` gives a function of (a, b, old): rs1, rs2 and rd as int64 arrays of values 0 .. 2**32 - 1; its
result may have any bits above the low 32. Loads, stores and branches are modelled by the test itself.
"""

from collections.abc import Callable, Sequence

import numpy as np
from corev_table import Row
from numpy.typing import NDArray

Words = NDArray[np.int64]
Operation = Callable[[Words, Words, Words], Words]


def signed(value: Words, bits: int = 32) -> Words:
    """The low bits as a two's complement number."""
    half = 1 << (bits - 1)
    return ((value + half) & ((1 << bits) - 1)) - half


def unsigned(value: Words, bits: int = 32) -> Words:
    return value & ((1 << bits) - 1)


def _split(value: Words, bits: int, *, sign: bool) -> Words:
    """(n, lanes), lane 0 lowest."""
    lanes = np.stack([value >> low for low in range(0, 32, bits)], axis=1)
    return signed(lanes, bits) if sign else unsigned(lanes, bits)


def _join(lanes: Words, bits: int) -> Words:
    total = np.zeros(lanes.shape[0], np.int64)
    for index in range(32 // bits):
        total = total + (unsigned(lanes[:, index], bits) << (index * bits))
    return total


_COMPARISONS: dict[str, Callable[[Words, Words], NDArray[np.bool_]]] = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
}

_LANES: dict[str, Callable[[Words, Words, int], Words]] = {
    "add": lambda a, b, bits: a + b,
    "sub": lambda a, b, bits: a - b,
    "avg": lambda a, b, bits: signed(a + b, bits) >> 1,
    "avgu": lambda a, b, bits: unsigned(a + b, bits) >> 1,
    "min": lambda a, b, bits: np.minimum(a, b),
    "minu": lambda a, b, bits: np.minimum(a, b),
    "max": lambda a, b, bits: np.maximum(a, b),
    "maxu": lambda a, b, bits: np.maximum(a, b),
    "srl": lambda a, b, bits: a >> (b & (bits - 1)),
    "sra": lambda a, b, bits: a >> (b & (bits - 1)),
    "sll": lambda a, b, bits: a << (b & (bits - 1)),
    "or": lambda a, b, bits: a | b,
    "xor": lambda a, b, bits: a ^ b,
    "and": lambda a, b, bits: a & b,
}

_UNSIGNED_LANES = {"avgu", "minu", "maxu", "srl", "sll"}


def _second(form: str, bits: int, b: Words, numbers: Sequence[int]) -> Words:
    """rs2, its lowest lane everywhere, or a number everywhere."""
    if form == "sci":
        lane = np.full_like(b, numbers[-1]) & ((1 << bits) - 1)
    elif form == "sc":
        lane = unsigned(b, bits)
    else:
        return b
    return _join(np.stack([lane] * (32 // bits), axis=1), bits)


def _lane_operation(name: str, form: str, bits: int, numbers: Sequence[int]) -> Operation:
    def run(a: Words, b: Words, old: Words) -> Words:
        del old
        second = _second(form, bits, b, numbers)
        if name.startswith("cmp"):
            sign = not name.endswith("u")
            compare = _COMPARISONS[name[3:].rstrip("u")]
            holds = compare(_split(a, bits, sign=sign), _split(second, bits, sign=sign))
            return _join(np.where(holds, -1, 0).astype(np.int64), bits)
        sign = name not in _UNSIGNED_LANES
        x, y = _split(a, bits, sign=sign), _split(second, bits, sign=sign)
        return _join(_LANES[name](x, y, bits), bits)

    return run


_DOT_SIGNS = {"up": (False, False), "usp": (False, True), "sp": (True, True)}


def _dot(name: str, form: str, bits: int, numbers: Sequence[int]) -> Operation:
    sign_a, sign_b = _DOT_SIGNS[name.removeprefix("s").removeprefix("dot")]

    def run(a: Words, b: Words, old: Words) -> Words:
        second = _second(form, bits, b, numbers)
        x, y = _split(a, bits, sign=sign_a), _split(second, bits, sign=sign_b)
        products: Words = (x * y).sum(axis=1)
        return products + old if name.startswith("s") else products

    return run


def _pick(source: Words, index: Words, bits: int) -> Words:
    """Lane `index` of each of `source`, unsigned."""
    return unsigned(source >> (index * bits), bits)


def _permutation(name: str, bits: int, n: Sequence[int]) -> Operation | None:
    lanes = 32 // bits

    def shuffle(a: Words, b: Words, old: Words) -> Words:
        del old
        selectors = _split(b, bits, sign=False) & (lanes - 1)
        return _join(np.stack([_pick(a, selectors[:, i], bits) for i in range(lanes)], 1), bits)

    def shuffle2(a: Words, b: Words, old: Words) -> Words:
        selectors = _split(b, bits, sign=False)
        chosen = [
            np.where(
                selectors[:, i] & lanes,
                _pick(a, selectors[:, i] & (lanes - 1), bits),
                _pick(old, selectors[:, i] & (lanes - 1), bits),
            )
            for i in range(lanes)
        ]
        return _join(np.stack(chosen, 1), bits)

    def insert(a: Words, b: Words, old: Words) -> Words:
        del b
        kept = _split(old, bits, sign=False)
        kept[:, n[0]] = unsigned(a, bits)
        return _join(kept, bits)

    table: dict[str, Operation] = {
        "abs": lambda a, b, old: _join(np.abs(_split(a, bits, sign=True)), bits),
        "extract": lambda a, b, old: _split(a, bits, sign=True)[:, n[0]],
        "extractu": lambda a, b, old: _split(a, bits, sign=False)[:, n[0]],
        "insert": insert,
        "shuffle": shuffle,
        "shuffle2": shuffle2,
    }
    return table.get(name)


def _halves(high: Words, low: Words) -> Words:
    return unsigned(high, 16) << 16 | unsigned(low, 16)


def _special(name: str, n: Sequence[int]) -> Operation | None:
    """Packed SIMD without the usual six forms."""

    def bytes_by_number(a: Words, b: Words, old: Words) -> Words:
        del b, old
        order = [n[0] & 3, n[0] >> 2 & 3, n[0] >> 4 & 3, int(name[len("cv.shufflei")])]
        return _join(_split(a, 8, sign=False)[:, order], 8)

    table: dict[str, Operation] = {
        "cv.shuffle.sci.h": lambda a, b, old: _halves(a >> (n[0] >> 1) * 16, a >> (n[0] & 1) * 16),
        "cv.pack": lambda a, b, old: _halves(a, b),
        "cv.pack.h": lambda a, b, old: _halves(a >> 16, b >> 16),
        "cv.packlo.b": lambda a, b, old: _halves(old >> 16, (a & 255) << 8 | (b & 255)),
        "cv.packhi.b": lambda a, b, old: _halves((a & 255) << 8 | (b & 255), old),
        "cv.cplxconj": lambda a, b, old: _halves(-(a >> 16), a),
    }
    if name.startswith("cv.shufflei"):
        return bytes_by_number
    return table.get(name)


def _complex(name: str) -> Operation | None:
    base, _, division = name.partition(".div")
    shift = {"": 0, "2": 1, "4": 2, "8": 3}[division]

    def parts(value: Words) -> tuple[Words, Words]:
        return signed(value, 16), signed(value >> 16, 16)

    def multiply_real(a: Words, b: Words, old: Words) -> Words:
        (ar, ai), (br, bi) = parts(a), parts(b)
        return _halves(old >> 16, signed(ar * br - ai * bi) >> (15 + shift))

    def multiply_imaginary(a: Words, b: Words, old: Words) -> Words:
        (ar, ai), (br, bi) = parts(a), parts(b)
        return _halves(signed(ar * bi + ai * br) >> (15 + shift), old)

    def rotate(a: Words, b: Words, old: Words) -> Words:
        del old
        (ar, ai), (br, bi) = parts(a), parts(b)
        return _halves(signed(br - ar, 16) >> shift, signed(ai - bi, 16) >> shift)

    def scaled(sign: int) -> Operation:
        def run(a: Words, b: Words, old: Words) -> Words:
            del old
            sums = _split(a, 16, sign=True) + sign * _split(b, 16, sign=True)
            return _join(signed(sums, 16) >> shift, 16)

        return run

    table: dict[str, Operation] = {
        "cv.cplxmul.r": multiply_real,
        "cv.cplxmul.i": multiply_imaginary,
        "cv.subrotmj": rotate,
    }
    if division and base in ("cv.add", "cv.sub"):
        return scaled(1 if base == "cv.add" else -1)
    return table.get(base)


def _shifted_sum(name: str, n: Sequence[int]) -> Operation:
    """addN, subN and their kin; with a final r the amount is in rs2 and the sum is of rd and rs1."""
    body = name.removeprefix("cv.")[3:]
    sign = 1 if name.startswith("cv.add") else -1
    is_unsigned = body.startswith("u")
    rounds = body.removeprefix("u").startswith("r")
    by_register = body.endswith("nr")

    def run(a: Words, b: Words, old: Words) -> Words:
        first, second = (old, a) if by_register else (a, b)
        amount = b & 31 if by_register else np.full_like(b, n[0] if n else 0)
        rounding = np.where(amount > 0, 1 << np.maximum(amount - 1, 0), 0) if rounds else 0
        total = first + sign * second + rounding
        return (unsigned(total) if is_unsigned else signed(total)) >> amount

    return run


def _half_product(name: str, n: Sequence[int]) -> Operation:
    """Products of 16-bit halves, accumulated, rounded and shifted as the name says."""
    body = name.removeprefix("cv.")
    accumulates, body = body.startswith("mac"), body[3:]
    high, body = body.startswith("hh"), body.removeprefix("hh")
    is_signed, rounds = body.startswith("s"), body.endswith("rn")

    def run(a: Words, b: Words, old: Words) -> Words:
        extend = signed if is_signed else unsigned
        x, y = (extend(value >> (16 if high else 0), 16) for value in (a, b))
        rounding = 1 << (n[0] - 1) if rounds and n[0] else 0
        total = x * y + rounding + (old if accumulates else 0)
        return (signed(total) if is_signed else unsigned(total)) >> n[0]

    return run


def _clip(value: Words, low: Words | int, high: Words | int) -> Words:
    return np.minimum(np.maximum(signed(value), low), high)


def _limit(bits: int) -> int:
    return (1 << (bits - 1)) - 1 if bits else 0


def _leading_sign_bits(a: Words) -> Words:
    positive = np.where(signed(a) < 0, ~a & 0xFFFFFFFF, a)
    lengths = np.array([31 - int(value).bit_length() for value in positive], np.int64)
    return np.where(a == 0, 0, lengths)


def _scalar(name: str, n: Sequence[int]) -> Operation | None:
    clip_limit = _limit(n[0]) if name in ("cv.clip", "cv.clipu") else 0
    table: dict[str, Operation] = {
        "cv.abs": lambda a, b, old: np.abs(signed(a)),
        "cv.sle": lambda a, b, old: (signed(a) <= signed(b)).astype(np.int64),
        "cv.sleu": lambda a, b, old: (a <= b).astype(np.int64),
        "cv.min": lambda a, b, old: np.minimum(signed(a), signed(b)),
        "cv.minu": lambda a, b, old: np.minimum(a, b),
        "cv.max": lambda a, b, old: np.maximum(signed(a), signed(b)),
        "cv.maxu": lambda a, b, old: np.maximum(a, b),
        "cv.exths": lambda a, b, old: signed(a, 16),
        "cv.exthz": lambda a, b, old: unsigned(a, 16),
        "cv.extbs": lambda a, b, old: signed(a, 8),
        "cv.extbz": lambda a, b, old: unsigned(a, 8),
        "cv.clip": lambda a, b, old: _clip(a, -clip_limit - 1, clip_limit),
        "cv.clipu": lambda a, b, old: _clip(a, 0, clip_limit),
        "cv.clipr": lambda a, b, old: _clip(a, -(b & 0x7FFFFFFF) - 1, b & 0x7FFFFFFF),
        "cv.clipur": lambda a, b, old: _clip(a, 0, b & 0x7FFFFFFF),
        "cv.mac": lambda a, b, old: old + signed(a) * signed(b),
        "cv.msu": lambda a, b, old: old - signed(a) * signed(b),
        "cv.ff1": lambda a, b, old: _each(a, lambda v: (v & -v).bit_length() - 1 if v else 32),
        "cv.fl1": lambda a, b, old: _each(a, lambda v: v.bit_length() - 1 if v else 32),
        "cv.cnt": lambda a, b, old: _each(a, int.bit_count),
        "cv.clb": lambda a, b, old: _leading_sign_bits(a),
        "cv.ror": lambda a, b, old: (a << 32 - (b & 31)) | a >> (b & 31),
    }
    return table.get(name)


def _each(values: Words, function: Callable[[int], int]) -> Words:
    return np.array([function(int(value)) for value in values], np.int64)


def _bit_field(name: str, n: Sequence[int]) -> Operation | None:
    """Fields of Is3 + 1 bits from bit Is2 on, cut at bit 31."""
    base = name.removeprefix("cv.")
    by_register = base.endswith("r") and base not in ("bclr",)
    base = base.removesuffix("r") if by_register else base

    def run(a: Words, b: Words, old: Words) -> Words:
        top = (b >> 5) & 31 if by_register else np.full_like(b, n[0])
        low = b & 31 if by_register else np.full_like(b, n[1])
        length = np.minimum(top + low, 31) - low + 1
        mask = ((1 << length) - 1) << low
        field = (a & mask) >> low
        match base:
            case "extract":
                half = 1 << (length - 1)
                return (field ^ half) - half
            case "extractu":
                return field
            case "insert":
                return (old & ~mask) | ((a << low) & mask)
            case "bclr":
                return a & ~mask
            case _:
                return a | mask

    return run if base in ("extract", "extractu", "insert", "bclr", "bset") else None


def _bit_reverse(n: Sequence[int]) -> Operation:
    group = n[0] + 1

    def turn(value: int) -> int:
        digits = f"{(value << n[1]) & 0xFFFFFFFF:032b}"
        groups = [digits[i : i + group] for i in range(0, 32 - group + 1, group)]
        return int("".join(reversed(groups)), 2)

    return lambda a, b, old: _each(a, turn)


def model(row: Row, numbers: Sequence[int]) -> Operation:
    """The operation of a row that is neither a load, a store nor a branch, with its numbers filled in."""
    name = row.name
    found = _scalar(name, numbers) or _special(name, numbers) or _complex(name)
    if found is not None:
        return found
    parts = name.split(".")
    if parts[-1] in "hb" and len(parts) > 2:
        bits = 16 if parts[-1] == "h" else 8
        form = parts[2] if len(parts) == 4 else ""
        if "dot" in parts[1]:
            return _dot(parts[1], form, bits, numbers)
        permutation = _permutation(parts[1], bits, numbers)
        return permutation or _lane_operation(parts[1], form, bits, numbers)
    if name == "cv.bitrev":
        return _bit_reverse(numbers)
    if name.startswith(("cv.add", "cv.sub")):
        return _shifted_sum(name, numbers)
    if name.startswith(("cv.mul", "cv.mac")):
        return _half_product(name, numbers)
    field = _bit_field(name, numbers)
    assert field is not None, name
    return field
