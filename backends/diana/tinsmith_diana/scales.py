"""How the digital array comes from a sum to a result: (sum + bias) >> shift, clipped to [-128, 127] or [0, 127].

It has neither multipliers nor zero points. Half a step, the input's zero point times the weights and the result's zero
point lie in the bias, so a layer is the array's, to the bit, if all its multipliers are the same power of two and
nothing leaves 32 bits.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir.arithmetic import INT32_MAX, INT32_MIN, MULTIPLIER_BITS
from tinsmith_ir.rounding import Rounding
from tinsmith_lowering import Layer, channel_parameters, given_biases, weight_rows

from tinsmith_diana.jobs import LARGEST_SHIFT

ROUNDINGS = (Rounding.FLOOR, Rounding.NEAREST)


@dataclass(frozen=True, eq=False)
class Scale:
    """biases: int64 (outputs,), of 32 bits where the rules hold. shift: to the right. relu: clips to [0, 127]."""

    biases: NDArray[np.int64]
    shift: int
    relu: bool


def is_one_shift(layer: Layer) -> str | None:
    """Each sum is multiplied by a power of two, the same for all channels, which is a shift by 0 to 31 bits to the
    right; set-rounding{mode=floor,bits=1} makes powers of two.
    """
    p = channel_parameters(layer)
    found = {
        right_shift(int(multiplier), int(shift))
        for multiplier, shift in zip(p.multipliers, p.shifts, strict=True)
    }
    if None in found:
        return "some multipliers are no powers of two"
    if len(found) > 1:
        return (
            f"there are {len(found)} shifts, as channels have scales of their own; weights quantized with "
            "per_channel=no have one"
        )
    (shift,) = found
    return None if shift is not None and 0 <= shift <= LARGEST_SHIFT else f"it is {shift}"


def clips_to_int8_or_relu(layer: Layer) -> str | None:
    """The result is clipped to [-128, 127] or [0, 127], the two clips of the array."""
    p = channel_parameters(layer)
    ends = p.clamp_min, p.clamp_max
    return None if ends in {(-128, 127), (0, 127)} else f"it is clipped to {ends[0]} to {ends[1]}"


def sums_fit(layer: Layer) -> str | None:
    """Sums stay within 32 bits for every input, and biases with half a step and zero points do."""
    p, rows = channel_parameters(layer), weight_rows(layer)
    own, all_of_it = given_biases(layer), scale_of(layer).biases
    for biases, points in ((own, p.input_offset), (all_of_it, 0)):
        ends = [
            np.where(rows > 0, rows * (one + points), rows * (other + points)).sum(axis=1)
            for one, other in ((-128, 127), (127, -128))
        ]
        low, high = biases + ends[0], biases + ends[1]
        worst = int(np.argmax(np.maximum(high - INT32_MAX, INT32_MIN - low)))
        if low[worst] < INT32_MIN or high[worst] > INT32_MAX:
            return f"those of channel {worst} are {int(low[worst]):,} to {int(high[worst]):,}"
    wrong = np.flatnonzero((all_of_it < INT32_MIN) | (all_of_it > INT32_MAX))
    return f"the bias of channel {wrong[0]} is {all_of_it[wrong[0]]:,}" if len(wrong) else None


RULES = (clips_to_int8_or_relu, is_one_shift, sums_fit)
"""Of all layers with weights."""


def scale_of(layer: Layer) -> Scale:
    """Of a layer whose multipliers are one power of two."""
    p = channel_parameters(layer)
    shift = right_shift(int(p.multipliers[0]), int(p.shifts[0]))
    if shift is None:
        raise ValueError(f"layer {layer.name}: its multiplier is no power of two")
    half = (1 << shift) >> 1 if p.rounding is Rounding.NEAREST else 0
    points = p.input_offset * weight_rows(layer).sum(axis=1) + (p.output_offset << shift)
    return Scale(given_biases(layer) + points + half, shift, p.clamp_min == 0)


def right_shift(multiplier: int, shift: int) -> int | None:
    """How far acc * multiplier * 2**(shift - 31) shifts to the right; None if the multiplier is no power of two."""
    if multiplier < 1 or multiplier & (multiplier - 1):
        return None
    return MULTIPLIER_BITS - shift - (multiplier.bit_length() - 1)
