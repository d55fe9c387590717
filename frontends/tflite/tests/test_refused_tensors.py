"""Tensors, shapes and quantizations that are refused: by which error, and with what message."""

import numpy as np
import pytest
from small_models import assert_refused, floats, quantized, relu_model
from tflite_builder import ModelBuilder, Stored, options
from tinsmith_ir.errors import ModelError, UnsupportedError
from tinsmith_ir.types import Quantization

Q = Quantization.per_tensor(0.5, 3)


# Tensors


def test_tensor_index_out_of_range() -> None:
    b = ModelBuilder()
    x, y = b.tensor("x", (4,)), b.tensor("y", (4,))
    b.operator("ADD", [x, 7], [y], options("AddOptions"))
    assert_refused(ModelError, b.finish([x], [y]), "expected an index below 2 for tensor, got 7")


def test_negative_tensor_index_of_a_needed_input() -> None:
    b = ModelBuilder()
    x, y = b.tensor("x", (4,)), b.tensor("y", (4,))
    b.operator("ADD", [x, -1], [y], options("AddOptions"))
    assert_refused(ModelError, b.finish([x], [y]), "expected an input 1, got none")


def test_buffer_index_out_of_range() -> None:
    b = ModelBuilder()
    x = b.tensor("x", (4,), Buffer=99)
    assert_refused(ModelError, relu_model(b, x=x), "expected an index below 3 for buffer, got 99")


def test_input_that_nothing_computes() -> None:
    b = ModelBuilder()
    x, loose, y = b.tensor("x", (4,)), b.tensor("loose", (4,)), b.tensor("y", (4,))
    b.operator("ADD", [x, loose], [y], options("AddOptions"))
    assert_refused(
        ModelError, b.finish([x], [y]), "tensor 1 'loose': expected a constant, or the result of"
    )


def test_output_that_nothing_computes() -> None:
    b = ModelBuilder()
    x, y, z = b.tensor("x", (4,)), b.tensor("y", (4,)), b.tensor("z", (4,))
    b.operator("RELU", [x], [y])
    assert_refused(ModelError, b.finish([x], [z]), "got tensor 2, which no operator writes")


def test_tensor_computed_twice() -> None:
    b = ModelBuilder()
    x, y = b.tensor("x", (4,)), b.tensor("y", (4,))
    b.operator("RELU", [x], [y])
    b.operator("RELU", [x], [y])
    assert_refused(
        ModelError, b.finish([x], [y]), "operator 1 RELU: expected a tensor without a value"
    )


def test_operator_that_writes_a_constant() -> None:
    b = ModelBuilder()
    assert_refused(
        ModelError, relu_model(b, y=b.constant("c", floats(4))), "expected a tensor without a value"
    )


@pytest.mark.parametrize("size_bytes", [0, 4, 12, 20])
def test_constant_of_another_size(size_bytes: int) -> None:
    b = ModelBuilder()
    x = b.tensor("x", (4,))
    c, y = b.tensor("c", (4,), data=bytes(size_bytes)), b.tensor("y", (4,))
    b.operator("ADD", [x, c], [y], options("AddOptions"))
    assert_refused(ModelError, b.finish([x], [y]), "tensor 1 'c': expected")


@pytest.mark.parametrize("type_name", ["UINT16", "STRING", "FLOAT16", "FLOAT64", "RESOURCE"])
def test_other_dtype(type_name: str) -> None:
    b = ModelBuilder()
    assert_refused(
        UnsupportedError,
        relu_model(b, x=b.tensor("x", (4,), type_name)),
        f"got {type_name}, expected one of INT8",
    )


def test_variable() -> None:
    b = ModelBuilder()
    assert_refused(
        UnsupportedError, relu_model(b, x=b.tensor("x", (4,), IsVariable=1)), "variables"
    )


