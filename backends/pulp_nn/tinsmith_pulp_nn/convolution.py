"""Conv2D, DepthwiseConv2D and FullyConnected."""

from functools import partial

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir.dtypes import DType
from tinsmith_ir.operators import Conv2D, Convolution, DepthwiseConv2D, FullyConnected
from tinsmith_lowering import Cost, Kernel, Layer, Signature
from tinsmith_target import Target

from tinsmith_pulp_nn import cost, geometry
from tinsmith_pulp_nn.common import (
    BACKEND,
    chosen_cores,
    core_options,
    nhwc,
    one_batch,
    sizes_fit,
    zero_point,
)
from tinsmith_pulp_nn.weights import (
    arranged,
    channels_of,
    emit_arranged,
    input_is_computed,
    output_numbers,
    packed,
    shifts_are_words,
    sums_fit,
    weights_are_constant,
)

HEADERS = ("tinsmith/cluster.h", "tinsmith_pulp_arranged.h")

_LARGEST_SHIFT_OF_STRIPS = 22

_S8 = Signature((DType.INT8, DType.INT8, DType.INT32), DType.INT8)


def no_dilation(layer: Layer) -> str | None:
    """A window is not dilated."""
    dilation = layer.operator_as(Convolution).dilation
    return None if dilation == (1, 1) else f"dilation is {dilation[0]}x{dilation[1]}"


def one_group(layer: Layer) -> str | None:
    """A convolution has one group."""
    channels, depth = layer.input(0).shape[3], layer.input(1).shape[3]
    return None if channels == depth else f"it has {channels // depth}"


def one_output_a_channel(layer: Layer) -> str | None:
    """A depthwise convolution has one output for each channel."""
    inputs, outputs = layer.input(0).shape[3], layer.output.shape[3]
    return None if inputs == outputs else f"it has {outputs // inputs}"


def one_row(layer: Layer) -> str | None:
    """A fully connected layer has one row of inputs."""
    rows = layer.output.elements // layer.output.shape[-1]
    return None if rows == 1 else f"it has {rows}"


def window_numbers(layer: Layer) -> NDArray[np.int8]:
    """A tinsmith_pulp_window_numbers_t."""
    image = geometry_of(layer)
    sizes = [
        image.input_height,
        image.input_width,
        image.input_channels,
        image.output_height,
        image.output_width,
        image.output_channels,
        image.kernel_height,
        image.kernel_width,
        image.pad_top,
        image.pad_left,
        image.stride_height,
        image.stride_width,
    ]
    pad = np.array([zero_point(layer.input(0))], "<i4")
    return np.concatenate(
        [np.array(sizes, "<u2").view(np.int8), pad.view(np.int8), output_numbers(layer)]
    )


def linear_numbers(layer: Layer) -> NDArray[np.int8]:
    """A tinsmith_pulp_linear_numbers_t."""
    outputs, inputs = layer.input(1).shape
    sizes = np.array([inputs, outputs], "<u2")
    return np.concatenate([sizes.view(np.int8), output_numbers(layer)])


def strips_of_3x3(layer: Layer) -> str | None:
    """The window is 3x3, with strides of 1 or 2 both ways."""
    operator = layer.operator_as(Convolution)
    window = layer.input(1).shape[1:3]
    is_strip = window == (3, 3) and operator.stride in ((1, 1), (2, 2))
    return None if is_strip else f"it is {window[0]}x{window[1]} by {operator.stride}"


def scales_of_strips(layer: Layer) -> str | None:
    """Multipliers are not 0, and shifts to the right by 1 to 22."""
    found = channels_of(layer)
    if not found.multipliers.all():
        return "one is 0"
    low, high = int(found.shifts.min()), int(found.shifts.max())
    is_fit = low >= 1 and high <= _LARGEST_SHIFT_OF_STRIPS
    return None if is_fit else f"shifts are {low} to {high}"


