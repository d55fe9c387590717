"""A layer of filters over time, each a filter over features and one over the last steps (SVDF): SvdfState, Svdf.

Every filter keeps what it has made of the features of the last steps. An SvdfState is that memory one step later, an
Svdf what a layer gives of it. So the memory is an operand and a result like others: a state of the graph, which is
computed in place.

See "Compressing deep neural networks using a rank-constrained topology" (Nakkiran et al., 2015).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tinsmith_ir.activation import Activation
from tinsmith_ir.arithmetic import multiply_by_quantized_multiplier, wrap_int32
from tinsmith_ir.boxes import Box
from tinsmith_ir.dtypes import DType
from tinsmith_ir.errors import GraphError
from tinsmith_ir.operators import checks
from tinsmith_ir.operators.base import (
    Array,
    Operand,
    Operator,
    Restriction,
    Trait,
    Types,
    required,
)
from tinsmith_ir.operators.scaling import clamp_f32
from tinsmith_ir.operators.weighted import accumulate, centred
from tinsmith_ir.svdf_parameters import SvdfParameters, svdf_parameters, svdf_state_parameters
from tinsmith_ir.types import TensorType

_STATES = (DType.INT16, DType.INT8)


@dataclass(frozen=True)
class SvdfState(Operator):
    """state (B, F * M), input (B, K), weights (F, K) -> the state one step later: of each of F filters the last M
    products of its weights with inputs, the newest last.

    float32; or int8 input and weights, with a state of int16 as TFLite has it, or of int8 as TFLite Micro
    has it, too: a product is rescaled and clamped, and then a zero point of an int8 state is added, which may wrap.
    """

    mnemonic: ClassVar[str] = "svdf_state"
    operands: ClassVar[tuple[Operand, ...]] = (
        Operand("state"),
        Operand("input"),
        Operand("weights"),
    )

    def infer(self, inputs: Types) -> tuple[TensorType, ...]:
        """The type of the state."""
        state = checks.present(inputs, 0, "state")
        input_ = checks.present(inputs, 1, "input")
        weights = checks.present(inputs, 2, "weights")
        for type_, name in ((state, "state"), (input_, "input"), (weights, "weights")):
            checks.check_rank(type_, 2, name)
        filters, depth = weights.shape
        if input_.shape != (state.shape[0], depth):
            raise GraphError(
                f"expected an input of shape {(state.shape[0], depth)}, got {input_.shape}"
            )
        if state.shape[1] % filters:
            raise GraphError(
                f"expected a state of as many steps for each of {filters} filters, got {state.shape}"
            )
        return (state,)

    def verify(self, inputs: Types, outputs: Sequence[TensorType]) -> None:
        """See the class. The result is quantized as the state."""
        state, input_ = checks.present(inputs, 0, "state"), checks.present(inputs, 1, "input")
        weights = checks.present(inputs, 2, "weights")
        checks.check_same_quantization(state, outputs[0], "state and result")
        _check_factors(input_, weights, (DType.INT8,), (DType.INT8,))
        allowed = (DType.FLOAT32,) if input_.dtype is DType.FLOAT32 else _STATES
        checks.check_dtype(state, allowed, "state")
        if state.dtype is not DType.FLOAT32:
            checks.check_quantized(state, "state")
            self.check_scales(inputs, outputs)

    def check_scales(self, inputs: Types, outputs: Sequence[TensorType]) -> None:
        """See `svdf_state_parameters`."""
        svdf_state_parameters(inputs, outputs[0])

    def evaluate(
        self, arrays: Sequence[Array | None], inputs: Types, outputs: Sequence[TensorType]
    ) -> tuple[Array, ...]:
        """Every row of the state moves on by one; the newest product comes behind it."""
        state, weights = required(arrays, 0), required(arrays, 2)
        products = accumulate(
            centred(required(arrays, 1), checks.present(inputs, 1, "input")), weights
        )
        if outputs[0].dtype is not DType.FLOAT32:
            parameters = svdf_state_parameters(inputs, outputs[0])
            clamped = np.clip(
                _scaled(products.astype(np.int64), parameters),
                parameters.clamp_min,
                parameters.clamp_max,
            )
            products = (clamped + parameters.output_offset).astype(outputs[0].dtype.numpy)
        later = state.reshape(*products.shape, -1).copy()
        later[..., :-1] = later[..., 1:]
        later[..., -1] = products
        return (later.reshape(state.shape),)

    def restrict_part(
        self, box: Box, inputs: Types, outputs: Sequence[TensorType]
    ) -> Restriction | None:
        """By rows, and by whole filters."""
        weights = checks.present(inputs, 2, "weights")
        filters, depth = weights.shape
        steps = outputs[0].shape[1] // filters
        rows, (begin, end) = box.ranges
        if begin % steps or end % steps:
            return None
        kept = Box(((begin // steps, end // steps), (0, depth)))
        return Restriction(self, (box, Box((rows, (0, depth))), kept))

    def macs(self, inputs: Types, outputs: Sequence[TensorType]) -> int:
        """B * F * K."""
        return outputs[0].shape[0] * checks.present(inputs, 2, "weights").elements


@dataclass(frozen=True)
class Svdf(Operator):
    """state (B, F * M), weights (F, M), bias (U,) -> (B, U): of each unit the bias and the sums over time of its
    filters.

    rank: filters of a unit, F / U. float32; or a state and weights of int16, or both of int8, with a bias of int32
    and an int8 result.
    """

    mnemonic: ClassVar[str] = "svdf"
    operands: ClassVar[tuple[Operand, ...]] = (
        Operand("state"),
        Operand("weights"),
        Operand("bias", optional=True),
    )
    traits: ClassVar[frozenset[Trait]] = frozenset({Trait.FUSES_CLAMP})

    rank: int = 1
    activation: Activation = Activation.NONE

    def infer(self, inputs: Types) -> tuple[TensorType, ...]:
        """(B, U), of integers int8."""
        state = checks.present(inputs, 0, "state")
        weights = checks.present(inputs, 1, "weights")
        bias = checks.optional(inputs, 2)
        checks.check_rank(state, 2, "state")
        checks.check_rank(weights, 2, "weights")
        filters = weights.shape[0]
        if state.shape[1] != weights.elements:
            raise GraphError(
                f"expected a state of {filters} filters of {weights.shape[1]} steps, got {state.shape}"
            )
        if self.rank < 1 or filters % self.rank:
            raise GraphError(f"expected a rank that divides {filters} filters, got {self.rank}")
        units = filters // self.rank
        if bias is not None and bias.shape != (units,):
            raise GraphError(f"expected bias of shape {(units,)}, got {bias.shape}")
        dtype = DType.FLOAT32 if state.dtype is DType.FLOAT32 else DType.INT8
        return (TensorType((state.shape[0], units), dtype),)

    def verify(self, inputs: Types, outputs: Sequence[TensorType]) -> None:
        """See the class."""
        state, weights = checks.present(inputs, 0, "state"), checks.present(inputs, 1, "weights")
        bias = checks.optional(inputs, 2)
        is_float = state.dtype is DType.FLOAT32
        _check_factors(state, weights, _STATES, (state.dtype,))
        if bias is not None:
            checks.check_dtype(bias, (DType.FLOAT32 if is_float else DType.INT32,), "bias")
        if not is_float:
            checks.check_quantized(outputs[0], "result")
            self.check_scales(inputs, outputs)

    def check_scales(self, inputs: Types, outputs: Sequence[TensorType]) -> None:
        """See `svdf_parameters`."""
        svdf_parameters(inputs, outputs[0], self.activation)

    def evaluate(
        self, arrays: Sequence[Array | None], inputs: Types, outputs: Sequence[TensorType]
    ) -> tuple[Array, ...]:
        """Filter by filter over time, from zero; then the bias, and the filters of the unit in their order."""
        state, weights = required(arrays, 0), required(arrays, 1)
        bias = arrays[2] if len(arrays) > 2 else None
        if bias is None:
            bias = np.zeros(outputs[0].shape[1], state.dtype)
        by_filter = state.reshape(-1, *weights.shape)
        if outputs[0].dtype is DType.FLOAT32:
            sums = _sums_over_time_f32(by_filter.astype(np.float32), weights.astype(np.float32))
            total = np.broadcast_to(bias.astype(np.float32), outputs[0].shape).copy()
            for number in range(self.rank):
                total += sums[:, number :: self.rank]
            return (clamp_f32(total, self.activation),)
        parameters = svdf_parameters(inputs, outputs[0], self.activation)
        products = (by_filter.astype(np.int64) + parameters.input_offset) * weights.astype(np.int64)
        of_units = products.sum(axis=-1).reshape(*outputs[0].shape, self.rank).sum(axis=-1)
        moved = _scaled(of_units + bias.astype(np.int64), parameters) + parameters.output_offset
        return (np.clip(moved, parameters.clamp_min, parameters.clamp_max).astype(np.int8),)

    def restrict_part(
        self, box: Box, inputs: Types, outputs: Sequence[TensorType]
    ) -> Restriction | None:
        """Anywhere: by rows, and by units, which have filters of their own."""
        del outputs
        steps = checks.present(inputs, 1, "weights").shape[1]
        rows, units = box.ranges
        begin, end = (unit * self.rank for unit in units)
        kept = (Box((rows, (begin * steps, end * steps))), Box(((begin, end), (0, steps))))
        bias = Box((units,)) if checks.optional(inputs, 2) is not None else None
        return Restriction(self, (*kept, bias)[: len(inputs)])

    def macs(self, inputs: Types, outputs: Sequence[TensorType]) -> int:
        """B * F * M."""
        return outputs[0].shape[0] * checks.present(inputs, 1, "weights").elements


def _check_factors(
    factor: TensorType, weights: TensorType, dtypes: Sequence[DType], of_weights: Sequence[DType]
) -> None:
    """Both float32, or quantized per tensor and of these dtypes; weights have the zero point 0."""
    if factor.dtype is DType.FLOAT32:
        checks.check_dtype(weights, (DType.FLOAT32,), "weights")
        return
    checks.check_dtype(factor, (DType.FLOAT32, *dtypes), "input")
    checks.check_dtype(weights, of_weights, "weights")
    checks.check_quantized(factor, "input")
    zero_point = checks.check_quantized(weights, "weights").zero_point
    if zero_point:
        raise GraphError(f"expected weights with zero point 0, got {zero_point}")


def _sums_over_time_f32(
    state: NDArray[np.float32], weights: NDArray[np.float32]
) -> NDArray[np.float32]:
    """(B, F, M) by (F, M) -> (B, F), in the order of M."""
    sums = np.zeros(state.shape[:2], np.float32)
    for step in range(state.shape[2]):
        sums += state[..., step] * weights[:, step]
    return sums


def _scaled(sums: NDArray[np.int64], parameters: SvdfParameters) -> NDArray[np.int64]:
    """Sums, of which the low 32 bits count, rescaled with two roundings."""
    kept = wrap_int32(sums)
    scaled = multiply_by_quantized_multiplier(kept, parameters.multiplier, parameters.shift)
    return scaled.astype(np.int64)
