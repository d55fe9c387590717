from collections.abc import Callable

import numpy as np
import pytest
from composed import Reals, assert_close, composed, numbers, result
from tinsmith_ir import UnsupportedError
from tinsmith_tensors import Composer, Tensor, reductions

Reduction = Callable[..., Tensor]
Axes = tuple[int, ...]
Reference = Callable[[Reals, Axes, bool], Reals]


def along(function: Callable[..., object], of: Callable[[Reals], Reals]) -> Reference:
    """NumPy's reduction of what `of` makes of each element."""

    def reduced(x: Reals, axes: Axes, keep_dims: bool) -> Reals:
        return np.asarray(function(of(x), axis=axes, keepdims=keep_dims), np.float64)

    return reduced


def itself(x: Reals) -> Reals:
    return x


def root(inner: Reference) -> Reference:
    return lambda x, axes, keep_dims: np.sqrt(inner(x, axes, keep_dims))


def logarithm(inner: Reference) -> Reference:
    return lambda x, axes, keep_dims: np.log(inner(x, axes, keep_dims))


SQUARES = along(np.sum, np.square)
REDUCTIONS: dict[str, tuple[Reduction, Reference]] = {
    "total": (reductions.total, along(np.sum, itself)),
    "mean": (reductions.mean, along(np.mean, itself)),
    "product": (reductions.product, along(np.prod, itself)),
    "largest": (reductions.largest, along(np.max, itself)),
    "smallest": (reductions.smallest, along(np.min, itself)),
    "l1_norm": (reductions.l1_norm, along(np.sum, np.abs)),
    "l2_norm": (reductions.l2_norm, root(SQUARES)),
    "square_sum": (reductions.square_sum, SQUARES),
    "log_sum_exp": (reductions.log_sum_exp, logarithm(along(np.sum, np.exp))),
}


@pytest.mark.parametrize("known", [(), (0,)])
@pytest.mark.parametrize("keep_dims", [False, True])
@pytest.mark.parametrize("axes", [None, (1,), (-1, 0), (0, 1, 2)])
@pytest.mark.parametrize("name", REDUCTIONS)
def test_floats_are_reduced(
    name: str, axes: tuple[int, ...] | None, keep_dims: bool, known: tuple[int, ...]
) -> None:
    function, expected = REDUCTIONS[name]
    x = numbers(1, 2, 3, 4)
    found = result(lambda c, t: function(c, t, axes, keep_dims=keep_dims), x, known=known)
    chosen = (0, 1, 2) if axes is None else axes
    assert_close(found, expected(x, chosen, keep_dims), rtol=1e-4)


@pytest.mark.parametrize("known", [(), (0,)])
@pytest.mark.parametrize("dtype", ["<i4", "<i8"])
@pytest.mark.parametrize("name", ["total", "mean", "product", "largest", "smallest", "square_sum"])
def test_integers_are_reduced(name: str, dtype: str, known: tuple[int, ...]) -> None:
    function, expected = REDUCTIONS[name]
    x = np.random.default_rng(2).integers(1, 9, (2, 3, 2)).astype(dtype)
    found = result(lambda c, t: function(c, t, (1,), keep_dims=False), x, known=known)
    assert np.array_equal(found, np.floor(expected(x.astype(np.float64), (1,), False)))


def test_sums_of_exponentials_do_not_overflow() -> None:
    x = np.array([[1000.0, 1000.0], [-1000.0, -1000.0]])
    found = result(lambda c, t: reductions.log_sum_exp(c, t, (1,), keep_dims=False), x)
    assert_close(found, [1000 + np.log(2), -1000 + np.log(2)])


@pytest.mark.parametrize(
    ("function", "ends"),
    [(reductions.largest, (-np.inf, -128, False)), (reductions.smallest, (np.inf, 127, True))],
)
def test_extremes_of_nothing_are_the_ends_of_the_range(
    function: Reduction, ends: tuple[object, ...]
) -> None:
    c = Composer("g")
    for dtype, end in zip(("<f4", "i1", "?"), ends, strict=True):
        found = function(c, c.known(np.zeros((2, 0), dtype)), (1,), keep_dims=False)
        assert found.array is not None
        assert found.array.tolist() == [end, end]


@pytest.mark.parametrize("last", [False, True])
@pytest.mark.parametrize("function", [reductions.arg_max, reductions.arg_min])
def test_of_equal_extremes_the_first_or_the_last_is_found(function: Reduction, last: bool) -> None:
    x = np.array([[1.0, 3.0, 3.0, 1.0], [2.0, 2.0, 2.0, 2.0]])
    found = result(lambda c, t: function(c, t, -1, keep_dims=True, last=last), x)
    is_max = function is reductions.arg_max
    first, second = ([[1], [0]], [[2], [3]]) if is_max else ([[0], [0]], [[3], [3]])
    assert found.tolist() == (second if last else first)


@pytest.mark.parametrize("axes", [(3,), (0, 0), (0, -3)])
def test_axes_that_are_none_or_there_twice_are_refused(axes: tuple[int, ...]) -> None:
    with pytest.raises(UnsupportedError, match="expected different axes within rank 3"):
        composed(lambda c, t: reductions.total(c, t, axes, keep_dims=False), numbers(0, 2, 2, 2))


@pytest.mark.parametrize("keep_dims", [True, False])
def test_the_mean_of_many_numbers_is_one_of_means(keep_dims: bool) -> None:
    x = (100 + numbers(0, 2, 300, 200)).astype(np.float32).astype(np.float64)
    found = result(lambda c, x: reductions.mean(c, x, [1, 2], keep_dims=keep_dims), x)
    # Summed one after another they are off by three millionths.
    assert_close(found, x.mean((1, 2), keepdims=keep_dims), rtol=1e-6)


@pytest.mark.parametrize("known", [(), (0,)])
def test_the_mean_of_integers_is_cut_off(known: tuple[int, ...]) -> None:
    x = np.array([[-3, -4], [3, 4], [-1, 0]], np.int32)
    found = result(lambda c, t: reductions.mean(c, t, [1], keep_dims=False), x, known=known)
    assert found.tolist() == [-3, 3, 0]
