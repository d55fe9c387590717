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
        (b"PK\x03\x04" + bytes(26) + b"net/data.pkl", "a PyTorch file", "torch.export"),
        (b"PK\x03\x04" + bytes(26) + b"net/data/0FB\x11\0ZZ", "a PyTorch file", "torch.export"),
        (b"PK\x03\x04" + bytes(26) + b"net/data/0", "a zip archive", "unpack"),
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


def test_no_subgraph() -> None:
    b = ModelBuilder()
    x, y = b.tensor("x", (4,)), b.tensor("y", (4,))
    b.operator("RELU", [x], [y])
    assert_refused(ModelError, b.finish([x], [y], subgraphs=0), "subgraph")


def test_subgraphs_that_nobody_calls_are_networks_of_their_own() -> None:
    b = ModelBuilder()
    x, y = b.tensor("x", (4,)), b.tensor("y", (4,))
    b.operator("RELU", [x], [y])
    message = (
        "expected one subgraph, got 3, and no operator of the first calls the others; convert each"
    )
    assert_refused(UnsupportedError, b.finish([x], [y], subgraphs=3), message)


def test_subgraphs_that_are_called_are_told_by_their_caller() -> None:
    b = ModelBuilder()
    x, y = b.tensor("x", (4,)), b.tensor("y", (4,))
    b.operator("CALL", [x], [y])
    message = "'y': calls are not supported; inline"
    with pytest.raises(UnsupportedError, match=message) as caught:
        import_tflite(b.finish([x], [y], subgraphs=2))
    assert "subgraph" not in str(caught.value)


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


def test_all_problems_are_told_at_once_the_news_before_what_is_known() -> None:
    b = ModelBuilder()
    x, w = b.tensor("x", (4,), "UINT16"), b.tensor("w", (4,))
    tensors = [w, *(b.tensor(f"t{i}", (4,)) for i in range(4))]
    u = b.tensor("u", (4,), "UINT16")
    for i, kind in enumerate(["MATRIX_DIAG", "RELU", "WHERE", "MATRIX_DIAG"]):
        b.operator(kind, [tensors[i]], [tensors[i + 1]])
    b.operator("RELU", [tensors[4]], [u])
    b.operator("RELU", [u], [b.tensor("v", (4,), "UINT16")])
    b.operator("SOFTMAX", [tensors[2]], [b.tensor("s", (4,))], options("SoftmaxOptions", Beta=-1.0))
    with pytest.raises(ModelError) as caught:
        import_tflite(b.finish([x, w], [u]), source="net.tflite")
    uint16 = (
        "tensor 0 'x', tensor 6 'u', tensor 7 'v': got UINT16, expected one of INT8, UINT8, INT16, "
        "INT32, INT64, FLOAT32, BOOL; leave such tensors out of the model"
    )
    found = [
        uint16,
        "operator 0 MATRIX_DIAG 't0', operator 3 MATRIX_DIAG 't3': MATRIX_DIAG is not supported; express "
        "it with operators that are",
        "operator 2 WHERE 't2': WHERE is not supported; express it with operators that are",
        "operator 6 SOFTMAX -> %s: expected a finite beta above 0, got -1.0",
    ]
    assert caught.value.problems == tuple(f"net.tflite: {text}" for text in found)
    first, *lines, last = str(caught.value).splitlines()
    assert first == "net.tflite: 4 problems:"
    assert lines == [f"  {text}" for text in found]
    assert last.startswith("Supported operators: ABS, ADD, ")


