"""Where the hand-written kernels lie, and which of their files a program needs.

Unused functions are dropped by the linker, so every file of a needed folder is given to it.
"""

from collections.abc import Iterable
from pathlib import Path

from tinsmith_ir import Copy, Program, UsageError
from tinsmith_ir.program import simple_steps
from tinsmith_target import Board

from tinsmith_driver.pipelines import Compilation


def kernels_root() -> Path:
    """The folder `kernels`: in the checkout or runfiles above this file, or inside the wheel.

    Raises UsageError when this installation has none.
    """
    # As it is called first: in Bazel's runfiles, whose links lead to files that are not declared.
    here = Path(__file__)
    for parent in (*here.parents, *here.resolve().parents):
        candidate = parent / "kernels"
        if (candidate / "include" / "tinsmith").is_dir():
            return candidate
    raise UsageError("the kernels' C sources are not beside this installation of tinsmith-driver")


def kernel_include_directories() -> list[Path]:
    """Folders for `-I`."""
    root = kernels_root()
    return [root / "include", root / "cmsis_nn" / "include", root / "cmsis_nn"]


def kernel_sources(compilation: Compilation, *, copies_early: bool = False) -> list[Path]:
    """The C files of the kernel libraries that the program calls, sorted; and the DMA's, if it copies beside the core.

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
    return kernels_root() / "dma" / f"{name}.c"


def library_sources(backends: Iterable[str]) -> list[Path]:
    """The C files of the kernel libraries of backends, sorted."""
    root = kernels_root()
    return sorted(
        path
        for folder in set(backends)
        for path in (root / folder).rglob("*.c")
        if "tests" not in path.relative_to(root).parts
    )
