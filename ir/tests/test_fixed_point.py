"""The exponentials and the reciprocal of softmax, against real numbers."""

import numpy as np
from tinsmith_ir.fixed_point import exp_of_negative, reciprocal, saturating_shift_left
from tinsmith_ir.float_arithmetic import exp_f32


def test_exp_of_zero_is_the_largest_number_below_one() -> None:
    assert exp_of_negative(np.array([0], np.int32), 5).tolist() == [(1 << 31) - 1]


def test_exp_is_close_for_every_negative_number() -> None:
    raw = np.linspace(-(1 << 31), 0, 20001).astype(np.int32)
    real = raw.astype(np.float64) / 2**26
    got = exp_of_negative(raw, 5).astype(np.float64) / 2**31
    assert np.abs(got - np.exp(real)).max() < 5e-7


def test_exp_depends_on_the_integer_bits() -> None:
    one = np.array([-(1 << 26)], np.int32)
    assert abs(exp_of_negative(one, 5)[0] / 2**31 - np.exp(-1)) < 5e-7
    assert abs(exp_of_negative(one, 3)[0] / 2**31 - np.exp(-0.25)) < 5e-7


def test_reciprocal_is_close_over_its_range() -> None:
    raw = np.unique(np.geomspace(1 << 19, (1 << 31) - 1, 5000).astype(np.int64)).astype(np.int32)
    scale, bits = reciprocal(raw, 12)
    got = scale.astype(np.float64) / 2**31 * 2.0 ** -bits.astype(np.float64)
    expected = 1.0 / (raw.astype(np.float64) / 2**19)
    assert np.abs(got / expected - 1).max() < 1e-6


def test_reciprocal_counts_the_bits_of_powers_of_two() -> None:
    _, bits = reciprocal(np.array([(1 << 19) - 1, 1 << 19, (1 << 20) - 1, 1 << 20], np.int32), 12)
    assert bits.tolist() == [-1, 0, 0, 1]


def test_shift_saturates_on_both_sides() -> None:
    values = np.array([1 << 30, -(1 << 30) - 1, 3], np.int32)
    got = saturating_shift_left(values, 2).tolist()
    assert got == [(1 << 31) - 1, -(1 << 31), 12]


def test_exp_f32_is_within_two_units_in_the_last_place() -> None:
    values = np.linspace(-87, 88, 100_001, dtype=np.float32)
    exact = np.exp(values.astype(np.float64))
    unit = np.spacing(exact.astype(np.float32)).astype(np.float64)
    assert (np.abs(exp_f32(values).astype(np.float64) - exact) / unit).max() < 2


def test_exp_f32_clamps_what_it_cannot_hold() -> None:
    values = np.array([-np.inf, -1e30, 1e30, 0.0], np.float32)
    got = exp_f32(values)
    assert np.isfinite(got).all()
    assert got[0] == got[1] > 0
    assert got[3] == 1.0
