import math

import numpy as np
import pytest
from composed import Reals, assert_close, composed, numbers, result, results
from tinsmith_ir import UnsupportedError
from tinsmith_ir.operators import BatchMatmul, Broadcast, Select, Transpose
from tinsmith_tensors import Composer, Tensor
from tinsmith_tensors.attention import (
    filled,
    join_heads,
    rotary_embedding,
    rows_at,
    scaled_dot_product_attention,
    split_heads,
    window,
)


def attended_result(c: Composer, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    return scaled_dot_product_attention(c, query, key, value).result


def attended(query: Reals, key: Reals, value: Reals, scores_bias: Reals) -> Reals:
    """By definition, of one head."""
    scores = query @ key.T / math.sqrt(query.shape[-1]) + scores_bias
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True) @ value


@pytest.mark.parametrize("groups", [1, 2, 4])
def test_heads_share_keys_in_groups_without_copies(groups: int) -> None:
    query, key, value = (
        numbers(1, 2, 4, 3, 6),
        numbers(2, 2, groups, 5, 6),
        numbers(3, 2, groups, 5, 2),
    )
    graph = composed(attended_result, query, key, value)
    kinds = [type(node.operator) for node in graph.nodes]
    assert Broadcast not in kinds
    assert Transpose not in kinds
    found = result(attended_result, query, key, value)
    for batch in range(2):
        for head in range(4):
            own = head * groups // 4
            expected = attended(query[batch, head], key[batch, own], value[batch, own], np.zeros(5))
            assert_close(found[batch, head], expected)


def test_keys_are_read_as_they_lie() -> None:
    graph = composed(
        attended_result,
        *(numbers(seed, 1, 2, 3, 4) for seed in range(3)),
    )
    products = [node.operator for node in graph.nodes if isinstance(node.operator, BatchMatmul)]
    assert products == [BatchMatmul(transpose_rhs=True), BatchMatmul()]


def test_masks_are_added_or_forbid() -> None:
    query, key, value = (numbers(seed, 1, 1, 3, 4) for seed in range(3))
    bias, allowed = numbers(4, 3, 3), np.array([[1, 0, 1], [1, 1, 0], [0, 0, 1]], np.bool_)

    def masked(c: Composer, q: Tensor, k: Tensor, v: Tensor, b: Tensor, a: Tensor) -> Tensor:
        return scaled_dot_product_attention(c, q, k, v, bias=b, allowed=[a]).result

    expected = attended(query[0, 0], key[0, 0], value[0, 0], np.where(allowed, bias, -np.inf))
    for known in ((), (3, 4)):
        found = result(masked, query, key, value, bias, allowed, known=known)
        assert_close(found[0, 0], expected)


@pytest.mark.parametrize("known", [(), (3,)])
def test_a_query_that_sees_no_key_gives_zeros(known: tuple[int, ...]) -> None:
    query, key, value = (numbers(seed, 1, 1, 2, 4) for seed in range(3))
    allowed = np.array([[False, False], [True, True]])

    def both(c: Composer, q: Tensor, k: Tensor, v: Tensor, a: Tensor) -> list[Tensor]:
        found = scaled_dot_product_attention(c, q, k, v, allowed=[a])
        return [found.result, found.weights]

    found, weights = results(both, query, key, value, allowed, known=known)
    assert not found[0, 0, 0].any()
    assert not weights[0, 0, 0].any()
    assert np.isfinite(found).all()
    assert_close(weights[0, 0, 1].sum(), 1.0, rtol=1e-6)

    bias = np.where(allowed, 0.0, -np.inf)
    found = result(
        lambda c, q, k, v, b: scaled_dot_product_attention(c, q, k, v, bias=b).result,
        query,
        key,
        value,
        bias,
        known=known,
    )
    assert not found[0, 0, 0].any()
    assert np.isfinite(found).all()


