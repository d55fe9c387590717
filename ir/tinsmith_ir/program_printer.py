"""Programs as text; `program_parser.py` reads it back to an equal object. Grammar: README.md."""

from collections.abc import Iterator, Sequence

from tinsmith_ir.checked import checked
from tinsmith_ir.escape import print_name, quoted
from tinsmith_ir.expressions import ZERO, print_expression
from tinsmith_ir.graph import Value
from tinsmith_ir.printer import (
    VERSION,
    Constants,
    print_application,
    print_constant,
    print_data,
    print_location,
    print_typed,
    text_of,
)
from tinsmith_ir.program import (
    Buffer,
    Call,
    ConstantBuffer,
    ConstantTable,
    Copy,
    Engine,
    Fill,
    Guard,
    Loop,
    Memory,
    Overlap,
    Program,
    Step,
    View,
    Wait,
)


@checked
def print_program(program: Program, *, constants: Constants = "inline", short: bool = False) -> str:
    """The program as text; `constants` and `short` as for `print_graph`."""
    lines = [f"program {VERSION} {quoted(program.name)} for {quoted(program.target)} {{"]
    lines += [f"  {_memory(memory)}" for memory in program.memories]
    lines += [f"  {_engine(engine)}" for engine in program.engines]
    lines += [f"  {line}" for line in _buffers_and_views(program)]
    for constant in program.constants:
        lines.append(f"  {_constant(constant, constants)}")
    lines += [f"  {_table(table)}" for table in program.tables]
    lines += [f"  input {print_name(name)}" for name in program.inputs]
    for state in program.states:
        initial = print_data(state.initial, constants, program.view[state.view].type.dtype)
        lines.append(f"  state {print_name(state.view)} = {initial}")
    lines += _steps(program.steps, "  ")
    lines += [f"  output {print_name(name)}" for name in program.outputs]
    return text_of([*lines, "}"], short=short)


@checked
def print_step(step: Step) -> str:
    """One step of a program as one line, without indentation; of a loop, its first line."""
    match step:
        case Copy():
            names = f"{print_name(step.source)} -> {print_name(step.destination)}"
            return f"copy {names}{_engine_and_token(step)}{_guard(step.guard)}"
        case Fill():
            name = print_name(step.destination)
            return f"fill {name} with {step.value}{_guard(step.guard)}"
        case Wait():
            return f"wait {print_expression(step.token)}{_guard(step.guard)}"
        case Loop():
            return f"loop {step.counter} of {step.count} {{"
        case Call():
            return _call(step)


@checked
def print_overlap(call: Call, overlap: Overlap) -> str:
    """How the result of a call may lie over one of its operands, as the text of the call says it."""
    has_operand = 0 <= overlap.operand < len(call.inputs)
    name = call.inputs[overlap.operand] if has_operand else None
    at_most = "" if overlap.at_most is None else f" up to {overlap.at_most}"
    exactly = "".join(f" at {distance}" for distance in overlap.exactly)
    at_least = "" if overlap.at_least is None else f" from {overlap.at_least}"
    return f"over {'none' if name is None else print_name(name)}{at_most}{exactly}{at_least}"


@checked
def print_view(view: View) -> str:
    """One view as one line, without indentation."""
    start = "" if view.start == ZERO else f" start {print_expression(view.start)}"
    strides = "" if view.strides is None else f" strides [{','.join(map(str, view.strides))}]"
    ring = ""
    if view.ring is not None:
        at = "" if view.ring.at == ZERO else f" at {print_expression(view.ring.at)}"
        ring = f" ring axis {view.ring.axis} of {view.ring.lines}{at}"
    layout = f" layout {quoted(view.layout)}" if view.layout else ""
    if view.within is not None:
        begin, shape = (",".join(map(str, each)) for each in (view.within.begin, view.within.shape))
        layout += f" from [{begin}] of [{shape}]"
    typed = print_typed(Value(view.name, view.type))
    return f"view {typed} of {print_name(view.buffer)}{start}{strides}{ring}{layout}"


