"""Checks placed Programs by other means than the planners use, and than the check of plans does.

`check_program` knows no lifetimes at all: it walks through the steps of a placed Program, lets each write put the name
of its buffer on the bytes from the first to the last of the view, and demands at each read that these bytes still carry
the name that is read. Bytes between which no view starts or ends are treated as one, so that the cost does not grow
with the arena.
"""

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir.checked import checked
from tinsmith_ir.hazards import step_names
from tinsmith_ir.overlaps import may_lie_over
from tinsmith_ir.program import Buffer, Call, Copy, Fill, Program, Wait, unrolled

from tinsmith_allocation.model import PlanError
from tinsmith_allocation.touches import Span, spans_of

_NOBODY = -1


@checked
def check_program(program: Program) -> None:
    """Raise PlanError at the first step of a placed Program that reads bytes overwritten since.

    A call may overwrite operands of its own as far as it says (`Call.over`).
    """
    _Walk(unrolled(program)).run()


class _Walk:
    """The memories, piece by piece: index of the buffer that wrote each piece last.

    A piece is what lies between two neighbours among all starts and ends of views in a memory.
    """

    def __init__(self, program: Program) -> None:
        self._program = program
        self._index = {buffer.name: index for index, buffer in enumerate(program.buffers)}
        self._edges: dict[str, list[int]] = {}
        self._pieces: dict[str, dict[int, int]] = {}
        self._owners: dict[str, NDArray[np.int32]] = {}
        self._spans = {name: self._moved(name, span) for name, span in spans_of(program).items()}
        for memory in program.memories:
            spans = [
                span
                for name, span in self._spans.items()
                if program.buffer_of(name).memory == memory.name
            ]
            edges = sorted({edge for span in spans for edge in span})
            self._edges[memory.name] = edges
            self._pieces[memory.name] = {edge: index for index, edge in enumerate(edges)}
            self._owners[memory.name] = np.full(len(edges), _NOBODY, np.int32)
        self._started: dict[int, Call | Copy] = {}

    def run(self) -> None:
        program = self._program
        for buffer in program.buffers:
            self._check_placed(buffer)
        states = [state.view for state in program.states]
        for name in (*program.inputs, *states):
            self._write(name)
        for name in (*program.inputs, *states):
            self._read(name, "the start")
        for step in program.steps:
            match step:
                case Call() | Copy():
                    self._work(step)
                    if step.token is not None:
                        self._started[step.token.value({})] = step
                case Fill():
                    self._write(step.destination)
                case Wait():
                    started = self._started.pop(step.token.value({}), None)
                    for name in (name for names in step_names(started or step) for name in names):
                        self._read(name, f"the end of {_name(started)}")
                case _:
                    raise TypeError(f"no step: {step!r}")
        for name in (*states, *program.outputs):
            self._read(name, "the end")

    def _work(self, step: Call | Copy) -> None:
        if isinstance(step, Call):
            self._call(step)
            return
        self._read(step.source, _name(step))
        self._write(step.destination)
        self._read(step.source, _name(step))

    def _call(self, call: Call) -> None:
        inputs = [name for name in call.inputs if name in self._program.view]
        for name in inputs:
            self._read(name, call.name)
        if call.scratch is not None:
            self._write(call.scratch)
        for name in call.outputs:
            self._write(name)
        for name in inputs:
            if call.over and may_lie_over(self._program, call, call.outputs[0], str(name)):
                continue
            self._read(name, f"{call.name}, which writes before it has read all,")
        for name in [*call.outputs, *([call.scratch] if call.scratch else [])]:
            self._read(name, call.name)

    def _check_placed(self, buffer: Buffer) -> None:
        memory = self._program.memory.get(buffer.memory)
        if memory is None:
            raise PlanError(f"buffer {buffer.name} is in {buffer.memory}, which is no memory")
        start = _offset(buffer)
        end = start + buffer.size_bytes
        if start % memory.alignment != 0:
            raise PlanError(
                f"buffer {buffer.name} at {start}: expected a multiple of {memory.alignment}"
            )
        if start < 0 or (memory.size_bytes is not None and end > memory.size_bytes):
            raise PlanError(
                f"buffer {buffer.name} at {start} to {end - 1} is outside of {buffer.memory} "
                f"({memory.size_bytes} bytes)"
            )

    def _moved(self, name: str, span: Span) -> Span:
        offset = _offset(self._program.buffer_of(name))
        return span[0] + offset, span[1] + offset

    def _span(self, name: str | None) -> tuple[int, int]:
        return self._spans[str(name)]

    def _write(self, name: str) -> None:
        memory, owner, first, last = self._pieces_of(name)
        self._owners[memory][first:last] = owner

    def _read(self, name: str | None, reader: str) -> None:
        if name is None or name not in self._program.view:
            return
        memory, owner, first, last = self._pieces_of(name)
        owners = self._owners[memory][first:last]
        wrong = np.flatnonzero(owners != owner)
        if wrong.size == 0:
            return
        start, end = self._span(name)
        other = int(owners[wrong[0]])
        culprit = "nobody" if other == _NOBODY else self._program.buffers[other].name
        byte = self._edges[memory][first + int(wrong[0])]
        raise PlanError(
            f"{reader} reads buffer {name} at {start} to {end - 1} of {memory}, "
            f"but {culprit} has written byte {byte}"
        )

    def _pieces_of(self, name: str) -> tuple[str, int, int, int]:
        """The memory of a view, the index of its buffer, the first piece and the one behind its last."""
        buffer = self._program.buffer_of(name)
        start, end = self._span(name)
        pieces = self._pieces[buffer.memory]
        return buffer.memory, self._index[buffer.name], pieces[start], pieces[end]


def _offset(buffer: Buffer) -> int:
    if buffer.offset is None:
        raise PlanError(f"buffer {buffer.name} has no offset")
    return buffer.offset


def _name(step: Call | Copy | None) -> str:
    if isinstance(step, Copy):
        return f"the copy to {step.destination}"
    return "nothing" if step is None else step.name
