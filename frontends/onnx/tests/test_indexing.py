"""Operators that take or put elements by indices, rank them, or sum up what lies in front."""

from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from models import assert_close, computed, expected, one
from numpy.typing import ArrayLike, NDArray
from tinsmith_ir import Array, ModelError, UnsupportedError

X = np.random.default_rng(1).standard_normal((2, 3, 4)).astype(np.float32)
WHOLE = np.arange(24, dtype=np.int32).reshape(2, 3, 4)


def check(
    kind: str,
    inputs: Sequence[Array],
    attributes: Mapping[str, object] | None = None,
    *,
    known: Sequence[int] = (),
    outputs: int = 1,
    opset: int = 21,
) -> None:
    """The reference implementation gives the same."""
    made = one(kind, inputs, attributes, known=known, outputs=outputs, opset=opset)
    given = others(inputs, known)
    for found, wanted in zip(computed(made, given), expected(made, given), strict=True):
        assert_close(found, wanted)


def others(inputs: Sequence[Array], known: Sequence[int]) -> dict[str, Array]:
    """What the model of one operator does not know."""
    return {f"x{index}": array for index, array in enumerate(inputs) if index not in known}


def ints(numbers: ArrayLike) -> NDArray[np.int64]:
    return np.array(numbers, np.int64)


@pytest.mark.parametrize("known", [[], [0], [1], [0, 1]])
@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("indices", [ints(1), ints([0, -1, 1]), ints([[1, 0], [-2, 1]])])
def test_gather(known: list[int], axis: int, indices: Array) -> None:
    check("Gather", [X, indices], {"axis": axis}, known=known)


@pytest.mark.parametrize("known", [[], [1], [0, 1]])
def test_gather_elements_of_fewer_indices_along_other_axes(known: list[int]) -> None:
    indices = ints([[[0, -1, 2], [1, 1, -3]]])
    made = one("GatherElements", [X, indices], {"axis": 1}, known=known)
    (found,) = computed(made, others([X, indices], known))
    wanted = [[X[0, index, column] for column, index in enumerate(row)] for row in indices[0]]
    assert_close(found, np.array([wanted]))


@pytest.mark.parametrize("known", [[], [1], [0, 1]])
@pytest.mark.parametrize(
    ("indices", "batches"),
    [(ints([[0, 1], [1, -1]]), 0), (ints([[[0, 1, 3]]]), 0), (ints([[2], [-3]]), 1)],
)
def test_gather_nd(known: list[int], indices: Array, batches: int) -> None:
    check("GatherND", [X, indices], {"batch_dims": batches}, known=known)


REDUCTIONS = ["none", "add", "mul", "min", "max"]


@pytest.mark.parametrize("known", [[], [1], [0, 1, 2]])
@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize("x", [X, WHOLE])
def test_scatter_elements(known: list[int], reduction: str, x: Array) -> None:
    # Of several updates for one element, which remains is not said unless they are combined.
    rows = [[2, 0, 1], [-3, -2, -1]] if reduction == "none" else [[1, 1, 0], [1, -2, -1]]
    indices, updates = ints([rows]), x[1:, :2, :3]
    check(
        "ScatterElements",
        [x, indices, updates],
        {"axis": 1, "reduction": reduction},
        known=known,
    )


@pytest.mark.parametrize("known", [[], [1], [0, 1, 2]])
@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize("places", [[[1, 0], [-2, 2]], [[1, 1], [1, 1]]])
def test_scatter_nd(known: list[int], reduction: str, places: list[list[int]]) -> None:
    if reduction == "none" and places[0] == places[1]:
        places = places[:1]
    updates = X[1, : len(places)]
    check("ScatterND", [X, ints(places), updates], {"reduction": reduction}, known=known)


@pytest.mark.parametrize("known", [[], [2]])
@pytest.mark.parametrize(("mode", "begins"), [("linear", [0, 1]), ("circular", [2, 1])])
@pytest.mark.parametrize("count", [1, 2])
def test_tensor_scatter(known: list[int], mode: str, begins: list[int], count: int) -> None:
    updates = X[::-1, :count]
    check(
        "TensorScatter",
        [X, updates, ints(begins)],
        {"axis": 1, "mode": mode},
        known=known,
        opset=24,
    )


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("known", [[1], [0, 1], [1, 2], [0, 1, 2]])
def test_one_hot_of_indices_below_zero_and_beyond(axis: int, known: list[int]) -> None:
    inputs = [ints([0, -1, 3, 2]), ints([3]), np.array([5, 7], np.float32)]
    made = one("OneHot", inputs, {"axis": axis}, known=known)
    (found,) = computed(made, others(inputs, known))
    rows = np.array([[7, 5, 5], [5, 5, 7], [5, 5, 5], [5, 5, 7]])
    assert_close(found, rows.T if axis == 0 else rows)


