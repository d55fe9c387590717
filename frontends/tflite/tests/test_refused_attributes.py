"""Attributes of operators that are refused: by which error, and with what message."""

from collections.abc import Callable

import numpy as np
import pytest
from small_models import assert_refused, floats, ints, one_operator
from tflite_builder import ModelBuilder, options
from tinsmith_ir.errors import ModelError, UnsupportedError
from tinsmith_ir.types import Quantization

CONVOLUTIONS: list[tuple[dict[str, int], str]] = [
    ({"StrideH": 0, "StrideW": 1}, "stride of at least 1 x 1, got 0 x 1"),
    ({"StrideH": 1, "StrideW": -3}, "stride of at least 1 x 1, got 1 x -3"),
    ({"StrideH": 1, "StrideW": 1, "DilationHFactor": 0}, "dilation of at least"),
    ({"StrideH": 1, "StrideW": 1, "Padding": 2}, "expected SAME or VALID padding, got padding 2"),
    ({"StrideH": 1, "StrideW": 1, "DilationHFactor": 2**31 - 1}, "bytes of padded input"),
    ({"StrideH": 1, "StrideW": 1, "DilationHFactor": 9, "Padding": 1}, "window"),
]


@pytest.mark.parametrize(("fields", "message"), CONVOLUTIONS)
def test_convolution_attribute(fields: dict[str, int], message: str) -> None:
    data = one_operator(
        "CONV_2D", (1, 4, 4, 1), options("Conv2DOptions", **fields), floats(1, 3, 3, 2), floats(1)
    )
    assert_refused(ModelError, data, message)


REFUSED_ATTRIBUTES: list[Callable[[], tuple[type[Exception], bytes, str]]] = [
    lambda: (
        ModelError,
        one_operator("CONV_2D", (1, 4, 4, 1), options("Conv2DOptions", StrideH=1, StrideW=1), floats(3, 2)),
        "expected input 1 with 4 dimensions",
    ),
    lambda: (
        ModelError,
        one_operator(
            "DEPTHWISE_CONV_2D", (1, 4, 4, 4),
            options("DepthwiseConv2DOptions", StrideH=1, StrideW=1, DepthMultiplier=3), floats(1, 1, 1, 4),
        ),
        "expected weights for 2 x 3 channels",
    ),
    lambda: (
        UnsupportedError,
        one_operator("FULLY_CONNECTED", (1, 2), options("FullyConnectedOptions", WeightsFormat=1), floats(2, 32)),
        "expected weights in the default layout",
    ),
    lambda: (
        ModelError,
        one_operator("MEAN", (1, 2), options("ReducerOptions"), ints(4)),
        r"expected an axis in \[-4, 3\], got 4",
    ),
    lambda: (
        ModelError,
        one_operator("MEAN", (1, 2), options("ReducerOptions"), floats(1)),
        "expected INT32 or INT64, got FLOAT32",
    ),
    lambda: (
        ModelError,
        one_operator("MEAN", (1, 2), options("ReducerOptions"), np.zeros(65, np.int32)),
        "expected at most 64 elements",
    ),
    lambda: (
        ModelError,
        one_operator("SOFTMAX", (1, 4, 4, 2), options("SoftmaxOptions", Beta=float("nan"))),
        "expected a finite beta above 0, got nan",
    ),
    lambda: (
        ModelError,
        one_operator("RESHAPE", (32,), options("ReshapeOptions"), ints(-1, -1)),
        "at most one -1",
    ),
    lambda: (
        ModelError,
        one_operator("RESHAPE", (33,), options("ReshapeOptions"), ints(33)),
        "expected a shape of 32 elements",
    ),
    lambda: (
        ModelError,
        one_operator("RESHAPE", (32,), options("ReshapeOptions"), ints(-1, 0)),
        "at most one -1",
    ),
    lambda: (
        ModelError,
        one_operator("SQUEEZE", (4, 4, 2), options("SqueezeOptions", SqueezeDims=(1,))),
        "expected axis 1 of size 1",
    ),
    lambda: (
        ModelError,
        one_operator("EXPAND_DIMS", (1, 1, 4, 4, 2), None, ints(0, 1)),
        "expected one axis",
    ),
    lambda: (
        ModelError,
        one_operator("PAD", (1, 4, 4, 2), options("PadOptions"), ints(0, 0, -1, 1, 0, 0, 0, 0)),
        "expected 8 paddings of at least 0",
    ),
    lambda: (
        ModelError,
        one_operator("TRANSPOSE", (1, 4, 4, 2), options("TransposeOptions"), ints(0, 1, 1, 3)),
        "expected each axis once",
    ),
    lambda: (
        ModelError,
        one_operator("CONCATENATION", (1, 4, 4, 2), options("ConcatenationOptions", Axis=-5)),
        "expected an axis in",
    ),
]  # fmt: skip


@pytest.mark.parametrize("case", REFUSED_ATTRIBUTES)
def test_attribute(case: Callable[[], tuple[type[Exception], bytes, str]]) -> None:
    assert_refused(*case())


def test_axes_computed_at_run_time() -> None:
    b = ModelBuilder()
    x, axes, y = b.tensor("x", (4, 4)), b.tensor("axes", (1,), "INT32"), b.tensor("y", (4,))
    b.operator("MEAN", [x, axes], [y], options("ReducerOptions"))
    assert_refused(
        UnsupportedError, b.finish([x, axes], [y]), "axes computed at run time are not supported"
    )


def test_int16_sum_in_powers_of_two() -> None:
    b = ModelBuilder()
    q = Quantization.per_tensor(0.5, 0)
    x, y = (b.tensor(name, (4,), "INT16", quantization=q) for name in "xy")
    b.operator("ADD", [x, x], [y], options("AddOptions"))
    assert_refused(UnsupportedError, b.finish([x], [y]), "pot_scale_int16 off")


@pytest.mark.parametrize(("dtype", "element", "error"), [
    (np.int32, 1, ModelError),  # not of the scale of the sums
    (np.int64, 2**31, UnsupportedError),
    (np.int8, 1, UnsupportedError),
])  # fmt: skip
def test_int16_bias(dtype: type[np.generic], element: int, error: type[Exception]) -> None:
    b = ModelBuilder()
    q = Quantization.per_tensor(0.5, 0)
    x = b.tensor("x", (1, 2), "INT16", quantization=q)
    w = b.constant("w", np.ones((1, 2), np.int8), quantization=q)
    bias = b.constant("b", np.array([element], dtype), quantization=q)
    y = b.tensor("y", (1, 1), "INT16", quantization=q)
    b.operator("FULLY_CONNECTED", [x, w, bias], [y], options("FullyConnectedOptions"), version=4)
    assert_refused(error, b.finish([x], [y]), "bias")
