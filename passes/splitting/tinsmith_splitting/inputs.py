"""The program pass: inputs that the caller hands over when they are asked for."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from tinsmith_ir.checked import Checked, checked
from tinsmith_ir.errors import UnsupportedError
from tinsmith_ir.escape import print_name
from tinsmith_ir.hazards import step_names, without_unused
from tinsmith_ir.names import FreshNames
from tinsmith_ir.passes import BIT_EXACT, Contract
from tinsmith_ir.program import (
    Buffer,
    Call,
    Copy,
    Fill,
    Memory,
    Program,
    SimpleStep,
    View,
    Wait,
    simple_steps,
)

CALLER = "caller"
"""The memory of inputs that are handed over."""


@dataclass(frozen=True)
class StreamInputs(Checked):
    """Copies that ask the caller for each input, whole, before its first use; where its rows stream, `SplitCalls`
    asks for them row by row.
    """

    name: ClassVar[str] = "stream-inputs"
    contract: ClassVar[Contract] = BIT_EXACT

    @checked
    def run(self, program: Program) -> Program:
        """The program whose inputs lie with the caller.

        program: of steps in a row, without offsets. Raises UnsupportedError for one with loops or engines, and for an
        input that is an output or shares bytes with a state, which nobody can hand over.
        """
        if (
            any(not isinstance(step, Call | Copy | Fill | Wait) for step in program.steps)
            or program.engines
        ):
            raise UnsupportedError(f"{self.name}: expected a program without loops and engines")
        for name in program.inputs:
            buffer = program.view[name].buffer
            others = (*program.outputs, *(state.view for state in program.states))
            if any(program.view[end].buffer == buffer for end in others):
                raise UnsupportedError(
                    f"{self.name}: input {print_name(name)} is an output or a state, too, and cannot be handed over"
                )
        return _Streaming(program).program()


class _Streaming:
    def __init__(self, program: Program) -> None:
        self._program = program
        self._fresh = FreshNames({*program.view, *program.buffer, *program.constant}).name
        self._on = {program.view[name].buffer: name for name in program.inputs}
        assert len(self._on) == len(program.inputs)  # each has a buffer of its own
        # Input -> the view that its bytes are copied to, on the buffer that it had: one in another shape if that alone
        # is read, since only in that one it may have rows.
        self._here: dict[str, str] = {}
        # Input -> the view in the shape of that one that is asked for.
        self._asked: dict[str, str] = {}
        names = {used for step in simple_steps(program.steps) for used in step_names(step)[0]}
        read = [program.view[used] for used in names if used in program.view]
        for name in program.inputs:
            shaped = _only_view(program.view[name], read)
            self._here[name] = self._fresh(f"{name}.here") if shaped is None else shaped
            self._asked[name] = name if shaped is None else self._fresh(f"{name}.asked")

    def program(self) -> Program:
        program = self._program
        buffers: list[Buffer] = []
        views: dict[str, View] = dict(program.view)
        offset = 0
        for name in program.inputs:
            view = program.view[name]
            size = view.type.size_bytes
            buffer = Buffer(self._fresh(f"{name}.caller"), size, CALLER, offset)
            offset += size
            buffers.append(buffer)
            views[name] = View(name, view.type, buffer.name)
            here, asked = self._here[name], self._asked[name]
            views.setdefault(here, replace(view, name=here))
            views.setdefault(asked, View(asked, views[here].type, buffer.name))
        memory = Memory(CALLER, offset, 1, is_caller=True)
        # Of an input that nobody reads, what would be copied to is left out.
        return without_unused(
            replace(
                program,
                memories=(*program.memories, memory),
                buffers=(*program.buffers, *buffers),
                views=tuple(views.values()),
                steps=tuple(self._steps()),
            )
        )

    def _steps(self) -> Iterator[SimpleStep]:
        left = dict(self._here)
        for step in self._program.steps:
            assert isinstance(step, Call | Copy | Fill | Wait)
            reads, writes = step_names(step)
            for name in (*reads, *writes):
                view = self._program.view.get(name)
                asked = self._on.get(view.buffer, "") if view is not None else ""
                if asked in left:
                    yield Copy(self._asked[asked], left.pop(asked))
            yield self._renamed(step)

    def _renamed(self, step: SimpleStep) -> SimpleStep:
        here = self._here
        match step:
            case Call():
                return replace(
                    step, inputs=tuple(name and here.get(name, name) for name in step.inputs)
                )
            case Copy():
                return replace(step, source=here.get(step.source, step.source))
            case _:
                return step


def _only_view(whole: View, read: Sequence[View]) -> str | None:
    """The one view of all bytes of an input among those that are read, if it has another shape."""
    found = [view for view in read if view.buffer == whole.buffer]
    if len(found) != 1 or found[0].name == whole.name:
        return None
    (view,) = found
    is_all = view.is_dense and view.start == whole.start and whole.is_dense
    return view.name if is_all and view.type.size_bytes == whole.type.size_bytes else None
