"""Boxes of tensors: the part of each axis that a cut computes or reads, and types cut to them.

A box says nothing of memory; see the layouts of a Program for that.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import EllipsisType

from tinsmith_ir.checked import Checked
from tinsmith_ir.errors import UsageError
from tinsmith_ir.types import Quantization, TensorType

Range = tuple[int, int]
"""Begin and end of the indices along one axis; the end is not one of them."""


@dataclass(frozen=True)
class Box(Checked):
    """The elements whose index along each axis lies in the axis's range; never empty.

    ranges: one (begin, end) per axis, begin below end; none of a scalar.
    """

    ranges: tuple[Range, ...]

    def __post_init__(self) -> None:
        """Raise UsageError for a range that is empty or begins below 0."""
        super().__post_init__()
        if any(not 0 <= begin < end for begin, end in self.ranges):
            raise UsageError(f"expected ranges 0 <= begin < end, got {self}")

    @staticmethod
    def whole(shape: Sequence[int]) -> "Box":
        """All elements of a tensor."""
        return Box(tuple((0, size) for size in shape))

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """Elements along each axis."""
        return tuple(end - begin for begin, end in self.ranges)

    @property
    def elements(self) -> int:
        """How many elements."""
        return math.prod(self.shape)

    @property
    def slices(self) -> tuple[slice | EllipsisType, ...]:
        """The index of a numpy array that gives the elements; an array, even of a scalar."""
        return (*(slice(begin, end) for begin, end in self.ranges), ...)

    def is_whole(self, shape: Sequence[int], axis: int | None = None) -> bool:
        """True if the box holds all that a tensor of `shape` has, along `axis` or everywhere."""
        self._check_rank(len(shape))
        whole = [(0, size) for size in shape]
        return list(self.ranges) == whole if axis is None else self.ranges[axis] == whole[axis]

    def with_range(self, axis: int, begin: int, end: int) -> "Box":
        """The box with another range along `axis`."""
        return Box((*self.ranges[:axis], (begin, end), *self.ranges[axis + 1 :]))

    def intersect(self, other: "Box") -> "Box | None":
        """The elements of both; None if there are none."""
        self._check_rank(len(other.ranges))
        pairs = zip(self.ranges, other.ranges, strict=True)
        common = tuple((max(a[0], b[0]), min(a[1], b[1])) for a, b in pairs)
        return Box(common) if all(begin < end for begin, end in common) else None

    def hull(self, other: "Box") -> "Box":
        """The smallest box that holds both."""
        self._check_rank(len(other.ranges))
        pairs = zip(self.ranges, other.ranges, strict=True)
        return Box(tuple((min(a[0], b[0]), max(a[1], b[1])) for a, b in pairs))

    def contains(self, other: "Box") -> bool:
        """True if every element of `other` is one of this box."""
        return self.hull(other) == self

    def within(self, outer: "Box") -> "Box":
        """The same elements, counted from the first of `outer`, which must hold them."""
        if not outer.contains(self):
            raise UsageError(f"expected a box within {outer}, got {self}")
        pairs = zip(self.ranges, outer.ranges, strict=True)
        return Box(tuple((begin - first, end - first) for (begin, end), (first, _) in pairs))

    def check_within(self, shape: Sequence[int], what: str) -> None:
        """Raise UsageError unless a tensor of `shape`, called `what`, has all these elements."""
        self._check_rank(len(shape))
        if any(end > size for (_, end), size in zip(self.ranges, shape, strict=True)):
            raise UsageError(f"expected a box within {what} of shape {tuple(shape)}, got {self}")

    def __str__(self) -> str:
        """As numpy's index would be written: `[0:1, 4:8]`."""
        return "[" + ", ".join(f"{begin}:{end}" for begin, end in self.ranges) + "]"

    def _check_rank(self, rank: int) -> None:
        if rank != len(self.ranges):
            raise UsageError(f"expected a box of {rank} axes, got {self} of {len(self.ranges)}")


def cut_type(type_: TensorType, box: Box) -> TensorType:
    """The type of the elements of `box`: its shape, and of a quantization per axis the scales of it."""
    box.check_within(type_.shape, "a tensor")
    if box.shape == type_.shape:
        return type_
    return TensorType(box.shape, type_.dtype, _cut_quantization(type_.quantization, box))


def _cut_quantization(quantization: Quantization | None, box: Box) -> Quantization | None:
    if quantization is None or quantization.axis is None:
        return quantization
    begin, end = box.ranges[quantization.axis]
    if end - begin == len(quantization.scales):
        return quantization
    part = slice(begin, end)
    return replace(
        quantization,
        scales=quantization.scales[part],
        zero_points=quantization.zero_points[part],
    )


def broadcast_box(box: Box, shape: Sequence[int]) -> Box:
    """What `box`, a part of a result, takes of an operand of `shape` that is broadcast as numpy does."""
    last = box.ranges[len(box.ranges) - len(shape) :]
    return Box(tuple((0, 1) if size == 1 else it for it, size in zip(last, shape, strict=True)))


def reshaped_box(box: Box, shape: Sequence[int], other: Sequence[int]) -> Box | None:
    """The elements of `box`, a part of a tensor of `shape`, once it is reshaped to `other`.

    None unless they are a box there too, with its elements in the same order.
    """
    box.check_within(shape, "a tensor")
    if math.prod(shape) != math.prod(other):
        raise UsageError(f"expected shapes of as many elements, got {shape} and {other}")
    ranges: list[Range] = []
    axis = 0
    for sizes, new_sizes in _groups(shape, other):
        given = box.ranges[axis : axis + len(sizes)]
        axis += len(sizes)
        run = _run(given, sizes)
        part = given if sizes == new_sizes else None if run is None else _box_of(run, new_sizes)
        if part is None:
            return None
        ranges += part
    return Box(tuple(ranges))


def _groups(
    shape: Sequence[int], other: Sequence[int]
) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Neighbouring axes of both shapes that hold the same elements, as few at a time as can be."""
    groups: list[tuple[tuple[int, ...], tuple[int, ...]]] = []
    first = second = 0
    while first < len(shape) or second < len(other):
        start, new_start = first, second
        count = new_count = 1
        while first == start or second == new_start or count != new_count:
            wants_first = first == start or (second > new_start and count < new_count)
            if first < len(shape) and (wants_first or second == len(other)):
                count *= shape[first]
                first += 1
            elif second < len(other):
                new_count *= other[second]
                second += 1
            else:
                break  # axes of size 1 at the end of one side only
        groups.append((tuple(shape[start:first]), tuple(other[new_start:second])))
    return groups


def _run(ranges: Sequence[Range], sizes: Sequence[int]) -> Range | None:
    """Where a part of dense axes lies, counted in elements; None if it is not in one piece."""
    begin, length, is_open = 0, 1, False
    for (low, high), size in zip(ranges, sizes, strict=True):
        if is_open and (low, high) != (0, size):
            return None
        is_open = is_open or high - low > 1
        begin = begin * size + low
        length *= high - low
    return begin, begin + length


def _box_of(run: Range, sizes: Sequence[int]) -> list[Range] | None:
    """The part of dense axes that lies there; None if it is no box."""
    ranges: list[Range] = []
    (begin, end), inner = run, math.prod(sizes)
    for size in sizes:
        inner //= size
        low, high = begin // inner, -(-end // inner)
        ranges.append((low, high))
        if high - low > 1:
            if begin % inner or end % inner:
                return None
            begin, end = 0, inner
        else:
            begin, end = begin - low * inner, end - low * inner
    return ranges


__all__ = ["Box", "Range", "broadcast_box", "cut_type", "reshaped_box"]
