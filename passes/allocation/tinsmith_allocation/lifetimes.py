"""From the steps of a Program to the blocks of one of its memories."""

from collections.abc import Collection
from dataclasses import dataclass

from tinsmith_ir.checked import Checked, checked
from tinsmith_ir.errors import GraphError
from tinsmith_ir.hazards import step_names
from tinsmith_ir.program import Call, Copy, Fill, Program, Wait, unrolled

from tinsmith_allocation.model import Block, InPlace

_BEFORE_FIRST_STEP = -1


@dataclass(frozen=True)
class Demand(Checked):
    """What one memory has to hold. A block has the name of its buffer."""

    blocks: tuple[Block, ...]
    in_place: tuple[InPlace, ...]


@checked
def demand(
    program: Program,
    memory: str,
    *,
    scratch: bool = True,
    in_place_kernels: Collection[str] = (),
) -> Demand:
    """The blocks of `memory`.

    A step's number is its index in the unrolled program. Inputs are live from before the first step (-1) to their
    last use, outputs to after the last step, scratch in its call only; what an engine reads and writes, at least
    until it is waited for. `scratch` False leaves the scratch of kernels out. The output of one of
    `in_place_kernels` may be written over an input that nobody reads later.
    Raises GraphError for a buffer that no step uses.
    """
    program = unrolled(program)
    uses = _uses(program)
    scratches = {program.buffer_of(call.scratch).name for call in program.calls if call.scratch}
    alignment = program.memory[memory].alignment
    blocks: list[Block] = []
    for buffer in program.buffers:
        if buffer.memory != memory or (buffer.name in scratches and not scratch):
            continue
        if buffer.name not in uses:
            raise GraphError(f"buffer {buffer.name} is used by no step of program {program.name}")
        first, last = uses[buffer.name]
        blocks.append(Block(buffer.name, buffer.size_bytes, first, last, alignment))
    return Demand(tuple(blocks), _in_place(program, blocks, in_place_kernels))


def _uses(program: Program) -> dict[str, tuple[int, int]]:
    """Name of a buffer -> the first and the last step that need its bytes."""
    uses: dict[str, tuple[int, int]] = {}

    def use(name: str, step: int) -> None:
        if name in program.view:
            buffer = program.view[name].buffer
            first, last = uses.get(buffer, (step, step))
            uses[buffer] = min(first, step), max(last, step)

    for name in program.inputs:
        use(name, _BEFORE_FIRST_STEP)
    started: dict[int, tuple[str, ...]] = {}
    for index, step in enumerate(program.steps):
        if isinstance(step, Wait):
            names = started.pop(step.token.value({}), ())
        else:
            assert isinstance(step, Call | Copy | Fill)  # unrolled
            reads, writes = step_names(step)
            names = (*reads, *writes)
            if not isinstance(step, Fill) and step.token is not None:
                started[step.token.value({})] = names
        for name in names:
            use(name, index)
    for names in started.values():
        for name in names:
            use(name, len(program.steps))
    for name in program.outputs:
        use(name, len(program.steps))
    return uses


def _in_place(
    program: Program, blocks: list[Block], in_place_kernels: Collection[str]
) -> tuple[InPlace, ...]:
    by_name = {block.name: block for block in blocks}
    leaves: list[InPlace] = []
    for index, call in enumerate(program.steps):
        if not isinstance(call, Call) or call.kernel not in in_place_kernels:
            continue
        inputs = [
            program.view[name].buffer for name in call.inputs if name and name in program.view
        ]
        for output in (by_name.get(program.view[name].buffer) for name in call.outputs):
            if output is None or output.first_step != index:
                continue
            for source in (by_name[name] for name in dict.fromkeys(inputs) if name in by_name):
                if source.last_step == index and source.size_bytes >= output.size_bytes:
                    leaves.append(InPlace(output.name, source.name))
    return tuple(leaves)
