"""Scratch of one kernel call in bytes: the formulas of `kernels/cmsis_nn/src/common/buffer_sizes*.c`.

A test compares every formula with the C function of the same name.
"""

from tinsmith_cmsis_nn import scratch_mve
from tinsmith_cmsis_nn.geometry import Geometry
from tinsmith_cmsis_nn.packing import CHANNEL_GROUP, Implementation

_VECTOR = 16
_WEIGHTS_OF_VECTOR = 64
_C_CHANNELS, _MVE_CHANNELS = 16, 12
"""Of a fully connected layer those whose weights of two bits become bytes at once."""
_STRIP_BUDGET_BYTES = 6144
_STRIP_MARGIN = 8


def convolve_packed(implementation: Implementation, geometry: Geometry) -> int:
    """Of tinsmith_convolve_packed_s8. Plain C: windows of three pixels as bytes, unless they are pixels of the input;
    DSP: two columns, see `convolve_columns`.
    """
    match implementation:
        case "mve":
            return scratch_mve.convolve_packed(geometry)
        case "dsp":
            return convolve_columns(geometry, 2)
        case "c":
            return 0 if _is_pixelwise(geometry) else 3 * _round_up(_depth(geometry))


def convolve_columns(geometry: Geometry, columns: int) -> int:
    """DSP: so many columns of int16, and a window of bytes unless all are read where they lie, in blocks of four
    channels. 2 of tinsmith_convolve_packed_s8, 1 of tinsmith_convolve_packed_single_s8.
    """
    depth = _round_up(_depth(geometry))
    in_blocks = _is_pixelwise(geometry) or geometry.weights[3] % 4 == 0
    return 2 * columns * depth + (0 if in_blocks else depth)


def convolve_packed_offset(implementation: Implementation, geometry: Geometry) -> int:
    """Of tinsmith_convolve_packed_offset_s8. DSP: as without an offset; MVE: one window unless it is a pixel."""
    if implementation == "dsp":
        return convolve_packed(implementation, geometry)
    return 0 if _is_pixelwise(geometry) else _round_up(_depth(geometry))


def depthwise_packed(
    implementation: Implementation, geometry: Geometry, outputs: int | None = None
) -> int:
    """Of tinsmith_depthwise_packed_s8. Plain C: a plane of bytes; DSP: two of int16; and one of 32-bit
    sums. outputs: rows of a strip; None for as many as usual, and for MVE, which has none.
    """
    if implementation == "mve":
        return scratch_mve.depthwise_packed(geometry)
    outputs = usual_strip(implementation, geometry) if outputs is None else outputs
    plane_elements, sums = _strip(geometry, outputs)
    return _plane_bytes(implementation) * plane_elements + 4 * sums


def depthwise_pixels(geometry: Geometry) -> int:
    """Of tinsmith_depthwise_pixels_s8, in each implementation: of each tap where it reads and where its weights are; a
    sum of each channel.
    """
    _, height, width, channels = geometry.weights
    return 4 * (2 * height * width + channels)


def convolve_wrapper(implementation: Implementation, geometry: Geometry) -> int:
    """Of arm_convolve_wrapper_s8. Plain C: one window of bytes; DSP: that and two columns of int16;
    nothing if windows are pixels.
    """
    if implementation == "mve":
        return scratch_mve.convolve_wrapper(geometry)
    one_group = geometry.weights[3] == geometry.input[3]
    if _is_pixelwise(geometry) and one_group and geometry.dilation == (1, 1):
        return 0
    return _round_up(_depth(geometry)) * (1 if implementation == "c" else 5)


def convolve_four_bits(implementation: Implementation, geometry: Geometry) -> int:
    """Of arm_convolve_s4: one window of bytes, with MVE mostly several."""
    if implementation == "mve" and scratch_mve.widens_four_bits(_depth(geometry)):
        return scratch_mve.fields_bytes(geometry.weights)
    return _round_up(_depth(geometry))


