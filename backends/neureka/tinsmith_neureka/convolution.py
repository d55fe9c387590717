"""Conv2D and DepthwiseConv2D as jobs of N-EUREKA."""

from functools import partial

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir.dtypes import DType
from tinsmith_ir.operators import Conv2D, Convolution, DepthwiseConv2D
from tinsmith_lowering import (
    CLUSTER_HEADER,
    CORES,
    Beside,
    Choice,
    Cost,
    Emission,
    Kernel,
    Layer,
    Prepared,
    Scope,
    Signature,
    only_weights_are_constant,
)

from tinsmith_neureka import jobs, scales
from tinsmith_neureka.packing import Mode, packed_weights
from tinsmith_neureka.weight_memory import MEMORY, are_beside, weight_choices

BACKEND = "neureka"
HEADERS = ("tinsmith_neureka_call.h",)
HEADERS_OF_CORES = (CLUSTER_HEADER, *HEADERS)

# The second one's end is work of the cores, which nobody else waits for: its jobs do not end in order.
JOBS = Beside(BACKEND, is_fifo=True, depth=2)
KEPT_JOBS = Beside(f"{BACKEND} then cores", is_fifo=False, depth=2)

_NUMBERS, _CONSTANTS, _WEIGHTS = "job", "constants", "weights"
BITS = {DType.INT8: 8, DType.INT4: 4, DType.INT2: 2}
_MOST_PADDING = 2
_MOST_STRIDE = 2

# A call's own work: the registers of a job, and its wait; of outputs that are kept, a fork, and cycles of a pixel and a
# word of a core.
_CALL_CYCLES, _COLD_CYCLES = 300, 250
_FORK_CYCLES, _PIXEL_CYCLES, _WORD_CYCLES = 150, 12, 3


def board_has_accelerator(layer: Layer) -> str | None:
    """The board has N-EUREKA, or is this computer, which has its twin."""
    board = layer.target.board
    is_beside_cluster = board.cluster is not None and BACKEND in board.cluster.accelerators
    has_one = board.architecture == "host" or is_beside_cluster
    return None if has_one else f"{board.name} has none"


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


def is_dense(layer: Layer) -> str | None:
    """The window is not dilated."""
    dilation = layer.operator_as(Convolution).dilation
    return None if dilation == (1, 1) else f"it is dilated by {dilation}"


def reads_what_it_needs(layer: Layer) -> str | None:
    """Strides are 1, or the window is 1x1, so that the accelerator computes no output for nothing."""
    stride = layer.operator_as(Convolution).stride
    return None if stride == (1, 1) or _side(layer) == 1 else f"they are {stride}"


def strides_are_two(layer: Layer) -> str | None:
    """The window is 3x3 and strides are up to 2: the accelerator computes all outputs, of which the cores keep some."""
    stride = layer.operator_as(Convolution).stride
    is_two = _side(layer) == 3 and max(stride) == _MOST_STRIDE
    return None if is_two else f"it is {_side(layer)}x{_side(layer)} by {stride}"


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
    most = 0 if _side(layer) == 1 else _MOST_PADDING
    if max(top, right, bottom, left) > most:
        return f"there are {top}, {bottom} rows and {left}, {right} columns"
    height, width = _computed(layer)
    if not (jobs.padding_is_known(height, bottom) and jobs.padding_is_known(width, right)):
        return f"there are {bottom} rows or {right} columns behind {height}x{width} outputs"
    return None


def job_of(layer: Layer) -> jobs.Job:
    """Of a layer that obeys the rules."""
    return _job_by(layer, scales.scales_of(layer).shift)


def _job_by(layer: Layer, shift: int) -> jobs.Job:
    """The same where the shift is known, or does not matter, as for cycles: who tiles asks for many."""
    _, height, width, channels = layer.input(0).shape
    return jobs.Job(
        _mode(layer),
        (height, width, channels),
        (*_computed(layer), layer.output.shape[3]),
        layer.operator_as(Convolution).stride if _side(layer) == 1 else (1, 1),
        _padding(layer),
        scales.zero_point_of(layer.input(0)),
        BITS[layer.input(1).dtype],
        shift,
        are_beside(layer),
    )


