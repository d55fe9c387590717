"""Where a program writes what its states are next."""

from collections.abc import Collection, Mapping
from dataclasses import replace

from tinsmith_ir.hazards import step_names
from tinsmith_ir.overlaps import may_lie_over
from tinsmith_ir.program import Call, Copy, Loop, Program, Step, tensor


def updating_states(
    program: Program, nexts: Mapping[str, str], memory: str, fixed: Collection[str]
) -> Program:
    """The program that ends with every state being its next.

    program: without loops and engines, not placed; nothing in it writes a state. nexts: view of a state -> view or
    constant. memory: for what must be put aside. fixed: calls that have their operands and results in one memory.

    A next that a call computes when nobody needs the state any more is computed where the state lies. The others are
    copied at the end, those first that lie where a copy writes. Outputs that lie on a state are copied before.
    """
    if not nexts:
        return program
    states = _States(program, memory)
    states.free_outputs()
    left = {state: name for state, name in nexts.items() if name != state}
    for state in list(left):
        if states.compute_in_place(state, left, fixed):
            del left[state]
    states.copy_all(left)
    return states.program


class _States:
    """program: as it is by now."""

    def __init__(self, program: Program, memory: str) -> None:
        self.program = program
        self._memory = memory

    def free_outputs(self) -> None:
        """Copy outputs away that lie on a state, whose bytes change."""
        kept = {state.view for state in self.program.states}
        outputs: list[str] = []
        for name in self.program.outputs:
            if self.program.view[name].buffer in kept:
                name = self._copied(name)
            outputs.append(name)
        self.program = replace(self.program, outputs=tuple(outputs))

    def compute_in_place(self, state: str, left: Mapping[str, str], fixed: Collection[str]) -> bool:
        """Let what computes the next of a state write it where the state lies, if nobody needs that any more."""
        program, name = self.program, left[state]
        if name not in program.view:
            return False
        buffer = program.view[name].buffer
        ends = {program.view[end].buffer for end in program.ends}
        is_read_at_end = any(self._lies_on(left[other], state) for other in left if other != state)
        has_room = program.buffer[buffer].size_bytes <= program.buffer[state].size_bytes
        if buffer in ends or is_read_at_end or not has_room:
            return False
        views = (
            replace(view, buffer=state) if view.buffer == buffer else view for view in program.views
        )
        buffers = (each for each in program.buffers if each.name != buffer)
        moved = replace(program, buffers=tuple(buffers), views=tuple(views))
        names = {view.name for view in program.views if view.buffer == buffer}
        if not _is_right(moved, state, names, fixed):
            return False
        self.program = moved
        return True

    def copy_all(self, left: Mapping[str, str]) -> None:
        """Copy all at once, as it were: each before another copy writes where it lies."""
        waiting = dict(left)
        while waiting:
            free = [
                state
                for state in waiting
                if not any(
                    self._lies_on(name, state) for other, name in waiting.items() if other != state
                )
            ]
            if not free:
                # They go round in a circle, of which one is put aside.
                state = next(iter(waiting))
                aside = self._copied(state)
                waiting = {
                    other: aside if self._lies_on(name, state) else name
                    for other, name in waiting.items()
                }
                continue
            for state in free:
                self._copy(waiting.pop(state), state)

    def _copied(self, name: str) -> str:
        """The name of a new tensor that the program copies a view to."""
        made, count = f"{name}.copy", 0
        taken = self.program.view.keys() | self.program.constant.keys() | self.program.buffer.keys()
        while made in taken:
            count += 1
            made = f"{name}.copy_{count}"
        buffer, view = tensor(made, self.program.type_of(name), self._memory)
        self.program = replace(
            self.program,
            buffers=(*self.program.buffers, buffer),
            views=(*self.program.views, view),
        )
        self._copy(name, made)
        return made

    def _copy(self, source: str, destination: str) -> None:
        self.program = replace(self.program, steps=(*self.program.steps, Copy(source, destination)))

    def _lies_on(self, name: str, buffer: str) -> bool:
        return name in self.program.view and self.program.view[name].buffer == buffer


def _is_right(program: Program, state: str, names: Collection[str], fixed: Collection[str]) -> bool:
    """True if a state may be overwritten in its buffer by views of these names, whose calls take any memory."""
    steps = list(enumerate(program.steps))
    touching = [(index, step) for index, step in steps if _touches(step, names)]
    writer, call = touching[0]
    if not isinstance(call, Call) or any(
        isinstance(step, Call) and step.name in fixed for _, step in touching
    ):
        return False
    of_state = {view.name for view in program.views if view.buffer == state} - {*names}
    readers = [index for index, step in steps if _touches(step, of_state)]
    if max(readers, default=writer) > writer:
        return False
    return all(
        may_lie_over(program, call, result, operand)
        for operand in call.inputs
        if operand in of_state
        for result in call.outputs
        if result in names
    )


def _touches(step: Step, names: Collection[str]) -> bool:
    assert not isinstance(step, Loop)  # asked before
    reads, writes = step_names(step)
    return any(name in names for name in (*reads, *writes))
