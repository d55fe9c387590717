"""What is refused, by which error, and that the message says where and what was expected."""

import pathlib
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from tflite_builder import ModelBuilder, Options, options
from tinsmith_ir.errors import ModelError, UnsupportedError, UsageError
from tinsmith_ir.types import Quantization
from tinsmith_tflite import import_tflite

Q = Quantization.per_tensor(0.5, 3)


def _relu(
    b: ModelBuilder | None = None,
    *,
    x: int | None = None,
    y: int | None = None,
    kind: str = "RELU",
    custom: str = "",
) -> bytes:
    """x -> RELU -> y, with parts exchanged."""
    b = b or ModelBuilder()
    x = b.tensor("x", (4,)) if x is None else x
    y = b.tensor("y", (4,)) if y is None else y
    b.operator(kind, [x], [y], custom=custom)
    return b.finish([x], [y])


def _model(
    kind: str,
    result: Sequence[int],
    chosen: Options | None,
    *constants: np.ndarray,
    shape: Sequence[int] = (1, 4, 4, 2),
    version: int = 1,
) -> bytes:
    b = ModelBuilder()
    x = b.tensor("x", shape)
    operands = [x, *(b.constant(f"c{i}", array) for i, array in enumerate(constants))]
    y = b.tensor("y", result)
    b.operator(kind, operands, [y], chosen, version=version)
    return b.finish([x], [y])


def _quantized(quantization: Quantization | None, type_name: str = "INT8") -> bytes:
    b = ModelBuilder()
    x = b.tensor("x", (4,), type_name, quantization=quantization)
    return _relu(
        b, x=x, y=b.tensor("y", (4,), type_name, quantization=Quantization.per_tensor(1, 0))
    )


def _ints(*elements: int) -> np.ndarray:
    return np.array(elements, np.int32)


def _floats(*shape: int) -> np.ndarray:
    return np.ones(shape, np.float32)


def _refused(error: type[Exception], data: bytes, message: str) -> None:
    with pytest.raises(error, match=message):
        import_tflite(data)


# The file


def test_missing_file_is_wrong_use(tmp_path: pathlib.Path) -> None:
    with pytest.raises(UsageError, match="no such file"):
        import_tflite(tmp_path / "absent.tflite")


def test_folder_is_wrong_use(tmp_path: pathlib.Path) -> None:
    with pytest.raises(UsageError, match="no such file"):
        import_tflite(tmp_path)


def test_name_with_a_zero_byte_is_wrong_use() -> None:
    with pytest.raises(UsageError, match="file"):
        import_tflite("a\0b")


@pytest.mark.parametrize("data", [b"", b"TFL3", b"\x08\x00\x00\x00ONNX" + bytes(64)])
def test_other_file_is_no_tflite_file(data: bytes) -> None:
    _refused(ModelError, data, "expected a TFLite file, with b'TFL3' at offset 4")


def test_only_a_header_is_truncated() -> None:
    _refused(ModelError, b"\x40\x00\x00\x00TFL3", "truncated or damaged")


def test_wrong_version() -> None:
    b = ModelBuilder()
    x, y = b.tensor("x", (4,)), b.tensor("y", (4,))
    b.operator("RELU", [x], [y])
    _refused(ModelError, b.finish([x], [y], version=2), "expected TFLite schema version 3, got 2")


@pytest.mark.parametrize(("count", "error"), [(0, ModelError), (2, UnsupportedError)])
def test_one_subgraph(count: int, error: type[Exception]) -> None:
    b = ModelBuilder()
    x, y = b.tensor("x", (4,)), b.tensor("y", (4,))
    b.operator("RELU", [x], [y])
    _refused(error, b.finish([x], [y], subgraphs=count), "subgraph")


def test_root_outside_the_file() -> None:
    data = _relu()
    _refused(
        ModelError, b"\xff\xff\xff\x7f" + data[4:], "4 bytes at offset 2147483647, but the file has"
    )


def test_vtable_outside_the_file() -> None:
    data = bytearray(_relu())
    root = int.from_bytes(data[:4], "little")
    data[root : root + 4] = (root + 5000).to_bytes(4, "little", signed=True)
    _refused(ModelError, bytes(data), "truncated or damaged")


def test_parts_used_again_and_again_are_refused() -> None:
    """A thousand operators that all refer to one vector of 100,000 inputs."""
    b = ModelBuilder()
    x = b.tensor("x", (4,))
    shared = [x] * 100_000
    for index in range(200):
        b.operator(
            "CONCATENATION", shared, [b.tensor(f"y{index}", (4,))], options("ConcatenationOptions")
        )
    _refused(ModelError, b.finish([x], [x + 1]), "expected 1 to 1024 inputs, got 100000")


# Operators


