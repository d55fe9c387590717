"""Where each weight and each byte of a bias goes."""

import numpy as np
import pytest
from numpy.typing import NDArray
from tinsmith_diana import (
    PackingError,
    packed_convolution,
    packed_depthwise,
    packed_fully_connected,
)
from tinsmith_diana.packing import convolution_bytes, depthwise_bytes, fully_connected_bytes

Pack = packed_convolution, packed_depthwise, packed_fully_connected


def draw(shape: tuple[int, ...], outputs: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    random = np.random.default_rng([*shape, outputs])
    ends = 1 << 31
    return random.integers(-128, 128, shape), random.integers(-ends, ends, outputs)


def in_order(packed: NDArray[np.int8]) -> NDArray[np.int8]:
    """Bytes by their number, which are words of four in memory, the first one last."""
    return packed.reshape(-1, 4)[:, ::-1].reshape(-1)


def bias_byte(bias: int, byte: int) -> int:
    """Of two's complement, as a signed one."""
    return int.from_bytes(
        int(bias).to_bytes(16, "little", signed=True)[byte : byte + 1], signed=True
    )


@pytest.mark.parametrize("shape", [(1, 1, 1, 1), (17, 3, 1, 5), (16, 5, 7, 2), (40, 1, 1, 33)])
def test_a_convolution_has_a_row_of_16_outputs_for_each_weight(shape: tuple[int, ...]) -> None:
    weights, biases = draw(shape, shape[0])
    outputs, height, width, channels = shape
    taps = height * width * channels
    packed = packed_convolution(weights, biases)
    assert packed.size == convolution_bytes(outputs, taps)
    order = in_order(packed).reshape(-1, taps + 4, 16)
    for k in range(len(order) * 16):
        lane = order[k // 16, :, k % 16]
        if k >= outputs:
            assert not lane.any()
            continue
        wanted = [
            weights[k, y, x, c]
            for c in range(channels)
            for y in range(height)
            for x in range(width)
        ]
        wanted += [bias_byte(biases[k], byte) for byte in range(4)]
        assert lane.tolist() == wanted


@pytest.mark.parametrize("shape", [(1, 1, 1, 1), (1, 3, 3, 4), (1, 5, 3, 7), (1, 7, 7, 18)])
def test_a_depthwise_channel_has_one_of_four_lanes(shape: tuple[int, ...]) -> None:
    _, height, width, channels = shape
    weights, biases = draw(shape, channels)
    taps = height * width
    packed = packed_depthwise(weights, biases)
    assert packed.size == depthwise_bytes(channels, taps)
    # What a channel loads from its own lane on holds its weights in lane 0, and only those of its group elsewhere.
    assert not packed[-16:].any()
    order = in_order(packed)
    for i in range(channels):
        start = i % 4 * 4 + i // 4 * 16 * (taps + 4)
        lanes = order[start : start + 16 * (taps + 4)].reshape(taps + 4, 16)
        wanted = [weights[0, y, x, i] for y in range(height) for x in range(width)]
        wanted += [bias_byte(biases[i], byte) for byte in range(4)]
        assert lanes[:, 0].tolist() == wanted
        assert not lanes[:, 1:4].any()


@pytest.mark.parametrize("shape", [(1, 1), (16, 16), (5, 40), (33, 17)])
def test_a_fully_connected_layer_has_squares_of_16(shape: tuple[int, ...]) -> None:
    outputs, inputs = shape
    weights, biases = draw(shape, outputs)
    packed = packed_fully_connected(weights, biases)
    assert packed.size == fully_connected_bytes(outputs, inputs)
    parts = -(-inputs // 16)
    order = in_order(packed).reshape(-1, parts * 256 + 256)
    wanted = np.zeros_like(order)
    for k in range(outputs):
        for c in range(inputs):
            wanted[k // 16, c // 16 * 256 + k % 16 * 16 + c % 16] = weights[k, c]
        for byte in range(16):
            wanted[k // 16, parts * 256 + k % 16 * 16 + byte] = bias_byte(biases[k], byte)
    assert order.tolist() == wanted.tolist()


def test_bytes_of_small_layers_by_hand() -> None:
    """One weight of 5 and a bias of -2: a row with its first lane, in the fourth byte, then four of the bias."""
    packed = packed_convolution(np.full((1, 1, 1, 1), 5), np.array([-2]))
    expected = np.zeros((5, 16), np.int8)
    expected[:, 3] = [5, -2, -1, -1, -1]
    assert packed.reshape(5, 16).tolist() == expected.tolist()


@pytest.mark.parametrize(
    ("weights", "biases", "message"),
    [
        (
            np.full((2, 1, 1, 3), 128),
            np.zeros(2, int),
            "weights: expected integers of 8 bits, got 128",
        ),
        (np.zeros((2, 1, 1, 3), int), np.full(2, 1 << 31), "biases: expected integers of 32 bits"),
        (np.zeros((2, 1, 1, 3), int), np.zeros(3, int), r"biases of shape \(3,\)"),
        (
            np.zeros((2, 3), int),
            np.zeros(2, int),
            r"weights of 4 axes .* got weights of shape \(2, 3\)",
        ),
        (np.zeros((2, 1, 1, 0), int), np.zeros(2, int), r"shape \(2, 1, 1, 0\)"),
    ],
)
def test_what_the_array_cannot_hold_is_refused(
    weights: NDArray[np.int64], biases: NDArray[np.int64], message: str
) -> None:
    with pytest.raises(PackingError, match=message):
        packed_convolution(weights, biases)


def test_a_depthwise_layer_has_one_output_a_channel() -> None:
    with pytest.raises(PackingError, match=r"one output of each channel, .* got \(2, 3, 3, 4\)"):
        packed_depthwise(np.zeros((2, 3, 3, 4), int), np.zeros(4, int))
