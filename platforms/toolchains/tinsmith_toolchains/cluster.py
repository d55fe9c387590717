"""Programs for a PULP cluster: C files, the cluster's runtime, and its linker script."""

from collections.abc import Sequence
from pathlib import Path

from tinsmith_boards import runtime_include_directory

from tinsmith_toolchains.cache import Cache
from tinsmith_toolchains.compilers import compiler_for
from tinsmith_toolchains.flags import flags
from tinsmith_toolchains.objects import CompileJob, compile_objects
from tinsmith_toolchains.tools import run_tool

_CPU = "riscv32-corev"


def build_cluster_program(
    sources: Sequence[Path],
    elf: Path,
    *,
    runtime: Path,
    include_directories: Sequence[Path] = (),
    defines: Sequence[str] = (),
    l1_bytes: int,
    core_stack_bytes: int = 2048,
    cache_directory: Path | None = None,
) -> str:
    """Compile `sources` and link them with the runtime to `elf`; returns the compiler's warnings.

    runtime: the folder platforms/simulators/runtime. l1_bytes: size of the cluster's first-level
    memory, whose end holds a stack of core_stack_bytes for each core. Raises CompileError.
    """
    cache = Cache.at(cache_directory)
    tool = compiler_for(_CPU, "zig", cache)
    options = flags().options("speed")
    folders = (*include_directories, runtime, runtime / "include")
    files = [*sources, *sorted((runtime / "src").glob("*.c"))]
    jobs = [
        CompileJob(
            file,
            options,
            is_harness=False,
            include_directories=folders,
            defines=tuple(defines),
        )
        for file in files
    ]
    memory = runtime_include_directory() / "string.c"
    jobs.append(CompileJob(memory, (*options, "-ffreestanding"), is_harness=False))
    objects = compile_objects(jobs, tool, cache)
    command = [*tool.link_command, f"--defsym=__l1_bytes={l1_bytes}"]
    command += [f"--defsym=__core_stack_bytes={core_stack_bytes}"]
    command += [str(item.path) for item in objects]
    command += [*tool.libraries, "-T", str(runtime / "pulp_open.ld"), "-o", str(elf)]
    run_tool(command, what="linking for the cluster")
    return "".join(item.warnings for item in objects)
