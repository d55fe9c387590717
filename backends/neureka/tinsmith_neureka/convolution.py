"""Conv2D and DepthwiseConv2D as jobs of N-EUREKA."""

from functools import partial

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir.dtypes import DType
from tinsmith_ir.operators import Conv2D, Convolution, DepthwiseConv2D
from tinsmith_lowering import Cost, Emission, Kernel, Layer, Prepared, Scope, Signature

from tinsmith_neureka import jobs, scales
from tinsmith_neureka.packing import Mode, packed_weights

BACKEND = "neureka"
HEADERS = ("tinsmith_neureka_call.h",)

_NUMBERS, _CONSTANTS = "job", "scales, biases, weights"
_BITS = {DType.INT8: 8, DType.INT4: 4, DType.INT2: 2}
_MOST_PADDING = 2

# A call's own work: the registers of a job, and its wait.
_CALL_CYCLES, _COLD_CYCLES = 300, 250


def weights_are_constant(layer: Layer) -> str | None:
    """Weights and bias are known at compile time, and the input is not."""
    if layer.constant(0) is not None:
        return "the input is a constant"
    for index, name in ((1, "weights"), (2, "bias")):
        if layer.has_input(index) and layer.constant(index) is None:
            return f"{name} is computed at run time"
    return None


def one_image(layer: Layer) -> str | None:
    """There is one image, and no extent is above 65,535."""
    shapes = [type_.shape for type_ in (layer.input(0), layer.output)]
    if shapes[0][0] != 1:
        return f"there are {shapes[0][0]}"
    largest = max(extent for shape in shapes for extent in shape)
    return None if largest <= jobs.LARGEST_EXTENT else f"an extent is {largest:,}"


def window_is_known(layer: Layer) -> str | None:
    """The window is 1x1 or 3x3, of a depthwise convolution 3x3."""
    window = layer.input(1).shape[1:3]
    known = ((3, 3),) if isinstance(layer.operator, DepthwiseConv2D) else ((1, 1), (3, 3))
    return None if window in known else f"it is {window[0]}x{window[1]}"


def strides_are_one(layer: Layer) -> str | None:
    """Strides are 1, and the window is not dilated."""
    operator = layer.operator_as(Convolution)
    if operator.dilation != (1, 1):
        return f"it is dilated by {operator.dilation}"
    return None if operator.stride == (1, 1) else f"they are {operator.stride}"


def all_channels(layer: Layer) -> str | None:
    """Each output depends on all input channels; of a depthwise convolution, on one, which has one output."""
    inputs, outputs = layer.input(0).shape[3], layer.output.shape[3]
    if isinstance(layer.operator, DepthwiseConv2D):
        return None if inputs == outputs else f"a channel has {outputs // inputs} outputs"
    groups = inputs // layer.input(1).shape[3]
    return None if groups == 1 else f"there are {groups} groups of them"


def padding_is_small(layer: Layer) -> str | None:
    """At most two rows or columns lie around the input, of 1x1 none, and behind it no more than the last tile of six
    outputs has.
    """
    top, right, bottom, left = _padding(layer)
    most = 0 if layer.input(1).shape[1] == 1 else _MOST_PADDING
    if max(top, right, bottom, left) > most:
        return f"there are {top}, {bottom} rows and {left}, {right} columns"
    height, width = layer.output.shape[1:3]
    if not (jobs.padding_is_known(height, bottom) and jobs.padding_is_known(width, right)):
        return f"there are {bottom} rows or {right} columns behind {height}x{width} outputs"
    return None


def job_of(layer: Layer) -> jobs.Job:
    """Of a layer that obeys the rules."""
    _, height, width, channels = layer.input(0).shape
    _, output_height, output_width, output_channels = layer.output.shape
    return jobs.Job(
        _mode(layer),
        (height, width, channels),
        (output_height, output_width, output_channels),
        _padding(layer),
        scales.zero_point_of(layer.input(0)),
        _BITS[layer.input(1).dtype],
        scales.scales_of(layer).shift,
    )


def prepare(layer: Layer) -> tuple[Prepared, ...]:
    """The words of the job, and one array of what it reads beside the input: scales and biases of 32 bits, weights."""
    job, found, data = job_of(layer), scales.scales_of(layer), layer.constant(1)
    if data is None:
        raise ValueError(f"layer {layer.name}: the weights are not constant")
    weights = packed_weights(data.astype(np.int64), job.mode, job.bits, job.offset)
    parts = [_bytes(found.scales), _bytes(found.biases), weights.view(np.int8)]
    return (
        Prepared(_NUMBERS, jobs.words(job).view(np.int8)),
        Prepared(_CONSTANTS, np.concatenate(parts)),
    )


def emit(layer: Layer, scope: Scope) -> Emission:
    """The job's start and the wait for it."""
    words = scope.prepared(_NUMBERS, f"{scope.layer}: registers of its job")
    constants = scope.prepared(_CONSTANTS, f"{scope.layer}: scales, biases, weights")
    channels = layer.output.shape[3]
    call = f"tinsmith_neureka_call({words}, {constants}, {channels}u, {scope.input(0)}, {scope.output});"
    return Emission((f"  {call}",))


def cost(layer: Layer) -> Cost:
    """Cycles of the job, and of the core that starts it."""
    return Cost(jobs.cycles(job_of(layer)) + _CALL_CYCLES, _COLD_CYCLES)


def kernels() -> tuple[Kernel, ...]:
    """Of weights of eight, four and two bits."""
    return tuple(kernel for dtype in _BITS for kernel in _kernels_of(dtype))


def _kernels_of(dtype: DType) -> tuple[Kernel, ...]:
    kernel = partial(
        Kernel,
        name="tinsmith_neureka_call",
        backend=BACKEND,
        signature=Signature((DType.INT8, dtype, DType.INT32), DType.INT8),
        headers=HEADERS,
        emit=emit,
        rules=(
            weights_are_constant,
            one_image,
            window_is_known,
            strides_are_one,
            all_channels,
            padding_is_small,
            scales.clips_to_int8,
            scales.one_shift_is_enough,
            scales.products_fit,
        ),
        prepare=prepare,
        engine="cluster",
        roundings=scales.ROUNDINGS,
        cost=cost,
    )
    return kernel(operator=Conv2D), kernel(operator=DepthwiseConv2D)


def _mode(layer: Layer) -> Mode:
    if isinstance(layer.operator, DepthwiseConv2D):
        return Mode.DEPTHWISE_3X3
    return Mode.CONV_1X1 if layer.input(1).shape[1] == 1 else Mode.CONV_3X3


def _padding(layer: Layer) -> tuple[int, int, int, int]:
    """Top, right, bottom, left: behind the input, what the last outputs reach of it."""
    top, _, left, _ = layer.operator_as(Convolution).padding
    _, height, width, _ = layer.input(0).shape
    side = layer.input(1).shape[1]
    bottom, right = (
        output + side - 1 - extent - before
        for output, extent, before in (
            (layer.output.shape[1], height, top),
            (layer.output.shape[2], width, left),
        )
    )
    return top, right, bottom, left


def _bytes(words: NDArray[np.int64]) -> NDArray[np.int8]:
    """Of integers that are words; of those that wrap, what is left."""
    return (words & 0xFFFFFFFF).astype("<u4").view(np.int8)
