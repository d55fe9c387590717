"""BlockwiseFullyConnected with weights of four bits."""

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir.dtypes import DType
from tinsmith_ir.operators import BlockwiseFullyConnected
from tinsmith_lowering import (
    AsGiven,
    Cost,
    Kernel,
    Layer,
    Prepared,
    Signature,
    given_weights,
    weights_are_constant,
)
from tinsmith_target import Target

from tinsmith_pulp_nn import cost, few_bits, geometry
from tinsmith_pulp_nn.common import (
    BACKEND,
    LAYOUT,
    chosen_cores,
    core_options,
    input_is_computed,
    sizes_fit,
)
from tinsmith_pulp_nn.convolution import STAGES, OutputStage, linear_numbers, whole_words
from tinsmith_pulp_nn.weights import (
    NUMBERS,
    Rows,
    channels_of,
    emit_arranged,
    multipliers_of_inputs,
    packed,
)

_S4 = Signature((DType.INT8, DType.INT4, DType.INT32, DType.UINT8), DType.INT8)
_TOGETHER = 4
"""Rows of weights whose blocks follow each other, and inputs of a word."""

_ODD_BITS = 31 - 4
_EXTRA = 7 / 6
"""Instructions for a block of 32 inputs of four outputs, 85, by those of weights without multipliers."""


def multipliers_are_constant(layer: Layer) -> str | None:
    """Multipliers of blocks are known at compile time."""
    return "they are computed at run time" if layer.constant(3) is None else None


def whole_blocks(layer: Layer) -> str | None:
    """Blocks are of a multiple of 4 inputs, or of all."""
    size, depth = layer.operator_as(BlockwiseFullyConnected).block, layer.input(1).shape[1]
    return None if size >= depth or size % _TOGETHER == 0 else f"they have {size}"


def pairs_are_bytes(layer: Layer) -> str | None:
    """No weight is -8 beside a negative one of the row above it, so that a byte holds 16 times it plus the other."""
    return few_bits.wrong_byte(given_weights(layer).astype(np.int8), 4)


def odd_sums_fit(layer: Layer) -> str | None:
    """Every sum of an odd row, times 16, fits 32 bits without its bias."""
    odd = np.abs(channels_of(layer).rows[1::2].astype(np.int64))
    largest = 128 * int(odd.sum(axis=1).max(initial=0))
    return None if largest < 1 << _ODD_BITS else f"one may reach {largest:,}"


def block_inputs(layer: Layer) -> int:
    """As the kernel is told: no more than there are."""
    return min(layer.operator_as(BlockwiseFullyConnected).block, layer.input(1).shape[1])


def numbers(layer: Layer) -> NDArray[np.int8]:
    """A tinsmith_pulp_linear_blocks_numbers_t."""
    more = np.array([_rows(layer), block_inputs(layer) // _TOGETHER], "<u2")
    return np.concatenate([linear_numbers(layer), more.view(np.int8)])


def arranged_blocks(layer: Layer, counts: Rows) -> NDArray[np.int8]:
    """Of each four rows, block by block, the bytes of their pairs and their multipliers.

    counts: by what each input counts; where that is nothing in all of a row, its weights become 0.
    """
    is_silent = (counts == 0).all(axis=1)
    missing = ((0, -len(counts) % _TOGETHER), (0, 0))
    rows = np.pad(
        np.where(is_silent[:, None], 0, given_weights(layer).astype(np.int8)).astype(np.int8),
        missing,
    )
    multipliers = np.pad(multipliers_of_inputs(layer).astype(np.uint8), missing)
    parts: list[NDArray[np.int8]] = []
    for first in range(0, rows.shape[1], block_inputs(layer)):
        block = rows[:, first : first + block_inputs(layer)]
        groups = len(rows) // _TOGETHER
        parts.append(few_bits.rows_in_bytes(packed(block), 4).reshape(groups, -1))
        parts.append(multipliers[:, first].reshape(groups, _TOGETHER).view(np.int8))
    return np.concatenate(parts, axis=1).reshape(-1)


def _rows(layer: Layer) -> int:
    return layer.input(0).elements // layer.input(1).shape[1]


def _prepare(stage: OutputStage) -> Callable[[Layer], tuple[Prepared | AsGiven, ...]]:
    def prepared(layer: Layer) -> tuple[Prepared | AsGiven, ...]:
        found = stage.words(layer)
        words = np.concatenate(found.words).view(np.int8)
        data = np.concatenate([words, arranged_blocks(layer, found.rows)])
        return Prepared(NUMBERS, numbers(layer)), Prepared(LAYOUT, data)

    return prepared


def _cost(stage: OutputStage, layer: Layer) -> Cost:
    outputs, inputs = layer.input(1).shape
    row = cost.linear_cycles(geometry.Linear(inputs, outputs), chosen_cores(layer), stage.cost)
    return Cost(round(_EXTRA * row * _rows(layer)), cost.cold_cycles("linear", stage.cost))


def kernels(target: Target) -> tuple[Kernel, ...]:
    """Those of each stage."""
    del target
    return tuple(
        Kernel(
            name=f"tinsmith_pulp_linear_blocks_s4{stage.suffix}",
            backend=BACKEND,
            operator=BlockwiseFullyConnected,
            signature=_S4,
            headers=few_bits.HEADERS,
            engine="cluster",
            options=core_options,
            roundings=stage.roundings,
            emit=emit_arranged(f"linear_blocks_s4{stage.suffix}"),
            prepare=_prepare(stage),
            cost=partial(_cost, stage),
            rules=(
                input_is_computed,
                weights_are_constant,
                multipliers_are_constant,
                whole_words,
                whole_blocks,
                sizes_fit,
                pairs_are_bytes,
                odd_sums_fit,
                *stage.rules,
            ),
        )
        for stage in STAGES
    )
