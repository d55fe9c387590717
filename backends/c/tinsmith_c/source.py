"""The C file of a generated model: constants, one function per layer, the run function."""

import io
import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from tinsmith_ir.errors import GraphError
from tinsmith_ir.layouts import layout_bytes
from tinsmith_ir.program import Call, Held
from tinsmith_ir.program_printer import print_step
from tinsmith_lowering import (
    CONSTANT_ALIGNMENT,
    Emission,
    Kernel,
    Layer,
    Operand,
    check_layouts,
    find_kernel,
    layer_of_call,
)
from tinsmith_target import Target

from tinsmith_c.engines import Engines, steps_beside_the_core
from tinsmith_c.functions import Function, Functions, operands, titles
from tinsmith_c.header import describe, provenance
from tinsmith_c.jobs import JobWriter
from tinsmith_c.layout import Layout, c_name
from tinsmith_c.names import c_identifier, shortened
from tinsmith_c.options import WriteOptions
from tinsmith_c.scope import C_TYPES, ConstantPool, LayerScope
from tinsmith_c.steps import StepWriter, definitions_of, headers_of, is_small
from tinsmith_c.text import MEMORY_SECTION, array_definition, comment_lines, wrapped_call

_ATTRIBUTES = f"""\
#if defined(__GNUC__)
#define TINSMITH_ALIGNED __attribute__((aligned({CONSTANT_ALIGNMENT})))
#define TINSMITH_NOINLINE __attribute__((noinline))
#else
#define TINSMITH_ALIGNED
#define TINSMITH_NOINLINE
#endif"""

# Compilers would else unroll loops over tiles and take first and last iterations out of them, which copies all that a
# tile does. GCC does not at usual levels.
_SMALL = """\
#if defined(__clang__)
#define TINSMITH_SMALL __attribute__((minsize))
#else
#define TINSMITH_SMALL
#endif"""

# The linker script of a board knows the sections; elsewhere they are constants as all others are.
_IN_MEMORY = f"""\
// Of constants that lie in a memory of their own: where the linker finds them.
#ifndef TINSMITH_IN
#if defined(__GNUC__) && defined(__ELF__)
#define TINSMITH_IN(memory) __attribute__((section("{MEMORY_SECTION}" #memory)))
#else
#define TINSMITH_IN(memory)
#endif
#endif"""


def _section(name: str) -> str:
    """Where constants lie that were given a section; a build may say it otherwise."""
    return f"""\
// Of the network's constants: where the linker finds them.
#ifndef TINSMITH_WEIGHTS
#if defined(__GNUC__)
#define TINSMITH_WEIGHTS __attribute__((section("{name}")))
#else
#define TINSMITH_WEIGHTS
#endif
#endif"""


_HOOK = """\
// A build with TINSMITH_LAYER_HOOK reports the result of every layer; any other build leaves no trace of it.
#ifdef TINSMITH_LAYER_HOOK
void tinsmith_layer_done(uint32_t layer, const void *output, uint32_t bytes);
#define TINSMITH_LAYER_DONE(layer, output, bytes) tinsmith_layer_done((layer), (output), (bytes))
#else
#define TINSMITH_LAYER_DONE(layer, output, bytes) ((void)(layer))
#endif"""


@dataclass(frozen=True)
class EmittedCall:
    """A function as the kernel of its calls writes it."""

    function: Function
    kernel: Kernel
    scope: LayerScope
    emission: Emission


@dataclass(frozen=True)
class EmittedCalls:
    """The functions in the order of writing, and the constants that they read; none beside the core that never runs."""

    written: tuple[EmittedCall, ...]
    functions: Functions
    pool: ConstantPool
    engines: Engines

    @property
    def failing(self) -> frozenset[str]:
        """The names of the calls whose functions return a status."""
        return frozenset(
            call.name
            for one in self.written
            if one.emission.result is not None
            for call in one.function.calls
        )


