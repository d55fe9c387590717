# pyright: basic, reportMissingImports=false
"""Small networks of float32 as exporters write them, with random weights: what a quantizer is tried on."""

import itertools
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

INPUT = "x"
_OPSET = 17
_IR_VERSION = 9


class Draft:
    """A network in the making. Each method adds nodes and returns the name of their result; images are NCHW."""

    def __init__(self, seed: int) -> None:
        self._random = np.random.default_rng(seed)
        self._nodes: list[onnx.NodeProto] = []
        self._constants: list[onnx.TensorProto] = []

    def constant(self, array: NDArray[np.generic]) -> str:
        """An initializer."""
        name = f"c{len(self._constants)}"
        self._constants.append(numpy_helper.from_array(array, name))
        return name

    def add(self, kind: str, *inputs: str, **attributes: object) -> str:
        """Any operator with one result."""
        name = f"t{len(self._nodes)}"
        node = helper.make_node(kind, list(inputs), [name], name=f"n{len(self._nodes)}")
        node.attribute.extend(helper.make_attribute(key, attributes[key]) for key in attributes)
        self._nodes.append(node)
        return name

    def weights(self, *shape: int, depth: int) -> str:
        """Normal, so that sums of `depth` products keep their variance through a rectifier."""
        data = self._random.normal(size=shape) * np.sqrt(2 / depth)
        return self.constant(data.astype(np.float32))

    def bias(self, count: int) -> str:
        """Small ones."""
        return self.constant((self._random.normal(size=count) * 0.1).astype(np.float32))

    def conv(
        self,
        x: str,
        channels: tuple[int, int],
        size: int = 3,
        stride: int = 1,
        groups: int = 1,
        function: str = "Relu",
    ) -> str:
        """A convolution and a function of one number. channels: of input and result."""
        given, wanted = channels
        depth = given // groups * size * size
        weights = self.weights(wanted, given // groups, size, size, depth=depth)
        x = self.add(
            "Conv",
            x,
            weights,
            self.bias(wanted),
            kernel_shape=[size, size],
            strides=[stride, stride],
            pads=[size // 2] * 4,
            group=groups,
        )
        return self.function(function, x)

    def function(self, kind: str, x: str) -> str:
        """A function of one number; Silu in two nodes, Relu6 as a clip, "" is none."""
        if kind == "Silu":
            return self.add("Mul", x, self.add("Sigmoid", x))
        if kind == "Relu6":
            low, high = (self.constant(np.array(bound, np.float32)) for bound in (0, 6))
            return self.add("Clip", x, low, high)
        return self.add(kind, x) if kind else x

    def dense(self, x: str, features: tuple[int, int], function: str = "") -> str:
        """A fully connected layer of rows."""
        given, wanted = features
        weights = self.weights(given, wanted, depth=2 * given)
        return self.function(function, self.add("Gemm", x, weights, self.bias(wanted)))

    def product(self, x: str, features: tuple[int, int]) -> str:
        """A product with constant weights along the last axis of any tensor."""
        given, wanted = features
        weights = self.weights(given, wanted, depth=2 * given)
        return self.add("Add", self.add("MatMul", x, weights), self.bias(wanted))

    def shape(self, *sizes: int) -> str:
        """A constant shape."""
        return self.constant(np.array(sizes, np.int64))

    def model(self, input_shape: Sequence[int], output: str) -> onnx.ModelProto:
        """The network."""
        given = helper.make_tensor_value_info(INPUT, TensorProto.FLOAT, list(input_shape))
        result = helper.make_tensor_value_info(output, TensorProto.FLOAT, None)
        graph = helper.make_graph(self._nodes, "network", [given], [result], self._constants)
        opsets = [helper.make_opsetid("", _OPSET)]
        model = helper.make_model(graph, opset_imports=opsets, ir_version=_IR_VERSION)
        return onnx.shape_inference.infer_shapes(model)


def pooled_cnn() -> onnx.ModelProto:
    """Convolutions, a maximum and an average of windows of four."""
    draft = Draft(0)
    x = draft.conv(INPUT, (3, 8))
    x = draft.add("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2])
    x = draft.conv(x, (8, 16))
    x = draft.add("AveragePool", x, kernel_shape=[2, 2], strides=[2, 2])
    x = draft.dense(draft.add("Flatten", x), (256, 10))
    return draft.model((1, 3, 16, 16), draft.add("Softmax", x))


def ds_cnn() -> onnx.ModelProto:
    """Depthwise separable convolutions on a spectrogram, and a mean over it."""
    draft = Draft(1)
    x = draft.conv(INPUT, (1, 16), stride=2)
    for _ in range(2):
        x = draft.conv(draft.conv(x, (16, 16), groups=16), (16, 16), size=1)
    x = draft.dense(draft.add("Flatten", draft.add("GlobalAveragePool", x)), (16, 12))
    return draft.model((1, 1, 49, 10), draft.add("Softmax", x))


def mobilenet() -> onnx.ModelProto:
    """The same of images, clipped at six."""
    draft = Draft(2)
    x, channels = draft.conv(INPUT, (3, 8), stride=2, function="Relu6"), 8
    for wanted, stride in ((16, 1), (32, 2), (32, 1), (64, 2)):
        x = draft.conv(x, (channels, channels), stride=stride, groups=channels, function="Relu6")
        x, channels = draft.conv(x, (channels, wanted), size=1, function="Relu6"), wanted
    x = draft.add("Reshape", draft.add("GlobalAveragePool", x), draft.shape(1, -1))
    return draft.model((1, 3, 48, 48), draft.add("Softmax", draft.dense(x, (64, 2))))


def resnet() -> onnx.ModelProto:
    """Residual blocks, whose sums have scales of their own."""
    draft = Draft(3)
    x, channels = draft.conv(INPUT, (3, 16)), 16
    for wanted, stride in ((16, 1), (32, 2), (64, 2)):
        y = draft.conv(x, (channels, wanted), stride=stride)
        y = draft.conv(y, (wanted, wanted), function="")
        if stride > 1:
            x = draft.conv(x, (channels, wanted), size=1, stride=stride, function="")
        x, channels = draft.add("Relu", draft.add("Add", x, y)), wanted
    x = draft.dense(draft.add("Flatten", draft.add("GlobalAveragePool", x)), (64, 10))
    return draft.model((1, 3, 32, 32), draft.add("Softmax", x))


def autoencoder() -> onnx.ModelProto:
    """Fully connected layers through a bottleneck."""
    draft, x = Draft(4), INPUT
    sizes = (64, 32, 32, 8, 32, 32, 64)
    for at, pair in enumerate(itertools.pairwise(sizes)):
        x = draft.dense(x, pair, "Relu" if at < len(sizes) - 2 else "")
    return draft.model((1, 64), x)


def transformer() -> onnx.ModelProto:
    """A block of attention with two heads, normalization and two layers."""
    draft, tokens, width, heads = Draft(5), 8, 16, 2
    shape = draft.shape(1, tokens, heads, width // heads)
    orders = ([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3])
    query, key, value = (
        draft.add(
            "Transpose",
            draft.add("Reshape", draft.product(INPUT, (width, width)), shape),
            perm=order,
        )
        for order in orders
    )
    root = draft.constant(np.array((width // heads) ** -0.5, np.float32))
    scores = draft.add("Mul", draft.add("MatMul", query, key), root)
    mixed = draft.add("MatMul", draft.add("Softmax", scores, axis=-1), value)
    joined = draft.add(
        "Reshape", draft.add("Transpose", mixed, perm=[0, 2, 1, 3]), draft.shape(1, tokens, width)
    )
    x = draft.add("Add", INPUT, draft.product(joined, (width, width)))
    ones, zeros = (draft.constant(np.full(width, each, np.float32)) for each in (1, 0))
    y = draft.add("LayerNormalization", x, ones, zeros, axis=-1)
    y = draft.product(draft.add("Relu", draft.product(y, (width, 32))), (32, width))
    return draft.model((1, tokens, width), draft.add("Add", x, y))


def functions() -> onnx.ModelProto:
    """Hard swish, silu, leaky ReLU, tanh and sigmoid; a gate, a join, an enlarged and a padded image."""
    draft = Draft(6)
    x = INPUT
    for given, function in ((3, "HardSwish"), (8, "Silu"), (8, "LeakyRelu")):
        x = draft.conv(x, (given, 8), function=function)
    y = draft.add("Tanh", x)
    gate = draft.add("Sigmoid", draft.add("GlobalAveragePool", x))
    x = draft.add("Concat", draft.add("Mul", y, gate), y, axis=1)
    factors = draft.constant(np.array([1, 1, 2, 2], np.float32))
    asymmetric = {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
    x = draft.add("Resize", x, "", factors, mode="nearest", **asymmetric)
    x = draft.add("Pad", x, draft.shape(0, 0, 1, 1, 0, 0, 1, 1))
    x = draft.conv(x, (16, 4), function="")
    return draft.model((1, 3, 12, 12), draft.add("ReduceMean", x, axes=[2, 3], keepdims=0))


NETWORKS: Mapping[str, Callable[[], onnx.ModelProto]] = {
    "pooled_cnn": pooled_cnn,
    "ds_cnn": ds_cnn,
    "mobilenet": mobilenet,
    "resnet": resnet,
    "autoencoder": autoencoder,
    "transformer": transformer,
    "functions": functions,
}
