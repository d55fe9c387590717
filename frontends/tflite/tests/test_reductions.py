"""Operators over axes, and of images in another size: what is refused."""

import numpy as np
import pytest
from small_models import assert_refused, ints, one_operator
from tflite_builder import ModelBuilder, options
from tinsmith_ir.errors import ModelError, UnsupportedError
from tinsmith_ir.evaluate import evaluate_graph
from tinsmith_ir.types import Quantization
from tinsmith_tflite import import_tflite


def sum_of(type_name: str, source: Quantization, result: Quantization) -> bytes:
    """Of two elements."""
    b = ModelBuilder()
    x = b.tensor("x", (2,), type_name, quantization=source)
    y = b.tensor("y", (), type_name, quantization=result)
    b.operator("SUM", [x, b.constant("axes", ints(0))], [y], options("ReducerOptions"), version=2)
    return b.finish([x], [y])


def test_a_sum_of_int8_is_that_of_the_real_numbers() -> None:
    model = sum_of("INT8", Quantization.per_tensor(0.5, -3), Quantization.per_tensor(0.25, 1))
    (result,) = evaluate_graph(import_tflite(model), [np.array([-5, 20], np.int8)]).values()
    assert result == 1 + ((-5 + 3) + (20 + 3)) * 2


REFUSED: list[tuple[type[Exception], bytes, str]] = [
    (
        UnsupportedError,
        sum_of("INT8", Quantization.per_tensor(0.5, -3), Quantization.per_tensor(0.5, -3)),
        "a result of another scale than the input's",
    ),
    (
        UnsupportedError,
        sum_of("INT16", Quantization.per_tensor(0.5, 0), Quantization.per_tensor(0.25, 0)),
        "expected int8 or float32, got int16",
    ),
    (
        ModelError,
        one_operator("REDUCE_MAX", (1, 4, 4), options("ReducerOptions"), ints(4)),
        r"expected an axis in \[-4, 3\], got 4",
    ),
    (
        ModelError,
        one_operator("SUM", (1, 4, 4), options("ReducerOptions"), ints(*range(9))),
        "expected at most 8 axes, got 9",
    ),
    (
        UnsupportedError,
        one_operator("REDUCE_ANY", (1, 4, 4), options("ReducerOptions"), ints(3)),
        "expected bool, got f32",
    ),
    (
        UnsupportedError,
        one_operator("ARG_MAX", (1, 4, 4), options("ArgMaxOptions"), ints(3)),
        "expected i32 or i64, got f32",
    ),
    (
        ModelError,
        one_operator(
            "RESIZE_BILINEAR",
            (1, 8, 8, 2),
            options("ResizeBilinearOptions", AlignCorners=True, HalfPixelCenters=True),
            ints(8, 8),
        ),
        "expected align_corners or half_pixel_centers, got both",
    ),
    (
        ModelError,
        one_operator("RESIZE_BILINEAR", (1, 8, 8, 2), None, ints(8)),
        "a height and a width of at least 1",
    ),
]


@pytest.mark.parametrize(("error", "model", "message"), REFUSED)
def test_what_cannot_be_computed_is_refused(
    error: type[Exception], model: bytes, message: str
) -> None:
    assert_refused(error, model, message)
