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


def _raised_logistic(value: float) -> float:
    """Times 65536; no value of the table is within 0.001 of a half, so that any libm will do."""
    logistic = 1 / (1 + math.exp(-value))
    bend = logistic * (1 - logistic) * (2 * logistic - 1) / 24**2
    return 65536 * (logistic + bend / 16)


def _logistic(values: NDArray[np.float32]) -> NDArray[np.float32]:
    one = np.float32(1.0)
    return one / (one + exact_exp_f32(-values))


_FUNCTIONS = {Curve.LOGISTIC: _logistic, Curve.TANH: tanh_f32}
