"""Which files of hand-written kernels a program needs, and where their headers are: as back ends say.

Unused functions are dropped by the linker, so every file of a needed back end is given to it.
"""

from collections.abc import Iterable
from pathlib import Path

from tinsmith_ir import Copy, Program
from tinsmith_ir.program import simple_steps
from tinsmith_plugins import kernel_folder
from tinsmith_target import Board

from tinsmith_driver.pipelines import Compilation
from tinsmith_driver.plugins import registry


def kernel_include_directories() -> list[Path]:
    """Folders for `-I`, of all back ends: headers may include another's."""
    folders = [
        folder
        for entry in registry().backends.values()
        for folder in entry.files.include_directories
    ]
    return list(dict.fromkeys(folders))


def kernel_sources(compilation: Compilation, *, copies_early: bool = False) -> list[Path]:
    """The C files of the back ends whose kernels the program calls, sorted; and the DMA's, if it copies beside it.

    copies_early: of the host's DMA, whether it copies at once rather than as late as it may.
    """
    called = {call.kernel for call in compilation.program.calls}
    libraries = library_sources(k.backend for k in compilation.kernels if k.name in called)
    if not copies_beside_the_core(compilation.program):
        return libraries
    return [*libraries, _dma_source(compilation.target.board, copies_early=copies_early)]


def copies_beside_the_core(program: Program) -> bool:
    """Whether it starts copies that it waits for later."""
    return any(isinstance(s, Copy) and s.engine is not None for s in simple_steps(program.steps))


def _dma_source(board: Board, *, copies_early: bool) -> Path:
    name = board.dma or "core"
    if board.emulator is None:
        name = "host_early" if copies_early else "host"
    return kernel_folder(__file__, "dma") / f"{name}.c"


def library_sources(backends: Iterable[str]) -> list[Path]:
    """The C files of back ends, sorted. Raises UsageError where they are not beside the installation."""
    entries = registry().backends
    return sorted(path for name in set(backends) for path in entries[name].files.sources)