@pytest.mark.parametrize("largest", [0, 1])
@pytest.mark.parametrize("known", [[1], [0, 1]])
@pytest.mark.parametrize("x", [X, np.array([[3, -(2**31), 3], [5, 2**31 - 1, 7]], np.int32)])
def test_top_k(largest: int, known: list[int], x: Array) -> None:
    check("TopK", [x, ints([2])], {"axis": -2, "largest": largest}, known=known, outputs=2)


@pytest.mark.parametrize("exclusive", [0, 1])
@pytest.mark.parametrize("reverse", [0, 1])
@pytest.mark.parametrize("known", [[1], [0, 1]])
@pytest.mark.parametrize("x", [X, WHOLE])
def test_sums_and_products_of_what_lies_in_front(
    exclusive: int, reverse: int, known: list[int], x: Array
) -> None:
    attributes = {"exclusive": exclusive, "reverse": reverse}
    check("CumSum", [x, ints(-2)], attributes, known=known)
    made = one("CumProd", [x, ints(-2)], attributes, known=known, opset=26)
    rows = x.astype(np.float64)[:, :: -1 if reverse else 1]
    if exclusive:
        rows = np.concatenate([np.ones_like(rows[:, :1]), rows[:, :-1]], 1)
    products = np.cumprod(rows, 1)
    (found,) = computed(made, others([x, ints(-2)], known))
    assert_close(found, products[:, ::-1] if reverse else products)


@pytest.mark.parametrize("known", [[], [1], [0, 1]])
@pytest.mark.parametrize(("time", "batch", "lengths"), [(0, 1, [1, 2, 2]), (1, 0, [2, 3])])
def test_reverse_sequence(known: list[int], time: int, batch: int, lengths: list[int]) -> None:
    attributes = {"time_axis": time, "batch_axis": batch}
    check("ReverseSequence", [X, ints(lengths)], attributes, known=known)


@pytest.mark.parametrize("times", [[1, 2, 3], [2, 1, 1], [1, 1, 1]])
def test_tile(times: list[int]) -> None:
    check("Tile", [X, ints(times)], known=[1])
    check("Tile", [X, ints(times)], known=[0, 1])


@pytest.mark.parametrize("upper", [0, 1])
@pytest.mark.parametrize("diagonal", [-5, -1, 0, 2])
def test_triangles(upper: int, diagonal: int) -> None:
    check("Trilu", [X, ints(diagonal)], {"upper": upper}, known=[1])
    check("Trilu", [WHOLE, ints(diagonal)], {"upper": upper}, known=[0, 1])


@pytest.mark.parametrize("attributes", [{}, {"axis": 1}, {"axis": -1}])
def test_compress_by_a_known_condition(attributes: dict[str, object]) -> None:
    check("Compress", [X, np.array([True, False, True])], attributes, known=[1])


def test_what_is_known_may_have_as_many_elements_as_it_wants() -> None:
    (found,) = computed(one("NonZero", [WHOLE], known=[0]), {})
    assert_close(found, np.array(np.nonzero(WHOLE)))
    numbers = np.array([5, 3, 5, 1, 3], np.int32)
    made = one("Unique", [numbers], {"sorted": 0}, known=[0], outputs=4)
    found, first, inverse, counts = computed(made, {})
    assert found.tolist() == [5, 3, 1]
    assert (first.tolist(), inverse.tolist()) == ([0, 1, 3], [0, 1, 0, 2, 1])
    assert counts.tolist() == [2, 2, 1]


def test_det() -> None:
    matrices = np.random.default_rng(2).standard_normal((2, 4, 4)).astype(np.float32)
    check("Det", [matrices])
    check("Det", [matrices[0, :1, :1]])
    with pytest.raises(UnsupportedError, match="at most 4 rows, got 5"):
        computed(one("Det", [np.ones((5, 5), np.float32)]), {})


ML = "ai.onnx.ml"


def test_label_encoder_between_numbers() -> None:
    attributes = {"keys_int64s": [3, 1], "values_floats": [0.5, 2.5], "default_float": -7.0}
    made = one("LabelEncoder", [ints([1, 2, 3])], attributes, domain=ML)
    (found,) = computed(made, {"x0": ints([1, 2, 3])})
    assert found.tolist() == [2.5, -7.0, 0.5]


