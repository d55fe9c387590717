import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest
from composed import Function, Reals, assert_close, composed, numbers, result
from tinsmith_ir import DType, UnsupportedError, evaluate_graph
from tinsmith_ir.operators import AveragePool2D, MaxPool2D, Operator, Transpose
from tinsmith_tensors import Composer, Tensor
from tinsmith_tensors.pools import (
    Windows,
    adaptive_average_pool,
    adaptive_max_pool,
    average_pool,
    global_lp_pool,
    lp_pool,
    max_pool,
    max_pool_indices,
    max_unpool,
)

WINDOWS = [
    Windows((3,), (2,), ((1, 1),)),
    Windows((3, 2), (2, 1), ((1, 0), (0, 1))),
    Windows((2, 2), (3, 2), ((0, 0), (1, 1)), ceil=True),
    Windows((2, 3), (1, 2), ((1, 1), (2, 1)), (2, 1), ceil=True),
    Windows((2, 3, 2), (2, 1, 2), ((1, 0), (1, 1), (0, 1))),
    Windows((2, 1, 3), (1, 2, 2), ((0, 1), (0, 0), (1, 1)), (2, 1, 1), ceil=True),
]


def seen(x: Reals, windows: Windows, reduce: Callable[[Reals], float]) -> Reals:
    """What `reduce` makes of the elements under each window that are there."""
    counts = windows.counts(x.shape[2:])
    made = np.zeros((*x.shape[:2], *counts))
    for place in itertools.product(*map(range, made.shape)):
        taps = [
            [
                at * step - before + tap * spread
                for tap in range(size)
                if 0 <= at * step - before + tap * spread < there
            ]
            for at, step, (before, _), size, spread, there in zip(
                place[2:],
                windows.stride,
                windows.pads,
                windows.size,
                windows.dilation,
                x.shape[2:],
                strict=True,
            )
        ]
        made[place] = reduce(x[place[:2]][np.ix_(*taps)])
    return made


def image(windows: Windows, seed: int = 0) -> Reals:
    return numbers(seed, 2, 3, *(7, 6, 5)[: len(windows.size)])


@pytest.mark.parametrize("windows", WINDOWS)
def test_maxima_and_where_they_are(windows: Windows) -> None:
    x = image(windows)
    expected = seen(x, windows, lambda part: float(part.max()))
    assert np.array_equal(result(lambda c, x: max_pool(c, x, windows), x), expected)
    places = result(lambda c, x: max_pool_indices(c, x, windows), x)
    planes = x.reshape(2, 3, -1)
    found = np.take_along_axis(planes, places.reshape(2, 3, -1).astype(int), 2)
    assert np.array_equal(found.reshape(expected.shape), expected)


def test_of_equal_ones_the_first_is_found_and_columns_may_count_first() -> None:
    x = np.array([[[[1, 5, 5], [5, 0, 1]]]], np.float32)
    windows = Windows((2, 3), (1, 1), ((0, 0), (0, 0)))
    assert result(lambda c, x: max_pool_indices(c, x, windows), x).item() == 1
    turned = result(lambda c, x: max_pool_indices(c, x, windows, column_major=True), x)
    assert turned.item() == 2


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32])
def test_maxima_of_integers_that_stand_for_themselves(dtype: type[np.generic]) -> None:
    x = np.array([[[3, 1, 120, 0, 7]]]).astype(dtype)
    windows = Windows((2,), (2,), ((0, 1),), ceil=True)
    graph = composed(lambda c, x: max_pool(c, x, windows), x)
    assert graph.outputs[0].type == graph.inputs[0].type.with_shape((1, 1, 3))
    assert evaluate_graph(graph, [x])["y0"].tolist() == [[[3, 120, 7]]]


@pytest.mark.parametrize("windows", WINDOWS)
def test_means_of_what_is_there(windows: Windows) -> None:
    x = image(windows)
    expected = seen(x, windows, lambda part: float(part.mean()))
    made = result(lambda c, x: average_pool(c, x, windows), x)
    assert_close(made, expected)


@pytest.mark.parametrize("windows", WINDOWS)
def test_means_that_count_zeros_and_sums_by_a_divisor(windows: Windows) -> None:
    x = image(windows)
    grown = np.pad(x, ((0, 0), (0, 0), *windows.pads))
    bare = Windows(
        windows.size, windows.stride, ((0, 0),) * len(windows.size), windows.dilation, windows.ceil
    )
    # A last window may begin in what was added only if padding counts as there.
    counts = windows.counts(x.shape[2:])
    inside = (slice(None), slice(None), *(slice(0, count) for count in counts))
    expected = seen(grown, bare, lambda part: float(part.mean()))[inside]
    made = result(lambda c, x: average_pool(c, x, windows, counts_padding=True), x)
    assert_close(made, expected)
    expected = seen(x, windows, lambda part: float(part.sum())) / 3
    made = result(lambda c, x: average_pool(c, x, windows, divisor=3), x)
    assert_close(made, expected, atol=1e-5)