def whole_words(layer: Layer) -> str | None:
    """A fully connected layer has a multiple of 4 inputs, which packed weights read by words."""
    inputs = layer.input(1).shape[-1]
    return None if inputs % 4 == 0 else f"it has {inputs}"


def geometry_of(layer: Layer) -> geometry.Image:
    """Sizes of a convolution of either kind."""
    operator = layer.operator_as(Convolution)
    _, height, width, channels = nhwc(layer.input(0))
    _, output_height, output_width, output_channels = nhwc(layer.output)
    _, kernel_height, kernel_width, _ = nhwc(layer.input(1))
    return geometry.Image(
        height,
        width,
        channels,
        output_height,
        output_width,
        output_channels,
        kernel_height,
        kernel_width,
        operator.stride[0],
        operator.stride[1],
        operator.padding[0],
        operator.padding[2],
    )


def conv2d_scratch(layer: Layer) -> int:
    """Patches of four pixels for each core."""
    return geometry.conv2d_scratch_bytes(geometry_of(layer), chosen_cores(layer))


def depthwise_scratch(layer: Layer) -> int:
    """Planes of four channels for each core."""
    return geometry.depthwise_scratch_bytes(geometry_of(layer), chosen_cores(layer))


def conv2d_cost(layer: Layer) -> Cost:
    """Cycles of a convolution, all in first-level memory."""
    cycles = cost.conv2d_cycles(geometry_of(layer), chosen_cores(layer), "tflite")
    return Cost(cycles, cost.cold_cycles("conv2d"))


def depthwise_cost(layer: Layer) -> Cost:
    """Cycles of a depthwise convolution."""
    cycles = cost.depthwise_cycles(geometry_of(layer), chosen_cores(layer), "tflite")
    return Cost(cycles, cost.cold_cycles("depthwise"))


def linear_cost(layer: Layer) -> Cost:
    """Cycles of a product of a matrix and a row."""
    outputs, inputs = layer.input(1).shape
    cycles = cost.linear_cycles(geometry.Linear(inputs, outputs), chosen_cores(layer), "tflite")
    return Cost(cycles, cost.cold_cycles("linear"))


def kernels(target: Target) -> tuple[Kernel, ...]:
    """The three kernels with weights."""
    del target
    kernel = partial(
        Kernel,
        backend=BACKEND,
        signature=_S8,
        headers=HEADERS,
        engine="cluster",
        options=core_options,
    )
    rules = (input_is_computed, weights_are_constant, sizes_fit, shifts_are_words, sums_fit)
    return (
        kernel(
            name="tinsmith_pulp_conv2d",
            operator=Conv2D,
            emit=emit_arranged("conv2d"),
            rules=(one_batch, one_group, no_dilation, *rules),
            scratch_bytes=conv2d_scratch,
            prepare=arranged(window_numbers, packed),
            cost=conv2d_cost,
        ),
        kernel(
            name="tinsmith_pulp_depthwise_3x3",
            operator=DepthwiseConv2D,
            emit=emit_arranged("depthwise_3x3"),
            rules=(
                one_batch,
                one_output_a_channel,
                no_dilation,
                strips_of_3x3,
                *rules,
                scales_of_strips,
            ),
            scratch_bytes=depthwise_scratch,
            prepare=arranged(window_numbers, np.ascontiguousarray),
            cost=depthwise_cost,
        ),
        kernel(
            name="tinsmith_pulp_depthwise",
            operator=DepthwiseConv2D,
            emit=emit_arranged("depthwise"),
            rules=(one_batch, one_output_a_channel, no_dilation, *rules),
            scratch_bytes=depthwise_scratch,
            prepare=arranged(window_numbers, np.ascontiguousarray),
            cost=depthwise_cost,
        ),
        kernel(
            name="tinsmith_pulp_linear",
            operator=FullyConnected,
            emit=emit_arranged("linear"),
            rules=(one_row, whole_words, *rules),
            prepare=arranged(linear_numbers, packed),
            cost=linear_cost,
        ),
    )
