"""Where the hand-written kernels lie, and which of their files a program needs.

Unused functions are dropped by the linker, so every file of a needed folder is given to it.
"""

from collections.abc import Iterable
from pathlib import Path

from tinsmith_ir import UsageError

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


def kernel_sources(compilation: Compilation) -> list[Path]:
    """The C files of the kernel libraries that the program calls, sorted."""
    called = {call.kernel for call in compilation.program.calls}
    return library_sources(k.backend for k in compilation.kernels if k.name in called)


def library_sources(backends: Iterable[str]) -> list[Path]:
    """The C files of the kernel libraries of backends, sorted."""
    root = kernels_root()
    return sorted(
        path
        for folder in set(backends)
        for path in (root / folder).rglob("*.c")
        if "tests" not in path.relative_to(root).parts
    )
