"""Rearrangements that move whole axes, as operators with an axis among their attributes can bear them."""

import math
from collections.abc import Iterator, Sequence

from tinsmith_layout.rearrangement import Piece, Rearrangement, Shape, rearranged

Axes = tuple[int | None, ...]
"""For each axis of a result the axis that it was, or None for a new one of size 1; what is left out has size 1, too."""


def axes_of(label: Rearrangement) -> Iterator[Axes]:
    """The ways to see a rearrangement as one of whole axes: with the very shape that it ends in, if that can be, and
    with all axes that there were.
    """
    long = _long_axes(label)
    if long is None:
        return
    exact = _in_shape(label, long)
    if exact is not None:
        yield exact
    own = _in_place(label.before, long)
    if own != exact:
        yield own


def arranged(axes: Axes, shape: Shape) -> Rearrangement | None:
    """What `axes` are for a tensor of that shape; None if an axis is left out that is longer than 1."""
    kept = [axis for axis in axes if axis is not None]
    left_out = [axis for axis in range(len(shape)) if axis not in kept]
    if any(shape[axis] != 1 for axis in left_out):
        return None
    after = tuple(1 if axis is None else shape[axis] for axis in axes)
    return rearranged(shape, shape, [*kept, *left_out], after)


def without(axes: Axes, left_out: Sequence[int]) -> Axes:
    """The axes of a result that lacks some, counted as it counts them."""
    return tuple(
        None if axis is None else axis - sum(other < axis for other in left_out)
        for axis in axes
        if axis not in left_out
    )


def digits_of(label: Rearrangement) -> tuple[Shape, ...]:
    """For each axis the sizes of the digits that stay whole, outermost first; () if axes are not made of digits."""
    found: list[list[int]] = [[] for _ in label.before]
    for run in sorted(_runs(label), key=lambda run: run[0].source):
        found[run[0].before].append(_size(run))
    return tuple(tuple(sizes) or (1,) for sizes in found) if label.pieces is not None else ()


def in_digits(label: Rearrangement) -> Rearrangement | None:
    """The same order, with a dimension for each digit that stays whole; None if axes are not made of digits."""
    if label.pieces is None:
        return None
    return label.between(label.before, tuple(map(_size, _runs(label))))


def _runs(label: Rearrangement) -> list[list[Piece]]:
    """Pieces of one axis that follow one another before and after, in the order of the result."""
    runs: list[list[Piece]] = []
    for piece in label.pieces or ():
        last = runs[-1][-1] if runs else None
        if last and last.before == piece.before and last.source + 1 == piece.source:
            runs[-1].append(piece)
        else:
            runs.append([piece])
    return runs


def _size(run: Sequence[Piece]) -> int:
    return math.prod(piece.size for piece in run)


def _long_axes(label: Rearrangement) -> list[int] | None:
    """The axes longer than 1 in the order of the result; None if one is taken apart."""
    found = [run[0].before for run in _runs(label)]
    return found if label.pieces is not None and len(set(found)) == len(found) else None


def _in_shape(label: Rearrangement, long: Sequence[int]) -> Axes | None:
    """The axes as `label.after` has them, those of size 1 taken from the front."""
    wanted = [axis for axis, size in enumerate(label.after) if size > 1]
    if [label.after[axis] for axis in wanted] != [label.before[axis] for axis in long]:
        return None
    named = dict(zip(wanted, long, strict=True))
    ones = iter([axis for axis, size in enumerate(label.before) if size == 1])
    return tuple(
        named[axis] if axis in named else next(ones, None) for axis in range(len(label.after))
    )


def _in_place(shape: Shape, long: Sequence[int]) -> Axes:
    """Axes of size 1 stay where they are."""
    rest = iter(long)
    return tuple(axis if size == 1 else next(rest) for axis, size in enumerate(shape))
