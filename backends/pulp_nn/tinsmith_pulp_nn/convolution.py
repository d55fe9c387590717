"""Conv2D, DepthwiseConv2D and FullyConnected."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir.dtypes import DType
from tinsmith_ir.operators import Conv2D, Convolution, DepthwiseConv2D, FullyConnected
from tinsmith_ir.rounding import Rounding
from tinsmith_lowering import (
    CLUSTER_HEADER,
    Cost,
    Kernel,
    Layer,
    Rule,
    Signature,
    weights_are_constant,
)
from tinsmith_target import Target

from tinsmith_pulp_nn import cost, geometry, scaled
from tinsmith_pulp_nn.common import (
    BACKEND,
    LARGEST_EXTENT,
    chosen_cores,
    core_options,
    input_is_computed,
    nhwc,
    sizes_fit,
    zero_point,
)
from tinsmith_pulp_nn.weights import (
    Arranged,
    arranged,
    channels_of,
    emit_arranged,
    output_numbers,
    packed,
    shifts_are_words,
    sums_fit,
    tflite_words,
    zeros_are_few,
)

HEADERS = (CLUSTER_HEADER, "tinsmith_pulp_arranged.h")

_LARGEST_SHIFT_OF_STRIPS = 22

_S8 = Signature((DType.INT8, DType.INT8, DType.INT32), DType.INT8)


def one_output_a_channel(layer: Layer) -> str | None:
    """A depthwise convolution has one output for each channel."""
    inputs, outputs = layer.input(0).shape[3], layer.output.shape[3]
    return None if inputs == outputs else f"it has {outputs // inputs}"


def several_outputs_a_channel(layer: Layer) -> str | None:
    """A depthwise convolution has several outputs for each channel: one of all input channels has weights of 0."""
    several = layer.input(0).shape[3] != layer.output.shape[3]
    return None if several else "it has one"


def rows_fit(layer: Layer) -> str | None:
    """A fully connected layer has at most 65,535 rows, which are pixels of a convolution."""
    rows = layer.output.elements // layer.output.shape[-1]
    return None if rows <= LARGEST_EXTENT else f"it has {rows:,}"


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
    if operator.dilation != (1, 1):
        return f"it is dilated by {operator.dilation}"
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
    """Sizes of a convolution of either kind, with the zeros of its dilation in its window; rows of a fully connected
    layer are pixels.
    """
    if isinstance(layer.operator, FullyConnected):
        outputs, inputs = layer.input(1).shape
        rows = layer.output.elements // outputs
        return geometry.Image(1, rows, inputs, 1, rows, outputs, 1, 1)
    operator = layer.operator_as(Convolution)
    _, height, width, channels = nhwc(layer.input(0))
    _, output_height, output_width, output_channels = nhwc(layer.output)
    kernel_height, kernel_width = (
        (size - 1) * apart + 1
        for size, apart in zip(layer.input(1).shape[1:3], operator.dilation, strict=True)
    )
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


def conv2d_cost(stage: cost.Stage) -> Callable[[Layer], Cost]:
    """Cycles of a convolution, all in first-level memory."""

    def cycles(layer: Layer) -> Cost:
        found = cost.conv2d_cycles(geometry_of(layer), chosen_cores(layer), stage)
        return Cost(_batches(layer) * found, cost.cold_cycles("conv2d", stage))

    return cycles


def depthwise_cost(stage: cost.Stage) -> Callable[[Layer], Cost]:
    """Cycles of a depthwise convolution."""

    def cycles(layer: Layer) -> Cost:
        found = cost.depthwise_cycles(geometry_of(layer), chosen_cores(layer), stage)
        return Cost(_batches(layer) * found, cost.cold_cycles("depthwise", stage))

    return cycles


def _batches(layer: Layer) -> int:
    """Whose calls follow one another."""
    return layer.output.shape[0] if isinstance(layer.operator, Convolution) else 1


def linear_cost(stage: cost.Stage) -> Callable[[Layer], Cost]:
    """Cycles of a product of a matrix and a row."""

    def cycles(layer: Layer) -> Cost:
        outputs, inputs = layer.input(1).shape
        found = cost.linear_cycles(geometry.Linear(inputs, outputs), chosen_cores(layer), stage)
        return Cost(found, cost.cold_cycles("linear", stage))

    return cycles


@dataclass(frozen=True)
class OutputStage:
    """An output stage. suffix: of the names of its kernels. rules: what it takes, and what its 3x3 strips do. cost: the
    stage of cost.py whose cycles are its own, or a little more.
    """

    suffix: str
    roundings: tuple[Rounding, ...]
    words: Callable[[Layer], Arranged]
    rules: tuple[Rule, ...]
    rules_of_strips: tuple[Rule, ...]
    cost: cost.Stage


STAGES = (
    OutputStage(
        "",
        (Rounding.TFLITE,),
        tflite_words,
        (shifts_are_words, sums_fit),
        (scales_of_strips,),
        "tflite",
    ),
    OutputStage(
        "_scaled", scaled.ROUNDINGS, scaled.low_words, (scaled.low_words_fit,), (), "truncate"
    ),
    OutputStage(
        "_scaled_high",
        scaled.ROUNDINGS,
        scaled.high_words,
        (scaled.high_words_fit,),
        (),
        "tflite",
    ),
)


def kernels(target: Target) -> tuple[Kernel, ...]:
    """Those with weights, of each stage; of two stages for one rounding the faster one first."""
    del target
    return tuple(kernel for stage in STAGES for kernel in _kernels_of(stage))


def _kernels_of(stage: OutputStage) -> tuple[Kernel, ...]:
    kernel = partial(
        Kernel,
        backend=BACKEND,
        signature=_S8,
        headers=HEADERS,
        engine="cluster",
        options=core_options,
        roundings=stage.roundings,
    )
    rules = (input_is_computed, weights_are_constant, sizes_fit, *stage.rules)
    depthwise = partial(
        kernel,
        operator=DepthwiseConv2D,
        scratch_bytes=depthwise_scratch,
        prepare=arranged(window_numbers, np.ascontiguousarray, stage.words),
        cost=depthwise_cost(stage.cost),
    )
    # Of other operators, too, that are convolutions with other sizes or some weights of 0.
    conv2d = partial(
        kernel,
        name=f"tinsmith_pulp_conv2d{stage.suffix}",
        emit=emit_arranged(f"conv2d{stage.suffix}"),
        scratch_bytes=conv2d_scratch,
        prepare=arranged(window_numbers, packed, stage.words),
        cost=conv2d_cost(stage.cost),
    )
    return (
        conv2d(operator=Conv2D, rules=(zeros_are_few, *rules)),
        depthwise(
            name=f"tinsmith_pulp_depthwise_3x3{stage.suffix}",
            emit=emit_arranged(f"depthwise_3x3{stage.suffix}"),
            rules=(one_output_a_channel, strips_of_3x3, *rules, *stage.rules_of_strips),
        ),
        depthwise(
            name=f"tinsmith_pulp_depthwise{stage.suffix}",
            emit=emit_arranged(f"depthwise{stage.suffix}"),
            rules=(one_output_a_channel, zeros_are_few, *rules),
        ),
        conv2d(operator=DepthwiseConv2D, rules=(several_outputs_a_channel, zeros_are_few, *rules)),
        kernel(
            name=f"tinsmith_pulp_linear{stage.suffix}",
            operator=FullyConnected,
            emit=emit_arranged(f"linear{stage.suffix}"),
            rules=(one_row, whole_words, *rules),
            prepare=arranged(linear_numbers, packed, stage.words),
            cost=linear_cost(stage.cost),
        ),
        conv2d(operator=FullyConnected, rules=(rows_fit, *rules)),
    )
