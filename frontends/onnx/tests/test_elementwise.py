import numpy as np
import pytest
from models import computed, expected, one
from tinsmith_ir import Array, ModelError

SOME = np.array([-2.0, np.nan, 0.25, 3.0], np.float32)


@pytest.mark.parametrize("known", [(1, 2), (), (1,)])
def test_nan_stays_within_bounds(known: tuple[int, ...]) -> None:
    bounds = [np.array(-1.0, np.float32), np.array(1.5, np.float32)]
    made = one("Clip", [SOME, *bounds], known=known)
    given = {f"x{at}": array for at, array in enumerate((SOME, *bounds)) if at not in known}
    (found,) = computed(made, given)
    np.testing.assert_array_equal(found, expected(made, given)[0])
    assert np.isnan(found[1])


@pytest.mark.parametrize("kind", ["Max", "Min"])
@pytest.mark.parametrize("place", [0, 1])
def test_nan_stays_beside_a_known_number(kind: str, place: int) -> None:
    operands: list[Array | None] = [SOME, SOME]
    operands[place] = np.array([0.5], np.float32)
    made = one(kind, operands, known=[place])
    (found,) = computed(made, {f"x{1 - place}": SOME})
    np.testing.assert_array_equal(found, expected(made, {f"x{1 - place}": SOME})[0])


@pytest.mark.parametrize("known", [(), (0,)])
@pytest.mark.parametrize("dtype", ["i1", "u1", "<i2", "<u2", "<i4", "<i8"])
def test_signs_of_integers(dtype: str, known: tuple[int, ...]) -> None:
    x = np.array([0, 1, 100, -1, -100]).astype(dtype)
    (found,) = computed(one("Sign", [x], known=known), {} if known else {"x0": _in_graph(x)})
    assert found.tolist() == np.sign(x).tolist()


def _in_graph(x: Array) -> Array:
    return x.astype(np.int32) if x.dtype == np.uint16 else x


@pytest.mark.parametrize(
    ("kind", "constants"),
    [
        ("Add", [0]),
        ("Add", []),
        ("Max", []),
        ("Less", []),
        ("And", []),
        ("Pow", []),
        ("Mod", []),
        ("PRelu", []),
        ("Mean", []),
        ("BitwiseOr", []),
        ("Expand", [1]),
    ],
)
def test_shapes_that_do_not_broadcast_are_damage(kind: str, constants: list[int]) -> None:
    dtypes = {"And": np.bool_, "BitwiseOr": np.int32, "Expand": np.int64}
    operands: list[Array | None] = [
        np.ones(size, dtypes.get(kind, np.float32)) for size in ((2, 3), (2,))
    ]
    if kind == "Expand":
        operands[1] = np.array([2, 2])
    with pytest.raises(ModelError, match=r"expected shapes that broadcast .*, got \[2, 3\], \[2"):
        computed(one(kind, operands, known=constants), {})
