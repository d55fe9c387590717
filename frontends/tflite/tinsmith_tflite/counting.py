"""Converters of operators that count: quotients rounded down, sums of all in front, indices as rows of 0 and 1."""

from collections.abc import Mapping

import numpy as np
from tinsmith_ir.dtypes import DType
from tinsmith_ir.operators import (
    Compare,
    CumSum,
    FloorDiv,
    FloorMod,
    Relation,
    Reshape,
    Select,
)

from tinsmith_tflite.context import Conversion, OperatorContext
from tinsmith_tflite.rules import MOVED, PLAIN, Rule, plain

_LARGEST_DEPTH = 1 << 20


def cumsum(context: OperatorContext) -> Conversion:
    """CUMSUM along a constant axis."""
    source, axes = context.value(0), context.integers(1)
    if len(axes) != 1:
        raise context.error(f"expected one axis, got {list(axes)}")
    operator = CumSum(
        axis=context.axis(axes[0], len(source.type.shape)),
        exclusive=context.options.boolean("Exclusive"),
        reverse=context.options.boolean("Reverse"),
    )
    return operator, (source,)


def one_hot(context: OperatorContext) -> Conversion:
    """ONE_HOT: a choice by whether an index equals the place along the new axis; a constant depth."""
    indices = context.value(0)
    depth, shape = context.integers(1), indices.type.shape
    if indices.type.dtype is not DType.INT32:
        raise context.unsupported(f"expected indices of int32, got {indices.type.dtype.value}")
    if len(depth) != 1 or not 1 <= depth[0] <= _LARGEST_DEPTH:
        raise context.error(f"expected a depth of 1 to {_LARGEST_DEPTH}, got {list(depth)}")
    axis = context.axis(context.options.integer("Axis"), len(shape) + 1)
    context.values.file.spend(4 * depth[0])
    apart = context.step(Reshape(shape=(*shape[:axis], 1, *shape[axis:])), [indices])
    places = np.arange(depth[0], dtype=np.int32).reshape((-1, *(1,) * (len(shape) - axis)))
    hit = context.step(
        Compare(relation=Relation.EQUAL), [apart, context.constant("places", places)]
    )
    return Select(), (hit, context.value(2), context.value(3))


RULES: Mapping[str, Rule] = {
    "CUMSUM": Rule(1, (2, 2), "CumsumOptions", (CumSum,), cumsum, (*PLAIN, DType.INT64)),
    "FLOOR_DIV": plain(3, "FloorDivOptions", FloorDiv, PLAIN),
    "FLOOR_MOD": plain(2, "FloorModOptions", FloorMod, PLAIN),
    "ONE_HOT": Rule(1, (4, 4), "OneHotOptions", (Select,), one_hot, MOVED),
}
