"""Conv2D and DepthwiseConv2D as jobs of DIANA's digital accelerator."""

from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir.operators import Conv2D, Convolution, DepthwiseConv2D
from tinsmith_lowering import (
    Cost,
    Cuts,
    Emission,
    Kernel,
    Layer,
    Layouts,
    Prepared,
    Scope,
    given_weights,
    only_weights_are_constant,
)

from tinsmith_diana import jobs, scales
from tinsmith_diana.layouts import LANES, DianaPlanes, padded, plane_bytes
from tinsmith_diana.packing import SLOTS, packed_convolution, packed_depthwise
from tinsmith_diana.rules import (
    IN_PLANES,
    IN_ROWS,
    board_has_array,
    cost_of,
    emit_weighted,
    features_of,
    in_rows,
    least_rows,
    prepared,
    room_finding,
    weighted_kernel,
    weights_finding,
)

_FILL, _CHANNEL = 10**6, 10**5
"""What HTVM's solver weighs against a byte."""
_SIDES = (1, 3, 5, 7)
_STRIDES = ((1, 1), (2, 2))


@dataclass(frozen=True)
class _Window:
    """A window as the array takes it, with rows and columns of zeros around the weights.

    size: height, width. before: columns of zeros in front. above, below, side: zero padding of the image; the columns
    are the same on both sides.
    """

    size: tuple[int, int]
    before: int
    above: int
    below: int
    side: int


def one_image(layer: Layer) -> str | None:
    """There is one image."""
    images = layer.input(0).shape[0]
    return None if images == 1 else f"there are {images}"


def window_is_known(layer: Layer) -> str | None:
    """The window has 1, 3, 5 or 7 rows and columns, or zeros make it so; each column of padding that the image has on
    the right and not on the left takes a column of zeros.
    """
    if _window(layer) is not None:
        return None
    height, width = layer.input(1).shape[1:3]
    left, right = _columns(layer)
    return f"it is {height}x{width}, with {left} columns on the left and {right} on the right"


def stride_is_known(layer: Layer) -> str | None:
    """Strides are 1x1 or 2x2."""
    stride = layer.operator_as(Convolution).stride
    return None if stride in _STRIDES else f"they are {stride[0]}x{stride[1]}"


def is_dense(layer: Layer) -> str | None:
    """The window is not dilated."""
    dilation = layer.operator_as(Convolution).dilation
    return None if dilation == (1, 1) else f"it is dilated by {dilation[0]}x{dilation[1]}"


def all_channels(layer: Layer) -> str | None:
    """Each output depends on all input channels; of a depthwise convolution, on one, which has one output."""
    inputs, outputs = layer.input(0).shape[3], layer.output.shape[3]
    if isinstance(layer.operator, DepthwiseConv2D):
        return None if inputs == outputs else f"a channel has {outputs // inputs} outputs"
    groups = inputs // layer.input(1).shape[3]
    return None if groups == 1 else f"there are {groups} groups of them"


def padding_is_small(layer: Layer) -> str | None:
    """Less rows than the window has, with zeros around it, lie above and below the image, and less columns on its
    sides.
    """
    window = _known_window(layer)
    rows, columns = window.size
    if max(window.above, window.below) < rows and window.side < columns:
        return None
    return f"there are {window.above} and {window.below} rows and {window.side} columns, the window is {rows}x{columns}"


def zeros_are_padding(layer: Layer) -> str | None:
    """The input's zero point is 0 where there is padding, which is of zeros."""
    quantization = layer.input(0).quantization
    point = 0 if quantization is None else quantization.zero_point
    top = layer.operator_as(Convolution).padding[0]
    is_padded = any((top, _below(layer, layer.input(1).shape[1]), *_columns(layer)))
    return f"it is {point}" if point and is_padded else None


def weights_fit(layer: Layer) -> str | None:
    """The weights and biases of 16 outputs fit the accelerator's weight memory of 65,536 bytes."""
    return weights_finding(work_of(layer))


def tile_fits(layer: Layer) -> str | None:
    """Some rows of 16 outputs, as few as copies move, fit the L1 memory of 262,144 bytes together with what they read
    and what is written behind them.
    """
    work = work_of(layer)
    height, width, outputs = work.output
    rows = least_rows(width, height)
    read = min(work.input[0], (rows - 1) * work.stride + work.window[0])
    channels = min(outputs, LANES)
    inputs = channels if work.is_depthwise else work.input[2]
    written = LANES + (channels - 1 if work.is_depthwise else 0)
    of_input = inputs * plane_bytes(read, work.input[1])
    return room_finding(of_input + written * rows * padded(width))


def cuts(layer: Layer) -> Cuts:
    """Rows, and outputs by as many as a job computes; of depthwise layers by as many as lie together in its weights."""
    is_depthwise = isinstance(layer.operator, DepthwiseConv2D)
    axes = ((1, 1), (3, SLOTS if is_depthwise else LANES))
    return Cuts(axes, (IN_ROWS, IN_PLANES), htvm_weight)