def test_unknown_operator_is_named_with_what_is_known() -> None:
    _refused(
        UnsupportedError, _relu(kind="HARD_SWISH"), "operator 0 HARD_SWISH: expected one of ADD, "
    )


def test_operator_of_a_newer_schema() -> None:
    _refused(UnsupportedError, _relu(kind="9999"), "operator 0 operator 9999: expected one of")


def test_custom_operator_is_named() -> None:
    _refused(UnsupportedError, _relu(kind="CUSTOM", custom="Flex"), "custom operator 'Flex'")


def test_newer_version_of_an_operator() -> None:
    chosen = options("Conv2DOptions", StrideH=1, StrideW=1)
    data = _model("CONV_2D", (1, 4, 4, 1), chosen, _floats(1, 1, 1, 2), _floats(1), version=99)
    _refused(UnsupportedError, data, "CONV_2D: expected version 1 to 8, got 99")


def test_options_of_another_operator() -> None:
    data = _model("SOFTMAX", (1, 4, 4, 2), options("MulOptions"))
    _refused(ModelError, data, "SOFTMAX: expected SoftmaxOptions, got MulOptions")


def test_missing_options_read_as_defaults_which_must_make_sense() -> None:
    data = _model("MAX_POOL_2D", (1, 4, 4, 2), None)
    _refused(ModelError, data, "expected a stride of at least 1 x 1, got 0 x 0")


def test_too_few_inputs() -> None:
    _refused(ModelError, _relu(kind="ADD"), "ADD: expected 2 to 2 inputs, got 1")


def test_fused_activation_that_is_no_clamp() -> None:
    data = _model(
        "MUL", (4,), options("MulOptions", FusedActivationFunction=4), _floats(4), shape=(4,)
    )
    _refused(UnsupportedError, data, "expected a fused NONE, RELU, RELU6, RELU_N1_TO_1, got TANH")


# Tensors


def test_tensor_index_out_of_range() -> None:
    b = ModelBuilder()
    x, y = b.tensor("x", (4,)), b.tensor("y", (4,))
    b.operator("ADD", [x, 7], [y], options("AddOptions"))
    _refused(ModelError, b.finish([x], [y]), "expected an index below 2 for tensor, got 7")


def test_negative_tensor_index_of_a_needed_input() -> None:
    b = ModelBuilder()
    x, y = b.tensor("x", (4,)), b.tensor("y", (4,))
    b.operator("ADD", [x, -1], [y], options("AddOptions"))
    _refused(ModelError, b.finish([x], [y]), "expected an input 1, got none")


def test_buffer_index_out_of_range() -> None:
    b = ModelBuilder()
    x = b.tensor("x", (4,), Buffer=99)
    _refused(ModelError, _relu(b, x=x), "expected an index below 3 for buffer, got 99")


def test_input_that_nothing_computes() -> None:
    b = ModelBuilder()
    x, loose, y = b.tensor("x", (4,)), b.tensor("loose", (4,)), b.tensor("y", (4,))
    b.operator("ADD", [x, loose], [y], options("AddOptions"))
    _refused(
        ModelError, b.finish([x], [y]), "tensor 1 'loose': expected a constant, or the result of"
    )


def test_output_that_nothing_computes() -> None:
    b = ModelBuilder()
    x, y, z = b.tensor("x", (4,)), b.tensor("y", (4,)), b.tensor("z", (4,))
    b.operator("RELU", [x], [y])
    _refused(ModelError, b.finish([x], [z]), "got tensor 2, which no operator writes")


def test_tensor_computed_twice() -> None:
    b = ModelBuilder()
    x, y = b.tensor("x", (4,)), b.tensor("y", (4,))
    b.operator("RELU", [x], [y])
    b.operator("RELU", [x], [y])
    _refused(ModelError, b.finish([x], [y]), "operator 1 RELU: expected a tensor without a value")


def test_operator_that_writes_a_constant() -> None:
    b = ModelBuilder()
    _refused(
        ModelError, _relu(b, y=b.constant("c", _floats(4))), "expected a tensor without a value"
    )


@pytest.mark.parametrize("size_bytes", [0, 4, 12, 20])
def test_constant_of_another_size(size_bytes: int) -> None:
    b = ModelBuilder()
    x = b.tensor("x", (4,))
    c, y = b.tensor("c", (4,), data=bytes(size_bytes)), b.tensor("y", (4,))
    b.operator("ADD", [x, c], [y], options("AddOptions"))
    _refused(ModelError, b.finish([x], [y]), "tensor 1 'c': expected")


@pytest.mark.parametrize("type_name", ["UINT8", "STRING", "INT64", "FLOAT16", "BOOL", "RESOURCE"])
def test_other_dtype(type_name: str) -> None:
    b = ModelBuilder()
    _refused(UnsupportedError, _relu(b, x=b.tensor("x", (4,), type_name)), f"got {type_name}; ")


