"""Many programs in one executable of the host, under sanitizers: for tests of thousands of programs."""

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from tinsmith_ir.graph import Array
from tinsmith_ir.program import Program
from tinsmith_lowering import Kernel
from tinsmith_target import Target

from tinsmith_c.layout import Layout, c_name
from tinsmith_c.options import WriteOptions
from tinsmith_c.testing.host import KernelObjects, compile_c, memories_of, place_of
from tinsmith_c.writer import write

# Without optimization and line numbers: compiling is most of the time.
_FLAGS = ("-O0", "-g0")

_MAIN = """\
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
{includes}

static uint8_t *allocate(size_t size, size_t alignment) {{
  uint8_t *memory = aligned_alloc(alignment, (size + alignment - 1u) / alignment * alignment);
  memset(memory, 0x55, size);
  return memory;
}}

static void check(int is_right, const char *what) {{
  if (!is_right) {{
    fprintf(stderr, "%s\\n", what);
    exit(1);
  }}
}}

{functions}

// Runs programs argv[1] to argv[2] - 1.
int main(int argc, char **argv) {{
  static void (*const run[])(void) = {{{names}}};
  for (int i = argc == 3 ? atoi(argv[1]) : 0; argc == 3 && i < atoi(argv[2]); ++i) {{
    run[i]();
  }}
  return 0;
}}
"""

_FUNCTION = """\
static void test_{name}(void) {{
{allocations}
{reads}
  check({name}_run({argument}) == 0, "status");
{writes}
  {frees}
}}
"""


@dataclass(frozen=True)
class HostBatch:
    """Placed programs as one executable; the generated C is compiled once, whatever it is linked with."""

    programs: tuple[Program, ...]
    objects: tuple[Path, ...]
    folder: Path

    @staticmethod
    def build(
        programs: Sequence[Program],
        target: Target,
        kernels: Sequence[Kernel],
        includes: Sequence[Path],
        folder: Path,
    ) -> "HostBatch":
        """Write the C of placed programs into `folder` and compile it, warnings being errors.

        Raises AssertionError with the compiler's text.
        """
        named = tuple(replace(p, name=f"program_{index}") for index, p in enumerate(programs))
        sources = [folder / "main.c"]
        for program in named:
            for file, content in write(program, target, kernels, WriteOptions()).items():
                (folder / file).write_bytes(content)
            sources.append(folder / f"{c_name(program)}.c")
        sources[0].write_text(_main(named))
        flags = [*_FLAGS, *(f"-I{include}" for include in includes), f"-I{folder}"]
        objects = [source.with_suffix(".o") for source in sources]
        for source, made in zip(sources, objects, strict=True):
            compile_c(["-c", source, *flags, "-o", made])
        return HostBatch(named, tuple(objects), folder)

    def link(self, name: str, *libraries: KernelObjects) -> Path:
        """An executable of that name."""
        executable = self.folder / name
        others = [library.archive() for library in libraries]
        compile_c([*self.objects, *others, "-o", executable])
        return executable

    def run(self, executable: Path, inputs: Sequence[Array]) -> list[Array | str]:
        """The first output of each program on its first input, or what a sanitizer said."""
        everything = self._run(executable, range(len(self.programs)), inputs)
        if not isinstance(everything, str):
            return [*everything]
        alone = [self._run(executable, range(i, i + 1), inputs) for i in range(len(inputs))]
        return [found if isinstance(found, str) else found[0] for found in alone]

    def _run(self, executable: Path, which: range, inputs: Sequence[Array]) -> list[Array] | str:
        data = b"".join(np.ascontiguousarray(inputs[index]).tobytes() for index in which)
        command = [str(executable), str(which.start), str(which.stop)]
        done = subprocess.run(command, input=data, capture_output=True, check=False)
        if done.returncode != 0:
            return done.stderr.decode(errors="replace") or f"status {done.returncode}"
        results: list[Array] = []
        start = 0
        for index in which:
            type_ = self.programs[index].type_of(self.programs[index].outputs[0])
            part = done.stdout[start : start + type_.size_bytes]
            results.append(np.frombuffer(part, type_.dtype.numpy).reshape(type_.shape))
            start += type_.size_bytes
        return results


def _main(programs: Sequence[Program]) -> str:
    names = [c_name(program) for program in programs]
    return _MAIN.format(
        includes="\n".join(f'#include "{name}.h"' for name in names),
        functions="\n".join(_function(program) for program in programs),
        names=", ".join(f"test_{name}" for name in names),
    )


def _function(program: Program) -> str:
    layout = Layout(program)
    name = c_name(program)
    buffers = memories_of(layout)
    allocations = [
        f"  uint8_t *{variable} = allocate({name.upper()}_{macro}_BYTES, {name.upper()}_{macro}_ALIGNMENT);"
        for variable, macro in buffers.values()
    ]
    if not layout.has_arena:
        fields = ", ".join(variable for variable, _ in buffers.values())
        allocations.append(f"  const {name}_memories_t memories = {{{fields}}};")
    source, result = place_of(layout, buffers, program.inputs[0]), program.outputs[0]
    size = program.type_of(program.inputs[0]).size_bytes
    return _FUNCTION.format(
        name=name,
        allocations="\n".join(allocations),
        reads=f'  check(fread({source}, stdin) == {size}u, "input");',
        argument="arena" if layout.has_arena else "&memories",
        writes=f"  fwrite({place_of(layout, buffers, result)}, stdout);",
        frees=" ".join(f"free({variable});" for variable, _ in buffers.values()),
    )
