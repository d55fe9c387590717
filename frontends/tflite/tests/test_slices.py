"""Operators that take parts of a tensor: all of their results, and attributes that are refused."""

import numpy as np
import pytest
from small_models import assert_refused, ints, one_operator
from tflite_builder import ModelBuilder, OptionValue, options
from tinsmith_ir.errors import ModelError, UnsupportedError
from tinsmith_ir.evaluate import evaluate_graph
from tinsmith_tflite import import_tflite


def several(kind: str, shapes: list[tuple[int, ...]], *, before: int = 0, **fields: int) -> bytes:
    """x (2, 3, 4) -> as many results, with a scalar axis in front of x or sizes and an axis behind it."""
    b = ModelBuilder()
    x = b.tensor("x", (2, 3, 4))
    operands = [x]
    if kind == "SPLIT":
        operands = [b.constant("axis", np.array(before, np.int32)), x]
    elif kind == "SPLIT_V":
        sizes = np.array([shape[1] for shape in shapes], np.int32)
        operands = [x, b.constant("sizes", sizes), b.constant("axis", np.array(1, np.int32))]
    results = [b.tensor(f"y{number}", shape) for number, shape in enumerate(shapes)]
    table = {"SPLIT": "SplitOptions", "SPLIT_V": "SplitVOptions", "UNPACK": "UnpackOptions"}[kind]
    b.operator(kind, operands, results, options(table, **fields))
    return b.finish([x], results)


@pytest.mark.parametrize(
    ("model", "axis"),
    [
        (several("SPLIT", [(2, 3, 2), (2, 3, 2)], before=-1, NumSplits=2), 2),
        (several("SPLIT_V", [(2, 1, 4), (2, 2, 4)], NumSplits=2), 1),
        (several("UNPACK", [(2, 4)] * 3, Num=3, Axis=1), 1),
    ],
)
def test_each_result_is_its_part(model: bytes, axis: int) -> None:
    graph = import_tflite(model)
    x = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    results = [*evaluate_graph(graph, [x]).values()]
    assert [value.name for value in graph.outputs] == [f"y{at}" for at in range(len(results))]
    joined = np.stack(results, 1) if results[0].ndim == 2 else np.concatenate(results, axis)
    np.testing.assert_array_equal(joined, x)


def test_nodes_in_front_of_a_conversion_say_where_they_came_from() -> None:
    graph = import_tflite(several("UNPACK", [(2, 4)] * 3, Num=3, Axis=1))
    assert [node.name for node in graph.nodes[:2]] == ["y0_slice", "y0"]
    assert [str(node.location) for node in graph.nodes[:2]] == [str(graph.nodes[0].location)] * 2


def strided(
    result: tuple[int, ...],
    *entries: tuple[int, int, int],
    strides: int | None = None,
    **fields: OptionValue,
) -> bytes:
    """Of (1, 4, 4, 2); strides: how many of them the file has."""
    begins, ends, steps = zip(*entries, strict=True)
    operands = (ints(*begins), ints(*ends), ints(*steps[:strides]))
    return one_operator(
        "STRIDED_SLICE", result, options("StridedSliceOptions", **fields), *operands
    )


ONE = (0, 1, 1)
REFUSED: list[tuple[type[Exception], bytes, str]] = [
    (ModelError, strided((1, 4, 4, 2), ONE, (4, 9, 1)), r"take elements of 4, got \[4, 9, 1\]"),
    (ModelError, strided((1, 4, 4, 2), ONE, (0, 4, 0)), r"take elements of 4, got \[0, 4, 0\]"),
    (
        ModelError,
        strided((1, 4, 2), ONE, (4, 5, 1), ShrinkAxisMask=2),
        r"expected an index in \[-4, 3\], got 4",
    ),
    (
        ModelError,
        strided((1, 4, 2), ONE, (1, 0, -1), ShrinkAxisMask=2),
        "expected a positive stride of an axis that is dropped, got -1",
    ),
    (ModelError, strided((1, 4, 4, 2), *[ONE] * 5), "entries for 4 axes and at most one ellipsis"),
    (
        ModelError,
        strided((1, 4, 4, 2), ONE, ONE, EllipsisMask=3),
        "at most one ellipsis, got 0 and 2",
    ),
    (ModelError, strided((1, 4, 4, 2), ONE, ONE, strides=1), "as many begins, ends and strides"),
    (UnsupportedError, strided((1, 4, 4, 2), ONE, Offset=True), "expected ends that are indices"),
    (ModelError, strided((1, 3, 4, 2), ONE), r"expected a result .*\[1, 4, 4, 2\]"),
    (
        ModelError,
        one_operator("SLICE", (1, 2), options("SliceOptions"), ints(0, 0), ints(1, 2)),
        "expected a begin and a size of 4 axes",
    ),
    (
        ModelError,
        one_operator(
            "SLICE", (1, 4, 2, 2), options("SliceOptions"), ints(0, 0, 3, 0), ints(1, 4, 2, 2)
        ),
        "expected elements within 0 and 3 of axis 2, got 3 to 4",
    ),
    (ModelError, several("SPLIT", [(2, 3, 2)] * 3, before=2), "expected 3 equal parts of axis 2"),
    (
        ModelError,
        several("SPLIT_V", [(2, 1, 4), (2, 1, 4)]),
        "2 parts of together 3 elements of axis 1",
    ),
    (ModelError, several("UNPACK", [(2, 4)] * 2, Axis=1), "expected 3 results along axis 1, got 2"),
    (ModelError, several("UNPACK", []), "expected 1 to 1024 outputs, got 0"),
]


@pytest.mark.parametrize(("error", "model", "message"), REFUSED)
def test_what_takes_no_part_is_refused(error: type[Exception], model: bytes, message: str) -> None:
    assert_refused(error, model, message)
