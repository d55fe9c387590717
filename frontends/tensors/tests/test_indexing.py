"""What graphs look like that take and put elements by indices; what they give is compared with NumPy."""

import numpy as np
import pytest
from composed import assert_close, composed, numbers, result, results
from tinsmith_ir import Graph, UnsupportedError
from tinsmith_tensors import Composer, Tensor, indexing, movement, scans, scattering
from tinsmith_tensors.scattering import Combine

X = numbers(1, 2, 3, 4)


def mnemonics(graph: Graph) -> list[str]:
    return [node.operator.mnemonic for node in graph.nodes]


def whole(*values: int) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    return np.array(values, np.int32)


@pytest.mark.parametrize(
    ("indices", "expected"),
    [
        ([1, 2], ["slice"]),
        ([0, 2], ["slice"]),
        ([2, 1, 0], ["slice"]),
        ([-1], ["slice"]),
        ([0, 2, 1], ["gather"]),
        ([1, 1], ["gather"]),
    ],
)
def test_known_indices_in_equal_steps_are_a_slice(indices: list[int], expected: list[str]) -> None:
    def function(c: Composer, x: Tensor, at: Tensor) -> Tensor:
        return indexing.gather(c, x, at, 1)

    arrays = X, np.array(indices)
    assert mnemonics(composed(function, *arrays, known=[1])) == expected
    assert_close(result(function, *arrays, known=[1]), X[:, indices])


def test_no_indices_take_nothing_which_is_known() -> None:
    c = Composer("g")
    x = c.input("x", composed(lambda _, x: x, X).inputs[0].type)
    found = indexing.gather(c, x, c.known(np.zeros((2, 0), np.int64)), 1)
    assert found.is_known
    assert found.shape == (2, 2, 0, 4)


def test_computed_indices_below_zero_count_from_the_end() -> None:
    def function(c: Composer, x: Tensor, at: Tensor) -> Tensor:
        return indexing.gather(c, x, at, -1)

    assert_close(result(function, X, whole(-1, 0, -4)), X[..., [3, 0, 0]])


def test_computed_indices_of_uint8_are_not_compared_with_zero() -> None:
    def function(c: Composer, x: Tensor, at: Tensor) -> Tensor:
        return indexing.gather(c, x, at, 0)

    graph = composed(function, X, np.array([1, 0], np.uint8))
    assert mnemonics(graph) == ["cast", "gather"]


@pytest.mark.parametrize("combine", Combine)
def test_a_box_of_known_indices_is_cut_out_and_joined(combine: Combine) -> None:
    def function(c: Composer, x: Tensor, at: Tensor, updates: Tensor) -> Tensor:
        return scattering.scatter_elements(c, x, at, updates, 1, combine)

    updates = numbers(2, 2, 2, 4)
    at = np.broadcast_to(np.array([1, 2])[:, np.newaxis], updates.shape)
    graph = composed(function, X, at, updates, known=[1])
    assert set(mnemonics(graph)) <= {"slice", "concat", "add", "mul", "minimum", "maximum"}
    expected, apply = X.copy(), UFUNCS[combine]
    expected[:, 1:] = updates if apply is None else apply(X[:, 1:], updates)
    assert_close(result(function, X, at, updates, known=[1]), expected)


UFUNCS = {
    Combine.REPLACE: None,
    Combine.ADD: np.add,
    Combine.MUL: np.multiply,
    Combine.MIN: np.minimum,
    Combine.MAX: np.maximum,
}


def test_one_computed_place_is_a_comparison() -> None:
    def function(c: Composer, x: Tensor, at: Tensor, updates: Tensor) -> Tensor:
        return scattering.scatter_nd(c, x, at, updates)

    rows = numbers(3, 4, 5)
    arrays = rows, whole(2).reshape(1, 1), numbers(4, 1, 5)
    assert "gather" not in mnemonics(composed(function, *arrays))
    expected = rows.copy()
    expected[2] = arrays[2]
    assert_close(result(function, *arrays), expected)


def test_of_several_computed_updates_the_last_remains() -> None:
    def function(c: Composer, x: Tensor, at: Tensor, updates: Tensor) -> Tensor:
        return scattering.scatter_nd(c, x, at, updates)

    x, updates = numbers(5, 3, 2), numbers(6, 4, 2)
    at = whole(2, 0, 2, -1).reshape(4, 1)
    expected = x.copy()
    expected[0], expected[2] = updates[1], updates[3]
    assert_close(result(function, x, at, updates), expected)
    assert_close(result(function, x, at, updates, known=[1]), expected)


