"""The networks that come from three sides, as the TFLite importer gives them."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
from tinsmith_ir import Array, Graph, Node, Value
from tinsmith_ir.activation import Activation
from tinsmith_ir.builder import GraphBuilder
from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Constant, GraphView
from tinsmith_ir.operators import (
    Add,
    Concat,
    Conv2D,
    DepthwiseConv2D,
    DynamicQuantize,
    FullyConnected,
    HardSwish,
    Logistic,
    MaxPool2D,
    Mean,
    Mul,
    Operator,
    Pad,
    Reshape,
    Softmax,
)
from tinsmith_ir.operators.base import activation_of
from tinsmith_ir.rewrite import Rewrite, apply_patterns, fresh_name
from tinsmith_ir.testing import mlperf_tiny_dir
from tinsmith_ir.types import TensorType
from tinsmith_tflite import import_tflite

MLPERF_TINY = {
    "ad": "ad01_fp32.tflite",
    "ic": "pretrainedResnet.tflite",
    "kws": "kws_ref_model_float32.tflite",
    "vww": "vww_96_float.tflite",
}
QUANTIZED = {
    "digits": "digits_int8.tflite",
    "ad": "ad01_int8.tflite",
    "ic": "pretrainedResnet_quant.tflite",
    "kws": "kws_ref_model.tflite",
    "sww": "str_ww_ref_model.tflite",
    "vww": "vww_96_int8.tflite",
}
_DIGITS = Path(__file__).parents[2] / "examples" / "digits"


def mlperf_tiny(name: str) -> Graph | None:
    """One of MLPerf Tiny's networks of float32; None where the files are absent.

    The convolutions of KWS are quantized as they run, which other formats do not say so: it is taken as the network of
    float32 that this stands for.
    """
    folder = mlperf_tiny_dir()
    if folder is None or not (folder / MLPERF_TINY[name]).exists():
        return None
    return as_real(import_tflite(folder / MLPERF_TINY[name]))


def quantized(name: str) -> Graph | None:
    """A network of int8; None where its file is absent."""
    folder = _DIGITS if name == "digits" else mlperf_tiny_dir()
    if folder is None or not (folder / QUANTIZED[name]).exists():
        return None
    return import_tflite(folder / QUANTIZED[name])


def digits() -> Graph:
    """The network of examples/digits."""
    return import_tflite(_DIGITS / "digits_float.tflite")


def as_real(graph: Graph) -> Graph:
    """The graph whose layers compute in float32 what they compute in integers of a scale that each run chooses."""
    return apply_patterns(graph, (_computes_in_float,))


def _computes_in_float(graph: GraphView, node: Node) -> Rewrite | None:
    """An addition of the bias behind products with the scales, a cast, a layer, and integers made of its operand."""
    if not isinstance(node.operator, Add):
        return None
    found: Node | None = node
    for _ in range(3):  # to the product, the cast, the layer
        found = found and graph.producer(found.present_inputs[0])
    if found is None or not isinstance(found.operator, (Conv2D, FullyConnected)):
        return None
    made = graph.producer(found.present_inputs[0])
    weights = found.present_inputs[1]
    integers = graph.constant(weights)
    if made is None or integers is None or not isinstance(made.operator, DynamicQuantize):
        return None
    assert weights.type.quantization is not None
    real = integers.astype(np.float32) * np.float32(weights.type.quantization.scales[0])
    value = Value(fresh_name(graph, f"{weights.name}_real"), TensorType(real.shape, DType.FLOAT32))
    operator = replace(found.operator, accumulator=None, activation=activation_of(node.operator))
    operands = (made.present_inputs[0], value, node.present_inputs[1])
    layer = Node(operator, operands, node.outputs, node.location)
    return Rewrite(node.outputs, (layer,), (Constant(value, real),))


class _Network:
    """Builds a network of random weights, channels last."""

    def __init__(self, name: str) -> None:
        self.builder = GraphBuilder(name)
        self._random = np.random.default_rng(3)

    def input(self, *shape: int) -> Value:
        return self.builder.input("x", TensorType(shape, DType.FLOAT32))

    def apply(self, operator: Operator, *operands: Value | None) -> Value:
        return self.builder.add(operator, operands)

    def weights(self, *shape: int) -> Value:
        array: Array = self._random.normal(0.0, 0.3, shape).astype(np.float32)
        return self.builder.constant("w", array)

    def conv(
        self, x: Value, outputs: int, kernel: tuple[int, int], operator: Conv2D | None = None
    ) -> Value:
        shape = (outputs, *kernel, x.type.shape[3])
        chosen = operator or Conv2D()
        return self.apply(chosen, x, self.weights(*shape), self.weights(outputs))

    def depthwise(self, x: Value, kernel: tuple[int, int], operator: DepthwiseConv2D) -> Value:
        channels = x.type.shape[3]
        weights = self.weights(1, *kernel, channels)
        return self.apply(operator, x, weights, self.weights(channels))

    def dense(self, x: Value, outputs: int, activation: Activation = Activation.NONE) -> Value:
        width = x.type.shape[-1]
        weights, bias = self.weights(outputs, width), self.weights(outputs)
        return self.apply(FullyConnected(activation=activation), x, weights, bias)


def squeeze_excite() -> Graph:
    """An inverted residual block as MobileNetV3 has it."""
    net = _Network("squeeze_excite")
    x = net.conv(net.input(1, 12, 12, 3), 8, (3, 3), Conv2D(stride=(2, 2), padding=(0, 1, 0, 1)))
    stem = net.apply(HardSwish(), x)
    wide = net.apply(HardSwish(), net.conv(stem, 24, (1, 1)))
    moved = net.depthwise(wide, (3, 3), DepthwiseConv2D(padding=(1, 1, 1, 1)))
    curved = net.apply(HardSwish(), moved)
    squeezed = net.apply(Mean(axes=(1, 2), keep_dims=True), curved)
    inner = net.conv(squeezed, 6, (1, 1), Conv2D(activation=Activation.RELU))
    gate = net.apply(Logistic(), net.conv(inner, 24, (1, 1)))
    narrow = net.conv(net.apply(Mul(), curved, gate), 8, (1, 1))
    summed = net.apply(Add(activation=Activation.RELU6), stem, narrow)
    pooled = net.apply(Mean(axes=(1, 2), keep_dims=False), summed)
    return net.builder.build(net.apply(Softmax(), net.dense(pooled, 5)))


def branches() -> Graph:
    """Branches that join, and a layer on the places of an image."""
    net = _Network("branches")
    x = net.apply(Pad(padding=(0, 0, 1, 1, 1, 1, 0, 0)), net.input(1, 10, 10, 2))
    stem = net.conv(x, 6, (3, 3), Conv2D(activation=Activation.RELU6))
    pooled = net.apply(MaxPool2D(window=(2, 2), stride=(2, 2)), stem)
    steps = Conv2D(stride=(2, 2), padding=(1, 0, 1, 0), activation=Activation.RELU)
    joined = net.apply(Concat(axis=3), pooled, net.conv(stem, 4, (3, 3), steps))
    flat = net.apply(Reshape((1, 5 * 5 * 10)), joined)
    return net.builder.build(net.dense(net.dense(flat, 8, Activation.RELU), 3))


def temporal() -> Graph:
    """A temporal convolutional network: dilated causal convolutions over one axis, and sums around them."""
    net = _Network("temporal")
    source = net.input(1, 32, 6)
    x = net.apply(Reshape((1, 1, 32, 6)), source)
    for dilation in (1, 2, 4):
        padded = net.apply(Pad(padding=(0, 0, 0, 0, 2 * dilation, 0, 0, 0)), x)
        spread = Conv2D(dilation=(1, dilation), activation=Activation.RELU)
        moved = net.conv(padded, 8, (1, 3), spread)
        side = x if x.type.shape[3] == 8 else net.conv(x, 8, (1, 1))
        x = net.apply(Add(activation=Activation.RELU), moved, side)
    row = net.apply(Reshape((1, 32, 8)), x)
    pooled = net.apply(Mean(axes=(1,), keep_dims=False), row)
    return net.builder.build(net.apply(Softmax(), net.dense(pooled, 4)))


OWN: Mapping[str, Callable[[], Graph]] = {
    "digits": digits,
    "squeeze_excite": squeeze_excite,
    "branches": branches,
    "temporal": temporal,
}
