import numpy as np
import pytest
from tinsmith_ir.strides import broadcast_strides, dense_strides, merged


def test_dense_strides_count_elements() -> None:
    assert dense_strides((2, 3, 4)) == (12, 4, 1)
    assert dense_strides(()) == ()


def test_broadcast_repeats_by_a_stride_of_zero() -> None:
    assert broadcast_strides((3, 1), (2, 3, 4)) == (0, 1, 0)


@pytest.mark.parametrize(
    ("shape", "walks", "expected"),
    [
        ((2, 3, 4), [(12, 4, 1), (12, 4, 1)], ((24,), ((1,), (1,)))),
        ((2, 3, 4), [(12, 4, 1), (0, 0, 1)], ((6, 4), ((4, 1), (0, 1)))),
        ((2, 1, 4), [(4, 4, 1), (0, 0, 0)], ((8,), ((1,), (0,)))),
        ((1, 1), [(1, 1)], ((1,), ((0,),))),
    ],
)
def test_dimensions_merge_where_every_walk_steps_evenly(
    shape: tuple[int, ...],
    walks: list[tuple[int, ...]],
    expected: tuple[tuple[int, ...], tuple[tuple[int, ...], ...]],
) -> None:
    assert merged(shape, walks) == expected


def test_merged_walk_visits_the_same_elements() -> None:
    random = np.random.default_rng(0)
    for _ in range(200):
        shape = tuple(int(size) for size in random.integers(1, 4, 4))
        permutation = [int(axis) for axis in random.permutation(4)]
        strides = tuple(dense_strides(shape)[axis] for axis in permutation)
        permuted = tuple(shape[axis] for axis in permutation)
        sizes, (steps,) = merged(permuted, [strides])
        assert visited(sizes, steps) == visited(permuted, strides)


def visited(shape: tuple[int, ...], strides: tuple[int, ...]) -> list[int]:
    indices = np.indices(shape).reshape(len(shape), -1)
    return [int(place) for place in np.array(strides) @ indices]
