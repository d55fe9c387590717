"""Which layers of a network the analog array can compute: rules, and what a layer that obeys them is made of."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir.activation import Activation
from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Graph, Node
from tinsmith_ir.operators import Conv2D, FullyConnected, Weighted
from tinsmith_ir.operators.checks import check_quantized
from tinsmith_ir.operators.weighted import centred_weights
from tinsmith_ir.operators.windows import Padding2D, Pair
from tinsmith_ir.parameters import conv_parameters, fully_connected_channel_parameters
from tinsmith_ir.types import TensorType

from tinsmith_diana.analog.operator import chunk_channels

COLUMNS = 512
"""Of the array: output channels of one layer."""
MOST_CHANNELS = MOST_EXTENT = 1023
"""An instruction has 10 bits for channels, rows and columns."""
MOST_PADDING = 3
SIDES = (1, 3, 5, 7)
STRIDES = ((1, 1), (2, 2))
_ACTIVATIONS = (Activation.NONE, Activation.RELU, Activation.RELU6, Activation.RELU_0_TO_1)

Integers = NDArray[np.int64]
Reals = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class AnalogLayer:
    """A layer as the array has it: a convolution.

    weights: (O, kh, kw, C) of -1, 0, 1. scales: (O,), what a weight of 1 is. bias: (O,), as real numbers. source,
    result: the layer's types, of the shapes that the network has. lowest, highest: the real ends of the result; lowest
    is 0 where it is rectified. is_row: it is fully connected, its input and its result one row.
    """

    weights: Integers
    scales: Reals
    bias: Reals
    source: TensorType
    result: TensorType
    lowest: float
    highest: float
    stride: Pair
    padding: Padding2D
    is_row: bool

    @property
    def chunk_channels(self) -> int:
        """As many as the array's rows hold."""
        _, height, width, channels = self.weights.shape
        return min(channels, chunk_channels(height, width))

    @property
    def chunks(self) -> int:
        """How often sums are converted."""
        return -(-self.weights.shape[3] // self.chunk_channels)

    @property
    def is_rectified(self) -> bool:
        """Whether nothing below 0 is wanted."""
        return self.lowest == 0


Rule = Callable[[Graph, Node], str | None]
"""None if the layer obeys, else what was found; the rule is the function's docstring."""


def why_not(graph: Graph, node: Node, *, ternarize: bool = False) -> str | None:
    """The first rule that a layer with weights breaks, and what was found; None if the array can compute it.

    ternarize: weights need not be ternary.
    """
    for rule in _RULES:
        if ternarize and rule is is_ternary:
            continue
        finding = rule(graph, node)
        if finding is not None:
            return f"{' '.join((rule.__doc__ or '').split()).rstrip('.')}: {finding}"
    return None


def ternarized(rows: Integers) -> tuple[Integers, Reals]:
    """Of each row, (O, n), the closest one of -1, 0 and 1 times a number, by the sum of squares, and that number (O,):
    a ternary row itself.

    With the k largest magnitudes kept, whose mean is the best number, the squares lose (sum of these)**2 / k.
    """
    sizes = np.abs(rows)
    order = np.argsort(-sizes, axis=1, kind="stable")
    sums = np.cumsum(np.take_along_axis(sizes, order, axis=1), axis=1)
    counts: Integers = np.arange(1, rows.shape[1] + 1, dtype=np.int64)
    kept = np.argmax(sums.astype(np.float64) ** 2 / counts, axis=1)
    best = np.take_along_axis(sums, kept[:, None], axis=1)[:, 0] / (kept + 1)
    is_kept = np.zeros(rows.shape, np.bool_)
    np.put_along_axis(is_kept, order, counts <= kept[:, None] + 1, axis=1)
    return np.sign(rows) * is_kept, np.where(best > 0, best, 1.0)


def layer_of(graph: Graph, node: Node) -> AnalogLayer:
    """What a layer that obeys the rules is made of; weights that are not ternary are replaced by those closest."""
    operator = node.operator
    source, result = node.present_inputs[0].type, node.outputs[0].type
    data = _weights(graph, node)
    units = len(data)
    ternary, size = ternarized(data.reshape(units, -1))
    scales = _scales(node.present_inputs[1].type, units)
    bias = graph.constant(node.inputs[2]) if len(node.inputs) > 2 else None
    steps = np.zeros(units) if bias is None else bias.astype(np.float64)
    point, scale = _affine(result)
    least, most = _ends(node)
    is_row = isinstance(operator, FullyConnected)
    return AnalogLayer(
        weights=ternary.reshape((units, 1, 1, -1) if is_row else data.shape),
        scales=scales * size,
        bias=steps * scales * _affine(source)[1],
        source=source,
        result=result,
        lowest=(least - point) * scale,
        highest=(most - point) * scale,
        stride=operator.stride if isinstance(operator, Conv2D) else (1, 1),
        padding=operator.padding if isinstance(operator, Conv2D) else (0, 0, 0, 0),
        is_row=is_row,
    )


def is_convolution(graph: Graph, node: Node) -> str | None:
    """It is a convolution of one group, or fully connected, and gives results, not sums."""
    del graph
    operator = node.operator
    if not isinstance(operator, Conv2D | FullyConnected):
        return f"it is a {operator.mnemonic}"
    if isinstance(operator, Conv2D):
        channels = [value.type.shape[3] for value in node.present_inputs[:2]]
        if channels[0] != channels[1]:
            return f"there are {channels[0] // channels[1]} groups"
    return None if operator.accumulator is None else "it gives sums"


def is_int8(graph: Graph, node: Node) -> str | None:
    """Input and result are int8, the weights integers."""
    del graph
    types = [value.type for value in (node.present_inputs[0], node.outputs[0])]
    found = next((type_ for type_ in types if type_.dtype is not DType.INT8), None)
    return None if found is None else f"there is {found.dtype.value}"


def is_constant(graph: Graph, node: Node) -> str | None:
    """Weights and bias are constants, the input is none."""
    if graph.constant(node.inputs[0]) is not None:
        return "the input is a constant"
    given = [value for value in node.inputs[1:] if value is not None]
    found = next((value for value in given if graph.constant(value) is None), None)
    return None if found is None else f"{found.name} is computed"


def is_ternary(graph: Graph, node: Node) -> str | None:
    """Weights are ternary: those of an output channel are 0 or of one magnitude."""
    rows = np.abs(_weights(graph, node).reshape(node.outputs[0].type.shape[-1], -1))
    several = ((rows != 0) & (rows != _magnitudes(rows)[:, None])).any(axis=1)
    return f"those of {int(several.sum())} channels are not" if several.any() else None


def is_no_copy(graph: Graph, node: Node) -> str | None:
    """It does more than to scale and clip what it reads, which the digital array does without a loss."""
    rows = _weights(graph, node).reshape(node.outputs[0].type.shape[-1], -1)
    bias = graph.constant(node.inputs[2]) if len(node.inputs) > 2 else None
    if rows.shape[0] != rows.shape[1] or (bias is not None and bias.any()):
        return None
    ones = np.eye(len(rows), dtype=np.int64)
    is_copy = rows[0, 0] > 0 and np.array_equal(rows, rows[0, 0] * ones)
    return "each channel is its own" if is_copy else None


def is_one_image(graph: Graph, node: Node) -> str | None:
    """There is one image, or one row."""
    del graph
    shape = node.outputs[0].type.shape
    count = shape[0] if isinstance(node.operator, Conv2D) else int(np.prod(shape[:-1]))
    return None if count == 1 else f"there are {count}"


def has_window(graph: Graph, node: Node) -> str | None:
    """The window has 1, 3, 5 or 7 rows and columns, a stride of 1x1 or 2x2, no dilation, and padding of at most 3."""
    del graph
    operator = node.operator
    if not isinstance(operator, Conv2D):
        return None
    window = node.present_inputs[1].type.shape[1:3]
    if not set(window) <= set(SIDES):
        return f"it is {window[0]}x{window[1]}"
    if operator.stride not in STRIDES:
        return f"the stride is {operator.stride[0]}x{operator.stride[1]}"
    if operator.dilation != (1, 1):
        return f"the dilation is {operator.dilation[0]}x{operator.dilation[1]}"
    padding = max(operator.padding)
    return None if padding <= MOST_PADDING else f"the padding is {padding}"


def has_room(graph: Graph, node: Node) -> str | None:
    """There are at most 512 output channels, and 1,023 input channels, rows and columns."""
    del graph
    source, result = node.present_inputs[0].type.shape, node.outputs[0].type.shape
    if result[-1] > COLUMNS:
        return f"there are {result[-1]} output channels"
    is_row = isinstance(node.operator, FullyConnected)
    channels = int(np.prod(source)) if is_row else source[3]
    if channels > MOST_CHANNELS:
        return f"there are {channels} input channels"
    extent = 1 if is_row else max(source[1:3])
    return None if extent <= MOST_EXTENT else f"there are {extent} rows or columns"


def has_clip(graph: Graph, node: Node) -> str | None:
    """The result is clipped by its type alone, or from 0 on."""
    del graph
    operator = node.operator
    activation = operator.activation if isinstance(operator, Conv2D | FullyConnected) else None
    if activation not in _ACTIVATIONS:
        return f"its activation is {activation.value}" if activation else "it is not known"
    least, most = _ends(node)
    point, _ = _affine(node.outputs[0].type)
    lowest, highest = node.outputs[0].type.dtype.integer_range
    if least not in (lowest, point) or (most < highest and least != point):
        return f"it is clipped to {least} to {most}"
    return None if most > point else "nothing is above 0"


_RULES: tuple[Rule, ...] = (
    is_convolution,
    is_int8,
    is_constant,
    is_one_image,
    has_window,
    has_room,
    is_ternary,
    is_no_copy,
    has_clip,
)


def _weights(graph: Graph, node: Node) -> Integers:
    """Output channels first, minus their zero point."""
    data = graph.constant(node.inputs[1])
    operator = node.operator
    if data is None or not isinstance(operator, Weighted):
        raise ValueError(f"layer {node.name}: expected constant weights")
    centred = centred_weights(data, node.present_inputs[1].type).astype(np.int64)
    return np.moveaxis(centred, operator.weights_axis, 0)


def _magnitudes(rows: Integers) -> Integers:
    """Of each row the largest; 1 of rows of zeros."""
    return np.maximum(np.abs(rows).max(axis=1), 1)


def _scales(type_: TensorType, units: int) -> Reals:
    quantization = type_.quantization
    if quantization is None:
        raise ValueError("expected weights with a quantization")
    return np.broadcast_to(np.array(quantization.scales), (units,)).astype(np.float64)


def _affine(type_: TensorType) -> tuple[int, float]:
    """Zero point and scale."""
    quantization = check_quantized(type_, "input or result")
    return quantization.zero_point, quantization.scale


def _ends(node: Node) -> tuple[int, int]:
    """The smallest and the largest result."""
    types = [None if value is None else value.type for value in node.inputs]
    result = node.outputs[0].type
    if isinstance(node.operator, FullyConnected):
        parameters = fully_connected_channel_parameters(node.operator, types, result)
    elif isinstance(node.operator, Conv2D):
        parameters = conv_parameters(node.operator, types, result)
    else:
        raise TypeError(f"layer {node.name} is a {node.operator.mnemonic}")
    return parameters.clamp_min, parameters.clamp_max
