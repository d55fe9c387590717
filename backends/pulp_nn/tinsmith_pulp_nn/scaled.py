"""Constants of layers with weights that round once: (sum * multiplier + addend) >> shift, of the product's low or high
word, with the proof that no word wraps (TINSMITH_PULP_SCALE_S8 and TINSMITH_PULP_SCALE_HIGH_S8).
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir.arithmetic import INT32_MAX, INT32_MIN, MULTIPLIER_BITS
from tinsmith_ir.parameters import ConvParameters
from tinsmith_ir.rounding import Rounding
from tinsmith_lowering import Layer, channel_parameters

from tinsmith_pulp_nn.weights import Arranged, Rows, given_channels

ROUNDINGS = (Rounding.NEAREST, Rounding.FLOOR)

_WORD_BITS = 32
_LARGEST_SHIFT = 31
_LARGEST_WIDE_SHIFT = 62
_BY_16, _BY_64 = 4, 6

_Array = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class _Sums:
    """Each channel's sums and scale. low, high: the smallest and largest sum of any int8 input, bias and zero point
    inside. shifts: of the whole product, to the right, 0 or more. are_constant: which channels have one value, whatever
    the input. values: of `low` and `high` after the clamp.
    """

    rows: Rows
    bias: _Array
    low: _Array
    high: _Array
    multipliers: _Array
    shifts: _Array
    are_constant: NDArray[np.bool_]
    values: tuple[_Array, _Array]

    @property
    def are_words(self) -> NDArray[np.bool_]:
        """Of which channels no sum leaves int32."""
        return (self.low >= INT32_MIN) & (self.high <= INT32_MAX)


@dataclass(frozen=True, eq=False)
class _Scale:
    """int64 (channels,) each; fits: where these numbers are words and no sum of product and addend wraps."""

    multipliers: _Array
    addends: _Array
    shifts: _Array
    fits: NDArray[np.bool_]


def low_words_fit(layer: Layer) -> str | None:
    """Every sum times its multiplier, with half and zero point added before the shift, stays within 32 bits."""
    return _finding(layer, _low_scale)


def high_words_fit(layer: Layer) -> str | None:
    """Every sum times its multiplier, of all bits, can be rounded by its upper 32 bits alone, with the zero point added
    before the shift.
    """
    return _finding(layer, _high_scale)


def high_words_fit_by_16(layer: Layer) -> str | None:
    """Every sum times its multiplier, of all bits, can be rounded by its upper 32 bits alone, with the zero point added
    before the shift, the weights taken 16 times.
    """
    return _finding(layer, _high_scale, _BY_16)


def high_words_fit_by_64(layer: Layer) -> str | None:
    """Every sum times its multiplier, of all bits, can be rounded by its upper 32 bits alone, with the zero point added
    before the shift, the weights taken 64 times.
    """
    return _finding(layer, _high_scale, _BY_64)


def low_words(layer: Layer) -> Arranged:
    """What tinsmith_pulp_arranged.h has of functions that end in _scaled; `low_words_fit` is a rule."""
    sums = _sums_of(layer)
    rows, scales = _scales(layer, sums, _low_scale)
    return Arranged(rows, (scales,))


def high_words(layer: Layer) -> Arranged:
    """The same of those that end in _scaled_high; `high_words_fit` is a rule."""
    return _high_words(layer, 0)


def high_words_by_16(layer: Layer) -> Arranged:
    """The same with 16 times the weights, which are of four bits; `high_words_fit_by_16` is a rule."""
    return _high_words(layer, _BY_16)


def high_words_by_64(layer: Layer) -> Arranged:
    """The same with 64 times the weights, which are of two bits; `high_words_fit_by_64` is a rule."""
    return _high_words(layer, _BY_64)


def _high_words(layer: Layer, raised: int) -> Arranged:
    sums = _sums_of(layer, raised)
    rows, scales = _scales(layer, sums, _high_scale)
    bias = np.where(sums.are_constant, 0, sums.bias).astype(np.int32)
    return Arranged(rows, (bias, scales))


def _finding(layer: Layer, scale_of: "_ScaleOf", raised: int = 0) -> str | None:
    sums = _sums_of(layer, raised)
    wrong = ~(sums.are_constant | (sums.are_words & scale_of(sums, channel_parameters(layer)).fits))
    if not wrong.any():
        return None
    worst = int(np.flatnonzero(wrong)[0])
    low, high = int(sums.low[worst]), int(sums.high[worst])
    multiplier, shift = int(sums.multipliers[worst]), int(sums.shifts[worst])
    return (
        f"sums of channel {worst} are {low:,} to {high:,}, its scale is {multiplier:,} >> {shift}"
    )


def _scales(layer: Layer, sums: _Sums, scale_of: "_ScaleOf") -> tuple[Rows, NDArray[np.int32]]:
    """Rows of weights; a tinsmith_pulp_scale_t of each channel. Channels of one value are addends alone."""
    scale, constant = scale_of(sums, channel_parameters(layer)), sums.are_constant
    numbers = (
        np.where(constant, 0, scale.multipliers),
        np.where(constant, sums.values[0], scale.addends),
        np.where(constant, 0, scale.shifts),
    )
    rows = np.where(constant[:, None], 0, sums.rows).astype(sums.rows.dtype)
    return rows, np.stack(numbers, axis=1).astype(np.int32).reshape(-1)


def _sums_of(layer: Layer, raised: int = 0) -> _Sums:
    """raised: by how many bits weights, and so sums, are moved to the left, and shifts longer."""
    given, p = given_channels(layer), channel_parameters(layer)
    wide = given.rows.astype(np.int64)
    ends = [
        given.bias + np.where(wide > 0, wide * at_positive, wide * at_negative).sum(axis=1)
        for at_positive, at_negative in ((-128, 127), (127, -128))
    ]
    multipliers = given.multipliers.astype(np.int64)
    shifts = MULTIPLIER_BITS + given.shifts.astype(np.int64)
    half = _half(shifts, p)
    # Sums that are no words count for nothing; a product of one stays below 2**62.
    low, high = (
        np.clip(
            ((np.clip(end, INT32_MIN, INT32_MAX) * multipliers + half) >> shifts) + p.output_offset,
            p.clamp_min,
            p.clamp_max,
        )
        for end in ends
    )
    # What precedes the clamp rises with the sum, so equal ends mean equal values between.
    are_words = (ends[0] >= INT32_MIN) & (ends[1] <= INT32_MAX)
    return _Sums(
        (given.rows << raised).astype(given.rows.dtype),
        given.bias << raised,
        ends[0] << raised,
        ends[1] << raised,
        multipliers,
        shifts + raised,
        are_words & (low == high),
        (low, high),
    )


def _half(shifts: _Array, p: ConvParameters) -> _Array:
    """What is added to a product before a shift."""
    return (np.int64(1) << shifts) >> 1 if p.rounding is Rounding.NEAREST else np.zeros_like(shifts)


def _low_scale(sums: _Sums, p: ConvParameters) -> _Scale:
    shifts = np.minimum(sums.shifts, _LARGEST_SHIFT)
    addends = _half(shifts, p) + (p.output_offset << shifts)
    # The kernel's sums have no bias: that is in the addend. Both may wrap, their sum may not.
    fits = (sums.shifts == shifts) & _is_word(sums, sums.multipliers, addends, 0)
    wrapped = (addends + np.clip(sums.bias, INT32_MIN, INT32_MAX) * sums.multipliers).astype(
        np.int32
    )
    return _Scale(sums.multipliers, wrapped.astype(np.int64), shifts, fits)


def _high_scale(sums: _Sums, p: ConvParameters) -> _Scale:
    """A multiplier that is raised until the shift leaves the low word, and half a step, out."""
    least = _WORD_BITS + (1 if p.rounding is Rounding.NEAREST else 0)
    wide = np.minimum(sums.shifts, _LARGEST_WIDE_SHIFT)
    raised = np.clip(least - wide, 0, MULTIPLIER_BITS)
    multipliers = sums.multipliers << raised
    shifts = wide + raised - _WORD_BITS
    addends = _half(shifts, p) + (p.output_offset << shifts)
    is_multiplier = (multipliers <= INT32_MAX) & (wide == sums.shifts)
    kept = np.where(is_multiplier, multipliers, 0)
    fits = is_multiplier & (addends >= INT32_MIN) & (addends <= INT32_MAX)
    return _Scale(kept, addends, shifts, fits & _is_word(sums, kept, addends, _WORD_BITS))


def _is_word(
    sums: _Sums, multipliers: _Array, addends: _Array, dropped_bits: int
) -> NDArray[np.bool_]:
    """Of which channels products without their lowest bits, and an addend, stay within int32. Multipliers are not
    negative, so the ends of the sums are those of the products.
    """
    ends = [np.clip(end, INT32_MIN, INT32_MAX) for end in (sums.low, sums.high)]
    low, high = ((end * multipliers >> dropped_bits) + addends for end in ends)
    return (low >= INT32_MIN) & (high <= INT32_MAX)


_ScaleOf = Callable[[_Sums, ConvParameters], _Scale]
