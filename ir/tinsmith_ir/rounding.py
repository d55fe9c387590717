"""How an integer that is multiplied by a real scale becomes an integer again; arithmetic.py computes it."""

import enum


class Rounding(enum.Enum):
    """What a step that rescales does with acc * multiplier * 2**-s.

    All but TFLITE are exact in the product: nothing wraps or saturates before the clamp to the result.
    """

    TFLITE = "tflite"
    """Two roundings: to 31 fraction bits with halves up, then to the integer with halves away from zero.
    Those of gemmlowp, as TFLite 2.14's reference kernels and TFLite Micro have them by default; 64-bit
    accumulators are rounded once, by a multiplier reduced to 15 bits."""

    NEAREST = "nearest"
    """(acc * multiplier + 2**(s - 1)) >> s: one rounding, to nearest, halves up. What TFLite does when it is
    built with TFLITE_SINGLE_ROUNDING, of any multiplier's width."""

    FLOOR = "floor"
    """(acc * multiplier) >> s: down to the next integer. PULP-NN's; by a multiplier of one bit it is the
    plain shift of DIANA's analog and digital arrays."""
