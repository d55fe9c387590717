"""In which order the kernels of Tinsmith's own library read and write: `kernels/cmsis_nn/src`, file by file.

Nothing is promised for Arm's library, whose order is nowhere documented.
"""

import numpy as np
from tinsmith_lowering import NEVER, Layer, Steps, Walk, Window, pixels_walk, rows_walk

from tinsmith_cmsis_nn import scratch, scratch_mve, sizes
from tinsmith_cmsis_nn.common import implementation
from tinsmith_cmsis_nn.geometry import Dims, Geometry
from tinsmith_cmsis_nn.packing_mve import SMALL_TOGETHER
from tinsmith_cmsis_nn.packing_pixels import MVE_TOGETHER

_C_PIXELS = 3
"""Pixels that plain C multiplies at once, at most (2 where registers are few)."""

DSP_PIXELS = 2
"""The same of the DSP extension."""

_MVE_CHANNELS_OF_ROW = 144
"""Channels that MVE sums before it writes the first of them."""


def convolve_packed(layer: Layer) -> Walk | None:
    """dsp/convolve_columns.h copies the windows of two pixels, or of one, into scratch; c/packed_pixels.h those of up
    to three, or reads pixels where they are, once for every four channels; mve/convolve_packed.c copies some windows,
    or pixels that outputs lie over, and otherwise multiplies all of a row by four channels, then by the next four.
    """
    geometry = sizes.geometry(layer)
    height, width = windows(geometry)
    is_copied = sizes.convolution_packed(layer) > 0
    match implementation(layer.target):
        case "dsp":
            return pixels_walk(layer, height, width, together=sizes.columns(layer))
        case "c":
            return pixels_walk(layer, height, width, overtaken=0 if is_copied else _C_PIXELS)
        case "mve":
            return pixels_walk(layer, height, width) if is_copied else None


def depthwise_packed(layer: Layer) -> Walk | None:
    """common/depthwise_strips.h goes strip by strip, there by channels: one, or with DSP two of which the last may be
    done twice. mve/depthwise_*.c go by blocks of sixteen channels, there line by line.
    """
    geometry = sizes.geometry(layer)
    if sizes.is_3x3_mve(layer):
        return _by_ring(geometry)
    strip = sizes.strip(layer)
    return _by_blocks(geometry) if strip is None else _by_strips(layer, geometry, strip)


def depthwise_pixels(layer: Layer) -> Walk | None:
    """common/depthwise_pixels.h goes pixel by pixel and reads all of a window before it writes;
    mve/depthwise_pixels.c reads and writes block by block.
    """
    geometry = sizes.geometry(layer)
    height, width = windows(geometry)
    if implementation(layer.target) != "mve":
        return pixels_walk(layer, height, width)
    blocks, left = divmod(geometry.input[3], MVE_TOGETHER)
    return None if left else pixels_walk(layer, height, width, channels=blocks)


def depthwise_packed_any(layer: Layer) -> Walk | None:
    """The same as long as there is an output channel for each input channel; more than that are not written over what
    is read.
    """
    return depthwise_packed(layer) if sizes.geometry(layer).channel_multiplier == 1 else None


def fully_connected_packed(layer: Layer) -> Walk:
    """Row by row of the input, each read again for every few channels; MVE reads it for 144 before it writes."""
    channels = layer.input(1).shape[0]
    rows = layer.output.elements // channels
    is_mve = implementation(layer.target) == "mve"
    return rows_walk(layer, rows, is_staged=is_mve and channels <= _MVE_CHANNELS_OF_ROW)


def fully_connected_small(layer: Layer) -> Walk:
    """Row by row of the input, each read again for every four channels."""
    channels = layer.input(1).shape[0]
    rows = layer.output.elements // channels
    return rows_walk(layer, rows, is_staged=channels <= SMALL_TOGETHER)


def windows(geometry: Geometry) -> tuple[Window, Window]:
    """Along the lines and along the pixels of a line."""
    height, width = (
        Window(*sides)
        for sides in zip(
            geometry.input[1:3],
            geometry.output[1:3],
            geometry.weights[1:3],
            geometry.stride,
            geometry.padding,
            geometry.dilation,
            strict=True,
        )
    )
    return height, width


