"""A layer's multipliers, addends and shifts on the analog array, and its converters' gain.

With real = scale * integer, a converter's step is gain * (input scale) * (weight scale) of channel o; in steps of the
result that is ratio[o], and result = a * ratio[o] + offset[o], rounded.
"""

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir.graph import Value
from tinsmith_ir.operators import Requantize
from tinsmith_ir.operators.checks import check_quantized
from tinsmith_ir.rounding import Rounding
from tinsmith_ir.types import Quantization, TensorType

from tinsmith_diana.analog.array import AnalogLayer, Reals
from tinsmith_diana.analog.ends import converted_ends, needs_clip, result_ends
from tinsmith_diana.analog.operator import (
    INPUT_MAX,
    INPUT_MIN,
    LARGEST_ADDEND_SHIFT,
    LARGEST_GAIN,
    LARGEST_SHIFT,
    AnalogConv2D,
)

_SCALE_MAX = 127
"""Of multipliers and addends."""
_SAME = 1e-6
"""Scales are float32."""
_SCALE_GROWTH, _TRIED_SCALES = 2.0**-8, 64
"""A scale is sought up to a quarter above the smallest that can be."""
GAINS = tuple(1 << power for power in range(LARGEST_GAIN.bit_length()))


@dataclass(frozen=True, eq=False)
class Fit:
    """How the array computes a layer. multipliers, addends: (O,). quantization: of the result, zero point 0.
    needs_clip: results may leave their 7 bits, so that somebody has to clip them: the array clips to 8.
    """

    operator: AnalogConv2D
    multipliers: NDArray[np.int8]
    addends: NDArray[np.int8]
    quantization: Quantization
    needs_clip: bool


def narrowing(type_: TensorType) -> tuple[Requantize, TensorType]:
    """How an int8 tensor becomes one of zero point 0 whose integers have 7 bits, and its type.

    Where its zero point is 0 it is halved, rounded down: a shift, which accelerators have, and whose loss has a mean
    that layers make good (see `fitted`), so that it is less than that of the nearest integers. Else every number of the
    tensor is in the range of 7 bits, and rounded to nearest.
    """
    if check_quantized(type_, "input").zero_point == 0:
        twice = _symmetric(type_, 2 * check_quantized(type_, "input").scale)
        return Requantize(rounding=Rounding.FLOOR), twice
    return Requantize(), _in_range(type_)


def _in_range(type_: TensorType) -> TensorType:
    quantization = check_quantized(type_, "input")
    scale, point = quantization.scale, quantization.zero_point
    low, high = type_.dtype.integer_range
    wanted = scale * max((low - point) / INPUT_MIN, (high - point) / INPUT_MAX, 1.0)
    found = np.float32(wanted)
    while not _fits(narrowed := _symmetric(type_, float(found)), type_):
        # A half that is rounded away from zero lies one step beyond.
        found = np.nextafter(found, np.float32(np.inf))
    return narrowed


@dataclass(frozen=True, eq=False)
class Source:
    """What an analog layer reads. value: int8 of 7 bits. lost: what its elements are too small by, in the mean and in
    their steps.
    """

    value: Value
    lost: float = 0.0


def fitted(
    layer: AnalogLayer, source: Source, bits: int, gain: int, *, is_whole: bool = False
) -> Fit | None:
    """The layer on an input of 7 bits, with a result of `bits`; None where the gain is so large that a converter's step
    is more steps of the result than a multiplier of int8 can say.

    is_whole: the result's scale is the finest in which nothing that the converters give leaves `bits`, so that no clip
    is needed; else it is that of the layer's ends. None, too, where there is no such scale.

    A sum that is rounded down is (gain - 1) / 2 too small in the mean, so that is added for each chunk; and what the
    source has lost, for each weight.
    """
    unit = check_quantized(source.value.type, "input").scale * layer.scales
    lost = _chunks_with_weights(layer) * (gain - 1) / 2
    lost += source.lost * layer.weights.sum(axis=(1, 2, 3))
    operator = AnalogConv2D(
        gain=gain,
        chunk_channels=layer.chunk_channels,
        bits=bits,
        rectified=layer.is_rectified,
        stride=layer.stride,
        padding=layer.padding,
    )
    reals = _Reals(layer, operator, gain * unit, layer.bias + lost * unit)
    return _whole(reals) if is_whole else _scaled(reals, _result_scale(layer, bits))


