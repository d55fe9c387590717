"""Files and operators that are refused: by which error, and with what message."""

import pathlib

import numpy as np
import pytest
from small_models import assert_refused, floats, one_operator, relu_model
from tflite_builder import ModelBuilder, options
from tinsmith_ir.errors import ModelError, UnsupportedError, UsageError
from tinsmith_ir.types import Quantization
from tinsmith_tflite import import_tflite

# The file


def test_missing_file_is_wrong_use(tmp_path: pathlib.Path) -> None:
    with pytest.raises(UsageError, match="no such file"):
        import_tflite(tmp_path / "absent.tflite")


def test_folder_is_wrong_use(tmp_path: pathlib.Path) -> None:
    with pytest.raises(UsageError, match="expected a file with a TFLite model, got a folder"):
        import_tflite(tmp_path)


def test_name_with_a_zero_byte_is_wrong_use() -> None:
    with pytest.raises(UsageError, match="cannot read a TFLite model"):
        import_tflite("a\0b")


@pytest.mark.parametrize("data", [b"", b"TFL3", b"\x08\x00\x00\x00ONNX" + bytes(64)])
def test_other_file_is_no_tflite_file(data: bytes) -> None:
    assert_refused(ModelError, data, "expected a TFLite file, with b'TFL3' at offset 4")


@pytest.mark.parametrize(
    ("data", "seeming", "remedy"),
    [
        (b"", "an empty file", "again"),
        (
            b"version https://git-lfs.github.com/spec/v1\noid sha256:0123\nsize 300568\n",
            "a Git LFS pointer",
            "`git lfs pull`",
        ),
        (b"/annex/objects/SHA256E-s4--ab.tflite\n", "a git-annex pointer", "`git annex get`"),
        (b"\n<!DOCTYPE html>\n<html>", "a web page", "download the file itself"),
        (b'# comment\ngraph "m" {\n}', "Tinsmith's IR as text", "tinsmith_ir.parser"),
        (
            b'#include "model.h"\nalignas(8) const unsigned char g_model[] = {\n  0x1c, 0x00,',
            "C source with an array",
            "the .tflite that it was made from",
        ),
        (b"\x1c\0\0\0TFL2" + bytes(20), "another format version", "convert"),
        (b"PK\x03\x04" + bytes(26) + b"x.npy", "samples", "--inputs"),
        (b"PK\x03\x04" + bytes(26) + b"config.json", "a Keras model", "convert"),
        (b"PK\x03\x04" + bytes(26) + b"net/data.pkl", "a PyTorch file", "convert"),
        (b"PK\x03\x04" + bytes(26) + b"model.tflite", "a zip archive", "unpack"),
        (b"\x89HDF\r\n\x1a\n", "an HDF5 file", "convert"),
        (b"\x08\x07\x12\x07pytorch", "an ONNX model", "convert"),
        (b"\x08\x01\x12\xff", "a TensorFlow SavedModel", "convert"),
        (b"\x89PNG\r\n", "a picture", "give the model"),
        (b'{"model": 1}', "JSON", "give the model"),
    ],
)
def test_what_another_file_seems_to_be_is_said_with_a_remedy(
    data: bytes, seeming: str, remedy: str
) -> None:
    assert_refused(ModelError, data, f"got what seems to be .*{seeming}.*; .*{remedy}")


@pytest.mark.parametrize("length", range(12))
def test_short_files_seem_to_be_nothing(length: int) -> None:
    assert_refused(ModelError, b"\x08" * length, "expected a TFLite file")


def test_only_a_header_is_truncated() -> None:
    assert_refused(ModelError, b"\x40\x00\x00\x00TFL3", "truncated or damaged")


def test_wrong_version() -> None:
    b = ModelBuilder()
    x, y = b.tensor("x", (4,)), b.tensor("y", (4,))
    b.operator("RELU", [x], [y])
    assert_refused(
        ModelError, b.finish([x], [y], version=2), "expected TFLite schema version 3, got 2"
    )


@pytest.mark.parametrize(("count", "error"), [(0, ModelError), (2, UnsupportedError)])
def test_one_subgraph(count: int, error: type[Exception]) -> None:
    b = ModelBuilder()
    x, y = b.tensor("x", (4,)), b.tensor("y", (4,))
    b.operator("RELU", [x], [y])
    assert_refused(error, b.finish([x], [y], subgraphs=count), "subgraph")


