"""Steps that are repeated, as loops.

Code is written once for each step of a Program as it is written, so a chain cut into tiles costs code for each tile;
tiles that differ in places alone need it once.
"""

from collections.abc import Collection, Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir.checked import Checked, checked
from tinsmith_ir.expressions import Expression
from tinsmith_ir.hazards import step_names
from tinsmith_ir.lifetimes import lifetimes
from tinsmith_ir.names import FreshNames
from tinsmith_ir.passes import BIT_EXACT, Contract
from tinsmith_ir.program import Loop, Program, Step, View, simple_steps, unrolled

from tinsmith_rolling.items import (
    Item,
    changed,
    loop_bytes,
    numbers_of,
    read_item,
    token_with_number,
    with_numbers,
)
from tinsmith_rolling.motion import has_table, moved_by
from tinsmith_rolling.repeats import Repeats, Stretch

LONGEST_BODY = 1024
"""Items of a loop's body: longer ones are not looked for."""


@dataclass(frozen=True)
class RollLoops(Checked):
    """`roll` as a pass: loops in the place of steps that are repeated, where that is less code."""

    name: ClassVar[str] = "roll-loops"
    # What a loop means is what was there.
    contract: ClassVar[Contract] = BIT_EXACT

    def run(self, program: Program) -> Program:
        """See `roll`."""
        return roll(program)


@checked
def roll(program: Program) -> Program:
    """The program with a loop in the place of steps that are repeated, where that is less code; the same object
    if there are none.

    Steps are repeated if they differ in no more than where views begin, where rings turn, in tokens, and in buffers
    that one iteration alone uses: these become one. Short bodies are looked for first, and loops found may be bodies
    of others. Raises GraphError where a step reads a counter outside of its loop.
    """
    rolling = _Rolling(program)
    while rolling.sweep(has_tables=False) or rolling.sweep(has_tables=True):
        pass
    return rolling.program


@dataclass(frozen=True)
class _Found:
    """count iterations, the first of which are items begin to begin + period - 1.

    numbers: of each slot of these, what it is in the loop with `counter`.
    """

    begin: int
    period: int
    count: int
    counter: str
    numbers: tuple[Expression, ...]

    @property
    def end(self) -> int:
        """One behind the last item."""
        return self.begin + self.period * self.count


