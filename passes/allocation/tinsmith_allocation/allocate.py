"""The program pass: every buffer gets its offset."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

from tinsmith_ir.checked import Checked, checked
from tinsmith_ir.errors import DoesNotFitError, UsageError
from tinsmith_ir.escape import visible
from tinsmith_ir.passes import BIT_EXACT, Contract, Outcome
from tinsmith_ir.program import Program

from tinsmith_allocation.bound import lower_bound
from tinsmith_allocation.check import check_plan
from tinsmith_allocation.exact import plan_exact
from tinsmith_allocation.greedy import plan_greedy
from tinsmith_allocation.lifetimes import demand
from tinsmith_allocation.model import Plan
from tinsmith_allocation.program_check import check_program
from tinsmith_allocation.steady import steadied


@dataclass(frozen=True)
class Allocation(Checked):
    """A placed program, and the plan of each of its memories by name. planner: who planned. given: the memories whose
    buffers had their places.
    """

    program: Program
    plans: Mapping[str, Plan]
    planner: "AllocateBuffers"
    given: frozenset[str] = frozenset()

    def bytes_without_scratch(self, memory: str) -> int:
        """What the same planner needs for a memory where kernels have no scratch; without search for an optimum where
        another pass has placed the buffers.
        """
        if not any(call.scratch for call in self.program.calls):
            return self.plans[memory].arena_bytes
        exact = self.planner.exact and memory not in self.given
        planner = replace(self.planner, exact=exact)
        return planner.plan(self.program, memory, scratch=False).arena_bytes


@dataclass(frozen=True)
class AllocateBuffers(Checked):
    """Give every buffer its offset, each memory planned on its own.

    exact: search for the proven optimum when no greedy plan meets the bound.
    time_limit: of that search, in the solver's deterministic time (near a second each).
    seed: of the search.
    available_bytes: what a memory that states no size has; None is as much as needed.
    """

    exact: bool = True
    time_limit: float = 10.0
    seed: int = 0
    available_bytes: int | None = None

    name: ClassVar[str] = "allocate-buffers"
    # Offsets change no value.
    contract: ClassVar[Contract] = BIT_EXACT

    def __post_init__(self) -> None:
        """Raise UsageError for a time that is none."""
        super().__post_init__()
        if self.time_limit < 0:
            raise UsageError(f"{self.name}: expected time_limit from 0, got {self.time_limit:g}")

    def run(self, program: Program) -> Program:
        """The placed program; see `allocate` for its plans too."""
        return self.allocate(program).program

    def run_in_detail(self, program: Program) -> Outcome[Program]:
        """The placed program, with the Allocation as facts."""
        allocation = self.allocate(program)
        return Outcome(allocation.program, facts=allocation)

    @checked
    def allocate(self, program: Program) -> Allocation:
        """Place every buffer and have the result checked. A memory whose buffers all have offsets, since another pass
        chose them, stays as it is.

        Raises DoesNotFitError when a memory is too small, GraphError when the program
        does not say what to place, PlanError when the planner and the checker disagree.
        """
        plans = {memory.name: self._plan_of(program, memory.name) for memory in program.memories}
        for memory in program.memories:
            stated = memory.size_bytes
            available = self.available_bytes if stated is None else stated
            _check_fits(plans[memory.name], memory.name, available)
        placed = place(program, plans)
        check_program(placed)
        given = frozenset(name for name in plans if _is_placed(program, name))
        return Allocation(placed, plans, self, given)

    def _plan_of(self, program: Program, memory: str) -> Plan:
        if not _is_placed(program, memory):
            return self.plan(program, memory)
        plan = plan_of(program, memory)
        check_plan(plan)
        return plan

    @checked
    def plan(self, program: Program, memory: str, *, scratch: bool = True) -> Plan:
        """The plan of one memory; without the scratch of kernels if `scratch` is False.

        The plan without scratch is a figure to compare planners and schedules by, not for running.
        """
        wanted = demand(program, memory, scratch=scratch)
        if self.exact:
            plan = plan_exact(
                wanted.blocks,
                leaves=wanted.leaves,
                time_limit=self.time_limit,
                seed=self.seed,
            )
        else:
            plan = plan_greedy(wanted.blocks, leaves=wanted.leaves)
        if scratch:
            plan = steadied(plan, _scratches_alike(program, memory))
        check_plan(plan)
        return plan


@checked
def plan_of(program: Program, memory: str) -> Plan:
    """The plan that a placed program follows in one memory.

    Raises GraphError for a buffer that no step uses.
    """
    wanted = demand(program, memory)
    offsets = {
        buffer.name: buffer.offset or 0 for buffer in program.buffers if buffer.memory == memory
    }
    bound = lower_bound(wanted.blocks, wanted.leaves)
    return Plan(wanted.blocks, offsets, bound, wanted.leaves)


@checked
def bytes_without_scratch(program: Program, memory: str) -> int:
    """What a memory of a program needs where kernels have no scratch, placed anew."""
    return AllocateBuffers().plan(program, memory, scratch=False).arena_bytes


@checked
def place(program: Program, plans: Mapping[str, Plan]) -> Program:
    """The program with the offsets of `plans` (name of memory -> plan); buffers of other memories stay as they are."""
    buffers = tuple(
        replace(buffer, offset=plans[buffer.memory].offsets[buffer.name])
        if buffer.memory in plans
        else buffer
        for buffer in program.buffers
    )
    return program.with_buffers(buffers)


def _is_placed(program: Program, memory: str) -> bool:
    """Whether it has buffers, all with offsets."""
    offsets = [buffer.offset for buffer in program.buffers if buffer.memory == memory]
    return bool(offsets) and None not in offsets


def _scratches_alike(program: Program, memory: str) -> list[list[str]]:
    """The buffers of scratch of calls that do the same to other bytes; each buffer once."""
    key_of: dict[str, object] = {}
    for call in program.calls:
        if call.scratch is None:
            continue
        buffer = program.buffer_of(call.scratch)
        if buffer.memory == memory:
            constants = tuple(name for name in call.inputs if name in program.constant)
            key = call.kernel, call.operator, constants, call.options, buffer.size_bytes
            key_of.setdefault(buffer.name, key)
    found: dict[object, list[str]] = {}
    for name, key in key_of.items():
        found.setdefault(key, []).append(name)
    return list(found.values())


def _check_fits(plan: Plan, memory: str, available: int | None) -> None:
    if available is None or plan.arena_bytes <= available:
        return
    step = plan.peak_step
    live = sorted(plan.live(step), key=lambda block: (-block.size_bytes, block.name))
    largest = ", ".join(f"{visible(block.name)} ({block.size_bytes:,} bytes)" for block in live[:3])
    raise DoesNotFitError(
        f"{visible(memory)} is too small: needed {plan.arena_bytes:,} bytes, available {available:,} bytes "
        f"({plan.status.value} plan; no plan needs less than {plan.lower_bound:,} bytes). "
        f"The largest tensors live at step {step}: {largest}. Choose a target with more memory, "
        f"or a network with smaller feature maps.",
        needed_bytes=plan.arena_bytes,
        available_bytes=available,
    )