def widened_four_bits(geometry: Geometry) -> int:
    """Weights of tinsmith_depthwise_packed_s4 as bytes, in front of the rest."""
    _, height, width, channels = geometry.weights
    return -(-height * width * channels // _VECTOR) * _VECTOR


def widened_two_bits(count: int) -> int:
    """So many weights of two bits as bytes, by whole vectors of packed ones."""
    return -(-count // _WEIGHTS_OF_VECTOR) * _WEIGHTS_OF_VECTOR


def fully_connected_two_bits(implementation: Implementation, channels: int, depth: int) -> int:
    """Of tinsmith_fully_connected_packed_s2: weights of some channels as bytes; the DSP extension takes them packed."""
    match implementation:
        case "dsp":
            return 0
        case "c":
            groups = -(-channels // CHANNEL_GROUP) * CHANNEL_GROUP
            return widened_two_bits(min(groups, _C_CHANNELS) * depth)
        case "mve":
            return widened_two_bits(min(channels, _MVE_CHANNELS) * -(-depth // _VECTOR) * _VECTOR)


def blockwise(implementation: Implementation, depth: int, block: int) -> int:
    """Of tinsmith_blockwise_fully_connected_packed_s4: a word for each block, with MVE nothing."""
    return 0 if implementation == "mve" else -(-depth // block) * 4


def depthwise_wrapper(implementation: Implementation, geometry: Geometry) -> int:
    """Of arm_depthwise_conv_wrapper_s8."""
    return scratch_mve.depthwise_wrapper(geometry) if implementation == "mve" else 0


def _is_pixelwise(geometry: Geometry) -> bool:
    """Whether windows are pixels of the input."""
    return geometry.weights[1:3] == (1, 1) and geometry.padding == (0, 0)


def _depth(geometry: Geometry) -> int:
    """Weights of one output channel."""
    _, height, width, channels = geometry.weights
    return height * width * channels


def strip_axis(geometry: Geometry) -> int:
    """The axis of the input across the rows of a plane: the shorter one, 1 for height."""
    return 2 if geometry.input[1] > geometry.input[2] else 1


def strip_limit(geometry: Geometry) -> int:
    """Output rows of a plane: a strip has no more."""
    return geometry.output[strip_axis(geometry)]


def usual_strip(implementation: Implementation, geometry: Geometry) -> int:
    """Output rows of a plane that a strip has unless another is wanted: planes and sums grow up to about the
    budget, unless one row needs more. Not of MVE.
    """
    column = strip_axis(geometry) - 1
    taps, stride = geometry.weights[1:3][column], geometry.stride[column]
    element_bytes = _plane_bytes(implementation)
    first_output = element_bytes * (taps - stride)
    each_output = element_bytes * stride + 4
    fitting = (_STRIP_BUDGET_BYTES // _pitch(geometry) - first_output) // each_output
    return min(max(fitting, 1), strip_limit(geometry))


def _plane_bytes(implementation: Implementation) -> int:
    """Of one element of a plane, of all channels that are copied at once."""
    return 1 if implementation == "c" else 4


def _pitch(geometry: Geometry) -> int:
    row = 2 - strip_axis(geometry)
    outputs = geometry.output[1:3][row]
    window = (outputs - 1) * geometry.stride[row] + geometry.weights[1:3][row]
    return max((window + 1) // 2 * 2, _round_up(outputs))


def _strip(geometry: Geometry, outputs: int) -> tuple[int, int]:
    """(elements of a plane, 32-bit sums) of a strip of one channel, see `src/internal/planes.h`."""
    column = strip_axis(geometry) - 1
    taps, pitch = geometry.weights[1:3], _pitch(geometry)
    rows = (outputs - 1) * geometry.stride[column] + taps[column]
    return _round_up(rows * pitch + taps[1 - column] + _STRIP_MARGIN), _round_up(outputs * pitch)


def _round_up(value: int) -> int:
    return -(-value // 4) * 4
