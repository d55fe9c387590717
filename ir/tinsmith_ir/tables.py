"""Elementwise integer operators as tables: what comes out for each integer that may go in.

A pass may exchange chains of such operators when their tables are equal, which proves it bit-exact
without any argument about rounding.
"""

from collections.abc import Sequence

import numpy as np

from tinsmith_ir.dtypes import DType
from tinsmith_ir.errors import GraphError
from tinsmith_ir.graph import Array
from tinsmith_ir.operators import Operator, Trait
from tinsmith_ir.types import TensorType


def has_table(operator: Operator) -> bool:
    """Whether each element of the result depends on one element of the only operand."""
    return Trait.ELEMENTWISE in operator.traits and len(operator.operands) == 1


def value_table(operators: Sequence[Operator], types: Sequence[TensorType]) -> Array | None:
    """The results of applying `operators` one after the other to each int8, uint8 or int16, lowest first.

    types: of the first operand and of each result, one more than operators; shapes do not matter.
    None if an operator is not elementwise or cannot be evaluated between its types (scales too far
    apart), or the first operand is of another dtype.
    """
    if types[0].dtype not in (DType.INT8, DType.UINT8, DType.INT16):
        return None
    if not all(map(has_table, operators)):
        return None
    low, high = types[0].dtype.integer_range
    array: Array = np.arange(low, high + 1).astype(types[0].dtype.numpy)
    flat = [type_.with_shape(array.shape) for type_ in types]
    for operator, input_, output in zip(operators, flat, flat[1:], strict=False):
        try:
            array = operator.evaluate([array], [input_], [output])[0]
        except GraphError:
            return None
    return array


def is_identity(table: Array | None) -> bool:
    """True if each integer comes out as it went in, of a table from a dtype to the same."""
    if table is None or table.dtype.kind not in "iu":
        return False
    count = 1 << (8 * table.dtype.itemsize)
    low = 0 if table.dtype.kind == "u" else -count // 2
    is_whole = table.size == count
    return is_whole and bool((table == np.arange(low, low + table.size)).all())
