"""Graphs of products of matrices."""

from tinsmith_ir.dtypes import DType
from tinsmith_ir.operators import BatchMatmul

from tinsmith_c.testing.draft import NUMBERS, Case, Draft, typed


def matmuls(draft: Draft, dtype: DType) -> None:
    """Batches that broadcast, each operand as it is and transposed."""
    specs = [
        ((3, 4), (4, 5), BatchMatmul()),
        ((2, 1, 4, 3), (3, 4, 2), BatchMatmul(transpose_lhs=True)),
        ((2, 3, 4), (1, 5, 4), BatchMatmul(transpose_rhs=True)),
        ((1, 1), (2, 3, 1, 1), BatchMatmul(transpose_lhs=True, transpose_rhs=True)),
        ((2, 5, 19), (2, 19, 6), BatchMatmul()),
    ]
    for lhs, rhs, operator in specs:
        near = 0.05 if dtype is DType.INT8 else 0.0002
        operands = [draft.input(lhs, dtype, near), draft.input(rhs, dtype, near)]
        draft.output(
            operator, operands, dtype, near * near * (2000 if dtype is DType.INT16 else 100)
        )


CASES: tuple[Case, ...] = (*typed("matmuls", matmuls, NUMBERS),)
