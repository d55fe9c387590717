"""Words, cycles and weights of layers: those of HTVM's four networks against a table, others worked out by hand."""

from dataclasses import replace

import pytest
from tinsmith_diana.jobs import (
    Addition,
    Convolution,
    FullyConnected,
    Work,
    compute_cycles,
    cycles,
    loaded_bytes,
    record,
)
from tinsmith_diana.joining import Features

_SHIFT = 4


def conv(
    channels: int,
    outputs: int,
    image: tuple[int, int],
    window: tuple[int, int],
    stride: int,
    padding: tuple[int, int],
    *,
    depthwise: bool = False,
) -> Convolution:
    """A convolution with as much padding below as above."""
    height, width = (
        (extent + 2 * pad - side) // stride + 1
        for extent, pad, side in zip(image, padding, window, strict=True)
    )
    above, side = padding
    ends = (above, above, side)
    return Convolution(
        (*image, channels), (height, width, outputs), window, stride, ends, _SHIFT, False, depthwise
    )


def dw(channels: int, side: int, stride: int) -> Convolution:
    """Depthwise, of square images with windows of 3x3."""
    return conv(channels, channels, (side, side), (3, 3), stride, (1, 1), depthwise=True)


def pw(channels: int, outputs: int, side: int) -> Convolution:
    """1x1, of square images."""
    return conv(channels, outputs, (side, side), (1, 1), 1, (0, 0))


def fc(inputs: int, outputs: int) -> FullyConnected:
    return FullyConnected(inputs, outputs, _SHIFT, False)


def add(channels: int, side: int) -> Addition:
    return Addition(channels * side * max(side, 16), _SHIFT)


_DSCNN = [
    (conv(1, 64, (10, 49), (5, 7), 2, (2, 3)), 2_504, 1, 2_496),
    *[
        (conv(64, 64, (5, 25), (3, 3), 1, (1, 1), depthwise=True), 23_040, 64, 13_312),
        (conv(64, 64, (5, 25), (1, 1), 1, (0, 0)), 8_600, 1, 4_352),
    ]
    * 4,
    (fc(64, 12), 24, 1, 1_280),
]
_MOBILENET = [
    (conv(3, 8, (96, 96), (3, 3), 2, (1, 1)), 9_747, 1, 496),
    (dw(8, 48, 1), 43_536, 8, 1_664),
    (pw(8, 16, 48), 6_768, 1, 192),
    (dw(16, 48, 2), 29_024, 16, 3_328),
    (pw(16, 32, 24), 6_816, 1, 640),
    (dw(32, 24, 1), 57_728, 32, 6_656),
    (pw(32, 32, 24), 11_424, 1, 1_152),
    (dw(32, 24, 2), 14_432, 32, 6_656),
    (pw(32, 64, 12), 5_712, 1, 2_304),
    (dw(64, 12, 1), 28_544, 64, 13_312),
    (pw(64, 64, 12), 10_320, 1, 4_352),
    (dw(64, 12, 2), 14_272, 64, 13_312),
    (pw(64, 128, 6), 10_320, 1, 8_704),
    *[(dw(128, 6, 1), 27_904, 128, 26_624), (pw(128, 128, 6), 19_536, 1, 16_896)] * 5,
    (dw(128, 6, 2), 13_952, 128, 26_624),
    (pw(128, 256, 3), 19_536, 1, 33_792),
    (dw(256, 3, 1), 26_624, 256, 53_248),
    (pw(256, 256, 3), 37_968, 2, 66_560),
    (fc(256, 4), 36, 1, 4_352),
]
_RESNET = [
    (conv(3, 16, (32, 32), (3, 3), 1, (1, 1)), 4_292, 1, 496),
    *[(conv(16, 16, (32, 32), (3, 3), 1, (1, 1)), 16_512, 1, 2_368)] * 2,
    (add(16, 32), 4_096, 1, 0),
    (conv(16, 32, (32, 32), (3, 3), 2, (1, 1)), 8_256, 1, 4_736),
    (conv(32, 32, (16, 16), (3, 3), 1, (1, 1)), 15_456, 1, 9_344),
    (conv(16, 32, (32, 32), (1, 1), 2, (0, 0)), 2_272, 1, 640),
    (add(32, 16), 2_048, 1, 0),
    (conv(32, 64, (16, 16), (3, 3), 2, (1, 1)), 15_456, 1, 18_688),
    (conv(64, 64, (8, 8), (3, 3), 1, (1, 1)), 28_896, 1, 37_120),
    (conv(32, 64, (16, 16), (1, 1), 2, (0, 0)), 3_808, 1, 2_304),
    (add(64, 8), 2_048, 1, 0),
    (fc(64, 12), 24, 1, 1_280),
]
_TOYADMOS = [
    (fc(640, 128), 480, 8, 83_968),
    *[(fc(128, 128), 224, 8, 18_432)] * 6,
    (fc(128, 8), 28, 1, 2_304),
    (fc(8, 128), 168, 8, 4_096),
    (fc(128, 640), 1_120, 40, 92_160),
]


