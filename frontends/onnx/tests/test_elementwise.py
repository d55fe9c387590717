import numpy as np
import pytest
from models import computed, expected, one
from tinsmith_ir import Array

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
