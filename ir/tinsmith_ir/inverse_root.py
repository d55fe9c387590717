"""1 / sqrt(x) of integers in fixed point, as TFLite 2.14's `GetInvSqrtQuantizedMultiplierExp` (five steps of Newton's
method in numbers with 3 integer bits), and the table of its reference kernel for int8.
"""

import functools

import numpy as np
from numpy.typing import NDArray

from tinsmith_ir.arithmetic import (
    INT32_MAX,
    multiply_by_quantized_multiplier,
    quantize_multiplier,
    rounding_divide_by_pot,
    saturating_rounding_doubling_high_mul,
)
from tinsmith_ir.errors import GraphError
from tinsmith_ir.fixed_point import saturating_shift_left
from tinsmith_ir.types import Quantization

Raw = NDArray[np.int32]

_KEPT_BITS = 20
"""Of 1 / sqrt(x) before it is rescaled."""
_ONE = 1 << 28
_THREE_HALVES = 3 << 27
_ROOT_HALF = 1518500250  # no integer bits
TFLITE_STEPS = 5
"""Of Newton's method; what it gives is within 2**-19 of the root's inverse, as a share of it."""
EXACT_STEPS = 6
"""With one more it is within 2**-23."""


def inverse_root(values: Raw, steps: int = TFLITE_STEPS) -> tuple[Raw, Raw]:
    """1 / sqrt(x) of x >= 1 as (multiplier, shift), multiplier * 2**(shift - 31); of 0 as of 1."""
    shift = np.full(values.shape, 11)
    x = values.astype(np.int64)
    while (x >= 1 << 29).any():
        shift = np.where(x >= 1 << 29, shift + 1, shift)
        x = np.where(x >= 1 << 29, x // 4, x)
    while ((x > 0) & (x < 1 << 27)).any():
        is_small = (x > 0) & (x < 1 << 27)
        shift = np.where(is_small, shift - 1, shift)
        x = np.where(is_small, x * 4, x)
    root = _newton((x >> 1).astype(np.int32), steps).astype(np.int64)
    root = np.where(shift < 0, root << np.maximum(-shift, 0), root)
    is_one = values <= 1
    multiplier = np.where(is_one, INT32_MAX, root).astype(np.int32)
    return multiplier, np.where(is_one, 0, -np.maximum(shift, 0)).astype(np.int32)


def _newton(x: Raw, steps: int) -> Raw:
    """1 / sqrt(2 x) of x with 3 integer bits, in [1/4, 1]."""
    mul = saturating_rounding_doubling_high_mul
    half = rounding_divide_by_pot(x, 1)
    root = np.full_like(x, _ONE)
    for _ in range(steps):
        cube = saturating_shift_left(mul(mul(root, root), root), 6)
        root = saturating_shift_left(mul(root, _THREE_HALVES) - mul(half, cube), 3)
    return mul(root, _ROOT_HALF)


@functools.lru_cache(maxsize=1 << 12)
def inverse_root_table(source: Quantization, result: Quantization) -> NDArray[np.int8]:
    """1 / sqrt(x) of each int8, that of -128 first; of what is not above zero the largest. Not to be written to.

    Raises GraphError for scales so large that the result is lost.
    """
    with np.errstate(over="ignore"):
        product = np.sqrt(np.float32(source.scale)) * np.float32(result.scale)
    multiplier, shift = quantize_multiplier(1.0 / float(product))
    if shift < _KEPT_BITS - 31:
        raise GraphError(
            f"expected sqrt(input scale) * result scale of at most 2**11, got {source.scale} and "
            f"{result.scale}"
        )
    values = (np.arange(-128, 128) - source.zero_point).astype(np.int32)
    is_positive = values > 0
    root, root_shift = inverse_root(np.where(is_positive, values, np.int32(1)))
    kept = multiply_by_quantized_multiplier(np.ones_like(values), root, root_shift + _KEPT_BITS)
    scaled = multiply_by_quantized_multiplier(kept, multiplier, shift - _KEPT_BITS).astype(np.int64)
    clamped = np.clip(scaled + result.zero_point, -128, 127)
    table = np.where(is_positive, clamped, 127).astype(np.int8)
    table.flags.writeable = False
    return table
