"""The rules of a Program, as tables: of what is written, and of what it means once its loops are unrolled.

Whether live buffers overlap is not among them but for a call's own: the checker of the allocation pass and the
evaluator find that.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from tinsmith_ir.byte_places import byte_range, copied_places, own_places, places, run_count
from tinsmith_ir.checked import checked
from tinsmith_ir.dtypes import DType
from tinsmith_ir.errors import GraphError
from tinsmith_ir.few_bits import fits
from tinsmith_ir.graph import Graph
from tinsmith_ir.hazards import find_hazards, step_names
from tinsmith_ir.operators.base import Operator
from tinsmith_ir.overlaps import overlap_findings
from tinsmith_ir.printer import print_name, print_type
from tinsmith_ir.program import (
    Call,
    Copy,
    Engine,
    Fill,
    Loop,
    Program,
    SimpleStep,
    Step,
    View,
    Wait,
    simple_steps,
    unrolled,
)
from tinsmith_ir.program_printer import print_step, print_view
from tinsmith_ir.type_rules import operand_findings, operator_findings, verify_type
from tinsmith_ir.types import TensorType

_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

MAX_ADDRESS = 1 << 47
"""Bytes that a program of a 64-bit computer can address; most targets have fewer."""

MAX_STEPS = 1 << 18
"""Steps of a program once unrolled: what is analysed in a few minutes."""

MAX_RUNS = 1 << 20
"""Contiguous pieces of a view."""

MAX_ELEMENTS = 1 << 24
"""Elements of a view in a layout, each of which is asked for its place."""


@dataclass(frozen=True)
class ProgramRule:
    """What must hold of a program, and the findings where it does not."""

    what: str
    findings: Callable[[Program], Iterator[str]]


@checked
def verify_program(program: Program, verified: Graph | Program | None = None) -> None:
    """Raise GraphError unless every rule holds, naming the step, its location and the view.

    verified: what holds every rule; operators and types that are from it are right by themselves.
    """
    known = frozenset[_Ids]() if verified is None else frozenset(_typed_operators(verified))
    calls = ProgramRule(_CALLS.what, lambda given: _wrong_calls(given, known))
    _demand(program, [calls if rule is _CALLS else rule for rule in WRITTEN_RULES])
    try:
        meant = unrolled(program)
    except GraphError as error:
        raise GraphError(f"program {program.name!r}: {error}") from error
    _demand(meant, UNROLLED_RULES)


def _demand(program: Program, rules: Sequence[ProgramRule]) -> None:
    for rule in rules:
        for finding in rule.findings(program):
            raise GraphError(f"program {program.name!r}: {rule.what}: {finding}")


def _repeated_names(program: Program) -> Iterator[str]:
    groups = {
        "memory": [memory.name for memory in program.memories],
        "engine": [engine.name for engine in program.engines],
        "buffer": [buffer.name for buffer in program.buffers],
        "view or constant": [
            tensor.name for tensor in (*program.views, *program.constants, *program.tables)
        ],
        "call": [call.name for call in program.calls],
        "input": [*program.inputs],
        "state": [state.view for state in program.states],
        "loop counter": [loop.counter for loop in _loops(program.steps)],
    }
    for what, names in groups.items():
        counts = Counter(names)
        yield from (f"{what} {name!r}" for name in sorted(counts) if counts[name] > 1)


def _broken_types(program: Program) -> Iterator[str]:
    for tensor in (*program.views, *program.constants):
        try:
            verify_type(tensor.type)
        except GraphError as error:
            yield f"{print_name(tensor.name)}: {print_type(tensor.type)}: {error}"


def _wrong_constants(program: Program) -> Iterator[str]:
    for constant in program.constants:
        type_, data = constant.type, constant.data
        if data.shape != type_.shape or data.dtype != type_.dtype.numpy:
            yield f"{print_name(constant.name)} is {print_type(type_)}, holds {data.dtype}{data.shape}"
        elif type_.dtype.is_packed and not fits(data, type_.dtype):
            yield f"{print_name(constant.name)} holds integers beyond {type_.dtype.value}"


def _viewed_few_bits(program: Program) -> Iterator[str]:
    for view in program.views:
        if view.type.dtype.is_packed:
            yield f"{print_name(view.name)} is {print_type(view.type)}"


def _wrong_states(program: Program) -> Iterator[str]:
    for state in program.states:
        type_, data = program.view[state.view].type, state.initial
        if data.shape != type_.shape or data.dtype != type_.dtype.numpy:
            yield f"{print_name(state.view)} is {print_type(type_)}, begins as {data.dtype}{data.shape}"


def _wrong_tables(program: Program) -> Iterator[str]:
    for table in program.tables:
        unknown = [name for name in table.members if name not in program.constant]
        if unknown or not table.members:
            what = f"{print_name(unknown[0])} is none" if unknown else "it has none"
            yield f"{print_name(table.name)}: expected constants, {what}"
            continue
        members = [program.constant[name] for name in table.members]
        kinds = {
            (member.type.shape, member.type.dtype, member.layout, member.memory)
            for member in members
        }
        if len(kinds) > 1:
            yield f"{print_name(table.name)}: members of {len(kinds)} shapes, element types, layouts or memories"


def _wrong_memories(program: Program) -> Iterator[str]:
    for memory in program.memories:
        if memory.alignment < 1 or memory.alignment & (memory.alignment - 1):
            yield f"memory {memory.name!r} has alignment {memory.alignment}"
        if memory.size_bytes is not None and memory.size_bytes < 1:
            yield f"memory {memory.name!r} has {memory.size_bytes} bytes"


def _wrong_engines(program: Program) -> Iterator[str]:
    for engine in program.engines:
        unknown = [name for name in engine.reaches if name not in program.memory]
        yield from (
            f"engine {engine.name!r} reaches {name!r}, which is no memory" for name in unknown
        )
        if engine.depth is not None and engine.depth < 1:
            yield f"engine {engine.name!r} holds {engine.depth} steps"
        if engine.alignment < 1:
            yield f"engine {engine.name!r} has alignment {engine.alignment}"
        if engine.lengths < 1:
            yield f"engine {engine.name!r} has lengths of {engine.lengths}"


def _misplaced(program: Program) -> Iterator[str]:
    for buffer in program.buffers:
        memory = program.memory.get(buffer.memory)
        if memory is None:
            yield f"{print_name(buffer.name)} is in {buffer.memory!r}, which is none of {[*program.memory]}"
            continue
        if buffer.size_bytes < 1:
            yield f"{print_name(buffer.name)} has {buffer.size_bytes} bytes"
        end = (buffer.offset or 0) + buffer.size_bytes
        if buffer.offset is not None and buffer.offset < 0:
            yield f"{print_name(buffer.name)} is at offset {buffer.offset}"
        if end > MAX_ADDRESS:
            yield f"{print_name(buffer.name)} ends at {end}, beyond the {MAX_ADDRESS} bytes of any target"
        if memory.size_bytes is not None and end > memory.size_bytes:
            yield (
                f"{print_name(buffer.name)} ends at {end}, "
                f"memory {memory.name!r} has {memory.size_bytes} bytes"
            )


def _misplaced_constants(program: Program) -> Iterator[str]:
    """Constants in memories that there are not, that a caller has, or that have too few bytes for each alone."""
    for constant in program.constants:
        if not constant.memory:
            continue
        memory = program.memory.get(constant.memory)
        if memory is None:
            yield f"{print_name(constant.name)} is in {constant.memory!r}, which is none of {[*program.memory]}"
        elif memory.is_caller:
            yield f"{print_name(constant.name)} is in {memory.name!r}, which is the caller's"
        elif memory.size_bytes is not None and constant.type.size_bytes > memory.size_bytes:
            yield (
                f"{print_name(constant.name)} has {constant.type.size_bytes} bytes, "
                f"memory {memory.name!r} has {memory.size_bytes}"
            )


def _wrong_layouts(program: Program) -> Iterator[str]:
    for view in program.views:
        if view.buffer not in program.buffer:
            yield f"{print_name(view.name)} lies on {print_name(view.buffer)}, which is no buffer"
        rank = len(view.type.shape)
        if view.strides is not None and (
            len(view.strides) != rank or min(view.strides, default=0) < 0
        ):
            yield f"expected {rank} strides of at least 0 in\n  {print_view(view)}\n"
        ring = view.ring
        if view.layout:
            yield from _wrong_element_layout(view)
        elif ring is not None and not (0 <= ring.axis < rank and ring.lines >= 1):
            yield f"expected an axis below {rank} and at least 1 line in\n  {print_view(view)}\n"
        elif run_count(view) > MAX_RUNS:
            yield f"more than {MAX_RUNS} pieces that do not touch in\n  {print_view(view)}\n"


def _wrong_element_layout(view: View) -> Iterator[str]:
    if view.strides is not None or view.ring is not None:
        yield f"expected no strides and no ring beside a layout in\n  {print_view(view)}\n"
        return
    if view.within is not None and (wrong := _wrong_part(view)):
        yield f"{wrong} in\n  {print_view(view)}\n"
        return
    if view.laid_out.elements > MAX_ELEMENTS:
        yield f"more than {MAX_ELEMENTS} elements in\n  {print_view(view)}\n"
        return
    try:
        runs = run_count(view)
    except GraphError as error:
        yield f"{error}, in\n  {print_view(view)}\n"
        return
    if runs > MAX_RUNS:
        yield f"more than {MAX_RUNS} pieces that do not touch in\n  {print_view(view)}\n"


def _wrong_part(view: View) -> str | None:
    """What is wrong with where a view lies within the tensor of which it is a part."""
    assert view.within is not None
    begin, shape, whole = view.within.begin, view.type.shape, view.within.shape
    if not len(begin) == len(shape) == len(whole):
        return f"expected {len(shape)} axes of the larger tensor"
    ends = zip(begin, shape, whole, strict=True)
    is_part = all(first >= 0 and first + extent <= most for first, extent, most in ends)
    return None if is_part else "expected a part that lies within the larger tensor"


def _unknown_names(program: Program) -> Iterator[str]:
    readable = program.view.keys() | program.constant.keys() | program.table.keys()
    for name in program.ends:
        if name not in program.view:
            yield f"{print_name(name)} among the program's inputs, states and outputs"
    for step in simple_steps(program.steps):
        reads, writes = step_names(step)
        unknown = [name for name in reads if name not in readable]
        unknown += [name for name in writes if name not in program.view]
        yield from (f"{print_name(name)} in\n  {print_step(step)}\n" for name in unknown)


def _wrong_reads(program: Program) -> Iterator[str]:
    for call in program.calls:
        # A call's text is only made for a finding: it is long.
        for finding in _misread(program, call):
            yield f"{finding} in\n  {print_step(call)}\n"


def _misread(program: Program, call: Call) -> Iterator[str]:
    for name in filter(None, call.inputs):
        constant = program.written_constant(name)
        if constant is not None and constant.layout:
            yield f"{print_name(name)}, arranged for a kernel, is an operand"
    for name in call.reads:
        constant = program.written_constant(name)
        if constant is None:
            yield f"{print_name(name)} is read"
        elif not constant.layout and name not in call.inputs:
            yield f"{print_name(name)}, an operand of others, is read"
    copied = [held.constant for held in call.held]
    if copied != [name for name in call.reads if name in copied]:
        yield f"copies of {', '.join(map(print_name, copied))}, which are not read in that order,"
        return
    for held in call.held:
        type_, wanted = program.type_of(held.view), program.type_of(held.constant)
        if (type_.shape, type_.dtype) != (wanted.shape, wanted.dtype):
            yield f"{print_name(held.view)} is {print_type(type_)}, its constant {print_type(wanted)},"
        elif not program.view[held.view].is_dense:
            yield f"{print_name(held.view)} does not lie densely,"


def _wrong_overlaps(program: Program) -> Iterator[str]:
    for call in program.calls:
        operands = [overlap.operand for overlap in call.over]
        names = [
            call.inputs[index] if 0 <= index < len(call.inputs) else None for index in operands
        ]
        if call.over and (
            len(call.outputs) != 1
            or call.engine is not None
            or len(set(operands)) < len(operands)
            or any(name is None or name not in program.view for name in names)
            or not all(overlap.says_any for overlap in call.over)
        ):
            yield f"in\n  {print_step(call)}\n"


def _wrong_options(program: Program) -> Iterator[str]:
    for call in program.calls:
        names = [option.name for option in call.options]
        values = [option.value for option in call.options if isinstance(option.value, str)]
        if names != sorted({*names}) or not all(map(_WORD.fullmatch, [*names, *values])):
            yield f"got {', '.join(map(str, call.options))} in call {call.name!r}"


def _wrong_ends(program: Program) -> Iterator[str]:
    for name in program.ends:
        view = program.view[name]
        if view.counters or not view.is_dense:
            yield print_view(view)


_Ids = tuple[int, ...]
"""Of an operator and the types of its operands and results: which objects they are."""


def _typed_operators(verified: Graph | Program) -> Iterator[_Ids]:
    if isinstance(verified, Graph):
        for node in verified.nodes:
            inputs = [value and value.type for value in node.inputs]
            yield _ids(node.operator, inputs, [value.type for value in node.outputs])
    else:
        for call in verified.calls:
            yield _ids(call.operator, *verified.types_of(call))


def _ids(
    operator: Operator, inputs: Sequence[TensorType | None], outputs: Sequence[TensorType]
) -> _Ids:
    return (id(operator), len(inputs), *map(id, inputs), *map(id, outputs))


def _wrong_calls(program: Program, known: Collection[_Ids] = ()) -> Iterator[str]:
    for call in program.calls:
        inputs, outputs = program.types_of(call)
        if _ids(call.operator, inputs, outputs) in known:
            continue
        for finding in _call_findings(call, inputs, outputs):
            yield f"{call.location}, in\n  {print_step(call)}\n: {finding}"


def _call_findings(
    call: Call, inputs: Sequence[TensorType | None], outputs: Sequence[TensorType]
) -> Iterator[str]:
    given = [type_ is not None for type_ in inputs]
    findings = list(operand_findings(call.operator, given))
    yield from findings or operator_findings(call.operator, inputs, outputs)


def _wrong_copies(program: Program) -> Iterator[str]:
    for step in simple_steps(program.steps):
        if isinstance(step, Copy):
            source, destination = program.type_of(step.source), program.type_of(step.destination)
            if (source.shape, source.dtype) != (destination.shape, destination.dtype):
                yield f"{print_type(source)} to {print_type(destination)} in\n  {print_step(step)}\n"
        elif isinstance(step, Fill):
            type_ = program.type_of(step.destination)
            if not _can_fill(type_.dtype, step.value):
                yield f"{step.value} as {type_.dtype.value} in\n  {print_step(step)}\n"


def _can_fill(dtype: DType, value: int) -> bool:
    if dtype is DType.FLOAT32:
        return value == 0
    if dtype is DType.BOOL:
        return value in (0, 1)
    low, high = dtype.integer_range
    return low <= value <= high


def _wrong_engines_of_steps(program: Program) -> Iterator[str]:
    for step in simple_steps(program.steps):
        engine = None if isinstance(step, Fill | Wait) else step.engine
        if isinstance(step, Call | Copy) and (step.engine is None) != (step.token is None):
            yield f"an engine without a token, or a token without an engine, in\n  {print_step(step)}\n"
        if engine is not None and engine not in program.engine:
            yield f"{engine!r} is none of {[*program.engine]} in\n  {print_step(step)}\n"
            continue
        for name in _names(step):
            if name in program.view:
                place = program.buffer_of(name).memory
                yield from _out_of_reach(program, step, engine, name, place)
        for name in _loaded_constants(step):
            constant = program.written_constant(name)
            if constant is not None and constant.memory:
                yield from _out_of_reach(program, step, engine, name, constant.memory)


def _loaded_constants(step: SimpleStep) -> Sequence[str]:
    """Names of what a step reads where constants lie, views among them. Operands of a call are its meaning alone."""
    match step:
        case Call():
            held = {each.constant for each in step.held}
            return [name for name in step.reads if name not in held]
        case Copy():
            return [step.source]
        case Fill() | Wait():
            return []


def _out_of_reach(
    program: Program, step: SimpleStep, engine: str | None, name: str, place: str
) -> Iterator[str]:
    """place: name of the memory that a view or constant lies in."""
    memory = program.memory[place]
    reached = (
        not memory.is_remote if engine is None else memory.name in program.engine[engine].reaches
    )
    if not reached:
        who = "the core" if engine is None else f"engine {engine!r}"
        yield f"{who} does not reach {memory.name!r}, where {print_name(name)} lies, in\n  {print_step(step)}\n"


def _wrong_caller_memories(program: Program) -> Iterator[str]:
    """Of memories of the caller's: what lies there that is no input, and who uses it other than by copies."""
    memories = {memory.name for memory in program.memories if memory.is_caller}
    if not memories:
        return
    there = {buffer.name for buffer in program.buffers if buffer.memory in memories}
    inputs = {program.view[name].buffer for name in program.inputs}
    yield from (f"buffer {print_name(name)} is no input" for name in sorted(there - inputs))
    others = (*(state.view for state in program.states), *program.outputs)
    for name in others:
        if program.view[name].buffer in there:
            yield f"{print_name(name)} is a state or an output"
    for step in simple_steps(program.steps):
        reads, writes = step_names(step)
        is_asking = isinstance(step, Copy) and step.engine is None
        for name in writes if is_asking else (*reads, *writes):
            if name in program.view and program.view[name].buffer in there:
                yield f"{print_name(name)} is not copied from by the core in\n  {print_step(step)}\n"


