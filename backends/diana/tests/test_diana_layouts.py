"""Where elements lie in rows."""

import numpy as np
import pytest
from tinsmith_diana import DianaRows
from tinsmith_ir import GraphError
from tinsmith_ir.layouts import element_offsets, layout_bytes
from tinsmith_ir.types import DType, TensorType

_NAME = DianaRows.name


@pytest.mark.parametrize(
    ("shape", "size_bytes"),
    [
        ((1, 3, 5, 2), 2 * 3 * 16),
        ((1, 2, 16, 3), 3 * 2 * 16),
        ((1, 2, 17, 3), 3 * 2 * 32),
        ((1, 1, 1, 4), 4 * 16),
        ((1, 17), 32),
        ((16,), 32),
        ((1, 1, 7, 3), 64),
    ],
)
def test_rows_are_padded_to_16_and_all_to_32(shape: tuple[int, ...], size_bytes: int) -> None:
    assert layout_bytes(_NAME, TensorType(shape, DType.INT8)) == size_bytes


def test_an_image_is_planes_of_rows_and_words_begin_at_their_end() -> None:
    offsets = element_offsets(_NAME, TensorType((1, 2, 18, 3), DType.INT8)).reshape(2, 18, 3)
    # Element (y, x, c) is number (c * 2 + y) * 32 + x, and 0, 1, 2, 3 lie at 3, 2, 1, 0.
    assert offsets[0, :6, 0].tolist() == [3, 2, 1, 0, 7, 6]
    assert offsets[1, 0, 0] == 32 + 3
    assert offsets[0, 0, 1] == 64 + 3
    assert offsets[1, 17, 2] == 2 * 64 + 32 + 18
    assert len(np.unique(offsets)) == offsets.size


def test_a_vector_lies_densely() -> None:
    offsets = element_offsets(_NAME, TensorType((1, 6), DType.INT8))
    assert offsets.tolist() == [3, 2, 1, 0, 7, 6]


@pytest.mark.parametrize(
    "type_",
    [
        TensorType((2, 3, 5, 2), DType.INT8),
        TensorType((1, 3, 5, 2), DType.INT16),
        TensorType((2, 5), DType.INT8),
        TensorType((1, 5, 2), DType.INT8),
        TensorType((), DType.INT8),
    ],
)
def test_other_tensors_have_no_rows(type_: TensorType) -> None:
    with pytest.raises(GraphError, match=r"expected i8\[1,H,W,C\], i8\[1,C\] or i8\[C\], got"):
        layout_bytes(_NAME, type_)
