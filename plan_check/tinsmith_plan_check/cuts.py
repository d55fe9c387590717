"""Calls that are computed in parts: that the parts make each row once, in order, from the rows that they need."""

from collections.abc import Sequence
from itertools import islice, pairwise

from tinsmith_plan_check.errors import PlanRefusedError
from tinsmith_plan_check.plan import Access, Cut, CutRead, Range
from tinsmith_plan_check.structure import Layout, name_of
from tinsmith_plan_check.walks import numbers


def check_cuts(layout: Layout) -> None:
    """Raise PlanRefusedError for rows that are left out, made twice or in another order, and for parts that make other
    bytes than those of their rows, or read fewer rows than these need.
    """
    taken: dict[int, str] = {}
    for cut in layout.plan.cuts:
        _check_cut(layout, cut)
        for step, _, _ in cut.parts:
            if step in taken:
                where = name_of(layout.plan, step)
                raise PlanRefusedError(
                    "cuts", where, "a part of one call", f"{taken[step]} and {cut.layer}"
                )
            taken[step] = cut.layer


def _check_cut(layout: Layout, cut: Cut) -> None:
    where = f"call {cut.layer}"
    tensor = layout.tensor.get(cut.tensor)
    if tensor is None:
        raise PlanRefusedError("cuts", where, "a tensor of the plan", cut.tensor)
    reads = [(read, _rows(layout, cut, read)) for read in cut.reads]
    made, before = 0, -1
    for step, begin, end in cut.parts:
        if step <= before or step >= len(layout.plan.steps):
            raise PlanRefusedError("cuts", where, f"a step behind step {before}", step)
        if begin != made or not begin < end <= cut.rows:
            raise PlanRefusedError("cuts", where, f"rows from {made} on", f"{begin} to {end - 1}")
        place = f"{where}, {name_of(layout.plan, step)}"
        found = layout.plan.steps[step]
        wanted = cut.start + begin * cut.row_bytes, cut.start + end * cut.row_bytes
        held = [_extent(access, cut.tensor) for access in found.writes]
        if held != [wanted] or not found.writes[0].is_dense:
            raise PlanRefusedError("cuts", place, f"bytes {wanted} of {cut.tensor} written", held)
        for read, rows in reads:
            first, behind = rows[begin][0], rows[end - 1][1]
            if first < behind:
                span = read.start + first * read.row_bytes, read.start + behind * read.row_bytes
                _check_read(layout, step, read.tensor, span, place)
        made, before = end, step
    needed = cut.rows if cut.window is None else _most_needed(layout, cut)
    if made < needed:
        raise PlanRefusedError("cuts", where, f"{needed} rows", f"{made} of them")
    lines = max((end - begin for _, begin, end in cut.parts), default=0)
    if cut.window is not None and cut.window < lines:
        raise PlanRefusedError("cuts", where, f"a window of at least {lines} lines", cut.window)


def _most_needed(layout: Layout, cut: Cut) -> int:
    """Of a result that only calls in parts read (rows, patches, sums), one behind the last row that a part needs: a row
    that nobody needs need not be made.
    """
    needed = 0
    for other in layout.plan.cuts:
        made = max((end for _, _, end in other.parts), default=0)
        for read in other.reads:
            if read.tensor == cut.tensor and made:
                needed = max(needed, _rows(layout, other, read)[min(made, other.rows) - 1][1])
    for patches in layout.plan.patches:
        for part in patches.parts:
            for read, box in zip(patches.reads, part.needs, strict=False):
                if box and read.tensor == cut.tensor:
                    end = read.start - cut.start + _end(box, read.shape) * read.element_bytes
                    needed = max(needed, -(-end // cut.row_bytes))
    return needed


def _end(box: Sequence[Range], shape: Sequence[int]) -> int:
    """Behind the last element of a box of a dense tensor, counted in elements."""
    last = 0
    for (_, end), size in zip(box, shape, strict=False):
        last = last * size + end - 1
    return last + 1


def _rows(layout: Layout, cut: Cut, read: CutRead) -> list[tuple[int, int]]:
    """Of each row of the result, the first that is needed and one behind the last."""
    begins = [*islice(numbers(read.begins), cut.rows + 1)]
    ends = [*islice(numbers(read.ends), cut.rows + 1)]
    where = f"call {cut.layer}, operand {read.tensor}"
    if len(begins) != cut.rows or len(ends) != cut.rows:
        raise PlanRefusedError("cuts", where, f"{cut.rows} rows", f"{len(begins)}, {len(ends)}")
    tensor = layout.tensor.get(read.tensor)
    if tensor is None or min(begins) < 0:
        raise PlanRefusedError("cuts", where, "rows of a tensor of the plan", read.tensor)
    return [*zip(begins, ends, strict=True)]


def _check_read(
    layout: Layout, step: int, tensor: str, wanted: tuple[int, int], where: str
) -> None:
    """Some operand of the step holds these bytes."""
    held = [_extent(access, tensor) for access in layout.plan.steps[step].reads]
    found = [span for span in held if span is not None]
    if not any(begin <= wanted[0] and wanted[1] <= end for begin, end in found):
        raise PlanRefusedError("cuts", where, f"bytes {wanted} of {tensor} read", found)


def _extent(access: Access, tensor: str) -> tuple[int, int] | None:
    """Begin and end of the bytes of a tensor that follow one another in an access; None if they do not."""
    pieces = access.pieces
    for before, piece in pairwise(pieces):
        if piece.start != before.start + before.length or piece.tensor != before.tensor:
            return None
    if not pieces or pieces[0].tensor != tensor:
        return None
    return pieces[0].start, pieces[-1].start + pieces[-1].length
