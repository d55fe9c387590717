"""Operators that put elements elsewhere: what is refused."""

import numpy as np
import pytest
from small_models import assert_refused
from tflite_builder import ModelBuilder, options
from tinsmith_ir.errors import ModelError, UnsupportedError


def _scattered(places: list[list[int]], dtype: str = "INT8") -> bytes:
    b = ModelBuilder()
    x = b.tensor("x", (len(places),), dtype)
    y = b.tensor("y", (4,), dtype)
    operands = [
        b.constant("places", np.array(places, np.int32)),
        x,
        b.constant("shape", np.array([4], np.int32)),
    ]
    b.operator("SCATTER_ND", operands, [y], options("ScatterNdOptions"))
    return b.finish([x], [y])


def _reversed(lengths: list[int], axis: int, batch: int) -> bytes:
    b = ModelBuilder()
    x, y = b.tensor("x", (2, 5)), b.tensor("y", (2, 5))
    operands = [x, b.constant("lengths", np.array(lengths, np.int32))]
    chosen = options("ReverseSequenceOptions", SeqDim=axis, BatchDim=batch)
    b.operator("REVERSE_SEQUENCE", operands, [y], chosen)
    return b.finish([x], [y])


@pytest.mark.parametrize(
    ("error", "model", "message"),
    [
        (ModelError, _scattered([[4]]), "indices within 0 and 3, got 4"),
        (ModelError, _scattered([[0, 1]]), "1 to 1 indices of a place within"),
        (UnsupportedError, _scattered([[1], [1]]), "each place once, got one 2 times of i8"),
        (UnsupportedError, _scattered([[1]] * 17, "FLOAT32"), "at most 16 times, got 17"),
        (ModelError, _reversed([1, 6], 1, 0), "indices within 0 and 5"),
        (ModelError, _reversed([1], 1, 0), "expected 2 lengths"),
        (ModelError, _reversed([1, 2], 1, 1), "expected two axes, got 1 twice"),
    ],
)
def test_other_places_and_lengths_are_refused(
    error: type[Exception], model: bytes, message: str
) -> None:
    assert_refused(error, model, message)