@dataclass(frozen=True, eq=False)
class _Reals:
    """A layer in real numbers. operator: but for its shifts. factors: (O,), a converter's step. offsets: (O,)."""

    layer: AnalogLayer
    operator: AnalogConv2D
    factors: Reals
    offsets: Reals


def _scaled(reals: _Reals, step: float) -> Fit | None:
    """With that scale of the result."""
    ratio, offset = reals.factors / step, reals.offsets / step
    shift = _shift(ratio)
    if shift is None:
        return None
    wanted = offset * 2.0**shift + 2.0**shift / 2
    addend_shift = _addend_shift(wanted)
    operator = replace(reals.operator, shift=shift, addend_shift=addend_shift)
    multipliers = _rounded(ratio * 2.0**shift)
    addends = _rounded(wanted / 2.0**addend_shift)
    ends = result_ends(operator, reals.layer.weights, multipliers, addends)
    return Fit(
        operator,
        multipliers,
        addends,
        Quantization.per_tensor(step, 0),
        needs_clip(operator, ends),
    )


def _whole(reals: _Reals) -> Fit | None:
    """With a scale of which the layer's results of `bits` need no clip: the smallest that can be, a little more where
    rounded multipliers and addends move an end.
    """
    operator, weights = reals.operator, reals.layer.weights
    converted = converted_ends(weights, operator.gain, operator.chunk_channels)
    least, most = reals.factors * converted + reals.offsets
    end = 1 << (operator.bits - 1)
    # Halves are rounded up.
    wanted = max(
        float(most.max()) / (end - 0.5), 0 if operator.rectified else -float(least.min()) / end
    )
    for number in range(_TRIED_SCALES):
        step = float(np.float32(wanted * (1 + number * _SCALE_GROWTH)))
        fit = _scaled(reals, step) if step > 0 else None
        if fit is not None and not fit.needs_clip:
            return fit
    return None


def _result_scale(layer: AnalogLayer, bits: int) -> float:
    """So that the layer's ends are those of `bits`; its own where nothing has to be scaled."""
    end = 1 << (bits - 1)
    needed = max(layer.highest / (end - 1), -layer.lowest / end)
    own = check_quantized(layer.result, "result")
    if own.zero_point == 0 and math.isclose(own.scale, needed, rel_tol=_SAME):
        return own.scale
    return float(np.float32(needed))


def _shift(ratio: Reals) -> int | None:
    """The largest by which all multipliers stay int8."""
    most = float(ratio.max())
    shifts = range(LARGEST_SHIFT, -1, -1)
    return next((shift for shift in shifts if round(most * 2.0**shift) <= _SCALE_MAX), None)


def _addend_shift(wanted: Reals) -> int:
    """The smallest by which addends are int8. Beyond the largest they are clipped, as are results of such offsets."""
    most = float(np.abs(wanted).max())
    shifts = range(LARGEST_ADDEND_SHIFT)
    fits = (shift for shift in shifts if round(most / 2.0**shift) <= _SCALE_MAX)
    return next(fits, LARGEST_ADDEND_SHIFT)


def _chunks_with_weights(layer: AnalogLayer) -> Reals:
    """Of each output channel; sums of no products are 0, and nothing of them is rounded."""
    channels = layer.chunk_channels
    has_weights = [
        layer.weights[..., first : first + channels].any(axis=(1, 2, 3))
        for first in range(0, layer.weights.shape[3], channels)
    ]
    return np.sum(has_weights, axis=0).astype(np.float64)


def _rounded(values: Reals) -> NDArray[np.int8]:
    return np.clip(np.rint(values), -_SCALE_MAX, _SCALE_MAX).astype(np.int8)


def _symmetric(type_: TensorType, scale: float) -> TensorType:
    return TensorType(type_.shape, type_.dtype, Quantization.per_tensor(scale, 0))


def _fits(narrowed: TensorType, type_: TensorType) -> bool:
    low, high = type_.dtype.integer_range
    ends = np.array([low, high], type_.dtype.numpy)
    (found,) = Requantize().evaluate([ends], [type_], [narrowed])
    return int(found.min()) >= INPUT_MIN and int(found.max()) <= INPUT_MAX
