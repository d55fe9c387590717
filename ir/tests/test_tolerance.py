import numpy as np
import pytest
from tinsmith_ir.tolerance import shares

_LARGEST = np.finfo(np.float64).max


def _share(expected: list[float], got: list[float]) -> list[float]:
    return shares(np.array(expected, np.float32), np.array(got, np.float32)).tolist()


def test_differences_are_shares_of_the_largest_expected_value() -> None:
    assert _share([1.0, -4.0, 0.0], [1.5, -4.0, 1.0]) == [0.125, 0.0, 0.25]


def test_differences_from_zeros_are_themselves() -> None:
    assert _share([0.0, 0.0], [0.5, -0.0]) == [0.5, 0.0]


@pytest.mark.parametrize("special", [np.nan, np.inf, -np.inf])
def test_what_is_no_number_is_equal_to_itself_only(special: float) -> None:
    assert _share([special, 2.0], [special, 2.0]) == [0.0, 0.0]
    assert _share([special, 2.0], [3.0, special]) == [_LARGEST, _LARGEST]