def prepare(layer: Layer) -> tuple[Prepared, ...]:
    """The words of the job, and what it reads beside the input: scales and biases of 32 bits in one array, weights."""
    found = scales.scales_of(layer)
    axis, shape = layer.operator_as(Convolution).weights_axis, layer.input(1).shape
    others = [size for index, size in enumerate(shape) if index != axis]
    data = np.moveaxis(found.rows.reshape(shape[axis], *others), 0, axis)
    return constants_of(_job_by(layer, found.shift), found, data)


def constants_of(
    job: jobs.Job, found: scales.Scales, weights: NDArray[np.int64]
) -> tuple[Prepared, ...]:
    """The same of a job, its scales, and its weights as `packed_weights` takes them."""
    packed = packed_weights(weights, job.mode, job.bits, job.offset)
    return (
        Prepared(_NUMBERS, jobs.words(job).view(np.int8)),
        Prepared(_CONSTANTS, np.concatenate([_bytes(found.scales), _bytes(found.biases)])),
        Prepared(_WEIGHTS, packed.view(np.int8), MEMORY if job.in_weight_memory else ""),
    )


def emit(layer: Layer, scope: Scope) -> Emission:
    """The job's start and the wait for it."""
    return emit_to(layer, scope, scope.output)


def emit_to(layer: Layer, scope: Scope, output: str) -> Emission:
    """The same with another place for what it computes. output: C expression of a pointer to int8."""
    words = scope.prepared(_NUMBERS, f"{scope.layer}: registers of its job")
    constants = scope.prepared(_CONSTANTS, f"{scope.layer}: scales and biases")
    weights = scope.prepared(_WEIGHTS, f"{scope.layer}: packed weights")
    channels = f"{layer.output.shape[-1]}u"
    arguments = ", ".join([words, constants, weights, channels, scope.input(0), output])
    return Emission(
        (f"  tinsmith_neureka_call_start({arguments}, {scope.token});",),
        wait=(f"  tinsmith_neureka_call_wait({scope.token});",),
    )


def cost(layer: Layer) -> Cost:
    """Cycles of the job, and of the core that starts it."""
    return cost_of(_job_by(layer, 0))


def cost_of(job: jobs.Job) -> Cost:
    """The same of a job."""
    return Cost(jobs.cycles(job) + _CALL_CYCLES, _COLD_CYCLES)


def scratch_of_all(layer: Layer) -> int:
    """What the accelerator computes, before some of it is kept."""
    height, width = _computed(layer)
    return height * width * layer.output.shape[3]


def strided_choices(layer: Layer) -> tuple[Choice, ...]:
    """Among how many cores the outputs that are kept are shared, and where weights lie."""
    most = _all_cores(layer)
    return (Choice(CORES, tuple(range(1, most + 1)), most), *weight_choices(layer))


def emit_strided(layer: Layer, scope: Scope) -> Emission:
    """The job's start; where it is waited for, the copies of outputs on the cores, too."""
    job = emit_to(layer, scope, _scratch(scope))
    down, across = layer.operator_as(Convolution).stride
    _, height, width, channels = layer.output.shape
    fields = {
        "all": _scratch(scope),
        "kept": scope.output,
        "height": f"{height}u",
        "width": f"{width}u",
        "channels": f"{channels}u",
        "pixel_bytes": f"{across * channels}u",
        "row_bytes": f"{down * _computed(layer)[1] * channels}u",
    }
    members = [f"      .{name} = {value}," for name, value in fields.items()]
    fork = f"  tinsmith_cluster_fork({_cores(layer)}u, tinsmith_neureka_keep, &kept);"
    record = "  const tinsmith_neureka_kept_t kept = {"
    assert job.wait is not None  # a job's
    return Emission(job.statements, wait=(*job.wait, record, *members, "  };", fork))


