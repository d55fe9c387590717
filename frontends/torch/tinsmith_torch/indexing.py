"""Rules of operators that take elements by indices, or put them where indices say."""

import itertools
from collections.abc import Mapping, Sequence

import numpy as np
from tinsmith_tensors import Composer, Tensor, indexing, movement, reductions
from tinsmith_tensors import elementwise as ew
from tinsmith_tensors.scattering import Combine, scatter_elements, scatter_nd

from tinsmith_torch.context import OperatorContext
from tinsmith_torch.rules import Rule

_BOOL = np.dtype("?")
_INT64 = np.dtype("<i8")
_COMBINATIONS: Mapping[str, Combine] = {
    "add": Combine.ADD,
    "amax": Combine.MAX,
    "amin": Combine.MIN,
    "multiply": Combine.MUL,
    "prod": Combine.MUL,
    "sum": Combine.ADD,
}


def embedding(t: OperatorContext) -> Tensor:
    """Rows of weight that indices name."""
    return indexing.gather(t.c, t.tensor("weight"), t.tensor("indices"), 0)


def bags(t: OperatorContext) -> Sequence[Tensor | None]:
    """embedding_bag: the sum, mean or largest of each bag of rows of weight that indices name."""
    c, weight, indices = t.c, t.tensor("weight"), t.tensor("indices")
    if t.integer("padding_idx") >= 0:
        raise t.unsupported("expected no padding_idx in bags, got one")
    begins = [int(each) for each in t.known("offsets")]
    if not t.flag("include_last_offset"):
        begins.append(indices.elements)
    t.check_count(len(begins))
    rows = indexing.gather(c, weight, indices, 0)
    if t.has("per_sample_weights"):
        rows = ew.mul(c, rows, movement.unsqueeze(c, t.tensor("per_sample_weights"), [1]))
    reduce = _BAGS[t.integer("mode")]
    width, count = weight.shape[1], len(begins) - 1
    if begins == list(range(0, indices.elements + 1, max(indices.elements // count, 1))):
        apart = movement.reshape(c, rows, (count, indices.elements // count, width))
        return [reduce(c, apart, [1], keep_dims=False), None, None, None]
    found: list[Tensor] = []
    for begin, end in itertools.pairwise(begins):
        if begin == end:
            found.append(c.known(np.zeros((1, width), np.float32)))
        else:
            found.append(reduce(c, movement.part(c, rows, 0, begin, end), [0], keep_dims=True))
    return [movement.concat(c, found, 0), None, None, None]


_BAGS = (reductions.total, reductions.mean, reductions.largest)
"""By the number of the mode."""


def index_select(t: OperatorContext) -> Tensor:
    """Along an axis, by indices of one axis."""
    c, x, index = t.c, t.tensor("self"), t.tensor("index")
    if not x.rank:
        return x
    row = movement.reshape(c, index, (index.elements,))
    return indexing.gather(c, x, row, t.axis("dim", x.rank))


def gather(t: OperatorContext) -> Tensor:
    """For each index the element at its own place, but at the index along an axis."""
    c, x, index = t.c, t.tensor("self"), t.tensor("index")
    if not x.rank:
        return movement.reshape(c, x, index.shape)
    return indexing.gather_elements(c, x, index, t.axis("dim", x.rank))


def index(t: OperatorContext) -> Tensor:
    """By tensors of indices along some axes, which broadcast with each other."""
    c, x, places = t.c, t.tensor("self"), _places(t)
    axes = sorted(places)
    if len(axes) == 1:
        return indexing.gather(c, x, places[axes[0]], axes[0])
    order = [*axes, *(axis for axis in range(x.rank) if axis not in places)]
    front = movement.transpose(c, x, order)
    parts = [indexing.normalized_indices(c, places[axis], x.shape[axis]) for axis in axes]
    found = indexing.gather_at(c, front, parts)
    rank = len(np.broadcast_shapes(*(part.shape for part in parts)))
    return movement.transpose(c, found, _order_behind(axes, rank, found.rank))


def _order_behind(axes: Sequence[int], rank: int, total: int) -> list[int]:
    """What the axes of indices, which stand in front, have as their place: that of the first of them, if they are
    neighbours.
    """
    if axes != list(range(axes[0], axes[0] + len(axes))):
        return list(range(total))
    rest = list(range(rank, total))
    return [*rest[: axes[0]], *range(rank), *rest[axes[0] :]]


def _places(t: OperatorContext) -> dict[int, Tensor]:
    """Indices by the axis that they are for; those of bool as the places where they hold."""
    places: dict[int, Tensor] = {}
    axis = 0
    for entry in t.optional_tensors("indices"):
        if entry is None:
            axis += 1
        elif entry.dtype == _BOOL:
            array = t.c.data(entry)
            if array is None:
                raise t.unsupported(
                    "expected a known mask: how many elements it names has to be known"
                )
            for found in np.nonzero(array):
                places[axis] = t.c.known(found.astype(np.int64))
                axis += 1
        else:
            places[axis] = entry
            axis += 1
    if not places:
        raise t.error("expected indices, got none")
    return places


def index_put(t: OperatorContext) -> Tensor:
    """self, but values where tensors of indices say."""
    c, (x, values) = t.c, t.as_result("self", "values")
    masked = _masked(t, x, values)
    if masked is not None:
        return masked
    places, adds = _places(t), t.flag("accumulate")
    axes = sorted(places)
    if len(axes) == 1 and places[axes[0]].elements == 1 and not places[axes[0]].is_known:
        return _put_in_one_place(c, x, values, places[axes[0]], axes[0], adds=adds)
    order = [*axes, *(axis for axis in range(x.rank) if axis not in places)]
    shape = np.broadcast_shapes(*(places[axis].shape for axis in axes))
    rows = [
        movement.unsqueeze(
            c, movement.broadcast_to(c, ew.cast(c, places[axis], _INT64), shape), [len(shape)]
        )
        for axis in axes
    ]
    front = movement.transpose(c, x, order)
    taken = (*shape, *front.shape[len(axes) :])
    behind = _order_behind(axes, len(shape), len(taken))
    spread = movement.broadcast_to(c, values, [taken[axis] for axis in behind])
    updates = movement.transpose(c, spread, np.argsort(behind).tolist())
    combine = Combine.ADD if adds else Combine.REPLACE
    result = scatter_nd(c, front, movement.concat(c, rows, len(shape)), updates, combine)
    return movement.transpose(c, result, np.argsort(order).tolist())


def _masked(t: OperatorContext, x: Tensor, values: Tensor) -> Tensor | None:
    """The result, if one mask of bool says where one value goes; else None."""
    entries = t.optional_tensors("indices")
    mask = entries[0] if entries else None
    if mask is None or mask.dtype != _BOOL or len(entries) > 1 or values.elements > 1:
        return None
    c = t.c
    spread = movement.reshape(c, mask, (*mask.shape, *(1,) * (x.rank - mask.rank)))
    value = movement.reshape(c, values, ())
    return ew.where(c, spread, ew.add(c, x, value) if t.flag("accumulate") else value, x)


def _put_in_one_place(
    c: Composer, x: Tensor, values: Tensor, place: Tensor, axis: int, *, adds: bool
) -> Tensor:
    """x, but values at one computed index along an axis: how caches of keys are written, a step at a time."""
    shape = [1] * x.rank
    shape[axis] = x.shape[axis]
    numbers = c.known(np.arange(x.shape[axis], dtype=np.int32).reshape(shape))
    own = indexing.normalized_indices(c, movement.reshape(c, place, [1] * x.rank), x.shape[axis])
    is_there = ew.equal(c, numbers, ew.cast(c, own, np.dtype("<i4")))
    spread = _as_long(c, values, x.rank)
    return ew.where(c, is_there, ew.add(c, x, spread) if adds else spread, x)


def _as_long(c: Composer, values: Tensor, rank: int) -> Tensor:
    """Values with no more than so many axes: those of an index of one element have length 1."""
    extra = max(values.rank - rank, 0)
    ones = [axis for axis, size in enumerate(values.shape) if size == 1]
    return movement.squeeze(c, values, ones[:extra]) if extra else values


def scatter(t: OperatorContext) -> Tensor:
    """self, but elements of src, or a number, at their own places, but at indices along an axis."""
    c, x, places = t.c, t.as_result("self")[0], t.tensor("index")
    combine = _combination(t)
    if t.has("src"):
        updates = t.as_result("src")[0]
        for axis, size in enumerate(places.shape):
            updates = movement.part(c, updates, axis, 0, size)
    else:
        updates = movement.broadcast_to(c, t.as_result("value")[0], places.shape)
    if not x.rank:
        return updates if combine is Combine.REPLACE else ew.add(c, x, updates)
    return scatter_elements(c, x, places, updates, t.axis("dim", x.rank), combine)


def _combination(t: OperatorContext) -> Combine:
    """Raises UnsupportedError for means, and where self does not count."""
    if t.step.operator.startswith("aten.scatter_add"):
        return Combine.ADD
    if not t.has("reduce"):
        return Combine.REPLACE
    name = t.text("reduce")
    if name not in _COMBINATIONS or (
        "include_self" in t.step.arguments and not t.flag("include_self")
    ):
        raise t.unsupported(
            f"expected a reduction among {', '.join(_COMBINATIONS)} with include_self, got {name}"
        )
    return _COMBINATIONS[name]


RULES: Mapping[str, Rule] = {
    "aten._embedding_bag": Rule(bags, remark="padding_idx, computed offsets"),
    "aten._embedding_bag_forward_only": Rule(bags, remark="padding_idx, computed offsets"),
    "aten._unsafe_index": Rule(index),
    "aten._unsafe_index_put": Rule(index_put),
    "aten.embedding": Rule(embedding),
    "aten.gather": Rule(gather),
    "aten.index": Rule(index, remark="computed masks"),
    "aten.index_put": Rule(index_put, remark="computed masks but of one value"),
    "aten.index_select": Rule(index_select),
    "aten.scatter": Rule(scatter),
    "aten.scatter_add": Rule(scatter),
    "aten.scatter_reduce": Rule(scatter, remark="means, and without include_self"),
}
