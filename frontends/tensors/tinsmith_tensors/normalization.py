"""Normalizations of float32: by known numbers, by moments over axes, by norms, and softmax over any axis."""

import math
from collections.abc import Sequence

import numpy as np
from tinsmith_ir.errors import UnsupportedError
from tinsmith_ir.operators import (
    ArgMax,
    AveragePool2D,
    LayerNorm,
    LogSoftmax,
    Operator,
    RmsNorm,
    Rsqrt,
    Softmax,
    Sqrt,
    Square,
)

from tinsmith_tensors.composer import LARGEST_FLOAT, Composer, Tensor
from tinsmith_tensors.elementwise import add, cast, div, equal, maximum, mul, power, sub
from tinsmith_tensors.movement import (
    broadcast_to,
    channels_first,
    channels_last,
    move_axis,
    pad,
    reshape,
    unsqueeze,
)
from tinsmith_tensors.reductions import l1_norm, l2_norm, mean, normalized_axes

_SMALLEST_NORM = float(np.finfo(np.float32).tiny)
"""By which zeros are divided: they stay zeros, and no norm is smaller unless its squares vanish."""


def batch_norm(
    c: Composer,
    x: Tensor,
    scale: Tensor | None,
    bias: Tensor | None,
    mean_: Tensor,
    variance: Tensor,
    epsilon: float,
) -> Tensor:
    """(x - mean) / sqrt(variance + epsilon) * scale + bias, of x (N, C, ...) and moments (C,) that were trained.

    Of known numbers it is one product and one sum, both of constants per channel that are computed in float64;
    passes take them into the layer in front.
    """
    given = (scale, bias, mean_, variance)
    arrays = [
        None if each is None or each.array is None else each.array.astype(np.float64)
        for each in given
    ]
    if any(each is not None and not each.is_known for each in given):
        return _computed_batch_norm(c, x, scale, bias, mean_, variance, epsilon)
    gain, offset, centre, spread = arrays
    assert centre is not None
    assert spread is not None
    factor = (1.0 if gain is None else gain) / np.sqrt(spread + epsilon)
    term = (0.0 if offset is None else offset) - centre * factor
    scaled = mul(c, x, along_channels(c, c.known(factor.astype(np.float32)), x.rank))
    return add(c, scaled, along_channels(c, c.known(term.astype(np.float32)), x.rank))


def _computed_batch_norm(
    c: Composer,
    x: Tensor,
    scale: Tensor | None,
    bias: Tensor | None,
    mean_: Tensor,
    variance: Tensor,
    epsilon: float,
) -> Tensor:
    factor = c.emit(Rsqrt(), add(c, variance, c.number(epsilon, variance)))
    factor = factor if scale is None else mul(c, factor, scale)
    result = mul(
        c,
        sub(c, x, along_channels(c, mean_, x.rank)),
        along_channels(c, factor, x.rank),
    )
    return result if bias is None else add(c, result, along_channels(c, bias, x.rank))


def along_channels(c: Composer, x: Tensor, rank: int) -> Tensor:
    """(C,) as (C, 1, ...), to broadcast with (N, C, ...) of that rank."""
    return reshape(c, x, (x.elements, *[1] * (rank - 2)))


def standardized(
    c: Composer, x: Tensor, axes: Sequence[int], epsilon: float
) -> tuple[Tensor, Tensor, Tensor]:
    """(x - mean) / sqrt(variance + epsilon) over axes; and the mean and that root's inverse, whose axes stay as 1."""
    centre = mean(c, x, axes, keep_dims=True)
    rest = sub(c, x, centre)
    variance = mean(c, c.emit(Square(), rest), axes, keep_dims=True)
    inverse = c.emit(Rsqrt(), add(c, variance, c.number(epsilon, x)))
    return mul(c, rest, inverse), centre, inverse


