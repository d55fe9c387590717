"""An order for accelerators with a memory of their own (`Board.scratchpad`), which have been given their calls already:
what is started and waited for one after the other is under way beside one another, as far as both memories have room.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from tinsmith_ir.expressions import Expression
from tinsmith_ir.first_fit import needed_bytes
from tinsmith_ir.passes import Outcome
from tinsmith_ir.program import Call, Copy, Loop, Program, Step, Wait
from tinsmith_lowering import Kernel, find_kernel, layer_of_call
from tinsmith_target import Scratchpad, Target

from tinsmith_overlap.costs import Costs
from tinsmith_overlap.order import constraints, with_copies_behind
from tinsmith_overlap.schedule import Orders, Overlapping
from tinsmith_overlap.tokens import TOKENS, free_tokens, with_tokens
from tinsmith_overlap.touches import touches_of

_AHEAD = (0, 1, 3, 10)
"""Calls that copies are moved in front of."""

_FEWEST_STEPS = 4
"""Of a part that is ordered by itself: two starts and their waits."""


def beside_one_another(
    program: Program, target: Target, kernels: Sequence[Kernel]
) -> Outcome[Program]:
    """The program in an order of fewer modelled cycles, with an Overlapping as facts; the same object if none is found.

    program: behind `use-scratchpad`; without places.
    """
    scratchpad = target.board.scratchpad
    apart = _with_own_tokens(program)
    has_places = any(buffer.offset is not None for buffer in program.buffers)
    if scratchpad is None or apart is None or has_places:
        return Outcome(program)
    free = free_tokens(apart)
    search = _Search(target, kernels, _units(program, scratchpad, target, kernels), len(free))
    found = search.improved(apart, (0, len(apart.steps)))
    if found is apart:
        return Outcome(program)
    before, after = (search.cycles(some) for some in (apart, found))
    jobs = tuple(call.name for call in found.calls if call.engine is not None)
    return Outcome(with_tokens(found, free), facts=Overlapping(jobs, before, after))


def _with_own_tokens(program: Program) -> Program | None:
    """Whatever is started outside of loops has a token of its own, that may be any number. None if nothing is, or if
    loops start what is waited for elsewhere.
    """
    steps: list[Step] = []
    under_way: dict[Expression, Expression] = {}
    for number, step in enumerate(program.steps):
        match step:
            case Call() | Copy() if step.token is not None:
                under_way[step.token] = Expression(TOKENS + number)
                steps.append(replace(step, token=under_way[step.token]))
            case Wait():
                token = under_way.pop(step.token, None)
                if token is None:
                    return None
                steps.append(Wait(token))
            case _:
                steps.append(step)
    return replace(program, steps=tuple(steps)) if tuple(steps) != program.steps else None


def _units(
    program: Program, scratchpad: Scratchpad, target: Target, kernels: Sequence[Kernel]
) -> dict[str, Sequence[str]]:
    """Of each engine that reaches the scratchpad, the accelerators that may do what it is given: of calls theirs; of
    copies any.
    """
    found: dict[str, Sequence[str]] = {
        engine.name: scratchpad.accelerators
        for engine in program.engines
        if scratchpad.memory in engine.reaches
    }
    for call in program.calls:
        if call.engine in found:
            layer = layer_of_call(program, call, target)
            accelerator = find_kernel(call.kernel, layer, kernels).accelerator
            found[call.engine] = (accelerator,) if accelerator else found[call.engine]
    return found


Window = tuple[int, int]
"""Steps in a row, whose order is looked for: numbers of the first, and behind the last."""


@dataclass(frozen=True, eq=False)
class _Search:
    """units, most: as of `Orders`."""

    target: Target
    kernels: Sequence[Kernel]
    units: Mapping[str, Sequence[str]]
    most: int

    def cycles(self, program: Program) -> int:
        """Modelled, in its order."""
        return self._orders(program).cycles(range(len(program.steps)))

    def improved(self, program: Program, window: Window) -> Program:
        """The program with the best order of a window that the memories have room for. Where they have none for an
        order that is better, both halves have one each.
        """
        orders = self._orders(program)
        before = orders.cycles(range(len(program.steps)))
        better = [found for found in self._reordered(orders, window) if found[0] < before]
        had = needed_bytes(program) if better else {}
        for _, found in sorted(better, key=lambda pair: pair[0]):
            if self._fits(found, had):
                return found
        middle = _quiet_step(program.steps, window) if better else None
        if middle is None:
            return program
        begin, end = window
        return self.improved(self.improved(program, (begin, middle)), (middle, end))

    def _reordered(self, without: Orders, window: Window) -> Iterator[tuple[int, Program]]:
        """Orders of a window and their cycles: with calls in their order or in any, and copies further and further
        ahead. without: predecessors.
        """
        program = without.program
        engines = [engine.name for engine in program.engines]
        calls = [
            number for number, step in enumerate(program.steps) if isinstance(step, Call | Loop)
        ]
        found = constraints(program, engines)
        for ahead in _AHEAD:
            behind = with_copies_behind(found, program, ahead)
            for kept in ((), calls):
                orders = replace(without, predecessors=_in_window(behind, window, kept))
                order = orders.best()
                steps = tuple(program.steps[number] for number in order)
                yield orders.cycles(order), replace(program, steps=steps)

    def _orders(self, program: Program) -> Orders:
        """Of steps that stay in no order yet."""
        costs = Costs(program, self.target, self.kernels).of_steps
        flights = touches_of(program).flights
        return Orders(program, costs, flights, [], self.units, self.most)

    def _fits(self, program: Program, had: Mapping[str, int]) -> bool:
        """Whether buffers find places; where nobody says how large a memory is, in no more than they had before."""
        needed = needed_bytes(program)
        for memory in program.memories:
            room = memory.size_bytes
            if room is None and memory == program.memories[0]:
                room = self.target.board.arena_room(self.target.board.arena_home)
            if needed[memory.name] > (had[memory.name] if room is None else room):
                return False
        return True


def _in_window(
    found: Sequence[set[int]], window: Window, kept: Sequence[int] = ()
) -> list[set[int]]:
    """Predecessors, of which those of steps in the window alone leave a choice. kept: steps that stay in order."""
    begin, end = window
    made: list[set[int]] = []
    for number, before in enumerate(found):
        if begin <= number < end:
            made.append({other for other in before if other >= begin} | {begin - 1} - {-1})
        else:
            made.append({number - 1} - {-1})
    if end < len(found):
        made[end] = {*range(begin, end)} or made[end]
    for earlier, later in pairwise(kept):
        made[later].add(earlier)
    return made


def _quiet_step(steps: Sequence[Step], window: Window) -> int | None:
    """The one nearest to the middle of a window in front of which nothing is under way; None if no half would have a
    choice.
    """
    begin, end = window
    under_way: set[Expression] = set()
    found: list[int] = []
    for number in range(begin, end):
        if not under_way:
            found.append(number)
        _take(steps[number], under_way)
    enough = [number for number in found if min(number - begin, end - number) >= _FEWEST_STEPS]
    return min(enough, key=lambda number: abs(2 * number - begin - end), default=None)


def _take(step: Step, under_way: set[Expression]) -> None:
    if isinstance(step, Wait):
        under_way.discard(step.token)
    elif isinstance(step, Call | Copy) and step.token is not None:
        under_way.add(step.token)
