import numpy as np
import pytest
from composed import Reals, assert_close, composed, numbers, result, results
from tinsmith_ir import UnsupportedError
from tinsmith_ir.graph import Graph
from tinsmith_ir.operators import Add, LayerNorm, Mul, Operator, Reshape, RmsNorm
from tinsmith_tensors.normalization import (
    batch_norm,
    group_norm,
    hardmax,
    instance_norm,
    layer_norm,
    local_response_norm,
    log_softmax,
    lp_normalize,
    mean_variance_normalize,
    moments,
    rms_norm,
    softmax,
)


def per_channel(array: Reals, rank: int) -> Reals:
    return array.reshape(-1, *[1] * (rank - 2))


def operators(graph: Graph) -> set[Operator]:
    return {node.operator for node in graph.nodes}


def standardized(x: Reals, axes: tuple[int, ...], epsilon: float) -> Reals:
    rest = x - x.mean(axis=axes, keepdims=True)
    return rest / np.sqrt((rest * rest).mean(axis=axes, keepdims=True) + epsilon)


@pytest.mark.parametrize("shape", [(2, 3), (1, 3, 4), (2, 3, 2, 4)])
@pytest.mark.parametrize("known", [(1, 2, 3, 4), ()])
def test_batch_norm_takes_moments_that_are_known_or_computed(
    shape: tuple[int, ...], known: tuple[int, ...]
) -> None:
    x, scale, bias, mean = numbers(1, *shape), numbers(2, 3), numbers(3, 3), numbers(4, 3)
    variance = np.abs(numbers(5, 3)) + 0.1
    found = result(
        lambda c, t, s, b, m, v: batch_norm(c, t, s, b, m, v, 1e-3),
        x,
        scale,
        bias,
        mean,
        variance,
        known=known,
    )
    rank = len(shape)
    factor = per_channel(scale / np.sqrt(variance + 1e-3), rank)
    assert_close(found, (x - per_channel(mean, rank)) * factor + per_channel(bias, rank))


def test_batch_norm_of_known_numbers_is_one_product_and_one_sum() -> None:
    x, ones = numbers(1, 1, 3, 2, 2), np.ones(3)
    graph = composed(
        lambda c, t, mean, variance: batch_norm(c, t, None, None, mean, variance, 0.0),
        x,
        ones,
        4 * ones,
        known=(1, 2),
    )
    assert [node.operator for node in graph.nodes] == [Mul(), Add()]
    factor, term = (constant.data.reshape(-1).tolist() for constant in graph.constants)
    assert (factor, term) == ([0.5] * 3, [-0.5] * 3)


@pytest.mark.parametrize("shape", [(2, 4, 5), (1, 4, 3, 2), (2, 4, 2, 2, 3)])
def test_instances_and_groups_are_standardized_by_themselves(shape: tuple[int, ...]) -> None:
    x, scale, bias = numbers(1, *shape), numbers(2, 4), numbers(3, 4)
    gain, offset = per_channel(scale, len(shape)), per_channel(bias, len(shape))
    each = standardized(x, tuple(range(2, len(shape))), 1e-5) * gain + offset
    found = result(lambda c, t, s, b: instance_norm(c, t, s, b, 1e-5), x, scale, bias)
    assert_close(found, each, rtol=1e-4, atol=1e-5)

    grouped = standardized(x.reshape(shape[0], 2, -1), (2,), 1e-5).reshape(shape)
    found = result(lambda c, t, s, b: group_norm(c, t, 2, s, b, 1e-5), x, scale, bias, known=(1, 2))
    assert_close(found, grouped * gain + offset, rtol=1e-4, atol=1e-5)


def test_layer_norm_and_its_moments() -> None:
    x, scale, bias = numbers(1, 2, 3, 4), numbers(2, 3, 4), numbers(3, 3, 4)
    found = result(lambda c, t, s, b: layer_norm(c, t, (1, 2), s, b, 1e-5), x, scale, bias)
    assert_close(found, standardized(x, (1, 2), 1e-5) * scale + bias, rtol=1e-4, atol=1e-5)
    mean, inverse = results(lambda c, t: moments(c, t, (1, 2), 1e-5), x)
    assert_close(mean, x.mean(axis=(1, 2), keepdims=True))
    deviation = np.sqrt(x.var(axis=(1, 2), keepdims=True) + 1e-5)
    assert_close(inverse, 1 / deviation)


@pytest.mark.parametrize("axes", [(-1,), (2, 1), (-2, -1)])
def test_norms_over_the_last_axes_are_one_operator(axes: tuple[int, ...]) -> None:
    x = numbers(1, 2, 3, 4)
    row = x.shape[3 - len(axes) :]
    scale, bias = numbers(2, *row), numbers(3, 1, *row)
    graph = composed(
        lambda c, t, s, b: layer_norm(c, t, axes, s, b, 1e-5), x, scale, bias, known=(1, 2)
    )
    assert (
        LayerNorm(1e-5) in operators(graph) <= {LayerNorm(1e-5), Reshape((2, 12)), Reshape(x.shape)}
    )
    graph = composed(lambda c, t, s: rms_norm(c, t, axes, s, 1e-5), x, scale, known=(1,))
    assert RmsNorm(1e-5) in operators(graph) <= {RmsNorm(1e-5), Reshape((2, 12)), Reshape(x.shape)}
    found = result(lambda c, t, s: rms_norm(c, t, axes, s, 1e-5), x, scale)
    power = (x * x).mean(axis=axes, keepdims=True)
    assert_close(found, x / np.sqrt(power + 1e-5) * scale, rtol=1e-5)


