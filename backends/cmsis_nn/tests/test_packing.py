"""Arranged weights give back the weights; what the kernels could not compute is refused."""

import numpy as np
import pytest
from numpy.typing import NDArray
from tinsmith_cmsis_nn.packing import (
    Implementation,
    PackingError,
    pack_convolution,
    pack_convolution_offset,
    pack_depthwise,
    pack_fully_connected,
    surely_packs,
)
from tinsmith_cmsis_nn.packing_four_bits import (
    pack_convolution_four_bits,
    pack_depthwise_four_bits,
    pack_fully_connected_four_bits,
)

HALF = np.int32(1 << 30)


def weights_of(*shape: int) -> NDArray[np.int8]:
    return np.random.default_rng(len(shape)).integers(-127, 128, shape).astype(np.int8)


def stage(channels: int, shift: int = -7) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    return np.full(channels, HALF), np.full(channels, shift, np.int32)


def test_plain_c_interleaves_four_channels() -> None:
    weights = weights_of(6, 1, 2, 3)
    packed = pack_convolution("c", weights, None, *stage(6), input_zero_point=0)
    groups = packed.weights.reshape(2, 6, 4).transpose(0, 2, 1).reshape(8, 6)
    assert np.array_equal(groups[:6], weights.reshape(6, 6))
    assert not groups[6:].any()


def test_dsp_lanes_hold_two_channels() -> None:
    weights = weights_of(6, 1, 2, 3)
    packed = pack_convolution("dsp", weights, None, *stage(6), input_zero_point=0)
    # (groups, blocks of k, k % 2, pair of channels, k // 2)
    lanes = packed.weights.view("<i2").astype(np.int32).reshape(2, 2, 2, 2, 2)
    bottom = lanes.astype(np.int8)
    top = (lanes - bottom) // 256
    # -> (groups, pairs, bottom or top, blocks, k // 2, k % 2)
    rows = np.stack([bottom, top]).transpose(1, 4, 0, 2, 5, 3).reshape(8, 8)
    assert np.array_equal(rows[:6, :6], weights.reshape(6, 6))
    assert not rows[6:].any()
    assert not rows[:, 6:].any()


def test_dsp_lanes_by_hand() -> None:
    weights = np.array([[1, 2, 3, 4], [-1, 0, 0, 0], [5, 0, 0, 0], [0, 0, 0, -1]], np.int8)
    packed = pack_fully_connected("dsp", weights, None, *stage(1), input_zero_point=0)
    expected = [1 - 256, 3, 5, 0, 2, 4, 0, -256]
    assert packed.weights.view("<i2").tolist() == expected


def test_depthwise_puts_the_longer_axis_last() -> None:
    weights = weights_of(1, 2, 3, 5)
    wide = pack_depthwise("c", weights, None, *stage(5), input_zero_point=0, input_size=(4, 4))
    tall = pack_depthwise("dsp", weights, None, *stage(5), input_zero_point=0, input_size=(5, 4))
    assert np.array_equal(wide.weights.reshape(5, 2, 3), weights[0].transpose(2, 0, 1))
    assert np.array_equal(tall.weights.reshape(5, 3, 2), weights[0].transpose(2, 1, 0))


@pytest.mark.parametrize("implementation", ["c", "dsp", "mve"])
def test_bias_takes_the_input_offset(implementation: Implementation) -> None:
    weights = np.array([[1, 2], [3, -4]], np.int8)
    bias = np.array([10, 20], np.int32)
    packed = pack_fully_connected(implementation, weights, bias, *stage(1), input_zero_point=-5)
    assert packed.bias[:2].tolist() == [10 + 5 * 3, 20 + 5 * -1]


def test_multiplier_is_doubled_and_shift_turned() -> None:
    multiplier = np.array([HALF, (1 << 31) - 1], np.int32)
    shift = np.array([-1, -22], np.int32)
    packed = pack_convolution(
        "dsp", weights_of(2, 1, 1, 4), None, multiplier, shift, input_zero_point=0
    )
    assert packed.multiplier.tolist() == [-(1 << 31), -2, 0, 0]
    assert packed.shift.tolist() == [1, 22, 1, 1]