def test_variable() -> None:
    b = ModelBuilder()
    _refused(UnsupportedError, _relu(b, x=b.tensor("x", (4,), IsVariable=1)), "variables")


def test_sparse_tensor() -> None:
    b = ModelBuilder()
    x = b.tensor("x", (4,), sparse=True)
    _refused(UnsupportedError, _relu(b, x=x), "expected a dense tensor, got a sparse one")


# Shapes


def test_dynamic_shape() -> None:
    b = ModelBuilder()
    _refused(UnsupportedError, _relu(b, x=b.tensor("x", (-1, 4))), "expected a fixed shape")


def test_dynamic_signature_beyond_the_batch() -> None:
    b = ModelBuilder()
    x = b.tensor("x", (1, 1, 4), signature=(-1, -1, 4))
    _refused(UnsupportedError, _relu(b, x=x), r"expected a fixed shape, got \[-1, -1, 4\]")


@pytest.mark.parametrize("shape", [(0,), (4, -7), (-2147483648,)])
def test_dimension_below_one(shape: tuple[int, ...]) -> None:
    b = ModelBuilder()
    _refused(ModelError, _relu(b, x=b.tensor("x", shape)), "expected dimensions of at least 1")


@pytest.mark.parametrize("shape", [(2**31 - 1,), (65536, 65536), (2**31 - 1,) * 8])
def test_size_that_overflows(shape: tuple[int, ...]) -> None:
    b = ModelBuilder()
    _refused(ModelError, _relu(b, x=b.tensor("x", shape)), "expected at most 2147483647 bytes")


def test_too_many_dimensions() -> None:
    b = ModelBuilder()
    _refused(
        ModelError, _relu(b, x=b.tensor("x", (1,) * 9)), "expected at most 8 dimensions, got 9"
    )


def test_result_of_another_shape() -> None:
    b = ModelBuilder()
    _refused(
        ModelError,
        _relu(b, y=b.tensor("y", (5,))),
        r"operator 0 RELU -> %y: expected a result f32\[4\] of these operands, the file says f32\[5\]",
    )


def test_result_of_another_dtype() -> None:
    b = ModelBuilder()
    _refused(
        ModelError, _relu(b, y=b.tensor("y", (4,), "INT8", quantization=Q)), "the file says i8"
    )


# Quantization


@pytest.mark.parametrize("scale", [0.0, -1.0, float("nan"), float("inf")])
def test_scale_that_is_no_positive_number(scale: float) -> None:
    _refused(
        ModelError, _quantized(Quantization.per_tensor(scale, 0)), "expected finite scales above 0"
    )


@pytest.mark.parametrize(
    ("type_name", "zero_point"), [("INT8", 128), ("INT8", -129), ("INT16", 2**40)]
)
def test_zero_point_out_of_range(type_name: str, zero_point: int) -> None:
    data = _quantized(Quantization.per_tensor(1, zero_point), type_name)
    _refused(ModelError, data, "expected zero points in")


def test_int8_without_quantization() -> None:
    _refused(ModelError, _quantized(None), "expected input with a quantization, got i8 without")


def test_scales_of_another_count_than_the_axis() -> None:
    _refused(
        ModelError, _quantized(Quantization((1, 1, 1), (0, 0, 0), 0)), "got 3 scales for axis 0"
    )


@pytest.mark.parametrize("axis", [-1, 1, 2**31 - 1])
def test_quantization_axis_out_of_range(axis: int) -> None:
    data = _quantized(Quantization((1,) * 4, (0,) * 4, axis))
    _refused(ModelError, data, f"got 4 scales for axis {axis}")


def test_zero_points_of_another_count_than_scales() -> None:
    _refused(
        ModelError, _quantized(Quantization((1,) * 4, (0,) * 3, 0)), "as many zero points as scales"
    )


def test_activations_quantized_per_axis() -> None:
    _refused(ModelError, _quantized(Quantization((1,) * 4, (0,) * 4, 0)), "quantized per tensor")


def test_ratio_of_scales_that_no_multiplier_holds() -> None:
    b = ModelBuilder()
    x = b.tensor("x", (4,), "INT8", quantization=Quantization.per_tensor(1e10, 0))
    y = b.tensor("y", (4,), "INT8", quantization=Quantization.per_tensor(1e-10, 0))
    _refused(ModelError, _relu(b, x=x, y=y), "operator 0 RELU -> %y: expected a scale below")


def test_name_with_control_characters_is_shown_on_one_line() -> None:
    b = ModelBuilder()
    _refused(ModelError, _relu(b, x=b.tensor("a\n\0b" + "c" * 999, (0,))), r"'a\?\?bc{296}\.\.\.'")


