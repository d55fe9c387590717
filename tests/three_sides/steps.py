"""A network as PyTorch and its exporters say it: steps on tensors (N, C, ...), weights (O, I, ...).

`channels_first(graph)` makes them of a graph of float32, as the TFLite importer gives it; `as_onnx.py` and
`as_torch.py` write them down.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir import Graph, Node, Value
from tinsmith_ir.activation import Activation
from tinsmith_ir.operators import (
    Add,
    AveragePool2D,
    Concat,
    Conv2D,
    DepthwiseConv2D,
    FullyConnected,
    HardSwish,
    Logistic,
    MaxPool2D,
    Mean,
    Mul,
    Operator,
    Pad,
    Relu,
    Relu6,
    Reshape,
    Softmax,
    Tanh,
)
from tinsmith_ir.operators.base import activation_of
from tinsmith_ir.types import Quantization

_Item = TypeVar("_Item")
Floats = NDArray[np.float32]
Numbers = NDArray[np.generic]
"""float32, or integers that stand for such."""
Scales = tuple[Floats, Floats]
"""Of weights, one for each output channel or for all, and of the bias."""
Pads = tuple[tuple[int, int], ...]
"""Before and after each axis behind batch and channels."""


@dataclass(frozen=True, eq=False)
class Conv:
    """weights: (O, I / groups, ...), of one or two axes. scales: if weights and bias are integers."""

    x: str
    weights: Numbers
    bias: Numbers
    stride: tuple[int, ...]
    dilation: tuple[int, ...]
    pads: Pads
    groups: int
    scales: Scales | None = None


@dataclass(frozen=True, eq=False)
class Linear:
    """weights: (O, I). scales: if weights and bias are integers."""

    x: str
    weights: Numbers
    bias: Numbers
    scales: Scales | None = None


@dataclass(frozen=True)
class Pool:
    """kind: `max` or `average`; averages count no padding."""

    kind: str
    x: str
    window: tuple[int, ...]
    stride: tuple[int, ...]
    pads: Pads


@dataclass(frozen=True)
class GlobalAverage:
    """Over all axes behind the channels, which stay with length 1."""

    x: str


@dataclass(frozen=True)
class Unary:
    """kind: `relu`, `relu6`, `sigmoid`, `hard_swish` or `tanh`."""

    kind: str
    x: str


@dataclass(frozen=True)
class Binary:
    """kind: `add` or `mul`."""

    kind: str
    lhs: str
    rhs: str


@dataclass(frozen=True)
class Join:
    """Concatenation along the channels."""

    parts: tuple[str, ...]


@dataclass(frozen=True)
class Padded:
    """With zeros around."""

    x: str
    pads: Pads


@dataclass(frozen=True)
class Flatten:
    """All axes behind the first as one."""

    x: str


@dataclass(frozen=True)
class Normalized:
    """Softmax over an axis."""

    x: str
    axis: int


Step = Conv | Linear | Pool | GlobalAverage | Unary | Binary | Join | Padded | Flatten | Normalized


@dataclass(frozen=True, eq=False)
class Steps:
    """A network: inputs by name, what each step is called, and the names of outputs. shapes: of all, by name.

    quantized: inputs and results of steps that are integers in the graph, by name.
    """

    inputs: Sequence[str]
    steps: Mapping[str, Step]
    outputs: Sequence[str]
    shapes: Mapping[str, tuple[int, ...]]
    quantized: Mapping[str, Quantization]


class _Order(Enum):
    """How the elements of a value of the graph lie in that of a step."""

    SAME = "same"
    IMAGE = "(N, H, W, C) as (N, C, H, W)"
    ROW = "(N, W, C), or (N, 1, W, C), as (N, C, W)"


_UNARY: Mapping[type[Operator], str] = {
    Relu: "relu",
    Relu6: "relu6",
    Logistic: "sigmoid",
    HardSwish: "hard_swish",
    Tanh: "tanh",
}
_ACTIVATIONS = {Activation.RELU: "relu", Activation.RELU6: "relu6"}


@dataclass(frozen=True)
class _Said:
    """What stands for a value of the graph. image: (H, W, C), if it is such an image as one row."""

    name: str
    order: _Order
    image: tuple[int, int, int] | None = None


def channels_first(graph: Graph) -> Steps:
    """The same network; inputs of four and three axes are images and rows. Of integers, the real numbers that they
    stand for. Raises ValueError for what has no step.
    """
    return _Translation(graph).steps()


class _Translation:
    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._said: dict[str, _Said] = {}
        self._steps: dict[str, Step] = {}
        self._shapes: dict[str, tuple[int, ...]] = {}
        self._quantized: dict[str, Quantization] = {}

    def steps(self) -> Steps:
        inputs: list[str] = []
        for value in self._graph.inputs:
            order = {4: _Order.IMAGE, 3: _Order.ROW}.get(len(value.type.shape), _Order.SAME)
            inputs.append(self._say(value, value.name, order))
        for node in self._graph.nodes:
            self._translate(node)
        outputs = [self._said[value.name].name for value in self._graph.outputs]
        return Steps(inputs, self._steps, outputs, self._shapes, self._quantized)

    def _say(
        self, value: Value, name: str, order: _Order, image: tuple[int, int, int] | None = None
    ) -> str:
        self._said[value.name] = _Said(name, order, image)
        self._shapes[name] = _moved(value.type.shape, order)
        if value.type.quantization is not None:
            self._quantized[name] = value.type.quantization
        return name

    def _step(self, value: Value, step: Step, order: _Order) -> None:
        """The step that gives `value`, before the clamp of its operator."""
        producer = self._graph.producer(value)
        clamp = Activation.NONE if producer is None else activation_of(producer.operator)
        name = f"s{len(self._steps)}"
        self._steps[name] = step
        if clamp is not Activation.NONE:
            self._shapes[name] = _moved(value.type.shape, order)
            clamped = f"s{len(self._steps)}"
            self._steps[clamped] = Unary(_ACTIVATIONS[clamp], name)
            name = clamped
        self._say(value, name, order)

    def _translate(self, node: Node) -> None:
        (result,) = node.outputs
        operator = node.operator
        if isinstance(operator, (Conv2D, DepthwiseConv2D)):
            self._conv(node, operator, result)
        elif isinstance(operator, FullyConnected):
            self._linear(node, result)
        elif isinstance(operator, (AveragePool2D, MaxPool2D)):
            self._pool(node, operator, result)
        elif isinstance(operator, Mean):
            self._mean(node, operator, result)
        elif isinstance(operator, Reshape):
            self._reshape(node, result)
        elif isinstance(operator, (Add, Mul)):
            lhs, rhs = (self._of(value) for value in node.present_inputs)
            kind = "add" if isinstance(operator, Add) else "mul"
            self._step(result, Binary(kind, lhs.name, rhs.name), lhs.order)
        elif isinstance(operator, Concat) and operator.axis == len(result.type.shape) - 1:
            parts = [self._of(value) for value in node.present_inputs]
            self._step(result, Join(tuple(part.name for part in parts)), parts[0].order)
        elif isinstance(operator, Pad) and operator.value is None:
            x = self._of(node.inputs[0])
            pairs = list(zip(operator.padding[::2], operator.padding[1::2], strict=True))
            self._step(result, Padded(x.name, _along(pairs[1:-1], x.order)), x.order)
        elif isinstance(operator, Softmax):
            x = self._of(node.inputs[0])
            axis = -1 if x.order is _Order.SAME else 1
            self._step(result, Normalized(x.name, axis), x.order)
        elif type(operator) in _UNARY:
            x = self._of(node.inputs[0])
            self._step(result, Unary(_UNARY[type(operator)], x.name), x.order)
        else:
            raise ValueError(f"no step for {operator}")

    def _of(self, value: Value | None) -> _Said:
        assert value is not None
        return self._said[value.name]

    def _constant(self, value: Value | None) -> Numbers:
        array = self._graph.constant(value)
        assert array is not None
        return array

    def _bias(self, node: Node) -> Numbers:
        """Zeros where the graph has none, as exporters write it."""
        if node.inputs[2] is None:
            dtype = np.float32 if self._scales(node) is None else np.int32
            return np.zeros(node.outputs[0].type.shape[-1], dtype)
        return self._constant(node.inputs[2])

    def _scales(self, node: Node) -> Scales | None:
        source, weights = (value.type.quantization for value in node.present_inputs[:2])
        if source is None or weights is None:
            return None
        own = np.array(weights.scales, np.float32)
        return own, np.float32(source.scale) * own

    def _conv(self, node: Node, operator: Conv2D | DepthwiseConv2D, result: Value) -> None:
        x, weights = self._of(node.inputs[0]), self._constant(node.inputs[1])
        channels = node.present_inputs[0].type.shape[-1]
        is_depthwise = isinstance(operator, DepthwiseConv2D)
        # (1, H, W, O) or (O, H, W, I)
        moved = weights.transpose((3, 0, 1, 2) if is_depthwise else (0, 3, 1, 2))
        groups = channels if is_depthwise else channels // moved.shape[1]
        top, bottom, left, right = operator.padding
        taken = moved[:, :, 0] if x.order is _Order.ROW else moved
        self._step(
            result,
            Conv(
                x.name,
                np.ascontiguousarray(taken),
                self._bias(node),
                _along(operator.stride, x.order),
                _along(operator.dilation, x.order),
                _along(((top, bottom), (left, right)), x.order),
                groups,
                self._scales(node),
            ),
            x.order,
        )

    def _linear(self, node: Node, result: Value) -> None:
        """Columns of the weights are where the elements of a flattened image are."""
        x, weights = self._of(node.inputs[0]), self._constant(node.inputs[1])
        if x.image is not None:
            apart = weights.reshape(len(weights), *x.image)
            weights = np.ascontiguousarray(apart.transpose(0, 3, 1, 2)).reshape(weights.shape)
        step = Linear(x.name, weights, self._bias(node), self._scales(node))
        self._step(result, step, _Order.SAME)

    def _pool(self, node: Node, operator: AveragePool2D | MaxPool2D, result: Value) -> None:
        x, source = self._of(node.inputs[0]), node.present_inputs[0].type.shape
        top, bottom, left, right = operator.padding
        kind = "max" if isinstance(operator, MaxPool2D) else "average"
        if kind == "average" and operator.window == source[1:3] and not any(operator.padding):
            self._step(result, GlobalAverage(x.name), x.order)
            return
        pads = _along(((top, bottom), (left, right)), x.order)
        window, stride = _along(operator.window, x.order), _along(operator.stride, x.order)
        self._step(result, Pool(kind, x.name, window, stride, pads), x.order)

    def _mean(self, node: Node, operator: Mean, result: Value) -> None:
        x, source = self._of(node.inputs[0]), node.present_inputs[0].type.shape
        if operator.axes != tuple(range(1, len(source) - 1)):
            raise ValueError(f"no step for {operator} of {source}")
        if operator.keep_dims:
            self._step(result, GlobalAverage(x.name), x.order)
            return
        pooled = f"s{len(self._steps)}"
        self._steps[pooled] = GlobalAverage(x.name)
        self._shapes[pooled] = (source[0], source[-1], *(1,) * (len(source) - 2))
        self._step(result, Flatten(pooled), _Order.SAME)

    def _reshape(self, node: Node, result: Value) -> None:
        """A row is an image of one row; an image becomes one row of numbers."""
        x, source = self._of(node.inputs[0]), node.present_inputs[0].type.shape
        shape = result.type.shape
        if x.order is _Order.ROW and (*shape[:1], *shape[-2:]) == (*source[:1], *source[-2:]):
            self._say(result, x.name, _Order.ROW)
            return
        if shape != (source[0], math.prod(source[1:])) or x.order is _Order.SAME:
            raise ValueError(f"no step for {node.operator} of {source}")
        self._step(result, Flatten(x.name), _Order.SAME)
        sizes = (1, *source[1:])[-3:]
        image = (sizes[0], sizes[1], sizes[2])
        self._said[result.name] = _Said(self._said[result.name].name, _Order.SAME, image)


def _along(both: Sequence[_Item], order: _Order) -> tuple[_Item, ...]:
    """Of rows and columns what an order has."""
    return tuple(both[-1:]) if order is _Order.ROW else tuple(both)


def _moved(shape: tuple[int, ...], order: _Order) -> tuple[int, ...]:
    if order is _Order.IMAGE:
        return shape[0], shape[3], shape[1], shape[2]
    return (shape[0], shape[-1], shape[-2]) if order is _Order.ROW else shape
