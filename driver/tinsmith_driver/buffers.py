"""What lies where in memory and when, and which constants each layer reads, for reports."""

from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from tinsmith_allocation import Block, Plan
from tinsmith_ir import Call, Program
from tinsmith_ir.hazards import step_names
from tinsmith_ir.program import Copy, SimpleStep, simple_steps

from tinsmith_driver.report_types import BufferKind, BufferRow

KINDS: tuple[BufferKind, ...] = ("input", "output", "state", "activation", "scratch", "constant")


def buffer_rows(program: Program, plans: Mapping[str, Plan]) -> list[BufferRow]:
    """Of each memory in the order of `plans`, its blocks by their first step, then by offset.

    program: placed, whose buffers the blocks are.
    """
    kinds = _Kinds(program)
    return [
        {
            "name": block.name,
            "kind": kinds.of(block.name),
            "memory": memory,
            "offset": plan.offsets[block.name],
            "size": block.size_bytes,
            "first_step": block.first_step,
            "last_step": block.last_step,
        }
        for memory, plan in plans.items()
        for block in sorted(plan.blocks, key=lambda block: _place(plan, block))
    ]


def _place(plan: Plan, block: Block) -> tuple[int, int, str]:
    return block.first_step, plan.offsets[block.name], block.name


class _Kinds:
    """Of the buffers of a program. What is several, such as an input that is an output, too, is the first of them."""

    def __init__(self, program: Program) -> None:
        named: list[tuple[BufferKind, Collection[str]]] = [
            ("state", [state.view for state in program.states]),
            ("input", program.inputs),
            ("output", program.outputs),
            ("scratch", [call.scratch for call in program.calls if call.scratch is not None]),
        ]
        self._kind: dict[str, BufferKind] = {}
        for kind, views in named:
            for view in views:
                self._kind.setdefault(program.view[view].buffer, kind)
        for buffer in _buffers_of_constants(program):
            self._kind.setdefault(buffer, "constant")

    def of(self, buffer: str) -> BufferKind:
        return self._kind.get(buffer, "activation")


def _buffers_of_constants(program: Program) -> list[str]:
    """Those into which nothing is written but what constants say: copies of them, or what is decompressed."""
    is_constant: dict[str, bool] = {}
    for step in simple_steps(program.steps):
        _, written = step_names(step)
        for view in written:
            buffer = program.view[view].buffer
            is_constant[buffer] = is_constant.get(buffer, True) and _is_of_constants(program, step)
    return [buffer for buffer, is_so in is_constant.items() if is_so]


def _is_of_constants(program: Program, step: SimpleStep) -> bool:
    """Whether it reads something, and constants alone."""
    reads, _ = step_names(step)
    return bool(reads) and not any(name in program.view for name in reads)


def weight_bytes(program: Program) -> tuple[int, ...]:
    """Of each call as written, the bytes of the constants that it reads: where they lie, or where they were copied or
    decompressed to, as many as lie there. What several calls read counts for each of them.
    """
    sizes = {constant.name: constant.data.nbytes for constant in program.constants}
    brought = _brought(program)
    return tuple(
        sum(sizes[name] for name in _constants_of(program, call, brought)) for call in program.calls
    )


def _constants_of(
    program: Program, call: Call, brought: Mapping[str, Collection[str]]
) -> Collection[str]:
    """Each once. Of what a call reads in memory only what was brought there counts."""
    held = {found.constant for found in call.held}
    views = [name for name in call.inputs if name is not None and name in program.view]
    views += [found.view for found in call.held]
    direct = _members(program, [name for name in call.reads if name not in held])
    return {*direct, *(name for view in views for name in _brought_to(program, view, brought))}


def _brought_to(
    program: Program, view: str, brought: Mapping[str, Collection[str]]
) -> Collection[str]:
    """To a view, or, where nothing is written by that name, to others of its buffer, as parts of what it shows."""
    if view in brought:
        return brought[view]
    buffer = program.view[view].buffer
    return {
        c for other, found in brought.items() if program.view[other].buffer == buffer for c in found
    }


def _brought(program: Program) -> Mapping[str, Collection[str]]:
    """By view of a buffer that holds constants, those that steps bring there."""
    views: dict[str, set[str]] = {}
    constant = {*_buffers_of_constants(program)}
    for step in simple_steps(program.steps):
        if not isinstance(step, Copy | Call) or not _is_of_constants(program, step):
            continue
        reads, written = step_names(step)
        names = step.reads if isinstance(step, Call) else reads
        for view in written:
            if program.view[view].buffer in constant:
                views.setdefault(view, set()).update(_members(program, names))
    return views


def _members(program: Program, names: Sequence[str]) -> Iterator[str]:
    """Constants by their names; of tables their members."""
    for name in names:
        if name in program.table:
            yield from program.table[name].members
        elif name in program.constant:
            yield name


@dataclass(frozen=True, eq=False)
class Occupied:
    """How many bytes of a plan hold something, step by step; bytes that blocks share count once."""

    plan: Plan

    def at(self, step: int) -> int:
        """While a step runs."""
        steps, counts = self._changes
        before = bisect_right(steps, step)
        return counts[before - 1] if before else 0

    @property
    def peak(self) -> tuple[int, int]:
        """The first step with the most bytes, and how many; nothing in step 0 where there are no blocks."""
        steps, counts = self._changes
        most = max(counts, default=0)
        return (steps[counts.index(most)], most) if most else (0, 0)

    @cached_property
    def _changes(self) -> tuple[list[int], list[int]]:
        """The steps in which blocks begin or have ended, and how many bytes are held from then on."""
        blocks = self.plan.blocks
        steps = sorted({step for b in blocks for step in (b.first_step, b.last_step + 1)})
        by_start = sorted(blocks, key=lambda block: block.first_step)
        counts: list[int] = []
        live: list[Block] = []
        begun = 0
        for step in steps:
            live = [block for block in live if block.last_step >= step]
            while begun < len(by_start) and by_start[begun].first_step <= step:
                live.append(by_start[begun])
                begun += 1
            counts.append(self._union(live))
        return steps, counts

    def _union(self, blocks: Sequence[Block]) -> int:
        offsets = self.plan.offsets
        held, end = 0, 0
        for start, stop in sorted(
            (offsets[b.name], offsets[b.name] + b.size_bytes) for b in blocks
        ):
            held += max(0, stop - max(start, end))
            end = max(end, stop)
        return held
