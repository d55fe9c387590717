"""Products of matrices, as NumPy's matmul and BLAS's gemm have them."""

import math
from dataclasses import replace

import numpy as np
from tinsmith_ir.errors import UnsupportedError
from tinsmith_ir.graph import Array
from tinsmith_ir.operators import BatchMatmul, FullyConnected

from tinsmith_tensors.composer import Composer, Tensor
from tinsmith_tensors.elementwise import add, mul, only_number
from tinsmith_tensors.movement import reshape, transpose


def matmul(c: Composer, lhs: Tensor, rhs: Tensor) -> Tensor:
    """The product of the last two axes; those in front broadcast.

    A vector is a row on the left, a column on the right.
    """
    if not lhs.rank or not rhs.rank:
        raise UnsupportedError("expected matrices or vectors to multiply, got a scalar")
    if lhs.array is not None and rhs.array is not None and not lhs.is_float:
        return c.known(_known_product(c, lhs.array, rhs.array))
    if rhs.rank == 1:
        product = matmul(c, lhs, reshape(c, rhs, (rhs.elements, 1)))
        return reshape(c, product, product.shape[:-1])
    if lhs.rank == 1:
        product = matmul(c, reshape(c, lhs, (1, lhs.elements)), rhs)
        return reshape(c, product, (*product.shape[:-2], product.shape[-1]))
    if rhs.is_known and rhs.rank == 2:
        return linear(c, lhs, transpose(c, rhs, (1, 0)), None)
    return c.emit(BatchMatmul(), lhs, rhs)


def _known_product(c: Composer, lhs: Array, rhs: Array) -> Array:
    """Of integers, one by one."""
    rows = lhs.shape[:-1]
    columns = rhs.shape[-1:] if rhs.ndim > 1 else ()
    c.check_known_size((*np.broadcast_shapes(rows[:-1], rhs.shape[:-2]), *rows[-1:], *columns))
    c.check_work(lhs.size * math.prod(columns) * math.prod(rhs.shape[:-2]))
    return np.asarray(np.matmul(lhs, rhs))


def linear(c: Composer, x: Tensor, weights: Tensor, bias: Tensor | None) -> Tensor:
    """x (..., K) by weights (N, K) and a bias (N,), to (..., N): a layer, each of whose weights is read once a row."""
    if x.rank == 0 or weights.rank != 2 or x.shape[-1] != weights.shape[1]:
        raise UnsupportedError(
            f"expected (..., K) and weights (N, K), got {list(x.shape)} and {list(weights.shape)}"
        )
    flat = reshape(c, x, (math.prod(x.shape[:-1]), x.shape[-1]))
    product = c.emit(FullyConnected(), flat, weights, bias)
    return reshape(c, product, (*x.shape[:-1], weights.shape[0]))


def gemm(
    c: Composer,
    lhs: Tensor,
    rhs: Tensor,
    addend: Tensor | None,
    *,
    alpha: float = 1.0,
    beta: float = 1.0,
    transpose_lhs: bool = False,
    transpose_rhs: bool = False,
) -> Tensor:
    """alpha * lhs @ rhs + beta * addend, of matrices; the addend broadcasts."""
    lhs = transpose(c, lhs, (1, 0)) if transpose_lhs else lhs
    if not rhs.is_known:
        product = c.emit(BatchMatmul(transpose_rhs=transpose_rhs), lhs, rhs)
        product = _scaled(c, product, alpha)
        return product if addend is None else add(c, product, _scaled(c, addend, beta))
    weights = _scaled(c, rhs if transpose_rhs else transpose(c, rhs, (1, 0)), alpha)
    scaled = addend and _scaled(c, addend, beta)
    if scaled is not None and scaled.is_known:
        number = only_number(scaled)
        if scaled.elements == weights.shape[0] and scaled.shape[-1] == weights.shape[0]:
            return linear(c, lhs, weights, reshape(c, scaled, (weights.shape[0],)))
        if number is not None and scaled.elements == 1:
            return linear(c, lhs, weights, c.known(np.full(weights.shape[0], number, np.float32)))
    product = linear(c, lhs, weights, None)
    return product if scaled is None else add(c, product, scaled)


def _scaled(c: Composer, x: Tensor, factor: float) -> Tensor:
    """The integers that stand for x have another scale then."""
    if factor == 1.0:
        return x
    product = mul(c, x, c.number(factor, x))
    if x.integers is None or factor < 0.0 or not product.is_known:
        return product
    scales = x.integers.scales * np.float32(factor)
    return (
        replace(product, integers=replace(x.integers, scales=scales)) if scales.all() else product
    )
