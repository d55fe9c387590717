"""Which files of hand-written kernels a program needs, and where their headers are: as back ends say.

Unused functions are dropped by the linker, so every file of a needed back end is given to it.
"""

from collections.abc import Iterable
from pathlib import Path

from tinsmith_ir import Call, Copy, Program
from tinsmith_ir.program import simple_steps
from tinsmith_plugins import kernel_folder

from tinsmith_driver.compilation import Compilation
from tinsmith_driver.plugins import registry
from tinsmith_driver.targets import (
    asks_for_cluster,
    called_kernels,
    computes_at_once,
    job_engines,
    runs_on_cluster,
)


def kernel_include_directories() -> list[Path]:
    """Folders for `-I`, of all back ends: headers may include another's."""
    folders = [
        folder
        for entry in registry().backends.values()
        for folder in entry.files.include_directories
    ]
    return list(dict.fromkeys(folders))


def kernel_sources(compilation: Compilation, *, engines_early: bool = False) -> list[Path]:
    """The C files of the back ends whose kernels the program calls, sorted; and of what works beside the core.

    engines_early: of the host's DMA and engines, whether they work at once rather than as late as they may.
    """
    board, program = compilation.target.board, compilation.program
    called = called_kernels(program, compilation.kernels)
    libraries = library_sources(kernel.backend for kernel in called)
    on_cluster = needs_cluster(compilation)
    rooms: dict[str, str] = {}
    if _copies_beside(program):
        rooms["dma"] = board.dma or "core"
        if on_cluster and board.dma is not None:
            rooms["dma"] += "_cluster"
    if fetches(program):
        rooms["fetch"] = str(board.fetch)
    if job_engines(program, called):
        # But for the cores of a cluster, no board has another core that Tinsmith drives.
        is_cluster = on_cluster and computes_at_once(program, called)
        rooms["engine"] = "cluster" if is_cluster else "core"
    if board.emulator is None:
        rooms = dict.fromkeys(rooms, "host_early" if engines_early else "host")
    if on_cluster or asks_for_cluster(program, compilation.kernels):
        rooms["cluster"] = "pulp" if on_cluster else "host"
    return [
        *libraries,
        *(kernel_folder(__file__, room) / f"{name}.c" for room, name in rooms.items()),
    ]


def kernel_defines(compilation: Compilation) -> dict[Path, list[str]]:
    """What single files of `kernel_sources` are compiled with: how many cores run jobs together."""
    cluster = compilation.target.board.cluster
    if cluster is None:
        return {}
    jobs = kernel_folder(__file__, "engine") / "cluster.c"
    return {jobs: [f"TINSMITH_ENGINE_CORES={cluster.cores}u"]}


def needs_cluster(compilation: Compilation) -> bool:
    """Whether the board's cluster is to run the program."""
    return runs_on_cluster(compilation.target, compilation.program, compilation.kernels)


def works_beside_the_core(program: Program) -> bool:
    """Whether it starts steps that it waits for later."""
    return _is_beside(program, Call) or _is_beside(program, Copy)


def fetches(program: Program) -> list[Copy]:
    """The copies of constants from a remote memory, as written."""
    copies = (step for step in simple_steps(program.steps) if isinstance(step, Copy))
    return [copy for copy in copies if program.is_fetch(copy)]


def _copies_beside(program: Program) -> bool:
    """Whether engines copy anything else."""
    return any(
        isinstance(step, Copy) and step.engine is not None and not program.is_fetch(step)
        for step in simple_steps(program.steps)
    )


def _is_beside(program: Program, kind: type[Call | Copy]) -> bool:
    return any(isinstance(s, kind) and s.engine is not None for s in simple_steps(program.steps))


def library_sources(backends: Iterable[str]) -> list[Path]:
    """The C files of back ends, sorted. Raises UsageError where they are not beside the installation."""
    entries = registry().backends
    return sorted({path for name in set(backends) for path in entries[name].files.sources})
