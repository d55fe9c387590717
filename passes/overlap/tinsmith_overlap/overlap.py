"""The program pass: calls that an accelerator computes are started and waited for apart, and what can be done meanwhile
is put between.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import pairwise
from typing import ClassVar

from tinsmith_ir.checked import Checked, checked
from tinsmith_ir.expressions import Expression
from tinsmith_ir.hazards import step_names
from tinsmith_ir.passes import BIT_EXACT, Contract, Outcome
from tinsmith_ir.program import (
    Call,
    Engine,
    Program,
    Step,
    Wait,
)
from tinsmith_lowering import Beside, Kernel, find_kernel, layer_of_call
from tinsmith_target import Target

from tinsmith_overlap.accelerators import beside_one_another
from tinsmith_overlap.costs import Costs
from tinsmith_overlap.order import predecessors
from tinsmith_overlap.place import loosened, placed, with_own_scratch
from tinsmith_overlap.schedule import Orders, Overlapping
from tinsmith_overlap.tokens import TOKENS, free_tokens, with_tokens
from tinsmith_overlap.touches import touches_of
from tinsmith_overlap.turns import TOKENS_OF_LOOP, with_turned_loops

_LEAST_GAIN = 0.002
"""Of all cycles, for which copies come earlier."""

_MOST_AHEAD = 3
"""Calls that copies are moved in front of: so much further ahead of a call its operands lie in the memory."""


@dataclass(frozen=True)
class OverlapCalls(Checked):
    """Give calls to the engines that may compute them beside the core, in an order of steps that lets it wait little.

    On targets without a cluster, or where that gains nothing, the program is left alone.

    kernels: at least those that the calls name.
    """

    target: Target
    kernels: Sequence[Kernel]

    name: ClassVar[str] = "overlap"
    # The same calls, in another order.
    contract: ClassVar[Contract] = BIT_EXACT

    def run(self, program: Program) -> Program:
        """The program in that order."""
        return self.run_in_detail(program).ir

    @checked
    def run_in_detail(self, program: Program) -> Outcome[Program]:
        """The same, with an Overlapping as facts if something was done.

        program: tiled, so that what such calls touch lies where their engine reaches it; others stay the core's.
        """
        if self.target.board.scratchpad is not None:
            return beside_one_another(program, self.target, self.kernels)
        cluster = self.target.board.cluster
        if cluster is None:
            return Outcome(program)
        beside = dict(self._beside(program, cluster.memory))
        tokens = free_tokens(program)
        if not beside or len(tokens) < TOKENS_OF_LOOP + _most_under_way(beside.values()):
            return Outcome(program)
        of_loops, *others = tokens[0], *tokens[TOKENS_OF_LOOP:]
        turned = with_turned_loops(program, lambda call: _in_turns(beside.get(call.name)), of_loops)
        apart = _apart(turned, beside)
        loose = loosened(apart, cluster.memory)
        own = with_own_scratch(loose, beside)
        tried = [*((own, ahead) for ahead in range(_MOST_AHEAD + 1)), (loose, 0)]
        sorting = {each.name for each in beside.values()}
        found = [self._ordered(*each, cluster.memory, sorting) for each in tried]
        if not any(found):
            found = [self._ordered(apart, 0, cluster.memory, sorting)]
        if not any(found):
            return Outcome(program)
        ordered, cycles = reduce(_better, filter(None, found))
        jobs = tuple(call.name for call in ordered.calls if call.name in beside and call.engine)
        if not jobs or (cycles.after >= cycles.before and turned.steps == program.steps):
            return Outcome(program)
        done = with_tokens(ordered, others)
        return Outcome(done, facts=replace(cycles, jobs=jobs))

    def _ordered(
        self, program: Program, ahead: int, memory: str, sorting: Collection[str]
    ) -> tuple[Program, Overlapping] | None:
        """In the order that lets the core wait least; None if buffers of the memory that have no places find none.

        ahead, sorting: as of `predecessors`.
        """
        costs = Costs(program, self.target, self.kernels).of_steps
        flights = touches_of(program).flights
        orders = Orders(program, costs, flights, predecessors(program, sorting, ahead))
        order = orders.best()
        before, after = (orders.cycles(some) for some in (range(len(program.steps)), order))
        steps = tuple(_joined([program.steps[number] for number in order]))
        done = placed(replace(program, steps=steps), memory)
        return done and (done, Overlapping((), before, after))

    def _beside(self, program: Program, memory: str) -> Iterator[tuple[str, Beside]]:
        """Calls that an engine may be given, by name."""
        for call in program.calls:
            if call.engine is not None or call.over:
                continue
            layer = layer_of_call(program, call, self.target)
            beside = find_kernel(call.kernel, layer, self.kernels).beside
            names = filter(None, (*call.inputs, *call.outputs, call.scratch))
            tensors = (name for name in names if name in program.view)
            if beside and all(program.buffer_of(name).memory == memory for name in tensors):
                yield call.name, beside


def _better(
    one: tuple[Program, Overlapping], other: tuple[Program, Overlapping]
) -> tuple[Program, Overlapping]:
    """The first one, unless the other is better by more than the model is worth."""
    return other if other[1].after < (1 - _LEAST_GAIN) * one[1].after else one


def _in_turns(beside: Beside | None) -> str | None:
    """The engine that may be given the jobs of a loop, one while the one before is under way."""
    if beside is None or not beside.is_fifo:
        return None
    return beside.name if (beside.depth or TOKENS_OF_LOOP) >= TOKENS_OF_LOOP else None


def _apart(program: Program, beside: Mapping[str, Beside]) -> Program:
    """The program whose calls outside of loops are given to engines, each waited for at once; tokens are any."""
    steps: list[Step] = []
    for number, step in enumerate(program.steps):
        if not isinstance(step, Call) or step.name not in beside:
            steps.append(step)
            continue
        token = Expression(TOKENS + number)
        steps += [replace(step, engine=beside[step.name].name, token=token), Wait(token)]
    engines = dict.fromkeys(beside.values())
    made = (
        Engine(each.name, _reached(program, each, beside), each.is_fifo, each.depth)
        for each in engines
    )
    return replace(program, steps=tuple(steps), engines=(*program.engines, *made))


def _reached(program: Program, engine: Beside, beside: Mapping[str, Beside]) -> tuple[str, ...]:
    """The memories in which its calls read and write: near the cores, and where constants or their copies lie."""
    mine = [call for call in program.calls if beside.get(call.name) == engine]
    names = (name for call in mine for both in step_names(call) for name in both)
    found = [program.buffer_of(name).memory for name in names if name in program.view]
    read = (program.written_constant(name) for call in mine for name in call.reads)
    found += [constant.memory for constant in read if constant is not None and constant.memory]
    return tuple(dict.fromkeys(found))


def _joined(steps: Sequence[Step]) -> Iterator[Step]:
    """Without the waits that stand right behind the starts of their calls, which the core makes then."""
    ends = {
        id(wait): call
        for call, wait in pairwise(steps)
        if isinstance(call, Call) and isinstance(wait, Wait) and call.token == wait.token
    }
    alone = {id(call) for call in ends.values()}
    for step in steps:
        if id(step) in alone and isinstance(step, Call):
            yield replace(step, engine=None, token=None)
        elif id(step) not in ends:
            yield step


def _most_under_way(beside: Iterable[Beside]) -> int:
    """Calls that engines hold at once; of one that holds any number, as many as there are tokens."""
    return sum({each.name: each.depth or TOKENS for each in beside}.values())
