"""Graphs of the largest elements, products over axes, and arithmetic of plain integers."""

import numpy as np
from tinsmith_ir.dtypes import DType
from tinsmith_ir.operators import (
    Activation,
    Add,
    Div,
    Log,
    Mul,
    ReduceProd,
    Sub,
    TopK,
    TopKIndices,
)

from tinsmith_c.testing.draft import NUMBERS, Case, Draft, typed


def largest(draft: Draft, dtype: DType) -> None:
    """Some and all of each row, with equal elements; of floats also zeros of both signs and NaN."""
    x = draft.input((2, 3, 7), dtype)
    for kind in (TopK, TopKIndices):
        for count in (1, 3, 7):
            draft.kept(kind(count=count), [x])
    equal = np.array([[3, 5, 5, -2, 3, 5], [0, 0, -1, 0, -1, 7]], dtype.numpy)
    if dtype is DType.FLOAT32:
        equal[1, 1] = -0.0
        draft.kept(TopKIndices(count=7), [draft.builder.add(Log(), [x])])
    c = draft.builder.constant("c", equal, draft.quantization(dtype))
    for kind in (TopK, TopKIndices):
        draft.kept(kind(count=6), [c])


def products(draft: Draft, dtype: DType) -> None:
    """Over one axis and several."""
    x = draft.input((2, 3, 4), dtype)
    for axes, keep_dims in (((2,), True), ((0, 2), False), ((0, 1, 2), False)):
        draft.kept(ReduceProd(axes=axes, keep_dims=keep_dims), [x])


def plain(draft: Draft) -> None:
    """Quotients of int32, also by 0 and of the lowest by -1; int64 beyond 32 bits."""
    low = -(2**31)
    ends = np.array([[low, low, 7, -7, 0], [-1, 0, -2, 2, 5]], np.int32)
    lhs, rhs = (draft.builder.constant("c", row) for row in ends)
    x, y = draft.input((2, 3, 5), DType.INT32), draft.input((3, 1), DType.INT32)
    draft.kept(Div(), [lhs, rhs])
    draft.kept(Div(activation=Activation.RELU6), [x, y])
    draft.kept(Div(), [y, x])
    wide = draft.input((2, 5), DType.INT64)
    large = draft.builder.constant("w", np.array([2**62, -(2**63), 2**40, -3, 5], np.int64))
    for kind in (Add, Sub, Mul):
        draft.kept(kind(), [wide, large])


CASES: tuple[Case, ...] = (
    *typed("largest", largest, (*NUMBERS, DType.INT32)),
    *typed("products", products, (DType.INT32, DType.FLOAT32)),
    Case("plain", plain),
)
