"""Generated C compiled by the host's compiler under AddressSanitizer and UBSan, and run."""

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from tinsmith_ir.graph import Array
from tinsmith_ir.program import Buffer, Program
from tinsmith_lowering import Kernel
from tinsmith_target import Target

from tinsmith_c.layout import Layout, c_name
from tinsmith_c.options import WriteOptions
from tinsmith_c.writer import write

_FLAGS = ("-std=c11", "-O1", "-Wall", "-Wextra", "-Werror", "-ffp-contract=off")
_SANITIZERS = ("-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")

_MAIN = """\
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "{name}.h"

int main(void) {{
  const size_t size = ({prefix}_ARENA_BYTES + 15u) / 16u * 16u;
  uint8_t *arena = aligned_alloc(16, size);
  for (;;) {{
    memset(arena, 0x55, size);
{reads}
    const int status = {name}_run(arena);
    if (status != 0) {{
      fprintf(stderr, "status %d\\n", status);
      return 1;
    }}
{writes}
  }}
}}
"""


def place(program: Program, alignment: int = 16) -> Program:
    """Every buffer behind the one before, none sharing memory: correct and wasteful."""
    offset = 0
    placed: list[Buffer] = []
    for buffer in program.buffers:
        placed.append(replace(buffer, offset=offset))
        offset += -(-buffer.size_bytes // alignment) * alignment
    return program.with_buffers(tuple(placed))


@dataclass
class KernelObjects:
    """Kernels compiled once and used by many models.

    sources: C files of the kernels. includes: folders of their headers. folder: for the objects.
    """

    sources: Sequence[Path]
    includes: Sequence[Path]
    folder: Path
    _built: list[Path] = field(default_factory=list[Path])

    def objects(self) -> Sequence[Path]:
        """The object files, compiled at the first call."""
        if not self._built:
            for source in self.sources:
                target = self.folder / f"{source.parent.name}_{source.stem}.o"
                compile_c(["-c", source, *self.include_flags(), "-o", target])
                self._built.append(target)
        return self._built

    def include_flags(self) -> list[str]:
        """`-I` for each folder."""
        return [f"-I{folder}" for folder in self.includes]


@dataclass(frozen=True)
class HostModel:
    """A program as an executable of the host."""

    program: Program
    executable: Path
    files: Mapping[str, bytes]

    @staticmethod
    def build(
        program: Program,
        target: Target,
        kernels: Sequence[Kernel],
        objects: KernelObjects,
        folder: Path,
    ) -> "HostModel":
        """Write the C of a placed program into `folder`, compile it with warnings as errors and
        sanitizers, and link it with the kernels.

        Raises AssertionError with the compiler's text.
        """
        files = write(program, target, kernels, WriteOptions())
        name = c_name(program)
        for file, content in files.items():
            (folder / file).write_bytes(content)
        (folder / "main.c").write_text(_main(program))
        executable = folder / f"{name}.exe"
        sources = [folder / f"{name}.c", folder / "main.c"]
        flags = [*objects.include_flags(), f"-I{folder}"]
        compile_c([*sources, *flags, *objects.objects(), "-o", executable])
        return HostModel(program, executable, files)

    def run(self, inputs: Mapping[str, Array]) -> list[Array]:
        """The outputs of one inference, in the program's order."""
        data = b"".join(
            np.ascontiguousarray(inputs[name]).tobytes() for name in self.program.inputs
        )
        done = subprocess.run([self.executable], input=data, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr.decode()
        outputs: list[Array] = []
        start = 0
        for name in self.program.outputs:
            type_ = self.program.view[name].type
            part = done.stdout[start : start + type_.size_bytes]
            outputs.append(np.frombuffer(part, type_.dtype.numpy).reshape(type_.shape))
            start += type_.size_bytes
        assert start == len(done.stdout)
        return outputs


def host_compiler() -> str | None:
    """The host's C compiler: what TINSMITH_HOST_CC names, else cc; None if it is not there."""
    return shutil.which(os.environ.get("TINSMITH_HOST_CC", "cc"))


def compile_c(arguments: Sequence[str | Path]) -> None:
    """Run the host's C compiler (TINSMITH_HOST_CC, or cc); raises AssertionError with its text if it complains."""
    compiler = host_compiler()
    assert compiler is not None, "no C compiler on this machine"
    command = [compiler, *_FLAGS, *_SANITIZERS, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()


def _main(program: Program) -> str:
    layout = Layout(program)
    reads = [
        f"    if (fread(arena + {layout.offset(name)}, 1, {program.view[name].type.size_bytes}, stdin) "
        f"!= {program.view[name].type.size_bytes}) {{\n      free(arena);\n      return 0;\n    }}"
        for name in program.inputs
    ]
    writes = [
        f"    fwrite(arena + {layout.offset(name)}, 1, {program.view[name].type.size_bytes}, stdout);"
        for name in program.outputs
    ]
    if not program.inputs:
        writes.append("    free(arena);\n    return 0;")
    name = c_name(program)
    return _MAIN.format(
        name=name, prefix=name.upper(), reads="\n".join(reads), writes="\n".join(writes)
    )
