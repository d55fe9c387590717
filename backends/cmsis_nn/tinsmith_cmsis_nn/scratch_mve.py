"""Scratch of the MVE kernels in bytes: the formulas of `kernels/cmsis_nn/src/mve/scratch.h`."""

import math
from dataclasses import dataclass

from tinsmith_cmsis_nn.geometry import Dims, Geometry

_FIELD_BUDGET_BYTES = 3072
ROWS_AT_ONCE = 24
_LEAST_PIXELS = 12
_PART_FOR_PIXELS = 4
DEPTHWISE_BLOCK = 16
_LONG_LINE = 4
_POINTER_BYTES = 4
_WIDENED_BUDGET_BYTES = 9216
_WIDENED_BYTES = 2048
_SCRATCH_ALIGNMENT = 16


def convolve_packed(geometry: Geometry) -> int:
    """Of tinsmith_convolve_packed_s8: copied receptive fields, unless the input has them in place; then pixels that
    outputs may lie over.
    """
    if fields_in_place(geometry):
        return pixels_at_once(geometry) * geometry.input[3]
    return fields_bytes(geometry.weights)


def pixels_at_once(geometry: Geometry) -> int:
    """How many pixels of a 1x1 convolution are copied before outputs are written over them; 0 if that may not be."""
    is_dense = geometry.weights[1:3] == (1, 1) and geometry.stride == (1, 1)
    if not is_dense or not fields_in_place(geometry):
        return 0
    (images, _, _, channels), (_, height, width, outputs) = geometry.input, geometry.output
    saved = images * height * width * min(channels, outputs)
    pixels = saved // (_PART_FOR_PIXELS * channels)
    return 0 if pixels < _LEAST_PIXELS else min(pixels // 3 * 3, ROWS_AT_ONCE)


def convolve_wrapper(geometry: Geometry) -> int:
    """Of arm_convolve_wrapper_s8: copied receptive fields, unless they are pixels, of a single group."""
    outputs, height, width, channels = geometry.weights
    one_group = channels == geometry.input[3]
    undilated = geometry.dilation == (1, 1) and geometry.padding == (0, 0)
    if one_group and undilated and (height, width) == (1, 1):
        return 0
    return fields_bytes((outputs, height, width, geometry.input[3]))


def depthwise_packed(geometry: Geometry) -> int:
    """Of tinsmith_depthwise_packed_s8: patches where they cover the layer, else as many padded lines as the filter
    spans.
    """
    along, across = axes(geometry)
    return _patches_bytes(along, across) or _lines_bytes(along, across)


def depthwise_3x3(geometry: Geometry) -> int:
    """Of tinsmith_depthwise_packed_3x3_s8: three padded lines."""
    along, _ = axes_3x3(geometry)
    return 3 * _3x3_line_bytes(along, geometry.input[3])


def depthwise_wrapper(geometry: Geometry) -> int:
    """Of arm_depthwise_conv_wrapper_s8: a bound that knows neither stride nor padding nor output."""
    if geometry.input[0] != 1 or geometry.input[3] != geometry.output[3]:
        return 0
    if geometry.dilation != (1, 1):
        return 0
    (_, height, width, _), (_, taps_y, taps_x, _) = geometry.input, geometry.weights
    most = max(_most_bytes(width, taps_x, taps_y), _most_bytes(height, taps_y, taps_x))
    return most + _SCRATCH_ALIGNMENT


def _most_bytes(size: int, taps: int, taps_across: int) -> int:
    """Patches or lines of any stride, along an axis of this size."""
    patches = (4 * 16 + (size + taps + 2) * 4) * DEPTHWISE_BLOCK
    if taps <= 4 and taps_across <= 4:
        return patches
    line_bytes = (size + 3 * taps - 3) * DEPTHWISE_BLOCK
    lines = taps_across * line_bytes + taps * taps_across * (DEPTHWISE_BLOCK + _POINTER_BYTES)
    return max(patches, lines) if taps_across == 1 else lines


@dataclass(frozen=True)
class Axis:
    """One axis of a depthwise convolution."""

    input: int
    output: int
    taps: int
    stride: int
    dilation: int


def axes(geometry: Geometry) -> tuple[Axis, Axis]:
    """(along, across) the lines: rows are the lines unless columns are longer."""
    y, x = _axis(geometry, 1), _axis(geometry, 2)
    return (x, y) if across_axis(geometry) == 1 else (y, x)


def across_axis(geometry: Geometry) -> int:
    """The axis that lines follow each other along, 1 for height."""
    y, x = _axis(geometry, 1), _axis(geometry, 2)
    rows_are_lines = x.input >= y.input if x.output == y.output else x.output > y.output
    return 1 if rows_are_lines else 2


def axes_3x3(geometry: Geometry) -> tuple[Axis, Axis]:
    """The same for mve/depthwise_3x3.c."""
    y, x = _axis(geometry, 1), _axis(geometry, 2)
    return (x, y) if across_axis_3x3(geometry) == 1 else (y, x)


def across_axis_3x3(geometry: Geometry) -> int:
    """For mve/depthwise_3x3.c, whose lines are also rows that are long enough."""
    return 1 if geometry.output[2] >= _LONG_LINE else across_axis(geometry)


def _3x3_line_bytes(along: Axis, channels: int) -> int:
    """A padded line of up to sixteen channels, or of half as many in vectors of two outputs."""
    if along.stride == 1 and channels <= DEPTHWISE_BLOCK // 2:
        return ((along.output + 1) // 2 + 1) * DEPTHWISE_BLOCK
    return ((along.output - 1) * along.stride + 3) * DEPTHWISE_BLOCK


def _axis(geometry: Geometry, axis: int) -> Axis:
    return Axis(
        geometry.input[axis],
        geometry.output[axis],
        geometry.weights[axis],
        geometry.stride[axis - 1],
        geometry.dilation[axis - 1],
    )


@dataclass(frozen=True)
class PatchPlan:
    """How patches cover a layer: lines of outputs of a strip, outputs of a line per patch, columns between patches."""

    lines: int
    outputs: int
    column_step: int


def patch_plan(along: Axis, across: Axis) -> PatchPlan | None:
    """None if patches cannot cover the layer, which is then done by lines."""
    if across.input == across.taps == across.output == 1:
        wanted = 1 if along.output == 1 else 4 // along.stride
        fits = along.output == 1 or 4 % along.stride == 0
        fitting = _outputs_fitting(16, along, wanted)
        plan = PatchPlan(1, wanted if fits and fitting == wanted else 0, 1)
    else:
        lines = _outputs_fitting(4, across, 2)
        outputs = _outputs_fitting(4, along, 2) if lines else 0
        plan = PatchPlan(lines, outputs, outputs * along.stride)
    return plan if plan.outputs else None


def _patches_bytes(along: Axis, across: Axis) -> int:
    """One block's weights for the outputs of a patch, and a strip; 0 if patches cannot cover it."""
    plan = patch_plan(along, across)
    if plan is None:
        return 0
    patches = -(-along.output // plan.outputs)
    columns = (patches - 1) * plan.column_step + 4
    return plan.lines * plan.outputs * 16 * DEPTHWISE_BLOCK + columns * 4 * DEPTHWISE_BLOCK


def _outputs_fitting(window: int, axis: Axis, most: int) -> int:
    """Outputs whose filters fit a window: the greatest power of two up to `most`, or 0."""
    outputs = most
    while outputs > 0 and axis.taps + (outputs - 1) * axis.stride > window:
        outputs //= 2
    return outputs


def _lines_bytes(along: Axis, across: Axis) -> int:
    """Lines, one block's weights, and a pointer per tap."""
    phase_length = along.output + (along.taps - 1) * along.dilation // along.stride
    lines = (across.taps - 1) * across.dilation + 1
    line_bytes = phase_length * along.stride * DEPTHWISE_BLOCK
    taps = along.taps * across.taps
    return lines * line_bytes + taps * (DEPTHWISE_BLOCK + _POINTER_BYTES)


def fields_in_place(geometry: Geometry) -> bool:
    """Whether every receptive field lies inside the input and contiguous."""
    given, weights, dilation = geometry.input, geometry.weights, geometry.dilation
    row_contiguous = weights[2] == 1 or dilation[1] == 1
    rows_contiguous = weights[1] == 1 or (dilation[0] == 1 and weights[2] == given[2])
    last_y, last_x = (
        (geometry.output[1 + axis] - 1) * geometry.stride[axis]
        + (weights[1 + axis] - 1) * dilation[axis]
        for axis in (0, 1)
    )
    inside = geometry.padding == (0, 0) and last_y < given[1] and last_x < given[2]
    return weights[3] == given[3] and row_contiguous and rows_contiguous and inside


def widens_four_bits(depth: int) -> bool:
    """Whether arm_convolve_s4 widens weights and copies fields, rather than multiply windows one by one."""
    return 4 * depth <= _WIDENED_BYTES


def widened_channels(geometry: Geometry) -> int:
    """Of tinsmith_convolve_packed_s4: how many channels' weights become bytes at once."""
    outputs, depth = geometry.weights[0], math.prod(geometry.weights[1:])
    return min(outputs, max(_WIDENED_BUDGET_BYTES // (4 * depth) * 4, 4))


def convolve_widened(geometry: Geometry) -> int:
    """Of tinsmith_convolve_packed_s4: those weights, and copied fields unless they are in place."""
    channels = -(-widened_channels(geometry) // 4) * 4
    widened = (channels * math.prod(geometry.weights[1:]) + 31) // 16 * 16 + 16
    return widened + (0 if fields_in_place(geometry) else fields_bytes(geometry.weights))


def fields_bytes(weights: Dims) -> int:
    """Of the copied receptive fields that are multiplied together."""
    depth = weights[1] * weights[2] * weights[3]
    return _fields_at_once(depth) * depth


def _fields_at_once(depth: int) -> int:
    """In [2, 24], with none left over that could not be summed along with others, by threes."""
    fitting = _FIELD_BUDGET_BYTES // depth
    if fitting <= 2:
        return 2
    if fitting >= ROWS_AT_ONCE:
        return ROWS_AT_ONCE
    return fitting - 1 if fitting % 3 == 1 else fitting
