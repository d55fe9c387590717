"""Determinants of small matrices, by the expansion along rows."""

from collections.abc import Sequence
from functools import reduce

import numpy as np
from tinsmith_ir.errors import UnsupportedError

from tinsmith_tensors.composer import Composer, Tensor
from tinsmith_tensors.elementwise import add, mul, sub
from tinsmith_tensors.movement import part, squeeze

_LARGEST = 4
"""Rows of computed matrices: the number of products grows as the factorial."""


def determinant(c: Composer, x: Tensor) -> Tensor:
    """Of square matrices in the last two axes; computed ones of at most 4 rows."""
    rows, columns = x.shape[-2:]
    if rows != columns or rows < 1:
        raise UnsupportedError(f"expected square matrices, got shape {list(x.shape)}")
    if x.array is not None:
        found = np.asarray(np.linalg.det(x.array.astype(np.float64)))
        return c.known(found.astype(x.dtype), x.hint)
    if rows > _LARGEST:
        raise UnsupportedError(f"expected matrices of at most {_LARGEST} rows, got {rows}")
    entries = [[_entry(c, x, row, column) for column in range(rows)] for row in range(rows)]
    return _expanded(c, entries)


def _entry(c: Composer, x: Tensor, row: int, column: int) -> Tensor:
    first, last = x.rank - 2, x.rank - 1
    line = part(c, x, first, row, row + 1)
    return squeeze(c, part(c, line, last, column, column + 1), [first, last])


def _expanded(c: Composer, rows: Sequence[Sequence[Tensor]]) -> Tensor:
    """Entries of the first row times the determinants of what is left without their row and column, signs in turn."""
    first, *others = rows
    if not others:
        return first[0]
    terms = [
        mul(c, entry, _expanded(c, [[*row[:column], *row[column + 1 :]] for row in others]))
        for column, entry in enumerate(first)
    ]
    positive = reduce(lambda lhs, rhs: add(c, lhs, rhs), terms[::2])
    negative = reduce(lambda lhs, rhs: add(c, lhs, rhs), terms[1::2])
    return sub(c, positive, negative)
