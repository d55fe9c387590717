"""Lets the operator before a clamp do the clamping."""

from collections.abc import Mapping
from dataclasses import replace

from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import GraphView, Node
from tinsmith_ir.operators import Activation, Clamp, Trait
from tinsmith_ir.operators.base import activation_of, with_activation
from tinsmith_ir.rewrite import Rewrite

_COMPOSED: Mapping[tuple[Activation, Activation], Activation] = {
    (Activation.NONE, Activation.RELU): Activation.RELU,
    (Activation.NONE, Activation.RELU6): Activation.RELU6,
    (Activation.RELU, Activation.RELU): Activation.RELU,
    (Activation.RELU, Activation.RELU6): Activation.RELU6,
    (Activation.RELU6, Activation.RELU): Activation.RELU6,
    (Activation.RELU6, Activation.RELU6): Activation.RELU6,
}


def clamps_result(graph: GraphView, node: Node) -> Rewrite | None:
    """The producer of a Relu's or Relu6's operand, clamping itself.

    Integers only when the clamp does not rescale: then both clamp to the same two integers.
    """
    operand, result = node.present_inputs[0], node.outputs[0]
    producer = graph.producer(operand)
    if not isinstance(node.operator, Clamp) or producer is None:
        return None
    if graph.only_user(operand) is not node:
        return None
    if operand.type.dtype is not DType.FLOAT32 and operand.type != result.type:
        return None
    if Trait.FUSES_CLAMP not in producer.operator.traits:
        return None
    composed = _COMPOSED.get((activation_of(producer.operator), node.operator.activation))
    if composed is None:
        return None
    operator = with_activation(producer.operator, composed)
    return Rewrite(node.outputs, (replace(producer, operator=operator, outputs=node.outputs),))