@pytest.mark.parametrize(
    ("work", "wanted_cycles", "triggers", "weight_bytes"),
    [*_DSCNN, *_MOBILENET, *_RESNET, *_TOYADMOS],
)
def test_layers_of_four_networks_cost_what_public_models_say(
    work: Work, wanted_cycles: int, triggers: int, weight_bytes: int
) -> None:
    """Compute cycles by MATCH's model, triggers as DORY issues them, bytes as DORY packs them."""
    assert compute_cycles(work) == wanted_cycles
    assert work.jobs == triggers
    assert loaded_bytes(work) == weight_bytes
    assert cycles(work) == wanted_cycles + weight_bytes // 16 + 178 + 100 + 138 * (triggers - 1)


# As python kernels/diana/tests/driver_costs.py prints them, start and wait together.
@pytest.mark.parametrize(
    ("work", "measured"),
    [
        (conv(16, 16, (16, 16), (3, 3), 1, (1, 1)), 4_474),
        (dw(16, 16, 1), 12_106),
        (fc(64, 128), 2_070),
    ],
)
def test_layers_cost_what_the_driver_takes_on_the_simulator(work: Work, measured: int) -> None:
    assert abs(cycles(work) - measured) <= 0.005 * measured


def words_of(work: Work) -> dict[int, int]:
    """Those that are not zero."""
    return {index: int(word) for index, word in enumerate(record(work)) if word}


def test_words_of_a_convolution() -> None:
    work = Convolution((9, 20, 3), (5, 10, 17), (5, 3), 2, (1, 3, 2), 9, True)
    # 32 channels of outputs, with rows of 16; rows of 32 of the input.
    expected = {0: 1, 4: 3, 5: 2, 6: 20, 7: 9, 8: 32, 9: 288, 10: 3, 11: 5, 12: 1, 13: 5, 14: 1}
    expected |= {15: 2, 16: 80, 17: 1, 18: 1, 19: 9, 20: 2 | 1 << 8 | 3 << 12, 24: 1}
    expected |= {32: 1, 33: 32 * (45 + 4), 34: 1, 35: 32 * (45 + 4), 38: 32 * 80}
    assert words_of(work) == expected


def test_words_of_a_depthwise_convolution() -> None:
    work = Convolution((6, 17, 5), (6, 17, 5), (3, 3), 1, (1, 1, 1), 3, False, is_depthwise=True)
    expected = {0: 1, 4: 1, 5: 1, 6: 17, 7: 6, 8: 32, 9: 192, 10: 3, 11: 3, 12: 2, 13: 6}
    expected |= {15: 2, 16: 192, 17: 1, 18: 1, 19: 3, 20: 1 | 1 << 8 | 1 << 12}
    expected |= {32: 5, 33: 208, 34: 4, 35: 208, 36: 4, 37: 192, 38: 192}
    assert words_of(work) == expected