def _asked_twice(program: Program) -> Iterator[str]:
    """Copies from memories of the caller's that ask for bytes that were there before."""
    memories = {memory.name for memory in program.memories if memory.is_caller}
    if not memories:
        return
    ends: dict[str, int] = {}
    for step in program.steps:
        if not isinstance(step, Copy) or step.source not in program.view:
            continue
        view = program.view[step.source]
        if program.buffer[view.buffer].memory not in memories:
            continue
        if not view.is_dense:
            yield f"{print_name(view.name)} does not lie densely in\n  {print_step(step)}\n"
            continue
        begin, end = view.start.value({}), ends.get(view.buffer, 0)
        if begin < end:
            yield f"byte {begin} of {print_name(view.buffer)} comes after byte {end - 1} in\n  {print_step(step)}\n"
        ends[view.buffer] = begin + view.type.size_bytes


def _names(step: SimpleStep) -> tuple[str, ...]:
    reads, writes = step_names(step)
    return (*reads, *writes)


def _wrong_loops(program: Program) -> Iterator[str]:
    for loop in _loops(program.steps):
        if loop.count < 1:
            yield f"loop {loop.counter} runs {loop.count} times"
    count = _count(program.steps)
    if count > MAX_STEPS:
        yield f"{count} steps once unrolled, at most {MAX_STEPS} are analysed"


