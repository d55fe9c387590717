"""Graphs of the largest elements, products over axes, and arithmetic of plain integers."""

import numpy as np
from tinsmith_ir.dtypes import DType
from tinsmith_ir.operators import (
    Abs,
    Activation,
    Add,
    ArgMax,
    ArgMin,
    Compare,
    Div,
    FloorDiv,
    FloorMod,
    Log,
    Mul,
    Neg,
    ReduceMax,
    ReduceMin,
    ReduceProd,
    Relation,
    Sign,
    Sub,
    Sum,
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


def quotients(draft: Draft, dtype: DType) -> None:
    """In every direction of rounding, also by 0 and of the lowest by -1."""
    low = dtype.integer_range[0]
    ends = np.array([[low, low, 7, -7, 0], [-1, 0, -2, 2, 5]], dtype.numpy)
    lhs, rhs = (draft.builder.constant("c", row) for row in ends)
    x, y = draft.input((2, 3, 5), dtype), draft.input((3, 1), dtype)
    for kind in (Div, FloorDiv, FloorMod):
        draft.kept(kind(), [lhs, rhs])
        draft.kept(kind(), [y, x])
    if dtype is DType.INT32:
        draft.kept(Div(activation=Activation.RELU6), [x, y])


def wrapped(draft: Draft, dtype: DType) -> None:
    """Integers that leave their range."""
    low, high = dtype.integer_range
    ends = draft.builder.constant("c", np.array([low, high, high, -1], dtype.numpy))
    for kind in (Abs, Neg, Sign):
        draft.kept(kind(), [ends])
    for kind in (Sum, ReduceProd):
        draft.kept(kind(axes=(0,)), [ends])


def wide(draft: Draft) -> None:
    """int64 beyond 32 bits, and what differs in the lower or upper half alone."""
    x = draft.input((2, 5), DType.INT64)
    large = draft.builder.constant("w", np.array([2**62, -(2**63), 2**40, -3, 5], np.int64))
    for kind in (Add, Sub, Mul):
        draft.kept(kind(), [x, large])
    near = np.array([[2**33, 2**33 + 1, -(2**33)], [2**32 + 5, 5, -5]], np.int64)
    halves = draft.builder.constant("h", near)
    column = draft.builder.constant("c", near[:, 1:2])
    for relation in Relation:
        draft.kept(Compare(relation=relation), [halves, column])
    for kind in (ReduceMax, ReduceMin):
        draft.kept(kind(axes=(1,)), [halves])
    for kind in (ArgMax, ArgMin):
        draft.kept(kind(axis=1), [halves])


CASES: tuple[Case, ...] = (
    *typed("largest", largest, (*NUMBERS, DType.INT32)),
    *typed("products", products, (DType.INT32, DType.INT64, DType.FLOAT32)),
    *typed("quotients", quotients, (DType.INT32, DType.INT64)),
    *typed("wrapped", wrapped, (DType.INT32, DType.INT64)),
    Case("wide", wide),
)
