"""The program pass: which constants are copied to fast memory before kernels come back to them.

Constants lie in flash, where a load may wait. A convolution goes over its weights again and again, for a few pixels
each time, so that a copy of them in RAM pays where RAM is faster and has room in those very steps.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import floor, isfinite
from typing import ClassVar

from tinsmith_ir.checked import Checked, checked
from tinsmith_ir.errors import UsageError
from tinsmith_ir.lifetimes import written_lives
from tinsmith_ir.names import FreshNames
from tinsmith_ir.passes import BIT_EXACT, Contract, Outcome
from tinsmith_ir.program import (
    Buffer,
    Call,
    ConstantBuffer,
    Copy,
    Held,
    Program,
    SimpleStep,
    Step,
    View,
    changed_steps,
    simple_steps,
    tensor,
)
from tinsmith_lowering import Kernel, find_kernel, layer_of_call
from tinsmith_target import Target

from tinsmith_allocation.allocate import AllocateBuffers, place
from tinsmith_allocation.chosen import cheapest_choice
from tinsmith_allocation.lifetimes import demand
from tinsmith_allocation.model import Plan

_WORD = 4
_OF_A_COPY = 80
"""Cycles of a call that copies, whatever its length, about."""

_OF_A_COPIED_WORD = 2
"""Cycles without any waiting."""

_MOST_STATES = 200
"""That the choice compares in each step: what is left out costs cycles, and copies are many."""

_MOST_TRIES, _DEEP_TRIES = 32, 2
"""How often places are sought for a choice, and how often thoroughly: any will do that the memory has."""

_QUICKLY, _DEEPLY = AllocateBuffers(exact=False), AllocateBuffers(time_limit=0.2)


@dataclass(frozen=True)
class HeldConstants(Checked):
    """What was chosen. constants: names. copied_bytes: of all of them, in one inference. saved_cycles: by an inference,
    about, what copying costs taken off.
    """

    constants: tuple[str, ...]
    copied_bytes: int
    saved_cycles: int


@dataclass(frozen=True)
class HoldConstants(Checked):
    """Copy constants to the first memory before the steps that come back to them, where that pays and there is room.

    flash_waits, ram_waits: cycles that a load of up to four bytes waits on average, of constants where they lie and in
    the first memory. may_grow: copies may take all that there is of that memory; without it, or without a size, they
    have what is free beside the buffers of each step, and it takes no more than without them. available_bytes: of that
    memory where it states no size. Programs for the cores of a cluster stay as they are: tiles bring constants near.
    """

    target: Target
    kernels: Sequence[Kernel] = field(default=())
    flash_waits: float = 0.0
    ram_waits: float = 0.0
    may_grow: bool = True
    available_bytes: int | None = None

    name: ClassVar[str] = "hold-constants"
    # Kernels read the very bytes that they would have read.
    contract: ClassVar[Contract] = BIT_EXACT

    def __post_init__(self) -> None:
        """Raise UsageError for waits that are none."""
        super().__post_init__()
        for option, waits in (("flash_waits", self.flash_waits), ("ram_waits", self.ram_waits)):
            if not (isfinite(waits) and waits >= 0):
                raise UsageError(f"{self.name}: expected {option} from 0, got {waits:g}")

    def run(self, program: Program) -> Program:
        """See run_in_detail."""
        return self.run_in_detail(program).ir

    @checked
    def run_in_detail(self, program: Program) -> Outcome[Program]:
        """The program with copies of some constants, placed in its first memory; the same object if none pays.
        Facts: HeldConstants.

        program: prepared; its buffers have no offsets.
        """
        if (
            self.flash_waits <= self.ram_waits
            or self.target.board.cluster is not None
            or not program.memories
        ):
            return Outcome(program)
        saved = _saved(self, program)
        stated = program.memories[0].size_bytes
        available = self.available_bytes if stated is None else stated
        holding = _Holding(program, saved, available if self.may_grow else None)
        chosen, plan = holding.chosen()
        if plan is None:
            return Outcome(program)
        sizes = (program.constant[name].type.size_bytes for name in chosen)
        facts = HeldConstants(tuple(chosen), sum(sizes), sum(saved[name] for name in chosen))
        memory = program.memories[0].name
        return Outcome(place(holding.made(chosen), {memory: plan}), facts=facts)


def _saved(options: HoldConstants, program: Program) -> Mapping[str, int]:
    """Constant -> cycles that its copy saves an inference; of those where it saves any."""
    runs = Counter(written_lives(program).numbers)
    faster = options.flash_waits - options.ram_waits
    of_a_word = _OF_A_COPIED_WORD + options.flash_waits + options.ram_waits
    words_loaded: Counter[str] = Counter()
    fixed: set[str] = set()
    for number, step in enumerate(simple_steps(program.steps)):
        if isinstance(step, Copy):
            fixed.add(step.source)
        if not isinstance(step, Call):
            continue
        constants = _constants(program, step)
        if step.engine is not None:
            fixed |= {constant.name for constant in constants}
            continue
        layer = layer_of_call(program, step, options.target)
        loads = find_kernel(step.kernel, layer, options.kernels).loads(layer)
        largest = max(constants, key=lambda it: it.type.size_bytes, default=None)
        for constant in constants:
            often = loads.weights if constant is largest else loads.others
            words_loaded[constant.name] += runs[number] * often * _words(constant)
    saved = {
        name: floor(count * faster - _words(program.constant[name]) * of_a_word - _OF_A_COPY)
        for name, count in words_loaded.items()
        if name not in fixed
    }
    return {name: cycles for name, cycles in saved.items() if cycles > 0}


def _constants(program: Program, call: Call) -> list[ConstantBuffer]:
    """Those that a call's kernel reads where they lie, without members of tables, and what it wants where it lies."""
    held = {found.constant for found in call.held}
    names = [name for name in dict.fromkeys(call.reads) if name not in held]
    found = [program.constant[name] for name in names if name in program.constant]
    return [constant for constant in found if not constant.memory]


