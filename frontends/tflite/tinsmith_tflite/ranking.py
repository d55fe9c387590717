"""Converters of operators that put elements elsewhere: the largest first, each row backwards, to given places."""

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Value
from tinsmith_ir.operators import Add, Concat, Gather, Reshape, TopK, TopKIndices

from tinsmith_tflite.context import Conversion, OperatorContext
from tinsmith_tflite.rules import MOVED, NUMBERS, Rule

_MOST_TIMES = 16
"""How often SCATTER_ND may name one place: each time is one addition more."""


def topk_v2(context: OperatorContext) -> Conversion:
    """TOPK_V2 of a constant number: the elements and their indices, each by itself."""
    counts = context.integers(1)
    if len(counts) != 1:
        raise context.error(f"expected one number of elements, got {list(counts)}")
    kind = TopKIndices if context.number else TopK
    return kind(count=counts[0]), (context.value(0),)


def reverse_sequence(context: OperatorContext) -> Conversion:
    """REVERSE_SEQUENCE by constant lengths: a gathering of the axes up to the last of the two, joined to one."""
    source = context.value(0)
    shape = source.type.shape
    axis = context.axis(context.options.integer("SeqDim"), len(shape), "a sequence's axis")
    batch = context.axis(context.options.integer("BatchDim"), len(shape), "a batch's axis")
    if axis == batch:
        raise context.error(f"expected two axes, got {axis} twice")
    lengths = context.known_indices(1, shape[axis] + 1)
    if lengths.shape != (shape[batch],):
        raise context.error(f"expected {shape[batch]} lengths, got shape {list(lengths.shape)}")
    joined = shape[: max(axis, batch) + 1]
    context.values.file.spend(4 * math.prod(joined))
    places = np.moveaxis(
        np.arange(math.prod(joined), dtype=np.int32).reshape(joined), (batch, axis), (0, 1)
    )
    for row, length in zip(places, lengths, strict=True):
        row[:length] = row[:length][::-1].copy()
    places = np.moveaxis(places, (0, 1), (batch, axis)).reshape(-1)
    flat = context.step(Reshape(shape=(places.size, *shape[len(joined) :])), [source])
    gathered = context.step(Gather(axis=0), [flat, context.constant("places", places)])
    return Reshape(shape=shape), (gathered,)


def scatter_nd(context: OperatorContext) -> Conversion:
    """SCATTER_ND to constant places: each place of the result takes its update, or the zeros in front of them.

    Updates of one place are added, one layer of the first to each, one of the second, and so on.
    """
    updates, shape = context.value(1), context.integers(2)
    rows = context.known_indices(0, max(shape, default=1))
    depth = rows.shape[-1] if rows.ndim else 0
    if not 1 <= depth <= len(shape) or np.any(rows >= np.array(shape[:depth])):
        raise context.error(f"expected 1 to {len(shape)} indices of a place within {list(shape)}")
    axes, rest = shape[:depth], shape[depth:]
    if updates.type.shape != (*rows.shape[:-1], *rest):
        raise context.error(
            f"expected updates {[*rows.shape[:-1], *rest]}, got {list(updates.type.shape)}"
        )
    places = np.ravel_multi_index(tuple(rows.reshape(-1, depth).T), axes)
    times = int(np.bincount(places).max())
    dtype = updates.type.dtype
    if times > 1 and dtype not in (DType.FLOAT32, DType.INT32):
        raise context.unsupported(
            f"expected each place once, got one {times} times of {dtype.value}"
        )
    if times > _MOST_TIMES:
        raise context.unsupported(f"expected a place at most {_MOST_TIMES} times, got {times}")
    context.values.file.spend(4 * times * math.prod(axes))
    zeros = np.zeros((1, *rest), dtype.numpy)
    flat = context.step(Reshape(shape=(len(places), *rest)), [updates])
    quantization = updates.type.quantization
    parts = [context.constant("zeros", zeros, quantization), flat]
    given = context.step(Concat(axis=0), parts, quantization)
    layers = [
        context.step(Gather(axis=0), [given, context.constant("places", taken)])
        for taken in _layers(places, math.prod(axes), times)
    ]
    return Reshape(shape=shape), (_total(context, layers),)


def _layers(places: NDArray[np.int64], count: int, times: int) -> NDArray[np.int32]:
    """For each time that a place may be named, the update that each place takes, counted from 1; 0 for none."""
    layers = np.zeros((times, count), np.int32)
    seen = np.zeros(count, np.int64)
    for number, place in enumerate(places, start=1):
        layers[seen[place], place] = number
        seen[place] += 1
    return layers


def _total(context: OperatorContext, layers: list[Value]) -> Value:
    total = layers[0]
    for layer in layers[1:]:
        total = context.step(Add(), [total, layer])
    return total


RULES: Mapping[str, Rule] = {
    "REVERSE_SEQUENCE": Rule(
        1, (2, 2), "ReverseSequenceOptions", (Reshape,), reverse_sequence, MOVED
    ),
    "SCATTER_ND": Rule(1, (3, 3), "ScatterNdOptions", (Reshape,), scatter_nd, MOVED),
    "TOPK_V2": Rule(
        3,
        (2, 2),
        "TopKV2Options",
        (TopK, TopKIndices),
        topk_v2,
        (*NUMBERS, DType.INT32),
        outputs=(2, 2),
    ),
}
