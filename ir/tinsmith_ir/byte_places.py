"""Where the elements of a view lie: the one resolver of layouts, for verifier, evaluator, planner and writer."""

import itertools
import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from tinsmith_ir.boxes import Box
from tinsmith_ir.layouts import element_offsets, find_layout, layout_bytes, own_runs
from tinsmith_ir.program import View, dense_strides
from tinsmith_ir.types import TensorType

Offsets = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Places:
    """Runs of contiguous bytes, all of one length, in the order of the elements.

    starts: offset of each run from the start of the buffer (or of the memory, see `moved`). length: bytes of each.
    """

    starts: Offsets
    length: int

    @property
    def begin(self) -> int:
        """The lowest byte."""
        return int(self.starts.min())

    @property
    def end(self) -> int:
        """One behind the highest byte."""
        return int(self.starts.max()) + self.length

    @property
    def is_injective(self) -> bool:
        """True if no two elements share a byte."""
        return bool((np.diff(np.sort(self.starts)) >= self.length).all())

    def moved(self, offset: int) -> "Places":
        """The same places, counted from `offset` bytes before."""
        return Places(self.starts + offset, self.length)

    def overlaps(self, other: "Places") -> bool:
        """True if some byte is in both."""
        if self.begin >= other.end or other.begin >= self.end:
            return False
        if len(self.starts) == len(other.starts) == 1:
            return True
        starts = np.sort(other.starts)
        # The last run of the other that begins before each of ours ends reaches furthest.
        before = np.searchsorted(starts, self.starts + self.length) - 1
        reach = np.where(
            before >= 0, starts[np.maximum(before, 0)] + other.length, np.iinfo(np.int64).min
        )
        return bool((reach > self.starts).any())

    def indices(self) -> NDArray[np.int64]:
        """Every byte, in the order of the elements."""
        return (self.starts[:, None] + np.arange(self.length)).reshape(-1)


def places(view: View) -> Places:
    """Where a view that no loop moves lies in its buffer.

    Raises GraphError if it reads a counter.
    """
    start = view.start.value({})
    if view.is_dense:
        return Places(np.array([start], np.int64), view.type.size_bytes)
    if view.layout:
        return _laid_out(view).moved(start)
    shape = view.type.shape
    strides = view.strides or dense_strides(view.type)
    axes = [
        np.arange(extent, dtype=np.int64) * stride
        for extent, stride in zip(shape, strides, strict=True)
    ]
    if view.ring is not None:
        ring = view.ring
        lines = (ring.at.value({}) + np.arange(shape[ring.axis])) % ring.lines
        axes[ring.axis] = lines * strides[ring.axis]
    inner = contiguous_axes(view)
    length = view.type.dtype.size_bytes
    for extent in shape[len(shape) - inner :]:
        length *= extent
    starts = np.full(1, start, np.int64)
    for axis in itertools.islice(axes, len(axes) - inner):
        starts = (starts[:, None] + axis).reshape(-1)
    return Places(starts, length)


def byte_range(view: View) -> tuple[int, int]:
    """The first byte of a view that no loop moves, and one behind the last, counted from the start of its buffer.

    Padding of its layout counts, too, and of a part in a layout all of the whole, as do bytes between strided elements.
    Raises GraphError if it reads a counter.
    """
    if view.layout or view.is_dense:
        begin = view.start.value({})
        return begin, begin + layout_bytes(view.layout, view.laid_out)
    found = places(view)
    return found.begin, found.end


def own_places(view: View) -> Places:
    """The bytes that belong to a view that no loop moves: padding of its layout, too, but for what that leaves to
    others, and of a part in a layout the whole; of other views all from the first to the last.

    Raises GraphError if it reads a counter.
    """
    if not view.layout:
        begin, end = byte_range(view)
        return Places(np.array([begin], np.int64), end - begin)
    starts, length = own_runs(view.layout, view.laid_out)
    return Places(np.array(starts, np.int64) + view.start.value({}), length)


def box_within(view: View) -> Box:
    """The box of the laid-out tensor that a view is."""
    if view.within is None:
        return Box.whole(view.type.shape)
    pairs = zip(view.within.begin, view.type.shape, strict=True)
    return Box(tuple((begin, begin + extent) for begin, extent in pairs))


def _laid_out(view: View) -> Places:
    """Of a view in a layout, from the first byte of the laid-out tensor."""
    return _box_places(view.layout, view.laid_out, box_within(view))


@lru_cache(maxsize=512)
def _box_places(layout: str, whole: TensorType, box: Box) -> Places:
    """Kept, as passes ask again and again of the views of one program; read-only."""
    offsets = element_offsets(layout, whole).reshape(whole.shape)[box.slices].reshape(-1)
    found = _runs(offsets, whole.dtype.size_bytes)
    found.starts.flags.writeable = False
    return found


def _copied_lines(source: View, destination: View) -> tuple[Places, Places] | None:
    """Of a copy that goes line by line; None of others."""
    if not source.layout or not destination.layout:
        return None
    if source.layout == destination.layout and source.within is None and destination.within is None:
        return None
    layouts = [find_layout(view.layout) for view in (source, destination)]
    if not layouts[0].family or layouts[0].family != layouts[1].family:
        return None
    found, wanted = (
        layout.lines(view.laid_out, box_within(view))
        for layout, view in zip(layouts, (source, destination), strict=True)
    )
    if found is None or wanted is None:
        return None
    if found.is_one_run and wanted.is_one_run:
        length = len(found.starts) * found.length + wanted.tail
        starts = found.starts[:1], wanted.starts[:1]
    else:
        length = wanted.length + min(wanted.behind, wanted.tail)
        starts = found.starts, wanted.starts
    begins = (view.start.value({}) for view in (source, destination))
    one, other = (Places(each, length).moved(at) for each, at in zip(starts, begins, strict=True))
    return one, other


def _runs(offsets: Offsets, size: int) -> Places:
    """Elements of `size` bytes each, in runs as long as all of them can be."""
    breaks = (np.diff(offsets) != size).nonzero()[0] + 1
    elements = int(np.gcd.reduce([*breaks, len(offsets)]))
    return Places(offsets[::elements], elements * size)


def copied_places(source: View, destination: View) -> tuple[Places, Places]:
    """Where the bytes lie that a copy reads, and those that it writes, of views that no loop moves.

    Views of one layout lie alike, padding included, which belongs to them and holds anything: all of it is copied, in
    one run where no layout leaves something to others. Parts, and views in layouts of one family, are copied line by
    line if their layouts have such; padding behind a line of the destination is written, too, with what is behind the
    line of the source. Raises GraphError if one of them reads a counter.
    """
    both = _copied_lines(source, destination)
    if both is not None:
        return both
    is_whole = source.within is None and destination.within is None
    if source.layout and source.layout == destination.layout and is_whole:
        return own_places(source), own_places(destination)
    return places(source), places(destination)


def run_count(view: View) -> int:
    """How many runs `places` gives, without making them; the layout being one (as many strides as axes)."""
    if view.is_dense:
        return 1
    if view.layout:
        return len(_laid_out(view).starts)
    inner = contiguous_axes(view)
    return math.prod(view.type.shape[: len(view.type.shape) - inner])


def contiguous_axes(view: View) -> int:
    """How many of the innermost axes lie densely."""
    dense = dense_strides(view.type)
    strides = view.strides or dense
    count = 0
    for axis in reversed(range(len(dense))):
        is_ring = view.ring is not None and view.ring.axis == axis
        if is_ring or (strides[axis] != dense[axis] and view.type.shape[axis] > 1):
            break
        count += 1
    return count
