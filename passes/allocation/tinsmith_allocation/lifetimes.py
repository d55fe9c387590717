"""From the steps of a Program to the blocks of one of its memories."""

from dataclasses import dataclass

from tinsmith_ir.checked import Checked, checked
from tinsmith_ir.errors import GraphError
from tinsmith_ir.lifetimes import WrittenLives, written_lives
from tinsmith_ir.overlaps import overlap_of_buffers
from tinsmith_ir.program import Call, Program, unrolled

from tinsmith_allocation.model import Block, Leave
from tinsmith_allocation.sliding import sliding_leaves


@dataclass(frozen=True)
class Demand(Checked):
    """What one memory has to hold. A block has the name of its buffer."""

    blocks: tuple[Block, ...]
    leaves: tuple[Leave, ...]


@checked
def demand(
    program: Program,
    memory: str,
    *,
    scratch: bool = True,
) -> Demand:
    """The blocks of `memory`.

    A step's number is its index among the steps as written, those in loops once (see `written_lives`). Inputs are
    live from before the first step (-1) to their last use, outputs to after the last step, scratch in its call only;
    what an engine reads and writes, at least until it is waited for. `scratch` False leaves the scratch of kernels out.
    A result may be written over operands that nobody reads later, as far as its call says (`Call.over`), and over what
    dies piece by piece before it is written piece by piece, see `sliding_leaves`.
    Raises GraphError for a buffer that no step uses.
    """
    found = written_lives(program)
    scratches = {program.buffer_of(call.scratch).name for call in program.calls if call.scratch}
    alignment = program.memory[memory].alignment
    blocks: list[Block] = []
    for buffer in program.buffers:
        if buffer.memory != memory or (buffer.name in scratches and not scratch):
            continue
        if buffer.name not in found.spans:
            raise GraphError(
                f"buffer {buffer.name} is used by no step of program {program.name}: remove it"
            )
        first, last = found.spans[buffer.name]
        blocks.append(Block(buffer.name, buffer.size_bytes, first, last, alignment))
    meant = unrolled(program)
    leaves = _leaves(meant, blocks, found)
    return Demand(tuple(blocks), (*leaves, *sliding_leaves(meant, blocks, leaves)))


def _leaves(program: Program, blocks: list[Block], found: WrittenLives) -> tuple[Leave, ...]:
    """For each call that may, whenever it runs, write a buffer that begins with it over one that ends with it.

    program: unrolled.
    """
    by_name = {block.name: block for block in blocks}
    begins = {name: {first for first, _ in lives} for name, lives in found.lives.items()}
    ends = {name: {last for _, last in lives} for name, lives in found.lives.items()}
    leaves: dict[tuple[str, str], Leave | None] = {}
    for index, call in enumerate(program.steps):
        if not isinstance(call, Call) or not call.over:
            continue
        number = found.numbers[index]
        (result,) = call.outputs
        output = by_name.get(program.view[result].buffer)
        if output is None or output.first_step != number:
            continue
        views = (program.view.get(name) for name in call.inputs if name is not None)
        for buffer in dict.fromkeys(view.buffer for view in views if view is not None):
            source = by_name.get(buffer)
            if source is None or source is output or source.last_step != number:
                continue
            key = output.name, source.name
            leave = _leave(program, call, output, source)
            if index not in begins[output.name] or index not in ends[source.name]:
                # Bytes of the one are needed after this iteration, or of the other before.
                leave = None
            leaves[key] = leave if leaves.get(key, leave) == leave else None
    return tuple(leave for leave in leaves.values() if leave is not None)


def _leave(program: Program, call: Call, output: Block, source: Block) -> Leave | None:
    """As far as every operand in the source allows it; see `overlap_of_buffers`."""
    overlap = overlap_of_buffers(program, call, source.name)
    if overlap is None:
        return None
    return Leave(output.name, source.name, overlap.at_most, overlap.at_least, overlap.exactly)
