"""AnalogConv2D as a job of DIANA's analog accelerator: rules, constants, and the C text of start and wait.

The accelerator computes the operator's arithmetic, `scale`, `rectify` and `quantize` behind the converters, as far as
it has room; what differs is refused: other gains, several chunks. It clips to 8 bits; to 7 the core does, behind it.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir.dtypes import DType
from tinsmith_lowering import (
    Beside,
    Cost,
    Emission,
    Kernel,
    Layer,
    Layouts,
    Prepared,
    Scope,
    Signature,
)

from tinsmith_diana.analog import jobs
from tinsmith_diana.analog.array import (
    COLUMNS,
    MOST_CHANNELS,
    MOST_EXTENT,
    MOST_PADDING,
    SIDES,
    STRIDES,
)
from tinsmith_diana.analog.backend import weights_are_ternary
from tinsmith_diana.analog.ends import needs_clip, result_ends
from tinsmith_diana.analog.operator import AnalogConv2D
from tinsmith_diana.analog.packing import packed_lines, packed_scales
from tinsmith_diana.jobs import L1_BYTES
from tinsmith_diana.layouts import DianaPixels
from tinsmith_diana.rules import accelerator_finding, copying_emission

ACCELERATOR = "analog"
"""Among those of a board."""
BACKEND = "diana_analog"
NAME = "tinsmith_diana_analog"
GAIN = 16
"""Of the converters: TINSMITH_DIANA_ANALOG_GAIN, which the generated C is held to."""

_RECORD, _WEIGHTS, _SCALES = "layer", "lines", "scales"
_CALL_CYCLES, _START_CYCLES = 400, 250
"""Of the core, around the job and both copies, and until the job has begun: measured on the simulator."""

Integers = NDArray[np.int64]


def board_has_array(layer: Layer) -> str | None:
    """The board has the analog accelerator, or is a computer, which has its twin."""
    return accelerator_finding(layer, ACCELERATOR)


def constants_are_known(layer: Layer) -> str | None:
    """Weights, each -1, 0 or 1, multipliers and addends are known at compile time, the input is not."""
    if layer.constant(0) is not None:
        return "the input is a constant"
    for index, name in ((1, "weights"), (2, "multipliers"), (3, "addends")):
        if layer.constant(index) is None:
            return f"{name} are computed at run time"
    return weights_are_ternary(layer)


def one_image(layer: Layer) -> str | None:
    """There is one image."""
    images = layer.input(0).shape[0]
    return None if images == 1 else f"there are {images}"


def gain_is_known(layer: Layer) -> str | None:
    """The gain is 16, the converters' own; map-analog{gain=16} makes such layers."""
    gain = layer.operator_as(AnalogConv2D).gain
    return None if gain == GAIN else f"it is {gain}"


def is_one_chunk(layer: Layer) -> str | None:
    """Sums are converted once: all input channels are one chunk."""
    chunk, channels = layer.operator_as(AnalogConv2D).chunk_channels, layer.input(0).shape[3]
    return None if channels <= chunk else f"there are {-(-channels // chunk)} chunks"


def window_is_known(layer: Layer) -> str | None:
    """The window has 1, 3, 5 or 7 rows and columns, and strides are 1x1 or 2x2."""
    height, width = layer.input(1).shape[1:3]
    if not {height, width} <= set(SIDES):
        return f"it is {height}x{width}"
    stride = layer.operator_as(AnalogConv2D).stride
    return None if stride in STRIDES else f"they are {stride[0]}x{stride[1]}"


def padding_is_small(layer: Layer) -> str | None:
    """Padding is at most 3, and less than the window's rows or columns."""
    padding = layer.operator_as(AnalogConv2D).padding
    height, width = layer.input(1).shape[1:3]
    most = [min(MOST_PADDING, side - 1) for side in (height, height, width, width)]
    is_small = all(pad <= limit for pad, limit in zip(padding, most, strict=True))
    return None if is_small else f"it is {padding} around a window of {height}x{width}"


def sizes_fit(layer: Layer) -> str | None:
    """There are at most 512 output channels, and 1,023 input channels, rows and columns."""
    outputs = layer.output.shape[3]
    if outputs > COLUMNS:
        return f"there are {outputs} output channels"
    channels = layer.input(0).shape[3]
    if channels > MOST_CHANNELS:
        return f"there are {channels} input channels"
    extent = max(*layer.input(0).shape[1:3], *layer.output.shape[1:3])
    return None if extent <= MOST_EXTENT else f"there are {extent} rows or columns"


