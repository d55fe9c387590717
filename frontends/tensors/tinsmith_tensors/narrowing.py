"""Casts to elements of 8 bits and fewer that a graph lacks: what is left of numbers, held in a type that a graph has.

Floats are rounded to the nearest, halves to the even one, as IEEE 754 and the 8-bit formats of the Open Compute Project
and of ONNX have it; integers keep their low bits.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from tinsmith_ir.dtypes import DType
from tinsmith_ir.operators import Round

from tinsmith_tensors.composer import Composer, Tensor
from tinsmith_tensors.elementwise import (
    absolute,
    add,
    cast,
    div,
    equal,
    floor_mod,
    less,
    less_equal,
    maximum,
    minimum,
    mul,
    sub,
    where,
)
from tinsmith_tensors.movement import unsqueeze
from tinsmith_tensors.reductions import largest


@dataclass(frozen=True)
class _Floats:
    """fraction: bits behind the first one. exponent: of the smallest number that has all of them. most: the largest.

    beyond: what a larger one becomes, and an infinite one. nan: what NaN becomes.
    """

    fraction: int
    exponent: int
    most: float
    beyond: float = math.nan
    nan: float = math.nan


_FLOATS: Mapping[str, _Floats] = {
    "float4_e2m1fn": _Floats(1, 0, 6.0, beyond=6.0, nan=0.0),
    "float8_e4m3fn": _Floats(3, -6, 448.0),
    "float8_e4m3fnuz": _Floats(3, -7, 240.0),
    "float8_e5m2": _Floats(2, -14, 57344.0, beyond=math.inf),
    "float8_e5m2fnuz": _Floats(2, -15, 57344.0),
}
_INTEGERS: Mapping[str, tuple[int, int]] = {
    "int2": (-2, 4),
    "int4": (-8, 16),
    "uint2": (0, 4),
    "uint4": (0, 16),
}
"""The smallest integer, and how many there are."""


def is_narrow(dtype: np.dtype[np.generic]) -> bool:
    """Whether `narrow` is for it."""
    return dtype.name in _FLOATS or dtype.name in _INTEGERS


def narrow(c: Composer, x: Tensor, dtype: np.dtype[np.generic], *, saturate: bool = True) -> Tensor:
    """x as elements of such a type: computed ones are int8 or float32 that are numbers of it.

    saturate: floats beyond the largest become that, else infinite or NaN, as the type has it.
    """
    if dtype.name in _INTEGERS:
        result = _low_bits(c, x, *_INTEGERS[dtype.name])
    else:
        result = _rounded(c, cast(c, x, DType.FLOAT32.numpy), _FLOATS[dtype.name], saturate)
    return result if result.array is None else c.known(result.array.astype(dtype), x.hint)


def _low_bits(c: Composer, x: Tensor, low: int, count: int) -> Tensor:
    """The integer of those from `low` on that differs from x by a multiple of their count."""
    wide = cast(c, x, DType.INT32.numpy)
    raised = floor_mod(c, sub(c, wide, c.number(low, wide)), c.number(count, wide))
    return cast(c, add(c, raised, c.number(low, wide)), DType.INT8.numpy)


def _rounded(c: Composer, x: Tensor, floats: _Floats, saturate: bool) -> Tensor:
    magnitude = absolute(c, x)
    step = _steps(c, magnitude, floats)
    # All steps are powers of two: quotient and product are exact.
    rounded = mul(c, c.emit(Round(), div(c, x, step)), step)
    if saturate or floats.beyond == floats.most:
        cut = minimum(c, maximum(c, rounded, c.number(-floats.most, x)), c.number(floats.most, x))
    else:
        is_within = less_equal(c, absolute(c, rounded), c.number(floats.most, x))
        beyond = c.number(floats.beyond, x)
        signed = where(c, less(c, x, c.number(0, x)), sub(c, c.number(0, x), beyond), beyond)
        cut = where(c, is_within, rounded, signed)
    return where(c, equal(c, x, x), cut, c.number(floats.nan, x))


def _steps(c: Composer, magnitude: Tensor, floats: _Floats) -> Tensor:
    """The distance of neighbours of that magnitude: of each power of two that it reaches, the largest."""
    powers = np.arange(floats.exponent + 1, math.ceil(math.log2(floats.most)) + 1)
    reached = less_equal(
        c, c.known(np.ldexp(np.float32(1), powers)), unsqueeze(c, magnitude, [magnitude.rank])
    )
    smallest = c.number(math.ldexp(1.0, floats.exponent - floats.fraction), magnitude)
    steps = c.known(np.ldexp(np.float32(1), powers - floats.fraction))
    return largest(c, where(c, reached, steps, smallest), [-1], keep_dims=False)
