"""Constants of layers with weights: what the kernels want them to be, and their bytes as few copies move them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir.arithmetic import rescale
from tinsmith_ir.operators import (
    BlockwiseFullyConnected,
    Convolution,
    DepthwiseConv2D,
)
from tinsmith_lowering import (
    AsGiven,
    Emission,
    Layer,
    Prepared,
    Scope,
    channel_parameters,
    given_biases,
    given_weights,
)

from tinsmith_pulp_nn.common import LAYOUT, fork, fork_batches, zero_point

NUMBERS = "numbers"
_MOST_ZEROS = 32
_MOST_EXPANDED = 1 << 16
_BLOCKS = 3
"""The operand of multipliers of blocks."""
LARGEST_SUM = 1 << 30
"""Sums for TFLite's stage are below it."""


Rows = NDArray[np.int8 | np.int16]
"""By what each input counts, (channels, taps): weights, or in int16 those times the multipliers of their blocks."""


@dataclass(frozen=True, eq=False)
class Arranged:
    """The array of a layer's channels. rows: (channels, taps). words: int32, arrays of all channels in order."""

    rows: Rows
    words: Sequence[NDArray[np.int32]]


@dataclass(frozen=True)
class Channels:
    """Constants of a layer with one row of weights for each output channel.

    rows: (channels, taps). bias: int64 (channels,), with what the input's zero point adds, so that the sum of
    weights * (input - zero point) and the layer's bias is this and the sum of weights * input. multipliers: Q31, and
    shifts: to the right; int32 (channels,).
    """

    rows: Rows
    bias: NDArray[np.int64]
    multipliers: NDArray[np.int32]
    shifts: NDArray[np.int32]


def channels_of(layer: Layer) -> Channels:
    """A layer's constants. Channels that have one value whatever the input (trained networks hold such, with weights
    near 0 and a bias near 2**30) get that value by weights of 0 and a scale of 2**-8.
    """
    given, p = given_channels(layer), channel_parameters(layer)
    magnitude = np.abs(given.rows.astype(np.int64)).sum(axis=1)
    # What precedes the clamp rises with the sum, so equal ends mean equal values between.
    ends = [given.bias - 128 * magnitude, given.bias + 128 * magnitude]
    fits = (ends[0] >= -(1 << 31)) & (ends[1] < 1 << 31) & (given.shifts >= 0)
    low, high = (
        np.clip(
            rescale(np.where(fits, end, 0), given.multipliers, -given.shifts, p.rounding)
            + p.output_offset,
            p.clamp_min,
            p.clamp_max,
        )
        for end in ends
    )
    constant = fits & (low == high)
    return Channels(
        rows=np.where(constant[:, None], 0, given.rows).astype(given.rows.dtype),
        bias=np.where(constant, (low - p.output_offset) << 8, given.bias),
        multipliers=np.where(constant, 1 << 30, given.multipliers).astype(np.int32),
        shifts=np.where(constant, 7, given.shifts).astype(np.int32),
    )


def given_channels(layer: Layer) -> Channels:
    """A layer's constants, all channels as they are. Raises ValueError for weights that are not constant."""
    data, p = given_weights(layer), channel_parameters(layer)
    count = layer.output.shape[-1]
    rows = np.ascontiguousarray(expanded(layer, data.astype(np.int8)).reshape(count, -1))
    if isinstance(layer.operator, BlockwiseFullyConnected):
        rows = (rows * multipliers_of_inputs(layer)).astype(np.int16)
    folded = given_biases(layer) - zero_point(layer.input(0)) * rows.astype(np.int64).sum(axis=1)
    return Channels(rows, folded, p.multipliers, -p.shifts)


def multipliers_of_inputs(layer: Layer) -> NDArray[np.int16]:
    """Of a layer with blocks: of each input of each output, (channels, inputs). Raises ValueError if not constant."""
    data = layer.constant(_BLOCKS)
    if data is None:
        raise ValueError(f"layer {layer.name}: the multipliers of blocks are not constant")
    block = layer.operator_as(BlockwiseFullyConnected).block
    each = np.repeat(data.astype(np.int16), block, axis=1)
    return each[:, : layer.input(1).shape[1]]


def expanded(layer: Layer, data: NDArray[np.int8]) -> NDArray[np.int8]:
    """Weights of each output channel as a kernel without dilation and groups has them: zeros lie between the places of
    a dilated window, and where a group has no weights of an input channel.

    data: (output, height, width, input), or (1, height, width, output) of a depthwise convolution, whose windows have
    one input channel, or all where a channel has several outputs. Others are given back.
    """
    operator = layer.operator
    if not isinstance(operator, Convolution):
        return data
    window = _spread(data, operator.dilation)
    inputs, outputs = layer.input(0).shape[3], layer.output.shape[3]
    if isinstance(operator, DepthwiseConv2D):
        rows = window[0].transpose(2, 0, 1)[..., None]
        return rows if inputs == outputs else _dense(rows, inputs)
    return window if window.shape[3] == inputs else _dense(window, inputs)


def _spread(data: NDArray[np.int8], dilation: tuple[int, int]) -> NDArray[np.int8]:
    """Weights with zeros between."""
    if dilation == (1, 1):
        return data
    first, height, width, last = data.shape
    sizes = ((height - 1) * dilation[0] + 1, (width - 1) * dilation[1] + 1)
    spread = np.zeros((first, *sizes, last), np.int8)
    spread[:, :: dilation[0], :: dilation[1]] = data
    return spread


