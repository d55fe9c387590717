"""Calls that are computed in patches: that each part reads the elements that it needs, wherever other parts have put
them, and that what is kept of a result is all made, in order.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from math import prod

from tinsmith_plan_check.errors import PlanRefusedError
from tinsmith_plan_check.plan import Access, Patches, PatchPart, PatchRead, Range
from tinsmith_plan_check.structure import Layout, name_of

_Span = tuple[int, int]
"""First byte, and how many."""


def check_patches(layout: Layout) -> None:
    """Raise PlanRefusedError for a part that writes or reads other elements than it says, and for results that are not
    made as a whole.
    """
    _Check(layout).run()


class _Check:
    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._steps = layout.plan.steps
        self._taken = {step for cut in layout.plan.cuts for step, _, _ in cut.parts}
        self._held: dict[str, dict[str, list[tuple[int, Sequence[_Span]]]]] = {}

    def run(self) -> None:
        """Layers in the order in which the file has them: each behind those that it reads."""
        for patches in self._layout.plan.patches:
            where = f"call {patches.layer}"
            if patches.layer in self._held:
                raise PlanRefusedError("patches", where, "a call of its own", "two of that name")
            self._held[patches.layer] = {}
            self._check(patches, where)

    def _check(self, patches: Patches, where: str) -> None:
        before, made = -1, 0
        for index, part in enumerate(patches.parts):
            if not before < part.step < len(self._steps) or part.step in self._taken:
                raise PlanRefusedError(
                    "patches", where, f"a step of its own behind step {before}", part.step
                )
            before = part.step
            self._taken.add(part.step)
            place = f"{where}, {name_of(self._layout.plan, part.step)}"
            spans = _spans(part.box, patches.shape, patches.element_bytes, place)
            self._check_reads(patches, part, place)
            self._check_writes(patches, part, spans, place)
            if patches.is_sum:
                self._check_sum(patches, index, place)
            elif patches.tensor:
                if [start for start, _ in spans] != [made]:
                    raise PlanRefusedError("patches", place, f"elements from byte {made} on", spans)
                made += spans[0][1]
        size = prod(patches.shape) * patches.element_bytes
        if patches.is_sum:
            _check_ranges(patches, where)
        elif patches.tensor and patches.window is None and made != size:
            raise PlanRefusedError("patches", where, f"{size} bytes made", made)

    def _check_writes(
        self, patches: Patches, part: PatchPart, spans: Sequence[_Span], place: str
    ) -> None:
        writes = self._steps[part.step].writes
        pieces = _joined(writes[0]) if len(writes) == 1 else []
        if patches.tensor:
            wanted = [(patches.tensor, patches.start + at, length) for at, length in spans]
            if pieces != wanted:
                raise PlanRefusedError("patches", place, f"{wanted} written", pieces)
            return
        if len(pieces) != 1 or pieces[0][2] != sum(length for _, length in spans):
            raise PlanRefusedError("patches", place, f"the elements {part.box} written", pieces)
        tensor, start, _ = pieces[0]
        held = self._held[patches.layer].setdefault(tensor, [])
        if held and held[-1][0] >= start:
            raise PlanRefusedError("patches", place, f"bytes behind {held[-1][0]}", start)
        held.append((start, spans))

    def _check_reads(self, patches: Patches, part: PatchPart, place: str) -> None:
        if len(part.needs) != len(patches.reads):
            raise PlanRefusedError("patches", place, f"{len(patches.reads)} operands", part.needs)
        for read, box in zip(patches.reads, part.needs, strict=True):
            if not box:
                continue
            wanted = _spans(box, read.shape, read.element_bytes, place)
            found = [self._elements(read, access) for access in self._steps[part.step].reads]
            if wanted not in found:
                what = f"{read.layer or read.tensor} {[list(range_) for range_ in box]} read"
                raise PlanRefusedError("patches", place, what, "other elements")

    def _check_sum(self, patches: Patches, index: int, place: str) -> None:
        """The part is all of the result, and adds to what the part before has made."""
        part = patches.parts[index]
        if part.box != tuple((0, size) for size in patches.shape):
            raise PlanRefusedError("patches", place, f"all of {[*patches.shape]} made", part.box)
        if not index:
            return
        before = _joined(self._steps[patches.parts[index - 1].step].writes[0])
        if before not in [_joined(access) for access in self._steps[part.step].reads]:
            raise PlanRefusedError("patches", place, f"{before} read", "other sums")

    def _elements(self, read: PatchRead, access: Access) -> list[_Span] | None:
        """Which bytes of an operand an access finds, in order; None if some are of something else."""
        found: list[_Span] = []
        for tensor, start, length in _joined(access):
            if not read.layer:
                if tensor != read.tensor or start < read.start:
                    return None
                found.append((start - read.start, length))
                continue
            held = self._held.get(read.layer, {}).get(tensor, [])
            end = start + length
            while start < end:
                at = bisect_right(held, start, key=lambda item: item[0]) - 1
                part = [] if at < 0 else [*_part(held[at][1], start - held[at][0], end - start)]
                if not part:
                    return None
                found += part
                start += sum(size for _, size in part)
        return [*_merged(found)]


def _check_ranges(patches: Patches, where: str) -> None:
    """The parts of a sum take the first operand range by range, all of it, none of it twice."""
    shape = patches.reads[0].shape if patches.reads else ()
    made: tuple[Range, ...] = ()
    for part in patches.parts:
        box = part.needs[0]
        cut = [axis for axis in range(len(made)) if box[axis] != made[axis]]
        follows = len(cut) == 1 and box[cut[0]][0] == made[cut[0]][1]
        if made and not follows:
            raise PlanRefusedError("patches", where, f"what follows {made} added", box)
        if made:
            axis = cut[0]
            box = (*made[:axis], (made[axis][0], box[axis][1]), *made[axis + 1 :])
        made = box
    if made != tuple((0, size) for size in shape):
        raise PlanRefusedError("patches", where, f"all of {[*shape]} added", made)


def _spans(
    box: Sequence[Range], shape: Sequence[int], element_bytes: int, where: str
) -> list[_Span]:
    """The bytes of a box of a dense tensor, in order, as few spans as do."""
    if len(box) != len(shape) or any(
        not 0 <= begin < end <= size for (begin, end), size in zip(box, shape, strict=False)
    ):
        raise PlanRefusedError("patches", where, f"a box within {[*shape]}", [*map(list, box)])
    outer = len(shape)
    length = element_bytes
    while outer and length == element_bytes * prod(shape[outer:]):
        outer -= 1
        length *= box[outer][1] - box[outer][0]
    strides = [element_bytes * prod(shape[axis + 1 :]) for axis in range(len(shape))]
    base = sum(begin * stride for (begin, _), stride in zip(box, strides, strict=True))
    steps = (
        range(0, (end - begin) * stride, stride)
        for (begin, end), stride in zip(box[:outer], strides[:outer], strict=True)
    )
    return [*_merged((base + sum(offsets), length) for offsets in product(*steps))]


def _part(spans: Sequence[_Span], start: int, length: int) -> Iterator[_Span]:
    """Of bytes that lie in these spans, `length` from byte `start` on, or as many as there are."""
    for begin, size in spans:
        if start < size and length > 0:
            count = min(size - start, length)
            yield begin + start, count
            length -= count
        start = max(0, start - size)


def _merged(spans: Iterable[_Span]) -> Iterator[_Span]:
    """The same with neighbours that continue one another as one."""
    last: _Span | None = None
    for begin, size in spans:
        if last is not None and last[0] + last[1] == begin:
            last = last[0], last[1] + size
            continue
        if last is not None:
            yield last
        last = begin, size
    if last is not None:
        yield last


def _joined(access: Access) -> list[tuple[str, int, int]]:
    """Pieces, neighbours that continue one another as one."""
    found: list[tuple[str, int, int]] = []
    for piece in access.pieces:
        last = found[-1] if found else None
        if last is not None and last[0] == piece.tensor and last[1] + last[2] == piece.start:
            found[-1] = last[0], last[1], last[2] + piece.length
        else:
            found.append((piece.tensor, piece.start, piece.length))
    return found
