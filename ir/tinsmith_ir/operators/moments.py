"""Normalization of rows, the last axis, by their moments: layer norm, and by the root of the mean square alone."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tinsmith_ir.arithmetic import wrap_int32
from tinsmith_ir.boxes import Box
from tinsmith_ir.dtypes import DType
from tinsmith_ir.errors import GraphError
from tinsmith_ir.float_functions import sqrt_f32
from tinsmith_ir.inverse_root import EXACT_STEPS, inverse_root
from tinsmith_ir.moment_parameters import (
    HIGH_BITS,
    LONGEST_ROW,
    MomentParameters,
    moment_parameters,
)
from tinsmith_ir.operators import checks
from tinsmith_ir.operators.base import Array, Operand, Operator, Restriction, Types, required
from tinsmith_ir.types import TensorType

_ROOT_BITS = 31
_WIDE_BITS = 32
"""So many of a sum are too many at most."""
_SHORT_ROOT = 1 << 29


@dataclass(frozen=True)
class MomentsOperator(Operator):
    """What LayerNorm and RmsNorm share. epsilon: above 0. result: of integers, its element type, if another one.

    float32: sums in order of the row from zero, divided by its length; 1 / sqrt(... + epsilon) is a root and a
    division; its product with what is left of x, with gamma, and the sum with beta are rounded one by one.

    Integers (int8 and int16, of rows of at most 32768) compute without a float: moments are exact; 1 / sqrt(x) is
    TFLite's `GetInvSqrtQuantizedMultiplierExp` (inverse_root.py) with a step of Newton's method more; gamma and beta
    are int32 in parts of a step of the result (moment_parameters.py says which, `integer_gains` makes them); the result
    is rounded once, halves up. Let Y be sqrt(N) * max|gamma| and B max|beta|, both in steps of the result. With gamma
    and beta as `integer_gains` makes them it is within 1/2 + (Y + B + 1) * 2**-22 steps of the real one, clamped: Y is
    a few thousand for int8, so that is 0.501. Rows of int16 of more than 512 elements that are equal but for a few,
    whose epsilon is kept in whole parts of X, may add Y * 2**-17.
    """

    operands: ClassVar[tuple[Operand, ...]] = (Operand("input"), Operand("gamma", optional=True))

    epsilon: float = 1e-5
    result: DType | None = None

    @property
    def is_centred(self) -> bool:
        """Whether the mean is subtracted."""
        raise NotImplementedError

    def infer(self, inputs: Types) -> tuple[TensorType, ...]:
        """The input's shape, of rank 1 or more; gamma and beta have one number for each element of a row."""
        input_ = checks.present(inputs, 0, "input")
        if not input_.shape:
            raise GraphError("expected an input of rank 1 or more, got a scalar")
        for operand, type_ in zip(self.operands[1:], inputs[1:], strict=False):
            if type_ is not None and type_.shape != input_.shape[-1:]:
                raise GraphError(
                    f"expected {operand.name} of shape {input_.shape[-1:]}, got {type_.shape}"
                )
        return (TensorType(input_.shape, self.result or input_.dtype),)

    def verify(self, inputs: Types, outputs: Sequence[TensorType]) -> None:
        """float32 with gamma and beta of float32; int8 or int16 with those of int32, symmetric; epsilon above 0."""
        with np.errstate(over="ignore"):
            epsilon = float(np.float32(self.epsilon))
        if not (math.isfinite(epsilon) and epsilon > 0):
            raise GraphError(f"expected an epsilon above 0 that is a float32, got {self.epsilon}")
        input_ = checks.present(inputs, 0, "input")
        checks.check_numbers(input_, "input")
        checks.check_numbers(outputs[0], "result")
        is_real = input_.dtype is DType.FLOAT32
        if self.result is not None and (is_real or self.result not in checks.QUANTIZED_DTYPES):
            raise GraphError(f"expected no result of {self.result.value} of {input_.dtype.value}")
        for operand, type_ in zip(self.operands[1:], inputs[1:], strict=False):
            if type_ is not None:
                _check_factor(type_, operand.name, is_real=is_real)
        if is_real:
            return
        if input_.shape[-1] > LONGEST_ROW:
            raise GraphError(
                f"expected rows of at most {LONGEST_ROW} integers, got {input_.shape[-1]}"
            )
        self.check_scales(inputs, outputs)

    def check_scales(self, inputs: Types, outputs: Sequence[TensorType]) -> None:
        """See `moment_parameters`."""
        moment_parameters(self, inputs, outputs[0])

    def restrict_part(
        self, box: Box, inputs: Types, outputs: Sequence[TensorType]
    ) -> Restriction | None:
        """By rows; each needs all of itself, gamma and beta."""
        if not box.is_whole(outputs[0].shape, len(box.ranges) - 1):
            return None
        factors = (type_ and Box.whole(type_.shape) for type_ in inputs[1:])
        return Restriction(self, (box, *factors))

    def evaluate(
        self, arrays: Sequence[Array | None], inputs: Types, outputs: Sequence[TensorType]
    ) -> tuple[Array, ...]:
        """Row by row over the last axis."""
        array = required(arrays, 0)
        gamma, beta = (*arrays[1:], None, None)[:2]
        if outputs[0].dtype is DType.FLOAT32:
            real = array.astype(np.float32)
            return (_normalized_f32(real, gamma, beta, np.float32(self.epsilon), self.is_centred),)
        p = moment_parameters(self, inputs, outputs[0])
        normal = _normal(array.astype(np.int64), p, is_centred=self.is_centred)
        # At most 2**27 * 2**31 before the shift; the sum wraps as int32 does, which none of `integer_gains` does.
        gain = np.int64(p.gain) if gamma is None else gamma.astype(np.int64)
        half = np.int64(1 << (p.right_shift - 1))
        added = half if beta is None else beta.astype(np.int64) + half
        shifted = ((normal * gain) >> HIGH_BITS) + added
        steps = (wrap_int32(shifted) >> p.right_shift).astype(np.int64) + p.output_zero_point
        return (np.clip(steps, *outputs[0].dtype.integer_range).astype(outputs[0].dtype.numpy),)