def _loops(steps: Sequence[Step]) -> Iterator[Loop]:
    for step in steps:
        if isinstance(step, Loop):
            yield step
            yield from _loops(step.body)


def _count(steps: Sequence[Step]) -> int:
    return sum(
        max(step.count, 0) * _count(step.body) if isinstance(step, Loop) else 1 for step in steps
    )


def _views_beyond(program: Program) -> Iterator[str]:
    for view in program.views:
        if view.counters:
            continue  # no step asks for it
        size = program.buffer[view.buffer].size_bytes
        begin, end = byte_range(view)
        if begin < 0 or end > size:
            yield (
                f"bytes {begin} to {end - 1} of the {size} of {print_name(view.buffer)} in\n"
                f"  {print_view(view)}\n"
            )


def _shared_padding(program: Program) -> Iterator[str]:
    """Views in a layout and others that lie in bytes of their own, where padding is, too."""
    laid_out = {view.buffer for view in program.views if view.layout}
    owned: dict[str, list[_Owned]] = {buffer: [] for buffer in laid_out}
    for view in program.views:
        if view.buffer in laid_out and not view.counters:
            own = own_places(view)
            owned[view.buffer] += [_Owned(int(at), int(at) + own.length, view) for at in own.starts]
    for runs in owned.values():
        ordered = sorted(runs, key=lambda run: (run.begin, run.end))
        for run, furthest in zip(ordered[1:], accumulate(ordered, _further), strict=False):
            one, other = furthest.view, run.view
            is_shared = run.begin < furthest.end and (one.layout or other.layout)
            if is_shared and not _is_same(one, other):
                yield f"{print_view(one)}\n  {print_view(other)}\n"


