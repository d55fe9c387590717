"""Tables of functions of real numbers for integers, as TFLite 2.14 makes them: of all int8, and 513 values of
int16 between which it goes in straight lines. Evaluator and back ends take them from here.

TFLite computes in float32, of which libm decides the last bits of a function; here each function says what it is.
"""

import functools
from collections.abc import Callable
from decimal import Context
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from tinsmith_ir.arithmetic import round_half_away
from tinsmith_ir.errors import GraphError
from tinsmith_ir.types import Quantization

RealFunction = Callable[[NDArray[np.float32]], NDArray[np.float32]]
Real = TypeVar("Real", np.float32, np.float64)

_EXACT = Context(prec=40, traps=[])
_FLOAT32_EXP_BOUND = 120.0
"""exp is 0 in float32 below its negative, and infinite above."""
_LARGEST = np.float32(1 << 24)
"""Beyond all results that are not clamped."""
_SEGMENTS = 512
_HALF = np.float32(0.5)


@functools.lru_cache(maxsize=1 << 12)  # a graph is verified after each pass, its scales stay
def int8_function_table(
    function: RealFunction, source: Quantization, result: Quantization
) -> NDArray[np.int8]:
    """What comes out for each int8, that of -128 first; not to be written to.

    What is too large for int8 becomes the end of its range, also where it is too large for int32: there TFLite
    leaves it to the processor. Raises GraphError for a result's scale whose inverse is no float32.
    """
    with np.errstate(over="ignore"):
        steps = np.float32(1.0) / np.float32(result.scale)
        centred = np.arange(-128, 128) - source.zero_point
        real = np.float32(source.scale) * centred.astype(np.float32)
    if not np.isfinite(steps):
        raise GraphError(f"expected a result's scale whose inverse is finite, got {result.scale}")
    with np.errstate(over="ignore"):
        scaled = np.clip(function(real) * steps, -_LARGEST, _LARGEST)
    rounded = np.array([round_half_away(float(value)) for value in scaled])
    table = np.clip(rounded + result.zero_point, -128, 127).astype(np.int8)
    table.flags.writeable = False
    return table


@functools.lru_cache(maxsize=1 << 12)
def int16_function_table(
    function: RealFunction, source: Quantization, result: Quantization
) -> NDArray[np.int16]:
    """The result at each 128th int16 from -32768 on, and at 32767; all but the last less half of what a straight
    line to the next is off in its middle. Zero points are 0. Not to be written to.

    Raises GraphError for a result's scale so small that its range is nothing in float32.
    """
    scale, result_scale = np.float32(source.scale), np.float32(result.scale)
    with np.errstate(over="ignore", under="ignore", divide="ignore", invalid="ignore"):
        lowest, highest = scale * np.float32(-32768), scale * np.float32(32767)
        step = (highest - lowest) / np.float32(_SEGMENTS)
        width = result_scale * np.float32(32767) - result_scale * np.float32(-32768)
        inverse = np.float32(65536) / width
    if not (np.isfinite(inverse) and np.isfinite(step)):
        raise GraphError(
            f"expected scales whose ranges and their inverses are finite, got {source.scale} and {result.scale}"
        )
    table = _table_between(function, lowest, highest, inverse)
    table.flags.writeable = False
    return table


@functools.lru_cache(maxsize=1)
def softmax_tables() -> tuple[NDArray[np.int16], NDArray[np.int16]]:
    """Of softmax of int16: exp from -10 to 0 and 1 / (1 + x) from 0 to 1, in units of 2**-15; not to be written to.

    These alone TFLite computes in double precision; two of the reciprocals would differ in float32.
    """
    one, unit = np.float64(1), np.float64(32768)
    exponential = _table_between(_exact_exp, np.float64(-10), np.float64(0), unit)
    reciprocal = _table_between(lambda x: one / (one + x), np.float64(0), one, unit)
    for table in (exponential, reciprocal):
        table.flags.writeable = False
    return exponential, reciprocal


def _table_between(
    function: Callable[[NDArray[Real]], NDArray[Real]], lowest: Real, highest: Real, inverse: Real
) -> NDArray[np.int16]:
    """513 values of a function between two places, times `inverse`, in the precision of these."""
    ends = np.array([lowest, highest])
    step = (ends[1] - ends[0]) / ends.dtype.type(_SEGMENTS)
    places = np.arange(_SEGMENTS + 1).astype(ends.dtype) * step + lowest
    with np.errstate(over="ignore", invalid="ignore"):
        values = function(places) * inverse
        middles = _rounded(function(places[:-1] + step * _HALF) * inverse)
        last = _rounded(function(ends[1:]) * inverse)
        between = _rounded((values[1:] + _rounded(values[:-1])) * _HALF)
        bias = _rounded((between - middles) * _HALF)
        entries = np.concatenate([_rounded(values[:-1]) - bias, last])
    # What is infinite has no bend; C makes 0 of that not-a-number.
    whole = np.where(np.isnan(entries), ends.dtype.type(0), entries)
    return np.clip(whole, -32768, 32767).astype(np.int16)


def interpolated(table: NDArray[np.int16], values: NDArray[np.int64]) -> NDArray[np.int64]:
    """The table of `int16_function_table` at int16 values, nearest, ties up."""
    wide = table.astype(np.int64)
    index, offset = 256 + (values >> 7), values & 127
    # Differences beyond int16 wrap, as in TFLite.
    slopes = (wide[index + 1] - wide[index]).astype(np.int16).astype(np.int64)
    return (wide[index] + ((slopes * offset + 64) >> 7)).astype(np.int16).astype(np.int64)


def exact_exp_f32(values: NDArray[np.float32]) -> NDArray[np.float32]:
    """The float32 nearest to exp(x); glibc's differs in a few of a thousand million."""
    bounded = np.clip(values.astype(np.float64), -_FLOAT32_EXP_BOUND, _FLOAT32_EXP_BOUND)
    with np.errstate(over="ignore", under="ignore"):
        return _exact_exp(bounded).astype(np.float32)


def _exact_exp(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The float64 nearest to exp(x)."""
    return np.array([float(_EXACT.exp(_EXACT.create_decimal_from_float(x))) for x in values])


def _rounded(values: NDArray[Real]) -> NDArray[Real]:
    """Nearest integers, halves away from zero."""
    whole = np.trunc(values)
    with np.errstate(invalid="ignore"):
        is_far = np.abs(values - whole) >= _HALF
    away = np.where(is_far, np.copysign(values.dtype.type(1), values), 0)
    return (whole + away).astype(values.dtype)