def emit_calls(layout: Layout, target: Target, kernels: Sequence[Kernel]) -> EmittedCalls:
    """Ask the kernels. Raises GraphError for what they cannot say, UnsupportedError for an unknown kernel."""
    pool = ConstantPool(f"{c_name(layout.program)}_weights_")
    beside = {id(step) for step in steps_beside_the_core(layout.program)}

    def kernel_of(call: Call) -> tuple[Layer, Kernel]:
        seen = layer_of_call(layout.program, call, target)
        return seen, find_kernel(call.kernel, seen, kernels)

    def can_move(call: Call) -> bool:
        seen, kernel = kernel_of(call)
        if not kernel.takes_offsets:
            return True
        tried = _scope(layout, Function(layout, [call]), ConstantPool(""))
        return kernel.emit(seen, tried).follows_loops

    functions = Functions(layout, can_move)
    found: list[EmittedCall] = []
    for call in layout.program.calls:
        if call.engine is not None and id(call) not in beside:
            continue  # never runs
        seen, kernel = kernel_of(call)
        check_layouts(layout.program, call, kernel.layouts(seen))
        if call.engine is not None:
            _check_engine(call, kernel)
        function = functions.of(call)
        if function.first is not call:
            continue
        scope = _scope(layout, function, pool)
        emission = kernel.emit(seen, scope)
        if kernel.takes_offsets:
            _check_offsets(layout, call, kernel, emission)
        found.append(EmittedCall(function, kernel, scope, emission))
    own = {one.function.first.name for one in found if one.emission.wait is not None}
    return EmittedCalls(tuple(found), functions, pool, Engines(layout.program, own))


def write_source(layout: Layout, emitted: EmittedCalls, options: WriteOptions) -> bytes:
    """Content of `<name>.c`."""
    name = c_name(layout.program)
    pool, engines = emitted.pool, emitted.engines
    kernels = [one.kernel for one in emitted.written]
    headers = {header for kernel in kernels for header in kernel.headers}
    checks = dict.fromkeys(check for kernel in kernels for check in kernel.checks)
    guards = dict.fromkeys(guard for kernel in kernels for guard in kernel.guards)
    writers = layout, emitted.functions, pool, engines, emitted.failing
    jobs = JobWriter(*writers).definitions()
    steps = StepWriter(*writers)
    phrases, run = steps.phrases(), _run(layout, name, steps)
    reset = _reset(layout, name, pool)
    before = [
        "\n".join(comment_lines(*provenance(layout, options))),
        *guards,
        f'#include "{name}.h"',
        "\n".join(["#include <stddef.h>", *headers_of(layout.program, engines)]),
        "\n".join(f'#include "{header}"' for header in sorted(headers)),
        "\n".join(_check(condition) for condition in checks),
        _ATTRIBUTES,
        _SMALL if is_small(layout, engines) else "",
        _IN_MEMORY if any(array.memory for array in pool.arrays) else "",
        _section(options.weights_section) if options.weights_section else "",
        _HOOK,
        _offsets(layout, name),
    ]
    behind = [
        "\n".join(pool.records.values()),
        *definitions_of(layout.program),
        *pool.helpers,
        *(_layer(layout, engines, one) for one in emitted.written),
        *jobs,
        *phrases,
        run,
        reset,
    ]
    content = io.BytesIO()
    for part in itertools.chain(before, _constants(pool, options), behind):
        if part:
            content.write(b"\n\n" if content.tell() else b"")
            content.write(part.encode())
    content.write(b"\n")
    return content.getvalue()


def _check_engine(call: Call, kernel: Kernel) -> None:
    """Refuse a call on an engine that its kernel does not drive, or whose jobs cannot run it."""
    driven = kernel.beside and kernel.beside.name
    if driven is not None and call.engine != driven:
        raise GraphError(
            f"kernel {kernel.name!r} drives engine {driven!r} alone, got\n  {print_step(call)}\n"
        )
    if driven is None and kernel.of_cluster:
        raise GraphError(
            f"kernel {kernel.name!r} is a cluster's, which work on an engine cannot call, got\n"
            f"  {print_step(call)}\n"
        )


def _check_offsets(layout: Layout, call: Call, kernel: Kernel, emission: Emission) -> None:
    """Refuse a call whose body knows no more than offsets, where these do not say the place."""
    if len(layout.memories_of(call)) > 1 and not emission.follows_memories:
        raise GraphError(
            f"kernel {kernel.name!r} takes offsets in one memory, got\n  {print_step(call)}\n"
        )
    if layout.moved_by(call) and not emission.follows_loops:
        raise GraphError(
            f"kernel {kernel.name!r} takes offsets that no loop moves, got\n  {print_step(call)}\n"
        )