def layer_norm(
    c: Composer,
    x: Tensor,
    axes: Sequence[int],
    scale: Tensor | None,
    bias: Tensor | None,
    epsilon: float,
) -> Tensor:
    """x standardized over axes, times a scale, plus a bias, which broadcast to x."""
    if not _are_last(x, axes, epsilon):
        result, _, _ = standardized(c, x, axes, epsilon)
        return _affine(c, result, scale, bias)
    gain = scale if _fits(scale, x, axes) else None
    offset = bias if gain is scale and _fits(bias, x, axes) else None
    result = _of_rows(c, LayerNorm(epsilon), x, len(axes), gain, offset)
    return _affine(c, result, None if gain is scale else scale, None if offset is bias else bias)


def moments(c: Composer, x: Tensor, axes: Sequence[int], epsilon: float) -> tuple[Tensor, Tensor]:
    """The mean, and 1 / sqrt(variance + epsilon), over axes, which stay as 1."""
    _, centre, inverse = standardized(c, x, axes, epsilon)
    return centre, inverse


def rms_norm(
    c: Composer, x: Tensor, axes: Sequence[int], scale: Tensor | None, epsilon: float
) -> Tensor:
    """x / sqrt(mean of squares over axes + epsilon), times a scale that broadcasts to x."""
    if not _are_last(x, axes, epsilon):
        power_ = mean(c, c.emit(Square(), x), axes, keep_dims=True)
        inverse = c.emit(Rsqrt(), add(c, power_, c.number(epsilon, x)))
        return _affine(c, mul(c, x, inverse), scale, None)
    gain = scale if _fits(scale, x, axes) else None
    result = _of_rows(c, RmsNorm(epsilon), x, len(axes), gain)
    return _affine(c, result, None if gain is scale else scale, None)


def _are_last(x: Tensor, axes: Sequence[int], epsilon: float) -> bool:
    """Whether one operator normalizes over these axes: the last ones, of numbers that are there."""
    places = normalized_axes(axes, x.rank)
    last = tuple(range(x.rank - len(places), x.rank))
    is_there = bool(places) and x.elements > 0
    return is_there and places == last and 0.0 < float(np.float32(epsilon)) <= LARGEST_FLOAT


def _fits(factor: Tensor | None, x: Tensor, axes: Sequence[int]) -> bool:
    """Whether there is one number for each element of a row, or none at all."""
    if factor is None:
        return True
    row = x.shape[x.rank - len(axes) :]
    given = factor.shape
    return factor.rank >= len(row) and (1,) * (factor.rank - len(row)) + row == given


def _of_rows(
    c: Composer, operator: LayerNorm | RmsNorm, x: Tensor, axes: int, *factors: Tensor | None
) -> Tensor:
    """The last so many axes are one row, of x as of gamma and beta."""
    row = math.prod(x.shape[x.rank - axes :])
    flat = reshape(c, x, (*x.shape[: x.rank - axes], row))
    parts = (factor and reshape(c, factor, (row,)) for factor in factors)
    return reshape(c, c.emit(operator, flat, *parts), x.shape)


def instance_norm(
    c: Composer, x: Tensor, scale: Tensor | None, bias: Tensor | None, epsilon: float
) -> Tensor:
    """x (N, C, ...) standardized channel by channel, times a scale (C,), plus a bias (C,)."""
    result, _, _ = standardized(c, x, range(2, x.rank), epsilon)
    gain, offset = (each and along_channels(c, each, x.rank) for each in (scale, bias))
    return _affine(c, result, gain, offset)


