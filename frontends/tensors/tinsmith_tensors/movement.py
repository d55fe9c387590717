"""Functions that move elements: of known tensors at once, of computed ones by operators of the graph."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from tinsmith_ir.dtypes import DType
from tinsmith_ir.errors import UnsupportedError
from tinsmith_ir.graph import Array
from tinsmith_ir.operators import Broadcast, Cast, Concat, Pad, Reshape, Slice, Transpose
from tinsmith_ir.types import Quantization

from tinsmith_tensors.composer import Composer, Integers, Tensor
from tinsmith_tensors.element_types import graph_dtype


def reshape(c: Composer, x: Tensor, shape: Sequence[int]) -> Tensor:
    """The same elements in another shape of as many."""
    wanted = tuple(int(size) for size in shape)
    if x.shape == wanted:
        return x
    if math.prod(wanted) != x.elements:
        raise UnsupportedError(f"expected a shape of {x.elements} elements, got {list(wanted)}")
    if x.array is not None:
        return _moved(c, x, lambda array: array.reshape(wanted))
    return c.emit(Reshape(wanted), x)


def transpose(c: Composer, x: Tensor, permutation: Sequence[int]) -> Tensor:
    """Axis i of the result is axis permutation[i] of x."""
    axes = tuple(int(axis) for axis in permutation)
    if axes == tuple(range(x.rank)):
        return x
    if x.array is not None:
        return _moved(c, x, lambda array: array.transpose(axes))
    return c.emit(Transpose(axes), x)


def channels_last(c: Composer, x: Tensor) -> Tensor:
    """(N, C, ...) as (N, ..., C)."""
    return transpose(c, x, (0, *range(2, x.rank), 1))


def channels_first(c: Composer, x: Tensor) -> Tensor:
    """(N, ..., C) as (N, C, ...)."""
    return transpose(c, x, (0, x.rank - 1, *range(1, x.rank - 1)))


def move_axis(c: Composer, x: Tensor, source: int, target: int) -> Tensor:
    """x with one axis in another place; the others keep their order."""
    axes = [axis for axis in range(x.rank) if axis != source % x.rank]
    axes.insert(target % x.rank, source % x.rank)
    return transpose(c, x, axes)


def squeeze(c: Composer, x: Tensor, axes: Sequence[int]) -> Tensor:
    """x without axes, each of length 1."""
    dropped = {axis % x.rank for axis in axes}
    if any(x.shape[axis] != 1 for axis in dropped):
        raise UnsupportedError(
            f"expected axes of length 1, got axes {list(axes)} of shape {list(x.shape)}"
        )
    return reshape(c, x, [size for axis, size in enumerate(x.shape) if axis not in dropped])


def unsqueeze(c: Composer, x: Tensor, axes: Sequence[int]) -> Tensor:
    """x with new axes of length 1 at those places of the result."""
    rank = x.rank + len(axes)
    new = {axis % rank for axis in axes}
    if len(new) != len(axes):
        raise UnsupportedError(f"expected different axes within rank {rank}, got {list(axes)}")
    sizes = iter(x.shape)
    return reshape(c, x, [1 if axis in new else next(sizes) for axis in range(rank)])


def broadcast_to(c: Composer, x: Tensor, shape: Sequence[int]) -> Tensor:
    """Elements repeated along axes of length 1, and along new axes in front."""
    wanted = tuple(int(size) for size in shape)
    if x.shape == wanted:
        return x
    if x.array is not None:
        c.check_known_size(wanted, x.dtype.itemsize)
        return c.known(np.array(np.broadcast_to(x.array, wanted), order="C"), x.hint)
    return c.emit(Broadcast(wanted), x)


def slice_(
    c: Composer, x: Tensor, begin: Sequence[int], shape: Sequence[int], steps: Sequence[int]
) -> Tensor:
    """Along each axis i the elements begin[i] + k * steps[i], k below shape[i]; indices are those of elements."""
    if tuple(shape) == x.shape and all(step == 1 for step in steps):
        return x
    if x.array is not None:
        axes = zip(begin, shape, steps, strict=True)
        indices = [start + np.arange(size) * step for start, size, step in axes]
        return _moved(c, x, lambda array: array[np.ix_(*indices)])
    if 0 in shape:
        raise UnsupportedError(f"expected a slice with elements, got shape {list(shape)}")
    return c.emit(Slice(tuple(begin), tuple(shape), tuple(steps)), x)


def part(c: Composer, x: Tensor, axis: int, begin: int, end: int) -> Tensor:
    """The elements from begin to below end along one axis."""
    start, shape = [0] * x.rank, list(x.shape)
    start[axis], shape[axis] = begin, end - begin
    return slice_(c, x, start, shape, [1] * x.rank)


def flip(c: Composer, x: Tensor, axes: Sequence[int]) -> Tensor:
    """x read backwards along axes."""
    backwards = {axis % x.rank for axis in axes}
    begin = [size - 1 if axis in backwards else 0 for axis, size in enumerate(x.shape)]
    steps = [-1 if axis in backwards else 1 for axis in range(x.rank)]
    return slice_(c, x, begin, x.shape, steps)


def concat(c: Composer, parts: Sequence[Tensor], axis: int) -> Tensor:
    """One behind the other along an axis; parts without elements are left out."""
    if all(part_.is_known for part_ in parts):
        arrays = [part_.array for part_ in parts if part_.array is not None]
        itemsize = max(array.dtype.itemsize for array in arrays)
        c.check_known_size([sum(array.size for array in arrays)], itemsize)
        return c.known(np.concatenate(arrays, axis))
    filled = [part_ for part_ in parts if part_.elements]
    if len(filled) == 1:
        return filled[0]
    quantization = next((part_.quantization for part_ in filled if part_.quantization), None)
    if quantization is not None:
        filled = [_standing_for(c, part_, quantization) for part_ in filled]
    elif filled[0].dtype.itemsize == 1 and filled[0].dtype.kind in "iu":
        # The graph joins no plain bytes.
        wide = [c.emit(Cast(DType.INT16), part_) for part_ in filled]
        return c.emit(Cast(graph_dtype(filled[0].dtype)), concat(c, wide, axis))
    return c.emit(Concat(axis=axis % filled[0].rank), *filled)


def _standing_for(c: Composer, x: Tensor, quantization: Quantization) -> Tensor:
    """The same integers with that quantization, as one operator has one of them."""
    if x.array is not None:
        return c.constant(x.array, quantization, x.hint)
    return c.reinterpreted(x, quantization)


def stack(c: Composer, parts: Sequence[Tensor], axis: int) -> Tensor:
    """Side by side along a new axis."""
    return concat(c, [unsqueeze(c, part_, [axis]) for part_ in parts], axis)


def tile(c: Composer, x: Tensor, times: Sequence[int]) -> Tensor:
    """x as a whole times[i] times along each axis i; 0 leaves no elements."""
    if len(times) != x.rank or min(times, default=1) < 0:
        raise UnsupportedError(f"expected {x.rank} multiples from 0 on, got {list(times)}")
    pairs = [*zip(times, x.shape, strict=True)]
    whole = [count * size for count, size in pairs]
    if x.array is not None or 0 in times:
        c.check_known_size(whole, x.dtype.itemsize)
        array = np.empty(whole, x.dtype) if x.array is None else np.tile(x.array, times)
        return c.known(array, x.hint)
    # A new axis in front of each that is repeated, along which it is.
    apart = [part_ for count, size in pairs for part_ in ((1, size) if count > 1 else (size,))]
    grown = [part_ for count, size in pairs for part_ in ((count, size) if count > 1 else (size,))]
    return reshape(c, broadcast_to(c, reshape(c, x, apart), grown), whole)


def repeat(c: Composer, x: Tensor, count: int, axis: int) -> Tensor:
    """Each element `count` times, one behind the other, along an axis; 0 leaves no elements."""
    place = axis % x.rank
    times = [1] * (x.rank + 1)
    times[place + 1] = count
    whole = [size * count if each == place else size for each, size in enumerate(x.shape)]
    return reshape(c, tile(c, unsqueeze(c, x, [place + 1]), times), whole)


def roll(c: Composer, x: Tensor, shift: int, axis: int) -> Tensor:
    """x moved by `shift` along an axis; what leaves it at its end comes back at its begin."""
    place = axis % x.rank
    size = x.shape[place]
    by = shift % size if size else 0
    if by == 0:
        return x
    return concat(c, [part(c, x, place, size - by, size), part(c, x, place, 0, size - by)], place)


def pad(c: Composer, x: Tensor, widths: Sequence[tuple[int, int]], value: float | None) -> Tensor:
    """Elements added before and after each axis. value: as stored, None is the real zero. Negative widths cut off."""
    cut = [(max(-before, 0), max(-after, 0)) for before, after in widths]
    if any(map(any, cut)):
        begin = [before for before, _ in cut]
        sizes = zip(x.shape, cut, strict=True)
        shape = [size - before - after for size, (before, after) in sizes]
        if min(shape, default=1) < 0:
            raise UnsupportedError(
                f"expected paddings that leave elements of {list(x.shape)}, got {list(widths)}"
            )
        x = slice_(c, x, begin, shape, [1] * x.rank)
    added = [(max(before, 0), max(after, 0)) for before, after in widths]
    if not any(map(any, added)):
        return x
    if x.array is not None:
        grown = [size + sum(pair) for size, pair in zip(x.shape, added, strict=True)]
        c.check_known_size(grown, x.dtype.itemsize)
        fill = 0 if value is None else value
        grown_x = c.known(np.pad(x.array, added, constant_values=fill), x.hint)
        return replace(grown_x, integers=None if fill else _padded(x.integers, added))
    stored = value if value is None or x.is_float else int(value)
    return c.emit(Pad(tuple(width for pair in added for width in pair), stored), x)


def _padded(integers: Integers | None, widths: Sequence[tuple[int, int]]) -> Integers | None:
    """Zeros around integers; any scale will do for them."""
    if integers is None or not integers.array.size:
        return None
    array = np.pad(integers.array, widths, constant_values=integers.zero_point)
    along = [
        pair if size > 1 else (0, 0)
        for pair, size in zip(widths, integers.scales.shape, strict=True)
    ]
    return Integers(array, np.pad(integers.scales, along, mode="edge"), integers.zero_point)


def _moved(c: Composer, x: Tensor, move: Callable[[Array], Array]) -> Tensor:
    """A known tensor in other places, and the integers that stand for it. What only looks at the same bytes is free."""
    assert x.array is not None
    array = np.asarray(move(x.array), order="C")
    is_view = array.size > 0 and np.may_share_memory(array, x.array)
    moved = Tensor(array, hint=x.hint) if is_view else c.moved(array, x.hint)
    return replace(moved, integers=x.integers and x.integers.moved(move))
