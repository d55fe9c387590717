"""A float32 operator with constant weights and bias, as numbers to compute with."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Array, Constant, GraphView, Node, Value
from tinsmith_ir.operators import Activation, DepthwiseConv2D, Weighted
from tinsmith_ir.operators.base import with_activation
from tinsmith_ir.rewrite import Rewrite, fresh_name
from tinsmith_ir.types import TensorType

Reals = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Layer:
    """An operator with weights that nobody else reads.

    operand: what it reads; at first that of `node`.
    """

    node: Node
    operator: Weighted
    operand: Value
    weights: Reals
    bias: Reals | None

    def with_scaled_outputs(self, factors: Reals) -> "Layer":
        """Each output channel times its factor."""
        along = [1] * self.weights.ndim
        along[self.operator.weights_axis] = -1
        bias = None if self.bias is None else self.bias * factors
        return replace(self, weights=self.weights * factors.reshape(along), bias=bias)

    def with_shifted_outputs(self, terms: Reals) -> "Layer":
        """Each output channel plus its term."""
        return replace(self, bias=terms if self.bias is None else self.bias + terms)

    def with_scaled_inputs(self, factors: Reals) -> "Layer | None":
        """For inputs still to be multiplied, per channel; None for a convolution in groups."""
        columns = self.weights.shape[-1]
        if isinstance(self.operator, DepthwiseConv2D):
            factors = np.repeat(factors, columns // factors.size)
        return replace(self, weights=self.weights * factors) if columns == factors.size else None


def find_layer(graph: GraphView, node: Node) -> Layer | None:
    """`node` as a Layer, if it is one and its weights and bias are constants."""
    if not isinstance(node.operator, Weighted):
        return None
    weights_value, bias_value = node.present_inputs[1], _bias(node)
    weights, bias = graph.constant(weights_value), graph.constant(bias_value)
    if weights is None or weights_value.type.dtype is not DType.FLOAT32:
        return None
    if graph.only_user(weights_value) is not node or (bias_value is not None and bias is None):
        return None
    reals = None if bias is None else bias.astype(np.float64)
    return Layer(node, node.operator, node.present_inputs[0], weights.astype(np.float64), reals)


def put_layer(graph: GraphView, node: Node, layer: Layer, activation: Activation) -> Rewrite | None:
    """A node for `layer` that computes the results of `node`.

    None if one of its numbers does not fit into float32.
    """
    old = layer.node
    weights = _constant(graph, layer.weights, old.present_inputs[1])
    bias_value = _bias(old) or Value(f"{node.name}.bias", old.outputs[0].type)
    bias = None if layer.bias is None else _constant(graph, layer.bias, bias_value)
    if weights is None or (bias is None and layer.bias is not None):
        return None
    biases = old.inputs[2:] if bias is None else (bias.value,)
    fused = replace(
        old,
        operator=with_activation(layer.operator, activation),
        inputs=(layer.operand, weights.value, *biases),
        outputs=node.outputs,
    )
    made = [constant for constant in (weights, bias) if constant is not None]
    new = tuple(constant for constant in made if graph.constant(constant.value) is None)
    return Rewrite(node.outputs, (fused,), new)


def _bias(node: Node) -> Value | None:
    return node.inputs[2] if len(node.inputs) > 2 else None


def _constant(graph: GraphView, numbers: Reals, named: Value) -> Constant | None:
    """The numbers as float32: the constant `named` if it holds the same, else a new one like it."""
    with np.errstate(over="ignore"):
        data: Array = numbers.astype(np.float32)
    if not np.isfinite(data).all():
        return None
    old = graph.constant(named)
    if old is not None and old.tobytes() == data.tobytes():
        return Constant(named, old)
    type_ = TensorType(data.shape, DType.FLOAT32)
    return Constant(Value(fresh_name(graph, named.name), type_), data)
