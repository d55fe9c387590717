"""C that shows on any board whether a network computes what it should: `<name>_check`, and memories for it."""

from collections.abc import Iterator, Sequence

import numpy as np
from tinsmith_ir.checked import checked
from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Array
from tinsmith_ir.program import Program
from tinsmith_ir.types import TensorType

from tinsmith_c.layout import Layout, c_name
from tinsmith_c.text import array_definition, comment_lines, wrapped_call

_FACTOR, _STEP, _FIRST = 1664525, 1013904223, 1
_RANDOM = (DType.INT8, DType.UINT8, DType.INT16, DType.FLOAT32)

_NEXT = f"""\
// Numbers without a pattern, 0 to 65535, the same on every machine: the upper bits of a linear congruential generator.
static uint32_t next_number(uint32_t *state) {{
  *state = *state * {_FACTOR}u + {_STEP}u;
  return *state >> 16;
}}
"""

_FILLS = {
    "uint8_t": "(uint8_t)next_number(state)",
    "uint16_t": "(uint16_t)next_number(state)",
    "float": "(float)((int32_t)next_number(state) - 32768) / 32768.0f",
}
_C_TYPES = {
    DType.INT8: "uint8_t",
    DType.UINT8: "uint8_t",
    DType.INT16: "uint16_t",
    DType.FLOAT32: "float",
}

# No memcmp: kernels do without, and so does a program on a board that has no C library.
_EQUAL_BYTES = """\
static int equal_bytes(const void *given, const uint8_t *expected, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    if (((const uint8_t *)given)[i] != expected[i]) {
      return 0;
    }
  }
  return 1;
}
"""

_EQUAL_FLOATS = """\
// The same bits, or no numbers both.
static int equal_floats(const float *given, const uint8_t *expected, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    float wanted;
    memcpy(&wanted, expected + 4u * i, sizeof wanted);
    if (!equal_bytes(&given[i], expected + 4u * i, 4u) && (given[i] == given[i] || wanted == wanted)) {
      return 0;
    }
  }
  return 1;
}
"""


def generated_inputs(types: Sequence[TensorType]) -> tuple[Array, ...]:
    """What `<name>_check` makes of inputs by itself, in this order: elements without a pattern, floats in [-1, 1);
    zeros of types that are indices or truths.
    """
    state = _FIRST
    found: list[Array] = []
    for type_ in types:
        if type_.dtype not in _RANDOM:
            found.append(np.zeros(type_.shape, type_.dtype.numpy))
            continue
        numbers = np.empty(type_.elements, np.uint32)
        for index in range(type_.elements):
            state = (state * _FACTOR + _STEP) & 0xFFFFFFFF
            numbers[index] = state >> 16
        found.append(_elements(numbers, type_))
    return tuple(found)


def _elements(numbers: Array, type_: TensorType) -> Array:
    if type_.dtype is DType.FLOAT32:
        real = (numbers.astype(np.int32) - 32768).astype(np.float32) / np.float32(32768)
        return real.reshape(type_.shape)
    unsigned = np.dtype(f"u{type_.dtype.numpy.itemsize}")
    return numbers.astype(unsigned).view(type_.dtype.numpy).reshape(type_.shape)


@checked
def write_check(
    program: Program, expected: Sequence[Array], inputs: Sequence[Array] | None = None
) -> dict[str, bytes]:
    """File name -> content: `<name>_check.h`, and `<name>_check.c`, which runs the network once and compares outputs.

    expected: the outputs, of the first run of a sequence. inputs: what gives them; None for `generated_inputs`, which
    take no room, but where the network asks for its inputs.
    """
    layout = Layout(program)
    name = c_name(program)
    types = [program.type_of(input_) for input_ in program.inputs]
    given = generated_inputs(types) if inputs is None and layout.asked else inputs
    source = [
        *comment_lines(f"Whether network '{program.name}' computes here what it should."),
        f'#include "{name}_check.h"',
        "",
        "#include <string.h>",
        "",
        _ALIGNED,
        *_arrays(layout, given, expected),
        *_functions(layout, types, given is None),
        *_check(layout, name, types, given is None),
    ]
    return {
        f"{name}_check.h": _header(layout, name).encode(),
        f"{name}_check.c": "\n".join(source).encode(),
    }


_ALIGNED = """\
#if defined(__GNUC__)
#define TINSMITH_ALIGNED __attribute__((aligned(16)))
#else
#define TINSMITH_ALIGNED
#endif
"""


def _header(layout: Layout, name: str) -> str:
    guard = f"TINSMITH_CHECK_{name.upper()}_H_"
    text = comment_lines(
        f"Run network '{layout.program.name}' on a sample and compare each byte of its outputs with what it should "
        f"give. Returns 0 if all are equal, 1 + the number of the first output that differs, or what {name}_run does. "
        "The memories are overwritten."
    )
    lines = [
        f"#ifndef {guard}",
        f"#define {guard}",
        "",
        f'#include "{name}.h"',
        "",
        "#ifdef __cplusplus",
        'extern "C" {',
        "#endif",
        "",
        *text,
        f"int {name}_check({layout.entry_parameter});",
        "",
        "#ifdef __cplusplus",
        '}  // extern "C"',
        "#endif",
        "",
        f"#endif  // {guard}",
        "",
    ]
    return "\n".join(lines)


