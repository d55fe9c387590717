"""Quantized ONNX networks through the whole pipeline: operators of integers, near the definitions."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol, cast

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator
from tinsmith_driver.compilation import Compilation
from tinsmith_driver.models import read_model
from tinsmith_driver.options import CompileOptions
from tinsmith_driver.pipelines import compile_model
from tinsmith_driver.report import warnings
from tinsmith_ir import DType, Graph, evaluate_graph

IMAGE = (1, 3, 8, 8)


class _Evaluator(Protocol):
    """What the package leaves untyped."""

    def run(self, output_names: None, feed_inputs: dict[str, object]) -> list[object]: ...


class Network:
    """A quantized network that grows operator by operator, as quantizers write it."""

    def __init__(self, dtype: str) -> None:
        """dtype: of activations."""
        self._dtype = dtype
        self._random = np.random.default_rng(4)
        self._nodes: list[onnx.NodeProto] = []
        self._stored: list[onnx.TensorProto] = []
        self._count = 0

    def constant(self, array: NDArray[np.generic]) -> str:
        """A stored tensor."""
        self._count += 1
        self._stored.append(numpy_helper.from_array(array, f"c{self._count}"))
        return f"c{self._count}"

    def add(self, kind: str, inputs: Sequence[str], **attributes: object) -> str:
        """An operator."""
        self._count += 1
        name = f"v{self._count}"
        node = helper.make_node(kind, inputs, [name])
        for key, attribute in attributes.items():
            node.attribute.append(helper.make_attribute(key, attribute))
        self._nodes.append(node)
        return name

    def quantized(self, x: str, scale: float, zero_point: int) -> str:
        """Through integers; zero_point: counted as that of int8."""
        distance = 128 if self._dtype == "u1" else 0
        zero = self.constant(np.array(zero_point + distance, self._dtype))
        factor = self.constant(np.array(scale, np.float32))
        integers = self.add("QuantizeLinear", [x, factor, zero])
        return self.add("DequantizeLinear", [integers, factor, zero])

    def weights(self, *shape: int, channels: int) -> str:
        """Of int8, with a scale for each index of the axis `channels`."""
        integers = self._random.integers(-127, 128, shape).astype(np.int8)
        scales = self._random.uniform(0.002, 0.006, shape[channels]).astype(np.float32)
        zeros = self.constant(np.zeros(shape[channels], np.int8))
        operands = [self.constant(integers), self.constant(scales), zeros]
        return self.add("DequantizeLinear", operands, axis=channels)

    def bias(self, count: int) -> str:
        """Of float32."""
        return self.constant(self._random.standard_normal(count).astype(np.float32))

    def model(self, result: str) -> onnx.ModelProto:
        """The whole, from an image to `result`."""
        given = helper.make_tensor_value_info("x", TensorProto.FLOAT, IMAGE)
        graph = helper.make_graph(
            self._nodes, "net", [given], [onnx.ValueInfoProto(name=result)], self._stored
        )
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


def residual(dtype: str, *, ends_in_float: bool = False) -> onnx.ModelProto:
    """Convolutions, one of each channel by itself, around which another way leads; a mean and a layer behind."""
    n = Network(dtype)
    x = n.quantized("x", 0.03, 5)
    x = n.add("Conv", [x, n.weights(8, 3, 3, 3, channels=0), n.bias(8)], pads=[1, 1, 1, 1])
    x = n.quantized(n.add("Relu", [x]), 0.05, -128)
    y = n.weights(8, 1, 3, 3, channels=0)
    y = n.add("Conv", [x, y, n.bias(8)], pads=[1, 1, 1, 1], group=8)
    y = n.quantized(y, 0.06, 3)
    y = n.add("Conv", [y, n.weights(8, 8, 1, 1, channels=0), n.bias(8)])
    y = n.quantized(y, 0.07, -4)
    x = n.quantized(n.add("Add", [x, y]), 0.08, -10)
    x = n.quantized(n.add("Mul", [x, n.add("Sigmoid", [x])]), 0.06, -120)
    x = n.add("MaxPool", [x], kernel_shape=[2, 2], strides=[2, 2])
    x = n.quantized(n.add("GlobalAveragePool", [x]), 0.03, -100)
    x = n.add("Gemm", [n.add("Flatten", [x]), n.weights(4, 8, channels=0), n.bias(4)], transB=1)
    return n.model(x if ends_in_float else n.quantized(x, 0.05, 0))


def compiled(model: onnx.ModelProto, folder: Path) -> Compilation:
    path = folder / "network.onnx"
    path.write_bytes(model.SerializeToString())
    return compile_model(read_model(path), CompileOptions("host", verify_passes=True))


def reference_of(compilation: Compilation) -> Graph:
    assert isinstance(compilation.reference, Graph)
    return compilation.reference


def floats(graph: Graph) -> list[str]:
    """Operators that compute float32."""
    return [
        node.operator.mnemonic
        for node in graph.nodes
        if node.operator.mnemonic not in ("quantize", "dequantize")
        and any(value.type.dtype is DType.FLOAT32 for value in node.outputs)
    ]


@pytest.mark.parametrize("dtype", ["i1", "u1"])
def test_a_quantized_network_is_one_of_integers(dtype: str, tmp_path: Path) -> None:
    model = residual(dtype)
    compilation = compiled(model, tmp_path)
    graph = reference_of(compilation)
    assert floats(graph) == []
    mnemonics = [node.operator.mnemonic for node in graph.nodes]
    assert (mnemonics.count("quantize"), mnemonics.count("dequantize")) == (1, 1)
    assert "transpose" not in mnemonics
    assert not [text for text in warnings(compilation) if "stays float32" in text]
    evaluator = cast("_Evaluator", ReferenceEvaluator(model))
    for seed in range(5):
        x = np.random.default_rng(seed).standard_normal(IMAGE).astype(np.float32)
        (wanted,) = evaluator.run(None, {"x": x})
        (found,) = evaluate_graph(graph, [np.ascontiguousarray(x.transpose(0, 2, 3, 1))]).values()
        steps = (found.astype(np.float64) - np.asarray(wanted, np.float64)) / 0.05
        assert float(np.abs(steps).max()) < 1.01


def test_a_layer_whose_result_is_float_says_so(tmp_path: Path) -> None:
    compilation = compiled(residual("i1", ends_in_float=True), tmp_path)
    assert floats(reference_of(compilation)) == ["fully_connected"]
    (warning,) = [text for text in warnings(compilation) if "stays float32" in text]
    assert warning.startswith("fully_connected stays float32: the network gives its result: ")