@dataclass(frozen=True)
class _Owned:
    """Bytes of a buffer that belong to a view."""

    begin: int
    end: int
    view: View


def _further(one: _Owned, other: _Owned) -> _Owned:
    return max(one, other, key=lambda run: run.end)


def _is_same(one: View, other: View) -> bool:
    """True if every element of one lies where the other's does, or both are parts or all of one tensor."""
    return (one.start, one.layout, one.laid_out.shape, one.type.dtype) == (
        other.start,
        other.layout,
        other.laid_out.shape,
        other.type.dtype,
    )


def _misaligned(program: Program) -> Iterator[str]:
    for view in program.views:
        size = view.type.dtype.size_bytes
        if size == 1 or view.counters:
            continue
        offset = program.buffer[view.buffer].offset or 0
        if ((places(view).starts + offset) % size).any():
            yield f"offset {offset} of {print_name(view.buffer)}, and\n  {print_view(view)}\n"


def _overlapping_elements(program: Program) -> Iterator[str]:
    checked_views: set[str] = set()
    for step in simple_steps(program.steps):
        for name in step_names(step)[1]:
            if name not in checked_views:
                checked_views.add(name)
                if not _is_injective(program.view[name]):
                    yield f"{print_view(program.view[name])}\n  in {print_step(step)}\n"


