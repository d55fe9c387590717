"""Generated C compiled by the host's compiler under AddressSanitizer and UBSan, and run."""

import os
import shutil
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from tinsmith_ir.evaluate import equal_arrays, evaluate_graph
from tinsmith_ir.graph import Array, Graph
from tinsmith_ir.program import Buffer, Program
from tinsmith_ir.simulate import evaluate_program
from tinsmith_lowering import Kernel, lower, prepare
from tinsmith_target import Target

from tinsmith_c.layout import Layout, c_name
from tinsmith_c.options import WriteOptions
from tinsmith_c.writer import write

_FLAGS = ("-std=c11", "-O1", "-Wall", "-Wextra", "-Werror", "-ffp-contract=off")
_SANITIZERS = ("-g1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")

BUILT_ROOMS = (
    "reference",
    "cmsis_nn",
    "pulp_nn",
    "neureka",
    "diana",
    "analog",
    "cluster/host.c",
    "dma/host.c",
)
"""The rooms whose plain C Bazel compiles once for all tests."""

# In the folder of this library; outside of Bazel each test compiles its own.
_BUILT = Path(__file__).parents[2] / "kernels_on_host.a"

# One file for the compiler, as starting it is most of what it takes. The model comes first: nothing is included for it.
_MAIN = """\
#include "{name}.c"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint8_t *allocate(size_t size, size_t alignment) {{
  return aligned_alloc(alignment, (size + alignment - 1u) / alignment * alignment);
}}

int main(void) {{
{allocations}
  for (;;) {{
{reads}
    const int status = {name}_run({argument});
    if (status != 0) {{
      fprintf(stderr, "status %d\\n", status);
      return 1;
    }}
{writes}
  }}
}}
"""