def htvm_weight(layer: Layer) -> int:
    """Of a tile, by the solver of HTVM's code (KULeuven-MICAS/htvm): bytes, channels and columns that fill the array,
    16 pixels or more, columns, channels. Its paper's equations 3 to 5 have other axes for some of them.
    """
    _, height, width, channels = layer.output.shape
    has_pixels = height * width >= LANES
    weight = layer.input(0).elements + layer.output.elements
    weight += _FILL * ((width - 1) % LANES) + _FILL * has_pixels + _FILL * width
    weight += _CHANNEL * channels
    if isinstance(layer.operator, DepthwiseConv2D):
        return weight
    return weight + _FILL * ((channels - 1) % LANES)


def work_of(
    layer: Layer, shift: int = 0, *, relu: bool = False, in_planes: bool = False
) -> jobs.Convolution:
    """Of a layer whose window is known. shift, relu: see `scales.Scale`; of cycles and bytes they change none."""
    _, rows, columns, channels = layer.input(0).shape
    _, height, width, outputs = layer.output.shape
    window = _known_window(layer)
    return jobs.Convolution(
        (rows, columns, channels),
        (height, width, outputs),
        window.size,
        layer.operator_as(Convolution).stride[0],
        (window.above, window.below, window.side),
        shift,
        relu,
        isinstance(layer.operator, DepthwiseConv2D),
        features=features_of(layer),
        in_planes=in_planes,
    )


def prepare(layer: Layer, *, in_planes: bool = False) -> tuple[Prepared, ...]:
    """The record, and the weights and biases that its jobs load."""
    scale = scales.scale_of(layer)
    work = work_of(layer, scale.shift, relu=scale.relu, in_planes=in_planes)
    return prepared(work, packed_weights(layer))


def packed_weights(layer: Layer) -> NDArray[np.int8]:
    """With biases, as the jobs load them."""
    pack = packed_depthwise if isinstance(layer.operator, DepthwiseConv2D) else packed_convolution
    weights = _within(given_weights(layer).astype(np.int8), _known_window(layer))
    return pack(weights, scales.scale_of(layer).biases)


def emit(layer: Layer, scope: Scope) -> Emission:
    """The start and the wait."""
    return emit_weighted(work_of(layer), scope)


def _within(data: NDArray[np.int8], window: _Window) -> NDArray[np.int8]:
    """Weights (outputs or 1, height, width, channels) with the zeros around them."""
    rows = window.size[0] - data.shape[1]
    columns = window.size[1] - data.shape[2] - window.before
    return np.pad(data, ((0, 0), (0, rows), (window.before, columns), (0, 0)))


def cost(layer: Layer) -> Cost:
    """Of the accelerator's jobs, and of the core that starts them."""
    return cost_of(work_of(layer))


def layouts(layer: Layer) -> Layouts:
    """In rows, with room behind the result."""
    return in_rows(1, _behind(layer))


def planes(layer: Layer) -> Layouts:
    """The input in padded planes."""
    return replace(layouts(layer), inputs=(DianaPlanes.name,))


def _behind(layer: Layer) -> int:
    work = work_of(layer)
    return work.planes_behind * work.plane_bytes[1]


RULES = (
    board_has_array,
    only_weights_are_constant,
    one_image,
    stride_is_known,
    is_dense,
    all_channels,
    window_is_known,
    padding_is_small,
    zeros_are_padding,
    weights_fit,
    tile_fits,
    *scales.RULES,
)


def kernels() -> tuple[Kernel, ...]:
    """Of both operators; those of padded planes are for tiles."""
    kernel = partial(weighted_kernel, rules=RULES, emit=emit, cost=cost)
    in_rows_ = partial(kernel, prepare=prepare, layouts=layouts, cuts=cuts)
    in_planes = partial(
        kernel,
        name=IN_PLANES,
        prepare=partial(prepare, in_planes=True),
        layouts=planes,
        as_they_lie=True,
    )
    operators = Conv2D, DepthwiseConv2D
    return tuple(
        made(operator=operator) for made in (in_rows_, in_planes) for operator in operators
    )


def _window(layer: Layer) -> _Window | None:
    """None if no known window holds the layer's. Columns of zeros in front of the weights have the image moved to the
    right by as many: so it gets as many columns of padding on the left as it needs on the right.
    """
    height, width = layer.input(1).shape[1:3]
    left, right = _columns(layer)
    before = max(0, right - left)
    sizes = [
        next((side for side in _SIDES if side >= least), 0) for least in (height, width + before)
    ]
    if 0 in sizes:
        return None
    above = layer.operator_as(Convolution).padding[0]
    return _Window((sizes[0], sizes[1]), before, above, _below(layer, sizes[0]), left + before)


def _known_window(layer: Layer) -> _Window:
    window = _window(layer)
    if window is None:
        raise ValueError(f"layer {layer.name}: its window is not known")
    return window


def _below(layer: Layer, height: int) -> int:
    """Rows below the image that the last outputs reach with a window of that height."""
    operator = layer.operator_as(Convolution)
    reach = (layer.output.shape[1] - 1) * operator.stride[0] + height
    return max(0, reach - layer.input(0).shape[1] - operator.padding[0])


def _columns(layer: Layer) -> tuple[int, int]:
    """Columns of padding on the left, and those on the right that the last outputs reach."""
    operator = layer.operator_as(Convolution)
    left = operator.padding[2]
    reach = (layer.output.shape[2] - 1) * operator.stride[1] + layer.input(1).shape[2]
    return left, max(0, reach - layer.input(0).shape[2] - left)
