"""Graphs of operators over the last axis."""

from tinsmith_ir.dtypes import DType
from tinsmith_ir.operators import L2Normalization, LogSoftmax
from tinsmith_ir.types import Quantization

from tinsmith_c.testing.draft import Case, Draft, typed


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


CASES: tuple[Case, ...] = (*typed("normalizations", normalizations, (DType.INT8, DType.FLOAT32)),)
