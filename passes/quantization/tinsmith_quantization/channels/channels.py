"""Where layers have the channels that they give and those that they read, along the axes of their weights."""

from tinsmith_ir.activation import Activation
from tinsmith_ir.graph import Graph, Node
from tinsmith_ir.operators import Conv2D, DepthwiseConv2D, FullyConnected

HOMOGENEOUS = (Activation.NONE, Activation.RELU)
"""Of twice as much they make twice as much."""


def reads_channels(node: Node) -> bool:
    """Whether each channel of the input, its last axis, meets weights of its own, along one axis."""
    source, weights = node.present_inputs[:2]
    match node.operator:
        case Conv2D():
            return weights.type.shape[3] == source.type.shape[3]
        case DepthwiseConv2D():
            return weights.type.shape[3] == source.type.shape[3]
        case FullyConnected():
            return weights.type.shape[1] == source.type.shape[-1]
        case _:
            return False


def axis_of_inputs(node: Node) -> int:
    """Of the weights of a layer that `reads_channels`."""
    return 1 if isinstance(node.operator, FullyConnected) else 3


def axis_of_outputs(node: Node) -> int:
    """Of the weights of any layer."""
    return 3 if isinstance(node.operator, DepthwiseConv2D) else 0


def owns_constants(graph: Graph, node: Node) -> bool:
    """Whether nobody else reads the constants that a node reads."""
    constants = [value for value in node.present_inputs if graph.constant(value) is not None]
    return all(graph.only_user(value) is not None for value in constants)