def _check(condition: str) -> str:
    """What must hold of the headers when the generated file is compiled."""
    return f'_Static_assert({condition}, "generated for another version of the kernels");'


def _constants(pool: ConstantPool, options: WriteOptions) -> Iterator[str]:
    """Numbers in dense lines, which clang-format would otherwise spread; one array at a time, since
    their text is several times as large as they are.
    """
    if pool.arrays:
        yield "// clang-format off"
        for array in pool.arrays:
            section = "TINSMITH_WEIGHTS" if options.weights_section else ""
            memory = f"TINSMITH_IN({c_identifier(array.memory)})" if array.memory else section
            yield array_definition(array.name, array.data, array.comment, memory)
        yield "// clang-format on"


def _offsets(layout: Layout, name: str) -> str:
    views = layout.program.views
    if not views:
        return ""
    entries = [f"  {layout.offset_name(v.name)} = {layout.offset(v.name)}," for v in views]
    width = max(len(entry) for entry in entries)
    lines = [
        f"{entry:{width}}  // {layout_bytes(view.layout, view.type)} bytes"
        for entry, view in zip(entries, views, strict=True)
    ]
    checks = [line for memory in layout.memories for line in _fitting(layout, name, memory.name)]
    title = "// Where each tensor lies in the arena, in bytes from its start."
    return "\n".join([title, "enum {", *lines, "};", *checks])


def _fitting(layout: Layout, name: str, memory: str) -> list[str]:
    """That the last tensor of a memory ends within it; loops move some, which only the verifier knows."""
    views = [
        view
        for view in layout.program.views
        if layout.program.buffer_of(view.name).memory == memory
        and (view.is_dense or view.layout)
        and not view.counters
    ]
    if not views:
        return []
    sizes = {view.name: layout_bytes(view.layout, view.type) for view in views}
    last = max(sizes, key=lambda name: layout.offset(name) + sizes[name])
    end = f"{layout.offset_name(last)} + {sizes[last]}"
    what = "ARENA" if layout.has_arena else layout.fields[memory].upper()
    check = f"{end} <= {name.upper()}_{what}_BYTES"
    text = '"the arena is too small for its last tensor"'
    return [wrapped_call("_Static_assert(", [check, text], ");")]


def _scope(layout: Layout, function: Function, pool: ConstantPool) -> LayerScope:
    program, call = layout.program, function.first
    names = titles(call)
    copies = {held.constant: _copied(layout, held) for held in call.held}
    if any(name in program.table and name not in copies for name in call.reads):
        raise GraphError(
            f"expected copies of what is read of tables of constants, in\n  {print_step(call)}\n"
        )
    inputs: list[Operand | None] = []
    for index, name in enumerate(call.inputs):
        if name is None:
            inputs.append(None)
        elif (constant := program.written_constant(name)) is not None:
            tensor = shortened(c_identifier(name), 32)
            description = f"{name} {describe(constant.type)}"
            data = None if name in copies else constant.data
            inputs.append(Operand(copies.get(name, ""), tensor, "", description, data, name))
        else:
            inputs.append(_operand(layout, function, index, names[index]))
    behind = len(call.inputs)
    results = range(behind, behind + len(call.outputs))
    last = results.stop
    return LayerScope(
        layer=layout.layer_identifiers[call.name],
        inputs=tuple(inputs),
        outputs=tuple(_operand(layout, function, index, names[index]) for index in results),
        scratch=None if call.scratch is None else _operand(layout, function, last, names[last]),
        scratch_bytes=0 if call.scratch is None else program.view[call.scratch].type.size_bytes,
        pool=pool,
        place_type=layout.place_type,
        extent_type=layout.extent_type,
        reads=frozenset(call.reads),
        has_siblings=bool(call.reads) and layout.readers[frozenset(call.reads)] > 1,
        layouts={
            constant.layout: constant.data
            for constant in map(program.written_constant, call.reads)
            if constant is not None and constant.layout
        },
        memories={
            constant.layout: constant.memory
            for constant in map(program.written_constant, call.reads)
            if constant is not None and constant.layout and constant.memory
        },
        copies={
            constant.layout: copy
            for name, copy in copies.items()
            if (constant := program.written_constant(name)) is not None and constant.layout
        },
        reads_copies=bool(call.held),
    )