def _sources(room: Path) -> Iterable[Path]:
    if room.is_file():
        return [room]
    return (room / "src").rglob("*.c") if (room / "src").is_dir() else room.glob("*.c")


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

    sources: C files of the kernels. includes: folders of their headers. folder: for what is compiled. behind: what
    they call, and what of them is not in these files.
    """

    sources: Sequence[Path]
    includes: Sequence[Path]
    folder: Path
    behind: "KernelObjects | None" = None
    _archive: Path | None = None

    @staticmethod
    def of_repository(kernels: Path, rooms: Sequence[str], folder: Path) -> "KernelObjects":
        """The plain C of rooms of the folder kernels/: `reference`, `cmsis_nn`, or of one file: `dma/host.c`.

        Under Bazel BUILT_ROOMS are compiled before the tests; the archive then holds all of them.
        """
        sources = [path for room in rooms for path in sorted(_sources(kernels / room))]
        folders = [kernels / room for room in rooms if (kernels / room).is_dir()]
        includes = [kernels / "include", *folders, *(room / "include" for room in folders)]
        is_built = _BUILT.exists() and "TINSMITH_HOST_CC" not in os.environ
        is_built = is_built and {*rooms} <= {*BUILT_ROOMS}
        return KernelObjects(sources, includes, folder, _archive=_BUILT if is_built else None)

    def archive(self) -> Path:
        """A static library, compiled at the first call: of its members a program gets what it calls."""
        if self._archive is None:
            objects: list[Path] = []
            for source in self.sources:
                # Rooms have files of equal names, and an archive finds members by theirs.
                objects.append(self.folder / f"{'_'.join(source.with_suffix('').parts[-3:])}.o")
                compile_c(["-c", source, *self.include_flags(), "-o", objects[-1]])
            archive = self.folder / f"{objects[0].stem}.a"
            subprocess.run(["ar", "rcD", archive, *objects], check=True)
            self._archive = archive
        return self._archive

    def archives(self) -> list[Path]:
        """Its own and those behind it, in the linker's order."""
        return [self.archive(), *(self.behind.archives() if self.behind else ())]

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
        flags = [*objects.include_flags(), f"-I{folder}"]
        compile_c([folder / "main.c", *flags, *objects.archives(), "-o", executable])
        return HostModel(program, executable, files)

    @staticmethod
    def of_graph(
        graph: Graph,
        target: Target,
        kernels: Sequence[Kernel],
        objects: KernelObjects,
        folder: Path,
    ) -> "HostModel":
        """The same of a graph, its buffers one behind another; raises as `lower` and `build` do."""
        program = place(prepare(lower(graph, target, kernels), target, kernels))
        return HostModel.build(program, target, kernels, objects, folder)

    def wrong_results(self, inputs: Mapping[str, Array], graph: Graph | None = None) -> list[str]:
        """Outputs of one inference that differ from the evaluator's, of the graph or else of the program."""
        if graph is None:
            names, expected = list(self.program.outputs), evaluate_program(self.program, inputs)
        else:
            names, expected = [one.name for one in graph.outputs], evaluate_graph(graph, inputs)
        results = zip(names, self.run(inputs), strict=True)
        return [name for name, result in results if not equal_arrays(result, expected[name])]

    def run(self, inputs: Mapping[str, Array]) -> list[Array]:
        """The outputs of one inference, in the program's order."""
        (outputs,) = self.run_frames([inputs])
        return outputs

    def run_frames(self, frames: Sequence[Mapping[str, Array]]) -> list[list[Array]]:
        """The outputs of each of several runs, one after another."""
        data = b"".join(
            np.ascontiguousarray(inputs[name]).tobytes()
            for inputs in frames
            for name in self.program.inputs
        )
        done = subprocess.run([self.executable], input=data, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr.decode()
        runs: list[list[Array]] = []
        start = 0
        for _ in frames:
            outputs: list[Array] = []
            for name in self.program.outputs:
                type_ = self.program.view[name].type
                part = done.stdout[start : start + type_.size_bytes]
                outputs.append(np.frombuffer(part, type_.dtype.numpy).reshape(type_.shape))
                start += type_.size_bytes
            runs.append(outputs)
        assert start == len(done.stdout)
        return runs


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
    name = c_name(program)
    prefix = name.upper()
    buffers = memories_of(layout)
    allocations = [
        f"  const size_t {variable}_size = {prefix}_{macro}_BYTES;\n"
        f"  uint8_t *{variable} = allocate({variable}_size, {prefix}_{macro}_ALIGNMENT);"
        for variable, macro in buffers.values()
    ]
    if not layout.has_arena:
        fields = ", ".join(variable for variable, _ in buffers.values())
        allocations.append(f"  const {name}_memories_t memories = {{{fields}}};")
    frees = " ".join(f"free({variable});" for variable, _ in buffers.values())
    argument = "arena" if layout.has_arena else "&memories"
    kept = {buffers[memory][0] for memory in layout.kept_memories}
    fills = [
        f"    memset({variable}, 0x55, {variable}_size);"
        for variable, _ in buffers.values()
        if variable not in kept
    ]
    if program.states:
        allocations += [
            f"  memset({variable}, 0x55, {variable}_size);" for variable in sorted(kept)
        ]
        allocations += [f"  if ({name}_reset({argument}) != 0) {{\n    return 1;\n  }}"]
    reads = [
        f"    if (fread({place_of(layout, buffers, end)}, stdin) != {program.view[end].type.size_bytes}) "
        f"{{\n      {frees}\n      return 0;\n    }}"
        for end in program.inputs
    ]
    writes = [f"    fwrite({place_of(layout, buffers, end)}, stdout);" for end in program.outputs]
    if not program.inputs:
        writes.append(f"    {frees}\n    return 0;")
    return _MAIN.format(
        name=name,
        allocations="\n".join(allocations),
        argument=argument,
        reads="\n".join([*fills, *reads]),
        writes="\n".join(writes),
    )


def memories_of(layout: Layout) -> dict[str, tuple[str, str]]:
    """Memory -> the variable that points to it, and what its macros are called."""
    memories = [memory.name for memory in layout.memories]
    if layout.has_arena:
        return dict.fromkeys(memories or ["arena"], ("arena", "ARENA"))
    return {
        memory: (f"memory_{index}", layout.fields[memory].upper())
        for index, memory in enumerate(memories)
    }


def place_of(layout: Layout, buffers: Mapping[str, tuple[str, str]], name: str) -> str:
    """A view as the first arguments of fread: pointer, 1, bytes."""
    variable, _ = buffers[layout.program.buffer_of(name).memory]
    size = layout.program.view[name].type.size_bytes
    return f"{variable} + {layout.offset(name)}, 1, {size}"
