"""Operators that only move elements: what they become, and attributes that are refused."""

import numpy as np
import pytest
from small_models import assert_refused, ints, one_operator
from tflite_builder import ModelBuilder, OptionValue, options
from tinsmith_ir.errors import ModelError, UnsupportedError
from tinsmith_tflite import import_tflite


def nearest(height: int, width: int, **fields: bool) -> bytes:
    """Of (1, 4, 4, 2)."""
    chosen = options("ResizeNearestNeighborOptions", **fields)
    result = (1, height, width, 2)
    return one_operator("RESIZE_NEAREST_NEIGHBOR", result, chosen, ints(height, width))


def mnemonics(model: bytes) -> list[str]:
    return [node.operator.mnemonic for node in import_tflite(model).nodes]


def transpose_conv(
    shape: tuple[int, ...] = (1, 8, 8, 3),
    weights: tuple[int, ...] = (3, 2, 2, 2),
    *,
    is_constant: bool = True,
    signature: tuple[int, ...] | None = None,
    **fields: OptionValue,
) -> bytes:
    """Of x (1, 4, 4, 2). is_constant: whether shape and weights are. signature: of the result."""
    b = ModelBuilder()
    x = b.tensor("x", (1, 4, 4, 2))
    data = np.ones(weights, np.float32)
    w = b.constant("w", data) if is_constant else b.tensor("w", weights)
    asked = b.constant("shape", ints(*shape)) if is_constant else b.tensor("shape", (4,), "INT32")
    operands = [asked, w, x]
    y = b.tensor("y", shape, signature=signature)
    table = {"StrideH": 2, "StrideW": 2, **fields}
    b.operator("TRANSPOSE_CONV", operands, [y], options("TransposeConvOptions", **table))
    return b.finish([x] if is_constant else operands, [y])


def test_rows_and_columns_that_are_repeated_need_no_indices() -> None:
    assert mnemonics(nearest(8, 12)) == ["reshape", "broadcast", "reshape"]
    assert mnemonics(nearest(8, 12, HalfPixelCenters=True)) == ["reshape", "broadcast", "reshape"]
    assert mnemonics(nearest(8, 12, AlignCorners=True)) == ["gather", "gather"]
    assert mnemonics(nearest(8, 5)) == ["gather", "gather"]


def test_a_transposed_convolution_multiplies_no_zeros_where_strides_fill_the_kernel() -> None:
    graph = import_tflite(transpose_conv())
    assert [node.operator.mnemonic for node in graph.nodes] == [
        "conv2d",
        "reshape",
        "transpose",
        "reshape",
    ]
    filters = graph.nodes[0].present_inputs[1]
    assert filters.type.shape == (12, 1, 1, 2)


def test_a_transposed_convolution_puts_computed_weights_in_order() -> None:
    """To a shape that the file says of the result: the operand that would say it is not read."""
    graph = import_tflite(transpose_conv(is_constant=False))
    assert [node.operator.mnemonic for node in graph.nodes] == [
        *("reshape", "slice", "transpose", "reshape"),
        *("conv2d", "reshape", "transpose", "reshape"),
    ]
    assert "shape" in {value.name for value in graph.inputs}
    assert graph.outputs[0].type.shape == (1, 8, 8, 3)


def test_a_transposed_convolution_of_stride_1_is_a_convolution() -> None:
    assert mnemonics(transpose_conv((1, 4, 4, 3), StrideH=1, StrideW=1)) == ["conv2d"]


