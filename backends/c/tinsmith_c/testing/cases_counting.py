"""Graphs of operators that count."""

from tinsmith_ir.dtypes import DType
from tinsmith_ir.operators import CumSum, FloorDiv, FloorMod

from tinsmith_c.testing.draft import Case, Draft, typed


def divisions(draft: Draft, dtype: DType) -> None:
    """Quotients and what they leave, also by 0."""
    for kind in (FloorDiv, FloorMod):
        for lhs, rhs in (((2, 3, 40), (40,)), ((7,), (7,)), ((2, 1, 3), (4, 1))):
            draft.kept(kind(), [draft.input(lhs, dtype), draft.input(rhs, dtype)])


def running_sums(draft: Draft, dtype: DType) -> None:
    """Along any axis, either way."""
    for axis in (0, 1, 2):
        for exclusive, reverse in ((False, False), (True, False), (False, True), (True, True)):
            operator = CumSum(axis=axis, exclusive=exclusive, reverse=reverse)
            draft.kept(operator, [draft.input((2, 3, 4), dtype)])


CASES: tuple[Case, ...] = (
    *typed("divisions", divisions, (DType.INT32, DType.INT64, DType.FLOAT32)),
    *typed("running_sums", running_sums, (DType.INT32, DType.INT64, DType.FLOAT32)),
)
