"""exp of float32 by float32 additions and multiplications only, so that C gives the same bits.

The C twin is in the reference kernels. Method: x = n ln 2 + r with |r| <= ln 2 / 2, ln 2 in two
parts (Cody and Waite); exp(r) by the polynomial of Cephes' `expf`; 2**n through the exponent bits.
"""

import numpy as np
from numpy.typing import NDArray

EXP_LOWEST = np.float32(-87.0)
EXP_HIGHEST = np.float32(88.0)
LOG2_E = np.float32(1.44269504)
ROUND_MAGIC = np.float32(12582912.0)
"""1.5 * 2**23: adding and subtracting it rounds a float32 to an integer, ties to even."""
LN2_HIGH = np.float32(0.693359375)
LN2_LOW = np.float32(-2.12194440e-4)
EXP_COEFFICIENTS = tuple(
    np.float32(value)
    for value in (
        1.9875691500e-4,
        1.3981999507e-3,
        8.3334519073e-3,
        4.1665795894e-2,
        1.6666665459e-1,
        5.0000001201e-1,
    )
)


def exp_f32(values: NDArray[np.float32]) -> NDArray[np.float32]:
    """exp(x) within 2 units in the last place; x is first clamped to [-87, 88]."""
    x = np.minimum(np.maximum(values, EXP_LOWEST), EXP_HIGHEST)
    n = (x * LOG2_E + ROUND_MAGIC) - ROUND_MAGIC
    r = (x - n * LN2_HIGH) - n * LN2_LOW
    polynomial = np.full_like(r, EXP_COEFFICIENTS[0])
    for coefficient in EXP_COEFFICIENTS[1:]:
        polynomial = polynomial * r + coefficient
    result = (polynomial * (r * r) + r) + np.float32(1.0)
    power = ((n.astype(np.int32) + np.int32(127)) << np.int32(23)).view(np.float32)
    return (result * power).astype(np.float32, copy=False)
