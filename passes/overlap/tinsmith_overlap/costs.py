"""About how many cycles steps take: of the core that issues them, and of the engine that they are given to.

What neither kernels nor the board say is Siracusa's, of its simulator: a comparison of orders needs no more than what
is long and what is short.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from tinsmith_ir.byte_places import copied_places
from tinsmith_ir.expressions import Expression
from tinsmith_ir.layouts import layout_bytes
from tinsmith_ir.program import Call, Copy, Fill, Loop, Program, Step, Wait
from tinsmith_lowering import (
    BYTES_PER_CYCLE,
    COPY_CORE_CYCLES,
    Cost,
    Kernel,
    find_kernel,
    layer_of_call,
)
from tinsmith_target import Scratchpad, Target

_ISSUE_CYCLES = 300
"""Of core 0 that starts a job, if its kernel does not say: its registers."""

_WAIT_CYCLES = 20
"""Of core 0, besides what the kernel does in the wait."""

_ELEMENT_CYCLES = 30
"""Of a result's element, by a kernel that nobody has measured."""


@dataclass(frozen=True)
class StepCost:
    """core: cycles in which the core that issues it does nothing else. engine: behind that, of an engine."""

    core: int
    engine: int = 0


@dataclass(frozen=True, eq=False)
class Costs:
    """Of the steps of a program."""

    program: Program
    target: Target
    kernels: Sequence[Kernel]

    @cached_property
    def of_steps(self) -> tuple[StepCost, ...]:
        """In the program's order; a loop is one step of the core, behind which an engine does its last step."""
        return tuple(map(self._of, self.program.steps))

    @cached_property
    def _waits(self) -> Mapping[Expression, int]:
        """What kernels do in the wait, by the token of their calls, which has no other call, or only of the same."""
        return {
            call.token: self._cost(call).wait
            for call in self.program.calls
            if call.token is not None
        }

    def _of(self, step: Step) -> StepCost:
        match step:
            case Loop():
                found = [(self._of(inner), _turns(inner, step.count)) for inner in step.body]
                last = max((cost.engine for cost, _ in found), default=0)
                core = sum(turns * max(cost.core, cost.engine) for cost, turns in found)
                return StepCost(core, last)
            case Call():
                return self._of_call(step)
            case Copy():
                return self._of_copy(step)
            case Fill():
                return StepCost(self.program.type_of(step.destination).size_bytes)
            case Wait():
                return StepCost(_WAIT_CYCLES + self._waits.get(step.token, 0))

    def _of_call(self, call: Call) -> StepCost:
        cost = self._cost(call)
        if call.engine is None:
            return StepCost(cost.cycles)
        return StepCost(cost.start or _ISSUE_CYCLES, cost.cycles - cost.start - cost.wait)

    def _cost(self, call: Call) -> Cost:
        layer = layer_of_call(self.program, call, self.target)
        found = find_kernel(call.kernel, layer, self.kernels).cost(layer)
        return Cost(_ELEMENT_CYCLES * layer.output.elements) if found is None else found

    def _of_copy(self, copy: Copy) -> StepCost:
        scratchpad = self.target.board.scratchpad
        if scratchpad is not None and copy.engine is not None:
            return self._of_scratchpad(scratchpad, copy)
        view = self.program.view[copy.destination]
        cycles = layout_bytes(view.layout, view.type) // BYTES_PER_CYCLE
        if copy.engine is None:
            return StepCost(COPY_CORE_CYCLES + cycles)
        return StepCost(COPY_CORE_CYCLES, cycles)

    def _of_scratchpad(self, scratchpad: Scratchpad, copy: Copy) -> StepCost:
        """The core starts each line of bytes that lie together."""
        ends = (self.program.view[name] for name in (copy.source, copy.destination))
        found, _ = copied_places(*ends)
        further = (len(found.starts) - 1) * scratchpad.copy_line_cycles
        moved = len(found.starts) * found.length // scratchpad.copy_bytes_per_cycle
        return StepCost(scratchpad.copy_setup_cycles + further, moved)


def _turns(step: Step, count: int) -> int:
    """In how many iterations of a loop a step of it runs."""
    guard = None if isinstance(step, Loop) else step.guard
    return count if guard is None else guard.end - guard.begin
