"""The C file of a generated model: constants, one function per layer, the run function."""

import io
import itertools
from collections.abc import Iterator, Sequence

from tinsmith_ir.program import KernelCall
from tinsmith_lowering import Emission, Kernel, Operand, find_kernel, layer_of_call
from tinsmith_target import Target

from tinsmith_c.header import describe, provenance
from tinsmith_c.layout import Layout, c_name, layer_output
from tinsmith_c.names import c_identifier, shortened
from tinsmith_c.options import WriteOptions
from tinsmith_c.scope import C_TYPES, ConstantPool, LayerScope
from tinsmith_c.text import array_definition, comment_lines, wrapped_call

_ATTRIBUTES = """\
#if defined(__GNUC__)
#define TINSMITH_ALIGNED __attribute__((aligned(16)))
#define TINSMITH_NOINLINE __attribute__((noinline))
#else
#define TINSMITH_ALIGNED
#define TINSMITH_NOINLINE
#endif"""

_HOOK = """\
// A build with TINSMITH_LAYER_HOOK reports the result of every layer; any other build leaves no trace of it.
#ifdef TINSMITH_LAYER_HOOK
void tinsmith_layer_done(uint32_t layer, const void *output, uint32_t bytes);
#define TINSMITH_LAYER_DONE(layer, output, bytes) tinsmith_layer_done((layer), (output), (bytes))
#else
#define TINSMITH_LAYER_DONE(layer, output, bytes) ((void)0)
#endif"""


def write_source(
    layout: Layout, target: Target, kernels: Sequence[Kernel], options: WriteOptions
) -> bytes:
    """Content of `<name>.c`."""
    name = c_name(layout.program)
    pool = ConstantPool(f"{name}_weights_")
    headers: dict[str, None] = {}
    checks: dict[str, None] = {}
    guards: dict[str, None] = {}
    layers: list[str] = []
    failing: set[str] = set()
    for number, call in enumerate(layout.program.calls):
        seen = layer_of_call(layout.program, call, target)
        kernel = find_kernel(call.kernel, seen, kernels)
        headers.update(dict.fromkeys(kernel.headers))
        checks.update(dict.fromkeys(kernel.checks))
        guards.update(dict.fromkeys(kernel.guards))
        scope = _scope(layout, call, pool)
        emission = kernel.emit(seen, scope)
        if emission.result is not None:
            failing.add(call.name)
        layers.append(_layer(layout, number, call, kernel, scope, emission))
    before = [
        "\n".join(comment_lines(*provenance(layout, options))),
        *guards,
        f'#include "{name}.h"',
        "#include <stddef.h>",
        "\n".join(f'#include "{header}"' for header in sorted(headers)),
        "\n".join(_check(condition) for condition in checks),
        _ATTRIBUTES,
        _HOOK,
        _offsets(layout, name),
    ]
    behind = [
        "\n".join(pool.records.values()),
        *pool.helpers,
        *layers,
        _run(layout, name, failing),
    ]
    content = io.BytesIO()
    for part in itertools.chain(before, _constants(pool), behind):
        if part:
            content.write(b"\n\n" if content.tell() else b"")
            content.write(part.encode())
    content.write(b"\n")
    return content.getvalue()


def _check(condition: str) -> str:
    """What must hold of the headers when the generated file is compiled."""
    return f'_Static_assert({condition}, "generated for another version of the kernels");'


def _constants(pool: ConstantPool) -> Iterator[str]:
    """Numbers in dense lines, which clang-format would otherwise spread; one array at a time, since
    their text is several times as large as they are.
    """
    if pool.arrays:
        yield "// clang-format off"
        for array in pool.arrays:
            yield array_definition(array.name, array.data, array.comment)
        yield "// clang-format on"


def _offsets(layout: Layout, name: str) -> str:
    buffers = layout.program.buffers
    if not buffers:
        return ""
    entries = [f"  {layout.offset_name(b.name)} = {layout.offset(b.name)}," for b in buffers]
    width = max(len(entry) for entry in entries)
    lines = [
        f"{entry:{width}}  // {buffer.size_bytes} bytes"
        for entry, buffer in zip(entries, buffers, strict=True)
    ]
    last = max(buffers, key=lambda buffer: layout.offset(buffer.name) + buffer.size_bytes)
    end = f"{layout.offset_name(last.name)} + {last.size_bytes}"
    check = wrapped_call(
        "_Static_assert(",
        [f"{end} <= {name.upper()}_ARENA_BYTES", '"the arena is too small for its last tensor"'],
        ");",
    )
    title = "// Where each tensor lies in the arena, in bytes from its start."
    return "\n".join([title, "enum {", *lines, "};", check])


