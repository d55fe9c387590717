"""Bijections between the elements of two shapes, of the kind that transposes and reshapes compose to.

Everything here is about places of elements; what a tensor holds is of no concern.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from tinsmith_ir.graph import Array

Shape = tuple[int, ...]

MOST_AXES = 6
"""That kernels take."""


@dataclass(frozen=True)
class Piece:
    """A run of places along an axis of both shapes: elements are counted in pieces.

    source: its position among the pieces in the order of `before`. size: at least 2. before, after: its axes.
    """

    source: int
    size: int
    before: int
    after: int


@dataclass(frozen=True)
class Rearrangement:
    """`before` as the digits `sizes`, outermost first, which follow one another in `order` in `after`.

    In normal form: no digit of size 1, none that always follows another. So equal bijections have equal digits, and
    what keeps the order of all elements has one digit or, of a single element, none.
    """

    before: Shape
    after: Shape
    sizes: tuple[int, ...]
    order: tuple[int, ...]

    def __hash__(self) -> int:
        """Computed once: caches ask for it often."""
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((self.before, self.after, self.sizes, self.order))

    @cached_property
    def is_reshape(self) -> bool:
        """Whether all elements keep their order."""
        return len(self.sizes) <= 1

    @property
    def is_deep(self) -> bool:
        """Whether kernels cannot do it at once."""
        return len(self.sizes) > MOST_AXES

    @cached_property
    def is_nothing(self) -> bool:
        """Whether it is the identity."""
        return self.is_reshape and self.before == self.after

    @cached_property
    def inverse(self) -> "Rearrangement":
        """From `after` back to `before`."""
        back = tuple(self.order.index(digit) for digit in range(len(self.order)))
        sizes = tuple(self.sizes[digit] for digit in self.order)
        return Rearrangement(self.after, self.before, sizes, back)

    @cached_property
    def pieces(self) -> tuple[Piece, ...] | None:
        """The common refinement of digits and axes, in the order of `after`; None if there is none."""
        return _pieces(self)

    def then(self, following: "Rearrangement") -> "Rearrangement | None":
        """Both, one after the other; None if no digits serve both."""
        if following.is_nothing:
            return self
        return following if self.is_nothing else _composed(self, following)

    def same_order(self, other: "Rearrangement") -> bool:
        """Whether both put elements in the same order, whatever the shapes."""
        return (self.sizes, self.order) == (other.sizes, other.order)

    def between(self, before: Shape, after: Shape) -> "Rearrangement":
        """The same order between other shapes of as many elements."""
        return Rearrangement(before, after, self.sizes, self.order)

    def of(self, array: Array) -> Array:
        """An array of the shape `before`, rearranged."""
        digits = array.reshape(self.sizes).transpose(self.order)
        return np.ascontiguousarray(digits).reshape(self.after)


def rearranged(
    before: Shape, sizes: Sequence[int], order: Sequence[int], after: Shape
) -> Rearrangement:
    """The rearrangement in normal form; digits may have any size, 1 included."""
    long = [digit for digit, size in enumerate(sizes) if size > 1]
    place = {digit: index for index, digit in enumerate(long)}
    runs: list[list[int]] = []
    for digit in order:
        if digit not in place:
            continue
        if runs and place[digit] == place[runs[-1][-1]] + 1:
            runs[-1].append(digit)
        else:
            runs.append([digit])
    in_source = sorted(runs)
    merged = tuple(math.prod(sizes[digit] for digit in run) for run in in_source)
    return Rearrangement(before, after, merged, tuple(in_source.index(run) for run in runs))


@lru_cache(maxsize=1 << 12)
def reshaped(before: Shape, after: Shape) -> Rearrangement:
    """The rearrangement that a reshape is."""
    return rearranged(before, before, range(len(before)), after)


@lru_cache(maxsize=1 << 12)
def transposed(before: Shape, permutation: tuple[int, ...]) -> Rearrangement:
    """The rearrangement that a transpose is."""
    return rearranged(before, before, permutation, tuple(before[axis] for axis in permutation))


def side_by_side(parts: Sequence[Rearrangement]) -> Rearrangement:
    """Each of its own axes, which follow one another."""
    sizes: list[int] = []
    order: list[int] = []
    for part in parts:
        order += [len(sizes) + digit for digit in part.order]
        sizes += part.sizes
    before = tuple(size for part in parts for size in part.before)
    return rearranged(before, sizes, order, tuple(size for part in parts for size in part.after))


@lru_cache(maxsize=1 << 12)
def blocks_of(whole: Rearrangement, lengths: tuple[int, ...]) -> tuple[Rearrangement, ...] | None:
    """What is done within each axis, if `before` is seen as several of these lengths; None if elements leave theirs.

    Of each a rearrangement from (length,) to (length,).
    """
    axes = rearranged(lengths, whole.sizes, whole.order, lengths)
    if axes.pieces is None or any(piece.before != piece.after for piece in axes.pieces):
        return None
    found: list[Rearrangement] = []
    for axis, length in enumerate(lengths):
        own = [piece for piece in axes.pieces if piece.before == axis]
        by_source = sorted(own, key=lambda piece: piece.source)
        order = [by_source.index(piece) for piece in own]
        found.append(rearranged((length,), [piece.size for piece in by_source], order, (length,)))
    return tuple(found)


def refined(lhs: Sequence[int], rhs: Sequence[int]) -> list[tuple[int, int, int]] | None:
    """Both counts of the same elements in common digits, outermost first: (size, digit of lhs, digit of rhs).

    None if there are none, as of (4, 3) and (3, 4). Digits of size 1 are in no result.
    """
    found: list[tuple[int, int, int]] = []
    left, right = len(lhs) - 1, len(rhs) - 1
    rest_left = rest_right = 1
    while left >= 0 or right >= 0 or rest_left * rest_right > 1:
        if rest_left == 1 and left >= 0:
            rest_left, left = lhs[left], left - 1
            continue
        if rest_right == 1 and right >= 0:
            rest_right, right = rhs[right], right - 1
            continue
        size = min(rest_left, rest_right)
        if size == 1 or rest_left % size or rest_right % size:
            return None
        found.append((size, left + 1, right + 1))
        rest_left, rest_right = rest_left // size, rest_right // size
    return found[::-1]


@lru_cache(maxsize=1 << 14)
def _composed(first: Rearrangement, second: Rearrangement) -> Rearrangement | None:
    between = [first.sizes[digit] for digit in first.order]
    digits = refined(between, second.sizes)
    if digits is None:
        return None
    by_source = sorted(range(len(digits)), key=lambda index: (first.order[digits[index][1]], index))
    place = {index: source for source, index in enumerate(by_source)}
    by_result = [
        index for digit in second.order for index, found in enumerate(digits) if found[2] == digit
    ]
    sizes = [digits[index][0] for index in by_source]
    return rearranged(first.before, sizes, [place[index] for index in by_result], second.after)


def _pieces(whole: Rearrangement) -> tuple[Piece, ...] | None:
    by_axis = refined(whole.before, whole.sizes)
    if by_axis is None:
        return None
    by_result = [
        (index, size, axis)
        for digit in whole.order
        for index, (size, axis, found) in enumerate(by_axis)
        if found == digit
    ]
    both = refined([size for _, size, _ in by_result], whole.after)
    if both is None:
        return None
    # (position among the digits of `before`, position within), which sorts pieces by their source.
    keys = [(by_result[digit][0], index) for index, (_, digit, _) in enumerate(both)]
    rank = {key: source for source, key in enumerate(sorted(keys))}
    return tuple(
        Piece(rank[key], size, by_result[digit][2], after)
        for key, (size, digit, after) in zip(keys, both, strict=True)
    )