def cost_of_strided(layer: Layer) -> Cost:
    """With the copies of the core that has most of them."""
    _, height, width, channels = layer.output.shape
    pixels = -(-height // _cores(layer)) * width
    copies = _FORK_CYCLES + pixels * (_PIXEL_CYCLES + _WORD_CYCLES * -(-channels // 4))
    found = cost(layer)
    return Cost(found.cycles + copies, found.first)


def _cores(layer: Layer) -> int:
    """All, while a kernel is being chosen."""
    return int(layer.option(CORES)) if layer.options else _all_cores(layer)


def _all_cores(layer: Layer) -> int:
    cluster = layer.target.board.cluster
    return 1 if cluster is None else cluster.cores


def _scratch(scope: Scope) -> str:
    if scope.scratch is None:
        raise ValueError(f"{scope.layer}: it has no scratch")
    return f"(int8_t *){scope.scratch.expression}"


def kernels() -> tuple[Kernel, ...]:
    """Of weights of eight, four and two bits."""
    return tuple(kernel for dtype in BITS for kernel in _kernels_of(dtype))


def _kernels_of(dtype: DType) -> tuple[Kernel, ...]:
    kernel = partial(
        Kernel,
        backend=BACKEND,
        signature=Signature((DType.INT8, dtype, DType.INT32), DType.INT8),
        prepare=prepare,
        engine="cluster",
        near=True,
        accelerator=BACKEND,
        roundings=scales.ROUNDINGS,
    )
    rules = (
        board_has_accelerator,
        only_weights_are_constant,
        one_image,
        window_is_known,
        is_dense,
        all_channels,
    )
    scaled = (padding_is_small, scales.clips_to_int8, scales.products_fit)
    whole = partial(
        kernel,
        name="tinsmith_neureka_call",
        beside=JOBS,
        headers=HEADERS,
        emit=emit,
        rules=(*rules, reads_what_it_needs, *scaled),
        options=weight_choices,
        cost=cost,
    )
    strided = partial(
        kernel,
        name="tinsmith_neureka_call_strided",
        beside=KEPT_JOBS,
        headers=HEADERS_OF_CORES,
        emit=emit_strided,
        rules=(*rules, strides_are_two, *scaled),
        scratch_bytes=scratch_of_all,
        options=strided_choices,
        cost=cost_of_strided,
    )
    return tuple(
        make(operator=operator)
        for make in (whole, strided)
        for operator in (Conv2D, DepthwiseConv2D)
    )


def _mode(layer: Layer) -> Mode:
    if isinstance(layer.operator, DepthwiseConv2D):
        return Mode.DEPTHWISE_3X3
    return Mode.CONV_1X1 if _side(layer) == 1 else Mode.CONV_3X3


def _side(layer: Layer) -> int:
    return layer.input(1).shape[1]


def _computed(layer: Layer) -> tuple[int, int]:
    """Height and width of what the job computes: of a 3x3 window all pixels from the first output to the last."""
    height, width = layer.output.shape[1:3]
    if _side(layer) == 1:
        return height, width
    down, across = layer.operator_as(Convolution).stride
    return (height - 1) * down + 1, (width - 1) * across + 1


def _padding(layer: Layer) -> tuple[int, int, int, int]:
    """Top, right, bottom, left: behind the input, what the last outputs reach of it."""
    top, _, left, _ = layer.operator_as(Convolution).padding
    _, height, width, _ = layer.input(0).shape
    rows, columns = _computed(layer)
    bottom, right = (
        max(0, output + _side(layer) - 1 - extent - before)
        for output, extent, before in ((rows, height, top), (columns, width, left))
    )
    return top, right, bottom, left


def _bytes(words: NDArray[np.int64]) -> NDArray[np.int8]:
    """Of integers that are words; of those that wrap, what is left."""
    return (words & 0xFFFFFFFF).astype("<u4").view(np.int8)
