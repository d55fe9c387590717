"""Bits of integers and determinants, as arithmetic; compared with NumPy."""

import numpy as np
import pytest
from composed import assert_close, composed, numbers, result
from tinsmith_ir import UnsupportedError
from tinsmith_ir.dtypes import DType
from tinsmith_tensors import bits
from tinsmith_tensors.determinants import determinant

X = np.array([0, 1, -1, 100, -100, 2**31 - 1, -(2**31)], np.int32)
BY = np.array([0, 31, 31, 3, 3, 30, 1], np.int32)


@pytest.mark.parametrize("known", [[], [0], [1], [0, 1]])
def test_shifts_by_known_and_computed_distances(known: list[int]) -> None:
    assert_close(result(bits.shift_left, X, BY, known=known), np.left_shift(X, BY))
    assert_close(result(bits.shift_right, X, BY, known=known), np.right_shift(X, BY))


def test_a_mask_of_low_bits_is_one_division() -> None:
    graph = composed(bits.bitwise_and, X, np.array(7, np.int32), known=[1])
    assert [node.operator.mnemonic for node in graph.nodes] == ["floor_mod"]
    assert_close(result(bits.bitwise_and, X, np.array(7, np.int32), known=[1]), X & 7)


@pytest.mark.parametrize("dtype", [DType.INT8, DType.UINT8, DType.INT64])
def test_all_bits_count(dtype: DType) -> None:
    low, high = dtype.integer_range
    x = np.array([low, high, 1, 0], dtype.numpy)
    y = np.array([high, high, 3, low], dtype.numpy)
    assert_close(result(bits.bitwise_xor, x, y), np.bitwise_xor(x, y))
    assert_close(result(bits.bitwise_or, x, y), np.bitwise_or(x, y))
    assert_close(result(bits.bitwise_not, x), np.invert(x))


@pytest.mark.parametrize("rows", [1, 2, 3, 4])
@pytest.mark.parametrize("known", [[], [0]])
def test_determinants(rows: int, known: list[int]) -> None:
    x = numbers(rows, 3, rows, rows)
    assert_close(result(determinant, x, known=known), np.linalg.det(x), rtol=1e-4)


def test_determinants_of_more_rows_have_to_be_known() -> None:
    x = numbers(1, 5, 5)
    assert_close(result(determinant, x, known=[0]), np.linalg.det(x))
    with pytest.raises(UnsupportedError, match="matrices of at most 4 rows, got 5"):
        composed(determinant, x)
    with pytest.raises(UnsupportedError, match=r"expected square matrices, got shape \[2, 3\]"):
        composed(determinant, numbers(1, 2, 3))
