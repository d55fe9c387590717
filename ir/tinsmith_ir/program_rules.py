"""The rules of a Program, as a table. Whether live buffers overlap is not among them: the checker of
the allocation pass and the evaluator find that.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from tinsmith_ir.checked import checked
from tinsmith_ir.errors import GraphError
from tinsmith_ir.printer import print_name, print_step, print_type
from tinsmith_ir.program import Barrier, Buffer, DmaCopy, KernelCall, Program
from tinsmith_ir.type_rules import operand_findings, operator_findings, verify_type
from tinsmith_ir.types import TensorType

MAX_ADDRESS = 1 << 47
"""Bytes that a program of a 64-bit computer can address; most targets have fewer."""


@dataclass(frozen=True)
class ProgramRule:
    """What must hold of a program, and the findings where it does not."""

    what: str
    findings: Callable[[Program], Iterator[str]]


@checked
def verify_program(program: Program) -> None:
    """Raise GraphError unless every rule holds, naming the step, its location and the buffer."""
    for rule in PROGRAM_RULES:
        for finding in rule.findings(program):
            raise GraphError(f"program {program.name!r}: {rule.what}: {finding}")


def _repeated_names(program: Program) -> Iterator[str]:
    tensors = [*program.buffers, *program.constants]
    groups = {
        "memory": [memory.name for memory in program.memories],
        "buffer or constant": [tensor.name for tensor in tensors],
        "call": [call.name for call in program.calls],
    }
    for what, names in groups.items():
        counts = Counter(names)
        yield from (f"{what} {name!r}" for name in sorted(counts) if counts[name] > 1)


def _broken_types(program: Program) -> Iterator[str]:
    for tensor in (*program.buffers, *program.constants):
        try:
            verify_type(tensor.type)
        except GraphError as error:
            yield f"{print_name(tensor.name)}: {print_type(tensor.type)}: {error}"


def _wrong_constants(program: Program) -> Iterator[str]:
    for constant in program.constants:
        type_, data = constant.type, constant.data
        if data.shape != type_.shape or data.dtype != type_.dtype.numpy:
            yield f"{print_name(constant.name)} is {print_type(type_)}, holds {data.dtype}{data.shape}"


def _wrong_memories(program: Program) -> Iterator[str]:
    for memory in program.memories:
        if memory.alignment < 1 or memory.alignment & (memory.alignment - 1):
            yield f"memory {memory.name!r} has alignment {memory.alignment}"
        if memory.size_bytes is not None and memory.size_bytes < 1:
            yield f"memory {memory.name!r} has {memory.size_bytes} bytes"


def _misplaced(program: Program) -> Iterator[str]:
    memories = {memory.name: memory for memory in program.memories}
    for buffer in program.buffers:
        memory = memories.get(buffer.memory)
        if memory is None:
            yield f"{print_name(buffer.name)} is in {buffer.memory!r}, which is none of {[*memories]}"
        elif buffer.offset is not None:
            end = buffer.offset + buffer.size_bytes
            if buffer.offset < 0 or buffer.offset % buffer.type.dtype.size_bytes:
                yield f"{print_name(buffer.name)} is at offset {buffer.offset}"
            if end > MAX_ADDRESS:
                yield f"{print_name(buffer.name)} ends at {end}, beyond the {MAX_ADDRESS} bytes of any target"
            if memory.size_bytes is not None and end > memory.size_bytes:
                yield (
                    f"{print_name(buffer.name)} ends at {end}, "
                    f"memory {memory.name!r} has {memory.size_bytes} bytes"
                )


def _wrong_aliases(program: Program) -> Iterator[str]:
    for buffer in program.buffers:
        if buffer.alias_of is None:
            continue
        root = program.root(buffer.name)
        if root is None:
            yield f"{print_name(buffer.name)} is an alias of {print_name(buffer.alias_of)}"
        elif not _shares_place(buffer, root):
            yield f"{print_name(buffer.name)} lies elsewhere than {print_name(root.name)}"


def _shares_place(buffer: Buffer, root: Buffer) -> bool:
    return (
        buffer.memory == root.memory
        and buffer.offset == root.offset
        and buffer.size_bytes <= root.size_bytes
    )


def _unknown_names(program: Program) -> Iterator[str]:
    readable = program.buffer.keys() | program.constant.keys()
    for name in (*program.inputs, *program.outputs):
        if name not in program.buffer:
            yield f"{print_name(name)} among the program's inputs and outputs"
    for step in program.steps:
        reads, writes = _names(step)
        unknown = [name for name in reads if name not in readable]
        unknown += [name for name in writes if name not in program.buffer]
        yield from (f"{print_name(name)} in\n  {print_step(step)}\n" for name in unknown)


def _wrong_reads(program: Program) -> Iterator[str]:
    for call in program.calls:
        where = f"in\n  {print_step(call)}\n"
        for name in filter(None, call.inputs):
            if name in program.constant and program.constant[name].layout:
                yield f"{print_name(name)}, arranged for a kernel, is an operand {where}"
        for name in call.reads:
            if name not in program.constant:
                yield f"{print_name(name)} is read {where}"
            elif not program.constant[name].layout and name not in call.inputs:
                yield f"{print_name(name)}, an operand of others, is read {where}"


def _names(step: KernelCall | DmaCopy | Barrier) -> tuple[Sequence[str], Sequence[str]]:
    """What a step reads (buffers or constants), and what it writes (buffers)."""
    match step:
        case KernelCall():
            scratch = () if step.scratch is None else (step.scratch,)
            return [name for name in step.inputs if name is not None], (*step.outputs, *scratch)
        case DmaCopy(source, destination, _):
            return (source,), (destination,)
        case Barrier():
            return (), ()


def _wrong_calls(program: Program) -> Iterator[str]:
    for call in program.calls:
        inputs = [None if name is None else program.type_of(name) for name in call.inputs]
        outputs = [program.type_of(name) for name in call.outputs]
        for finding in _call_findings(call, inputs, outputs):
            yield f"{call.location}, in\n  {print_step(call)}\n: {finding}"


def _call_findings(
    call: KernelCall, inputs: Sequence[TensorType | None], outputs: Sequence[TensorType]
) -> Iterator[str]:
    given = [type_ is not None for type_ in inputs]
    findings = list(operand_findings(call.operator, given))
    yield from findings or operator_findings(call.operator, inputs, outputs)


def _wrong_copies(program: Program) -> Iterator[str]:
    for step in program.steps:
        if isinstance(step, DmaCopy):
            source, destination = program.type_of(step.source), program.type_of(step.destination)
            if source.size_bytes != destination.size_bytes:
                yield f"{source.size_bytes} to {destination.size_bytes} bytes in {print_step(step)}"


def _unwaited_copies(program: Program) -> Iterator[str]:
    pending: dict[int, DmaCopy] = {}
    for step in program.steps:
        if isinstance(step, DmaCopy):
            pending[step.token] = step
        elif isinstance(step, Barrier) and pending.pop(step.token, None) is None:
            yield f"no copy before {print_step(step)}"
    yield from (f"no barrier after {print_step(copy)}" for copy in pending.values())


PROGRAM_RULES: tuple[ProgramRule, ...] = (
    ProgramRule("each name has one definition", _repeated_names),
    ProgramRule("each type is well formed", _broken_types),
    ProgramRule("a constant's data have its shape and dtype", _wrong_constants),
    ProgramRule("a memory has bytes and an alignment that is a power of two", _wrong_memories),
    ProgramRule("a buffer lies aligned to its elements within its memory", _misplaced),
    ProgramRule("an alias shares the place of a buffer, not its own", _wrong_aliases),
    ProgramRule("steps read buffers or constants, and write buffers", _unknown_names),
    ProgramRule("operands and results are those the operator takes", _wrong_calls),
    ProgramRule("a call reads constants: its operands, and what is arranged for it", _wrong_reads),
    ProgramRule("a copy has as many bytes on both sides", _wrong_copies),
    ProgramRule("each copy is waited for", _unwaited_copies),
)
