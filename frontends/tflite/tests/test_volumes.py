"""CONV_3D: what it becomes, and what is refused."""

from collections.abc import Sequence

import numpy as np
import pytest
from small_models import assert_refused, floats, ints, one_operator
from tflite_builder import ModelBuilder, options
from tinsmith_ir.errors import ModelError, UnsupportedError
from tinsmith_ir.operators import Conv3D
from tinsmith_tflite import import_tflite

_SAME, _VALID = 0, 1


def _volume(
    padding: int,
    size: Sequence[int],
    result: Sequence[int],
    weights: Sequence[int] = (1, 1, 1, 1, 1),
    stride: Sequence[int] = (1, 1, 1),
    dilation: Sequence[int] = (1, 1, 1),
    *,
    version: int = 1,
) -> bytes:
    chosen = options(
        "Conv3DOptions",
        Padding=padding,
        StrideD=stride[0],
        StrideH=stride[1],
        StrideW=stride[2],
        DilationDFactor=dilation[0],
        DilationHFactor=dilation[1],
        DilationWFactor=dilation[2],
    )
    return one_operator("CONV_3D", result, chosen, floats(*weights), shape=size, version=version)


def test_same_padding_is_by_axis_and_longer_at_the_end() -> None:
    model = _volume(_SAME, (1, 5, 6, 7, 1), (1, 5, 3, 3, 1), (2, 3, 4, 1, 1), (1, 2, 3))
    (node,) = import_tflite(model).nodes
    assert node.operator == Conv3D(stride=(1, 2, 3), padding=(0, 1, 0, 1, 1, 2))


def test_each_axis_has_its_own_dilation() -> None:
    model = _volume(_VALID, (1, 5, 6, 7, 1), (1, 4, 4, 4, 1), (2, 2, 2, 1, 1), dilation=(1, 2, 3))
    (node,) = import_tflite(model).nodes
    assert node.operator == Conv3D(dilation=(1, 2, 3))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (_volume(_VALID, (1, 2, 2, 2, 3), (1, 2, 2, 2, 1)), "weights of 3 input channels"),
        (_volume(_VALID, (1, 2, 2, 2), (1, 2, 2, 2, 1)), "input 0 with 5 dimensions"),
        (_volume(_VALID, (1, 2, 2, 2, 1), (1, 2, 2, 2, 1), (1, 1, 1, 1)), "input 1 with 5"),
        (_volume(_VALID, (1, 2, 2, 2, 1), (1, 2, 2, 2, 1), (3, 1, 1, 1, 1)), "a window within"),
        (
            _volume(_VALID, (1, 2, 2, 2, 1), (1, 2, 2, 2, 1), stride=(1, 0, 1)),
            "a stride of at least 1 x 1 x 1, got 1 x 0 x 1",
        ),
        (
            _volume(_VALID, (1, 2, 2, 2, 1), (1, 2, 2, 2, 1), dilation=(0, 1, 1)),
            "a dilation of at least 1 x 1 x 1, got 0 x 1 x 1",
        ),
        (
            _volume(_SAME, (1, 2, 2, 2, 1), (1, 2, 2, 2, 1), (2, 2, 2, 1, 1), dilation=(999,) * 3),
            "bytes of padded input",
        ),
    ],
)
def test_what_does_not_fit_together_is_refused(data: bytes, message: str) -> None:
    assert_refused(ModelError, data, message)


def test_a_newer_version_is_refused() -> None:
    data = _volume(_VALID, (1, 2, 2, 2, 1), (1, 2, 2, 2, 1), version=2)
    assert_refused(UnsupportedError, data, "expected version 1 to 1, got 2")


@pytest.mark.parametrize(
    ("dtype", "weights", "error", "message"),
    [
        ("INT32", floats(1, 1, 1, 1, 1), UnsupportedError, "expected f32, got i32"),
        ("FLOAT32", ints(1).reshape((1,) * 5), ModelError, "expected weights of dtype f32"),
    ],
)
def test_integers_are_refused(
    dtype: str, weights: np.ndarray, error: type[Exception], message: str
) -> None:
    b = ModelBuilder()
    x, y = b.tensor("x", (1,) * 5, dtype), b.tensor("y", (1,) * 5, dtype)
    fields = dict.fromkeys(("StrideD", "StrideH", "StrideW"), 1)
    dilations = dict.fromkeys(("DilationDFactor", "DilationHFactor", "DilationWFactor"), 1)
    chosen = options("Conv3DOptions", **fields, **dilations)
    b.operator("CONV_3D", [x, b.constant("w", weights)], [y], chosen)
    assert_refused(error, b.finish([x], [y]), message)
