"""The program pass: steps in an order that keeps fewer bytes live."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

from tinsmith_ir.checked import Checked, checked
from tinsmith_ir.errors import GraphError
from tinsmith_ir.hazards import step_names
from tinsmith_ir.overlaps import most_shared, overlap_of_buffers
from tinsmith_ir.passes import BIT_EXACT, Contract, Outcome
from tinsmith_ir.program import Buffer, Call, Copy, Fill, Program, SimpleStep, simple_steps

from tinsmith_scheduling.dependences import awaited_steps
from tinsmith_scheduling.problem import Problem, Task
from tinsmith_scheduling.search import Schedule, find_schedule


@dataclass(frozen=True)
class ScheduleCalls(Checked):
    """Reorder the steps so that the largest number of bytes live at once is low.

    Never higher than in the given order, which stays when nothing better is found. Programs with loops or engines,
    with tensors in several memories or with addresses come from who has chosen their order already and stay as they
    are.
    beam_width, max_expansions: as of `find_schedule`.
    """

    beam_width: int = 256
    max_expansions: int = 200_000

    name: ClassVar[str] = "schedule-calls"
    # The order of execution changes no value.
    contract: ClassVar[Contract] = BIT_EXACT

    @checked
    def run(self, program: Program) -> Program:
        """The program with its steps in the order found; `program` itself when its order stays."""
        return self.run_in_detail(program).ir

    def run_in_detail(self, program: Program) -> Outcome[Program]:
        """The same; the `Schedule`, what gave the order, and whether none is better; a sentence if another order may
        keep fewer bytes live. No schedule of a program that stays as it is for what it has.
        """
        if _fixed_by(program):
            return Outcome(program, found_by="given", is_proven=False)
        problem = problem_of(program)
        schedule = find_schedule(
            problem, beam_width=self.beam_width, max_expansions=self.max_expansions
        )
        warnings = () if schedule.is_optimal else (_warning(schedule),)
        if schedule.order != problem.tasks:
            steps = {
                task.name: step for task, step in zip(problem.tasks, program.steps, strict=True)
            }
            program = replace(program, steps=tuple(steps[task.name] for task in schedule.order))
        return Outcome(program, warnings, schedule, schedule.found_by, schedule.is_optimal)


_ORIGINS = {
    "given": "this is the given order, and no other that was tried is better",
    "search": "this is the best that was looked at",
    "heuristic": "this is the order of a heuristic",
}


def _warning(schedule: Schedule) -> str:
    return (
        f"order of {len(schedule.order)} operations: {_ORIGINS[schedule.found_by]}, with {schedule.peak_bytes:,} bytes "
        f"live at once; another order may need less, but none less than {schedule.lower_bound:,}"
    )


@checked
def problem_of(program: Program) -> Problem:
    """The steps as tasks, named by their numbers, and the buffers as stores.

    A store has as many bytes as its buffer takes of a memory where all are aligned. The scratch of a call is its own;
    states take no store, as nobody else can have their bytes. Raises GraphError for a program whose order is fixed:
    one with loops or engines, with tensors in several memories or with addresses.
    """
    reason = _fixed_by(program)
    if reason:
        raise GraphError(f"program {program.name!r}: its order is fixed by {reason}")
    return _Tasks(program).problem()


@checked
def live_bytes(program: Program) -> tuple[int, ...]:
    """Bytes that are live while each step runs, in the program's order: of tensors and scratch, those once over
    which a result may be written.

    Raises GraphError as `problem_of`.
    """
    problem = problem_of(program)
    return problem.live_bytes(problem.tasks)


@checked
def peak_live_bytes(program: Program) -> int:
    """The largest of `live_bytes`, which is what the arena takes at least, but for the alignment of its
    highest tensor; 0 without steps.
    """
    return max(live_bytes(program), default=0)


def _fixed_by(program: Program) -> str:
    """Why the steps cannot be in another order, or which is not known to be better; "" if they can."""
    for step in program.steps:
        if not isinstance(step, Call | Copy | Fill):
            return "loops or engines"
        if not isinstance(step, Fill) and step.engine is not None:
            return "loops or engines"
    if any(buffer.offset is not None for buffer in program.buffers):
        return "addresses"
    if len({buffer.memory for buffer in _stores(program)}) > 1:
        return "tensors in several memories"
    return ""


def _stores(program: Program) -> list[Buffer]:
    """The buffers that are no states."""
    states = {program.view[state.view].buffer for state in program.states}
    return [buffer for buffer in program.buffers if buffer.name not in states]


def _names(program: Program) -> Iterator[tuple[str, ...]]:
    """What each step reads and writes."""
    for step in simple_steps(program.steps):
        reads, writes = step_names(step)
        yield (*reads, *writes)


class _Tasks:
    """From a program of plain steps to a problem."""

    def __init__(self, program: Program) -> None:
        self._program = program
        stores = _stores(program)
        self._unit = program.memory[stores[0].memory].alignment if stores else 1
        self._sizes = {store.name: self._rounded(store.size_bytes) for store in stores}
        # How often steps, or who calls the program, name a view of each buffer.
        self._uses = Counter(
            program.view[name].buffer
            for names in (program.ends, *_names(program))
            for name in names
            if name in program.view
        )

    def problem(self) -> Problem:
        program = self._program
        first = self._buffers(program.inputs)
        kept = self._buffers(program.outputs)
        tasks = tuple(
            self._task(index, step, after)
            for index, (step, after) in enumerate(
                zip(simple_steps(program.steps), awaited_steps(program), strict=True)
            )
        )
        return Problem(tasks, self._sizes, first, kept)

    def _task(self, index: int, step: SimpleStep, after: Iterable[int]) -> Task:
        reads, writes = step_names(step)
        scratch = self._scratch(step)
        return Task(
            str(index),
            frozenset(map(str, after)),
            self._buffers(reads),
            self._buffers(writes) - {scratch},
            self._sizes[scratch] if scratch else 0,
            self._over(step) if isinstance(step, Call) and step.over else {},
        )

    def _scratch(self, step: SimpleStep) -> str:
        """The buffer that a call has as scratch and that nobody else uses; "" if there is none."""
        if not isinstance(step, Call) or step.scratch is None:
            return ""
        buffer = self._program.view[step.scratch].buffer
        return buffer if self._uses[buffer] == 1 and buffer in self._sizes else ""

    def _over(self, call: Call) -> Mapping[str, int]:
        """Name of a store that a call reads -> how many of its bytes the result may lie over."""
        (result,) = call.outputs
        output = self._program.buffer_of(result)
        found: dict[str, int] = {}
        for store in self._buffers(name for name in call.inputs if name is not None):
            source = self._program.buffer[store]
            if source is output or output.name not in self._sizes:
                continue
            overlap = overlap_of_buffers(self._program, call, store)
            if overlap is not None:
                found[store] = most_shared(
                    (output.size_bytes, source.size_bytes),
                    overlap.at_most,
                    overlap.at_least,
                    overlap.exactly,
                    self._unit,
                )
        return found

    def _buffers(self, names: Iterable[str]) -> frozenset[str]:
        """The stores that views of these names lie on."""
        view = self._program.view
        buffers = (view[name].buffer for name in names if name in view)
        return frozenset(buffer for buffer in buffers if buffer in self._sizes)

    def _rounded(self, size_bytes: int) -> int:
        return -(-size_bytes // self._unit) * self._unit