@pytest.mark.parametrize("p", [1, 2, 3])
def test_norms(p: int) -> None:
    x = image(WINDOWS[1])
    expected = seen(x, WINDOWS[1], lambda part: float((np.abs(part) ** p).sum() ** (1 / p)))
    made = result(lambda c, x: lp_pool(c, x, WINDOWS[1], p), x)
    assert_close(made, expected)
    whole = (np.abs(x) ** p).sum(axis=(2, 3), keepdims=True) ** (1 / p)
    assert_close(result(lambda c, x: global_lp_pool(c, x, p), x), whole)


def test_a_pool_that_the_graph_has_is_one_operator_between_transposes() -> None:
    windows = Windows((2, 2), (2, 2), ((1, 0), (0, 1)), ceil=True)
    pools: list[tuple[Function, type[Operator]]] = [
        (lambda c, x: max_pool(c, x, windows), MaxPool2D),
        (lambda c, x: average_pool(c, x, windows), AveragePool2D),
    ]
    for pool, kind in pools:
        graph = composed(pool, numbers(0, 1, 3, 5, 5))
        assert [type(node.operator) for node in graph.nodes] == [Transpose, kind, Transpose]


def test_a_last_window_that_begins_in_the_padding_behind_is_none() -> None:
    windows = Windows((3,), (2,), ((0, 2),), ceil=True)
    # Over 1 2 | . . they begin at 0 and 2; the second sees padding alone.
    assert windows.counts([2]) == (1,)
    assert windows.counts([3]) == (2,)


@pytest.mark.parametrize("sizes", [(1, 1), (3, 2), (4, 5), (7, 6), (9, 4)])
def test_windows_that_adapt_to_a_size(sizes: tuple[int, int]) -> None:
    x = numbers(0, 2, 3, 6, 4)
    means, maxima = np.zeros((2, 3, *sizes)), np.zeros((2, 3, *sizes))
    for row, column in itertools.product(range(sizes[0]), range(sizes[1])):
        cut = x[
            :,
            :,
            row * 6 // sizes[0] : math.ceil((row + 1) * 6 / sizes[0]),
            column * 4 // sizes[1] : math.ceil((column + 1) * 4 / sizes[1]),
        ]
        means[:, :, row, column] = cut.mean(axis=(2, 3))
        maxima[:, :, row, column] = cut.max(axis=(2, 3))
    made = result(lambda c, x: adaptive_average_pool(c, x, sizes), x)
    assert_close(made, means)
    assert np.array_equal(result(lambda c, x: adaptive_max_pool(c, x, sizes), x), maxima)


@pytest.mark.parametrize("known", [(), (1,)])
def test_maxima_go_back_to_where_they_were(known: tuple[int, ...]) -> None:
    x = np.array([[[[4, 8]], [[1, 2]]]], np.float32)
    indices = np.array([[[[1, 2]], [[0, 3]]]], np.int64)

    def function(c: Composer, x: Tensor, indices: Tensor) -> Tensor:
        return max_unpool(c, x, indices, (1, 4))

    assert result(function, x, indices, known=known).tolist() == [[[[0, 4, 8, 0]], [[1, 0, 0, 2]]]]


def test_windows_that_see_nothing_are_refused() -> None:
    x = numbers(0, 1, 1, 3)
    far = Windows((1,), (1,), ((1, 0),))
    with pytest.raises(UnsupportedError, match="of padding alone"):
        composed(lambda c, x: average_pool(c, x, far), x)
    with pytest.raises(UnsupportedError, match="within the padded input"):
        composed(lambda c, x: max_pool(c, x, Windows((5,), (1,), ((0, 0),))), x)
    with pytest.raises(UnsupportedError, match="one to three axes"):
        composed(lambda c, x: max_pool(c, x, Windows((1, 1), (1, 1), ((0, 0),) * 2)), x)
    with pytest.raises(UnsupportedError, match="norm of at least 1"):
        composed(lambda c, x: lp_pool(c, x, far, 0), x)
    with pytest.raises(UnsupportedError, match="sizes of at least 1"):
        composed(lambda c, x: adaptive_max_pool(c, x, (0,)), x)


def test_a_window_of_padding_alone_has_no_largest_number() -> None:
    x = np.array([[[2, 1]]], np.float32)
    pooled = result(lambda c, x: max_pool(c, x, Windows((1,), (1,), ((1, 0),))), x)
    assert pooled.tolist() == [[[-math.inf, 2, 1]]]


def test_known_images_are_pooled_at_once() -> None:
    c = Composer("g")
    pooled = max_pool(
        c, c.known(np.array([[[1, 5, 2]]], np.float32)), Windows((2,), (1,), ((0, 0),))
    )
    assert pooled.array is not None
    assert pooled.array.tolist() == [[[5, 5]]]
    assert pooled.type.dtype is DType.FLOAT32
