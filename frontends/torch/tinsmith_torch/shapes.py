"""Rules of operators that move elements: shapes, parts, repetitions."""

from collections.abc import Mapping, Sequence

from tinsmith_tensors import Tensor, movement
from tinsmith_tensors import elementwise as ew

from tinsmith_torch.context import OperatorContext
from tinsmith_torch.rules import Rule


def view(t: OperatorContext) -> Tensor:
    """The same elements in the result's shape."""
    return movement.reshape(t.c, t.tensor("self"), t.result.shape)


def permute(t: OperatorContext) -> Tensor:
    """Axes in the order of dims."""
    x = t.tensor("self")
    return movement.transpose(t.c, x, [axis % x.rank for axis in t.integers("dims")])


def transpose(t: OperatorContext) -> Tensor:
    """Two axes exchanged."""
    x = t.tensor("self")
    order = list(range(x.rank))
    if not order:
        return x
    first, second = t.axis("dim0", x.rank), t.axis("dim1", x.rank)
    order[first], order[second] = second, first
    return movement.transpose(t.c, x, order)


def matrix_transpose(t: OperatorContext) -> Tensor:
    """Rows and columns exchanged; of less than two axes as it is."""
    x = t.tensor("self")
    return movement.transpose(t.c, x, range(x.rank - 1, -1, -1))


def expand(t: OperatorContext) -> Tensor:
    """Repeated along axes of length 1, and along new ones in front."""
    return movement.broadcast_to(t.c, t.tensor("self"), t.result.shape)


def repeat(t: OperatorContext) -> Tensor:
    """The whole again and again, along each axis; more counts than axes make new ones in front."""
    c, x, counts = t.c, t.tensor("self"), t.integers("repeats")
    shape = (*(1,) * (len(counts) - x.rank), *x.shape)
    return movement.tile(c, movement.reshape(c, x, shape), counts)


def concat(t: OperatorContext) -> Tensor:
    """One behind the other; a tensor of one axis without elements counts for nothing, as in PyTorch."""
    dtype = t.result.dtype
    parts = [ew.cast(t.c, each, dtype) for each in t.tensors("tensors")]
    filled = [each for each in parts if each.shape != (0,)] or parts[:1]
    return movement.concat(t.c, filled, t.axis("dim", filled[0].rank))


def stack(t: OperatorContext) -> Tensor:
    """Side by side along a new axis."""
    dtype = t.result.dtype
    parts = [ew.cast(t.c, each, dtype) for each in t.tensors("tensors")]
    return movement.stack(t.c, parts, t.axis("dim", parts[0].rank + 1))


def split(t: OperatorContext) -> Sequence[Tensor]:
    """Parts of one size, the last of what is left; or of given sizes."""
    x = t.tensor("self")
    axis = t.axis("dim", x.rank)
    ends: list[int] = []
    for meta in t.step.results:
        if meta is None:
            raise t.error("expected tensors as results")
        ends.append((ends[-1] if ends else 0) + meta.shape[axis])
    begins = [0, *ends[:-1]]
    return [
        movement.part(t.c, x, axis, begin, end) for begin, end in zip(begins, ends, strict=True)
    ]


def unbind(t: OperatorContext) -> Sequence[Tensor]:
    """Each along an axis by itself, without it."""
    x = t.tensor("self")
    axis = t.axis("dim", x.rank)
    t.check_count(x.shape[axis])
    parts = (movement.part(t.c, x, axis, index, index + 1) for index in range(x.shape[axis]))
    return [movement.squeeze(t.c, each, [axis]) for each in parts]


def slice_(t: OperatorContext) -> Tensor:
    """Elements from start to below end by step, along an axis; PyTorch cuts bounds to what there is."""
    x = t.tensor("self")
    axis = t.axis("dim", x.rank)
    begin, size = slice_bounds(t, x.shape[axis])
    start, shape, steps = [0] * x.rank, list(x.shape), [1] * x.rank
    start[axis], shape[axis], steps[axis] = begin, size, t.integer("step")
    return movement.slice_(t.c, x, start, shape, steps)


def slice_bounds(t: OperatorContext, size: int) -> tuple[int, int]:
    """Where a slice along an axis of that size begins, and how many elements it has."""
    start = t.integer("start") if t.has("start") else None
    end = t.integer("end") if t.has("end") else None
    chosen = range(size)[start : end : t.integer("step")]
    return (chosen.start if len(chosen) else 0), len(chosen)


def select(t: OperatorContext) -> Tensor:
    """One of an axis, without it."""
    x = t.tensor("self")
    axis, index = t.axis("dim", x.rank), t.integer("index")
    if not -x.shape[axis] <= index < x.shape[axis]:
        raise t.error(f"expected an index within {x.shape[axis]}, got {index}")
    index %= x.shape[axis]
    return movement.squeeze(t.c, movement.part(t.c, x, axis, index, index + 1), [axis])


def slice_scatter(t: OperatorContext) -> Tensor:
    """self, but src in a slice of one axis."""
    c, (x, source) = t.c, t.as_result("self", "src")
    axis = t.axis("dim", x.rank)
    begin, size = slice_bounds(t, x.shape[axis])
    return replaced(t, x, movement.broadcast_to(c, source, _sized(x, axis, size)), axis, begin)


