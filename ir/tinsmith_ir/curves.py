"""Tables of the logistic function and tanh: of all int8, and the one between whose values int16 goes in
straight lines. Evaluator and back ends take them from here.

int8 as TFLite computes its own: in float32, of which libm decides the last bits. Here exp is the float32
nearest to the real number (glibc's differs in a few of a thousand million), tanh is fdlibm's.
"""

import enum
import functools
import math
from decimal import Context

import numpy as np
from numpy.typing import NDArray

from tinsmith_ir.arithmetic import round_half_away
from tinsmith_ir.errors import GraphError
from tinsmith_ir.float_arithmetic import tanh_f32
from tinsmith_ir.types import Quantization


class Curve(enum.Enum):
    """A function that rises from its lower to its upper limit."""

    LOGISTIC = "logistic"
    TANH = "tanh"


_EXACT = Context(prec=40, traps=[])
_FLOAT32_EXP_BOUND = 120.0
"""exp is 0 in float32 below its negative, and infinite above."""
_LARGEST = np.float32(1 << 24)
"""Beyond all results that are not clamped."""


@functools.lru_cache(maxsize=1 << 12)  # a graph is verified after each pass, its scales stay
def int8_table(curve: Curve, source: Quantization, result: Quantization) -> NDArray[np.int8]:
    """What comes out for each int8, that of -128 first; not to be written to.

    Raises GraphError for a result's scale whose inverse is no float32.
    """
    with np.errstate(over="ignore"):
        steps = np.float32(1.0) / np.float32(result.scale)
        centred = np.arange(-128, 128) - source.zero_point
        real = np.float32(source.scale) * centred.astype(np.float32)
    if not np.isfinite(steps):
        raise GraphError(f"expected a result's scale whose inverse is finite, got {result.scale}")
    with np.errstate(over="ignore"):
        scaled = np.clip(_curve_f32(curve, real) * steps, -_LARGEST, _LARGEST)
    rounded = np.array([round_half_away(float(value)) for value in scaled])
    table = np.clip(rounded + result.zero_point, -128, 127).astype(np.int8)
    table.flags.writeable = False
    return table


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


def _raised_logistic(value: float) -> float:
    """Times 65536; no value of the table is within 0.001 of a half, so that any libm will do."""
    logistic = 1 / (1 + math.exp(-value))
    bend = logistic * (1 - logistic) * (2 * logistic - 1) / 24**2
    return 65536 * (logistic + bend / 16)


def _curve_f32(curve: Curve, values: NDArray[np.float32]) -> NDArray[np.float32]:
    if curve is Curve.TANH:
        return tanh_f32(values)
    one = np.float32(1.0)
    return one / (one + _exact_exp_f32(-values))


def _exact_exp_f32(values: NDArray[np.float32]) -> NDArray[np.float32]:
    bounded = np.clip(values.astype(np.float64), -_FLOAT32_EXP_BOUND, _FLOAT32_EXP_BOUND)
    exact = [float(_EXACT.exp(_EXACT.create_decimal_from_float(value))) for value in bounded]
    return np.array(exact).astype(np.float32)