def test_label_encoder_of_strings_is_refused() -> None:
    attributes = {"keys_int64s": [3, 1], "values_strings": ["a", "b"]}
    with pytest.raises(UnsupportedError, match="expected values that are numbers, got strings"):
        computed(one("LabelEncoder", [ints([1, 2, 3])], attributes, domain=ML), {})


def test_features_and_thresholds() -> None:
    made = one("ArrayFeatureExtractor", [X[0], ints([2, 0])], known=[1], domain=ML)
    assert_close(computed(made, {"x0": X[0]})[0], X[0][:, [2, 0]])
    made = one("Binarizer", [X], {"threshold": 0.25}, domain=ML)
    assert_close(computed(made, {"x0": X})[0], np.where(X > 0.25, 1, 0))


@pytest.mark.parametrize(
    ("kind", "inputs", "attributes", "known", "message"),
    [
        ("Gather", [X, ints([4])], {}, [1], r"expected indices in \[-2, 1\], got 4 to 4"),
        ("Gather", [X, ints([0])], {"axis": 3}, [1], r"expected an axis in \[-3, 2\], got 3"),
        ("GatherElements", [X, ints([0])], {}, [], "expected indices of rank 3, got 1"),
        ("GatherND", [X, ints([[0] * 4])], {}, [], "expected rows of 1 to 3 indices"),
        ("GatherND", [X, ints([[0]])], {"batch_dims": 1}, [], r"expected batches \[2\]"),
        ("ScatterElements", [X, ints([[[0]]]), X], {}, [], "indices and updates of one shape"),
        ("ScatterND", [X, ints([[0]]), X], {}, [], r"expected updates of shape \[1, 3, 4\]"),
        ("ScatterND", [X, ints([[0]]), X[:1]], {"reduction": "mean"}, [], "a reduction among none"),
        ("TopK", [X, ints([5])], {}, [1], "expected a count of at most 4, got 5"),
        ("TopK", [WHOLE.astype(np.int64), ints([1])], {}, [1], "at most 32 bits to rank"),
        ("NonZero", [X], {}, [], "expected operand 0 'x0' to be known"),
        ("Unique", [X], {}, [], "expected operand 0 'x0' to be known"),
        ("Compress", [X, np.array([True])], {}, [], "expected operand 1 'x1' to be known"),
        ("Tile", [X, ints([1, 2])], {}, [1], "expected 3 multiples from 0 on"),
        ("Trilu", [X[0, 0]], {}, [], "expected matrices"),
        (
            "OneHot",
            [ints([1]), ints([0]), X[0, 0, :2]],
            {},
            [1],
            "a depth from 1 on and two values",
        ),
        (
            "ReverseSequence",
            [X, ints([1, 1])],
            {"time_axis": 1},
            [],
            "expected two axes, got 1 and 1",
        ),
        ("Det", [X], {}, [], "expected square matrices"),
    ],
)
def test_what_cannot_be_is_refused(
    kind: str, inputs: list[Array], attributes: dict[str, object], known: list[int], message: str
) -> None:
    with pytest.raises((ModelError, UnsupportedError), match=message):
        computed(one(kind, inputs, attributes, known=known), {})


def test_a_depth_that_only_a_damaged_file_has_takes_no_memory() -> None:
    made = one("OneHot", [ints([1]), ints([1 << 40]), X[0, 0, :2]], known=[1])
    with pytest.raises(UnsupportedError, match="expected a known tensor of at most"):
        computed(made, {})


@pytest.mark.parametrize(("kind", "opset"), [("Scatter", 9), ("TopK", 9), ("TopK", 7)])
def test_operators_as_they_were(kind: str, opset: int) -> None:
    if kind == "Scatter":
        made = one(kind, [X, ints([[[2]]]), X[:1, :1, :1]], {"axis": 1}, known=[1], opset=opset)
        (found,) = computed(made, {"x0": X, "x2": X[:1, :1, :1]})
        wanted = X.copy()
        wanted[0, 2, 0] = X[0, 0, 0]
        assert_close(found, wanted)
        return
    made = one(kind, [X], {"axis": -1, "k": 2}, outputs=2, opset=opset)
    values, places = computed(made, {"x0": X})
    assert_close(values, np.flip(np.sort(X, -1), -1)[..., :2])
    assert_close(places, np.flip(np.argsort(X, -1), -1)[..., :2])


def test_computed_indices_of_too_many_comparisons_are_refused() -> None:
    many = np.zeros(1 << 12, np.float32)
    indices = np.arange(1 << 12)
    with pytest.raises(UnsupportedError, match="expected at most 4,194,304 pairs"):
        computed(one("ScatterElements", [many, indices, many], {"reduction": "add"}), {})
