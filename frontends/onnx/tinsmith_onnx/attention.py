"""Rules of attention, and of the embedding of positions by rotation."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
from tinsmith_tensors import Tensor, attention, products
from tinsmith_tensors import elementwise as ew
from tinsmith_tensors.movement import broadcast_to, concat, part, reshape

from tinsmith_onnx.context import OperatorContext
from tinsmith_onnx.rules import Rule


@dataclass(frozen=True, eq=False)
class _Heads:
    """query (B, H, S, D), key (B, G, T, D) and value (B, G, T, E); past: how many keys were there before."""

    query: Tensor
    key: Tensor
    value: Tensor
    past: int


def attend(context: OperatorContext) -> Sequence[Tensor]:
    """Attention, of the main domain."""
    heads = _heads(context)
    bias, allowed = _mask(context, heads.key.shape[2])
    found = attention.scaled_dot_product_attention(
        context.c,
        heads.query,
        heads.key,
        heads.value,
        scale=_scale(context),
        softcap=context.real("softcap"),
        bias=bias,
        allowed=[*allowed, *_places(context, heads)],
    )
    shown = (found.scores, found.capped, found.masked, found.weights)
    mode = context.integer("qk_matmul_output_mode")
    if not 0 <= mode < len(shown):
        raise context.error(f"expected a qk_matmul_output_mode in [0, 3], got {mode}")
    is_joined = context.tensor(0).rank == 3
    result = attention.join_heads(context.c, found.result) if is_joined else found.result
    return result, heads.key, heads.value, shown[mode]


def _heads(context: OperatorContext) -> _Heads:
    """Operands with heads as an axis, which of three axes are beside each other, and keys of before in front."""
    c, given = context.c, [context.tensor(position) for position in range(3)]
    if {each.rank for each in given} == {3}:
        counts = [context.integer(f"{kind}_num_heads") for kind in ("q", "kv", "kv")]
        given = [
            attention.split_heads(c, each, count) for each, count in zip(given, counts, strict=True)
        ]
    if {each.rank for each in given} != {4}:
        raise context.error(
            f"expected three operands of three axes or of four, got ranks {[each.rank for each in given]}"
        )
    query, key, value = given
    past_key, past_value = context.optional(4), context.optional(5)
    if (past_key is None) != (past_value is None):
        raise context.error("expected past keys and past values, got one without the other")
    if past_key is None or past_value is None:
        return _Heads(query, key, value, 0)
    present = concat(c, [past_key, key], 2), concat(c, [past_value, value], 2)
    return _Heads(query, *present, past_key.shape[2])


def _places(context: OperatorContext, heads: _Heads) -> list[Tensor]:
    """Where queries see keys by their places: behind them, within a window, and among keys that count."""
    c, counts = context.c, context.optional(6)
    queries, keys = heads.query.shape[2], heads.key.shape[2]
    offset = c.known(np.array(heads.past, np.int32))
    if counts is not None:
        if heads.past:
            raise context.error("expected past keys or counts of keys, got both")
        first = ew.sub(c, counts, c.number(queries, counts))
        offset = reshape(c, first, (counts.elements, 1, 1, 1))
    left, right = (_bound(context, f"{side}_window_size") for side in ("left", "right"))
    if context.integer("is_causal"):
        right = 0
    seen = attention.window(c, queries, keys, offset, left=left, right=right)
    return seen if counts is None else [*seen, attention.filled(c, keys, counts)]


def _bound(context: OperatorContext, name: str) -> int | None:
    size = context.integer(name, -1)
    if size < -1:
        raise context.error(f"expected {name} of at least 0, or -1 for none, got {size}")
    return None if size == -1 else size


def _mask(context: OperatorContext, keys: int) -> tuple[Tensor | None, list[Tensor]]:
    """A mask that is added, of any numbers, or one of bool. Keys that it does not reach are not seen."""
    c, mask = context.c, context.optional(3)
    if mask is None:
        return None, []
    if mask.dtype.kind in "iu":
        mask = ew.cast(c, mask, np.dtype(np.float32))
    missing = keys - mask.shape[-1] if mask.rank else 0
    if missing > 0:
        nothing = -np.inf if mask.is_float else 0
        shape = (*mask.shape[:-1], missing)
        c.check_known_size(shape, mask.dtype.itemsize)
        mask = concat(c, [mask, c.known(np.full(shape, nothing, mask.dtype))], mask.rank - 1)
    return (mask, []) if mask.is_float else (None, [mask])


def _scale(context: OperatorContext) -> float | None:
    return context.real("scale") if context.has_attribute("scale") else None


def multi_head_attention(context: OperatorContext) -> Sequence[Tensor]:
    """MultiHeadAttention of com.microsoft, of separate queries, keys and values."""
    c, heads = context.c, context.integer("num_heads")
    given = [context.optional(position) for position in range(3)]
    if any(each is None or each.rank != 3 for each in given) or any(map(context.has, (8, 9))):
        raise context.unsupported(
            "expected queries, keys and values of three axes, and no shared buffers"
        )
    parts = [each for each in given if each is not None]
    if context.has(3):
        widths = [each.shape[2] for each in parts]
        parts = [
            ew.add(c, each, bias)
            for each, bias in zip(parts, _split(context, context.tensor(3), widths), strict=True)
        ]
    query, key, value = (attention.split_heads(c, each, heads) for each in parts)
    past = context.optional(6)
    if past is not None:
        key = concat(c, [past, key], 2)
        value = concat(c, [context.tensor(7), value], 2)
    masks = [_padding(context, 4, key.shape[2]), context.optional(5)]
    return _attended(context, query, key, value, masks, 0 if past is None else past.shape[2])


def group_query_attention(context: OperatorContext) -> Sequence[Tensor]:
    """GroupQueryAttention of com.microsoft: causal, of heads that share keys; places turn them if it says so."""
    c = context.c
    query, key, value = _grouped(context)
    past, places = context.optional(3), query.shape[2]
    before = past.shape[2] if past is not None and past.elements else 0
    others = [position for position in range(9, len(context.operands)) if position != 10]
    if any(map(context.has, others)) or not context.integer("causal", 1) or context.wants(3):
        raise context.unsupported("expected causal attention of plain numbers without sinks")
    last = {before + places - 1}
    if {*context.integers_of(5)} != last:
        raise context.unsupported(
            f"expected seqlens_k of {before + places - 1}, the last of all keys, got {list(context.integers_of(5))}"
        )
    if context.integer("do_rotary", 0):
        query, key = (_turned_by_places(context, each, before) for each in (query, key))
    if before and past is not None:
        key = concat(c, [past, key], 2)
        value = concat(c, [context.tensor(4), value], 2)
    reach = context.integer("local_window_size", -1)
    offset = c.known(np.array(before, np.int32))
    left = None if reach == -1 else reach - 1
    found = attention.scaled_dot_product_attention(
        c,
        query,
        key,
        value,
        scale=context.real("scale", 0.0) or None,
        softcap=context.real("softcap", 0.0),
        bias=context.optional(10),
        allowed=attention.window(c, places, key.shape[2], offset, left=left, right=0),
    )
    return attention.join_heads(c, found.result), key, value


def _grouped(context: OperatorContext) -> tuple[Tensor, Tensor, Tensor]:
    """Queries, keys and values by heads, of operands that may be one beside the other in the first."""
    c, x = context.c, context.tensor(0)
    heads, groups = context.integer("num_heads"), context.integer("kv_num_heads")
    if context.has(1):
        parts = [x, context.tensor(1), context.tensor(2)]
    else:
        depth = x.shape[2] // (heads + 2 * groups)
        parts = _split(context, x, [heads * depth, groups * depth, groups * depth])
    query, key, value = parts
    return (
        attention.split_heads(c, query, heads),
        attention.split_heads(c, key, groups),
        attention.split_heads(c, value, groups),
    )


def _turned_by_places(context: OperatorContext, x: Tensor, before: int) -> Tensor:
    """x (B, H, S, D), whose first place is that behind `before`, turned by the angles of its places in tables."""
    c, places = context.c, x.shape[2]
    tables = context.tensor(7), context.tensor(8)
    cos, sin = (part(c, table, 0, before, before + places) for table in tables)
    is_interleaved = bool(context.integer("rotary_interleaved", 0))
    return attention.rotary_embedding(c, x, cos, sin, interleaved=is_interleaved)


def packed_attention(context: OperatorContext) -> Sequence[Tensor]:
    """Attention of com.microsoft: with the products that make queries, keys and values."""
    if any(map(context.has, (4, 6))) or context.integer("do_rotary", 0):
        raise context.unsupported("expected neither keys of before nor rotation")
    c, x, weights = context.c, context.tensor(0), context.tensor(1)
    width = weights.shape[1] // 3
    widths = context.integers("qkv_hidden_sizes", (width,) * 3)
    layer = products.matmul(c, x, weights)
    layer = ew.add(c, layer, context.tensor(2)) if context.has(2) else layer
    heads = context.integer("num_heads")
    query, key, value = (
        attention.split_heads(c, each, heads) for each in _split(context, layer, widths)
    )
    masks = [_padding(context, 3, key.shape[2]), context.optional(5)]
    return _attended(context, query, key, value, masks, 0)[:1]


def _attended(
    context: OperatorContext,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    masks: Sequence[Tensor | None],
    past: int,
) -> Sequence[Tensor]:
    """Attention with masks that are added, and with keys in front only if it says so."""
    c = context.c
    added = [mask for mask in masks if mask is not None]
    right = 0 if context.integer("unidirectional", 0) else None
    offset = c.known(np.array(past, np.int32))
    found = attention.scaled_dot_product_attention(
        c,
        query,
        key,
        value,
        scale=_scale(context) if context.real("scale", 0.0) else None,
        bias=reduce(lambda lhs, rhs: ew.add(c, lhs, rhs), added) if added else None,
        allowed=attention.window(c, query.shape[2], key.shape[2], offset, left=None, right=right),
    )
    return attention.join_heads(c, found.result), key, value, found.scores


def _padding(context: OperatorContext, position: int, keys: int) -> Tensor | None:
    """A mask (B, T) or (B, S, T) of integers, 0 for keys that do not count, as one that is added."""
    c, mask = context.c, context.optional(position)
    if mask is None:
        return None
    if mask.rank not in (2, 3) or mask.shape[-1] != keys:
        raise context.unsupported(
            f"expected a mask (B, {keys}) or (B, S, {keys}), got {list(mask.shape)}"
        )
    fill = context.real("mask_filter_value", -10000.0)
    zero = c.known(np.array(0.0, np.float32))
    is_padding = ew.equal(c, mask, c.number(0, mask))
    added = ew.where(c, is_padding, c.number(fill, zero), zero)
    return reshape(c, added, (mask.shape[0], 1, *([1] if mask.rank == 2 else []), *mask.shape[1:]))


def _split(context: OperatorContext, x: Tensor, widths: Sequence[int]) -> list[Tensor]:
    """Parts of these widths along the last axis."""
    if sum(widths) != x.shape[-1]:
        raise context.error(f"expected {list(widths)} of {sum(widths)} in all, got {x.shape[-1]}")
    ends = np.cumsum(widths).tolist()
    return [
        part(context.c, x, x.rank - 1, end - width, end)
        for width, end in zip(widths, ends, strict=True)
    ]


def rotary_embedding(context: OperatorContext) -> Tensor:
    """RotaryEmbedding: angles are those of places, or of positions in a table."""
    cos, sin = context.tensor(1), context.tensor(2)
    if context.has(3):
        positions = context.tensor(3)
        cos, sin = (attention.rows_at(context.c, table, positions) for table in (cos, sin))
    return _rotated(context, cos, sin)


def rotary_embedding_of_microsoft(context: OperatorContext) -> Tensor:
    """RotaryEmbedding of com.microsoft: one position is that of the first place."""
    c, x, positions = context.c, context.tensor(0), context.tensor(1)
    if context.integer("is_packed_batching", 0) or context.real("scale", 1.0) != 1.0:
        raise context.unsupported("expected neither packed batches nor a scale")
    batch, places = x.shape[0], x.shape[1] if x.rank == 3 else x.shape[2]
    if positions.rank == 1:
        steps = c.known(np.arange(places).astype(positions.dtype))
        positions = ew.add(c, reshape(c, positions, (1, 1)), reshape(c, steps, (1, places)))
    tables = context.tensor(2), context.tensor(3)
    cos, sin = (attention.rows_at(c, table, positions) for table in tables)
    shape = (batch, places, cos.shape[-1])
    return _rotated(context, broadcast_to(c, cos, shape), broadcast_to(c, sin, shape))


def _rotated(context: OperatorContext, cos: Tensor, sin: Tensor) -> Tensor:
    """x (B, H, S, D) or (B, S, H * D) turned by angles (B, S, R)."""
    c, x, depth = context.c, context.tensor(0), 2 * cos.shape[-1]
    if cos.rank != 3 or context.integer("rotary_embedding_dim", 0) not in (0, depth):
        raise context.error(
            f"expected angles (B, S, R) of all pairs that turn, got {list(cos.shape)}"
        )
    if x.rank == 3:
        heads = context.integer("num_heads", 0) or x.shape[2] // depth
        split = reshape(c, x, (*x.shape[:2], heads, x.shape[2] // heads))
    else:
        split = x
    axis = 2 if x.rank == 3 else 1
    around = [(*each.shape[:axis], 1, *each.shape[axis:]) for each in (cos, sin)]
    cos, sin = (reshape(c, each, shape) for each, shape in zip((cos, sin), around, strict=True))
    is_interleaved = bool(context.integer("interleaved", 0))
    turned = attention.rotary_embedding(c, split, cos, sin, interleaved=is_interleaved)
    return reshape(c, turned, x.shape)


RULES: Mapping[str, Rule] = {
    "Attention": Rule(attend),
    "RotaryEmbedding": Rule(rotary_embedding),
    "com.microsoft.Attention": Rule(packed_attention, "keys of before, masks by indices"),
    "com.microsoft.GroupQueryAttention": Rule(
        group_query_attention, "shared buffers, lengths that differ, integers, sinks"
    ),
    "com.microsoft.MultiHeadAttention": Rule(
        multi_head_attention, "packed operands, shared buffers, masks by indices"
    ),
    "com.microsoft.RotaryEmbedding": Rule(rotary_embedding_of_microsoft, "packed batches, scales"),
}