def _copied(layout: Layout, held: Held) -> str:
    # Kernels count elements from it.
    element = C_TYPES[layout.program.type_of(held.constant).dtype]
    return f"((const {element} *)({layout.address(held.view)}))"


def _operand(layout: Layout, function: Function, index: int, local: str) -> Operand:
    name = operands(function.first)[index]
    assert name is not None
    base = ""
    if len(layout.memories_of(function.first)) > 1:
        base = f"memories->{layout.fields[layout.program.buffer_of(name).memory]}"
    place, motion = function.offset(index), function.motion(index)
    return Operand(local, layout.identifiers[name], place, motion=motion, base=base)


def _layer(layout: Layout, engines: Engines, emitted: EmittedCall) -> str:
    function, emission = emitted.function, emitted.emission
    call, name = function.first, function.name
    comment = _layer_comment(layout, function, emitted.kernel)
    parameters = [layout.parameter, *(f"int32_t {move}" for move in function.moves)]
    pointers = (
        _memory(layout, call) if emitted.kernel.takes_offsets else [*_locals(layout, function)]
    )
    ends = [] if emission.result is None else [f"  return {emission.result};"]
    small = "TINSMITH_SMALL " if is_small(layout, engines) else ""
    returned = f"{small}int" if ends else f"{small}void"
    head = wrapped_call(f"static {returned} {name}(", parameters, ") {")
    if emission.wait is None:
        return "\n".join([*comment, head, *pointers, *emission.statements, *ends, "}"])
    both = [*parameters, "uint32_t token"]
    start = _function(f"static void {name}_start", both, pointers, emission.statements)
    wait = _function(f"static {returned} {name}_wait", both, pointers, (*emission.wait, *ends))
    lines = [*comment, *start, "", *wait]
    if call.engine is None:
        given = ", ".join([*map(_declared, parameters), "0u"])
        waiting = f"{'return ' if ends else ''}{name}_wait({given});"
        lines += ["", head, f"  {name}_start({given});", f"  {waiting}", "}"]
    return "\n".join(lines)


def _function(
    head: str, parameters: Sequence[str], pointers: Sequence[str], statements: Sequence[str]
) -> list[str]:
    """A function with those of its pointers that its statements name; other parameters are passed for nothing."""
    body = [*(line for line in pointers if _names(statements, _declared(line))), *statements]
    unused = [name for name in map(_declared, parameters) if not _names(body, name)]
    return [
        f"{head}({', '.join(parameters)}) {{",
        *(f"  (void){name};" for name in unused),
        *body,
        "}",
    ]


def _declared(line: str) -> str:
    """The name in a declaration: `  const int8_t *input = …`, `uint32_t token`."""
    return line.partition(" = ")[0].split()[-1].lstrip("*")


def _names(statements: Sequence[str], name: str) -> bool:
    return any(re.search(rf"\b{name}\b", statement) for statement in statements)


def _layer_comment(layout: Layout, function: Function, kernel: Kernel) -> list[str]:
    call = function.first
    lines = [
        f"Layer {layout.numbers[call.name]}, {call.name}: {call.operator.title} by {kernel.name}"
    ]
    for index, name in enumerate((*call.inputs, *call.outputs)):
        if name is not None:
            title = titles(call)[index] if index < len(call.inputs) else "output"
            lines.append(f"  {title}: {_describe_operand(layout, function, index, name)}")
    if call.scratch is not None:
        lines.append(f"  scratch: {layout.program.view[call.scratch].type.size_bytes} bytes")
    served = len(function.calls) - 1
    if served:
        lines.append(
            f"  and {served} more that do the same{' elsewhere' if function.places else ''}"
        )
    if call.engine is not None:
        lines.append(f"  beside the core, on {call.engine}")
    if call.reason:
        lines.append(f"  why not a better kernel: {call.reason}")
    return comment_lines(*lines)


