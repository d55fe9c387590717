import numpy as np
from tinsmith_driver.running import difference_at, different_bytes, largest_difference


def test_bytes_are_counted_not_elements() -> None:
    left = np.array([0, 0x01020304], np.int32)
    right = np.array([0, 0x01020300], np.int32)
    assert different_bytes(left, right) == 1
    assert different_bytes(left, ~left) == 8


def test_the_first_difference_is_located() -> None:
    expected = np.zeros((2, 3), np.int8)
    got = expected.copy()
    got[1, 2] = 5
    found = difference_at("real", 7, "softmax", 11, expected, got)
    assert found.position == (1, 2)
    assert str(found) == "real sample 7: layer 11 (softmax)[1, 2] is 5, expected 0"


def test_a_minus_zero_is_a_difference() -> None:
    found = difference_at(
        "", 0, "y", None, np.array([0.0], np.float32), np.array([-0.0], np.float32)
    )
    assert found.position == (0,)


def test_a_nan_equals_every_nan() -> None:
    bits = np.array([0x7FC00000, 0x7FC00000], np.uint32)
    assert different_bytes(bits.view(np.float32), -bits.view(np.float32)) == 0
    assert different_bytes(bits.view(np.float32), np.array([0, np.nan], np.float32)) == 2


def test_the_largest_difference_is_a_number_whatever_differs() -> None:
    nan, inf = np.nan, np.inf
    expected, got = np.array([nan, inf, -inf, 1.0]), np.array([nan, inf, -inf, 3.0])
    assert largest_difference(expected, got) == 2
    for wrong in (np.array([nan, inf, -inf, nan]), np.array([nan, inf, inf, 1.0])):
        assert largest_difference(expected, wrong) == np.finfo(np.float64).max