class _Rolling:
    """program: as far as it has been rolled."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._known: dict[int, Item] = {}
        self._shapes: dict[Hashable, Hashable] = {}
        self._lives = lifetimes(unrolled(program))
        self._lengths = [_length(program, step) for step in program.steps]
        self._free_name = FreshNames({*program.view, *program.constant}).name
        self._counters = {loop.counter for loop in _loops(program.steps)}

    def sweep(self, *, has_tables: bool) -> bool:
        """Roll what is found from short periods to long; say whether that was anything.

        has_tables: what needs tables, or runs twice only.
        """
        self._read()
        is_changed = False
        period = 1
        while period <= min(LONGEST_BODY, len(self._items) // 2):
            found = [*self._loops(period, has_tables=has_tables)]
            if found:
                is_changed = True
                self._apply(found)
                self._read()
            else:
                period += 1
        return is_changed

    def _read(self) -> None:
        """Take the program apart."""
        program = self.program
        self._items = [self._item(step) for step in program.steps]
        # Steps in loops are as many as they were, and what is left of buffers that became one lies in the loop.
        ends = np.cumsum(self._lengths)
        names = [name for name in self._lives if name in program.buffer]
        lives = np.array([self._lives[name] for name in names], np.int64).reshape(-1, 2)
        items = np.where(lives < 0, lives, np.searchsorted(ends, lives, side="right"))
        uses = {
            name: (first, last) for name, (first, last) in zip(names, items.tolist(), strict=True)
        }
        self._uses: dict[str, tuple[int, int]] = uses
        alike = {
            buffer.name: (buffer.size_bytes, buffer.memory, buffer.offset)
            for buffer in program.buffers
        }
        self._alike = alike
        self._repeats = Repeats(self._items, self._uses, alike)
        self._tried: list[Stretch] = []

    def _item(self, step: Step) -> Item:
        """Read once: a step stays the same object, and so do its views."""
        found = self._known.get(id(step))
        if found is None:
            read = read_item(self.program, step)
            # Equal ones are one object, which compares fast.
            shape = self._shapes.setdefault(read.shape, read.shape)
            found = self._known[id(step)] = replace(read, shape=shape)
        return found

    def _loops(self, period: int, *, has_tables: bool) -> Iterator[_Found]:
        """Loops of one period, apart from one another."""
        whole = [*self._repeats.stretches(period, steady=False)]
        steady = [] if has_tables else [*self._repeats.stretches(period, steady=True)]
        free = 0
        for stretch in whole:
            parts = [part for part in steady if stretch.begin <= part.begin < stretch.end]
            attempts = parts if self._was_tried(stretch) else [stretch, *parts]
            for attempt in attempts:
                begin = max(attempt.begin, free)
                found = self._loop(replace(attempt, begin=begin), has_tables=has_tables)
                if found is not None:
                    yield found
                    free = found.end
            self._tried.append(stretch)

    def _was_tried(self, stretch: Stretch) -> bool:
        """True if no shorter period fits there, of which this one is a multiple."""
        return any(
            stretch.period % tried.period == 0
            and tried.begin <= stretch.begin
            and stretch.end <= tried.end
            for tried in self._tried
        )

    def _loop(self, stretch: Stretch, *, has_tables: bool) -> _Found | None:
        period, least = stretch.period, 2 if has_tables else 3
        if stretch.end - stretch.begin < least * period:
            return None
        begin = self._repeats.start(stretch)
        if begin is None:
            return None
        count = self._alike_iterations(begin, period, (stretch.end - begin) // period)
        if count < least:
            return None
        gone = self.program.steps[begin + period : begin + count * period]
        taken = self._counters - {loop.counter for loop in _loops(gone)}
        counter = _free_counter(taken)
        numbers = self._numbers(begin, period, count, counter)
        tables = {number for number in numbers if has_table(number)}
        moved = sum(not number.is_constant for number in numbers)
        body_bytes = sum(item.code_bytes for item in self._items[begin : begin + period])
        if (tables and not has_tables) or (
            (count - 1) * body_bytes <= loop_bytes(moved, count * len(tables))
        ):
            return None
        self._counters = taken | {counter}
        return _Found(begin, period, count, counter, numbers)

    def _numbers(self, begin: int, period: int, count: int, counter: str) -> tuple[Expression, ...]:
        """Of each slot of an iteration, the expression that gives its numbers in all."""
        rows = [
            [
                number
                for item in self._items[begin + index * period : begin + (index + 1) * period]
                for number in item.numbers
            ]
            for index in range(count)
        ]
        matrix: NDArray[np.int64] = np.array(rows, np.int64)
        is_fixed = (matrix == matrix[0]).all(axis=0)
        return tuple(
            Expression(int(column[0])) if fixed else moved_by(column.tolist(), counter)
            for column, fixed in zip(matrix.T, is_fixed.tolist(), strict=True)
        )

    def _alike_iterations(self, begin: int, period: int, count: int) -> int:
        """How many iterations from the first on are as it is."""
        for index in range(1, count):
            if not self._are_alike(begin, begin + index * period, period):
                return index
        return count

    def _are_alike(self, begin: int, other: int, period: int) -> bool:
        """True if two iterations differ in numbers alone, and in buffers that are their own."""
        theirs: dict[str, str] = {}
        ours: dict[str, str] = {}
        for index in range(period):
            one, two = self._items[begin + index], self._items[other + index]
            if one.shape != two.shape:
                return False
            for mine, its in zip(one.buffers, two.buffers, strict=True):
                if theirs.setdefault(mine, its) != its or ours.setdefault(its, mine) != mine:
                    return False
        return all(
            mine == its
            or (
                self._alike[mine] == self._alike[its]
                and self._is_own(mine, begin, period)
                and self._is_own(its, other, period)
            )
            for mine, its in theirs.items()
        )

    def _is_own(self, buffer: str, begin: int, period: int) -> bool:
        first, last = self._uses[buffer]
        return begin <= first and last < begin + period

    def _apply(self, loops: Sequence[_Found]) -> None:
        """Put the loops in the place of their items, and leave out what nobody uses then."""
        before = self.program
        beside: dict[str, list[View]] = {}
        steps: list[Step] = []
        lengths: list[int] = []
        done = 0
        for found in loops:
            steps += [*before.steps[done : found.begin], self._loop_step(found, beside)]
            lengths += self._lengths[done : found.begin]
            lengths.append(sum(self._lengths[found.begin : found.end]))
            done = found.end
        steps += before.steps[done:]
        self._lengths = lengths + self._lengths[done:]
        was_used, is_used = _used(before, before.steps), _used(before, steps)
        views: list[View] = []
        for view in before.views:
            if view.name in is_used or view.name not in was_used:
                views.append(view)
            views += beside.get(view.name, ())
        had_views = {view.buffer for view in before.views}
        has_views = {view.buffer for view in views}
        buffers = [
            buffer
            for buffer in before.buffers
            if buffer.name in has_views or buffer.name not in had_views
        ]
        self.program = replace(
            before, steps=tuple(steps), views=tuple(views), buffers=tuple(buffers)
        )

    def _loop_step(self, found: _Found, beside: dict[str, list[View]]) -> Loop:
        """beside: takes the views that the loop moves, by those of its first iteration."""
        numbers = iter(found.numbers)
        moved: dict[tuple[str, tuple[Expression, ...]], str] = {}

        def place(name: str) -> str:
            view = self.program.view.get(name)
            if view is None:
                return name
            key = name, tuple(next(numbers) for _ in numbers_of(view))
            if all(number.is_constant for number in key[1]):
                return name
            if key not in moved:
                moved[key] = self._free_name(f"{name}.{found.counter}")
                beside.setdefault(name, []).append(with_numbers(view, moved[key], key[1]))
            return moved[key]

        def token(given: Expression) -> Expression:
            return token_with_number(given, next(numbers))

        items = self._items[found.begin : found.begin + found.period]
        body = tuple(changed(item.step, place, token) for item in items)
        return Loop(found.counter, found.count, body)


def _length(program: Program, step: Step) -> int:
    """Of how many steps it is once unrolled."""
    if not isinstance(step, Loop):
        return 1
    return len(unrolled(replace(program, steps=(step,))).steps)


def _free_counter(taken: Collection[str]) -> str:
    count = 0
    while (name := f"i{count or ''}") in taken:
        count += 1
    return name


def _loops(steps: Sequence[Step]) -> Iterator[Loop]:
    for step in steps:
        if isinstance(step, Loop):
            yield step
            yield from _loops(step.body)


def _used(program: Program, steps: Sequence[Step]) -> set[str]:
    """What steps and ends of the program name."""
    names = {*program.inputs, *program.outputs}
    for step in simple_steps(tuple(steps)):
        names.update(*step_names(step))
    return names