def test_words_of_a_fully_connected_layer() -> None:
    expected = {0: 0, 4: 3, 5: 1, 14: 1, 15: 2, 18: 1, 19: 31}
    expected |= {32: 2, 33: 4 * 256, 34: 1, 35: 4 * 256, 38: 16}
    found = words_of(FullyConnected(33, 20, 31, True))
    assert found == {index: word for index, word in expected.items() if word}


def test_words_of_an_addition() -> None:
    assert words_of(Addition(480, 1)) == {0: 3, 4: 30, 15: 2, 18: 1, 19: 1, 32: 1, 34: 1}


@pytest.mark.parametrize(
    ("channels", "outputs", "jobs", "blocks"),
    [
        # 16 outputs of 1x1 windows have (channels + 4) * 16 bytes, of which the memory takes 65,536.
        (1020, 64, 1, 4),
        (1021, 64, 2, 2),
        (2045, 64, 4, 1),
        (1400, 48, 3, 1),
        (4092, 16, 1, 1),
    ],
)
def test_outputs_are_parted_so_that_their_weights_fit(
    channels: int, outputs: int, jobs: int, blocks: int
) -> None:
    work = pw(channels, outputs, 3)
    words = record(work)
    assert work.jobs == jobs == words[32]
    assert words[5] == blocks
    assert words[33] == words[35] == blocks * 16 * (channels + 4) <= 65_536
    assert words[38] == blocks * 16 * 3 * 16


def test_channels_and_outputs_are_joined_as_a_chip_may_take_them() -> None:
    """As kernels/diana encodes them: 17 groups of channels, of which a list has 16; nine blocks of 41 * 256 bytes."""
    plain = conv(66, 66, (5, 25), (3, 3), 1, (1, 1), depthwise=True)
    listed, looped = (
        replace(plain, features=frozenset({name}))
        for name in ("instruction-lists", "channel-loops")
    )
    words = words_of(plain)
    assert words_of(listed) == words | {16: 4 * 160, 39: 16}
    joined = {9: 4 * 160, 16: 4 * 160, 22: 208, 23: 17, 39: 17}
    assert words_of(looped) == words | joined
    assert (plain.jobs, listed.jobs, looped.jobs) == (66, 2 + 2 + 1 + 1, 4)
    assert (plain.planes_behind, listed.planes_behind, looped.planes_behind) == (15, 60, 60)
    assert loaded_bytes(plain) == loaded_bytes(listed) == loaded_bytes(looped)
    vector = fc(636, 130)
    whole = replace(vector, features=frozenset({"whole-vectors"}))
    block = 41 * 256
    assert words_of(whole) == words_of(vector) | {5: 3, 32: 3, 33: 3 * block, 35: 3 * block, 38: 48}
    lists = replace(vector, features=frozenset({"instruction-lists"}))
    assert words_of(lists) == words_of(vector) | {39: 6}
    assert (vector.jobs, whole.jobs, lists.jobs) == (9, 3, 2)


@pytest.mark.parametrize(
    "work",
    [
        # No second group; 60 planes of 32x96 beside those of both images.
        dw(4, 16, 1),
        conv(20, 20, (32, 96), (3, 3), 1, (1, 1), depthwise=True),
    ],
)
def test_channels_are_not_joined_without_need_or_room(work: Convolution) -> None:
    features: Features = frozenset({"channel-loops", "instruction-lists"})
    assert words_of(replace(work, features=features)) == words_of(work)
    assert replace(work, features=features).planes_behind == 15


def test_planes_behind_a_result_are_those_up_to_16_channels() -> None:
    assert pw(3, 16, 5).planes_behind == 0
    assert pw(3, 17, 5).planes_behind == 15
    assert pw(3, 8, 5).planes_behind == 8
    assert dw(64, 5, 1).planes_behind == 15
