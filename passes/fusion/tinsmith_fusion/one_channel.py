"""Turns depthwise convolutions of a single channel into convolutions, for which targets have the faster kernels."""

from dataclasses import fields, replace

import numpy as np
from tinsmith_ir.graph import Constant, GraphView, Node, Value
from tinsmith_ir.operators import Conv2D, Convolution, DepthwiseConv2D
from tinsmith_ir.rewrite import Rewrite, fresh_name
from tinsmith_ir.types import Quantization, TensorType


def convolves_one_channel(graph: GraphView, node: Node) -> Rewrite | None:
    """A Conv2D in place of a DepthwiseConv2D whose input has one channel: each output channel reads that one.

    Kernels for depthwise convolution expect as many channels out as in, and few taps; such a layer has many taps, and
    rows of them lie next to each other. Of integers only: float32 may be added in another order. Weights are known
    and read by nobody else, or they would be in flash twice.
    """
    operator = node.operator
    if not isinstance(operator, DepthwiseConv2D):
        return None
    input_, given = node.present_inputs[:2]
    weights = graph.constant(given)
    if input_.type.shape[3] != 1 or not input_.type.dtype.is_integer:
        return None
    if weights is None or graph.only_user(given) is not node:
        return None
    data = np.ascontiguousarray(weights.transpose(3, 1, 2, 0))
    type_ = TensorType(data.shape, given.type.dtype, _of_outputs(given.type.quantization))
    turned = Value(fresh_name(graph, given.name), type_)
    convolution = replace(
        node, operator=_convolution(operator), inputs=(input_, turned, *node.inputs[2:])
    )
    return Rewrite(node.outputs, (convolution,), (Constant(turned, data),))


def _convolution(operator: DepthwiseConv2D) -> Conv2D:
    """With all attributes that the two have in common, which are all there are."""
    return Conv2D(**{field.name: getattr(operator, field.name) for field in fields(Convolution)})


def _of_outputs(quantization: Quantization | None) -> Quantization | None:
    """Scales per output channel, counted along the weights' first axis instead of their last."""
    if quantization is None or quantization.axis is None:
        return quantization
    return replace(quantization, axis=Conv2D.weights_axis)