def test_no_guard_where_it_is_known_that_every_query_sees_a_key() -> None:
    def causal(c: Composer, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        allowed = window(c, 3, 3, c.known(np.array(0)), left=None, right=0)
        return scaled_dot_product_attention(c, q, k, v, allowed=allowed).result

    inputs = [numbers(seed, 1, 1, 3, 4) for seed in range(3)]
    graph = composed(causal, *inputs)
    assert sum(isinstance(node.operator, Select) for node in graph.nodes) == 1
    query, key, value = (array[0, 0] for array in inputs)
    lower = np.where(np.tri(3) == 1, 0, -np.inf)
    assert_close(result(causal, *inputs)[0, 0], attended(query, key, value, lower))


def test_scores_are_capped_before_masks() -> None:
    query, key, value = (5 * numbers(seed, 1, 1, 2, 4) for seed in range(3))

    def capped(c: Composer, q: Tensor, k: Tensor, v: Tensor) -> list[Tensor]:
        found = scaled_dot_product_attention(c, q, k, v, scale=1.0, softcap=2.0)
        return [found.scores, found.capped]

    scores, tamed = results(capped, query, key, value)
    assert_close(scores, query @ key.swapaxes(2, 3))
    assert_close(tamed, 2 * np.tanh(scores / 2))


def test_windows_reach_left_and_right_of_where_a_query_stands() -> None:
    def seen(c: Composer, offset: Tensor) -> list[Tensor]:
        return window(c, 2, 5, offset, left=1, right=2)

    left, right = results(seen, np.array(1, np.int32))
    assert np.minimum(left, right).tolist() == [[1, 1, 1, 1, 0], [0, 1, 1, 1, 1]]


def test_the_first_keys_count() -> None:
    found = result(lambda c, n: filled(c, 3, n), np.array([1, 3], np.int64))
    assert found.astype(int).tolist() == [[[[1, 0, 0]]], [[[1, 1, 1]]]]


def test_heads_are_split_and_joined() -> None:
    x = numbers(1, 2, 3, 8)
    found = result(lambda c, t: split_heads(c, t, 4), x)
    assert np.array_equal(found, x.reshape(2, 3, 4, 2).transpose(0, 2, 1, 3))
    assert np.array_equal(result(lambda c, t: join_heads(c, split_heads(c, t, 4)), x), x)


@pytest.mark.parametrize("interleaved", [False, True])
def test_pairs_are_turned_by_their_angle_and_the_rest_stays(interleaved: bool) -> None:
    x, angles = numbers(1, 2, 3, 6), numbers(2, 1, 3, 2)
    found = result(
        lambda c, t, cos, sin: rotary_embedding(c, t, cos, sin, interleaved=interleaved),
        x,
        np.cos(angles),
        np.sin(angles),
    )
    places = ([0, 2], [1, 3]) if interleaved else ([0, 1], [2, 3])
    turned = (x[..., places[0]] + 1j * x[..., places[1]]) * np.exp(1j * angles)
    expected = x.copy()
    expected[..., places[0]], expected[..., places[1]] = turned.real, turned.imag
    assert_close(found, expected)


def test_rows_of_a_table_are_taken_at_computed_positions() -> None:
    table = numbers(1, 4, 2)
    found = result(rows_at, table, np.array([[3, 0]], np.int64), known=(0,))
    assert np.array_equal(found, table[[[3, 0]]])


def test_what_does_not_fit_is_refused() -> None:
    one, two, three = (numbers(1, 1, heads, 2, 2) for heads in (1, 2, 3))
    with pytest.raises(UnsupportedError, match="heads that divide 3"):
        composed(attended_result, three, two, two)
    with pytest.raises(UnsupportedError, match="as many places"):
        composed(attended_result, two, two, one)
    with pytest.raises(UnsupportedError, match="heads that 2 channels fill, got 3"):
        composed(lambda c, t: split_heads(c, t, 3), numbers(1, 1, 2, 2))
    with pytest.raises(UnsupportedError, match="at most 1 pairs"):
        composed(rotary_embedding, one, numbers(1, 2), numbers(1, 2))