def _dense(rows: NDArray[np.int8], inputs: int) -> NDArray[np.int8]:
    """Of groups (output, height, width, input of a group): weights of all input channels."""
    outputs, height, width, depth = rows.shape
    dense = np.zeros((outputs, height, width, inputs), np.int8)
    groups = inputs // depth
    for output in range(outputs):
        first = output // (outputs // groups) * depth
        dense[output, :, :, first : first + depth] = rows[output]
    return dense


def zeros_are_few(layer: Layer) -> str | None:
    """Weights with the zeros that dilation, groups and several outputs of a channel need are up to 32 times as many as
    without, and at most 65,536 where there are any.
    """
    given = layer.input(1).elements
    operator = layer.operator_as(Convolution)
    height, width = layer.input(1).shape[1:3]
    window = ((height - 1) * operator.dilation[0] + 1) * ((width - 1) * operator.dilation[1] + 1)
    inputs, outputs = layer.input(0).shape[3], layer.output.shape[3]
    is_depthwise = isinstance(operator, DepthwiseConv2D) and inputs == outputs
    count = window * outputs * (1 if is_depthwise else inputs)
    if count == given:
        return None
    is_small = count <= _MOST_ZEROS * given and count <= _MOST_EXPANDED
    return None if is_small else f"they are {count:,}, and without {given:,}"


def sums_fit(layer: Layer) -> str | None:
    """Every sum, shifted to the left where its scale is large, stays below 2**30."""
    found = channels_of(layer)
    largest = 128 * np.abs(found.rows.astype(np.int64)).sum(axis=1) + np.abs(found.bias)
    left = np.maximum(-found.shifts, 0).astype(np.int64)
    reached = int((largest << left).max())
    return None if reached < LARGEST_SUM else f"one may reach {reached:,}"


def shifts_are_words(layer: Layer) -> str | None:
    """Sums are shifted by at most 31 places to the right and 30 to the left."""
    shifts = channels_of(layer).shifts
    low, high = int(shifts.min()), int(shifts.max())
    return (
        None if low >= -30 and high <= 31 else f"they are shifted by {low} to {high} to the right"
    )


def packed(rows: NDArray[np.int8]) -> NDArray[np.int8]:
    """Rows of weights as [rows / 4][columns / 4][4 rows][4 columns], filled with zeros: tinsmith_pulp_pack_weights."""
    count, columns = rows.shape
    padded = np.zeros((-(-count // 4) * 4, -(-columns // 4) * 4), np.int8)
    padded[:count, :columns] = rows
    blocks = padded.reshape(padded.shape[0] // 4, 4, padded.shape[1] // 4, 4)
    return np.ascontiguousarray(blocks.transpose(0, 2, 1, 3)).reshape(-1)


def tflite_words(layer: Layer) -> Arranged:
    """What tinsmith_pulp_arranged.h has of functions without suffix."""
    found = channels_of(layer)
    return Arranged(found.rows, (found.bias.astype(np.int32), found.multipliers, found.shifts))


def arranged(
    numbers: Callable[[Layer], NDArray[np.int8]],
    rows: Callable[[NDArray[np.int8]], NDArray[np.int8]],
    words: Callable[[Layer], Arranged],
) -> Callable[[Layer], tuple[Prepared | AsGiven, ...]]:
    """A layer's record and the array of its channels (tinsmith_pulp_arranged.h).

    numbers: the bytes of the record. rows: the rows of weights as the kernel reads them. words: what the
    stage has of each channel.
    """

    def prepared(layer: Layer) -> tuple[Prepared | AsGiven, ...]:
        found = words(layer)
        parts = [
            np.concatenate(found.words).view(np.int8),
            rows(found.rows.astype(np.int8)).reshape(-1),
        ]
        return Prepared(NUMBERS, numbers(layer)), Prepared(LAYOUT, np.concatenate(parts))

    return prepared


def output_numbers(layer: Layer) -> NDArray[np.int8]:
    """A tinsmith_pulp_output_numbers_t."""
    p = channel_parameters(layer)
    return np.array([p.output_offset, p.clamp_min, p.clamp_max], "<i4").view(np.int8)


def emit_arranged(kernel: str) -> Callable[[Layer, Scope], Emission]:
    """The call of a kernel whose constants are one array. kernel: `conv2d`."""

    def emit(layer: Layer, scope: Scope) -> Emission:
        numbers, constants = prepared_arrays(scope)
        return arranged_call(kernel, layer, scope, numbers, constants)

    return emit


def prepared_arrays(scope: Scope) -> tuple[str, str]:
    """C expressions of a layer's record and of its array."""
    numbers = scope.prepared(NUMBERS, f"{scope.layer}: sizes and bounds")
    return numbers, scope.prepared(LAYOUT, f"{scope.layer}: bias, scales, weights")


def arranged_call(
    kernel: str, layer: Layer, scope: Scope, numbers: str, constants: str
) -> Emission:
    """The call of such a kernel. numbers, constants: C expressions of the record and of the array."""
    scratch = scope.scratch.expression if scope.scratch else "NULL"
    fields = {
        "input": scope.input(0),
        "numbers": numbers,
        "constants": constants,
        "output": scope.output,
        "scratch": f"(uint8_t *){scratch}",
    }
    name, record = f"arranged_{kernel}", "tinsmith_pulp_call_t"
    if isinstance(layer.operator, Convolution):
        return fork_batches(layer, scope, name, record, fields)
    return fork(layer, scope, name, record, fields)
