"""About how many cycles steps take: of the core that issues them, and of the engine that they are given to.

Siracusa's, of its simulator: a comparison of orders needs no more than what is long and what is short.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from tinsmith_ir.program import Call, Copy, Fill, Loop, Program, Step, Wait
from tinsmith_lowering import (
    BYTES_PER_CYCLE,
    COPY_CORE_CYCLES,
    Kernel,
    find_kernel,
    layer_of_call,
)
from tinsmith_target import Target

_ISSUE_CYCLES = 300
"""Of core 0 that starts a job: its registers."""

_WAIT_CYCLES = 20

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

    def _of(self, step: Step) -> StepCost:
        match step:
            case Loop():
                found = [(self._of(inner), _turns(inner, step.count)) for inner in step.body]
                last = max((cost.engine for cost, _ in found), default=0)
                core = sum(turns * max(cost.core, cost.engine) for cost, turns in found)
                return StepCost(core, last)
            case Call():
                cycles = self._of_call(step)
                return StepCost(cycles) if step.engine is None else StepCost(_ISSUE_CYCLES, cycles)
            case Copy():
                cycles = self.program.type_of(step.destination).size_bytes // BYTES_PER_CYCLE
                if step.engine is None:
                    return StepCost(COPY_CORE_CYCLES + cycles)
                return StepCost(COPY_CORE_CYCLES, cycles)
            case Fill():
                return StepCost(self.program.type_of(step.destination).size_bytes)
            case Wait():
                return StepCost(_WAIT_CYCLES)

    def _of_call(self, call: Call) -> int:
        layer = layer_of_call(self.program, call, self.target)
        cost = find_kernel(call.kernel, layer, self.kernels).cost(layer)
        return _ELEMENT_CYCLES * layer.output.elements if cost is None else cost.cycles


def _turns(step: Step, count: int) -> int:
    """In how many iterations of a loop a step of it runs."""
    guard = None if isinstance(step, Loop) else step.guard
    return count if guard is None else guard.end - guard.begin
