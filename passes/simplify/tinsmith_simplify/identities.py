"""Removes operators that give back an operand, bit by bit."""

from dataclasses import dataclass, replace
from typing import ClassVar

from tinsmith_ir.arithmetic import activation_range
from tinsmith_ir.checked import checked
from tinsmith_ir.graph import Graph, GraphView, Node
from tinsmith_ir.operators import (
    Activation,
    Concat,
    Pad,
    Pool,
    Quantize,
    Reshape,
    Slice,
    Transpose,
)
from tinsmith_ir.operators.base import Trait, activation_of, with_activation
from tinsmith_ir.passes import BIT_EXACT, Contract
from tinsmith_ir.rewrite import Pattern, Rewrite, apply_patterns
from tinsmith_ir.tables import has_table, is_identity, value_table

from tinsmith_simplify.neutral import combines_with_nothing


@dataclass(frozen=True)
class RemoveIdentities:
    """Let readers of an operator that gives back an operand read that operand.

    What decides is what the operator computes, not what it is called: of integers, all that there
    are, are tried.
    """

    name: ClassVar[str] = "remove-identities"
    # What is removed gives back every bit.
    contract: ClassVar[Contract] = BIT_EXACT

    @checked
    def run(self, graph: Graph) -> Graph:
        """The graph without identities; `graph` itself if there are none."""
        return apply_patterns(graph, PATTERNS)


def moves_nothing(graph: GraphView, node: Node) -> Rewrite | None:
    """The operand of a Reshape, Transpose, Pad, Slice or Concat that leaves every element where it is."""
    operand = node.present_inputs[0]
    match node.operator:
        case Reshape():
            is_same = True
        case Transpose(permutation):
            is_same = permutation == tuple(range(len(permutation)))
        case Pad(padding):
            is_same = not any(padding)
        case Slice(begin):
            is_same = not any(
                begin
            )  # of the same shape, as is asked for below, it then takes every element
        case Concat(activation=activation):
            is_same = len(node.inputs) == 1 and activation is Activation.NONE
        case _:
            is_same = False
    if not is_same or operand.type != node.outputs[0].type:
        return None
    return Rewrite((operand,))


def rescales_nothing(graph: GraphView, node: Node) -> Rewrite | None:
    """The operand of an elementwise operator of integers that maps each to itself."""
    operand, result = node.present_inputs[0], node.outputs[0]
    if not has_table(node.operator) or operand.type != result.type:
        return None
    table = value_table([node.operator], [operand.type, result.type])
    return Rewrite((operand,)) if is_identity(table) else None


def quantizes_back(graph: GraphView, node: Node) -> Rewrite | None:
    """The operand of a Dequantize whose result is quantized again to the same integers."""
    if not isinstance(node.operator, Quantize):
        return None
    middle, result = node.present_inputs[0], node.outputs[0]
    dequantize = graph.producer(middle)
    if dequantize is None:
        return None
    operand = dequantize.present_inputs[0]
    if operand.type != result.type:
        return None
    operators = [dequantize.operator, node.operator]
    table = value_table(operators, [operand.type, middle.type, result.type])
    return Rewrite((operand,)) if is_identity(table) else None


def pools_nothing(graph: GraphView, node: Node) -> Rewrite | None:
    """The operand of an integer pool over windows of one element.

    Not for float32: an average adds to 0.0, which turns -0.0 into 0.0.
    """
    if not isinstance(node.operator, Pool):
        return None
    operator, operand = node.operator, node.present_inputs[0]
    if operator.window != (1, 1) or operator.stride != (1, 1):
        return None
    if operator.activation is not Activation.NONE or not operand.type.dtype.is_integer:
        return None
    return Rewrite((operand,))


def clamps_nothing(graph: GraphView, node: Node) -> Rewrite | None:
    """An operator without a clamp that its integers never reach, as relu's where the zero point is the least."""
    del graph
    type_ = node.outputs[0].type
    clamp = activation_of(node.operator)
    if Trait.FUSES_CLAMP not in node.operator.traits or clamp is Activation.NONE:
        return None
    if not type_.dtype.is_integer or type_.quantization is None:
        return None
    if activation_range(clamp, type_) != activation_range(Activation.NONE, type_):
        return None
    operator = with_activation(node.operator, Activation.NONE)
    return Rewrite(node.outputs, (replace(node, operator=operator),))


PATTERNS: tuple[Pattern, ...] = (
    moves_nothing,
    rescales_nothing,
    quantizes_back,
    pools_nothing,
    combines_with_nothing,
    clamps_nothing,
)