def _scope(layout: Layout, call: KernelCall, pool: ConstantPool) -> LayerScope:
    program = layout.program
    inputs: list[Operand | None] = []
    for index, name in enumerate(call.inputs):
        if name is None:
            inputs.append(None)
        elif name in program.constant:
            constant = program.constant[name]
            tensor = shortened(c_identifier(name), 32)
            description = f"{name} {describe(constant.type)}"
            inputs.append(Operand("", tensor, "", description, constant.data, name))
        else:
            inputs.append(_operand(layout, name, _local_name(call, index)))
    outputs = tuple(
        _operand(layout, name, "output" if index == 0 else f"output_{index}")
        for index, name in enumerate(call.outputs)
    )
    return LayerScope(
        layer=layout.layer_identifiers[call.name],
        inputs=tuple(inputs),
        outputs=outputs,
        scratch=None if call.scratch is None else _operand(layout, call.scratch, "scratch"),
        scratch_bytes=0 if call.scratch is None else program.buffer[call.scratch].size_bytes,
        pool=pool,
        reads=frozenset(call.reads),
        layouts={
            program.constant[name].layout: program.constant[name].data
            for name in call.reads
            if program.constant[name].layout
        },
    )


def _operand(layout: Layout, name: str, local: str) -> Operand:
    return Operand(local, layout.identifiers[name], layout.offset_name(name))


def _local_name(call: KernelCall, index: int) -> str:
    operands = call.operator.operands
    operand = operands[min(index, len(operands) - 1)]
    return f"{operand.name}_{index}" if operand.variadic else operand.name


def _layer(
    layout: Layout,
    number: int,
    call: KernelCall,
    kernel: Kernel,
    scope: LayerScope,
    emission: Emission,
) -> str:
    returned = "void" if emission.result is None else "int"
    lines = [
        *_layer_comment(layout, number, call, kernel),
        f"static {returned} {_function(layout, number, call)}(uint8_t *arena) {{",
        *(_locals(layout, call, scope) if emission.uses_pointers else ()),
        *emission.statements,
    ]
    if emission.result is not None:
        lines.append(f"  return {emission.result};")
    return "\n".join([*lines, "}"])


def _function(layout: Layout, number: int, call: KernelCall) -> str:
    return f"layer_{number}_{layout.layer_identifiers[call.name]}"


def _layer_comment(layout: Layout, number: int, call: KernelCall, kernel: Kernel) -> list[str]:
    lines = [f"Layer {number}, {call.name}: {call.operator.mnemonic} by {kernel.name}"]
    for index, name in enumerate(call.inputs):
        if name is not None:
            lines.append(f"  {_local_name(call, index)}: {_describe_operand(layout, name)}")
    for name in call.outputs:
        lines.append(f"  output: {_describe_operand(layout, name)}")
    if call.scratch is not None:
        lines.append(f"  scratch: {layout.program.buffer[call.scratch].size_bytes} bytes")
    if call.reason:
        lines.append(f"  why not a better kernel: {call.reason}")
    return comment_lines(*lines)


def _describe_operand(layout: Layout, name: str) -> str:
    program = layout.program
    if name in program.constant:
        return f"{name} {describe(program.constant[name].type)}"
    return f"{name} {describe(program.buffer[name].type)}, arena + {layout.offset(name)}"


def _locals(layout: Layout, call: KernelCall, scope: LayerScope) -> list[str]:
    """Pointers to the operands in the arena; one operand given twice needs only its first name."""
    lines: list[str] = []
    for name, operand in zip(call.inputs, scope.inputs, strict=True):
        if name is not None and operand is not None and operand.constant is None:
            lines.append(_pointer(layout, name, operand.expression, "const "))
    for name, operand in zip(call.outputs, scope.outputs, strict=True):
        lines.append(_pointer(layout, name, operand.expression, ""))
    if call.scratch is not None and scope.scratch is not None:
        lines.append(_pointer(layout, call.scratch, scope.scratch.expression, ""))
    return lines


def _pointer(layout: Layout, buffer: str, local: str, const: str) -> str:
    element = C_TYPES[layout.program.buffer[buffer].type.dtype]
    return (
        f"  {const}{element} *{local} = ({const}{element} *)(arena + {layout.offset_name(buffer)});"
    )


def _run(layout: Layout, name: str, failing: set[str]) -> str:
    """All layers in order. A refusal is noted, not acted on at once: a branch per layer is more code
    than the whole call, and refusals are defects that no input can cause.
    """
    prefix = name.upper()
    lines = [
        f"int {name}_run(void *arena) {{",
        f"  if (arena == NULL || (uintptr_t)arena % {prefix}_ARENA_ALIGNMENT != 0u) {{",
        f"    return {prefix}_ERROR_ARENA;",
        "  }",
    ]
    if layout.program.calls:
        lines.append("  uint8_t *bytes = arena;")
    if failing:
        lines.append("  int refused = 0;")
    for number, call in enumerate(layout.program.calls):
        note = "refused |= " if call.name in failing else ""
        lines.append(f"  {note}{_function(layout, number, call)}(bytes);")
        output = layer_output(call)
        size = layout.program.buffer[output].size_bytes
        lines.append(
            f"  TINSMITH_LAYER_DONE({number}u, bytes + {layout.offset_name(output)}, {size}u);"
        )
    lines.append(
        f"  return refused == 0 ? 0 : {prefix}_ERROR_KERNEL;" if failing else "  return 0;"
    )
    return "\n".join([*lines, "}"])
