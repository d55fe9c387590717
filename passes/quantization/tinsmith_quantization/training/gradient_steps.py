"""One operator on a batch, with what is known of its derivative, and the sums that broadcasting asks for."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from tinsmith_ir.evaluate import evaluate_node
from tinsmith_ir.graph import Node

from tinsmith_quantization.training.exact import Reals, on_grid, total

RESULT_BITS = 40
"""Of functions, whose last bits differ between libraries."""


@dataclass(frozen=True)
class Step:
    """result: of a batch. backward: of the derivative by it, those by the operands; None for one that has no say."""

    result: Reals
    backward: Callable[[Reals], Sequence[Reals | None]]


Make = Callable[[Sequence[Reals]], Step]
"""Computes a node of its operands, (N, *shape) each, constants (1, *shape)."""


def plain_step(node: Node) -> Make:
    """What computes any node with one result by what the operator itself says, and knows of no derivative."""

    def make(operands: Sequence[Reals]) -> Step:
        names = {value.name: value for value in node.present_inputs}
        by_name = dict(zip((value.name for value in node.present_inputs), operands, strict=True))
        found: list[Reals] = []
        for index in range(max((len(array) for array in operands), default=1)):
            arrays = {
                name: np.asarray(array[index % len(array)], names[name].type.dtype.numpy)
                for name, array in by_name.items()
            }
            found.append(evaluate_node(node, arrays)[0].astype(np.float64))
        return Step(on_grid(np.stack(found), RESULT_BITS), lambda _: [None] * len(operands))

    return make


def aligned(array: Reals, rank: int) -> Reals:
    """With axes of 1 behind that of the samples, for what is broadcast."""
    return array.reshape(array.shape[0], *[1] * (rank - array.ndim), *array.shape[1:])


def shares(operands: Sequence[Reals], *gradients: Reals) -> list[Reals]:
    """The derivative by each operand, of those by its elements as they were broadcast."""
    return [summed(g, array.shape) for array, g in zip(operands, gradients, strict=True)]


def summed(gradient: Reals, shape: tuple[int, ...]) -> Reals:
    """The derivative by an operand of `shape` that was broadcast."""
    whole = (shape[0], *[1] * (gradient.ndim - len(shape)), *shape[1:])
    pairs = zip(whole, gradient.shape, strict=True)
    axes = tuple(axis for axis, (own, all_) in enumerate(pairs) if own == 1 and all_ > 1)
    return (total(gradient, axes) if axes else gradient).reshape(shape)
