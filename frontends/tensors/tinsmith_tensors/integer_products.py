"""Products of matrices and convolutions of plain integers, exact, as int32."""

import math
from collections.abc import Callable, Sequence

import numpy as np
from tinsmith_ir.dtypes import DType
from tinsmith_ir.errors import UnsupportedError
from tinsmith_ir.graph import Array
from tinsmith_ir.operators import FullyConnected
from tinsmith_ir.types import Quantization

from tinsmith_tensors.composer import Composer, Tensor
from tinsmith_tensors.elementwise import add, cast, mul, sub
from tinsmith_tensors.movement import part, reshape
from tinsmith_tensors.products import matmul
from tinsmith_tensors.quantization import as_real
from tinsmith_tensors.windows import Pads, convolution

_WIDE = np.dtype("<i4")
_EXACT = 1 << 24
"""float32 holds all integers up to here."""
_LARGEST = 255
"""The largest magnitude of an integer of 8 bits minus a zero point."""
_ITSELF = Quantization.per_tensor(1.0, 0)


def integer_matmul(
    c: Composer, lhs: Tensor, rhs: Tensor, lhs_zero: Tensor | None, rhs_zero: Tensor | None
) -> Tensor:
    """(lhs - lhs_zero) @ (rhs - rhs_zero) of integers of 8 bits, as int32.

    lhs_zero: a scalar, or one for each row; rhs_zero: a scalar, or one for each column.
    """
    rows = lhs_zero and _for_rows(c, lhs_zero, lhs.rank)
    weights = None if lhs.is_known else _weights(rhs, rhs_zero)
    if weights is None:
        return _by_floats(c, _centred(c, lhs, rows), _centred(c, rhs, rhs_zero))
    source, distance = _as_int8(c, lhs)
    depth, columns = weights.shape
    flat = reshape(c, source, (lhs.elements // depth, depth))
    operand = c.constant(np.ascontiguousarray(weights.T).astype(np.int8), _ITSELF)
    sums = c.emit(FullyConnected(accumulator=DType.INT32), flat, operand)
    product = reshape(c, c.reinterpreted(sums, None), (*lhs.shape[:-1], columns))
    # What lhs is less than its integers: the same for all elements of a row.
    offset = c.known(np.array(-distance, np.int32))
    if rows is not None:
        offset = add(c, cast(c, rows, _WIDE), offset)
    if offset.array is not None and not offset.array.any():
        return product
    totals = c.known(weights.sum(axis=0, dtype=np.int32))
    return sub(c, product, mul(c, offset, totals))


def integer_convolution(
    c: Composer,
    x: Tensor,
    weights: Tensor,
    x_zero: Tensor | None,
    weights_zero: Tensor | None,
    *,
    stride: Sequence[int],
    dilation: Sequence[int],
    pads: Pads,
    groups: int,
) -> Tensor:
    """The convolution of x - x_zero with weights - weights_zero, integers of 8 bits, as int32.

    weights_zero: a scalar, or one for each output channel.
    """
    if weights_zero is not None and weights_zero.elements > 1:
        weights_zero = reshape(c, weights_zero, (weights_zero.elements, *[1] * (weights.rank - 1)))
    source, kernel = _centred(c, x, x_zero), _centred(c, weights, weights_zero)

    def sums(begin: int, end: int) -> Tensor:
        read = source if groups > 1 else part(c, source, 1, begin, end)
        taken = part(c, kernel, 1, begin, end)
        product = convolution(
            c, read, taken, None, stride=stride, dilation=dilation, pads=pads, groups=groups
        )
        return cast(c, product, _WIDE)

    depth, taps = weights.shape[1], math.prod(weights.shape[2:])
    count = _channels_at_once(kernel.array, depth, taps)
    if (groups > 1 and count < depth) or not count:
        raise UnsupportedError(
            f"expected sums below 2**24, got one of {depth * taps} products of integers of 8 bits"
        )
    return _in_parts(c, depth, count, sums)


def _weights(rhs: Tensor, zero: Tensor | None) -> Array | None:
    """A known matrix minus its zero points, if that fits into int8."""
    if rhs.array is None or rhs.rank != 2 or (zero is not None and zero.array is None):
        return None
    wide = rhs.array.astype(np.int64)
    if zero is not None and zero.array is not None:
        wide = wide - zero.array.astype(np.int64)
    return wide if int(wide.min()) >= -128 and int(wide.max()) <= 127 else None


def _as_int8(c: Composer, x: Tensor) -> tuple[Tensor, int]:
    """x as int8 that stands for itself, and how much lower its integers are."""
    if x.dtype == np.int8:
        return c.reinterpreted(x, _ITSELF), 0
    lowered = sub(c, cast(c, x, _WIDE), c.known(np.array(128, _WIDE)))
    return c.reinterpreted(cast(c, lowered, np.dtype("i1")), _ITSELF), 128


def _for_rows(c: Composer, zero: Tensor, rank: int) -> Tensor:
    return reshape(c, zero, (zero.elements, 1)) if zero.rank == 1 and rank > 1 else zero


def _centred(c: Composer, x: Tensor, zero: Tensor | None) -> Tensor:
    real = as_real(c, x)
    return real if zero is None else sub(c, real, as_real(c, zero))


def _by_floats(c: Composer, lhs: Tensor, rhs: Tensor) -> Tensor:
    """The product of integers that float32 holds, in parts whose sums it holds, too."""
    axis = max(rhs.rank - 2, 0)
    depth = lhs.shape[-1]

    def sums(begin: int, end: int) -> Tensor:
        left = part(c, lhs, lhs.rank - 1, begin, end)
        return cast(c, matmul(c, left, part(c, rhs, axis, begin, end)), _WIDE)

    return _in_parts(c, depth, _EXACT // _LARGEST**2, sums)


def _in_parts(c: Composer, depth: int, count: int, sums: Callable[[int, int], Tensor]) -> Tensor:
    """Sums over `depth`, `count` at a time."""
    total = sums(0, min(count, depth))
    for begin in range(count, depth, count):
        total = add(c, total, sums(begin, min(begin + count, depth)))
    return total


def _channels_at_once(kernel: Array | None, depth: int, taps: int) -> int:
    """Over how many input channels sums are exact in float32, whatever x is; 0 if not of one."""
    if kernel is not None:
        largest = np.abs(kernel.astype(np.float64)).sum(axis=tuple(range(1, kernel.ndim))).max()
        if largest * _LARGEST < _EXACT:
            return depth
    return min(_EXACT // (_LARGEST**2 * taps), depth)