def test_sparse_tensor() -> None:
    b = ModelBuilder()
    x = b.tensor("x", (4,), sparse=True)
    assert_refused(
        UnsupportedError, relu_model(b, x=x), "expected a dense tensor, got a sparse one"
    )


# Shapes


def test_dynamic_shape() -> None:
    b = ModelBuilder()
    assert_refused(
        UnsupportedError, relu_model(b, x=b.tensor("x", (-1, 4))), "expected a fixed shape"
    )


def test_dynamic_signature_beyond_the_batch() -> None:
    b = ModelBuilder()
    x = b.tensor("x", (1, 1, 4), signature=(-1, -1, 4))
    assert_refused(
        UnsupportedError, relu_model(b, x=x), r"expected a fixed shape, got \[-1, -1, 4\]"
    )


@pytest.mark.parametrize("shape", [(0,), (4, -7), (-2147483648,)])
def test_dimension_below_one(shape: tuple[int, ...]) -> None:
    b = ModelBuilder()
    assert_refused(
        ModelError, relu_model(b, x=b.tensor("x", shape)), "expected dimensions of at least 1"
    )


@pytest.mark.parametrize("shape", [(2**31 - 1,), (65536, 65536), (2**31 - 1,) * 8])
def test_size_that_overflows(shape: tuple[int, ...]) -> None:
    b = ModelBuilder()
    assert_refused(
        ModelError, relu_model(b, x=b.tensor("x", shape)), "expected at most 2147483647 bytes"
    )


def test_too_many_dimensions() -> None:
    b = ModelBuilder()
    assert_refused(
        ModelError, relu_model(b, x=b.tensor("x", (1,) * 9)), "expected at most 8 dimensions, got 9"
    )


def test_result_of_another_shape() -> None:
    b = ModelBuilder()
    assert_refused(
        ModelError,
        relu_model(b, y=b.tensor("y", (5,))),
        r"operator 0 RELU -> %y: expected a result f32\[4\] of these operands, the file says f32\[5\]",
    )


def test_result_of_another_dtype() -> None:
    b = ModelBuilder()
    assert_refused(
        ModelError, relu_model(b, y=b.tensor("y", (4,), "INT8", quantization=Q)), "the file says i8"
    )


# Quantization


@pytest.mark.parametrize("scale", [0.0, -1.0, float("nan"), float("inf")])
def test_scale_that_is_no_positive_number(scale: float) -> None:
    assert_refused(ModelError, quantized(Stored((scale,), (0,))), "expected finite scales above 0")


@pytest.mark.parametrize(
    ("type_name", "zero_point"), [("INT8", 128), ("INT8", -129), ("INT16", 2**40)]
)
def test_zero_point_out_of_range(type_name: str, zero_point: int) -> None:
    data = quantized(Quantization.per_tensor(1, zero_point), type_name)
    assert_refused(ModelError, data, "expected zero points in")


def test_int8_without_quantization() -> None:
    assert_refused(UnsupportedError, quantized(None), "expected a scale for %x, got i8 without one")


@pytest.mark.parametrize("type_name", ["INT8", "INT16"])
def test_concatenation_of_another_scale_than_the_result(type_name: str) -> None:
    """TFLite refuses int8, and joins the bytes of int16 as if the scales were equal."""
    b = ModelBuilder()
    x = b.tensor("x", (2,), type_name, quantization=Quantization.per_tensor(0.5, 0))
    y = b.tensor("y", (4,), type_name, quantization=Quantization.per_tensor(1.0, 0))
    b.operator("CONCATENATION", [x, x], [y], options("ConcatenationOptions"))
    assert_refused(ModelError, b.finish([x], [y]), "the result's scale .* got others for %x")


def test_scales_of_another_count_than_the_axis() -> None:
    assert_refused(
        ModelError, quantized(Quantization((1, 1, 1), (0, 0, 0), 0)), "got 3 scales for axis 0"
    )


