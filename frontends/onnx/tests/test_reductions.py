import numpy as np
import pytest
from models import computed, expected, one
from tinsmith_ir import Array


def _given(x: Array, known: tuple[int, ...]) -> dict[str, Array]:
    return {} if known else {"x0": x}


@pytest.mark.parametrize("known", [(), (0,)])
@pytest.mark.parametrize("dtype", ["i1", "u1"])
@pytest.mark.parametrize("kind", ["ReduceMax", "ReduceMin"])
def test_extremes_of_bytes(kind: str, dtype: str, known: tuple[int, ...]) -> None:
    x = np.arange(-60, 180, 10).reshape(2, 3, 4).astype(dtype)
    made = one(kind, [x, np.array([1])], {"keepdims": 0}, known=(1, *known))
    (found,) = computed(made, _given(x, known))
    (wanted,) = expected(made, _given(x, known))
    assert found.dtype == x.dtype
    assert found.tolist() == wanted.tolist()


@pytest.mark.parametrize("last", [0, 1])
@pytest.mark.parametrize("dtype", ["i1", "u1", "<i2"])
@pytest.mark.parametrize("kind", ["ArgMax", "ArgMin"])
def test_places_of_extremes_of_narrow_integers(kind: str, dtype: str, last: int) -> None:
    x = np.array([[3, 200, 200, 3], [127, 128, 0, 255]]).astype(dtype)
    made = one(kind, [x], {"axis": 1, "select_last_index": last})
    (found,) = computed(made, {"x0": x})
    assert found.tolist() == expected(made, {"x0": x})[0].tolist()


@pytest.mark.parametrize("kind", ["ReduceMax", "ArgMax"])
def test_extremes_of_quantized_bytes_are_of_their_integers(kind: str) -> None:
    real = np.array([[-1.0, 0.5, 2.25]], np.float32)
    scale, zero = np.array(0.25, np.float32), np.array(100, np.uint8)
    made = one("QuantizeLinear", [real, scale, zero], known=[1, 2])
    node = made.graph.node.add(op_type=kind, input=["y0"], output=["y"])
    node.attribute.add(name="keepdims", type=2, i=0)
    if kind == "ArgMax":
        node.attribute.add(name="axis", type=2, i=1)
    made.graph.output[0].name = "y"
    (found,) = computed(made, {"x0": real})
    assert found.tolist() == expected(made, {"x0": real})[0].tolist()


@pytest.mark.parametrize("known", [(), (0,)])
@pytest.mark.parametrize("dtype", ["<i4", "<i8"])
@pytest.mark.parametrize("kind", ["ReduceL2", "ReduceLogSum"])
def test_roots_and_logarithms_of_sums_of_integers_are_cut_off(
    kind: str, dtype: str, known: tuple[int, ...]
) -> None:
    x = np.array([[3, 4], [1, 2], [40000, 1], [7, 0]], dtype)
    made = one(kind, [x, np.array([1])], {"keepdims": 1}, known=(1, *known))
    (found,) = computed(made, _given(x, known))
    sums = np.sqrt((x * x).sum(1)) if kind == "ReduceL2" else np.log(x.sum(1))
    assert found.dtype == x.dtype
    assert found.tolist() == sums.astype(dtype)[:, np.newaxis].tolist()