def group_norm(
    c: Composer,
    x: Tensor,
    groups: int,
    scale: Tensor | None,
    bias: Tensor | None,
    epsilon: float,
) -> Tensor:
    """x (N, C, ...) standardized over groups of neighbouring channels, times a scale (C,), plus a bias (C,)."""
    channels = x.shape[1]
    if groups < 1 or channels % groups:
        raise UnsupportedError(f"expected groups that {channels} channels fill, got {groups}")
    # Channels last, as layers in front and behind have them: their transposes cancel.
    last = channels_last(c, x)
    places = math.prod(x.shape[2:])
    split = reshape(c, last, (x.shape[0], places, groups, channels // groups))
    result, _, _ = standardized(c, split, (1, 3), epsilon)
    scaled = _affine(c, reshape(c, result, last.shape), scale, bias)
    return channels_first(c, scaled)


def mean_variance_normalize(c: Composer, x: Tensor, axes: Sequence[int], epsilon: float) -> Tensor:
    """(x - mean) / (sqrt(variance) + epsilon) over axes."""
    rest = sub(c, x, mean(c, x, axes, keep_dims=True))
    variance = mean(c, c.emit(Square(), rest), axes, keep_dims=True)
    return div(c, rest, add(c, c.emit(Sqrt(), variance), c.number(epsilon, x)))


def lp_normalize(
    c: Composer,
    x: Tensor,
    axes: Sequence[int],
    order: int,
    smallest: float = _SMALLEST_NORM,
) -> Tensor:
    """x by its norm of order 1 or 2 over axes, which counts as `smallest` if it is below."""
    if order not in (1, 2):
        raise UnsupportedError(f"expected a norm of order 1 or 2, got {order}")
    norm = (l1_norm if order == 1 else l2_norm)(c, x, axes, keep_dims=True)
    return div(c, x, maximum(c, norm, c.number(smallest, x)))


def local_response_norm(
    c: Composer, x: Tensor, size: int, alpha: float, beta: float, bias: float
) -> Tensor:
    """x (N, C, ...) / (bias + alpha * mean of squares over `size` channels around) ** beta.

    Channels that are not there are zeros, and count; of an even size one more is behind than in front.
    """
    if size < 1:
        raise UnsupportedError(f"expected a size of at least 1, got {size}")
    last = channels_last(c, x)
    rows, channels = last.elements // last.shape[-1], last.shape[-1]
    squares = reshape(c, c.emit(Square(), last), (1, rows, channels, 1))
    before = (size - 1) // 2
    padded = pad(c, squares, ((0, 0), (0, 0), (before, size - 1 - before), (0, 0)), None)
    means = c.emit(AveragePool2D(window=(1, size), stride=(1, 1)), padded)
    around = reshape(c, means, last.shape)
    inner = add(c, mul(c, around, c.number(alpha, x)), c.number(bias, x))
    return channels_first(c, div(c, last, power(c, inner, c.number(beta, x))))


def softmax(c: Composer, x: Tensor, axis: int) -> Tensor:
    """exp(x) by its sum over an axis."""
    return _over_last(c, Softmax(), x, axis)


def log_softmax(c: Composer, x: Tensor, axis: int) -> Tensor:
    """The logarithm of `softmax`."""
    return _over_last(c, LogSoftmax(), x, axis)


def hardmax(c: Composer, x: Tensor, axis: int) -> Tensor:
    """1 where the first of the largest elements along an axis is, else 0."""
    (place,) = normalized_axes([axis], x.rank)
    found = unsqueeze(c, c.emit(ArgMax(axis=place), x), [place])
    shape = [1] * x.rank
    shape[place] = x.shape[place]
    indices = c.known(c.numbers(x.shape[place]).astype(np.int32).reshape(shape))
    hit = cast(c, equal(c, found, indices), x.dtype)
    return broadcast_to(c, hit, x.shape)


def _over_last(c: Composer, operator: Operator, x: Tensor, axis: int) -> Tensor:
    """An operator of rows, of the rows along another axis."""
    (place,) = normalized_axes([axis], x.rank)
    turned = move_axis(c, x, place, x.rank - 1)
    return move_axis(c, c.emit(operator, turned), x.rank - 1, place)


def _affine(c: Composer, x: Tensor, scale: Tensor | None, bias: Tensor | None) -> Tensor:
    scaled = x if scale is None else mul(c, x, scale)
    return scaled if bias is None else add(c, scaled, bias)
