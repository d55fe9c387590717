"""The numbers that LayerNorm and RmsNorm of integers compute with, and the integers of their gamma and beta.

A row of N integers q has the exact moments S = sum(q) and Q = sum(q * q); zero point and scale s only meet epsilon:
(x - mean) / sqrt(variance + epsilon) is d / sqrt(X + e) with d = N * q - S, X = N * Q - S * S and e = epsilon * N**2 /
s**2. Of RmsNorm S counts as 0, and q less the zero point takes q's place. That is n, which is kept with `normal_bits`.
gamma's integers are in 2**-gain_bits, beta's in 2**-right_shift of a step of the result, and
result = (n * gamma * 2**-32 + beta) * 2**-right_shift, rounded once; so gain_bits + normal_bits = 32 + right_shift.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tinsmith_ir.arithmetic import round_half_away
from tinsmith_ir.dtypes import DType
from tinsmith_ir.errors import GraphError
from tinsmith_ir.types import Quantization, TensorType

LONGEST_ROW = 1 << 15
"""Elements of a row of integers: N * N * 2**30 is at most 2**60, and N * 65535 below 2**31."""
HIGH_BITS = 32
"""Of a product of n and gamma that are dropped before beta is added: what a register does not hold."""
_NORMAL_BITS = 27
"""The largest n of a row has as many."""
_SUM_BITS = 61
"""X + e, scaled, is below 2**61."""
_GAIN_BITS = 30
"""Of the integers of gamma, and of beta, that `integer_gains` makes."""
_MOST_RIGHT = 24
"""Fraction bits of a step that it asks for: more would change nothing."""


class Moments(Protocol):
    """LayerNorm or RmsNorm."""

    @property
    def epsilon(self) -> float:
        """Above 0."""
        ...

    @property
    def is_centred(self) -> bool:
        """Whether the mean is subtracted."""
        ...


@dataclass(frozen=True)
class MomentParameters:
    """Of LayerNorm and RmsNorm of integers; see above.

    zero_point: what is subtracted from the input, 0 where the mean is. square_shift: X + e is kept in 2**-square_shift,
    even, in [-62, 60]. epsilon: e in that unit, below 2**62. normal_bits: of n, whose integers are at most 2**27. gain:
    what gamma is if there is none. right_shift: in [1, 30].
    """

    zero_point: int
    square_shift: int
    epsilon: int
    normal_bits: int
    gain: int
    right_shift: int
    output_zero_point: int

    @property
    def base_shift(self) -> int:
        """What the shift of a row's inverse root begins from: 31 - square_shift / 2 - normal_bits."""
        return 31 - self.square_shift // 2 - self.normal_bits


@dataclass(frozen=True, eq=False)
class IntegerGains:
    """gamma and beta as integers, int32, with their scales; None of what is absent."""

    gamma: NDArray[np.int32] | None
    gamma_scale: Quantization | None
    beta: NDArray[np.int32] | None
    beta_scale: Quantization | None


def moment_parameters(
    operator: Moments, inputs: Sequence[TensorType | None], output: TensorType
) -> MomentParameters:
    """Of int8 or int16 to either. Raises GraphError for scales of gamma and beta that are not such parts of a step, and
    for numbers that no integers hold.
    """
    source, gamma, beta = (*inputs, None, None)[:3]
    if source is None or source.quantization is None or output.quantization is None:
        raise GraphError("expected an input and a result that are quantized")
    shift, epsilon, normal_bits = _squares(operator, source)
    right = _right_shift(gamma, beta, output, normal_bits)
    return MomentParameters(
        0 if operator.is_centred else source.quantization.zero_point,
        shift,
        epsilon,
        normal_bits,
        _gain(output, right, normal_bits) if gamma is None else 0,
        right,
        output.quantization.zero_point,
    )


def integer_gains(
    operator: Moments,
    source: TensorType,
    output: TensorType,
    gamma: NDArray[np.float32] | None,
    beta: NDArray[np.float32] | None,
) -> IntegerGains:
    """The integers of real gamma and beta beside an input and a result of these types, as fine as 32 bits hold.

    gamma, beta: (N,). Raises GraphError if they are not finite, or so large that a step is less than 2**-24 of the
    largest result.
    """
    assert output.quantization is not None  # of integers
    scale = output.quantization.scale
    _, _, normal_bits = _squares(operator, source)
    largest = _largest(gamma, 1.0) / scale, _largest(beta, 0.0) / scale
    rights = [
        _MOST_RIGHT,
        _GAIN_BITS - _exponent(largest[0]) + normal_bits - HIGH_BITS,
        _GAIN_BITS - _exponent(largest[1]),
    ]
    right = min(rights)
    if right < 1:
        raise GraphError(
            f"expected a scale of the result that its largest elements are fewer than 2**24 of, got {scale} "
            f"beside gamma and beta of {largest[0] * scale:g} and {largest[1] * scale:g} at most"
        )
    gamma_scale, beta_scale = (
        Quantization.per_tensor(_part(scale, bits), 0)
        for bits in (HIGH_BITS + right - normal_bits, right)
    )
    return IntegerGains(
        _integers(gamma, gamma_scale),
        None if gamma is None else gamma_scale,
        _integers(beta, beta_scale),
        None if beta is None else beta_scale,
    )