def test_mve_keeps_weights_multipliers_and_shifts() -> None:
    weights = weights_of(3, 2, 2, 5)
    multiplier, shift = stage(3, shift=2)
    packed = pack_convolution("mve", weights, None, multiplier, shift, input_zero_point=3)
    assert np.array_equal(packed.weights.reshape(weights.shape), weights)
    assert packed.multiplier is multiplier
    assert packed.shift is shift


def test_a_channel_that_always_gives_the_zero_point_is_silenced() -> None:
    weights = np.array([[1, 1], [2, 2]], np.int8)
    multiplier, shift = stage(2)
    shift[1] = -28
    packed = pack_convolution(
        "c", weights.reshape(2, 1, 1, 2), None, multiplier, shift, input_zero_point=0
    )
    assert packed.weights.reshape(2, 4)[:, :2].tolist() == [[1, 0], [1, 0]]
    assert packed.multiplier.tolist()[:2] == [-(1 << 31), 0]


def test_a_shift_too_deep_for_its_accumulator_is_refused() -> None:
    bias = np.array([1 << 28], np.int32)
    with pytest.raises(PackingError, match="shift -25 is below -22"):
        pack_convolution(
            "c", weights_of(1, 1, 1, 2), bias, *stage(1, shift=-25), input_zero_point=0
        )


@pytest.mark.parametrize(
    ("weights", "bias", "shift", "message"),
    [
        (np.full((2, 4), -128, np.int8), 0, -5, "-128"),
        (np.full((2, 520), 127, np.int8), 0, -5, "66040, not below"),
        (np.full((2, 4), 1, np.int8), 1 << 30, -5, "less than 2"),
        (np.full((2, 4), 1, np.int8), 0, 0, "shift 0 is not negative"),
    ],
)
def test_constants_outside_the_proofs_are_refused(
    weights: NDArray[np.int8], bias: int, shift: int, message: str
) -> None:
    biases = np.full(len(weights), bias, np.int32)
    with pytest.raises(PackingError, match=message):
        pack_fully_connected("dsp", weights, biases, *stage(1, shift), input_zero_point=0)


@pytest.mark.parametrize("implementation", ["c", "dsp"])
def test_any_shift_is_kept_with_its_sign(implementation: Implementation) -> None:
    multiplier, _ = stage(4)
    shift = np.array([3, 0, -1, -9], np.int32)
    packed = pack_convolution(
        implementation,
        weights_of(4, 1, 1, 2),
        None,
        multiplier,
        shift,
        input_zero_point=0,
        any_shift=True,
    )
    assert packed.shift.tolist() == [-3, 0, 1, 9]
    assert (packed.multiplier == -(1 << 31)).all()


def test_weights_with_a_zero_point_are_moved_by_one_to_fit_a_lane() -> None:
    weights = np.array([[-128, 1, 2, 126]], np.int8).reshape(1, 1, 1, 4)
    packed = pack_convolution_offset(
        "dsp", weights, None, *stage(1), input_zero_point=2, weights_zero_point=5
    )
    assert packed.weights.view("<i2").tolist() == [-127, 3, 0, 0, 2, 127, 0, 0]
    assert packed.bias.tolist() == [-2 * (1 - 4 * 5), 0, 0, 0, -6]
    weights[0, 0, 0, 3] = 127
    with pytest.raises(PackingError, match="from -128 to 127"):
        pack_convolution_offset(
            "dsp", weights, None, *stage(1), input_zero_point=2, weights_zero_point=5
        )


def test_deep_weights_are_arranged_as_others_are() -> None:
    weights = np.full((4, 520), 127, np.int8)
    bias = np.arange(4, dtype=np.int32)
    one_scale = stage(1)
    with pytest.raises(PackingError, match="66040, not below"):
        pack_fully_connected("dsp", weights, bias, *one_scale, input_zero_point=0)
    deep = pack_fully_connected("dsp", weights, bias, *one_scale, input_zero_point=0, deep=True)
    half = pack_fully_connected("dsp", weights[:, :260], bias, *one_scale, input_zero_point=0)
    assert np.array_equal(deep.weights[: half.weights.size], half.weights)
    assert deep.bias.tolist() == [0, 1, 2, 3]


def test_an_accumulator_that_leaves_32_bits_when_shifted_is_refused() -> None:
    weights = np.full((1, 1, 1, 64), 127, np.int8)
    for shift, fits in ((10, True), (11, False)):
        given = (weights, None, *stage(1, shift))
        if fits:
            pack_convolution("c", *given, input_zero_point=0, any_shift=True)
            continue
        with pytest.raises(PackingError, match="accumulators may reach 2130706432"):
            pack_convolution("c", *given, input_zero_point=0, any_shift=True)


