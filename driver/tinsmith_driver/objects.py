"""What programs for a target share, compiled ahead: kernels, the board's harness and runtime, compiler-rt.

Builds that find the folder in $TINSMITH_OBJECTS_DIR take objects from it, each by the hash of all that it was made
from, and compile what is not there. Its bytes depend on sources, compiler and target alone.
"""

from pathlib import Path

from tinsmith_toolchains import Cache, compiler_for, flags
from tinsmith_toolchains.firmware import board_jobs
from tinsmith_toolchains.objects import CompileJob, compile_objects

from tinsmith_driver.kernel_sources import kernel_include_directories, library_sources
from tinsmith_driver.plugins import registry


def build_objects(target_name: str, directory: Path) -> None:
    """Compile to `directory` what `build` needs beside the network by default: the compiler zig, the
    default level. Raises what `tinsmith_toolchains` does.
    """
    chosen = registry().target(target_name)
    kernels = registry().kernels(chosen, None, packed=True)
    cache = Cache(directory)
    on_cluster = board_jobs(chosen, cluster=True) if chosen.board.cluster is not None else []
    compile_objects(
        [
            *_kernel_jobs([kernel.backend for kernel in kernels]),
            *dict.fromkeys([*board_jobs(chosen), *on_cluster]),
        ],
        compiler_for(chosen.cpu, "zig", cache),
        cache,
    )


def _kernel_jobs(backends: list[str]) -> list[CompileJob]:
    return [
        CompileJob(
            path,
            flags().options(flags().default_optimize),
            is_harness=False,
            include_directories=tuple(kernel_include_directories()),
        )
        for path in library_sources(backends)
    ]
