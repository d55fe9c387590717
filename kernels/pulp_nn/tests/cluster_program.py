"""Builds programs for the cluster: runtime, kernels and a main file, for CORE-V."""

from collections.abc import Sequence
from pathlib import Path

from tinsmith_toolchains import Cache, compiler_for, default_cache_directory, flags
from tinsmith_toolchains.objects import CompiledObject, CompileJob, compile_objects
from tinsmith_toolchains.tools import run_tool

TESTS = Path(__file__).resolve().parent
LIBRARY = TESTS.parent
KERNELS = LIBRARY.parent
RUNTIME = KERNELS.parent / "platforms" / "simulators" / "runtime"
MEMORY_FUNCTIONS = KERNELS.parent / "platforms/boards/tinsmith_boards/c/runtime/string.c"
CPU = "riscv32-corev"


def build(
    main: Path, helpers: Sequence[Path], defines: Sequence[str], elf: Path, l1_bytes: int
) -> tuple[CompiledObject, ...]:
    """Link `main`, `helpers`, the kernels and the runtime to `elf`; returns the objects.

    l1_bytes: size of the cluster's first-level memory. Raises CompileError.
    """
    cache = Cache(default_cache_directory())
    tool = compiler_for(CPU, "zig", cache)
    sources = [main, *helpers, TESTS / "cluster/team.c", *sorted((LIBRARY / "src").glob("*.c"))]
    sources += sorted((RUNTIME / "src").glob("*.c"))
    options = (*flags().common, *flags().warnings, "-Werror", *flags().optimization("speed"))
    options += tuple(f"-D{define}" for define in defines)
    includes = tuple(
        f"-I{path}" for path in (LIBRARY, KERNELS / "include", RUNTIME, RUNTIME / "include")
    )
    jobs = [CompileJob(source, options, includes, is_harness=False) for source in sources]
    jobs.append(CompileJob(MEMORY_FUNCTIONS, (*options, "-ffreestanding"), (), is_harness=False))
    objects = compile_objects(jobs, tool, cache)
    command = [*tool.link_command, f"--defsym=__l1_bytes={l1_bytes}"]
    command += [str(item.path) for item in objects]
    script = RUNTIME / "pulp_open.ld"
    run_tool([*command, *tool.libraries, "-T", str(script), "-o", str(elf)], what="linking")
    return objects
