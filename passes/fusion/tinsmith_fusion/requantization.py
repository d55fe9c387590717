"""Makes one step of two that rescale integers, when every integer comes out the same."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import GraphView, Node
from tinsmith_ir.operators import Operator, Relu, Relu6, Requantize, Rescaling
from tinsmith_ir.rewrite import Rewrite
from tinsmith_ir.tables import has_table, value_table
from tinsmith_ir.types import TensorType

_INTEGERS = (DType.INT8, DType.UINT8, DType.INT16)


def rescales_twice(graph: GraphView, node: Node) -> Rewrite | None:
    """One Requantize, Relu or Relu6 in place of two elementwise operators between integers.

    Two roundings are seldom one: the tables of all integers are compared.
    """
    middle, result = node.present_inputs[0], node.outputs[0]
    inner = graph.producer(middle)
    if inner is None or not has_table(node.operator):
        return None
    operand = inner.present_inputs[0]
    if operand.type.dtype not in _INTEGERS or result.type.dtype not in _INTEGERS:
        return None
    types = [operand.type, middle.type, result.type]
    wanted = value_table([inner.operator, node.operator], types)
    if wanted is None:
        return None
    for operator in _candidates(node.operator, operand.type, result.type):
        table = value_table([operator], [operand.type, result.type])
        if table is not None and np.array_equal(wanted, table):
            return Rewrite(node.outputs, (replace(node, operator=operator, inputs=(operand,)),))
    return None


def _candidates(outer: Operator, operand: TensorType, result: TensorType) -> Iterator[Operator]:
    """Single operators between the two types that round as `outer`, the plainest first."""
    kinds: list[Rescaling] = [Requantize(result.dtype)]
    if operand.dtype is result.dtype is not DType.UINT8:
        kinds += [Relu(), Relu6()]
    for kind in kinds:
        if isinstance(outer, Rescaling):
            bits = outer.multiplier_bits
            yield replace(kind, rounding=outer.rounding, multiplier_bits=bits)
        else:
            yield kind
