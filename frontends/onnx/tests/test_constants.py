"""Operators whose results follow from shapes, attributes and known operands."""

import numpy as np
import pytest
from models import assert_close, computed, expected, model, one, value
from onnx import TensorProto, helper, numpy_helper
from tinsmith_ir import Array, ModelError, UnsupportedError
from tinsmith_onnx import import_onnx

X = np.array([[1, -2, 3], [4, 5, -6]], np.float32)


def known(kind: str, inputs: list[Array], attributes: dict[str, object] | None = None) -> Array:
    """The only result, all operands being known."""
    made = one(kind, inputs, attributes, known=range(len(inputs)))
    (found,) = computed(made, {})
    return found


@pytest.mark.parametrize(
    ("element", "dtype"), [(None, np.float32), (np.array([7], np.int16), np.int16)]
)
def test_constant_of_shape(element: Array | None, dtype: type) -> None:
    said = {} if element is None else {"value": numpy_helper.from_array(element)}
    found = known("ConstantOfShape", [np.array([2, 3])], dict(said))
    assert found.dtype == dtype
    assert_close(found, np.full((2, 3), 0 if element is None else 7))


def test_a_sparse_constant_is_dense() -> None:
    values = helper.make_tensor("v", TensorProto.FLOAT, [2], [5.0, 7.0])
    places = helper.make_tensor("p", TensorProto.INT64, [2], [1, 5])
    sparse = helper.make_sparse_tensor(values, places, [2, 3])
    assert_close(known("Constant", [], {"sparse_value": sparse}), np.array([[0, 5, 0], [0, 0, 7]]))


@pytest.mark.parametrize(
    ("start", "limit", "step"),
    [(0, 5, 1), (10, 4, -3), (1.5, 3.0, 0.25), (0.0, 1.0, 0.1)],
)
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.int64])
def test_range(start: float, limit: float, step: float, dtype: type) -> None:
    if not float(step).is_integer() and np.dtype(dtype).kind == "i":
        start, limit, step = start * 10, limit * 10, round(step * 10)
    bounds: list[Array] = [np.array(number, dtype) for number in (start, limit, step)]
    made = one("Range", bounds, known=[0, 1, 2])
    assert_close(known("Range", bounds), expected(made, {})[0])


@pytest.mark.parametrize("attributes", [{}, {"k": -1}, {"k": 1, "dtype": TensorProto.INT32}])
def test_eye_like(attributes: dict[str, object]) -> None:
    made = one("EyeLike", [X], attributes)
    (found,) = computed(made, {"x0": X})
    assert_close(found, expected(made, {"x0": X})[0])


def test_dropout_drops_nothing_in_inference() -> None:
    for opset in (7, 12, 13):
        made = one("Dropout", [X], outputs=2, opset=opset)
        found, mask = computed(made, {"x0": X})
        assert_close(found, X)
        assert_close(mask, np.ones((2, 3)))
        assert mask.dtype == (np.float32 if opset == 7 else np.bool_)


@pytest.mark.parametrize(("ratio", "is_refused"), [(0.0, False), (0.25, True), (None, True)])
def test_dropout_of_training_is_refused_unless_it_drops_nothing(
    ratio: float | None, is_refused: bool
) -> None:
    inputs = [X, None if ratio is None else np.array(ratio, np.float32), np.array(True)]
    made = one("Dropout", inputs, known=[2] if ratio is None else [1, 2])
    if not is_refused:
        assert_close(computed(made, {"x0": X})[0], X)
        return
    with pytest.raises(UnsupportedError, match="of its elements at random"):
        computed(made, {"x0": X})


@pytest.mark.parametrize("bands", [1, 8])
@pytest.mark.parametrize("low", [0.0, 300.0])
def test_mel_weight_matrix(bands: int, low: float) -> None:
    numbers: list[Array] = [
        np.array(bands, np.int64),
        np.array(256, np.int64),
        np.array(8000, np.int64),
        np.array(low, np.float32),
        np.array(4000, np.float32),
    ]
    made = one("MelWeightMatrix", numbers, known=range(5))
    found = known("MelWeightMatrix", numbers)
    assert found.shape == (129, bands)
    assert_close(found, expected(made, {})[0])


def test_what_is_known_takes_no_operator() -> None:
    nodes = [
        helper.make_node("Shape", ["x"], ["s"]),
        helper.make_node("ConstantOfShape", ["s"], ["zeros"]),
        helper.make_node("Add", ["x", "zeros"], ["y"]),
    ]
    made = model(nodes, [value("x", X)], [value("y", X)])
    assert len(import_onnx(made.SerializeToString()).nodes) == 1


@pytest.mark.parametrize(
    ("kind", "inputs", "attributes", "constants", "message"),
    [
        ("ConstantOfShape", [np.array([-1])], {}, [0], r"expected sizes from 0 on, got \[-1\]"),
        ("ConstantOfShape", [np.array([1 << 40])], {}, [0], "expected a known tensor of at most"),
        ("ConstantOfShape", [np.array([0])], {}, [0], "to be a tensor with elements, got none"),
        ("ConstantOfShape", [np.array([2])], {}, [], "expected operand 0 'x0' to be known"),
        ("Range", [np.array(0), np.array(1 << 40), np.array(1)], {}, [0, 1, 2], "of at most"),
        ("Range", [np.array(0), np.array(4), np.array(0)], {}, [0, 1, 2], "a step other than 0"),
        ("EyeLike", [X[0]], {}, [], r"expected a matrix, got shape \[3\]"),
        ("Bernoulli", [X], {}, [], "got random ones of Bernoulli"),
        ("RandomNormal", [], {"shape": [2]}, [], "got random ones of RandomNormal"),
        ("Multinomial", [X], {}, [], "got random ones of Multinomial"),
    ],
)
def test_what_cannot_be_is_refused(
    kind: str,
    inputs: list[Array],
    attributes: dict[str, object],
    constants: list[int],
    message: str,
) -> None:
    with pytest.raises((ModelError, UnsupportedError), match=message):
        computed(one(kind, inputs, attributes, known=constants), {})