def _by_strips(layer: Layer, geometry: Geometry, outputs: int) -> Walk:
    """A step for each channel, or two, of a strip of output lines. A strip copies all that its windows span; channels
    that are missing to a step at the end are made up by ones that were done.

    outputs: lines of a strip.
    """
    is_dsp = implementation(layer.target) == "dsp"
    channels, together = geometry.input[3], 2 if is_dsp else 1
    axis = scratch.strip_axis(geometry)
    taps, stride, padding = (
        pair[axis - 1] for pair in (geometry.weights[1:3], geometry.stride, geometry.padding)
    )
    made = np.arange(geometry.output[axis]) // outputs
    last_read = np.full(geometry.input[axis], NEVER, np.int64)
    for strip in range(int(made[-1]) + 1):
        count = int((made == strip).sum())
        first = strip * outputs * stride - padding
        last_read[max(first, 0) : max(first + (count - 1) * stride + taps, 0)] = strip
    first_done = np.arange(channels) // together
    last_done = first_done.copy()
    last_done[max(channels - together, 0) :] = first_done[-1]
    return _planes_walk(geometry, axis, (made, last_read), (first_done, last_done), blocks=False)


def _by_blocks(geometry: Geometry) -> Walk:
    """A step for each line of outputs, or two lines, of a block of sixteen channels. Patches copy four lines of input
    for it, some of them again; else lines stay in a ring, each copied when it is first wanted.
    """
    along, across = scratch_mve.axes(geometry)
    axis = scratch_mve.across_axis(geometry)
    plan = scratch_mve.patch_plan(along, across)
    return _lines_of_blocks(geometry, across, axis, None if plan is None else plan.lines)


def _by_ring(geometry: Geometry) -> Walk:
    """mve/depthwise_3x3.c: a step for each line of outputs of a block of sixteen channels, from a ring of three."""
    _, across = scratch_mve.axes_3x3(geometry)
    return _lines_of_blocks(geometry, across, scratch_mve.across_axis_3x3(geometry), None)


def _lines_of_blocks(
    geometry: Geometry, across: scratch_mve.Axis, axis: int, together: int | None
) -> Walk:
    """together: lines of a patch; None where lines stay in a ring."""
    padding = geometry.padding[axis - 1]
    made = np.arange(across.output) // (together or 1)
    window = Window(
        across.input, across.output, across.taps, across.stride, padding, across.dilation
    )
    last_read = window.last_readers(made)
    if together is None:
        span = (across.taps - 1) * across.dilation + 1
        first_wanted = -(-(np.arange(across.input) + padding - span + 1) // across.stride)
        last_read = np.where(last_read == NEVER, NEVER, np.maximum(first_wanted, 0))
    done = np.arange(geometry.input[3]) // scratch_mve.DEPTHWISE_BLOCK
    return _planes_walk(geometry, axis, (made, last_read), (done, done), blocks=True)


def _planes_walk(
    geometry: Geometry,
    axis: int,
    lines: tuple[Steps, Steps],
    channels: tuple[Steps, Steps],
    *,
    blocks: bool,
) -> Walk:
    """Groups of lines and groups of channels, image by image.

    axis: that lines follow each other along. lines: the group of each output line, and the last that reads each input
    line. channels: the first and the last group that each channel belongs to. blocks: whether one group of channels is
    done for all lines before the next, or the other way round.
    """
    (made, last_read), (first_done, last_done) = lines, channels
    groups, channel_groups = int(made[-1]) + 1, int(last_done[-1]) + 1

    def steps(of_lines: Steps, of_channels: Steps, dims: Dims) -> Steps:
        line = of_lines[:, None, None] if axis == 1 else of_lines[None, :, None]
        step = of_channels * groups + line if blocks else line * channel_groups + of_channels
        image = np.arange(dims[0])[:, None, None, None] * (groups * channel_groups)
        found = np.where(line == NEVER, NEVER, step + image)
        return np.broadcast_to(found, dims).reshape(-1)

    pitch = geometry.input[3] * (geometry.input[2] if axis == 1 else 1)
    return Walk(
        steps(made, first_done, geometry.output),
        (steps(last_read, last_done, geometry.input), None, None),
        tuple(-pitch * count for count in range(geometry.weights[axis] + 1)),
    )