# Attributes


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
    data = _model(
        "CONV_2D", (1, 4, 4, 1), options("Conv2DOptions", **fields), _floats(1, 3, 3, 2), _floats(1)
    )
    _refused(ModelError, data, message)


REFUSED_ATTRIBUTES: list[Callable[[], tuple[type[Exception], bytes, str]]] = [
    lambda: (
        ModelError,
        _model("CONV_2D", (1, 4, 4, 1), options("Conv2DOptions", StrideH=1, StrideW=1), _floats(3, 2)),
        "expected input 1 with 4 dimensions",
    ),
    lambda: (
        ModelError,
        _model(
            "DEPTHWISE_CONV_2D", (1, 4, 4, 4),
            options("DepthwiseConv2DOptions", StrideH=1, StrideW=1, DepthMultiplier=3), _floats(1, 1, 1, 4),
        ),
        "expected weights for 2 x 3 channels",
    ),
    lambda: (
        UnsupportedError,
        _model("FULLY_CONNECTED", (1, 2), options("FullyConnectedOptions", WeightsFormat=1), _floats(2, 32)),
        "expected weights in the default layout",
    ),
    lambda: (
        ModelError,
        _model("MEAN", (1, 2), options("ReducerOptions"), _ints(4)),
        r"expected an axis in \[-4, 3\], got 4",
    ),
    lambda: (
        ModelError,
        _model("MEAN", (1, 2), options("ReducerOptions"), _floats(1)),
        "expected INT32 or INT64, got FLOAT32",
    ),
    lambda: (
        ModelError,
        _model("MEAN", (1, 2), options("ReducerOptions"), np.zeros(65, np.int32)),
        "expected at most 64 elements",
    ),
    lambda: (
        ModelError,
        _model("SOFTMAX", (1, 4, 4, 2), options("SoftmaxOptions", Beta=float("nan"))),
        "expected a finite beta above 0, got nan",
    ),
    lambda: (
        ModelError,
        _model("RESHAPE", (32,), options("ReshapeOptions"), _ints(-1, -1)),
        "at most one -1",
    ),
    lambda: (
        ModelError,
        _model("RESHAPE", (33,), options("ReshapeOptions"), _ints(33)),
        "expected a shape of 32 elements",
    ),
    lambda: (
        ModelError,
        _model("RESHAPE", (32,), options("ReshapeOptions"), _ints(-1, 0)),
        "at most one -1",
    ),
    lambda: (
        ModelError,
        _model("SQUEEZE", (4, 4, 2), options("SqueezeOptions", SqueezeDims=(1,))),
        "expected axis 1 of size 1",
    ),
    lambda: (
        ModelError,
        _model("EXPAND_DIMS", (1, 1, 4, 4, 2), None, _ints(0, 1)),
        "expected one axis",
    ),
    lambda: (
        ModelError,
        _model("PAD", (1, 4, 4, 2), options("PadOptions"), _ints(0, 0, -1, 1, 0, 0, 0, 0)),
        "expected 8 paddings of at least 0",
    ),
    lambda: (
        ModelError,
        _model("TRANSPOSE", (1, 4, 4, 2), options("TransposeOptions"), _ints(0, 1, 1, 3)),
        "expected each axis once",
    ),
    lambda: (
        ModelError,
        _model("CONCATENATION", (1, 4, 4, 2), options("ConcatenationOptions", Axis=-5)),
        "expected an axis in",
    ),
]  # fmt: skip


@pytest.mark.parametrize("case", REFUSED_ATTRIBUTES)
def test_attribute(case: Callable[[], tuple[type[Exception], bytes, str]]) -> None:
    _refused(*case())


def test_axes_computed_at_run_time() -> None:
    b = ModelBuilder()
    x, axes, y = b.tensor("x", (4, 4)), b.tensor("axes", (1,), "INT32"), b.tensor("y", (4,))
    b.operator("MEAN", [x, axes], [y], options("ReducerOptions"))
    _refused(ModelError, b.finish([x, axes], [y]), "axes computed at run time are not supported")


def test_int16_sum_in_powers_of_two() -> None:
    b = ModelBuilder()
    q = Quantization.per_tensor(0.5, 0)
    x, y = (b.tensor(name, (4,), "INT16", quantization=q) for name in "xy")
    b.operator("ADD", [x, x], [y], options("AddOptions"))
    _refused(UnsupportedError, b.finish([x], [y]), "pot_scale_int16 off")


@pytest.mark.parametrize(("dtype", "element", "error"), [
    (np.int32, 1, UnsupportedError),
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
    _refused(error, b.finish([x], [y]), "bias")
