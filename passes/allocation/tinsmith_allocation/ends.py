"""The program pass: inputs and outputs that who calls the network keeps, outside of the arena."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

from tinsmith_ir.checked import Checked, checked
from tinsmith_ir.errors import UnsupportedError
from tinsmith_ir.names import FreshNames
from tinsmith_ir.passes import BIT_EXACT, Contract
from tinsmith_ir.program import Program


@dataclass(frozen=True)
class ExposeEnds(Checked):
    """Give each input and output a memory of its own, so that the caller says where it lies.

    The memories are called `in` and `out`, of several `in_0`, `in_1`, ...; one that holds an input and an
    output, as a reshape of the other, is called as the input. States stay, and inputs that are handed over.
    """

    name: ClassVar[str] = "expose-ends"
    # A buffer holds the same bytes wherever it lies.
    contract: ClassVar[Contract] = BIT_EXACT

    @checked
    def run(self, program: Program) -> Program:
        """The program with further memories. Raises UnsupportedError for one with engines, which reach the memories
        that they were planned with.
        """
        if program.engines:
            raise UnsupportedError(
                f"{self.name}: expected a program of the core alone, got one with engines, which do not reach what a "
                "caller keeps"
            )
        arena = program.memories[0] if program.memories else None
        if arena is None:
            return program
        fresh = FreshNames({memory.name for memory in program.memories})
        moved: dict[str, str] = {}
        for buffer, name in _ends(program):
            found = program.buffer[buffer]
            if buffer not in moved and found.memory == arena.name and found.offset is None:
                moved[buffer] = fresh.name(name)
        buffers = tuple(
            replace(found, memory=moved.get(found.name, found.memory)) for found in program.buffers
        )
        first = [arena] if any(found.memory == arena.name for found in buffers) else []
        ends = [replace(arena, name=name, size_bytes=None) for name in moved.values()]
        memories = (*first, *ends, *program.memories[1:])
        return replace(program, memories=memories, buffers=buffers)


def _ends(program: Program) -> Iterator[tuple[str, str]]:
    """Buffers of inputs and outputs, and what their memory is to be called."""
    for kind, names in (("in", program.inputs), ("out", program.outputs)):
        for index, name in enumerate(names):
            yield program.view[name].buffer, f"{kind}_{index}" if len(names) > 1 else kind