def test_root_outside_the_file() -> None:
    data = relu_model()
    assert_refused(
        ModelError, b"\xff\xff\xff\x7f" + data[4:], "4 bytes at offset 2147483647, but the file has"
    )


def test_vtable_outside_the_file() -> None:
    data = bytearray(relu_model())
    root = int.from_bytes(data[:4], "little")
    data[root : root + 4] = (root + 5000).to_bytes(4, "little", signed=True)
    assert_refused(ModelError, bytes(data), "truncated or damaged")


def test_weights_of_many_channels_shared_by_many_operators_are_refused() -> None:
    """What follows from a file must not cost far more than to read it."""
    b, count = ModelBuilder(), 20_000
    one = Quantization.per_tensor(1, 0)
    x = b.tensor("x", (1, 1, 1, 1), "INT8", quantization=one)
    scales = Quantization((1.0,) * count, (0,) * count, 0)
    w = b.constant("w", np.ones((count, 1, 1, 1), np.int8), quantization=scales)
    results = [b.tensor(f"y{i}", (1, 1, 1, count), "INT8", quantization=one) for i in range(50)]
    for y in results:
        b.operator(
            "CONV_2D", [x, w], [y], options("Conv2DOptions", StrideH=1, StrideW=1), version=3
        )
    assert_refused(
        ModelError, b.finish([x], results), "expected each part of the file to be used about once"
    )


def test_too_many_operands() -> None:
    b = ModelBuilder()
    x, y = b.tensor("x", (4,)), b.tensor("y", (4,))
    b.operator("CONCATENATION", [x] * 1025, [y], options("ConcatenationOptions"))
    assert_refused(ModelError, b.finish([x], [y]), "expected 1 to 1024 inputs, got 1025")


# Operators


def test_every_unknown_operator_is_named_beside_what_is_known() -> None:
    b = ModelBuilder()
    tensors = [b.tensor(f"t{i}", (4,)) for i in range(5)]
    for i, kind in enumerate(["HARD_SWISH", "RELU", "ABS", "HARD_SWISH"]):
        b.operator(kind, [tensors[i]], [tensors[i + 1]])
    message = (
        r"expected operators among ADD, .*; got HARD_SWISH \(operators 0, 3\), ABS \(operator 2\); "
    )
    assert_refused(UnsupportedError, b.finish(tensors[:1], tensors[-1:]), message)


def test_operator_of_a_newer_schema() -> None:
    data = relu_model(kind="9999")
    assert_refused(UnsupportedError, data, r"got operator 9999 \(operator 0\)")


def test_custom_operator_is_named() -> None:
    data = relu_model(kind="CUSTOM", custom="Flex")
    assert_refused(UnsupportedError, data, r"got CUSTOM 'Flex' \(operator 0\)")


def test_long_list_of_unknown_operators_is_cut() -> None:
    b = ModelBuilder()
    x = b.tensor("x", (4,))
    for i in range(50):
        b.operator("ABS", [x], [b.tensor(f"y{i}", (4,))])
    assert_refused(UnsupportedError, b.finish([x], [x + 1]), r"8, 9, 40 more\)")


def test_newer_version_of_an_operator() -> None:
    chosen = options("Conv2DOptions", StrideH=1, StrideW=1)
    data = one_operator("CONV_2D", (1, 4, 4, 1), chosen, floats(1, 1, 1, 2), floats(1), version=99)
    assert_refused(UnsupportedError, data, "CONV_2D: expected version 1 to 8, got 99")


def test_options_of_another_operator() -> None:
    data = one_operator("SOFTMAX", (1, 4, 4, 2), options("MulOptions"))
    assert_refused(ModelError, data, "SOFTMAX: expected SoftmaxOptions, got MulOptions")


def test_missing_options_read_as_defaults_which_must_make_sense() -> None:
    data = one_operator("MAX_POOL_2D", (1, 4, 4, 2), None)
    assert_refused(ModelError, data, "expected a stride of at least 1 x 1, got 0 x 0")


def test_too_few_inputs() -> None:
    assert_refused(ModelError, relu_model(kind="ADD"), "ADD: expected 2 to 2 inputs, got 1")


def test_fused_activation_that_is_no_clamp() -> None:
    data = one_operator(
        "MUL", (4,), options("MulOptions", FusedActivationFunction=4), floats(4), shape=(4,)
    )
    assert_refused(
        UnsupportedError, data, "expected a fused NONE, RELU, RELU6, RELU_N1_TO_1, got TANH"
    )
