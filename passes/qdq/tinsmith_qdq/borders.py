"""uint8 at the borders alone: between operators it is turned to int8, whose integers are 128 lower, no more."""

from dataclasses import replace

from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import GraphView, Node, Value
from tinsmith_ir.operators import Operator, Pad, Requantize, Trait
from tinsmith_ir.rewrite import Rewrite, fresh_name
from tinsmith_ir.types import Quantization, TensorType

_DISTANCE = 128


def moves_as_int8(graph: GraphView, node: Node) -> Rewrite | None:
    """What moves uint8 that is turned to int8 behind it, as a move of int8."""
    if not isinstance(node.operator, Requantize):
        return None
    source, result = node.present_inputs[0], node.outputs[0]
    if source.type.dtype is not DType.UINT8 or result.type != as_int8(source.type):
        return None  # a Requantize reads no integers without a quantization
    producer = graph.producer(source)
    operator = None if producer is None else _of_int8(producer)
    if producer is None or operator is None:
        return None
    (moved,) = producer.present_inputs
    if moved.type.quantization != source.type.quantization:
        return None
    lower = Value(fresh_name(graph, f"{moved.name}_int8"), as_int8(moved.type))
    turn = Node(node.operator, (moved,), (lower,), node.location)
    move = Node(operator, (lower,), node.outputs, producer.location)
    return Rewrite(node.outputs, (turn, move))


def turns_back(graph: GraphView, node: Node) -> Rewrite | None:
    """What was int8, was turned to uint8, and is turned back."""
    if not isinstance(node.operator, Requantize):
        return None
    producer = graph.producer(node.present_inputs[0])
    if producer is None or not isinstance(producer.operator, Requantize):
        return None
    first, middle = producer.present_inputs[0], producer.outputs[0]
    is_turned = first.type.dtype is DType.INT8 and middle.type.dtype is DType.UINT8
    if not is_turned or as_int8(middle.type) != first.type:
        return None
    return Rewrite((first,)) if first.type == node.outputs[0].type else None


def as_int8(type_: TensorType) -> TensorType:
    """What a tensor of uint8 is inside."""
    quantization = type_.quantization
    assert quantization is not None  # the caller asked
    zero_points = tuple(zero_point - _DISTANCE for zero_point in quantization.zero_points)
    return TensorType(type_.shape, DType.INT8, Quantization(quantization.scales, zero_points))


def _of_int8(node: Node) -> Operator | None:
    """What moves int8 as the node moves uint8; None if it does anything else, or of several tensors."""
    if Trait.MOVES not in node.operator.traits or len(node.present_inputs) != 1:
        return None
    if isinstance(node.operator, Pad) and node.operator.value is not None:
        return replace(node.operator, value=int(node.operator.value) - _DISTANCE)
    return node.operator