def _squares(operator: Moments, source: TensorType) -> tuple[int, int, int]:
    """square_shift, epsilon and normal_bits: of the largest X that the type allows."""
    assert source.quantization is not None  # the callers asked
    count, scale = source.shape[-1], source.quantization.scale
    low, high = source.dtype.integer_range
    zero_point = source.quantization.zero_point
    reach = (high - low) / 2 if operator.is_centred else max(high - zero_point, zero_point - low)
    largest = (count * reach) ** 2
    share = float(np.float32(operator.epsilon)) * (count / scale) ** 2
    shift = _SUM_BITS - _exponent(largest + share)
    shift -= shift % 2
    if shift < -_SUM_BITS - 1:
        raise GraphError(
            f"expected an epsilon that is not beyond all squares of the input, got {operator.epsilon} beside a scale "
            f"of {scale}"
        )
    # No element is further from 0 than the root of N times the mean square.
    normal = math.sqrt(count * largest / (largest + share))
    return shift, round_half_away(math.ldexp(share, shift)), _NORMAL_BITS - _exponent(normal)


def _right_shift(
    gamma: TensorType | None, beta: TensorType | None, output: TensorType, normal_bits: int
) -> int:
    """By the scale of gamma, or of beta, which must agree; of neither as many bits as the gain leaves."""
    found: list[int] = []
    if gamma is not None:
        found.append(_bits(gamma, output, "gamma") + normal_bits - HIGH_BITS)
    if beta is not None:
        found.append(_bits(beta, output, "beta"))
    if not found:
        assert output.quantization is not None
        spare = _GAIN_BITS - _exponent(1.0 / output.quantization.scale)
        found.append(min(_MOST_RIGHT, spare + normal_bits - HIGH_BITS))
    if found[0] != found[-1]:
        raise GraphError(
            f"expected gamma of 2**{normal_bits - HIGH_BITS} times the scale of beta beside such rows, got "
            f"2**{found[-1] - found[0]} times that"
        )
    if not 1 <= found[0] <= _GAIN_BITS:
        raise GraphError(
            f"expected from 1 to {_GAIN_BITS} bits below a step of the result, got {found[0]}"
        )
    return found[0]


def _bits(type_: TensorType, output: TensorType, name: str) -> int:
    """How many times a scale is half of the result's."""
    assert output.quantization is not None
    assert type_.quantization is not None
    ratio = float(np.float32(output.quantization.scale)) / float(
        np.float32(type_.quantization.scale)
    )
    fraction, exponent = math.frexp(ratio)
    if fraction != 0.5:
        raise GraphError(
            f"expected {name} of a scale that is the result's times a power of two, got {type_.quantization.scale} "
            f"beside {output.quantization.scale}"
        )
    return exponent - 1


def _gain(output: TensorType, right: int, normal_bits: int) -> int:
    """1 in the unit of gamma."""
    assert output.quantization is not None
    gain = round_half_away(
        math.ldexp(1.0 / output.quantization.scale, HIGH_BITS + right - normal_bits)
    )
    if gain > DType.INT32.integer_range[1]:
        raise GraphError(
            f"expected a gamma of 1 below 2**31 of its units, got a result of scale {output.quantization.scale} with "
            f"{right} bits below a step"
        )
    return gain


def _largest(array: NDArray[np.float32] | None, absent: float) -> float:
    if array is None:
        return absent
    if not bool(np.isfinite(array).all()):
        raise GraphError("expected gamma and beta of finite numbers, got others")
    return float(np.abs(array).max())


def _exponent(real: float) -> int:
    """The least e with real < 2**e; of 0 so low that it asks for nothing."""
    return math.frexp(real)[1] if real else -HIGH_BITS


def _part(scale: float, bits: int) -> float:
    """scale * 2**-bits. Raises GraphError where float32 does not hold it."""
    part = math.ldexp(float(np.float32(scale)), -bits)
    with np.errstate(over="ignore"):
        is_kept = float(np.float32(part)) == part > 0.0
    if not is_kept:
        raise GraphError(f"expected a scale of the result that is no limit of float32, got {scale}")
    return part


def _integers(array: NDArray[np.float32] | None, unit: Quantization) -> NDArray[np.int32] | None:
    if array is None:
        return None
    return np.rint(array.astype(np.float64) / unit.scale).astype(np.int32)
