"""From the steps of a Program to the blocks of one of its memories."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from tinsmith_ir.checked import Checked, checked
from tinsmith_ir.errors import GraphError
from tinsmith_ir.program import Barrier, DmaCopy, KernelCall, Program

from tinsmith_allocation.model import Block, InPlace

_BEFORE_FIRST_STEP = -1


@dataclass(frozen=True)
class Demand(Checked):
    """What one memory has to hold. A block has the name of its buffer; aliases are in its root."""

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

    A step's number is its index. Inputs are live from before the first step (-1) to their last use,
    outputs to after the last step, scratch in its call only; what a DMA copy reads and writes, at
    least until its barrier. Buffers that share storage are one block. `scratch` False leaves the
    scratch of kernels out. The output of one of `in_place_kernels` may be written over an input
    that nobody reads later.
    Raises GraphError for a buffer that no step uses.
    """
    roots = root_names(program)
    uses = _uses(program, roots)
    alignments = {m.name: m.alignment for m in program.memories}
    scratches = {call.scratch for call in program.calls}
    sizes = _group_bytes(program, roots)
    blocks: list[Block] = []
    for buffer in program.buffers:
        if buffer.memory != memory or buffer.alias_of is not None:
            continue
        if buffer.name in scratches and not scratch:
            continue
        if buffer.name not in uses:
            raise GraphError(f"buffer {buffer.name} is used by no step of program {program.name}")
        blocks.append(
            Block(
                buffer.name,
                sizes[buffer.name],
                min(uses[buffer.name]),
                max(uses[buffer.name]),
                alignments[memory],
            )
        )
    return Demand(tuple(blocks), _in_place(program, roots, blocks, in_place_kernels))


def root_names(program: Program) -> dict[str, str]:
    """For each buffer the one whose storage it uses: itself, or what it is an alias of in the end.

    Raises GraphError for aliases that go round in a circle.
    """
    roots: dict[str, str] = {}
    for buffer in program.buffers:
        followed: dict[str, None] = {}
        name = buffer.name
        while name not in roots and (alias_of := program.buffer[name].alias_of) is not None:
            if name in followed:
                raise GraphError(f"buffers {', '.join(followed)} are aliases of each other")
            followed[name] = None
            name = alias_of
        roots |= dict.fromkeys((*followed, name), roots.get(name, name))
    return roots


def _uses(program: Program, roots: Mapping[str, str]) -> dict[str, list[int]]:
    """Name of a root buffer -> the steps that need its bytes."""
    uses: dict[str, list[int]] = {}
    ends = _ends_of_copies(program)

    def use(name: str | None, step: int) -> None:
        if name is not None and name in roots:
            uses.setdefault(roots[name], []).append(step)

    for name in program.inputs:
        use(name, _BEFORE_FIRST_STEP)
    for index, step in enumerate(program.steps):
        match step:
            case KernelCall():
                for name in (*step.inputs, *step.outputs, step.scratch):
                    use(name, index)
            case DmaCopy():
                for name in (step.source, step.destination):
                    use(name, index)
                    use(name, ends[index])
            case Barrier():
                pass
    for name in program.outputs:
        use(name, len(program.steps))
    return uses


def _ends_of_copies(program: Program) -> dict[int, int]:
    """Step of a copy -> step of the barrier that ends it; after the last step if none does."""
    ends: dict[int, int] = {}
    barriers: dict[int, int] = {}
    for index, step in reversed(list(enumerate(program.steps))):
        if isinstance(step, Barrier):
            barriers[step.token] = index
        elif isinstance(step, DmaCopy):
            ends[index] = barriers.get(step.token, len(program.steps))
    return ends


def _group_bytes(program: Program, roots: Mapping[str, str]) -> dict[str, int]:
    """Name of a root buffer -> bytes of the largest of the buffers that share its storage."""
    sizes: dict[str, int] = {}
    for buffer in program.buffers:
        root = roots[buffer.name]
        sizes[root] = max(sizes.get(root, 0), buffer.size_bytes)
    return sizes


def _in_place(
    program: Program,
    roots: Mapping[str, str],
    blocks: list[Block],
    in_place_kernels: Collection[str],
) -> tuple[InPlace, ...]:
    by_name = {block.name: block for block in blocks}
    leaves: list[InPlace] = []
    for index, call in enumerate(program.steps):
        if not isinstance(call, KernelCall) or call.kernel not in in_place_kernels:
            continue
        inputs = [roots[name] for name in call.inputs if name is not None and name in roots]
        for output in (by_name.get(roots[name]) for name in call.outputs):
            if output is None or output.first_step != index:
                continue
            for source in (by_name[name] for name in dict.fromkeys(inputs) if name in by_name):
                if source.last_step == index and source.size_bytes >= output.size_bytes:
                    leaves.append(InPlace(output.name, source.name))
    return tuple(leaves)
