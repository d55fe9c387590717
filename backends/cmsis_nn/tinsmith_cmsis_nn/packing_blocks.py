"""Arrange a layer's constants of four bits with multipliers of blocks for the packed kernels of `kernels/cmsis_nn`
(`tinsmith_nn_blockwise.h`).
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tinsmith_cmsis_nn.packing import (
    CHANNEL_GROUP,
    Implementation,
    PackedLayer,
    PackingError,
    fold_fully_connected,
)
from tinsmith_cmsis_nn.packing_four_bits import (
    bytes_of_pairs,
    lanes_of_rows,
    pairs_of_lanes,
    wrapped,
)
from tinsmith_cmsis_nn.packing_mve import CHUNK, arrange_chunks

FAST = 32
"""Values of k of the blocks that kernels have loops for; larger ones are several of these."""

_PAIRS_TOGETHER = 4
_CHANNELS_TOGETHER = 2 * _PAIRS_TOGETHER
"""Channels of MVE whose blocks follow each other."""

_INPUT_MAGNITUDE = 128
_LANE_BITS, _TOP_BITS, _ACCUMULATOR_BITS = 15, 19, 31


@dataclass(frozen=True)
class Blocks:
    """Multipliers of blocks of inputs: (N, ceil(K / size)), from 0 to 255, for blocks of `size` inputs."""

    multipliers: NDArray[np.uint8]
    size: int


def kernel_blocks(blocks: Blocks, depth: int) -> Blocks:
    """The same as a kernel takes them: of 32 inputs where those of the layer are several of these, or one of all.

    Raises PackingError for blocks of a size that no kernel takes.
    """
    size = blocks.size
    if size >= depth:
        count = -(-depth // FAST)
        return Blocks(np.repeat(blocks.multipliers, count, axis=1), FAST)
    if size % CHUNK:
        raise PackingError(
            f"blocks have {size} inputs, the packed kernel takes multiples of {CHUNK}"
        )
    if size % FAST:
        return blocks
    halved = np.repeat(blocks.multipliers, size // FAST, axis=1)
    return Blocks(halved[:, : -(-depth // FAST)], FAST)


def pack_blockwise(
    implementation: Implementation,
    weights: NDArray[np.int8],
    bias: NDArray[np.int32] | None,
    multiplier: NDArray[np.int32],
    shift: NDArray[np.int32],
    *,
    blocks: Blocks,
    input_zero_point: int,
    nearest: bool = False,
) -> PackedLayer:
    """Arrange for `tinsmith_blockwise_fully_connected_packed_s4`, which is told the size of `kernel_blocks`.

    weights: (N, K), from -8 to 7. bias: (N,). multiplier, shift: (N,), or (1,) for one scale of any size.
    input_zero_point: [-128, 127]. nearest: for its sister that rounds once.
    Raises PackingError if a condition of `tinsmith_nn_blockwise.h` does not hold.
    """
    taken = kernel_blocks(blocks, weights.shape[1])
    each = np.repeat(taken.multipliers.astype(np.int16), taken.size, axis=1)
    counts = (weights * each[:, : weights.shape[1]]).astype(np.int16)
    rows, *numbers = fold_fully_connected(
        implementation,
        counts,
        bias,
        multiplier,
        shift,
        input_zero_point=input_zero_point,
        any_shift=True,
        nearest=nearest,
    )
    is_dead = (rows == 0).all(axis=1)
    group = _CHANNELS_TOGETHER if implementation == "mve" else CHANNEL_GROUP
    missing = ((0, -len(weights) % group), (0, 0))
    silent = np.pad(np.where(is_dead[:, None], np.int8(0), weights), missing)
    multipliers = np.pad(taken.multipliers, missing)
    if implementation == "mve":
        folded, *scales = numbers
        started = _starts_of_pairs(folded, np.pad(rows, missing))
        return PackedLayer(_of_mve(silent, multipliers, taken.size), started, *scales)
    if implementation == "dsp":
        _check_blocks(silent, taken.size)
    return PackedLayer(_of_groups(implementation, silent, multipliers, taken.size), *numbers)


def _spans(depth: int, size: int) -> Iterator[tuple[int, slice]]:
    for index, first in enumerate(range(0, depth, size)):
        yield index, slice(first, min(first + size, depth))


def _of_groups(
    implementation: Implementation,
    rows: NDArray[np.int8],
    multipliers: NDArray[np.uint8],
    size: int,
) -> NDArray[np.int8]:
    """Plain C and DSP: of four channels the weights of a block, then its multipliers. rows: (N, K), N by fours."""
    arrange = lanes_of_rows if implementation == "dsp" else pairs_of_lanes
    groups = len(rows) // CHANNEL_GROUP
    parts: list[NDArray[np.int8]] = []
    for index, span in _spans(rows.shape[1], size):
        numbers = multipliers[:, index].reshape(groups, CHANNEL_GROUP)
        parts += [arrange(rows[:, span]).reshape(groups, -1), numbers.view(np.int8)]
    return np.concatenate(parts, axis=1).reshape(-1)


def _of_mve(rows: NDArray[np.int8], multipliers: NDArray[np.uint8], size: int) -> NDArray[np.int8]:
    """Of eight channels the multipliers of a block, then its weights. rows: (N, K), N a multiple of 8."""
    pairs = bytes_of_pairs(rows)
    groups = len(pairs) // _PAIRS_TOGETHER
    parts: list[NDArray[np.int8]] = []
    for index, span in _spans(rows.shape[1], size):
        numbers = multipliers[:, index].reshape(groups, _PAIRS_TOGETHER, 2).transpose(0, 2, 1)
        chunks = arrange_chunks(pairs[:, span], _PAIRS_TOGETHER)
        parts += [numbers.reshape(groups, -1).view(np.int8), chunks.reshape(groups, -1)]
    return np.concatenate(parts, axis=1).reshape(-1)


def _starts_of_pairs(folded: NDArray[np.int32], rows: NDArray[np.int16]) -> NDArray[np.int32]:
    """Of eight channels the biases of even ones, and 16 times those of odd ones. rows: by what each input counts."""
    biases = np.pad(folded, (0, len(rows) - len(folded))).astype(np.int64)
    sums = np.abs(rows[1::2].astype(np.int64)).sum(axis=1)
    largest = int((np.abs(biases[1::2]) + _INPUT_MAGNITUDE * sums).max())
    if 16 * largest >= 1 << _ACCUMULATOR_BITS:
        raise PackingError(
            f"accumulators may reach {largest}, 16 times of which do not fit 32 bits"
        )
    groups = biases.reshape(-1, _PAIRS_TOGETHER, 2) * np.array([1, 16])
    return wrapped(groups.transpose(0, 2, 1))


def _check_blocks(rows: NDArray[np.int8], size: int) -> None:
    """Raise PackingError if the sum of a block leaves the bits that the DSP kernel has for it."""
    padded = np.pad(np.abs(rows.astype(np.int64)), ((0, 0), (0, -rows.shape[1] % size)))
    largest = _INPUT_MAGNITUDE * int(padded.reshape(-1, size).sum(axis=1).max())
    most = 1 << (_LANE_BITS if size == FAST else _TOP_BITS)
    if largest >= most:
        raise PackingError(
            f"the sum of a block may reach {largest}, the packed kernel needs less than {most}"
        )