def _is_injective(view: View) -> bool:
    return view.is_dense or places(view).is_injective


def _illegal_copies(program: Program) -> Iterator[str]:
    for step in program.steps:
        if not isinstance(step, Copy) or step.engine is None:
            continue
        engine = program.engine[step.engine]
        views = [program.view[it] for it in (step.source, step.destination) if it in program.view]
        both = copied_places(*views) if len(views) == 2 else map(places, views)
        for view, found in zip(views, both, strict=True):
            offset = program.buffer[view.buffer].offset or 0
            if ((found.starts + offset) % engine.alignment).any() or found.length % math.lcm(
                engine.alignment, engine.lengths
            ):
                yield (
                    f"engine {engine.name!r} copies multiples of {math.lcm(engine.alignment, engine.lengths)} bytes"
                    f"{_from(engine)}, not those of {print_name(view.name)}, in\n  {print_step(step)}\n"
                )


def _from(engine: Engine) -> str:
    is_finer = engine.lengths % engine.alignment == 0 and engine.lengths > engine.alignment
    return f" from multiples of {engine.alignment}" if is_finer else ""


_CALLS = ProgramRule("operands and results are those the operator takes", _wrong_calls)

WRITTEN_RULES: tuple[ProgramRule, ...] = (
    ProgramRule("each name has one definition", _repeated_names),
    ProgramRule("each type is well formed", _broken_types),
    ProgramRule("a constant's data have its shape and dtype", _wrong_constants),
    ProgramRule(
        "a table has constants of one shape, element type, layout and memory", _wrong_tables
    ),
    ProgramRule("constants alone are of i4 and i2", _viewed_few_bits),
    ProgramRule("a memory has bytes and an alignment that is a power of two", _wrong_memories),
    ProgramRule("an engine reaches memories and holds steps", _wrong_engines),
    ProgramRule("a buffer lies within its memory", _misplaced),
    ProgramRule("a constant lies where all read it, or in a memory", _misplaced_constants),
    ProgramRule("a view has a layout on a buffer", _wrong_layouts),
    ProgramRule("steps read views or constants, and write views", _unknown_names),
    ProgramRule(
        "inputs, states and outputs lie densely, and where no loop moves them", _wrong_ends
    ),
    ProgramRule("what a state begins as has its shape and dtype", _wrong_states),
    _CALLS,
    ProgramRule("a call reads constants: its operands, and what is arranged for it", _wrong_reads),
    ProgramRule(
        "the one result of a call of the core may lie over operands in memory, at distances that it says",
        _wrong_overlaps,
    ),
    ProgramRule("options are words, in their order, each once", _wrong_options),
    ProgramRule("a copy has one type on both sides, a fill a value of its type", _wrong_copies),
    ProgramRule(
        "the core and engines take steps in memories that they reach", _wrong_engines_of_steps
    ),
    ProgramRule(
        "what a caller hands over is inputs, from which the core copies", _wrong_caller_memories
    ),
    ProgramRule("a loop runs at least once", _wrong_loops),
)

UNROLLED_RULES: tuple[ProgramRule, ...] = (
    ProgramRule("a view lies within its buffer", _views_beyond),
    ProgramRule("a caller is asked for bytes in order, for each once", _asked_twice),
    ProgramRule("the bytes of a view in a layout, padding included, are its own", _shared_padding),
    ProgramRule("elements are aligned to their size", _misaligned),
    ProgramRule("elements that are written share no byte", _overlapping_elements),
    ProgramRule("a result lies over an operand only as its kernel bears it", overlap_findings),
    ProgramRule("a copy is one that its engine can make", _illegal_copies),
    ProgramRule("steps beside one another do not race", find_hazards),
)