def _describe_operand(layout: Layout, function: Function, index: int, name: str) -> str:
    program = layout.program
    if name not in program.view:
        return f"{name} {describe(program.type_of(name))}"
    memory = "arena" if layout.has_arena else program.buffer_of(name).memory
    offset = "" if index in function.places else str(layout.offset(name))
    parts = (part for part in (memory, offset, function.motion(index)) if part)
    return f"{name} {describe(program.view[name].type)}, {' + '.join(parts)}"


def _memory(layout: Layout, call: Call) -> list[str]:
    """The pointer that offsets are counted from, where it is no parameter."""
    if layout.has_one_base or len(layout.memories_of(call)) > 1:
        return []
    (memory,) = layout.memories_of(call)
    return [f"  uint8_t *arena = memories->{layout.fields[memory]};"]


def _locals(layout: Layout, function: Function) -> Iterator[str]:
    """Pointers to the operands in the arena, not to copies of constants."""
    call = function.first
    for index, (title, name) in enumerate(zip(titles(call), operands(call), strict=True)):
        if name is not None and name in layout.program.view:
            const = "const " if index < len(call.inputs) else ""
            dtype = layout.program.view[name].type.dtype
            kind = f"{const}{C_TYPES[dtype]} *"
            # Of bytes, no pointer to what wants alignment is made by a cast: strict builds warn of it.
            cast = kind if dtype.size_bytes == 1 else f"{const}void *"
            yield f"  {kind}{title} = ({cast})({layout.start(name)} + {function.place(index)});"


def _run(layout: Layout, name: str, writer: StepWriter) -> str:
    """All steps in order. A refusal is noted, not acted on at once: a branch per layer is more code
    than the whole call, and refusals are defects that no input can cause.
    """
    lines = _entry(layout, name, "run", uses_bytes=bool(layout.program.steps))
    if is_small(layout, writer.engines):
        lines[0] = f"TINSMITH_SMALL {lines[0]}"
        if not layout.has_one_base:
            lines += _own_memories(name)
    return "\n".join([*lines, *writer.lines(), "}"])


def _own_memories(name: str) -> list[str]:
    """The pointers in variables that nobody else sees: compilers load each once, not again behind every copy."""
    return [
        f"  const {name}_memories_t own = *memories;",
        "  memories = &own;",
    ]


def _reset(layout: Layout, name: str, pool: ConstantPool) -> str:
    """The states as they begin; nothing for a program without."""
    if not layout.program.states:
        return ""
    lines = _entry(layout, name, "reset", uses_bytes=True)
    for state in layout.program.states:
        type_ = layout.program.view[state.view].type
        place, size = layout.address(state.view, "bytes"), f"{type_.size_bytes}u"
        data = set(np.ascontiguousarray(state.initial).tobytes())
        if len(data) == 1:
            lines.append(wrapped_call("  memset(", [place, str(data.pop()), size], ");"))
            continue
        label = shortened(c_identifier(f"{state.view}_initial"), 32)
        source = pool.add(label, state.initial, f"{state.view} at first {describe(type_)}")
        lines.append(wrapped_call("  memcpy(", [place, source, size], ");"))
    return "\n".join([*lines, "  return 0;", "}"])


def _entry(layout: Layout, name: str, verb: str, *, uses_bytes: bool) -> list[str]:
    """The beginning of a function of the header, which refuses memories that are none."""
    prefix = name.upper()
    if layout.has_arena:
        conditions = [f"arena == NULL || (uintptr_t)arena % {prefix}_ARENA_ALIGNMENT != 0u"]
    else:
        conditions = ["memories == NULL"] + [
            f"memories->{field} == NULL || (uintptr_t)memories->{field} % {prefix}_{field.upper()}_ALIGNMENT != 0u"
            for field in layout.pointers.values()
        ]
        if layout.asked:
            conditions.append("memories->read == NULL")
    lines = [f"int {name}_{verb}({layout.entry_parameter}) {{"]
    for condition in conditions:
        lines += [f"  if ({condition}) {{", f"    return {prefix}_ERROR_ARENA;", "  }"]
    if uses_bytes and layout.has_one_base:
        start = "arena" if layout.has_arena else f"memories->{next(iter(layout.pointers.values()))}"
        lines.append(f"  uint8_t *bytes = {start};")
    return lines
