import numpy as np
from numpy.typing import NDArray
from tinsmith_cmsis_nn.constant_channels import QUARTER, Channels, settle_constant_channels
from tinsmith_ir.arithmetic import multiply_by_quantized_multiplier
from tinsmith_ir.parameters import ConvParameters


def parameters(channels: Channels) -> ConvParameters:
    return ConvParameters(channels.multipliers, channels.shifts, 128, -100, -128, 127)


def outputs(channels: Channels, inputs: NDArray[np.int8]) -> NDArray[np.int64]:
    p = parameters(channels)
    acc = (inputs.astype(np.int64) + p.input_offset) @ channels.rows.astype(np.int64).T
    scaled = multiply_by_quantized_multiplier(
        (acc + channels.bias).astype(np.int32), channels.multipliers, channels.shifts
    )
    return np.clip(scaled.astype(np.int64) + p.output_offset, p.clamp_min, p.clamp_max)


def int32(*values: int) -> NDArray[np.int32]:
    return np.array(values, np.int32)


def test_dead_channel_with_a_huge_bias_keeps_its_value() -> None:
    rows = np.array([[0, 0], [5, -3]], np.int16)
    channels = Channels(rows, int32(1 << 30, 7), int32(1 << 30, 1 << 30), int32(-25, -4))
    settled = settle_constant_channels(channels, parameters(channels))
    assert (int(settled.multipliers[0]), int(settled.shifts[0])) == QUARTER
    assert abs(int(settled.bias[0])) <= 4 * 255
    inputs = np.random.default_rng(0).integers(-128, 128, (50, 2)).astype(np.int8)
    assert (outputs(settled, inputs) == outputs(channels, inputs)).all()
    assert (settled.rows[1] == rows[1]).all()
    assert settled.bias[1] == 7


def test_channel_that_is_clamped_everywhere_is_constant_too() -> None:
    channels = Channels(np.array([[1]], np.int16), int32(1 << 20), int32(1 << 30), int32(-1))
    settled = settle_constant_channels(channels, parameters(channels))
    assert not settled.rows.any()
    assert outputs(settled, np.array([[0]], np.int8)).tolist() == [[127]]


def test_channel_that_moves_by_one_is_left_alone() -> None:
    channels = Channels(np.array([[1]], np.int16), int32(0), int32(1 << 30), int32(-7))
    values = outputs(channels, np.arange(-128, 128, dtype=np.int8)[:, None])
    assert len(np.unique(values)) == 2
    settled = settle_constant_channels(channels, parameters(channels))
    assert (settled.rows == channels.rows).all()


def test_wrapping_accumulators_are_left_alone() -> None:
    rows = np.full((1, 1 << 17), 127, np.int16)
    channels = Channels(rows, int32((1 << 31) - 1), int32(1 << 30), int32(-31))
    settled = settle_constant_channels(channels, parameters(channels))
    assert (settled.rows == rows).all()