@pytest.mark.parametrize("is_circular", [False, True])
@pytest.mark.parametrize("known", [[], [2]])
@pytest.mark.parametrize("count", [1, 2])
def test_caches_take_new_rows_of_each_batch(
    is_circular: bool, known: list[int], count: int
) -> None:
    def function(c: Composer, x: Tensor, updates: Tensor, begins: Tensor) -> Tensor:
        return scattering.scatter_windows(c, x, updates, begins, 2, is_circular=is_circular)

    cache, updates = numbers(7, 2, 3, 4, 5), numbers(8, 2, 3, count, 5)
    begins = whole(1, 3 if is_circular else 2)
    expected = cache.copy()
    for batch, begin in enumerate(begins):
        expected[batch][:, (begin + np.arange(count)) % 4] = updates[batch]
    assert_close(result(function, cache, updates, begins, known=known), expected)


def test_updates_beyond_a_cache_are_refused_where_that_is_known() -> None:
    def function(c: Composer, x: Tensor, updates: Tensor, begins: Tensor) -> Tensor:
        return scattering.scatter_windows(c, x, updates, begins, 1, is_circular=False)

    with pytest.raises(
        UnsupportedError, match="expected updates that end within 3, got one up to 4"
    ):
        composed(function, X, X[:, :2], whole(0, 2), known=[2])
    with pytest.raises(UnsupportedError, match="expected updates within"):
        composed(function, X, X[:1], whole(0, 2), known=[2])


@pytest.mark.parametrize("size", [1, 2, 5, 8])
@pytest.mark.parametrize("exclusive", [False, True])
@pytest.mark.parametrize("reverse", [False, True])
def test_products_of_what_lies_in_front_take_few_steps(
    size: int, exclusive: bool, reverse: bool
) -> None:
    def function(c: Composer, x: Tensor) -> Tensor:
        return scans.cumprod(c, x, 1, exclusive=exclusive, reverse=reverse)

    x = numbers(9, 2, size)
    rows = x[:, ::-1] if reverse else x
    if exclusive:
        rows = np.concatenate([np.ones((2, 1)), rows[:, :-1]], 1)
    products = np.cumprod(rows, 1)
    assert_close(result(function, x), products[:, ::-1] if reverse else products)
    steps = mnemonics(composed(function, x)).count("mul")
    assert steps == int(np.ceil(np.log2(size)))


@pytest.mark.parametrize("size", [1, 2, 5, 8])
def test_logarithms_of_sums_of_exponentials_do_not_overflow(size: int) -> None:
    def function(c: Composer, x: Tensor) -> Tensor:
        return scans.log_cumsum_exp(c, x, 1)

    x = numbers(9, 2, size) * 100
    expected = np.logaddexp.accumulate(x.astype(np.float64), 1)
    assert_close(result(function, x), expected)


def test_narrow_integers_are_summed_in_wide_ones_and_wrap() -> None:
    def function(c: Composer, x: Tensor) -> Tensor:
        return scans.cumsum(c, x, 0)

    x = np.array([100, 100, 100], np.int8)
    assert_close(result(function, x), [100, -56, 44])


@pytest.mark.parametrize("largest", [False, True])
@pytest.mark.parametrize("known", [[], [0]])
def test_the_first_of_equal_ones_ranks_first_and_nan_last(largest: bool, known: list[int]) -> None:
    def function(c: Composer, x: Tensor) -> tuple[Tensor, Tensor]:
        return scans.top_k(c, x, 4, 0, largest=largest)

    x = np.array([1.0, np.nan, 2.0, 1.0])
    values, places = results(function, x, known=known)
    order = [2, 0, 3, 1] if largest else [0, 3, 2, 1]
    assert_close(places, order)
    assert_close(values, x[order])


@pytest.mark.parametrize("shift", [-5, -1, 0, 2, 4])
def test_roll(shift: int) -> None:
    def function(c: Composer, x: Tensor) -> Tensor:
        return movement.roll(c, x, shift, -1)

    assert_close(result(function, X), np.roll(X, shift, -1))


@pytest.mark.parametrize("axis", [0, -1])
def test_repeat(axis: int) -> None:
    def function(c: Composer, x: Tensor) -> Tensor:
        return movement.repeat(c, x, 3, axis)

    assert_close(result(function, X), np.repeat(X, 3, axis))
    assert_close(result(function, X, known=[0]), np.repeat(X, 3, axis))


def test_no_repetitions_leave_nothing_which_is_known() -> None:
    c = Composer("g")
    x = c.input("x", composed(lambda _, x: x, X).inputs[0].type)
    assert movement.tile(c, x, [1, 0, 2]).shape == (2, 0, 8)


def test_a_triangle_that_has_all_elements_is_what_it_is_of() -> None:
    def function(c: Composer, x: Tensor) -> Tensor:
        return indexing.triangle(c, x, -2, upper=True)

    assert mnemonics(composed(function, X)) == ["reshape"]  # an output of its own


@pytest.mark.parametrize("known", [[], [0]])
def test_numbers_are_looked_up(known: list[int]) -> None:
    def function(c: Composer, x: Tensor) -> Tensor:
        return indexing.look_up(c, x, [5, 7], np.array([0.5, 1.5]), np.array([9.0]))

    assert_close(result(function, whole(7, 6, 5), known=known), [1.5, 9.0, 0.5])