def images_fit(layer: Layer) -> str | None:
    """Input and result fit the L1 memory of 262,144 bytes together; where one of them has more than 16 channels, both
    fit 65,536 bytes of each of its banks.
    """
    needed = work_of(layer).l1_bytes
    return None if needed <= L1_BYTES else f"they reach over {needed:,} bytes"


def is_narrow(layer: Layer) -> bool:
    """Whether the core has to clip results to 7 bits: the accelerator clips to 8, which is as good where they stay
    within 7 by themselves, whatever the input is.
    """
    operator = layer.operator_as(AnalogConv2D)
    weights, multipliers, addends = (_constant(layer, index) for index in (1, 2, 3))
    return needs_clip(operator, result_ends(operator, weights, multipliers, addends))


def prepare(layer: Layer) -> tuple[Prepared, ...]:
    """The record, and the weights and scales that the job loads."""
    weights, multipliers, addends = (_constant(layer, index) for index in (1, 2, 3))
    return (
        Prepared(_RECORD, jobs.record(_job(layer)).astype("<u4").view("i1")),
        Prepared(_WEIGHTS, packed_lines(weights)),
        Prepared(_SCALES, packed_scales(multipliers, addends)),
    )


def emit(layer: Layer, scope: Scope) -> Emission:
    """The start and the wait."""
    del layer
    found = constants(scope, "its instruction, and copies of its images")
    return copying_emission(scope, "tinsmith_diana_analog_layer", found)


def constants(scope: Scope, record: str) -> tuple[str, str, str]:
    """C expressions of what is prepared. record: what the first one is."""
    return (
        scope.prepared(_RECORD, f"{scope.layer}: {record}"),
        scope.prepared(_WEIGHTS, f"{scope.layer}: lines of the ones and the minus ones of weights"),
        scope.prepared(_SCALES, f"{scope.layer}: multipliers and addends"),
    )


def scratch_bytes(layer: Layer) -> int:
    """Both images, as they lie in the banks."""
    return work_of(layer).l1_bytes


def cost(layer: Layer) -> Cost:
    """Of the job and the copies, and of the core that starts them."""
    job = _job(layer)
    return Cost(
        jobs.cycles(job) + _CALL_CYCLES,
        start=jobs.start_cycles(job) + _START_CYCLES,
        wait=jobs.wait_cycles(job) + _CALL_CYCLES - _START_CYCLES,
    )


def layouts(layer: Layer) -> Layouts:
    """In pixels."""
    del layer
    return Layouts((DianaPixels.name,), (DianaPixels.name,))


def kernels() -> tuple[Kernel, ...]:
    """The one there is."""
    return (
        Kernel(
            name=NAME,
            backend=BACKEND,
            operator=AnalogConv2D,
            signature=Signature((DType.INT8,) * 4, DType.INT8),
            headers=("tinsmith_diana_analog_layer.h",),
            emit=emit,
            rules=(
                board_has_array,
                constants_are_known,
                one_image,
                gain_is_known,
                is_one_chunk,
                window_is_known,
                padding_is_small,
                sizes_fit,
                images_fit,
            ),
            scratch_bytes=scratch_bytes,
            prepare=prepare,
            engine=ACCELERATOR,
            checks=(f"TINSMITH_DIANA_ANALOG_GAIN == {GAIN}",),
            layouts=layouts,
            cost=cost,
            accelerator=ACCELERATOR,
            beside=Beside(
                ACCELERATOR, is_fifo=True, depth=1, copies_operands=True, copies_results=True
            ),
        ),
    )


def _job(layer: Layer) -> jobs.AnalogConvolution:
    """With the core's part."""
    return replace(work_of(layer), is_narrow=is_narrow(layer))


def work_of(layer: Layer) -> jobs.AnalogConvolution:
    """The job of a layer that obeys the rules, without the core's part, which asks for constants."""
    operator = layer.operator_as(AnalogConv2D)
    _, *source = layer.input(0).shape
    _, *result = layer.output.shape
    return jobs.AnalogConvolution(
        input=(source[0], source[1], source[2]),
        output=(result[0], result[1], result[2]),
        window=(layer.input(1).shape[1], layer.input(1).shape[2]),
        stride=operator.stride[0],
        padding=operator.padding,
        shift=operator.shift,
        addend_shift=operator.addend_shift,
        is_rectified=operator.rectified,
    )


def _constant(layer: Layer, index: int) -> Integers:
    data = layer.constant(index)
    if data is None:
        raise ValueError(f"layer {layer.name}: operand {index} is no constant")
    return data.astype(np.int64)
