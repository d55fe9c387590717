"""From a placed Program to files: `<name>.h`, `<name>.c`, and the file that a test harness links."""

from collections.abc import Sequence

from tinsmith_ir.checked import checked
from tinsmith_ir.errors import GraphError
from tinsmith_ir.program import Program
from tinsmith_lowering import Kernel
from tinsmith_target import Target

from tinsmith_c.header import write_header
from tinsmith_c.layout import Layout, c_name
from tinsmith_c.options import WriteOptions
from tinsmith_c.source import write_source
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
    return {
        f"{name}.h": write_header(layout, chosen).encode(),
        f"{name}.c": write_source(layout, target, kernels, chosen),
    }


@checked
def write_harness_model(program: Program) -> bytes:
    """Content of `harness_model.c`: the model's description for the test harness and its arena; never
    part of a product.
    """
    layout = Layout(program)
    if not layout.has_arena:
        memories = ", ".join(memory.name for memory in program.memories)
        raise GraphError(f"the test harness has one arena, got {memories}")
    name = c_name(program)
    prefix = name.upper()
    lines = [
        *comment_lines(
            f"Test harness of the network '{program.name}': its arena and its description."
        ),
        f'#include "{name}.h"',
        '#include "tinsmith_harness.h"',
        "",
        f"static uint8_t arena[{prefix}_ARENA_BYTES] TINSMITH_HARNESS_ARENA;",
        "",
        *_tensor_table(prefix, "input", len(program.inputs)),
        *_tensor_table(prefix, "output", len(program.outputs)),
        "const tinsmith_harness_model_t tinsmith_harness_model = {",
        f'    .name = "{name}",',
        "    .arena = arena,",
        f"    .arena_bytes = {prefix}_ARENA_BYTES,",
        f"    .input_count = {prefix}_INPUT_COUNT,",
        "    .inputs = kInputs,",
        f"    .output_count = {prefix}_OUTPUT_COUNT,",
        "    .outputs = kOutputs,",
        f"    .layer_count = {prefix}_LAYER_COUNT,",
        f"    .run = {name}_run,",
        "};",
        "",
    ]
    assert layout.arena_bytes > 0
    return "\n".join(lines).encode()


def _tensor_table(prefix: str, kind: str, count: int) -> list[str]:
    rows = [
        f"    {{{prefix}_{kind.upper()}_{index}_OFFSET, {prefix}_{kind.upper()}_{index}_BYTES}},"
        for index in range(count)
    ]
    head = f"static const tinsmith_harness_tensor_t k{kind.capitalize()}s[] = {{"
    return [head, *rows, "};", ""]
