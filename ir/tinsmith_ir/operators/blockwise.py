"""BlockwiseFullyConnected: a matrix product whose weights have a scale for each block of inputs, in integers."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tinsmith_ir.activation import Activation
from tinsmith_ir.arithmetic import INT32_MAX
from tinsmith_ir.boxes import Box
from tinsmith_ir.dtypes import DType
from tinsmith_ir.errors import GraphError
from tinsmith_ir.operators import checks
from tinsmith_ir.operators.base import Array, Operand, Restriction, Types, required
from tinsmith_ir.operators.fully_connected import boxes_of_part, result_shape
from tinsmith_ir.operators.weighted import (
    Weighted,
    accumulate,
    centred,
    finish_integer,
    verify_weighted,
    weighted_operands,
)
from tinsmith_ir.parameters import fully_connected_channel_parameters
from tinsmith_ir.types import TensorType

_WEIGHTS = (DType.INT4, DType.INT2)
_BLOCKS = 3
"""The operand that holds the multipliers of blocks; weights and bias are where other weighted operators have them."""


@dataclass(frozen=True)
class BlockwiseFullyConnected(Weighted):
    """input (..., K) flattened to (B, K) * (weights (N, K) * blocks (N, ceil(K / block))) + bias (N,) -> (B, N).

    The real weight of unit n and element k is scale[n] * blocks[n, k // block] * weights[n, k]: the scales of the
    blocks of a unit are whole multiples, 0 to 255, of that of the unit. So sums stay integers,
    acc[n] = bias[n] + sum over b of blocks[n, b] * (sum over k in b of (x - zero point) * w[n, k]), and end as those of
    FullyConnected. input: int8. weights: symmetric int4 or int2, per tensor or per axis 0. blocks: uint8 without
    quantization. block: elements of the input that share a multiplier; the last may be short.

    keep_dims: the result is input.shape[:-1] + (N,) instead, and K must be the last dimension.
    """

    mnemonic: ClassVar[str] = "blockwise_fully_connected"
    operands: ClassVar[tuple[Operand, ...]] = (*Weighted.operands, Operand("blocks"))
    weights_axis: ClassVar[int] = 0

    block: int = 32
    activation: Activation = Activation.NONE
    keep_dims: bool = False

    def infer(self, inputs: Types) -> tuple[TensorType, ...]:
        """(B, N), or the leading dimensions and N; the input's elements must be B * K."""
        if self.block < 1:
            raise GraphError(f"expected a block of at least 1 element, got {self.block}")
        shape = result_shape(inputs, keep_dims=self.keep_dims)
        units, depth = checks.present(inputs, 1, "weights").shape
        blocks = checks.present(inputs, _BLOCKS, "blocks")
        wanted = (units, -(-depth // self.block))
        if blocks.shape != wanted:
            raise GraphError(
                f"expected blocks of shape {wanted}, {depth} inputs by {self.block}, got {blocks.shape}"
            )
        return (TensorType(shape, checks.present(inputs, 0, "input").dtype),)

    def verify(self, inputs: Types, outputs: Sequence[TensorType]) -> None:
        """See `verify_weighted`; so few inputs that no sum of products leaves 32 bits, whatever the constants are."""
        input_, weights = checks.present(inputs, 0, "input"), checks.present(inputs, 1, "weights")
        blocks = checks.present(inputs, _BLOCKS, "blocks")
        checks.check_dtype(input_, (DType.INT8,), "input")
        checks.check_dtype(weights, _WEIGHTS, "weights")
        verify_weighted(inputs, outputs[0], self.weights_axis)
        checks.check_dtype(blocks, (DType.UINT8,), "blocks")
        if blocks.quantization is not None:
            raise GraphError("expected blocks without quantization, got some")
        most, depth = deepest(input_, weights.dtype), weights.shape[1]
        if depth > most:
            raise GraphError(
                f"expected at most {most} inputs, so that sums stay in 32 bits, got {depth}; "
                "split the layer, and add its parts"
            )
        self.check_scales(inputs, outputs)

    def check_scales(self, inputs: Types, outputs: Sequence[TensorType]) -> None:
        """See `fully_connected_channel_parameters`."""
        fully_connected_channel_parameters(self, inputs, outputs[0])

    def evaluate(
        self, arrays: Sequence[Array | None], inputs: Types, outputs: Sequence[TensorType]
    ) -> tuple[Array, ...]:
        """One matrix product, by weights times multipliers."""
        array, weights, bias = weighted_operands(arrays)
        matrix = multiplied(weights, required(arrays, _BLOCKS), self.block)
        rows = centred(array, checks.present(inputs, 0, "input")).reshape(-1, matrix.shape[1])
        parameters = fully_connected_channel_parameters(self, inputs, outputs[0])
        acc = accumulate(rows, matrix)
        result = finish_integer(acc, bias, parameters, outputs[0].dtype, wide=False)
        return (result.reshape(outputs[0].shape),)

    def restrict_part(
        self, box: Box, inputs: Types, outputs: Sequence[TensorType]
    ) -> Restriction | None:
        """By channel anywhere, by row where the input has rows of its own."""
        boxes = boxes_of_part(box, inputs, outputs)
        if boxes is None:
            return None
        each = checks.present(inputs, _BLOCKS, "blocks").shape[1]
        return Restriction(self, (*boxes, Box((box.ranges[-1], (0, each)))))

    def macs(self, inputs: Types, outputs: Sequence[TensorType]) -> int:
        """B * N * K."""
        return outputs[0].elements * checks.present(inputs, 1, "weights").shape[1]


def multiplied(weights: Array, blocks: Array, block: int) -> NDArray[np.int64]:
    """weights (N, K) times the multipliers (N, ceil(K / block)) of their blocks: by what each input counts."""
    each = np.repeat(blocks.astype(np.int64), block, axis=1)
    return weights.astype(np.int64) * each[:, : weights.shape[1]]


def deepest(input_: TensorType, weights: DType) -> int:
    """The most inputs of a unit for which no sum of products can leave 32 bits: 4128 of int4 beside any zero point."""
    low, high = input_.dtype.integer_range
    zero = input_.quantization.zero_point if input_.quantization else 0
    reach = max(high - zero, zero - low)
    return INT32_MAX // (reach * -weights.integer_range[0] * DType.UINT8.integer_range[1])
