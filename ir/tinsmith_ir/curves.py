"""Tables of the logistic function and tanh: of all int8, and the one between whose values int16 goes in
straight lines. Evaluator and back ends take them from here.

int8 as TFLite computes its own: in float32, of which libm decides the last bits. Here exp is the float32
nearest to the real number (glibc's differs in a few of a thousand million), tanh is fdlibm's.
"""

import enum
import functools
import math

import numpy as np
from numpy.typing import NDArray

from tinsmith_ir.float_arithmetic import tanh_f32
from tinsmith_ir.function_tables import exact_exp_f32, int8_function_table
from tinsmith_ir.types import Quantization


class Curve(enum.Enum):
    """A function that rises from its lower to its upper limit."""

    LOGISTIC = "logistic"
    TANH = "tanh"


def int8_table(curve: Curve, source: Quantization, result: Quantization) -> NDArray[np.int8]:
    """See `int8_function_table`."""
    return int8_function_table(_FUNCTIONS[curve], source, result)


@functools.cache
def int16_table() -> NDArray[np.int16]:
    """65536 * L(i / 24) - 32768 for i in [0, 256), L the logistic function raised by half of what a straight
    line to the next value loses in its middle (h**2 L'' / 8), nearest, and the limit at the end: TFLite's.
    Not to be written to.
    """
    values = [round(_raised_logistic(i / 24)) - (1 << 15) for i in range(255)]
    table = np.array([*values, (1 << 15) - 1], np.int16)
    table.flags.writeable = False
    return table


def logistic_of_int16(
    array: NDArray[np.generic], multiplier: int, right_shift: int
) -> NDArray[np.int16]:
    """1 / (1 + exp(-x)) of scale 1/32768; array * multiplier * 2**-right_shift is x in steps of 1/12288."""
    steps = _steps(array, multiplier, right_shift)
    above_half = _interpolated(np.abs(steps), 9, 32766)
    signed = np.where(steps < 0, -above_half - 1, above_half)
    return ((signed + (1 << 24) + (1 << 9)) >> 10).astype(np.int16)


def tanh_of_int16(
    array: NDArray[np.generic], multiplier: int, right_shift: int
) -> NDArray[np.int16]:
    """tanh(x), as `logistic_of_int16`."""
    steps = _steps(array, multiplier, right_shift)
    # 2 / (1 + exp(-2 x)) - 1: the steps of the table are half as long.
    magnitude = _interpolated(np.abs(steps), 8, 32767)
    signed = np.where(steps < 0, -magnitude - 1, magnitude)
    return ((signed + (1 << 7)) >> 8).astype(np.int16)


def _steps(array: NDArray[np.generic], multiplier: int, right_shift: int) -> NDArray[np.int64]:
    half = (1 << right_shift) >> 1
    return (array.astype(np.int64) * multiplier + half) >> right_shift


def _interpolated(steps: NDArray[np.int64], bits: int, limit: int) -> NDArray[np.int64]:
    """The table at steps of 2**-bits of its own, times 2**bits; from its last value on `limit` instead."""
    table = int16_table().astype(np.int64)
    index = np.minimum(steps >> bits, len(table) - 2)
    fraction = steps & ((1 << bits) - 1)
    between = (table[index] << bits) + fraction * (table[index + 1] - table[index])
    return np.where(steps >> bits >= len(table) - 1, np.int64(limit << bits), between)


def _raised_logistic(value: float) -> float:
    """Times 65536; no value of the table is within 0.001 of a half, so that any libm will do."""
    logistic = 1 / (1 + math.exp(-value))
    bend = logistic * (1 - logistic) * (2 * logistic - 1) / 24**2
    return 65536 * (logistic + bend / 16)


def _logistic(values: NDArray[np.float32]) -> NDArray[np.float32]:
    one = np.float32(1.0)
    return one / (one + exact_exp_f32(-values))


_FUNCTIONS = {Curve.LOGISTIC: _logistic, Curve.TANH: tanh_f32}