def _arrays(
    layout: Layout, inputs: Sequence[Array] | None, expected: Sequence[Array]
) -> Iterator[str]:
    """Bytes, as no literal says each float; of a network that asks for its inputs, all in one array."""
    yield "// clang-format off"
    given = list(inputs or ())
    if given and layout.asked:
        given = [np.concatenate([_bytes(array) for array in given])]
    for kind, arrays in (("input", given), ("expected", expected)):
        for index, array in enumerate(arrays):
            yield array_definition(f"{kind}_{index}", _bytes(array), f"{kind} {index}, its bytes")
    yield "// clang-format on\n"


def _bytes(array: Array) -> Array:
    return np.frombuffer(np.ascontiguousarray(array).tobytes(), np.uint8)


def _functions(layout: Layout, types: Sequence[TensorType], is_generated: bool) -> Iterator[str]:
    program = layout.program
    filled = [_C_TYPES[type_.dtype] for type_ in types if type_.dtype in _RANDOM]
    if is_generated and filled:
        yield _NEXT
        for c_type in dict.fromkeys(filled):
            label = c_type.removesuffix("_t")
            yield f"static void fill_{label}({c_type} *elements, uint32_t count, uint32_t *state) {{"
            yield "  for (uint32_t i = 0; i < count; ++i) {"
            yield f"    elements[i] = {_FILLS[c_type]};"
            yield "  }\n}\n"
    yield _EQUAL_BYTES
    if any(program.type_of(output).dtype is DType.FLOAT32 for output in program.outputs):
        yield _EQUAL_FLOATS
    if layout.asked:
        yield "static int read_input(void *context, void *destination, uint32_t offset, uint32_t bytes) {"
        yield "  (void)context;"
        yield "  memcpy(destination, input_0 + offset, bytes);"
        yield "  return 0;\n}\n"


def _check(
    layout: Layout, name: str, types: Sequence[TensorType], is_generated: bool
) -> Iterator[str]:
    memories = "arena" if layout.has_arena else "memories"
    yield f"int {name}_check({layout.entry_parameter}) {{"
    if layout.asked:
        yield f"  {name}_memories_t own = *memories;"
        yield "  own.read = read_input;"
        memories = "&own"
    yield "  int status = 0;"
    if layout.program.states:
        yield f"  status = {name}_reset({memories});"
        yield "  if (status != 0) {\n    return status;\n  }"
    if is_generated and any(type_.dtype in _RANDOM for type_ in types):
        yield f"  uint32_t state = {_FIRST}u;"
    for index, type_ in enumerate([] if layout.asked else types):
        yield f"  {_filled(name, index, type_, memories, is_generated)}"
    yield f"  status = {name}_run({memories});"
    yield "  if (status != 0) {\n    return status;\n  }"
    for index, output in enumerate(layout.program.outputs):
        pointer, bytes_ = f"{name}_output_{index}({memories})", f"{name}_output_{index}_bytes"
        function, size = "equal_bytes", bytes_.upper()
        if layout.program.type_of(output).dtype is DType.FLOAT32:
            function, size = "equal_floats", f"{size} / 4u"
        arguments = [pointer, f"expected_{index}", size]
        yield wrapped_call(f"  if (!{function}(", arguments, ")) {")
        yield f"    return {index + 1};\n  }}"
    yield "  return 0;\n}\n"


def _filled(name: str, index: int, type_: TensorType, memories: str, is_generated: bool) -> str:
    pointer, size = f"{name}_input_{index}({memories})", f"{name}_input_{index}_bytes".upper()
    if not is_generated:
        return f"memcpy({pointer}, input_{index}, {size});"
    if type_.dtype not in _RANDOM:
        return f"memset({pointer}, 0, {size});"
    c_type = _C_TYPES[type_.dtype]
    function = f"fill_{c_type.removesuffix('_t')}"
    return f"{function}(({c_type} *){pointer}, {type_.elements}u, &state);"


def example_memories(program: Program, arena: str = "") -> tuple[list[str], str]:
    """C of arrays for the network's memories at file scope, and what the functions of its header are given for them.

    In C11 and C++, `ALIGNED(bytes)` defined for either. arena: an array of the program's that serves as the first
    memory; "" for one of the network's own.
    """
    layout = Layout(program)
    name = c_name(program)
    prefix = name.upper()
    if layout.has_arena:
        own = [] if arena else [_array(f"{name}_arena", f"{prefix}_ARENA")]
        return own, arena or f"{name}_arena"
    arrays: list[str] = []
    values: list[str] = []
    for index, field in enumerate(layout.pointers.values()):
        if arena and not index:
            values.append(arena)
            continue
        arrays.append(_array(f"{name}_{field}", f"{prefix}_{field.upper()}"))
        values.append(f"{name}_{field}")
    values += ["NULL", "NULL"] if layout.asked else []
    struct = f"static const {name}_memories_t {name}_memories = {{{', '.join(values)}}};"
    return [*arrays, struct], f"&{name}_memories"


def _array(name: str, macro: str) -> str:
    return f"ALIGNED({macro}_ALIGNMENT) static uint8_t {name}[{macro}_BYTES];"
