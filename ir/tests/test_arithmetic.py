"""Fixed-point arithmetic against numbers by hand and against plain rational arithmetic."""

import math
from fractions import Fraction

import numpy as np
import pytest
from tinsmith_ir import Activation, DType, GraphError, Quantization, TensorType
from tinsmith_ir.arithmetic import (
    INT32_MAX,
    INT32_MIN,
    activation_range,
    multiply_by_quantized_multiplier,
    multiply_by_quantized_multiplier_64,
    quantize_multiplier,
    quantize_real,
    round_half_away,
    rounding_divide_by_pot,
    saturating_rounding_doubling_high_mul,
    wrap_int32,
)

EDGES = [INT32_MIN, INT32_MIN + 1, -(1 << 30), -3, -2, -1, 0, 1, 2, 3, (1 << 30) - 1, INT32_MAX]


def half_up(value: Fraction) -> int:
    return math.floor(value + Fraction(1, 2))


def half_away(value: Fraction) -> int:
    return int(math.copysign(math.floor(abs(value) + Fraction(1, 2)), value))


def test_round_half_away_leaves_zero_on_both_sides() -> None:
    halves = [-2.5, -1.5, -0.5, -0.49999999999999994, 0.5, 1.5, 2.5]
    assert [round_half_away(x) for x in halves] == [-3, -2, -1, 0, 1, 2, 3]


@pytest.mark.parametrize(
    ("real", "expected"),
    [
        (0.0, (0, 0)),
        (1.0, (1 << 30, 1)),
        (0.5, (1 << 30, 0)),
        (0.75, (3 << 29, 0)),
        (6.0, (3 << 29, 3)),
        (2.0**-32, (1 << 30, -31)),
        (2.0**-33, (0, 0)),
        (1.0 - 2.0**-40, (1 << 30, 1)),  # rounds up to the next power of two
    ],
)
def test_quantize_multiplier_by_hand(real: float, expected: tuple[int, int]) -> None:
    assert quantize_multiplier(real) == expected


@pytest.mark.parametrize("real", [-0.5, math.inf, math.nan, 2.0**30])
def test_quantize_multiplier_refuses_what_has_no_fixed_point(real: float) -> None:
    with pytest.raises(GraphError, match="expected a"):
        quantize_multiplier(real)


def test_high_mul_rounds_half_up_and_saturates_one_product() -> None:
    values = np.array(EDGES, np.int32)
    for multiplier in EDGES:
        got = saturating_rounding_doubling_high_mul(values, multiplier)
        expected = [half_up(Fraction(value * multiplier, 1 << 31)) for value in EDGES]
        assert got.tolist() == [min(value, INT32_MAX) for value in expected]


@pytest.mark.parametrize("exponent", [0, 1, 2, 5, 30, 31])
def test_divide_by_power_of_two_rounds_half_away_from_zero(exponent: int) -> None:
    values = np.array([*EDGES, *range(-40, 40)], np.int32)
    expected = [half_away(Fraction(int(value), 1 << exponent)) for value in values]
    assert rounding_divide_by_pot(values, exponent).tolist() == expected


def test_two_roundings_differ_from_one() -> None:
    # 0.75 * 5 / 4 = 0.9375. First 3.75 -> 4 (half up), then 4 / 4 = 1.
    assert multiply_by_quantized_multiplier(np.array([5], np.int32), 3 << 29, -2).tolist() == [1]
    # -0.5 -> 0 in the first rounding, where one rounding half away would give -1.
    assert multiply_by_quantized_multiplier(np.array([-1], np.int32), 1 << 30, 0).tolist() == [0]
    assert multiply_by_quantized_multiplier(np.array([1], np.int32), 1 << 30, 0).tolist() == [1]


def test_left_shift_wraps_as_int32() -> None:
    got = multiply_by_quantized_multiplier(np.array([1 << 30], np.int32), 1 << 30, 1)
    assert got.tolist() == [INT32_MIN // 2]


def test_multiplier_per_channel_is_that_of_each_channel() -> None:
    acc = np.array([[100, 100], [-7, -7]], np.int32)
    multipliers, shifts = np.array([1 << 30, 3 << 29], np.int32), np.array([0, 2], np.int32)
    got = multiply_by_quantized_multiplier(acc, multipliers, shifts)
    for channel in range(2):
        one = multiply_by_quantized_multiplier(
            acc[:, channel], int(multipliers[channel]), int(shifts[channel])
        )
        assert got[:, channel].tolist() == one.tolist()


def test_64_bit_accumulator_uses_a_multiplier_of_15_bits() -> None:
    generator = np.random.default_rng(1)
    acc = generator.integers(-(1 << 40), 1 << 40, 200)
    for multiplier, shift in ((1 << 30, 0), (0x7FFF0000, -5), (INT32_MAX, -20), (1234567891, -10)):
        reduced = 0x7FFF if multiplier >= 0x7FFF0000 else (multiplier + (1 << 15)) >> 16
        expected = [half_up(Fraction(int(a) * reduced) / 2 ** (15 - shift)) for a in acc]
        got = multiply_by_quantized_multiplier_64(acc, multiplier, shift)
        assert got.tolist() == wrap_int32(np.array(expected, np.int64)).tolist()


def test_real_bounds_are_quantized_with_a_float32_division() -> None:
    type_ = TensorType((1,), DType.INT8, Quantization.per_tensor(0.25, -100))
    assert quantize_real(6.0, type_) == -76
    assert quantize_real(-1.0, type_) == -104


@pytest.mark.parametrize(
    ("activation", "expected"),
    [
        (Activation.NONE, (-128, 127)),
        (Activation.RELU, (-10, 127)),
        (Activation.RELU6, (-10, 110)),
        (Activation.RELU_N1_TO_1, (-30, 10)),
    ],
)
def test_activation_range_follows_the_quantization(
    activation: Activation, expected: tuple[int, int]
) -> None:
    type_ = TensorType((1,), DType.INT8, Quantization.per_tensor(0.05, -10))
    assert activation_range(activation, type_) == expected


def test_activation_range_stays_within_the_dtype() -> None:
    type_ = TensorType((1,), DType.INT8, Quantization.per_tensor(0.001, 100))
    assert activation_range(Activation.RELU6, type_) == (100, 127)
    assert activation_range(Activation.RELU_N1_TO_1, type_) == (-128, 127)


def test_plain_int32_clamps_to_the_real_bounds() -> None:
    assert activation_range(Activation.RELU6, TensorType((1,), DType.INT32)) == (0, 6)
