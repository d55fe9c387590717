"""Options tables that are missing or of another kind: TFLite ignores those, and reads zeros."""

import numpy as np
import pytest
from small_models import assert_refused, floats, one_operator
from tflite_builder import ModelBuilder, Options, options
from tinsmith_ir.errors import ModelError, UnsupportedError
from tinsmith_ir.operators import Activation, Add, Concat, FullyConnected, Mean, Mul, Operator
from tinsmith_ir.types import Quantization
from tinsmith_tflite import import_tflite

RELU = 1


def _pair(
    kind: str,
    chosen: Options | None,
    *,
    options_type: str | None = None,
    type_name: str = "FLOAT32",
    scales: tuple[float, float, float] = (0.25, 0.25, 0.25),
    result: tuple[int, ...] = (2, 2),
) -> bytes:
    """Two tensors (2, 2) give one of shape `result`."""
    b = ModelBuilder()
    quantizations = [
        None if type_name == "FLOAT32" else Quantization.per_tensor(scale, 0) for scale in scales
    ]
    x, x2 = (b.tensor("x", (2, 2), type_name, quantization=q) for q in quantizations[:2])
    y = b.tensor("y", result, type_name, quantization=quantizations[2])
    b.operator(kind, [x, x2], [y], chosen, options_type=options_type)
    return b.finish([x, x2], [y])


def _operator(data: bytes) -> Operator:
    (node,) = import_tflite(data).nodes
    return node.operator


@pytest.mark.parametrize("options_type", ["NONE", "SubOptions"])
def test_a_table_of_another_kind_is_ignored(options_type: str) -> None:
    chosen = options("AddOptions", FusedActivationFunction=RELU)
    assert _operator(_pair("ADD", chosen)) == Add(activation=Activation.RELU)
    assert _operator(_pair("ADD", chosen, options_type=options_type)) == Add()


def test_the_table_of_another_operator_is_not_read() -> None:
    chosen = options("AddOptions", FusedActivationFunction=RELU)
    assert _operator(_pair("MUL", chosen)) == Mul()


@pytest.mark.parametrize("options_type", ["NONE", "ConcatenationOptions"])
def test_missing_options_are_zeros(options_type: str) -> None:
    data = _pair("CONCATENATION", None, options_type=options_type, result=(4, 2))
    assert _operator(data) == Concat(axis=0)


def test_missing_options_of_mean_and_fully_connected_keep_no_dimensions() -> None:
    mean = one_operator("MEAN", (1, 2), None, np.array([1, 2], np.int32))
    assert _operator(mean) == Mean(axes=(1, 2))
    dense = one_operator("FULLY_CONNECTED", (16, 3), None, floats(3, 2), floats(3))
    assert _operator(dense) == FullyConnected()


def test_missing_options_are_not_the_defaults_of_the_schema() -> None:
    """The default of a dilation is 1, of pot_scale_int16 true."""
    data = one_operator("CONV_2D", (1, 4, 4, 1), None, floats(1, 3, 3, 2), floats(1))
    message = "stride of at least 1 x 1, got 0 x 0 .expected Conv2DOptions, got no options, which"
    assert_refused(ModelError, data, message)
    assert _operator(_pair("ADD", None, type_name="INT16")) == Add()
    assert_refused(
        UnsupportedError, _pair("ADD", options("AddOptions"), type_name="INT16"), "pot_scale_int16"
    )


def test_the_error_of_ignored_options_says_so() -> None:
    data = one_operator("SOFTMAX", (1, 4, 4, 2), options("MulOptions"))
    message = "beta above 0, got 0.0 .expected SoftmaxOptions, got MulOptions, which counts as all"
    assert_refused(ModelError, data, message)


@pytest.mark.parametrize("kind", ["ADD", "SUB"])
@pytest.mark.parametrize("place", [0, 1, 2])
def test_int16_scales_that_are_no_powers_of_two_need_no_option(kind: str, place: int) -> None:
    """TFLite multiplies as soon as one of the scales is further from a power of two than 2**0.001."""
    chosen = options(f"{kind.title()}Options", PotScaleInt16=True)
    scales = [0.25, 0.25, 0.25]
    scales[place] = 0.25 * 2**0.0009
    close = _pair(kind, chosen, type_name="INT16", scales=(scales[0], scales[1], scales[2]))
    assert_refused(UnsupportedError, close, "power-of-two scales")
    scales[place] = 0.25 * 2**0.0011
    far = _pair(kind, chosen, type_name="INT16", scales=(scales[0], scales[1], scales[2]))
    assert _operator(far).mnemonic == kind.lower()
