import numpy as np
import pytest
from composed import composed, numbers, result
from tinsmith_ir import UnsupportedError, evaluate_graph
from tinsmith_ir.operators import Broadcast, Concat, Gather, Reshape, Slice
from tinsmith_tensors import Composer
from tinsmith_tensors.padding import PadMode, pad_by_elements, pad_by_value
from tinsmith_tensors.selection import pick

WIDTHS = ((0, 0), (2, 1), (0, 5), (3, 0))


@pytest.mark.parametrize("mode", PadMode)
@pytest.mark.parametrize("known", [(), (0,)])
def test_own_elements_around_a_tensor(mode: PadMode, known: tuple[int, ...]) -> None:
    x = numbers(0, 2, 3, 4, 2)
    made = result(lambda c, x: pad_by_elements(c, x, WIDTHS, mode), x, known=known)
    assert np.array_equal(made, np.pad(x, WIDTHS, mode=mode.value))


def test_what_is_cut_off_is_not_mirrored() -> None:
    x = np.arange(5, dtype=np.float32)
    made = result(lambda c, x: pad_by_elements(c, x, [(-2, 1)], PadMode.REFLECT), x)
    assert made.tolist() == [2, 3, 4, 3]


@pytest.mark.parametrize(
    ("mode", "kinds"),
    [
        (PadMode.REFLECT, [Slice, Slice, Concat]),
        (PadMode.SYMMETRIC, [Slice, Slice, Concat]),
        (PadMode.EDGE, [Slice, Broadcast, Slice, Broadcast, Concat]),
        (PadMode.WRAP, [Slice, Slice, Concat]),
    ],
)
def test_what_is_padded_is_one_piece_and_nothing_gathered(mode: PadMode, kinds: list[type]) -> None:
    graph = composed(lambda c, x: pad_by_elements(c, x, [(2, 2), (0, 0)], mode), numbers(0, 6, 5))
    assert [type(node.operator) for node in graph.nodes] == kinds
    assert graph.inputs[0] in graph.nodes[-1].inputs


def test_a_computed_value_where_as_much_is_cut_off() -> None:
    x, value = np.array([1, 2, 3.0]), np.array(7.0)
    made = result(lambda c, x, value: pad_by_value(c, x, [(-1, 1)], value), x, value)
    assert made.tolist() == [2, 3, 7]


@pytest.mark.parametrize("known", [(), (1,), (0, 1)])
def test_a_value_around_a_tensor(known: tuple[int, ...]) -> None:
    x, value = numbers(0, 2, 3), np.array(7.5, np.float32)
    made = result(
        lambda c, x, value: pad_by_value(c, x, [(1, 0), (-1, 2)], value), x, value, known=known
    )
    assert np.array_equal(made, np.pad(x[:, 1:], [(1, 0), (0, 2)], constant_values=7.5))


def test_paddings_without_elements_are_refused() -> None:
    c = Composer("g")
    with pytest.raises(UnsupportedError, match="elements to pad with"):
        pad_by_elements(c, c.known(np.zeros((0,), np.float32)), [(1, 1)], PadMode.EDGE)
    with pytest.raises(UnsupportedError, match="one value"):
        pad_by_value(c, c.known(np.zeros(2)), [(1, 1)], c.known(np.zeros(2)))


@pytest.mark.parametrize(
    ("indices", "kinds"),
    [
        ([0, 1, 2, 3, 4, 5, 6, 7], []),
        ([6, 4, 2, 0], [Slice]),
        ([0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7], [Reshape, Broadcast, Reshape]),
        ([5, 5, 5], [Slice, Broadcast]),
        ([4, 5, 6, 7, 0, 1, 2, 3], [Slice, Slice, Concat]),
        ([0, 2, 3, 7, 1, 1, 4, 0, 6, 5, 2, 7], [Gather]),
    ],
)
def test_elements_are_fetched_by_the_cheapest_operators(
    indices: list[int], kinds: list[type]
) -> None:
    x = numbers(0, 3, 8, 2)
    graph = composed(lambda c, x: pick(c, x, 1, np.array(indices)), x)
    assert [type(node.operator) for node in graph.nodes] == (kinds or [Reshape])
    assert np.array_equal(result(lambda c, x: pick(c, x, 1, np.array(indices)), x), x[:, indices])


def test_bytes_that_stand_for_themselves_are_joined() -> None:
    x = np.array([200, 3, 4], np.uint8)
    graph = composed(lambda c, x: pick(c, x, 0, np.array([2, 0, 1])), x)
    assert evaluate_graph(graph, [x])["y0"].tolist() == [4, 200, 3]


@pytest.mark.parametrize("seed", range(20))
def test_any_indices_fetch_what_they_name(seed: int) -> None:
    generator = np.random.default_rng(seed)
    size = int(generator.integers(1, 6))
    steps = generator.integers(-1, 2, 12).cumsum()
    indices = np.abs(steps) % size
    x = numbers(seed, size, 2)
    made = result(lambda c, x: pick(c, x, 0, indices), x)
    assert np.array_equal(made, x[indices])