def _buffers_and_views(program: Program) -> Iterator[str]:
    """Both in their own order, buffers before what lies on them; a tensor with a buffer of its own is one line."""
    numbers = {buffer.name: number for number, buffer in enumerate(program.buffers)}
    printed = 0
    for view in program.views:
        number = numbers.get(view.buffer, -1)
        if number >= printed:
            yield from map(_raw_buffer, program.buffers[printed:number])
            buffer, printed = program.buffers[number], number + 1
            if is_tensor(view, buffer):
                yield f"buffer {print_typed(Value(view.name, view.type))}{_place(buffer)}"
                continue
            yield _raw_buffer(buffer)
        yield print_view(view)
    yield from map(_raw_buffer, program.buffers[printed:])


def is_tensor(view: View, buffer: Buffer) -> bool:
    """True if the buffer holds this dense tensor alone, and has its name."""
    return view == View(buffer.name, view.type, buffer.name) and (
        view.type.size_bytes == buffer.size_bytes
    )


def _raw_buffer(buffer: Buffer) -> str:
    return f"buffer {print_name(buffer.name)}: {buffer.size_bytes} bytes{_place(buffer)}"


def _place(buffer: Buffer) -> str:
    offset = "" if buffer.offset is None else f" at {buffer.offset}"
    return f" in {quoted(buffer.memory)}{offset}"


def _constant(constant: ConstantBuffer, constants: Constants) -> str:
    value = Value(constant.name, constant.type)
    return print_constant(value, constant.data, constants, constant.layout, constant.memory)


def _table(table: ConstantTable) -> str:
    members = ", ".join(map(print_name, table.members))
    return f"table {print_name(table.name)} = {members} at {print_expression(table.index)}"


def _memory(memory: Memory) -> str:
    size = "" if memory.size_bytes is None else f" size {memory.size_bytes}"
    whose = (" caller" if memory.is_caller else "") + (" remote" if memory.is_remote else "")
    return f"memory {quoted(memory.name)}{size} align {memory.alignment}{whose}"


def _engine(engine: Engine) -> str:
    reaches = ", ".join(quoted(name) for name in engine.reaches)
    order = "" if engine.is_fifo else " unordered"
    depth = "" if engine.depth is None else f" depth {engine.depth}"
    lengths = "" if engine.lengths == 1 else f" lengths {engine.lengths}"
    aligned = f"align {engine.alignment}{lengths}"
    return f"engine {quoted(engine.name)} reaches {reaches}{order}{depth} {aligned}"


def _steps(steps: Sequence[Step], indentation: str) -> Iterator[str]:
    for step in steps:
        yield f"{indentation}{print_step(step)}"
        if isinstance(step, Loop):
            yield from _steps(step.body, f"{indentation}  ")
            yield f"{indentation}}}"


def _call(call: Call) -> str:
    results = ", ".join(print_name(name) for name in call.outputs)
    scratch = f" scratch {print_name(call.scratch)}" if call.scratch is not None else ""
    views = {held.constant: f" in {print_name(held.view)}" for held in call.held}
    read = ", ".join(f"{print_name(name)}{views.get(name, '')}" for name in call.reads)
    reads = f" reads {read}" if call.reads else ""
    over = "".join(f" {print_overlap(call, overlap)}" for overlap in call.over)
    reason = f" reason {quoted(call.reason)}" if call.reason else ""
    chosen = ", ".join(f"{option.name}={option.value}" for option in call.options)
    options = f" {{{chosen}}}" if chosen else ""
    return (
        f"call {quoted(call.name)} kernel {quoted(call.kernel)}{options}: {results} = "
        f"{print_application(call.operator, call.inputs)}{scratch}{reads}{over}{reason}"
        f"{_engine_and_token(call)}{_guard(call.guard)}{print_location(call.location)}"
    )


def _engine_and_token(step: Call | Copy) -> str:
    engine = "" if step.engine is None else f" on {quoted(step.engine)}"
    return engine + ("" if step.token is None else f" token {print_expression(step.token)}")


def _guard(guard: Guard | None) -> str:
    return "" if guard is None else f" when {guard.counter} from {guard.begin} below {guard.end}"


__all__ = ["is_tensor", "print_overlap", "print_program", "print_step", "print_view"]
