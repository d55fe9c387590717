"""Steps as an ONNX model, as exporters write it: new ones, and old ones that say the same in more words."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import assert_never

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from steps import (
    Binary,
    Conv,
    Flatten,
    Floats,
    GlobalAverage,
    Join,
    Linear,
    Normalized,
    Numbers,
    Padded,
    Pads,
    Pool,
    Step,
    Steps,
    Unary,
)

_EPSILON = 2.0**-10
_KINDS = {
    "relu": "Relu",
    "sigmoid": "Sigmoid",
    "hard_swish": "HardSwish",
    "tanh": "Tanh",
    "add": "Add",
    "mul": "Mul",
}


@dataclass(frozen=True)
class Style:
    """How an exporter says what can be said in several ways.

    opset: version of the operators. means: whether the average of an image is a ReduceMean. products: whether a layer
    is a product of matrices, and an addition behind it. pads: whether padding is an operator before a convolution.
    norms: whether a convolution has a batch normalization behind it, and no bias. parts: whether a hard swish is
    what it is made of. shapes: whether a flattened shape is computed from the sizes of its operand.
    """

    opset: int = 21
    means: bool = False
    products: bool = False
    pads: bool = False
    norms: bool = False
    parts: bool = False
    shapes: bool = False


NEW = Style()
OLD = Style(opset=11, means=True, products=True, pads=True, norms=True, parts=True, shapes=True)


def as_onnx(steps: Steps, style: Style = NEW) -> bytes:
    """The file."""
    return _Writer(steps, style).file()


class _Writer:
    def __init__(self, steps: Steps, style: Style) -> None:
        self._steps = steps
        self._style = style
        self._nodes: list[onnx.NodeProto] = []
        self._stored: list[TensorProto] = []

    def file(self) -> bytes:
        for name in self._steps.inputs:
            self._read(name)
        for name, step in self._steps.steps.items():
            self._write(step, self._real(name))
            self._quantize(name)
        inputs, outputs = map(self._declared, (self._steps.inputs, self._steps.outputs))
        graph = helper.make_graph(self._nodes, "network", inputs, outputs, self._stored)
        imports = [helper.make_opsetid("", self._style.opset)]
        made = helper.make_model(graph, opset_imports=imports, ir_version=10)
        onnx.shape_inference.infer_shapes(made, check_type=True, strict_mode=True)
        return made.SerializeToString()

    def _declared(self, names: Sequence[str]) -> list[onnx.ValueInfoProto]:
        shapes, quantized = self._steps.shapes, self._steps.quantized
        return [
            helper.make_tensor_value_info(f"{name}_integers", TensorProto.INT8, shapes[name])
            if name in quantized
            else helper.make_tensor_value_info(name, TensorProto.FLOAT, shapes[name])
            for name in names
        ]

    def _real(self, name: str) -> str:
        """What a step gives before it is quantized."""
        return f"{name}_real" if name in self._steps.quantized else name

    def _quantize(self, name: str) -> None:
        """As a quantizer does it behind each result that will be integers."""
        if name in self._steps.quantized:
            operands = [self._real(name), *self._quantization(name)]
            self._node("QuantizeLinear", operands, f"{name}_integers")
            self._read(name)

    def _read(self, name: str) -> None:
        """The real numbers of what is integers."""
        if name in self._steps.quantized:
            operands = [f"{name}_integers", *self._quantization(name)]
            self._node("DequantizeLinear", operands, name)

    def _quantization(self, name: str) -> tuple[str, str]:
        found = self._steps.quantized[name]
        zero_point = self._constant(np.array(found.zero_point, np.int8))
        return self._number(found.scale), zero_point

    def _node(
        self, kind: str, inputs: Sequence[str], output: str = "", /, **attributes: object
    ) -> str:
        result = output or f"v{len(self._nodes)}"
        made = helper.make_node(kind, list(inputs), [result])
        made.attribute.extend(helper.make_attribute(*each) for each in attributes.items())
        self._nodes.append(made)
        return result

    def _constant(self, array: Numbers) -> str:
        name = f"c{len(self._stored)}"
        self._stored.append(numpy_helper.from_array(np.array(array, order="C"), name))
        return name

    def _numbers(self, *numbers: int) -> str:
        return self._constant(np.array(numbers, np.int64))

    def _number(self, number: float) -> str:
        return self._constant(np.array(number, np.float32))

    def _write(self, step: Step, name: str) -> None:
        match step:
            case Conv():
                self._conv(step, name)
            case Linear():
                self._linear(step, name)
            case Pool():
                self._pool(step, name)
            case GlobalAverage(x):
                self._global_average(x, name)
            case Unary(kind, x):
                self._unary(kind, x, name)
            case Binary(kind, lhs, rhs):
                self._node(_KINDS[kind], [lhs, rhs], name)
            case Join(parts):
                self._node("Concat", parts, name, axis=1)
            case Padded(x, pads):
                self._pad(x, pads, name)
            case Flatten(x):
                self._flatten(x, name)
            case Normalized(x, axis):
                self._node("Softmax", [x], name, axis=axis % len(self._steps.shapes[x]))
            case _:
                assert_never(step)

    def _conv(self, step: Conv, name: str) -> None:
        apart = self._style.pads and any(map(any, step.pads))
        x = self._pad(step.x, step.pads) if apart else step.x
        none = tuple((0, 0) for _ in step.pads)
        write = self._normed if self._style.norms else self._biased
        write(step, x, name, none if apart else step.pads)

    def _biased(self, step: Conv, x: str, name: str, pads: Pads) -> None:
        operands = [x, *self._layer(step)]
        self._node("Conv", operands, name, **_windows(step, pads))

    def _layer(self, step: Conv | Linear) -> list[str]:
        """Weights and bias; of integers, the real numbers that they stand for."""
        if step.scales is None:
            return [self._constant(step.weights), self._constant(step.bias)]
        return [
            self._dequantized(array, scales)
            for array, scales in zip((step.weights, step.bias), step.scales, strict=True)
        ]

    def _dequantized(self, array: Numbers, scales: Floats) -> str:
        scale = self._constant(scales if scales.size > 1 else scales.reshape(()))
        return self._node("DequantizeLinear", [self._constant(array), scale], axis=0)

    def _normed(self, step: Conv, x: str, name: str, pads: Pads) -> None:
        """With factors that are powers of two, so that the weights keep all bits when they are folded back."""
        scale = np.resize(np.array([0.5, 2.0, 1.0, 4.0], np.float32), len(step.bias))
        weights = np.asarray(step.weights, np.float32) / scale.reshape(
            -1, *(1,) * (step.weights.ndim - 1)
        )
        product = self._node("Conv", [x, self._constant(weights)], **_windows(step, pads))
        moments = [scale, step.bias, np.zeros_like(scale), np.full_like(scale, 1.0 - _EPSILON)]
        operands = [product, *map(self._constant, moments)]
        self._node("BatchNormalization", operands, name, epsilon=_EPSILON)

    def _linear(self, step: Linear, name: str) -> None:
        if self._style.products:
            product = self._node("MatMul", [step.x, self._constant(step.weights.T)])
            self._node("Add", [self._constant(step.bias), product], name)
        else:
            self._node("Gemm", [step.x, *self._layer(step)], name, transB=1)

    def _pool(self, step: Pool, name: str) -> None:
        kind = "MaxPool" if step.kind == "max" else "AveragePool"
        pads = [*(before for before, _ in step.pads), *(behind for _, behind in step.pads)]
        self._node(kind, [step.x], name, kernel_shape=step.window, strides=step.stride, pads=pads)

    def _global_average(self, x: str, name: str) -> None:
        if self._style.means:
            axes = range(2, len(self._steps.shapes[x]))
            self._node("ReduceMean", [x], name, axes=list(axes), keepdims=1)
        else:
            self._node("GlobalAveragePool", [x], name)

    def _unary(self, kind: str, x: str, name: str) -> None:
        if kind == "relu6":
            self._node("Clip", [x, self._number(0.0), self._number(6.0)], name)
        elif kind == "hard_swish" and self._style.parts:
            raised = self._node("Add", [x, self._number(3.0)])
            clipped = self._node("Clip", [raised, self._number(0.0), self._number(6.0)])
            product = self._node("Mul", [x, clipped])
            self._node("Div", [product, self._number(6.0)], name)
        else:
            self._node(_KINDS[kind], [x], name)

    def _pad(self, x: str, pads: Pads, name: str = "") -> str:
        widths = [0, 0, *(before for before, _ in pads), 0, 0, *(behind for _, behind in pads)]
        return self._node("Pad", [x, self._numbers(*widths)], name)

    def _flatten(self, x: str, name: str) -> None:
        if not self._style.shapes:
            self._node("Flatten", [x], name)
            return
        sizes = self._node("Shape", [x])
        batch = self._node("Gather", [sizes, self._constant(np.array(0, np.int64))], axis=0)
        apart = self._node("Unsqueeze", [batch], axes=[0])
        shape = self._node("Concat", [apart, self._numbers(-1)], axis=0)
        self._node("Reshape", [x, shape], name)


def _windows(step: Conv, pads: Pads) -> dict[str, Sequence[int] | int]:
    return {
        "kernel_shape": step.weights.shape[2:],
        "strides": step.stride,
        "dilations": step.dilation,
        "pads": [*(before for before, _ in pads), *(behind for _, behind in pads)],
        "group": step.groups,
    }