@pytest.mark.parametrize("implementation", ["c", "dsp", "mve"])
def test_what_surely_packs_is_never_refused(implementation: Implementation) -> None:
    random = np.random.default_rng(5)
    sure = 0
    for _ in range(300):
        channels, depth = int(random.integers(1, 7)), int(random.choice([1, 9, 500, 516, 517, 600]))
        weights = random.integers(-128, 128, (channels, depth)).astype(np.int8)
        if random.random() < 0.8:
            weights = np.maximum(weights, -127)
        bias = random.integers(-(1 << 31), 1 << 31, channels) >> int(random.integers(0, 30))
        multipliers = random.integers(1 << 29, 1 << 31, channels).astype(np.int32)
        if random.random() < 0.8:
            multipliers |= HALF
        low, high = sorted(int(shift) for shift in random.integers(-24, 2, 2))
        shifts = random.integers(low, high + 1, channels).astype(np.int32)
        given = (bias.astype(np.int32), multipliers, shifts)
        if not surely_packs(weights, *given):
            continue
        sure += 1
        zero_point = int(random.integers(-128, 128))
        pack_fully_connected(implementation, weights, *given, input_zero_point=zero_point)
        image = weights.reshape(channels, 1, depth, 1)
        pack_convolution(implementation, image, *given, input_zero_point=zero_point)
        planes = np.ascontiguousarray(weights.T).reshape(1, 1, depth, channels)
        pack_depthwise(
            implementation, planes, *given, input_zero_point=zero_point, input_size=(4, 4)
        )
    assert sure > 20


@pytest.mark.parametrize(
    ("weight", "depth", "bias", "shift"),
    [(-128, 4, 0, -5), (127, 520, 0, -5), (1, 4, 1 << 30, -5), (1, 4, 0, 0), (1, 4, 0, -23)],
)
def test_what_may_be_refused_does_not_surely_pack(
    weight: int, depth: int, bias: int, shift: int
) -> None:
    weights = np.full((2, depth), weight, np.int8)
    biases = np.full(2, bias, np.int32)
    assert not surely_packs(weights, biases, *stage(2, shift))
    assert surely_packs(weights_of(2, 4), np.zeros(2, np.int32), *stage(2))


def test_words_of_four_bits_hold_two_values_of_four_channels_by_hand() -> None:
    weights = np.array([[1, 2, 3], [-8, 0, 0], [7, 0, 0], [-1, -8, 0]], np.int8)
    bias = np.array([1, 2, 3, -4], np.int32)
    packed = pack_convolution_four_bits(
        "c", weights.reshape(4, 1, 1, 3), bias, *stage(4), input_zero_point=0
    )
    words = packed.weights.view("<u4").tolist()
    # From the lowest bits on: a, c of the first value of k, of the second; then b, d of both.
    assert words[0] == 0x08708AF9
    assert words[1] & 0x00FF00FF == 0x0088008B
    assert len(words) == 2
    assert packed.bias.tolist() == [1, 2, 3, -4]


def test_lanes_of_four_bits_hold_four_channels_by_hand() -> None:
    weights = np.array(
        [[1, 2, 3, 4, 5], [-8, 0, 0, 0, 0], [7, 0, 0, 0, 0], [-1, 0, 0, -8, 0]], np.int8
    )
    bias = np.array([1, 2, 3, -4], np.int32)
    packed = pack_convolution_four_bits(
        "dsp", weights.reshape(4, 1, 1, 5), bias, *stage(4), input_zero_point=0
    )
    eights = 8 * 16 + 8 * 256
    lanes = [9 + 0 * 16 + 15 * 256 - 4096, 11 + eights, 10 + eights, 12 + eights - 8 * 4096]
    assert packed.weights.view("<i2").tolist() == [*lanes, 13 + eights, 0, 0, 0]
    three = 1 + 2 * 16 + 3 * 256
    assert packed.bias.tolist() == [three - 4 * 4096, three, 1 + 2 * 16, 1]


