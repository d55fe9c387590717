"""Graphs of operators over the last axis."""

import numpy as np
from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Value
from tinsmith_ir.moment_parameters import integer_gains
from tinsmith_ir.operators import (
    L2Normalization,
    LayerNorm,
    LogSoftmax,
    Maximum,
    Mul,
    Requantize,
    RmsNorm,
)
from tinsmith_ir.types import Quantization, TensorType

from tinsmith_c.testing.draft import NUMBERS, Case, Draft, typed


def normalizations(draft: Draft, dtype: DType) -> None:
    """Flat rows and steep ones."""
    for operator, scale, zero_point in (
        (LogSoftmax(), 1 / 16, 127),
        (L2Normalization(), 1 / 128, 0),
    ):
        result = Quantization.per_tensor(scale, zero_point) if dtype is DType.INT8 else None
        for shape, near in (((1, 10), 0.1), ((3, 5), 0.4), ((2, 2, 1), 0.02), ((1, 700), 0.0001)):
            x = draft.input(shape, dtype, near)
            draft.outputs.append(draft.builder.add(operator, [x], "y", result))


def norms(draft: Draft, dtype: DType) -> None:
    """One element and many, steep rows and such as epsilon flattens, with and without gamma and beta."""
    for kind in (LayerNorm, RmsNorm):
        for shape, near, epsilon in (
            ((3, 7), 0.05, 1e-5),
            ((2, 2, 1), 0.02, 1e-3),
            ((1, 300), 1e-6, 1e-5),
            ((2, 64), 20.0, 1e-12),
        ):
            for count in range(3 if kind is LayerNorm else 2):
                x = draft.input(shape, dtype, near)
                for result in _RESULTS[dtype]:
                    operator = kind(epsilon, None if result is dtype else result)
                    _norm(draft, operator, x, result, count)


_RESULTS = {
    DType.INT8: (DType.INT8, DType.INT16),
    DType.INT16: (DType.INT8, DType.INT16),
    DType.FLOAT32: (DType.FLOAT32,),
}


def _norm(draft: Draft, operator: LayerNorm | RmsNorm, x: Value, dtype: DType, count: int) -> None:
    """With the first `count` of gamma and beta."""
    length = x.type.shape[-1]
    reals = [draft.random.normal(1 - at, 0.5, length).astype(np.float32) for at in range(count)]
    quantization = draft.quantization(dtype, 2.0**-12 if dtype is DType.INT16 else None)
    parts: list[Value | None] = [draft.builder.constant("c", real) for real in reals]
    if quantization is not None:
        type_ = TensorType(x.type.shape, dtype, quantization)
        gains = integer_gains(operator, x.type, type_, *(*reals, None, None)[:2])
        given = ((gains.gamma, gains.gamma_scale), (gains.beta, gains.beta_scale))
        parts = [
            None if array is None else draft.builder.constant("c", array, scale)
            for array, scale in given[: len(operator.operands) - 1]
        ]
    draft.outputs.append(draft.builder.add(operator, [x, *parts], "y", quantization))


def norms_of_extremes(draft: Draft, dtype: DType) -> None:
    """Rows that are saturated, equal but for a few, and equal; from few elements to many."""
    for length, rows in ((2, 3), (33, 3), (700, 1)):
        x = draft.input((rows, length), dtype, 1.0)
        finest = Quantization.per_tensor(1e-4, 0)
        saturated = draft.builder.add(Requantize(dtype), [x], "saturated", finest)
        zero = draft.builder.constant("zero", np.zeros(1, dtype.numpy), finest)
        equal = draft.builder.add(Mul(), [x, zero], "equal", finest)
        largest = draft.builder.constant(
            "largest", np.full(1, dtype.integer_range[1] - 2, dtype.numpy), x.type.quantization
        )
        near = draft.builder.add(Maximum(), [x, largest], "near", x.type.quantization)
        for operand in (saturated, near, equal):
            for kind in (LayerNorm, RmsNorm):
                _norm(draft, kind(), operand, dtype, 1)


CASES: tuple[Case, ...] = (
    *typed("normalizations", normalizations, (DType.INT8, DType.FLOAT32)),
    *typed("norms", norms, NUMBERS),
    *typed("norms_of_extremes", norms_of_extremes, (DType.INT8, DType.INT16)),
)