def test_what_depends_on_a_refused_part_is_no_problem_of_its_own() -> None:
    b = ModelBuilder()
    x, h = b.tensor("x", (4,)), b.tensor("h", (4,), "RESOURCE")
    b.operator("HASHTABLE", [], [h])
    b.operator("HASHTABLE_FIND", [h], [b.tensor("found", (-1,))])
    b.operator("ADD", [x, h + 1], [b.tensor("y", (4,))], options("AddOptions"))
    with pytest.raises(UnsupportedError) as caught:
        import_tflite(b.finish([x], [h + 2]))
    problem, other = list(caught.value.problems)
    assert "operator 0 HASHTABLE 'h': HASHTABLE is not supported" in problem
    assert "operator 1 HASHTABLE_FIND 'found': HASHTABLE_FIND is not" in other


def test_operator_of_a_newer_schema() -> None:
    data = relu_model(kind="9999")
    assert_refused(UnsupportedError, data, "operator 0 operator 9999 'y': operator 9999 is not")


@pytest.mark.parametrize(
    ("custom", "message"),
    [
        ("Mine", "CUSTOM 'Mine' is not supported"),
        ("FlexErf", "convert without SELECT_TF_OPS"),
        ("ethos-u", "compiled for Ethos-U by Vela; give the .tflite from before it"),
        ("edgetpu-custom-op", "compiled for the Edge TPU; give the .tflite from before"),
    ],
)
def test_custom_operator_is_named_with_a_remedy(custom: str, message: str) -> None:
    data = relu_model(kind="CUSTOM", custom=custom)
    assert_refused(UnsupportedError, data, f"operator 0 CUSTOM '{custom}' 'y': .*{message}")


def test_long_list_of_unknown_operators_is_cut() -> None:
    b = ModelBuilder()
    x = b.tensor("x", (4,))
    for i in range(50):
        b.operator("WHERE", [x], [b.tensor(f"y{i}", (4,))])
    message = "operator 1 WHERE 'y1', operator 2 WHERE 'y2', and 47 more: WHERE is not"
    assert_refused(UnsupportedError, b.finish([x], [x + 1]), message)


def test_long_list_of_problems_is_cut() -> None:
    b = ModelBuilder()
    x = b.tensor("x", (4,))
    for i in range(50):
        b.operator("CUSTOM", [x], [b.tensor(f"y{i}", (4,))], custom=f"c{i}")
    assert_refused(
        UnsupportedError, b.finish([x], [x + 1]), r"50 problems:[^$]*\n  20 more problems\n"
    )


def test_more_parts_than_a_network_has_are_refused() -> None:
    b = ModelBuilder()
    x, y = b.tensor("x", (4,)), b.tensor("y", (4,))
    b.operator("RELU", [x], [y])
    many = [x] * 20_000
    assert_refused(UnsupportedError, b.finish(many, [y]), "at most 16,384 inputs, got 20,000")
    assert_refused(UnsupportedError, b.finish([x], many), "at most 16,384 outputs, got 20,000")


def test_of_merged_names_the_first_is_told() -> None:
    b = ModelBuilder()
    y = b.tensor("a" * 100 + "/relu;bias;fold", (4,))
    assert_refused(
        UnsupportedError,
        relu_model(b, y=y, kind="WHERE"),
        r"WHERE '\.\.\.a{75}/relu;\.\.\.': WHERE is not",
    )


def test_newer_version_of_an_operator() -> None:
    chosen = options("Conv2DOptions", StrideH=1, StrideW=1)
    data = one_operator("CONV_2D", (1, 4, 4, 1), chosen, floats(1, 1, 1, 2), floats(1), version=99)
    assert_refused(UnsupportedError, data, "CONV_2D: expected version 1 to 8, got 99")


def test_too_few_inputs() -> None:
    assert_refused(ModelError, relu_model(kind="ADD"), "ADD: expected 2 to 2 inputs, got 1")


def test_fused_activation_that_is_no_clamp() -> None:
    data = one_operator(
        "MUL", (4,), options("MulOptions", FusedActivationFunction=4), floats(4), shape=(4,)
    )
    assert_refused(
        UnsupportedError, data, "expected a fused NONE, RELU, RELU6, RELU_N1_TO_1, got TANH"
    )
