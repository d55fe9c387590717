"""Rearrangements, against numpy's reshape and transpose."""

import math

import numpy as np
import pytest
from tinsmith_layout.rearrangement import (
    Rearrangement,
    blocks_of,
    rearranged,
    refined,
    reshaped,
    side_by_side,
    transposed,
)

Shape = tuple[int, ...]


def numbered(shape: Shape) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    return np.arange(math.prod(shape)).reshape(shape)


def test_what_always_follows_is_one_digit() -> None:
    """(N, C, H, W) to (N, H, W, C) exchanges channels and places, whatever the places are counted by."""
    assert transposed((2, 3, 4, 5), (0, 2, 3, 1)) == Rearrangement(
        (2, 3, 4, 5), (2, 4, 5, 3), (2, 3, 20), (0, 2, 1)
    )


@pytest.mark.parametrize("permutation", [(0, 1, 2), (1, 0, 2), (2, 0, 1), (0, 2, 1), (1, 2, 0)])
def test_axes_of_length_one_cost_no_move(permutation: tuple[int, int, int]) -> None:
    """Where the others keep their order."""
    assert transposed((1, 6, 1), permutation).is_reshape


def test_nothing_is_a_reshape_to_the_same_shape() -> None:
    assert reshaped((2, 3), (2, 3)).is_nothing
    assert not reshaped((2, 3), (3, 2)).is_nothing
    assert not transposed((2, 3), (1, 0)).is_nothing
    assert transposed((1, 1), (1, 0)).is_nothing


def test_there_and_back_is_nothing() -> None:
    """Also where a reshape joins, in between, what stays together."""
    there = transposed((1, 4, 5, 3), (0, 3, 1, 2))
    joined = there.then(reshaped((1, 3, 4, 5), (1, 3, 20)))
    assert joined is not None
    back = joined.then(transposed((1, 3, 20), (0, 2, 1)))
    assert back is not None
    assert back.is_reshape
    assert back.after == (1, 20, 3)


def test_digits_that_do_not_divide_cannot_follow() -> None:
    first = transposed((4, 3), (1, 0))
    assert first.then(transposed((4, 3), (1, 0)).between((3, 4), (3, 4))) is None
    assert refined((4, 3), (3, 4)) is None
    assert refined((4, 6), (8, 3)) == [(4, 0, 0), (2, 1, 0), (3, 1, 1)]


def test_pieces_are_none_where_axes_do_not_divide() -> None:
    """36 elements as (4, 9) are no digits of (6, 6)."""
    assert rearranged((4, 9), (6, 6), (1, 0), (36,)).pieces is None


@pytest.mark.parametrize("seed", range(50))
def test_chains_do_what_numpy_does(seed: int) -> None:
    """Reshapes that split and join axes, and transposes, one after the other."""
    random = np.random.default_rng(seed)
    primes = [int(prime) for prime in random.choice([1, 2, 2, 3, 5], 5)]
    array = numbered(tuple(primes))
    whole = reshaped(array.shape, array.shape)
    start = array
    for _ in range(6):
        if random.random() < 0.5:
            permutation = tuple(int(axis) for axis in random.permutation(array.ndim))
            step = transposed(array.shape, permutation)
            array = array.transpose(permutation)
        else:
            cut = int(random.integers(array.ndim)) if array.ndim > 1 else 0
            shape = (*array.shape[:cut], -1) if cut else (math.prod(array.shape),)
            array = array.reshape(shape)
            step = reshaped(whole.after, array.shape)
        following = whole.then(step)
        assert following is not None
        whole = following
        assert np.array_equal(whole.of(start), array)
        assert np.array_equal(whole.inverse.of(array), start)
    both = whole.then(whole.inverse)
    assert both is not None
    assert both.is_nothing


def test_axes_side_by_side_keep_to_themselves() -> None:
    turned, kept = transposed((2, 3), (1, 0)).between((6,), (6,)), reshaped((4,), (2, 2))
    both = side_by_side((turned, kept))
    expected = numbered((2, 3, 4)).transpose(1, 0, 2).reshape(6, 2, 2)
    assert np.array_equal(both.of(numbered((6, 4))), expected)


def test_blocks_are_what_happens_within_axes() -> None:
    whole = rearranged((2, 6, 4), (2, 2, 3, 4), (0, 2, 1, 3), (2, 6, 4))
    blocks = blocks_of(whole, (2, 6, 4))
    assert blocks is not None
    assert [block.order for block in blocks] == [(0,), (1, 0), (0,)]
    assert side_by_side(blocks) == whole


def test_blocks_are_none_where_elements_leave_them() -> None:
    assert blocks_of(transposed((2, 3), (1, 0)), (2, 3)) is None
