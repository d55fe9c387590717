"""Scales for blocks of what an output channel reads: whole multiples of one for the channel, which integers can count.

Weights of few bits lose most where one scale serves a long row, in which some weights are much larger than others.
Each block of a row has the scale that is best for it; the largest of a row is its channel's times MOST, the others are
rounded to multiples of that.
"""

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir.dtypes import DType
from tinsmith_ir.operators import Conv2D, FullyConnected
from tinsmith_ir.operators.blockwise import deepest
from tinsmith_ir.types import Quantization, TensorType

from tinsmith_quantization.products import Matrix, Product
from tinsmith_quantization.schemes import Scheme
from tinsmith_quantization.weights import BlockScales, scales_of

MOST = 15
"""The largest multiple. Larger ones would be nearer to the best scales, but sums grow with them, and leave less of 32
bits for the multiplier behind them; by 15 sums of 4 bits are as large as those of 8.
"""
_POWER = 8
"""The same where multiples are powers of two."""
_INT8 = TensorType((1,), DType.INT8, Quantization.per_tensor(1.0, 127))
"""The type of integers that are furthest from their zero point."""


def block_of(product: Product, bits: int, scheme: Scheme) -> int:
    """How many terms of a layer with weights of `bits` share a scale; 0 if all of an output channel do.

    There are integers with blocks for products with a matrix, and convolutions that are one, that read more than a
    block, but not so much that sums may leave 32 bits.
    """
    node, operator = product.node, product.operator
    types = [value and value.type for value in node.inputs]
    is_matrix = isinstance(operator, FullyConnected) or (
        isinstance(operator, Conv2D) and operator.multiplies_pixels(types)
    )
    is_fit = scheme.block < product.terms <= deepest(_INT8, DType.INT4)
    return scheme.block if bits < 8 and is_matrix and is_fit else 0


def block_scales(
    matrix: Matrix,
    bits: int,
    block: int,
    least: Matrix,
    squares: Matrix | None = None,
    *,
    power_of_two: bool = False,
) -> BlockScales:
    """For weights (1, O, K). least: (1, O), the least scale of each channel for which its bias fits into 32 bits.

    squares: (1, K), by which the error of each term counts; all the same if None.
    """
    per_block = _by_block(matrix, block)
    counted = None if squares is None else _by_block(squares[:, None, :], block)[:, 0, :]
    found = scales_of(per_block, bits, counted, power_of_two=power_of_two).T  # (O, blocks)
    top = found.max(axis=1)
    most = _POWER if power_of_two else MOST
    rows = np.maximum(top / most, least[0])
    if power_of_two:
        rows = np.exp2(np.ceil(np.log2(rows) - 1e-9))
    multiples = np.clip(np.rint(found / rows[:, None]), 1, most).astype(np.int64)
    common = np.gcd.reduce(multiples, axis=1)
    spread = np.repeat(multiples // common[:, None], block, axis=1)[:, : matrix.shape[2]]
    rows = (rows * common).astype(np.float32).astype(np.float64)
    return BlockScales(rows[None], spread[None])


def _by_block(matrix: Matrix, block: int) -> Matrix:
    """(1, O, K) as (blocks, O, block), with zeros behind a last one that is short."""
    _, outputs, terms = matrix.shape
    padded = np.pad(matrix[0], ((0, 0), (0, -terms % block)))
    return np.ascontiguousarray(padded.reshape(outputs, -1, block).transpose(1, 0, 2))


def blocks_bytes(integers: NDArray[np.int64], block: int) -> int:
    """That the multiples of a layer's blocks take; 0 if it has none."""
    return integers.shape[1] * -(-integers.shape[2] // block) if block else 0
