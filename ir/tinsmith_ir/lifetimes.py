"""From which step to which the bytes of each buffer are needed, of a program without loops and of one as it is written.

A buffer may be needed several times, for other bytes each time. In a loop, one that is written anew in each
iteration is needed in a part of the body only, and others may share its place in the rest.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile

from tinsmith_ir.checked import Checked
from tinsmith_ir.hazards import step_names
from tinsmith_ir.layouts import layout_bytes
from tinsmith_ir.program import Call, Copy, Fill, Loop, Program, Step, Wait, unrolled

BEFORE_FIRST_STEP = -1
"""The step in front of all, in which the caller writes inputs; that behind all has the number of steps."""

Span = tuple[int, int]
"""The first and the last step."""


def lifetimes(program: Program) -> dict[str, Span]:
    """Name of a buffer -> the first and the last step that need its bytes; without those that no step uses.

    program: without loops (`unrolled`). Inputs are needed from before the first step, outputs until after the last,
    states both, what an engine reads and writes at least until it is waited for.
    """
    return {name: (found[0][0], found[-1][1]) for name, found in _lives(program).items()}


@dataclass(frozen=True)
class WrittenLives(Checked):
    """What the steps need, numbered as they are written, those in loops once.

    spans: of each buffer, by name: two that share no step are never needed at once. numbers: of each step once
    unrolled, which it is. lives: of each buffer, from which unrolled step to which it holds bytes that are read, or
    written, before all of it is written anew.
    """

    spans: Mapping[str, Span]
    numbers: tuple[int, ...]
    lives: Mapping[str, tuple[Span, ...]]


def written_lives(program: Program) -> WrittenLives:
    """As `lifetimes`, of a program as it is written. Raises GraphError as `unrolled`.

    What is needed from one iteration of a loop to another is needed in the whole loop; what is not, in the steps of
    its body that lie between. In each iteration, steps run in the order in which they are written, so this suffices.
    """
    meant = unrolled(program)
    order = [*_executions(program.steps, 0, (), {})]
    before, behind = _Execution(BEFORE_FIRST_STEP), _Execution(_count(program.steps))
    executions = [*order, behind, before]  # the last has index -1
    lives = {name: tuple(found) for name, found in _lives(meant).items()}
    spans: dict[str, Span] = {}
    for name, found in lives.items():
        ends = [_between(executions[first], executions[last]) for first, last in found]
        spans[name] = min(first for first, _ in ends), max(last for _, last in ends)
    return WrittenLives(spans, tuple(execution.number for execution in order), lives)


@dataclass(frozen=True)
class _Turn:
    """One iteration of a loop, whose body is steps begin to end as written."""

    begin: int
    end: int
    iteration: int


@dataclass(frozen=True)
class _Execution:
    """A step as it runs. turns: of the loops around it, the outermost first."""

    number: int
    turns: tuple[_Turn, ...] = ()


def _executions(
    steps: Sequence[Step], number: int, turns: tuple[_Turn, ...], counters: Mapping[str, int]
) -> Iterator[_Execution]:
    """In the order of `unrolled`. number: of the first step."""
    for step in steps:
        if isinstance(step, Loop):
            end = number + _count(step.body) - 1
            for index in range(step.count):
                turn = _Turn(number, end, index)
                inner = {**counters, step.counter: index}
                yield from _executions(step.body, number, (*turns, turn), inner)
            number = end + 1
            continue
        guard = step.guard
        if guard is None or guard.begin <= counters[guard.counter] < guard.end:
            yield _Execution(number, turns)
        number += 1


def _count(steps: Sequence[Step]) -> int:
    """Of steps as written."""
    return sum(_count(step.body) if isinstance(step, Loop) else 1 for step in steps)


def _between(first: _Execution, last: _Execution) -> Span:
    """The steps as written that run from one to the other."""
    pairs = zip(first.turns, last.turns, strict=False)
    common = len([*takewhile(lambda pair: pair[0] == pair[1], pairs)])
    begins = [turn.begin for turn in first.turns[common:]] + [first.number]
    ends = [turn.end for turn in last.turns[common:]] + [last.number]
    return begins[0], ends[0]


def _lives(program: Program) -> dict[str, list[Span]]:
    """Each buffer that is used, and from which step to which it is, all of it being written anew between two."""
    lives: dict[str, list[Span]] = {}

    def use(name: str, step: int, *, is_anew: bool = False) -> None:
        if name not in program.view:
            return
        found = lives.setdefault(program.view[name].buffer, [])
        if is_anew or not found:
            found.append((step, step))
        else:
            found[-1] = found[-1][0], step

    states = [state.view for state in program.states]
    for name in (*program.inputs, *states):
        use(name, BEFORE_FIRST_STEP)
    started: dict[int, tuple[str, ...]] = {}
    for index, step in enumerate(program.steps):
        if isinstance(step, Wait):
            for name in started.pop(step.token.value({}), ()):
                use(name, index)
            continue
        assert isinstance(step, Call | Copy | Fill)  # unrolled
        reads, writes = step_names(step)
        for name in reads:
            use(name, index)
        anew = _written_anew(program, reads, writes)
        for name in writes:
            use(name, index, is_anew=name in program.view and program.view[name].buffer in anew)
        if not isinstance(step, Fill) and step.token is not None:
            started[step.token.value({})] = (*reads, *writes)
    for names in started.values():
        for name in names:
            use(name, len(program.steps))
    for name in (*states, *program.outputs):
        use(name, len(program.steps))
    return lives


def _written_anew(program: Program, reads: Sequence[str], writes: Sequence[str]) -> set[str]:
    """Buffers that a step writes from the first byte to the last, and does not read."""
    views = program.view
    read = {views[name].buffer for name in reads if name in views}
    return {
        view.buffer
        for view in (views[name] for name in writes if name in views)
        if view.buffer not in read
        and layout_bytes(view.layout, view.type) == program.buffer[view.buffer].size_bytes
        and (view.is_dense or view.layout)
        and view.within is None
    }
