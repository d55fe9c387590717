"""Operators that leave channels what they are: each channel of the result is made of the same one of the operands.

Channels are the last axis, or that a whole number of times where places have been joined to it by a reshape.
"""

from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Graph, Node, Value
from tinsmith_ir.operators import (
    Abs,
    Add,
    AveragePool2D,
    Div,
    LeakyRelu,
    Maximum,
    MaxPool2D,
    Mean,
    Minimum,
    Mul,
    Neg,
    Operator,
    Pad,
    Prelu,
    ReduceMax,
    ReduceMin,
    Relu,
    Reshape,
    ResizeBilinear,
    Sub,
    Sum,
)
from tinsmith_ir.operators.base import Trait, activation_of

from tinsmith_quantization.channels.channels import HOMOGENEOUS

_POOLS = (AveragePool2D, MaxPool2D, ResizeBilinear)
_REDUCTIONS = (Mean, ReduceMax, ReduceMin, Sum)
_SUMS = (Add, Maximum, Minimum, Sub)
"""Half of the result needs half of each operand."""
_PROPORTIONAL = (Abs, LeakyRelu, Neg, Relu, *_POOLS, *_REDUCTIONS, Reshape)


def carried(graph: Graph, node: Node, channels: int) -> tuple[Value, ...]:
    """The computed operands whose channels are those of the result; () if the node is not of this kind.

    channels: how many they have.
    """
    values = (*node.present_inputs, *node.outputs)
    if len(node.outputs) != 1 or any(value.type.dtype is not DType.FLOAT32 for value in values):
        return ()
    result = node.outputs[0]
    computed = tuple(value for value in node.present_inputs if graph.constant(value) is None)
    if any(
        not value.type.shape or value.type.shape[-1] % channels for value in (*computed, result)
    ):
        return ()
    if not _keeps_channels(node.operator, computed, result):
        return ()
    constants = [value for value in node.present_inputs if graph.constant(value) is not None]
    return computed if all(_fits(value, result) for value in constants) else ()


def _keeps_channels(operator: Operator, computed: tuple[Value, ...], result: Value) -> bool:
    """Of operands and a result with rows of whole channels."""
    rank = len(computed[0].type.shape) if computed else 0
    match operator:
        case Reshape():
            return True
        case Mean() | Sum() | ReduceMax() | ReduceMin():
            return rank - 1 not in operator.axes
        case Pad():
            return operator.padding[-2:] == (0, 0)
        case AveragePool2D() | MaxPool2D() | ResizeBilinear():
            return True
        case _:
            alike = all(value.type.shape == result.type.shape for value in computed)
            return Trait.ELEMENTWISE in operator.traits and alike and bool(computed)


def _fits(constant: Value, result: Value) -> bool:
    """Whether a constant has one number for all channels, or one for each."""
    shape = constant.type.shape
    return not shape or shape[-1] in (1, result.type.shape[-1])


def is_homogeneous(graph: Graph, node: Node) -> bool:
    """Whether a carrier makes half as much of operands that are half as large, with constants as `halves_constants`
    says.
    """
    operator = node.operator
    if activation_of(operator) not in HOMOGENEOUS and not isinstance(operator, Relu):
        return False
    count = sum(graph.constant(value) is None for value in node.present_inputs)
    match operator:
        case Mul():
            return count == 1
        case Div() | Prelu():
            return graph.constant(node.present_inputs[1]) is not None
        case Pad():
            return not operator.value
        case _:
            return isinstance(operator, _PROPORTIONAL + _SUMS)


def halves_constants(operator: Operator) -> bool:
    """Whether constants of a homogeneous carrier are halved with what is computed, as those that it adds."""
    return isinstance(operator, _SUMS)
