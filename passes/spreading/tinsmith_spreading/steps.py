"""From the parts of a call to steps on the engine that the cores are."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest

from tinsmith_ir.expressions import Expression
from tinsmith_ir.program import Buffer, Call, Copy, Program, Step, View, Wait
from tinsmith_lowering import ARENA_ALIGNMENT

CORES = "cores"
"""The engine."""

FIRST_TOKEN = 16
"""Tokens below are those of copies beside calls, which the pass `tile` gives."""

Part = tuple[Call | Copy, ...]
"""Copies of operands, the call, a copy of its result."""


def at_once(parts: Sequence[Part]) -> Iterator[Step]:
    """The steps of all parts: what may run at the same time is started together, then waited for."""
    for phase in phases(parts):
        for number, step in enumerate(phase):
            yield replace(step, engine=CORES, token=Expression(FIRST_TOKEN + number))
        for number in range(len(phase)):
            yield Wait(Expression(FIRST_TOKEN + number))


def phases(parts: Sequence[Part]) -> list[list[Call | Copy]]:
    """Steps that wait for nothing but those of phases before: first copies of operands, then calls, then results."""
    calls = [next(i for i, step in enumerate(part) if isinstance(step, Call)) for part in parts]
    before = zip_longest(*(part[:at] for part, at in zip(parts, calls, strict=True)))
    behind = zip_longest(*(part[at + 1 :] for part, at in zip(parts, calls, strict=True)))
    own = [part[at] for part, at in zip(parts, calls, strict=True)]
    return [[step for step in phase if step is not None] for phase in (*before, own, *behind)]


def with_buffers_together(
    program: Program, whole: Program, parts: Mapping[str, Sequence[Part]]
) -> Program:
    """The program with the buffers that all parts of a call have for one purpose as one, so that loops may be made of
    the parts.

    whole: the program before it was cut, whose buffers stay.
    """
    places: dict[str, tuple[str, int]] = {}
    sizes: dict[str, int] = {}
    for own in parts.values():
        for group in _groups(program, whole, own):
            size = max(program.buffer[name].size_bytes for name in group)
            slot = -(-size // ARENA_ALIGNMENT) * ARENA_ALIGNMENT
            places |= {name: (group[0], slot * number) for number, name in enumerate(group)}
            sizes[group[0]] = slot * (len(group) - 1) + size

    def placed(view: View) -> View:
        if view.buffer not in places:
            return view
        buffer, offset = places[view.buffer]
        start = Expression(view.start.base + offset, view.start.terms)
        return replace(view, buffer=buffer, start=start)

    def sized(buffer: Buffer) -> Buffer:
        return replace(buffer, size_bytes=sizes.get(buffer.name, buffer.size_bytes))

    return replace(
        program,
        buffers=tuple(
            sized(buffer)
            for buffer in program.buffers
            if buffer.name not in places or buffer.name in sizes
        ),
        views=tuple(map(placed, program.views)),
    )


def _groups(program: Program, whole: Program, parts: Sequence[Part]) -> Iterator[list[str]]:
    """Buffers of their own that steps of a phase write: copies, results, scratch."""
    for phase in phases(parts):
        written = [_written(step) for step in phase]
        for views in zip_longest(*written):
            names = [program.view[view].buffer for view in views if view is not None]
            if len(names) > 1 and whole.buffer.keys().isdisjoint(names):
                yield names


def _written(step: Call | Copy) -> tuple[str, ...]:
    if isinstance(step, Copy):
        return (step.destination,)
    return step.outputs if step.scratch is None else (*step.outputs, step.scratch)
