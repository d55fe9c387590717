"""Turns means over whole maps into average pools, for which targets have kernels."""

from dataclasses import replace

from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import GraphView, Node, Value
from tinsmith_ir.operators import AveragePool2D, Mean, Reshape
from tinsmith_ir.operators.windows import MAX_PIXELS
from tinsmith_ir.rewrite import Rewrite, fresh_name


def averages_whole_maps(graph: GraphView, node: Node) -> Rewrite | None:
    """An AveragePool2D in place of a float32 Mean over all rows and columns, reshaped if need be.

    Both add in row-major order from 0.0 and divide once. Not for integers: the pool rounds sum /
    count once, the mean multiplies by a fixed-point 1 / count and rounds twice, so that halves (and
    for maps of 3x3 and more also others) differ. Not for maps that no window may have.
    """
    operand, result = node.present_inputs[0].type, node.outputs[0].type
    operator = node.operator
    if not isinstance(operator, Mean) or operator.axes != (1, 2) or len(operand.shape) != 4:
        return None
    if operand.dtype is not DType.FLOAT32:
        return None
    batch, height, width, channels = operand.shape
    if height * width > MAX_PIXELS:
        return None
    pool = AveragePool2D(window=(height, width))
    if operator.keep_dims:
        return Rewrite(node.outputs, (replace(node, operator=pool),))
    pooled_type = result.with_shape((batch, 1, 1, channels))
    pooled = Value(fresh_name(graph, f"{node.name}.pooled"), pooled_type)
    pooling = replace(node, operator=pool, outputs=(pooled,))
    reshape = replace(node, operator=Reshape(result.shape), inputs=(pooled,))
    return Rewrite(node.outputs, (pooling, reshape))