@dataclass(frozen=True)
class LayerNorm(MomentsOperator):
    """(x - mean) / sqrt(variance + epsilon) * gamma + beta, over the last axis; see `MomentsOperator`."""

    mnemonic: ClassVar[str] = "layer_norm"
    operands: ClassVar[tuple[Operand, ...]] = (
        *MomentsOperator.operands,
        Operand("beta", optional=True),
    )

    @property
    def is_centred(self) -> bool:
        """The mean is subtracted."""
        return True


@dataclass(frozen=True)
class RmsNorm(MomentsOperator):
    """x / sqrt(mean of squares + epsilon) * gamma, over the last axis; see `MomentsOperator`."""

    mnemonic: ClassVar[str] = "rms_norm"

    @property
    def is_centred(self) -> bool:
        """It is not."""
        return False


def _check_factor(type_: TensorType, name: str, *, is_real: bool) -> None:
    checks.check_dtype(type_, (DType.FLOAT32 if is_real else DType.INT32,), name)
    if is_real:
        return
    quantization = checks.check_quantized(type_, name)
    if quantization.zero_point:
        raise GraphError(f"expected {name} of zero point 0, got {quantization.zero_point}")


@np.errstate(invalid="ignore", over="ignore", under="ignore")
def _normalized_f32(
    array: NDArray[np.float32],
    gamma: Array | None,
    beta: Array | None,
    epsilon: np.float32,
    is_centred: bool,
) -> NDArray[np.float32]:
    rest = array - _mean_f32(array) if is_centred else array
    deviation = sqrt_f32(_mean_f32(rest * rest) + epsilon)
    result = rest * (np.float32(1.0) / deviation).astype(np.float32)
    if gamma is not None:
        result = result * gamma.astype(np.float32)
    return result if beta is None else result + beta.astype(np.float32)


def _mean_f32(array: NDArray[np.float32]) -> NDArray[np.float32]:
    total = np.zeros((*array.shape[:-1], 1), np.float32)
    for index in range(array.shape[-1]):
        total += array[..., index : index + 1]
    return total / np.float32(array.shape[-1])


def _normal(
    array: NDArray[np.int64], p: MomentParameters, *, is_centred: bool
) -> NDArray[np.int64]:
    """n = d / sqrt(X + e) in 2**-normal_bits; see moment_parameters.py for X, d and e.

    No step leaves int64: with at most 2**15 elements X, its two terms, and its sum with e are at most 2**61; d is below
    2**31, as the inverse root, so their product is below 2**62, to which half of 2**45 at most is added.
    """
    count = array.shape[-1]
    values = array - p.zero_point
    total = values.sum(axis=-1, keepdims=True) * int(is_centred)
    squares = count * (values * values).sum(axis=-1, keepdims=True) - total * total
    multiplier, shift = _inverse_root(squares, p)
    return ((count * values - total) * multiplier + (np.int64(1) << (shift - 1))) >> shift


def _inverse_root(
    squares: NDArray[np.int64], p: MomentParameters
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """2**normal_bits / sqrt(X + e) as multiplier * 2**-shift, a multiplier of 30 or 31 bits.

    The shift is at least 1, as n has not more than 27 bits, and at most 45, as n has no fewer than its share of what
    there can be; of a row of equal elements, which no number changes, 1.
    """
    left, right = max(p.square_shift, 0), max(-p.square_shift, 0)
    kept = ((squares << left) >> right) + p.epsilon
    shift = np.full(kept.shape, p.base_shift, np.int64)
    for _ in range(_WIDE_BITS // 2):
        is_wide = ((kept >> _ROOT_BITS) > 0).astype(np.int64)
        shift, kept = shift + is_wide, kept >> (2 * is_wide)
    root, root_shift = inverse_root(kept.astype(np.int32), EXACT_STEPS)
    is_short = (root < _SHORT_ROOT).astype(np.int64)
    multiplier = root.astype(np.int64) << (2 * is_short)
    return multiplier, np.where(squares > 0, shift + 2 * is_short - root_shift, np.int64(1))
