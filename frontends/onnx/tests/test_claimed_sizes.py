"""That files which claim more elements than they hold are refused before these are made."""

import numpy as np
import pytest
from models import declared, model, one
from onnx import TensorProto, helper
from tinsmith_ir import Array, ModelError, UnsupportedError
from tinsmith_ir.errors import TinsmithError
from tinsmith_onnx import import_onnx

IMAGE = np.zeros((1, 4, 1, 1), np.float32)
NOTHING = np.zeros(0, np.float32)


def refusal(made_bytes: bytes) -> TinsmithError:
    """Of a file that is damaged, or no network for microcontrollers."""
    with pytest.raises((ModelError, UnsupportedError)) as caught:
        import_onnx(made_bytes)
    return caught.value


@pytest.mark.parametrize(
    ("kind", "inputs", "attributes"),
    [
        (
            "Pad",
            [np.zeros((2, 4, 6), np.float32), np.array([0, 1, 0, 0, 0, 1 << 22])],
            {"mode": "reflect"},
        ),
        (
            "Pad",
            [np.zeros((2, 4, 6), np.float32), np.array([1 << 40, 0, 0, 0, 0, 0])],
            {"mode": "edge"},
        ),
        ("Resize", [IMAGE, None, None, np.array([6 << 8 | 1, 4, 1 << 21, 5])], {"mode": "linear"}),
        ("Resize", [IMAGE, None, None, np.array([(1 << 23) + 1, 4, 4, 4])], {"mode": "cubic"}),
        ("Tile", [np.zeros((2, 4, 6), np.float32), np.array([1 << 40, 0, 1])], {}),
        ("OneHot", [np.zeros(2, np.int64), np.array(1 << 40), np.zeros(2, np.float32)], {}),
    ],
    ids=["reflected", "repeated", "two neighbours", "four neighbours", "no elements", "one-hot"],
)
def test_what_is_made_of_claims_is_no_network_for_microcontrollers(
    kind: str, inputs: list[Array | None], attributes: dict[str, object]
) -> None:
    known = [index for index, array in enumerate(inputs) if array is not None and index]
    error = refusal(one(kind, inputs, attributes, known=known).SerializeToString())
    assert isinstance(error, UnsupportedError)
    assert f"model.onnx: {kind} 'y0': expected a known tensor of at most 16,777,216 bytes" in str(
        error
    )


def test_many_axes_of_a_list_are_refused() -> None:
    counts = [helper.make_node("ConstantOfShape", ["n"], ["shape"])]
    counts.append(helper.make_node("Reshape", ["x", "shape"], ["y"]))
    made = model(
        counts,
        [declared("x", [1])],
        [declared("y", None)],
        {"n": np.array([1 << 20])},
    )
    error = refusal(made.SerializeToString())
    assert "Reshape 'y': expected at most 65,536 integers as operand 1, got 1,048,576" in str(error)


def test_stored_tensors_without_elements_claim_no_long_axes() -> None:
    made = one("Concat", [np.zeros((1, 2), np.float32), NOTHING], {"axis": 1}, known=[1])
    del made.graph.initializer[0].dims[:]
    made.graph.initializer[0].dims.extend([1 << 40, 0])
    error = refusal(made.SerializeToString())
    assert isinstance(error, ModelError)
    assert "initializer 'x1': expected at most 16,777,216 bytes, got shape [1099511627776, 0]" in (
        str(error)
    )


def test_sparse_tensors_claim_no_more_than_known_ones_may_have() -> None:
    node = helper.make_node("Constant", [], ["y"])
    values = helper.make_tensor("v", TensorProto.FLOAT, [1], [1.0])
    places = helper.make_tensor("i", TensorProto.INT64, [1], [0])
    sparse = helper.make_sparse_tensor(values, places, [1 << 30, 1])
    node.attribute.append(helper.make_attribute("sparse_value", sparse))
    error = refusal(model([node], [], [declared("y", None)]).SerializeToString())
    assert isinstance(error, ModelError)
    assert "expected at most 16,777,216 bytes, got shape [1073741824, 1]" in str(error)
