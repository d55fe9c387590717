"""No name of a model becomes code, shown by a C compiler."""

import subprocess
import sys
import unicodedata
from pathlib import Path

import numpy as np
import pytest
from tinsmith_c import WriteOptions, write, write_harness_model
from tinsmith_c.testing import host_compiler, place
from tinsmith_c.text import comment_lines
from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Value
from tinsmith_ir.operators import Add, Relu
from tinsmith_ir.program import Program
from tinsmith_ir.testing import GraphBuilder
from tinsmith_ir.types import TensorType
from tinsmith_lowering import lower, prepare
from tinsmith_lowering.testing import toys
from tinsmith_target import target

HOST = target("host")
_FLAGS = ["-x", "c", "-std=c11", "-Wall", "-Wextra", "-Werror", "-Wcomment", "-Wtrigraphs"]
_TOY_HEADER = """\
#include <stdint.h>
#define TOY 1
int toy_fast_add(const int32_t *sums, void *scratch, float *output);
void toy_add(int size, const float *lhs, const float *rhs, float *output);
void toy_relu(int size, const float *input, float *output);
"""


def _characters() -> list[str]:
    """Every byte value, one character of every category of Unicode, and what C joins or ends by."""
    categories: dict[str, str] = {}
    for number in range(256, sys.maxunicode + 1):
        categories.setdefault(unicodedata.category(chr(number)), chr(number))
    marks = ["\u2028", "\u2029", "\u202e", "\u2066", "\u2069", "\ufeff"]
    sequences = ["??/", "???/", "*/", "/*", "/*/", "//", "\r\n", "\\ ", '"', "\\\r", "\\\n"]
    return [*map(chr, range(256)), *categories.values(), *marks, *sequences]


def _hostile(number: int, character: str) -> str:
    """A name whose middle is a compile error if it becomes code, and whose end may join lines."""
    return f'n{number}{character}_Static_assert(0, "name {number} is code"); {character}'


HOSTILE = [_hostile(number, character) for number, character in enumerate(_characters())]


def accept(folder: Path, file: str) -> None:
    """Compile a file without writing anything; everything the compiler could say is an error."""
    compiler = host_compiler()
    if compiler is None:
        pytest.skip("no C compiler on this machine")
    command = [compiler, *_FLAGS, "-fsyntax-only", "-I.", file]
    done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode(errors="replace")[:2000]


def test_no_text_ends_or_continues_a_comment(tmp_path: Path) -> None:
    lines: list[str] = []
    for number, text in enumerate(HOSTILE):
        lines += [*comment_lines(text, f"  {text}"), f"int after_{number};"]
    used = " + ".join(f"after_{number}" for number in range(len(HOSTILE)))
    text = "\n".join([*lines, f"int all(void);\nint all(void) {{ return {used}; }}", ""])
    (tmp_path / "comments.c").write_text(text)
    accept(tmp_path, "comments.c")


def test_no_name_becomes_code(tmp_path: Path) -> None:
    program = _program()
    options = WriteOptions(HOSTILE[13], HOSTILE[92], tuple(HOSTILE))
    files = write(program, HOST, toys().all, options)
    files |= {"harness_model.c": write_harness_model(program), "toy.h": _TOY_HEADER.encode()}
    for file, content in files.items():
        assert content.isascii()
        (tmp_path / file).write_bytes(content)
    (tmp_path / "fast.h").write_text("")
    (tmp_path / "tinsmith_harness.h").write_text(_HARNESS_HEADER)
    for file in files:
        if file.endswith(".c"):
            accept(tmp_path, file)


_HARNESS_HEADER = """\
#include <stdint.h>
#define TINSMITH_HARNESS_ARENA
typedef struct { uint32_t offset, bytes, memory; } tinsmith_harness_tensor_t;
typedef struct {
  const char *name;
  void *arena;
  uint32_t arena_bytes, input_count;
  const tinsmith_harness_tensor_t *inputs;
  uint32_t output_count;
  const tinsmith_harness_tensor_t *outputs;
  uint32_t layer_count;
  int (*run)(void *arena);
} tinsmith_harness_model_t;
extern const tinsmith_harness_model_t tinsmith_harness_model;
"""


def _program() -> Program:
    """Each hostile name is that of an input, of a constant, and of a layer with a reason to tell."""
    builder = GraphBuilder("".join(HOSTILE))
    results: list[Value] = []
    type_ = TensorType((9,), DType.FLOAT32)
    for number, name in enumerate(HOSTILE):
        x = builder.input(f"input {name}", type_)
        c = builder.constant(f"constant {name}", np.full(9, number, np.float32))
        total = builder.add(Add(), [x, c], f"sum {name}")
        results.append(builder.add(Relu(), [total], f"result {name}"))
    return place(prepare(lower(builder.build(results), HOST, toys().all), HOST, toys().all))
