"""Products of two tensors and norms of rows on batches, and their derivatives: what attention is made of."""

from collections.abc import Sequence

import numpy as np
from tinsmith_ir.graph import Node
from tinsmith_ir.operators import BatchMatmul, LayerNorm, RmsNorm

from tinsmith_quantization.training.exact import Reals, matmul, total
from tinsmith_quantization.training.gradient_steps import Step, aligned, shares, summed


def matrix_product(node: Node, operands: Sequence[Reals]) -> Step:
    """Of the last two dimensions; those in front broadcast."""
    operator = node.operator
    assert isinstance(operator, BatchMatmul)
    rank = max(array.ndim for array in operands)
    lhs, rhs = (aligned(array, rank) for array in operands)
    left = _turned(lhs, is_turned=operator.transpose_lhs)
    right = _turned(rhs, is_turned=operator.transpose_rhs)

    def backward(gradient: Reals) -> Sequence[Reals | None]:
        by_left = matmul(gradient, np.swapaxes(right, -1, -2))
        by_right = matmul(np.swapaxes(left, -1, -2), gradient)
        return shares(
            operands,
            _turned(by_left, is_turned=operator.transpose_lhs),
            _turned(by_right, is_turned=operator.transpose_rhs),
        )

    return Step(matmul(left, right), backward)


def _turned(array: Reals, *, is_turned: bool) -> Reals:
    return np.swapaxes(array, -1, -2) if is_turned else array


def norm(node: Node, operands: Sequence[Reals]) -> Step:
    """n * gamma + beta along the last axis, n = d / sqrt(mean(d**2) + epsilon); d is x, of LayerNorm less its mean."""
    operator = node.operator
    assert isinstance(operator, LayerNorm | RmsNorm)
    read, *given = operands
    is_present = [value is not None for value in node.inputs[1:]]
    gamma = given[0] if is_present and is_present[0] else None
    beta = given[-1] if len(is_present) > 1 and is_present[1] else None
    rest = read - _mean(read) if operator.is_centred else read
    inverse = 1 / np.sqrt(_mean(rest * rest) + operator.epsilon)
    normal = rest * inverse
    scaled = normal if gamma is None else normal * gamma

    def backward(gradient: Reals) -> Sequence[Reals | None]:
        by_normal = gradient if gamma is None else gradient * gamma
        back = by_normal - normal * _mean(by_normal * normal)
        if operator.is_centred:
            back = back - _mean(by_normal)
        found: list[Reals | None] = [back * inverse]
        if gamma is not None:
            found.append(summed(gradient * normal, gamma.shape))
        if beta is not None:
            found.append(summed(gradient, beta.shape))
        return found

    return Step(scaled if beta is None else scaled + beta, backward)


def _mean(array: Reals) -> Reals:
    """Along the last axis, which stays."""
    return total(array, (array.ndim - 1,))[..., None] / array.shape[-1]