@pytest.mark.parametrize(("channel", "bits"), [(1, 27), (2, 23), (3, 19)])
def test_four_bits_are_refused_where_a_sum_leaves_its_part_of_a_lane(
    channel: int, bits: int
) -> None:
    weights = np.zeros((4, 1, 1, 4), np.int8)
    weights_sum = 0 if channel == 3 else 4 * 8  # with 8 added, as all but the last have
    bias = np.zeros(4, np.int32)
    bias[channel] = (1 << bits) - 128 * weights_sum - 1
    pack_convolution_four_bits("dsp", weights, bias, *stage(4), input_zero_point=0)
    bias[channel] += 1
    with pytest.raises(PackingError, match=f"channel {channel}: sums may reach {1 << bits}"):
        pack_convolution_four_bits("dsp", weights, bias, *stage(4), input_zero_point=0)


def test_depthwise_weights_of_four_bits_are_those_of_bytes_eight_in_a_word() -> None:
    weights = np.arange(-8, 1, dtype=np.int8).reshape(1, 3, 3, 1).repeat(2, axis=3)
    given = (weights, None, *stage(2))
    wide = pack_depthwise("c", *given, input_zero_point=3, input_size=(5, 5))
    packed = pack_depthwise_four_bits("c", *given, input_zero_point=3, input_size=(5, 5))
    found = packed.weights.view(np.uint8).reshape(-1, 4)
    halves = np.concatenate([found & 15, found >> 4], axis=1).astype(np.int8) - np.int8(8)
    assert halves.reshape(-1)[:18].tolist() == wide.weights.tolist()
    assert packed.bias.tolist() == wide.bias.tolist()


def test_bytes_of_four_bits_hold_two_channels_by_hand() -> None:
    weights = np.arange(-3, 4, dtype=np.int8)[:, None] * np.array([[1, 2]], np.int8)
    bias = np.arange(7, dtype=np.int32)
    packed = pack_fully_connected_four_bits("mve", weights, bias, *stage(1), input_zero_point=0)
    chunks = packed.weights.reshape(4, 16)
    assert chunks[:, 0].tolist() == [-3 - 2 * 16, -1, 1 + 2 * 16, 3]
    assert chunks[:, 1].tolist() == [-6 - 4 * 16, -2, 2 + 4 * 16, 6]
    assert not chunks[:, 2:].any()
    assert packed.bias.reshape(4, 2).tolist() == [[16, 0], [2 + 48, 32], [4 + 80, 64], [6, 96]]


def test_four_bits_that_do_not_fit_a_byte_of_two_channels_are_refused() -> None:
    weights = np.array([[0, -1], [-8, 0]], np.int8)
    pack_fully_connected_four_bits("mve", weights, None, *stage(1), input_zero_point=0)
    weights[1] = -8
    with pytest.raises(PackingError, match="a weight is -8 beside one that is negative"):
        pack_fully_connected_four_bits("mve", weights, None, *stage(1), input_zero_point=0)
    bias = np.array([0, (1 << 31) // 17 + 1], np.int32)
    with pytest.raises(PackingError, match="17 times of which do not fit"):
        pack_fully_connected_four_bits("mve", -weights // 2, bias, *stage(1), input_zero_point=0)


def test_fully_connected_lanes_of_four_bits_are_those_of_a_convolution() -> None:
    weights = weights_of(6, 9) // 16
    image = pack_convolution_four_bits(
        "dsp", weights.reshape(6, 1, 1, 9), None, *stage(6), input_zero_point=3
    )
    packed = pack_fully_connected_four_bits("dsp", weights, None, *stage(6), input_zero_point=3)
    assert np.array_equal(packed.weights, image.weights)
    assert np.array_equal(packed.bias, image.bias)


def test_vectors_of_four_bits_hold_32_weights_of_four_channels() -> None:
    weights = np.random.default_rng(3).integers(-8, 8, (5, 1, 3, 5)).astype(np.int8)
    packed = pack_convolution_four_bits("mve", weights, None, *stage(5), input_zero_point=3)
    bytes_ = packed.weights.reshape(2, 2, 16)  # groups, vectors
    low, high = (bytes_ << 4) >> 4, bytes_ >> 4
    found = np.stack([low, high], axis=2).reshape(2, 64)
    assert np.array_equal(found[0, :60], weights[:4].reshape(-1))
    assert np.array_equal(found[1, :15], weights[4].reshape(-1))
    assert not found[0, 60:].any()
    assert not found[1, 15:].any()