@pytest.mark.parametrize("axes", [(0,), (0, 2)])
def test_norms_over_other_axes_are_put_together(axes: tuple[int, ...]) -> None:
    x = numbers(1, 2, 3, 4)
    graph = composed(lambda c, t: layer_norm(c, t, axes, None, None, 1e-5), x)
    assert not operators(graph) & {LayerNorm(1e-5), RmsNorm(1e-5)}
    found = result(lambda c, t: layer_norm(c, t, axes, None, None, 1e-5), x)
    assert_close(found, standardized(x, axes, 1e-5), rtol=1e-4, atol=1e-5)
    found = result(lambda c, t: rms_norm(c, t, axes, None, 1e-5), x)
    assert_close(found, x / np.sqrt((x * x).mean(axis=axes, keepdims=True) + 1e-5), rtol=1e-5)


@pytest.mark.parametrize("shape", [(), (1,), (3, 1), (2, 3, 4)])
def test_a_scale_that_is_no_row_is_a_factor_behind(shape: tuple[int, ...]) -> None:
    x, scale, bias = numbers(1, 2, 3, 4), numbers(2, *shape), numbers(3, 4)
    graph = composed(
        lambda c, t, s, b: layer_norm(c, t, [-1], s, b, 1e-5), x, scale, bias, known=(1, 2)
    )
    assert operators(graph) == {LayerNorm(1e-5), Mul(), Add()}
    found = result(lambda c, t, s, b: layer_norm(c, t, [-1], s, b, 1e-5), x, scale, bias)
    assert_close(found, standardized(x, (2,), 1e-5) * scale + bias, rtol=1e-4, atol=1e-5)


def test_norms_by_hand() -> None:
    x = np.array([[3.0, -4.0], [0.0, 0.0]])
    by_two = result(lambda c, t: lp_normalize(c, t, [1], 2), x)
    assert_close(by_two, [[0.6, -0.8], [0.0, 0.0]], rtol=1e-6)
    by_one = result(lambda c, t: lp_normalize(c, t, [1], 1), x)
    assert_close(by_one, [[3 / 7, -4 / 7], [0.0, 0.0]], rtol=1e-6)
    root = result(lambda c, t, s: rms_norm(c, t, [1], s, 0.0), x[:1], np.array([2.0, 1.0]))
    assert_close(root, [[6 / np.sqrt(12.5), -4 / np.sqrt(12.5)]], rtol=1e-6)
    centred = result(lambda c, t: mean_variance_normalize(c, t, [1], 0.5), x[:1])
    assert_close(centred, [[3.5 / 4, -3.5 / 4]], rtol=1e-6)


@pytest.mark.parametrize("size", [1, 2, 3, 6])
def test_local_response_norm_sees_one_channel_more_behind(size: int) -> None:
    x = numbers(1, 2, 4, 3, 1)
    found = result(lambda c, t: local_response_norm(c, t, size, 0.3, 0.75, 1.5), x)
    expected = np.empty_like(x)
    for channel in range(4):
        begin, end = max(channel - (size - 1) // 2, 0), channel + size // 2 + 1
        squares = (x[:, begin:end] ** 2).sum(axis=1)
        expected[:, channel] = x[:, channel] / (1.5 + 0.3 / size * squares) ** 0.75
    assert_close(found, expected)


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_softmax_and_its_kin_take_any_axis(axis: int) -> None:
    x = numbers(1, 3, 4, 5)
    powers = np.exp(x)
    share = powers / powers.sum(axis=axis, keepdims=True)
    assert_close(result(lambda c, t: softmax(c, t, axis), x), share)
    logarithm = result(lambda c, t: log_softmax(c, t, axis), x)
    assert_close(logarithm, np.log(share))
    hits = result(lambda c, t: hardmax(c, t, axis), x)
    assert np.array_equal(hits, share == share.max(axis=axis, keepdims=True))


def test_hardmax_takes_the_first_of_equal_ones() -> None:
    found = result(lambda c, t: hardmax(c, t, 1), np.array([[1, 2, 2]]))
    assert found.tolist() == [[0.0, 1.0, 0.0]]


def test_what_does_not_fit_is_refused() -> None:
    x = numbers(1, 1, 3, 2)
    with pytest.raises(UnsupportedError, match="groups that 3 channels fill, got 2"):
        composed(lambda c, t: group_norm(c, t, 2, None, None, 0.1), x)
    with pytest.raises(UnsupportedError, match="norm of order 1 or 2, got 3"):
        composed(lambda c, t: lp_normalize(c, t, [0], 3), x)
    with pytest.raises(UnsupportedError, match="size of at least 1, got 0"):
        composed(lambda c, t: local_response_norm(c, t, 0, 1.0, 1.0, 1.0), x)