def _words(constant: ConstantBuffer) -> int:
    return -(-constant.type.size_bytes // _WORD)


class _Holding:
    """Copies in one program. saved: cycles by each constant that may be copied. available: bytes of the first memory,
    None for what it takes without copies.
    """

    def __init__(self, program: Program, saved: Mapping[str, int], available: int | None) -> None:
        self._program = program
        self._saved = saved
        self._memory = program.memories[0]
        taken = (program.view, program.buffer, program.constant)
        fresh = FreshNames([name for names in taken for name in names])
        self._copy_of = {name: fresh.name(f"{name}.near") for name in saved}
        self._available = available

    def chosen(self) -> tuple[Sequence[str], Plan | None]:
        """The constants that save most of those choices for whose copies a planner finds room, and its plan; None where
        nothing is copied.
        """
        if not self._saved:
            return (), None
        available = self._available
        if available is None:
            available = AllocateBuffers().plan(self._program, self._memory.name).arena_bytes
        names = [
            name
            for name in self._saved
            if self._program.constant[name].type.size_bytes <= available
        ]
        # Live bytes may fit where not all find a place.
        kept = self._best(names, available)
        for tried in range(_MOST_TRIES):
            if not kept:
                break
            planner = _DEEPLY if tried < _DEEP_TRIES else _QUICKLY
            plan = planner.plan(self.made(kept), self._memory.name)
            if plan.arena_bytes <= available:
                return kept, plan
            left_out = self._left_out(plan, kept, available)
            if left_out is None:
                break
            kept = [name for name in kept if name != left_out]
        return (), None

    def _left_out(self, plan: Plan, kept: Sequence[str], available: int) -> str | None:
        """Of the copies beside what lies too high, that which saves least of those that make room enough; if none does,
        that which saves least for its bytes. None if there is none.
        """
        crowded = self._crowded(plan, kept, available)
        size = {name: self._program.constant[name].type.size_bytes for name in crowded}
        enough = [name for name in crowded if size[name] >= plan.arena_bytes - available]
        if enough:
            return min(enough, key=lambda name: self._saved[name])
        return min(crowded, key=lambda name: self._saved[name] / size[name], default=None)

    def _crowded(self, plan: Plan, kept: Sequence[str], available: int) -> Sequence[str]:
        """Those that live beside a block that ends behind what is available."""
        block = {found.name: found for found in plan.blocks}
        high = [
            found
            for found in plan.blocks
            if plan.offsets[found.name] + found.size_bytes > available
        ]
        return [name for name in kept if any(map(block[self._copy_of[name]].lives_with, high))]

    def _best(self, names: Sequence[str], budget: int) -> Sequence[str]:
        """Of these, by what is live at once."""
        wanted = demand(self.made(names), self._memory.name)
        costs = {self._copy_of[name]: self._saved[name] for name in names}
        pinned = frozenset(block.name for block in wanted.blocks) - costs.keys()
        choice = cheapest_choice(
            wanted.blocks, wanted.leaves, costs, budget, pinned, most_states=_MOST_STATES
        )
        if choice is None:
            return ()
        return [name for name in names if self._copy_of[name] not in choice.spilled]

    def made(self, names: Sequence[str]) -> Program:
        """The program with copies of these constants, each in front of the step or loop that first reads it."""
        program, left = self._program, set(names)
        buffers: list[Buffer] = []
        views: list[View] = []
        steps: list[Step] = []
        for step in program.steps:
            read = [
                name
                for call in simple_steps((step,))
                if isinstance(call, Call)
                for name in call.reads
                if name in left
            ]
            for name in dict.fromkeys(read):
                buffer, view = tensor(
                    self._copy_of[name], program.constant[name].type, self._memory.name
                )
                buffers.append(buffer)
                views.append(view)
                steps.append(Copy(name, view.name))
                left.discard(name)
            steps.append(step)
        chosen = frozenset(names)
        return replace(
            program,
            buffers=(*program.buffers, *buffers),
            views=(*program.views, *views),
            steps=changed_steps(tuple(steps), lambda step: (self._reading(step, chosen),)),
        )

    def _reading(self, step: SimpleStep, chosen: frozenset[str]) -> SimpleStep:
        """The step, which reads copies of these constants."""
        if not isinstance(step, Call) or not chosen.intersection(step.reads):
            return step
        views = {found.constant: found.view for found in step.held}
        views |= {name: self._copy_of[name] for name in step.reads if name in chosen - views.keys()}
        held = tuple(Held(name, views[name]) for name in dict.fromkeys(step.reads) if name in views)
        return replace(step, held=held)
