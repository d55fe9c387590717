"""When the bytes of a buffer are touched, piece by piece: in which step first, and in which last."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir.byte_places import byte_range
from tinsmith_ir.hazards import step_names
from tinsmith_ir.lifetimes import BEFORE_FIRST_STEP
from tinsmith_ir.program import Call, Copy, Fill, Program, Wait
from tinsmith_ir.trailing import Steps

NEVER_FIRST = 1 << 62
NEVER_LAST = -(1 << 62)
"""Of bytes that no step touches."""


@dataclass(frozen=True, eq=False)
class Touches:
    """The steps that touch the bytes of a buffer: read them or write them.

    edges: where pieces begin whose bytes are touched alike, in bytes, and at last the end of the buffer.
    first, last: the steps that touch each piece first and last, by index once unrolled; the caller touches inputs
    before all (-2 and -1) and outputs behind all.
    """

    edges: NDArray[np.int64]
    first: Steps
    last: Steps

    @property
    def is_spread(self) -> bool:
        """True if not all bytes come to life together, or not all die together."""
        return bool((self.first != self.first[0]).any() or (self.last != self.last[0]).any())

    @property
    def is_brief(self) -> bool:
        """True if a single step touches the buffer."""
        return bool(self.first.min() == self.last.max())


Span = tuple[int, int]
"""The first byte, and the one behind the last."""


def spans_of(program: Program) -> Mapping[str, Span]:
    """By name of each view that no loop moves, the bytes of its buffer from the first that it touches to the last;
    those between count as touched. The one that ends last touches the rest of its buffer, too, where its writer may
    leave what nobody reads (tinsmith_lowering's `Layouts.behind`).
    """
    spans = {view.name: byte_range(view) for view in program.views if not view.counters}
    ends: dict[str, int] = {}
    for name, (_, end) in spans.items():
        buffer = program.view[name].buffer
        ends[buffer] = max(end, ends.get(buffer, 0))
    sizes = {buffer.name: buffer.size_bytes for buffer in program.buffers}

    def reach(name: str, end: int) -> int:
        buffer = program.view[name].buffer
        return max(end, sizes[buffer]) if end == ends[buffer] else end

    return {name: (begin, reach(name, end)) for name, (begin, end) in spans.items()}


def find_touches(
    program: Program, spans: Mapping[str, Span], buffers: Collection[str]
) -> Mapping[str, Touches]:
    """Of each of `buffers` that is used, by name. What an engine touches, it touches until it is waited for.

    program: without loops (`unrolled`). spans: of its views, see `spans_of`.
    """
    wanted = set(buffers)
    found: dict[str, list[tuple[int, int, int]]] = {}
    for name, step in _names(program):
        view = program.view.get(name)
        if view is not None and view.buffer in wanted:
            found.setdefault(view.buffer, []).append((*spans[name], step))
    return {name: _touches(program.buffer[name].size_bytes, spans) for name, spans in found.items()}


def _names(program: Program) -> Iterator[tuple[str, int]]:
    """What is touched, and in which step, in the order of the steps."""
    started: dict[int, tuple[str, ...]] = {}
    states = [state.view for state in program.states]
    # The caller writes them in any order, so none is over before another begins.
    for step in (BEFORE_FIRST_STEP - 1, BEFORE_FIRST_STEP):
        for name in (*program.inputs, *states):
            yield name, step
    for index, step in enumerate(program.steps):
        assert isinstance(step, Call | Copy | Fill | Wait)  # unrolled
        names = tuple(name for found in step_names(step) for name in found)
        if isinstance(step, Wait):
            names = started.pop(step.token.value({}), ())
        elif not isinstance(step, Fill) and step.token is not None:
            started[step.token.value({})] = names
        yield from ((name, index) for name in names)
    left = [name for names in started.values() for name in names]
    for name in (*left, *states, *program.outputs):
        yield name, len(program.steps)


def _touches(size: int, spans: list[tuple[int, int, int]]) -> Touches:
    """spans: first byte, end and step of each touch, in the order of steps."""
    if all(begin == 0 and end == size for begin, end, _ in spans):
        return Touches(np.array([0, size]), np.array([spans[0][2]]), np.array([spans[-1][2]]))
    table = np.array(spans, np.int64)
    edges = np.unique(np.append(table[:, :2], (0, size)))
    pieces = edges.searchsorted(table[:, :2])
    first = np.full(len(edges) - 1, NEVER_FIRST, np.int64)
    last = np.full(len(edges) - 1, NEVER_LAST, np.int64)
    touched = [*zip(pieces.tolist(), table[:, 2].tolist(), strict=True)]
    for (begin, end), step in touched:
        last[begin:end] = step
    for (begin, end), step in reversed(touched):
        first[begin:end] = step
    return Touches(edges, first, last)
