"""Results that lie over what their call reads: at which distance, and whether the call may.

The one judge of it, for verifier, evaluator, scheduler, planner and the checker of plans.
"""

from collections.abc import Iterator, Sequence

from tinsmith_ir.byte_places import Places, places
from tinsmith_ir.printer import print_name
from tinsmith_ir.program import Call, Overlap, Program, SimpleStep, View
from tinsmith_ir.program_printer import print_overlap, print_step


def distance_over(program: Program, result: str, operand: str) -> int | None:
    """Where a view begins less where another begins, in bytes; None if they lie in two memories, one is not dense,
    or one of two buffers has no offset.
    """
    mine, theirs = program.view[result], program.view[operand]
    if not (mine.is_dense and theirs.is_dense):
        return None
    distance = mine.start.value({}) - theirs.start.value({})
    if mine.buffer == theirs.buffer:
        return distance
    here, there = program.buffer[mine.buffer], program.buffer[theirs.buffer]
    if here.memory != there.memory or here.offset is None or there.offset is None:
        return None
    return distance + here.offset - there.offset


def may_lie_over(program: Program, call: Call, result: str, operand: str) -> bool:
    """True if the call says that its result may be written over an operand as these two lie."""
    distance = distance_over(program, result, operand)
    if distance is None or len(call.outputs) != 1:
        return False
    leaves = {overlap.operand: overlap for overlap in call.over}
    indices = [index for index, name in enumerate(call.inputs) if name == operand]
    return all(index in leaves and leaves[index].allows(distance) for index in indices)


def overlap_of_buffers(program: Program, call: Call, buffer: str) -> Overlap | None:
    """How the buffer of a call's one result may lie over another buffer, as far as every operand there allows it; None
    where an operand is of another layout than dense, or does not say.

    Distances are of the buffers, which need not be placed. program: without loops (`unrolled`).
    """
    (result,) = call.outputs
    mine = program.view[result]
    at_most: int = program.buffer[buffer].size_bytes
    at_least: int = -program.buffer[mine.buffer].size_bytes
    exactly: set[int] | None = None
    found: Overlap | None = None
    for index, name in enumerate(call.inputs):
        if name is None or name not in program.view or program.view[name].buffer != buffer:
            continue
        theirs = program.view[name]
        found = next((overlap for overlap in call.over if overlap.operand == index), None)
        if found is None or not (mine.is_dense and theirs.is_dense):
            return None
        # From distances of views to distances of buffers.
        shift = theirs.start.value({}) - mine.start.value({})
        low = -mine.type.size_bytes if found.at_most is None else found.at_most
        high = theirs.type.size_bytes if found.at_least is None else found.at_least
        at_most, at_least = min(at_most, low + shift), max(at_least, high + shift)
        others = {distance + shift for distance in found.exactly}
        exactly = others if exactly is None else exactly & others
    if found is None:
        return None
    return Overlap(found.operand, at_most, at_least, tuple(sorted(exactly or ())))


def most_shared(
    sizes: tuple[int, int],
    at_most: int | None,
    at_least: int | None,
    exactly: Sequence[int],
    unit: int,
) -> int:
    """At most how many bytes a block shares with another over which it may lie at some distances, see `Overlap`.

    sizes: bytes of the two, which are rounded up to a multiple of `unit`, as distances are one of it.
    """
    mine, theirs = sizes
    low = -mine if at_most is None else max(-mine, at_most)
    high = theirs if at_least is None else min(theirs, at_least)
    mine, theirs = -(-mine // unit) * unit, -(-theirs // unit) * unit
    # The more, the nearer the smaller one is to lying within the other.
    nearest = [
        min(low // unit * unit, max(0, theirs - mine)),
        max(-(-high // unit) * unit, min(0, theirs - mine)),
        *(distance for distance in exactly if distance % unit == 0),
    ]
    shared = [min(theirs, distance + mine) - max(0, distance) for distance in nearest]
    return max(0, *shared)


def overlap_findings(program: Program) -> Iterator[str]:
    """A sentence for each result that lies over an operand of its call nearer than the call's kernel bears.

    program: without loops (`unrolled`), its names and types being right.
    """
    writers: dict[str, SimpleStep] = {}
    for step in program.steps:
        if not isinstance(step, Call):
            continue
        operands = {name for name in step.inputs if name is not None and name in program.view}
        for result in step.outputs:
            for operand in sorted(operands):
                if _meet(program, result, operand) and not may_lie_over(
                    program, step, result, operand
                ):
                    yield _too_near(program, step, result, operand, writers.get(operand))
        writers |= dict.fromkeys(step.outputs, step)


def _meet(program: Program, result: str, operand: str) -> bool:
    """True if the two share a byte, as far as is known."""
    mine, theirs = program.view[result], program.view[operand]
    here, there = program.buffer[mine.buffer], program.buffer[theirs.buffer]
    if here is not there:
        if here.memory != there.memory or here.offset is None or there.offset is None:
            return False
        if not _within(here.offset, here.size_bytes, there.offset, there.size_bytes):
            return False
    first, second = here.offset or 0, there.offset or 0
    if mine.is_dense and theirs.is_dense:
        starts = first + mine.start.value({}), second + theirs.start.value({})
        return _within(starts[0], mine.type.size_bytes, starts[1], theirs.type.size_bytes)
    return _placed(mine, first).overlaps(_placed(theirs, second))


def _placed(view: View, offset: int) -> Places:
    return places(view).moved(offset)


def _within(start: int, size: int, other_start: int, other_size: int) -> bool:
    return start < other_start + other_size and other_start < start + size


def _too_near(
    program: Program, call: Call, result: str, operand: str, writer: SimpleStep | None
) -> str:
    distance = distance_over(program, result, operand)
    leaves = [leave for leave in call.over if call.inputs[leave.operand] == operand]
    bears = " and ".join(f"`{print_overlap(call, leave)}`" for leave in leaves) or "no overlap"
    source = "" if writer is None else f", which\n  {print_step(writer)}\nhas written"
    place = "" if distance is None else f" at distance {distance}"
    return (
        f"\n  {print_step(call)}\nwrites {print_name(result)} over {print_name(operand)}{place}{source} before its "
        f"kernel has read it: expected {bears}"
    )