@pytest.mark.parametrize("axis", [-1, 1, 2**31 - 1])
def test_quantization_axis_out_of_range(axis: int) -> None:
    data = quantized(Quantization((1,) * 4, (0,) * 4, axis))
    assert_refused(ModelError, data, f"got 4 scales for axis {axis}")


def test_zero_points_of_another_count_than_scales() -> None:
    assert_refused(
        ModelError, quantized(Stored((1,) * 4, (0,) * 3, 0)), "as many zero points as scales"
    )


def test_activations_quantized_per_axis() -> None:
    assert_refused(
        ModelError, quantized(Quantization((1,) * 4, (0,) * 4, 0)), "quantized per tensor"
    )


def test_ratio_of_scales_that_no_multiplier_holds() -> None:
    b = ModelBuilder()
    x = b.tensor("x", (4,), "INT8", quantization=Quantization.per_tensor(1e10, 0))
    y = b.tensor("y", (4,), "INT8", quantization=Quantization.per_tensor(1e-10, 0))
    assert_refused(
        ModelError, relu_model(b, x=x, y=y), "operator 0 RELU -> %y: expected a scale below"
    )


def test_name_with_control_characters_is_shown_on_one_line() -> None:
    b = ModelBuilder()
    assert_refused(ModelError, relu_model(b, x=b.tensor("a\n\0bc", (0,))), r"'a\\x0a\\x00bc'")


def test_a_result_of_millions_of_channels_is_refused_at_once() -> None:
    """Scales are looked at channel by channel, but not of a result that is none."""
    b = ModelBuilder()
    scale = Quantization.per_tensor(0.5, 0)
    x = b.tensor("x", (1, 4, 4, 2), "INT8", quantization=scale)
    w = b.constant("w", np.ones((2, 1, 1, 2), np.int8), quantization=scale)
    y = b.tensor("y", (1, 4, 4, 2**24), "INT8", quantization=scale)
    b.operator("CONV_2D", [x, w], [y], options("Conv2DOptions", StrideH=1, StrideW=1))
    message = r"result i8\[1, 4, 4, 2\] of these operands"
    assert_refused(ModelError, b.finish([x], [y]), message)


# int4


@pytest.mark.parametrize(("kind", "quantization"), [("FLOAT32", None), ("INT8", Q)])
def test_int4_is_refused_but_for_weights_beside_int8(
    kind: str, quantization: Quantization | None
) -> None:
    b = ModelBuilder()
    x = b.tensor("x", (1, 4), kind, quantization=quantization)
    w = b.tensor("w", (2, 4), "INT4", data=bytes(4), quantization=Quantization.per_tensor(0.5, 0))
    y = b.tensor("y", (1, 2), kind, quantization=quantization)
    if kind == "FLOAT32":
        b.operator("FULLY_CONNECTED", [x, w], [y], options("FullyConnectedOptions"))
    else:
        b.operator("ADD", [x, w], [y], options("AddOptions"))
    assert_refused(UnsupportedError, b.finish([x], [y]), "got INT4, .*; only weights of CONV_2D")


def test_int4_weights_of_another_number_of_bytes() -> None:
    b = ModelBuilder()
    x = b.tensor("x", (1, 3), "INT8", quantization=Q)
    w = b.tensor("w", (1, 3), "INT4", data=bytes(3), quantization=Quantization.per_tensor(0.5, 0))
    y = b.tensor("y", (1, 1), "INT8", quantization=Q)
    b.operator("FULLY_CONNECTED", [x, w], [y], options("FullyConnectedOptions"))
    assert_refused(
        ModelError, b.finish([x], [y]), r"expected 2 bytes for INT4\[2\], got 3 in buffer"
    )


@pytest.mark.parametrize(
    ("details", "message"),
    [(1, "custom quantization is not supported"), (2, "scales of blocks are not supported")],
)
def test_other_parameters_of_quantization_are_refused(details: int, message: str) -> None:
    stored = Stored((0.5,), (0,), details=details)
    assert_refused(UnsupportedError, quantized(stored), message)
