"""Weights of fully connected layers in the order of the MVE kernel."""

import numpy as np
from tinsmith_cmsis_nn.packing import pack_fully_connected, pack_fully_connected_small
from tinsmith_cmsis_nn.packing_mve import arrange_fully_connected, arrange_fully_connected_small


def test_six_rows_alternate_by_chunks_of_sixteen() -> None:
    weights = np.arange(6 * 32).reshape(6, 32).astype(np.int8)
    arranged = arrange_fully_connected(weights).reshape(2, 6, 16)
    for chunk in (0, 1):
        assert (arranged[chunk] == weights[:, 16 * chunk : 16 * chunk + 16]).all()


def test_a_last_group_has_only_its_own_rows_and_zeros_fill_chunks() -> None:
    weights = np.arange(1, 8 * 3 + 1, dtype=np.int8).reshape(8, 3)
    arranged = arrange_fully_connected(weights)
    assert arranged.size == 8 * 16
    assert (arranged.reshape(8, 16)[:, :3] == weights).all()
    assert not arranged.reshape(8, 16)[:, 3:].any()


def test_one_scale_or_many_are_arranged_alike() -> None:
    weights = np.arange(-20, 20, dtype=np.int8).reshape(4, 10)
    one, many = (
        pack_fully_connected(
            "mve",
            weights,
            None,
            np.full(count, 1 << 30, np.int32),
            np.full(count, -3, np.int32),
            input_zero_point=5,
        )
        for count in (1, 4)
    )
    assert (one.weights == many.weights).all()
    assert (one.bias == many.bias).all()
    assert one.bias.tolist() == [-5 * int(row.sum()) for row in weights.astype(int)]


def test_four_rows_alternate_where_weights_are_few() -> None:
    weights = np.arange(1, 5 * 18 + 1, dtype=np.int8).reshape(5, 18)
    # (groups, chunks, rows, 16)
    arranged = arrange_fully_connected_small(weights).reshape(2, 2, 4, 16)
    assert (arranged[0, 0] == weights[:4, :16]).all()
    assert (arranged[0, 1, :, :2] == weights[:4, 16:]).all()
    assert (arranged[1, 0, 0] == weights[4, :16]).all()
    assert not arranged[0, 1, :, 2:].any()
    assert not arranged[1, :, 1:].any()


def test_a_scale_of_few_weights_is_there_for_each_of_four_lanes() -> None:
    weights = np.ones((5, 3), np.int8)
    for count, multipliers in ((1, [7, 7, 7, 7]), (5, [7, 8, 9, 10, 11, 0, 0, 0])):
        packed = pack_fully_connected_small(
            weights,
            None,
            np.arange(7, 7 + count, dtype=np.int32),
            np.full(count, -3, np.int32),
            input_zero_point=2,
        )
        assert packed.multiplier.tolist() == multipliers
        assert packed.shift.size == len(multipliers)
        assert packed.bias.tolist() == [-6] * 5 + [0] * 3
