"""Attention, and the embedding of positions by rotation, of float32."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
from tinsmith_ir.errors import UnsupportedError
from tinsmith_ir.operators import BatchMatmul, Gather, Softmax, Tanh

from tinsmith_tensors.composer import Composer, Tensor
from tinsmith_tensors.elementwise import (
    add,
    cast,
    div,
    less,
    less_equal,
    minimum,
    mul,
    sub,
    where,
)
from tinsmith_tensors.movement import concat, part, reshape, slice_, stack, transpose
from tinsmith_tensors.reductions import largest

_INTEGERS = np.dtype("<i4")


@dataclass(frozen=True, eq=False)
class Attention:
    """What attention gives: the result (B, H, S, E), and on the way to it, all (B, H, S, T): scores, as they are after
    the cap, after masks, and the weights of their softmax.
    """

    result: Tensor
    scores: Tensor
    capped: Tensor
    masked: Tensor
    weights: Tensor


def scaled_dot_product_attention(
    c: Composer,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    *,
    scale: float | None = None,
    softcap: float = 0.0,
    bias: Tensor | None = None,
    allowed: Sequence[Tensor] = (),
) -> Attention:
    """softmax(query @ key^T * scale, capped, + bias) @ value.

    query (B, H, S, D), key (B, G, T, D), value (B, G, T, E), where each of the G heads of keys and values serves H / G
    heads of queries, one after the other. scale: 1 / sqrt(D) by default. softcap: scores become softcap * tanh(scores
    / softcap), unless it is 0. bias: is added; a key of minus infinity is not seen. allowed: of bool, the keys that are
    seen are those in all of them. Both broadcast to (B, H, S, T). A query that sees no key gives zeros.
    """
    batch, heads, queries, depth = query.shape
    groups, keys = key.shape[1:3]
    if not groups or heads % groups or value.shape[:3] != key.shape[:3]:
        raise UnsupportedError(
            f"expected keys and values of as many places, with heads that divide {heads}, got "
            f"{list(key.shape)} and {list(value.shape)}"
        )
    factor = 1.0 / math.sqrt(depth) if scale is None else scale
    scaled = query if factor == 1.0 else mul(c, query, c.number(factor, query))
    # Heads that share keys are rows of one matrix: nothing is repeated.
    rows = reshape(c, scaled, (batch, groups, heads // groups * queries, depth))
    products = c.emit(BatchMatmul(transpose_rhs=True), rows, key)
    scores = reshape(c, products, (batch, heads, queries, keys))
    capped = scores if softcap == 0.0 else _capped(c, scores, softcap)
    masked = _masked(c, capped, bias, allowed)
    weights, seen = c.emit(Softmax(), masked), _seen(c, bias, allowed)
    mixed = c.emit(BatchMatmul(), reshape(c, weights, products.shape), value)
    result = reshape(c, mixed, (batch, heads, queries, value.shape[3]))
    return Attention(
        _only_where(c, seen, result), scores, capped, masked, _only_where(c, seen, weights)
    )


def _capped(c: Composer, scores: Tensor, softcap: float) -> Tensor:
    cap = c.number(softcap, scores)
    return mul(c, c.emit(Tanh(), div(c, scores, cap)), cap)


def _masked(c: Composer, scores: Tensor, bias: Tensor | None, allowed: Sequence[Tensor]) -> Tensor:
    if bias is not None:
        scores = add(c, scores, bias)
    if not allowed:
        return scores
    return where(c, _all_of(c, allowed), scores, c.number(-math.inf, scores))


def _seen(c: Composer, bias: Tensor | None, allowed: Sequence[Tensor]) -> Tensor | None:
    """Whether a query sees any key, (..., S, 1); None if it is known that each does."""
    conditions = list(allowed)
    if bias is not None:
        conditions.append(less(c, c.number(-math.inf, bias), bias))
    if not conditions:
        return None
    seen = largest(c, _all_of(c, conditions), [-1], keep_dims=True)
    return None if seen.array is not None and bool(seen.array.all()) else seen


def _all_of(c: Composer, conditions: Sequence[Tensor]) -> Tensor:
    return reduce(lambda lhs, rhs: minimum(c, lhs, rhs), conditions)


def _only_where(c: Composer, seen: Tensor | None, x: Tensor) -> Tensor:
    return x if seen is None else where(c, seen, x, c.number(0.0, x))


def window(
    c: Composer, queries: int, keys: int, offset: Tensor, *, left: int | None, right: int | None
) -> list[Tensor]:
    """Where query i, which stands at i + offset, sees keys: at most `left` in front and `right` behind, None for all.

    offset: integers that broadcast with (S, T). A causal mask has right = 0.
    """
    rows, columns = (c.numbers(count).astype(np.int32) for count in (queries, keys))
    place = add(c, c.known(rows[:, None]), cast(c, offset, _INTEGERS))
    distance = sub(c, place, c.known(columns[None]))
    conditions: list[Tensor] = []
    if left is not None:
        conditions.append(less_equal(c, distance, c.number(left, distance)))
    if right is not None:
        conditions.append(less_equal(c, c.number(-right, distance), distance))
    return conditions


def filled(c: Composer, keys: int, counts: Tensor) -> Tensor:
    """Where keys count, (B, 1, 1, T): the first counts[b] of them, counts (B,)."""
    indices = c.known(c.numbers(keys).astype(np.int32))
    return less(c, indices, reshape(c, cast(c, counts, _INTEGERS), (counts.elements, 1, 1, 1)))


def split_heads(c: Composer, x: Tensor, heads: int) -> Tensor:
    """(B, S, H * D) as (B, H, S, D)."""
    batch, places, width = x.shape
    if heads < 1 or width % heads:
        raise UnsupportedError(f"expected heads that {width} channels fill, got {heads}")
    return transpose(c, reshape(c, x, (batch, places, heads, width // heads)), (0, 2, 1, 3))


def join_heads(c: Composer, x: Tensor) -> Tensor:
    """(B, H, S, D) as (B, S, H * D)."""
    batch, heads, places, depth = x.shape
    return reshape(c, transpose(c, x, (0, 2, 1, 3)), (batch, places, heads * depth))


def rotary_embedding(
    c: Composer, x: Tensor, cos: Tensor, sin: Tensor, *, interleaved: bool = False
) -> Tensor:
    """Pairs among the first 2 * R elements of the last axis, turned by angles; others stay.

    cos, sin: of the angles, broadcasting to (..., R). Pairs are neighbours if interleaved, else an element of the first
    half and that of the second.
    """
    half, size = cos.shape[-1], x.shape[-1]
    if sin.shape != cos.shape or 2 * half > size:
        raise UnsupportedError(
            f"expected as many cosines as sines, for at most {size // 2} pairs, got {list(cos.shape)} and "
            f"{list(sin.shape)}"
        )
    last = x.rank - 1
    if interleaved:
        first, second = _strided(c, x, 0, half), _strided(c, x, 1, half)
    else:
        first, second = part(c, x, last, 0, half), part(c, x, last, half, 2 * half)
    real = sub(c, mul(c, first, cos), mul(c, second, sin))
    imaginary = add(c, mul(c, first, sin), mul(c, second, cos))
    if interleaved:
        pairs = stack(c, [real, imaginary], last + 1)
        turned = reshape(c, pairs, (*x.shape[:-1], 2 * half))
    else:
        turned = concat(c, [real, imaginary], last)
    if 2 * half == size:
        return turned
    return concat(c, [turned, part(c, x, last, 2 * half, size)], last)


def rows_at(c: Composer, table: Tensor, positions: Tensor) -> Tensor:
    """Of a table (P, R) the rows at positions, (..., R); positions may be computed."""
    return c.emit(Gather(axis=0), table, cast(c, positions, _INTEGERS))


def _strided(c: Composer, x: Tensor, begin: int, count: int) -> Tensor:
    """Every second element of the last axis."""
    start, steps = [0] * x.rank, [1] * x.rank
    start[-1], steps[-1] = begin, 2
    return slice_(c, x, start, (*x.shape[:-1], count), steps)
