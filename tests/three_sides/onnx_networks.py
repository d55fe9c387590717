"""Networks in ONNX as exporters write them, small and of random weights, and the transposes that their mathematics has.

Channels first, batch normalizations apart, curves in parts, shapes as numbers: what a microcontroller has to be spared.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

Sizes = tuple[int, ...]


@dataclass(frozen=True)
class OnnxNetwork:
    """make: the model. transposes: how many are left where each way of elements is one that mathematics wants.

    why: which these are.
    """

    make: Callable[[], onnx.ModelProto]
    transposes: int = 0
    why: str = ""


class _Network:
    """Writes nodes one after the other; knows the number of channels of what it wrote."""

    def __init__(self, *shape: int) -> None:
        self._random = np.random.default_rng(5)
        self._nodes: list[onnx.NodeProto] = []
        self._stored: list[TensorProto] = []
        self._input = helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)
        self._channels = {"x": shape[1]}

    def node(self, kind: str, *inputs: str, channels: int = 0, **attributes: object) -> str:
        name = f"v{len(self._nodes)}"
        made = helper.make_node(kind, list(inputs), [name])
        made.attribute.extend(helper.make_attribute(*each) for each in attributes.items())
        self._nodes.append(made)
        self._channels[name] = channels or self._channels.get(inputs[0], 0)
        return name

    def split(self, x: str, count: int, axis: int) -> list[str]:
        names = [f"v{len(self._nodes)}_{index}" for index in range(count)]
        self._nodes.append(helper.make_node("Split", [x], names, axis=axis, num_outputs=count))
        self._channels |= dict.fromkeys(names, self._channels[x] // count)
        return names

    def stored(self, array: NDArray[np.generic]) -> str:
        name = f"c{len(self._stored)}"
        self._stored.append(numpy_helper.from_array(np.array(array, order="C"), name))
        return name

    def weights(self, *shape: int) -> str:
        return self.stored(self._random.normal(0.0, 0.3, shape).astype(np.float32))

    def numbers(self, *numbers: int) -> str:
        return self.stored(np.array(numbers, np.int64))

    def number(self, number: float) -> str:
        return self.stored(np.array(number, np.float32))

    def conv(self, x: str, outputs: int, size: int = 3, *, stride: int = 1, groups: int = 1) -> str:
        """With a batch normalization behind."""
        channels = self._channels[x]
        made = self.node(
            "Conv",
            x,
            self.weights(outputs, channels // groups, size, size),
            channels=outputs,
            kernel_shape=[size, size],
            strides=[stride, stride],
            pads=[size // 2] * 4,
            group=groups,
        )
        return self.norm(made)

    def row_conv(self, x: str, outputs: int, dilation: int) -> str:
        """Over one axis and into the past alone: padded, or cut off behind."""
        channels, reach = self._channels[x], 2 * dilation
        padded = self.node("Pad", x, self.numbers(0, 0, reach, 0, 0, 0))
        made = self.node(
            "Conv",
            padded,
            self.weights(outputs, channels, 3),
            self.weights(outputs),
            channels=outputs,
            kernel_shape=[3],
            dilations=[dilation],
        )
        return self.relu(made)

    def norm(self, x: str) -> str:
        channels = self._channels[x]
        moments = [self.weights(channels) for _ in range(3)]
        variance = self._random.uniform(0.5, 2.0, channels).astype(np.float32)
        return self.node("BatchNormalization", x, *moments, self.stored(variance))

    def layer_norm(self, x: str, width: int) -> str:
        """Of the last axis, in parts."""
        mean = self.node("ReduceMean", x, self.numbers(-1), keepdims=1)
        centred = self.node("Sub", x, mean)
        square = self.node("Pow", centred, self.number(2.0))
        variance = self.node("ReduceMean", square, self.numbers(-1), keepdims=1)
        root = self.node("Sqrt", self.node("Add", variance, self.number(1e-5)))
        scaled = self.node("Mul", self.node("Div", centred, root), self.weights(width))
        return self.node("Add", scaled, self.weights(width))

    def relu(self, x: str) -> str:
        return self.node("Relu", x)

    def relu6(self, x: str) -> str:
        return self.node("Clip", x, self.number(0.0), self.number(6.0))

    def hard_swish(self, x: str) -> str:
        gate = self.relu6(self.node("Add", x, self.number(3.0)))
        return self.node("Div", self.node("Mul", x, gate), self.number(6.0))

    def gelu(self, x: str) -> str:
        inner = self.node("Erf", self.node("Div", x, self.number(2.0**0.5)))
        gate = self.node("Add", inner, self.number(1.0))
        return self.node("Mul", self.node("Mul", x, gate), self.number(0.5))

    def add(self, x: str, y: str) -> str:
        return self.node("Add", x, y)

    def concat(self, *parts: str) -> str:
        channels = sum(self._channels[part] for part in parts)
        return self.node("Concat", *parts, channels=channels, axis=1)

    def pool(self, x: str) -> str:
        return self.node("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2])

    def reshape(self, x: str, *shape: int) -> str:
        return self.node("Reshape", x, self.numbers(*shape), channels=shape[1])

    def transpose(self, x: str, *order: int) -> str:
        return self.node("Transpose", x, perm=order)

    def linear(self, x: str, inputs: int, outputs: int) -> str:
        """Of the last axis."""
        product = self.node("MatMul", x, self.weights(inputs, outputs))
        return self.node("Add", product, self.weights(outputs), channels=outputs)

    def squeeze_excite(self, x: str, inner: int) -> str:
        channels = self._channels[x]
        pooled = self.node("GlobalAveragePool", x)
        narrow = self.relu(self._point(pooled, inner))
        gate = self.node("HardSigmoid", self._point(narrow, channels), alpha=1 / 6)
        return self.node("Mul", gate, x, channels=channels)

    def _point(self, x: str, outputs: int) -> str:
        weights = self.weights(outputs, self._channels[x], 1, 1)
        return self.node("Conv", x, weights, self.weights(outputs), channels=outputs)

    def classified(self, x: str, classes: int = 4) -> onnx.ModelProto:
        channels = self._channels[x]
        flat = self.node("Flatten", self.node("GlobalAveragePool", x))
        made = self.node(
            "Gemm", flat, self.weights(classes, channels), self.weights(classes), transB=1
        )
        return self.model(self.node("Softmax", made))

    def model(self, *outputs: str) -> onnx.ModelProto:
        ends = [onnx.ValueInfoProto(name=name) for name in outputs]
        graph = helper.make_graph(self._nodes, "network", [self._input], ends, self._stored)
        made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10)
        return onnx.shape_inference.infer_shapes(made, check_type=True, strict_mode=True)


def ds_cnn() -> onnx.ModelProto:
    n = _Network(1, 1, 13, 10)
    x = n.relu(n.conv("x", 8, stride=2))
    for _ in range(2):
        x = n.relu(n.conv(n.relu(n.conv(x, 8, groups=8)), 8, 1))
    return n.classified(x)


def mobilenet_v1() -> onnx.ModelProto:
    n = _Network(1, 3, 16, 16)
    x = n.relu6(n.conv("x", 4, stride=2))
    for outputs, stride in ((8, 1), (12, 2)):
        channels = 4 if outputs == 8 else 8
        x = n.relu6(n.conv(x, channels, stride=stride, groups=channels))
        x = n.relu6(n.conv(x, outputs, 1))
    return n.classified(x)


def residual_network() -> onnx.ModelProto:
    n = _Network(1, 3, 16, 16)
    x = n.relu(n.conv("x", 4))
    same = n.conv(n.relu(n.conv(x, 4)), 4)
    x = n.relu(n.add(x, same))
    half = n.conv(n.relu(n.conv(x, 8, stride=2)), 8)
    return n.classified(n.relu(n.add(half, n.conv(x, 8, 1, stride=2))))


def autoencoder() -> onnx.ModelProto:
    n = _Network(1, 24)
    x = n.relu(n.norm(n.linear("x", 24, 8)))
    return n.model(n.linear(n.relu(n.linear(x, 8, 3)), 3, 24))


def wake_word() -> onnx.ModelProto:
    """Rows of features, convolved over time."""
    n = _Network(1, 10, 20)
    x = n.row_conv("x", 8, 1)
    x = n.row_conv(x, 8, 2)
    flat = n.node("Flatten", n.node("MaxPool", x, kernel_shape=[4], strides=[4]))
    return n.model(n.node("Sigmoid", n.linear(flat, 40, 1)))


def mobilenet_v2() -> onnx.ModelProto:
    n = _Network(1, 3, 12, 12)
    x = n.conv("x", 4, stride=2)
    wide = n.relu6(n.conv(x, 12, 1))
    x = n.add(x, n.conv(n.relu6(n.conv(wide, 12, groups=12)), 4, 1))
    wide = n.relu6(n.conv(x, 12, 1))
    return n.classified(n.conv(n.relu6(n.conv(wide, 12, stride=2, groups=12)), 6, 1))


def mobilenet_v3() -> onnx.ModelProto:
    n = _Network(1, 3, 12, 12)
    x = n.hard_swish(n.conv("x", 4, stride=2))
    wide = n.hard_swish(n.conv(x, 12, 1))
    moved = n.squeeze_excite(n.hard_swish(n.conv(wide, 12, 5, groups=12)), 4)
    return n.classified(n.hard_swish(n.conv(n.add(n.conv(moved, 4, 1), x), 8, 1)))


def efficientnet_lite() -> onnx.ModelProto:
    n = _Network(1, 3, 12, 12)
    x = n.relu6(n.conv("x", 4, stride=2))
    for _ in range(2):
        wide = n.relu6(n.conv(x, 16, 1))
        x = n.add(n.conv(n.relu6(n.conv(wide, 16, 5, groups=16)), 4, 1), x)
    return n.classified(n.relu6(n.conv(x, 8, 1)))


def _u_net(grown: Callable[[_Network, str], str]) -> onnx.ModelProto:
    n = _Network(1, 1, 8, 8)
    first = n.relu(n.conv("x", 4))
    low = n.relu(n.conv(n.pool(first), 6))
    joined = n.concat(grown(n, low), first)
    return n.model(n.node("Sigmoid", n.conv(n.relu(n.conv(joined, 4)), 1, 1)))


def u_net_with_transposed_convolutions() -> onnx.ModelProto:
    def grown(n: _Network, x: str) -> str:
        weights = n.weights(6, 4, 2, 2)
        bias = n.weights(4)
        return n.node(
            "ConvTranspose", x, weights, bias, channels=4, kernel_shape=[2, 2], strides=[2, 2]
        )

    return _u_net(grown)


def u_net_with_resize() -> onnx.ModelProto:
    def grown(n: _Network, x: str) -> str:
        scales = n.stored(np.array([1, 1, 2, 2], np.float32))
        return n.node(
            "Resize",
            x,
            "",
            scales,
            mode="nearest",
            coordinate_transformation_mode="asymmetric",
            nearest_mode="floor",
        )

    return _u_net(grown)


def u_net_with_bilinear_resize() -> onnx.ModelProto:
    def grown(n: _Network, x: str) -> str:
        sizes = n.numbers(1, 6, 8, 8)
        return n.node("Resize", x, "", "", sizes, mode="linear")

    return _u_net(grown)


def vision_transformer() -> onnx.ModelProto:
    """Patches of 4x4, two heads, heads from one product of 3 * 8 columns."""
    n = _Network(1, 3, 12, 12)
    patches = n.node(
        "Conv",
        "x",
        n.weights(8, 3, 4, 4),
        n.weights(8),
        channels=8,
        kernel_shape=[4, 4],
        strides=[4, 4],
    )
    tokens = n.transpose(n.reshape(patches, 1, 8, 9), 0, 2, 1)
    x = n.node("Add", tokens, n.weights(1, 9, 8))
    x = n.add(x, _attention(n, n.layer_norm(x, 8), 9, 8, 2))
    inner = n.gelu(n.linear(n.layer_norm(x, 8), 8, 16))
    x = n.add(x, n.linear(inner, 16, 8))
    pooled = n.node("ReduceMean", n.layer_norm(x, 8), n.numbers(1), keepdims=0)
    return n.model(n.linear(pooled, 8, 4))


def _attention(n: _Network, x: str, tokens: int, width: int, heads: int) -> str:
    together = n.linear(x, width, 3 * width)
    apart = n.reshape(together, 1, tokens, 3, heads, width // heads)
    rows = n.transpose(apart, 2, 0, 3, 1, 4)
    query, key, value = (
        n.node("Gather", rows, n.stored(np.array(i, np.int64)), axis=0) for i in range(3)
    )
    scores = n.node("MatMul", query, n.transpose(key, 0, 1, 3, 2))
    shares = n.node("Softmax", n.node("Mul", scores, n.number((width // heads) ** -0.5)))
    mixed = n.transpose(n.node("MatMul", shares, value), 0, 2, 1, 3)
    return n.linear(n.reshape(mixed, 1, tokens, width), width, width)


def mobile_vit() -> onnx.ModelProto:
    """A convolution, attention over what lies at the same place of each 2x2 patch, and a convolution again."""
    n = _Network(1, 3, 8, 8)
    x = n.node("Mul", n.conv("x", 8), n.node("Sigmoid", n.conv("x", 8)))
    rows = n.transpose(n.reshape(x, 1, 8, 64), 0, 2, 1)
    mixed = n.add(rows, _attention(n, n.layer_norm(rows, 8), 64, 8, 1))
    image = n.reshape(n.transpose(mixed, 0, 2, 1), 1, 8, 8, 8)
    return n.classified(n.relu(n.conv(n.concat(x, image), 8)))


def pixel_shuffle() -> onnx.ModelProto:
    n = _Network(1, 1, 6, 6)
    x = n.node("DepthToSpace", n.relu(n.conv("x", 4)), channels=1, blocksize=2, mode="CRD")
    return n.model(n.node("Sigmoid", x))


def pixel_shuffle_in_parts() -> onnx.ModelProto:
    n = _Network(1, 1, 6, 6)
    x = n.reshape(n.relu(n.conv("x", 12)), 1, 3, 2, 2, 6, 6)
    woven = n.reshape(n.transpose(x, 0, 1, 4, 2, 5, 3), 1, 3, 12, 12)
    return n.model(n.conv(woven, 2))


def _shuffled(n: _Network, x: str, channels: int, size: int) -> str:
    apart = n.transpose(n.reshape(x, 1, 2, channels // 2, size, size), 0, 2, 1, 3, 4)
    return n.reshape(apart, 1, channels, size, size)


def shuffle_net_v1() -> onnx.ModelProto:
    """Channels are shuffled between convolutions in groups."""
    n = _Network(1, 3, 8, 8)
    x = n.relu(n.conv("x", 8))
    inner = n.relu(n.conv(x, 8, 1, groups=2))
    moved = n.conv(_shuffled(n, inner, 8, 8), 8, groups=8)
    return n.classified(n.relu(n.add(x, n.conv(moved, 8, 1, groups=2))))


def shuffle_net_v2() -> onnx.ModelProto:
    """Half of the channels passes; both halves are shuffled behind."""
    n = _Network(1, 3, 8, 8)
    x = n.relu(n.conv("x", 8))
    for _ in range(2):
        kept, taken = n.split(x, 2, 1)
        inner = n.relu(n.conv(taken, 4, 1))
        made = n.relu(n.conv(n.conv(inner, 4, groups=4), 4, 1))
        x = _shuffled(n, n.concat(kept, made), 8, 8)
    return n.classified(n.relu(n.conv(x, 6, 1)))


def temporal() -> onnx.ModelProto:
    n = _Network(1, 6, 24)
    x = n.row_conv("x", 8, 1)
    for dilation in (2, 4):
        x = n.relu(n.add(x, n.row_conv(n.row_conv(x, 8, dilation), 8, dilation)))
    pooled = n.node("ReduceMean", x, n.numbers(2), keepdims=0)
    return n.model(n.linear(pooled, 8, 4))


def recurrent() -> onnx.ModelProto:
    """Convolutions whose rows of time an LSTM reads."""
    n = _Network(1, 1, 8, 12)
    x = n.pool(n.relu(n.conv("x", 4)))
    rows = n.transpose(n.reshape(x, 1, 16, 6), 2, 0, 1)
    lstm = n.node(
        "LSTM", rows, n.weights(1, 20, 16), n.weights(1, 20, 5), n.weights(1, 40), hidden_size=5
    )
    last = n.node(
        "Gather", n.node("Squeeze", lstm, n.numbers(1)), n.stored(np.array(-1, np.int64)), axis=0
    )
    return n.model(n.linear(last, 5, 4))


def squeeze_excite() -> onnx.ModelProto:
    n = _Network(1, 3, 8, 8)
    return n.classified(n.squeeze_excite(n.relu(n.conv("x", 8)), 2))


NETWORKS: Sequence[OnnxNetwork] = (
    OnnxNetwork(ds_cnn),
    OnnxNetwork(mobilenet_v1),
    OnnxNetwork(residual_network),
    OnnxNetwork(autoencoder),
    OnnxNetwork(wake_word),
    OnnxNetwork(mobilenet_v2),
    OnnxNetwork(mobilenet_v3),
    OnnxNetwork(efficientnet_lite),
    OnnxNetwork(u_net_with_transposed_convolutions, 1, "each place gives a block of places"),
    OnnxNetwork(u_net_with_resize),
    OnnxNetwork(u_net_with_bilinear_resize),
    OnnxNetwork(vision_transformer, 2, "heads of queries, keys and values, and back"),
    OnnxNetwork(mobile_vit),
    OnnxNetwork(pixel_shuffle, 1, "rows and columns are woven"),
    OnnxNetwork(pixel_shuffle_in_parts, 1, "rows and columns are woven"),
    OnnxNetwork(shuffle_net_v1, 1, "between convolutions in groups"),
    OnnxNetwork(shuffle_net_v2),
    OnnxNetwork(temporal),
    OnnxNetwork(recurrent, 1, "columns are steps of time"),
    OnnxNetwork(squeeze_excite),
)