def select_scatter(t: OperatorContext) -> Tensor:
    """self, but src in one place of an axis."""
    c, (x, source) = t.c, t.as_result("self", "src")
    axis = t.axis("dim", x.rank)
    index = t.integer("index") % x.shape[axis]
    return replaced(t, x, movement.unsqueeze(c, source, [axis]), axis, index)


def replaced(t: OperatorContext, x: Tensor, source: Tensor, axis: int, begin: int) -> Tensor:
    """x, but what lies from `begin` on along an axis, by steps, is source."""
    c, step = t.c, t.integer("step") if t.has("step") else 1
    size, count = x.shape[axis], source.shape[axis]
    if not count:
        return x
    if step == 1:
        parts = [
            movement.part(c, x, axis, 0, begin) if begin else None,
            source,
            movement.part(c, x, axis, begin + count, size) if begin + count < size else None,
        ]
        return movement.concat(c, [part for part in parts if part is not None], axis)
    t.check_count(size)
    own = (movement.part(c, source, axis, place, place + 1) for place in range(count))
    places = set(range(begin, size, step))
    rows = [
        next(own) if place in places else movement.part(c, x, axis, place, place + 1)
        for place in range(size)
    ]
    return movement.concat(c, rows, axis)


def _sized(x: Tensor, axis: int, size: int) -> list[int]:
    shape = list(x.shape)
    shape[axis] = size
    return shape


def flip(t: OperatorContext) -> Tensor:
    """Read backwards along axes."""
    return movement.flip(t.c, t.tensor("self"), t.integers("dims"))


def roll(t: OperatorContext) -> Tensor:
    """What is pushed out at an end comes in at the other; without axes as one long row."""
    c, x = t.c, t.tensor("self")
    axes, shifts = t.integers("dims") if t.has("dims") else (), t.integers("shifts")
    if not axes:
        flat = movement.reshape(c, x, (x.elements,))
        return movement.reshape(c, movement.roll(c, flat, shifts[0], 0), x.shape)
    for axis, shift in zip(axes, shifts, strict=True):
        x = movement.roll(c, x, shift, axis % x.rank)
    return x


def unfold(t: OperatorContext) -> Tensor:
    """Windows of one axis, their elements along a new last one."""
    c, x = t.c, t.tensor("self")
    axis, size, step = t.axis("dimension", x.rank), t.integer("size"), t.integer("step")
    count = (x.shape[axis] - size) // step + 1
    t.check_count(count)
    windows = [
        movement.part(c, x, axis, index * step, index * step + size) for index in range(count)
    ]
    stacked = movement.stack(c, windows, axis)
    return movement.move_axis(c, stacked, axis + 1, x.rank)


def diagonal(t: OperatorContext) -> Tensor:
    """Of two axes as rows and columns, along a new last one: steps of one row and one column."""
    c, x, offset = t.c, t.tensor("self"), t.integer("offset")
    first, second = t.axis("dim1", x.rank), t.axis("dim2", x.rank)
    rest = [axis for axis in range(x.rank) if axis not in (first, second)]
    last = movement.transpose(c, x, (*rest, first, second))
    rows, columns = last.shape[-2:]
    lead = last.shape[:-2]
    flat = movement.reshape(c, last, (*lead, rows * columns))
    begin = offset if offset >= 0 else -offset * columns
    ends = [0] * len(lead), [1] * len(lead)
    count = t.result.shape[-1]
    return movement.slice_(c, flat, [*ends[0], begin], (*lead, count), [*ends[1], columns + 1])


def channel_shuffle(t: OperatorContext) -> Tensor:
    """Channels of all groups in turn: (N, groups C, ...) read as (N, C groups, ...)."""
    c, x, groups = t.c, t.tensor("self"), t.integer("groups")
    apart = (x.shape[0], groups, x.shape[1] // groups, *x.shape[2:])
    return movement.reshape(
        c,
        movement.transpose(c, movement.reshape(c, x, apart), (0, 2, 1, *range(3, len(apart)))),
        x.shape,
    )


RULES: Mapping[str, Rule] = {
    "aten._unsafe_view": Rule(view),
    "aten.cat": Rule(concat),
    "aten.channel_shuffle": Rule(channel_shuffle),
    "aten.chunk": Rule(split),
    "aten.diagonal": Rule(diagonal),
    "aten.expand": Rule(expand),
    "aten.flatten": Rule(view),
    "aten.flip": Rule(flip),
    "aten.native_channel_shuffle": Rule(channel_shuffle),
    "aten.permute": Rule(permute),
    "aten.repeat": Rule(repeat),
    "aten.reshape": Rule(view),
    "aten.roll": Rule(roll),
    "aten.select": Rule(select),
    "aten.select_scatter": Rule(select_scatter),
    "aten.slice": Rule(slice_),
    "aten.slice_scatter": Rule(slice_scatter),
    "aten.split": Rule(split),
    "aten.split_with_sizes": Rule(split),
    "aten.squeeze": Rule(view),
    "aten.stack": Rule(stack),
    "aten.t": Rule(matrix_transpose),
    "aten.transpose": Rule(transpose),
    "aten.unbind": Rule(unbind),
    "aten.unflatten": Rule(view),
    "aten.unfold": Rule(unfold),
    "aten.unsqueeze": Rule(view),
    "aten.view": Rule(view),
}
