"""Sums that are halved for the analog array, and for nobody else: the addition itself gives the half."""

from dataclasses import replace

from tinsmith_ir.activation import Activation
from tinsmith_ir.arithmetic import MULTIPLIER_BITS
from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Graph, Node, Value
from tinsmith_ir.operators import Add, Requantize
from tinsmith_ir.parameter_records import WeightedSumParameters
from tinsmith_ir.parameters import requantize_parameters, weighted_sum_parameters
from tinsmith_ir.rounding import Rounding

from tinsmith_diana.analog.fitting import narrowing
from tinsmith_diana.scales import right_shift


def with_halved_sums(graph: Graph) -> Graph:
    """Each Add whose only reader halves it gives the half at once, where that is the same to the bit: two shifts down
    are one, if nothing is clipped between.
    """
    halved = {
        add.name: made
        for node in graph.nodes
        if (add := _sum_of(graph, node)) is not None and (made := _halved(add, node)) is not None
    }
    if not halved:
        return graph
    gone = {made.name for made in halved.values()}
    nodes = [halved.get(node.name, node) for node in graph.nodes if node.name not in gone]
    return graph.rebuilt(nodes=nodes)


def can_halve(node: Node) -> bool:
    """Whether a node is a sum that gives its half at once, if all who read it want that."""
    result = node.outputs[0]
    if not isinstance(node.operator, Add) or result.type.dtype is not DType.INT8:
        return False
    operator, type_ = narrowing(result.type)
    halving = Node(operator, (result,), (Value(f"{result.name}.narrow", type_),))
    return _is_halving(halving) and _halved(node, halving) is not None


def _sum_of(graph: Graph, node: Node) -> Node | None:
    """What a halving reads, if that is an Add for it alone."""
    if not _is_halving(node):
        return None
    (value,) = node.present_inputs
    add = graph.producer(value)
    is_alone = value.name not in graph.kept and graph.readers(value) == (node,)
    return add if add is not None and is_alone and isinstance(add.operator, Add) else None


def _is_halving(node: Node) -> bool:
    """Whether it is a shift of int8 by one bit, rounded down."""
    operator = node.operator
    if not isinstance(operator, Requantize) or operator.rounding is not Rounding.FLOOR:
        return False
    (source,), (result,) = node.present_inputs, node.outputs
    if source.type.dtype is not DType.INT8 or result.type.dtype is not DType.INT8:
        return False
    p = requantize_parameters(operator, [source.type], result.type)
    has_ends = (p.clamp_min, p.clamp_max) == result.type.dtype.integer_range
    has_points = p.input_offset != 0 or p.output_offset != 0
    return has_ends and not has_points and right_shift(p.multiplier, p.shift) == 1


def _halved(add: Node, halving: Node) -> Node | None:
    """The addition with the halving's result; None where that is not the same for all operands."""
    operator, (result,) = add.operator, halving.outputs
    if not isinstance(operator, Add) or operator.rounding is not Rounding.FLOOR:
        return None
    types = [value.type for value in add.present_inputs]
    if any(type_.dtype is not DType.INT8 for type_ in types):
        return None
    whole = weighted_sum_parameters(operator, types, add.outputs[0].type)
    half = weighted_sum_parameters(operator, types, result.type)
    if operator.activation is not Activation.NONE or not _is_half(whole, half):
        return None
    return replace(add, outputs=(result,)) if _is_within(whole) else None


def _is_half(whole: WeightedSumParameters, half: WeightedSumParameters) -> bool:
    """The same multipliers, shifted by one bit more, and no zero points."""
    return half == replace(whole, shift=whole.shift - 1) and not (
        whole.input1_offset or whole.input2_offset or whole.output_offset
    )


def _is_within(p: WeightedSumParameters) -> bool:
    """Whether sums of two int8 are within the clip by themselves."""
    low, high = DType.INT8.integer_range
    both, right = p.multiplier1 + p.multiplier2, MULTIPLIER_BITS - p.shift
    return low * both >> right >= p.clamp_min and high * both >> right <= p.clamp_max
