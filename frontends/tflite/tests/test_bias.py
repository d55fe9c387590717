"""Scales and zero points of a bias: what TFLite 2.14 accepts, what it refuses."""

import numpy as np
import pytest
from small_models import assert_refused
from tflite_builder import ModelBuilder, Stored, options
from tinsmith_ir.errors import ModelError
from tinsmith_ir.types import Quantization, TensorType
from tinsmith_tflite import import_tflite

PER_TENSOR = Quantization.per_tensor(0.5, 0)
PER_CHANNEL = Quantization((0.5, 0.25), (0, 0), 0)
BIAS = np.array([7, -9], np.int32)
PRODUCT = 0.25 * 0.5  # of the input's and the weights' scale


def _dense(
    bias: Quantization | Stored | None, weights: Quantization, result_scale: float = 1.0
) -> bytes:
    """x (1, 2) of scale 0.25 times weights (2, 2)."""
    b = ModelBuilder()
    x = b.tensor("x", (1, 2), "INT8", quantization=Quantization.per_tensor(0.25, 0))
    w = b.constant("w", np.ones((2, 2), np.int8), quantization=weights)
    y = b.tensor("y", (1, 2), "INT8", quantization=Quantization.per_tensor(result_scale, 0))
    operands = [x, w, b.constant("b", BIAS, quantization=bias)]
    b.operator("FULLY_CONNECTED", operands, [y], options("FullyConnectedOptions"))
    return b.finish([x], [y])


def _conv(kind: str, bias: Quantization | Stored | None, stored: np.ndarray = BIAS) -> bytes:
    """x (1, 1, 1, 2) of scale 0.25 under a kernel of one tap; int16 beside an int64 bias."""
    type_name = "INT16" if stored.dtype == np.int64 else "INT8"
    b = ModelBuilder()
    x = b.tensor("x", (1, 1, 1, 2), type_name, quantization=Quantization.per_tensor(0.25, 0))
    shape = (2, 1, 1, 2) if kind == "CONV_2D" else (1, 1, 1, 2)
    w = b.constant("w", np.ones(shape, np.int8), quantization=PER_TENSOR)
    y = b.tensor("y", (1, 1, 1, 2), type_name, quantization=Quantization.per_tensor(1.0, 0))
    chosen = (
        options("Conv2DOptions", StrideH=1, StrideW=1)
        if kind == "CONV_2D"
        else options("DepthwiseConv2DOptions", StrideH=1, StrideW=1, DepthMultiplier=1)
    )
    b.operator(kind, [x, w, b.constant("b", stored, quantization=bias)], [y], chosen)
    return b.finish([x], [y])


def _imported_bias(data: bytes) -> TensorType:
    graph = import_tflite(data)
    bias = graph.nodes[0].inputs[2]
    assert bias is not None
    np.testing.assert_array_equal(graph.constant_data[bias.name], BIAS)
    return bias.type


@pytest.mark.parametrize("kind", ["CONV_2D", "DEPTHWISE_CONV_2D"])
@pytest.mark.parametrize("stored", [BIAS, BIAS.astype(np.int64)])
def test_zero_point_of_a_convolutions_bias(kind: str, stored: np.ndarray) -> None:
    data = _conv(kind, Quantization.per_tensor(PRODUCT, 127), stored)
    assert_refused(ModelError, data, f"{kind} -> %y: expected a bias with zero point 0, got 127")


@pytest.mark.parametrize("bias", [
    None,
    Quantization.per_tensor(9.0, 0),
    Stored((0.0,), (0,)),
    Quantization((9.0, 9.0), (1, 1), 0),
])  # fmt: skip
def test_scales_of_a_convolutions_bias_do_not_matter(bias: Quantization | Stored | None) -> None:
    assert _imported_bias(_conv("CONV_2D", bias)).shape == (2,)


def test_a_bias_may_name_an_axis_that_only_its_weights_have() -> None:
    kept = _imported_bias(_conv("CONV_2D", Quantization((0.125, 0.25), (0, 0), axis=3)))
    assert kept.quantization == Quantization((0.125, 0.25), (0, 0), axis=0)


def test_scales_of_a_bias_are_one_or_as_many_as_its_elements() -> None:
    data = _conv("CONV_2D", Quantization((1.0, 1.0, 1.0), (0, 0, 0), 0))
    assert_refused(ModelError, data, "'b': expected one scale, .* got 3 scales")


def test_a_bias_of_four_dimensions_becomes_one_of_one() -> None:
    assert _imported_bias(_conv("CONV_2D", PER_CHANNEL, BIAS.reshape(1, 1, 1, 2))).shape == (2,)


@pytest.mark.parametrize(("bias", "result_scale"), [
    (Quantization.per_tensor(PRODUCT, 0), 1.0),
    (Quantization.per_tensor(PRODUCT, 99), 1.0),
    (Quantization.per_tensor(PRODUCT + 0.019, 0), 1.0),
    (None, 50 * PRODUCT),
])  # fmt: skip
def test_scale_of_a_dense_bias_within_a_fiftieth_of_the_results(
    bias: Quantization | Stored | None, result_scale: float
) -> None:
    assert _imported_bias(_dense(bias, PER_TENSOR, result_scale)).shape == (2,)


@pytest.mark.parametrize(("bias", "found"), [
    (Quantization.per_tensor(9.0, 0), "9"),
    (Quantization.per_tensor(PRODUCT + 0.021, 0), "0.1459"),
    (Stored((float("nan"),), (0,)), "nan"),
    (Quantization((PRODUCT, PRODUCT), (0, 0), 0), "none"),
    (None, "none"),
])  # fmt: skip
def test_scale_of_a_dense_bias_that_contradicts_the_weights(
    bias: Quantization | Stored | None, found: str
) -> None:
    message = rf"expected a bias of scale 0.125 \(input times weights\), got {found}"
    assert_refused(ModelError, _dense(bias, PER_TENSOR), message)


def test_dense_bias_beside_weights_of_one_scale_per_channel() -> None:
    for bias in (None, PER_CHANNEL, Quantization.per_tensor(0.02, 0)):
        assert _imported_bias(_dense(bias, PER_CHANNEL)).shape == (2,)
    data = _dense(Quantization.per_tensor(PRODUCT, 0), PER_CHANNEL)
    assert_refused(ModelError, data, "bias of one scale per channel, as weights, got 0.125")
