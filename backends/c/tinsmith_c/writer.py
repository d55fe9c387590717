"""From a placed Program to files: `<name>.h`, `<name>.c`, and the file that a test harness links."""

from collections.abc import Mapping, Sequence

from tinsmith_ir.checked import checked
from tinsmith_ir.program import Loop, Program, unrolled
from tinsmith_lowering import Kernel
from tinsmith_target import Target

from tinsmith_c.header import write_header
from tinsmith_c.layout import Layout, c_name
from tinsmith_c.options import WriteOptions
from tinsmith_c.source import emit_calls, write_source
from tinsmith_c.text import comment_lines


@checked
def write(
    program: Program, target: Target, kernels: Sequence[Kernel], options: WriteOptions | None = None
) -> dict[str, bytes]:
    """File name -> content, the same bytes for the same arguments.

    program: placed (every buffer has an offset). kernels: at least those that its calls name.
    Raises GraphError for a program that is not placed, UnsupportedError for an unknown kernel.
    """
    layout = Layout(program)
    chosen = options or WriteOptions()
    name = c_name(program)
    emitted = emit_calls(layout, target, kernels)
    return {
        f"{name}.h": write_header(layout, emitted.engines, chosen).encode(),
        f"{name}.c": write_source(layout, emitted, chosen),
    }


@checked
def write_harness_model(program: Program) -> bytes:
    """Content of `harness_model.c`: the model's description for the test harness and its memories; never
    part of a product.
    """
    layout = Layout(program)
    name = c_name(program)
    prefix = name.upper()
    is_looped = any(isinstance(step, Loop) for step in program.steps)
    lines = [
        *comment_lines(
            f"Test harness of the network '{program.name}': its memory and its description."
        ),
        f'#include "{name}.h"',
        '#include "tinsmith_harness.h"',
        *(["", "#include <string.h>"] if layout.asked else []),
        "",
        *(_arena(prefix) if layout.has_arena else _memories(layout, name, prefix)),
        *(_several_reset(name) if program.states and not layout.has_arena else ()),
        "",
        *_tensor_table(layout, "input", program.inputs),
        *_tensor_table(layout, "output", program.outputs),
        "const tinsmith_harness_model_t tinsmith_harness_model = {",
        f'    .name = "{name}",',
        *_given_to_run(layout, prefix),
        f"    .input_count = {prefix}_INPUT_COUNT,",
        "    .inputs = kInputs,",
        f"    .output_count = {prefix}_OUTPUT_COUNT,",
        "    .outputs = kOutputs,",
        f"    .layer_count = {f'{len(unrolled(program).calls)}u' if is_looped else f'{prefix}_LAYER_COUNT'},",
        f"    .run = {f'{name}_run' if layout.has_arena else 'run'},",
        *_reset(layout, name),
        "};",
        "",
    ]
    assert layout.arena_bytes > 0
    return "\n".join(lines).encode()


def _arena(prefix: str) -> list[str]:
    return [f"static uint8_t arena[{prefix}_ARENA_BYTES] TINSMITH_HARNESS_ARENA;"]


def _memories(layout: Layout, name: str, prefix: str) -> list[str]:
    """An array for each memory, the struct that points to them, and a run function that takes any pointer."""
    arrays = [
        f"static _Alignas({prefix}_{field.upper()}_ALIGNMENT) uint8_t memory_{field}"
        f'[{prefix}_{field.upper()}_BYTES] TINSMITH_HARNESS_MEMORY("{field}");'
        for field in layout.fields.values()
    ]
    rows = [
        f"    {{memory_{field}, {prefix}_{field.upper()}_BYTES, {int(memory in layout.kept_memories)}}},"
        for memory, field in _painted(layout).items()
    ]
    pointers = ", ".join(f"memory_{field}" for field in layout.pointers.values())
    if layout.asked:
        pointers += ", read_input, NULL"
    return [
        *arrays,
        *_read_input(layout),
        f"static {name}_memories_t memories = {{{pointers}}};",
        "static const tinsmith_harness_memory_t kMemories[] = {",
        *rows,
        "};",
        "",
        "static int run(void *arena) {",
        f"  return {name}_run(arena);",
        "}",
    ]


def _painted(layout: Layout) -> Mapping[str, str]:
    """Memories that the harness fills before a run, with their fields: those that the core reaches."""
    memories = layout.program.memory
    return {
        name: field
        for name, field in layout.fields.items()
        if name not in memories or not memories[name].is_remote
    }


def _read_input(layout: Layout) -> list[str]:
    """What hands over inputs, from memory that the network knows nothing of."""
    if not layout.asked:
        return []
    return [
        "",
        "static int read_input(void *context, void *destination, uint32_t offset, uint32_t bytes) {",
        "  (void)context;",
        f"  memcpy(destination, memory_{layout.fields[layout.asked]} + offset, bytes);",
        "  return 0;",
        "}",
        "",
    ]


def _several_reset(name: str) -> list[str]:
    return ["", "static int reset(void *arena) {", f"  return {name}_reset(arena);", "}"]


def _reset(layout: Layout, name: str) -> list[str]:
    if not layout.program.states:
        return []
    return [f"    .reset = {f'{name}_reset' if layout.has_arena else 'reset'},"]


def _given_to_run(layout: Layout, prefix: str) -> list[str]:
    if layout.has_arena:
        # Nothing of an arena that holds states may be painted.
        painted = "0u" if layout.kept_memories else f"{prefix}_ARENA_BYTES"
        return ["    .arena = arena,", f"    .arena_bytes = {painted},"]
    return [
        "    .arena = &memories,",
        f"    .memory_count = {len(_painted(layout))}u,",
        "    .memories = kMemories,",
    ]


def _tensor_table(layout: Layout, kind: str, names: Sequence[str]) -> list[str]:
    memories = [memory.name for memory in layout.memories]
    prefix = f"{c_name(layout.program)}_{kind}".upper()
    rows = [
        f"    {{{prefix}_{index}_OFFSET, {prefix}_{index}_BYTES, "
        f"{memories.index(layout.program.buffer_of(name).memory)}u}},"
        for index, name in enumerate(names)
    ]
    head = f"static const tinsmith_harness_tensor_t k{kind.capitalize()}s[] = {{"
    return [head, *rows, "};", ""]