REFUSED: list[tuple[type[Exception], bytes, str]] = [
    (
        ModelError,
        one_operator("GATHER", (1, 4, 4, 2), options("GatherOptions", BatchDims=1), ints(0)),
        "expected at most 0 batch dimensions, got 1",
    ),
    (
        ModelError,
        one_operator("GATHER", (1, 1, 4, 2), options("GatherOptions", Axis=1), ints(4)),
        "expected indices within 0 and 3, got 4 to 4",
    ),
    (
        ModelError,
        one_operator("GATHER", (1, 1, 4, 2), options("GatherOptions", Axis=1), ints(-1)),
        "expected indices within 0 and 3, got -1 to -1",
    ),
    (
        ModelError,
        one_operator("GATHER_ND", (4, 2), options("GatherNdOptions"), ints(0, 4)),
        "expected indices within 0 and 3",
    ),
    (
        ModelError,
        one_operator("GATHER_ND", (4, 2), options("GatherNdOptions"), ints(1, 0)),
        r"expected indices within \[1, 4\], got larger ones",
    ),
    (
        ModelError,
        one_operator("GATHER_ND", (), options("GatherNdOptions"), ints(0, 0, 0, 0, 0)),
        "expected 1 to 4 indices of an element, got 5",
    ),
    (
        ModelError,
        one_operator("RESIZE_NEAREST_NEIGHBOR", (1, 4, 4, 2), None, ints(0, 4)),
        "a height and a width of at least 1",
    ),
    (
        ModelError,
        one_operator("TILE", (1, 4, 4, 2), options("TileOptions"), ints(1, 1)),
        "expected 4 multiples of at least 1",
    ),
    (
        ModelError,
        one_operator(
            "MIRROR_PAD", (1, 9, 4, 2), options("MirrorPadOptions"), ints(0, 0, 5, 0, 0, 0, 0, 0)
        ),
        "paddings that axis 1 of size 4 can mirror, got 5 and 0",
    ),
    (
        ModelError,
        one_operator("SPACE_TO_DEPTH", (1, 1, 1, 18), options("SpaceToDepthOptions", BlockSize=3)),
        "expected blocks of 3 that fill 4 x 4",
    ),
    (
        ModelError,
        one_operator("DEPTH_TO_SPACE", (1, 8, 8, 1), options("DepthToSpaceOptions", BlockSize=2)),
        "expected channels for blocks of 2 x 2, got 2",
    ),
    (
        ModelError,
        one_operator("DEPTH_TO_SPACE", (1, 4, 4, 2), options("DepthToSpaceOptions")),
        "expected a block size of at least 1, got 0",
    ),
    (
        ModelError,
        one_operator(
            "SPACE_TO_BATCH_ND",
            (9, 1, 1, 2),
            options("SpaceToBatchNDOptions"),
            ints(3, 3),
            np.zeros((2, 2), np.int32),
        ),
        r"expected blocks of \[3, 3\] that fill \[4, 4, 2\]",
    ),
    (
        ModelError,
        one_operator(
            "BATCH_TO_SPACE_ND",
            (1, 8, 8, 2),
            options("BatchToSpaceNDOptions"),
            ints(2, 2),
            np.zeros((2, 2), np.int32),
        ),
        r"expected a batch for blocks of \[2, 2\], got 1",
    ),
    (
        ModelError,
        one_operator(
            "BATCH_TO_SPACE_ND",
            (1, 8, 8, 2),
            options("BatchToSpaceNDOptions"),
            ints(2),
            np.zeros((1, 2), np.int32),
        ),
        "blocks of all but its first and last",
    ),
    (ModelError, transpose_conv((1, 8, 8, 4)), "expected a batch of 1, 3 channels"),
    (ModelError, transpose_conv(StrideH=0), r"expected strides of at least 1, got \[0, 2\]"),
    (
        UnsupportedError,
        transpose_conv(is_constant=False, signature=(1, -1, 8, 3)),
        "expected a constant shape, or a result whose shape the file knows",
    ),
    (ModelError, transpose_conv(StrideH=1 << 20, StrideW=1 << 20), "made to waste time"),
]


@pytest.mark.parametrize(("error", "model", "message"), REFUSED)
def test_what_cannot_be_moved_is_refused(
    error: type[Exception], model: bytes, message: str
) -> None:
    assert_refused(error, model, message)
