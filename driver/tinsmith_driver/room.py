"""Whether a program fits its board, code and all: linked, unless it surely does."""

import re
from collections import Counter
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from tinsmith_toolchains import flags

from tinsmith_driver.build import Build, built
from tinsmith_driver.compilation import Compilation
from tinsmith_driver.kernel_sources import kernel_include_directories

# The libraries whose functions are measured: programs that call others are linked.
MEASURED_LIBRARIES = frozenset({"reference", "cmsis_nn"})
# What any function of these has at most in flash, with all that the linker keeps for it, soft float included, on
# every CPU at the default optimisation.
FUNCTION_AT_MOST = 12 * 1024
# What is there without any kernel: start-up code, harness, runtime, copies and engines.
REST_AT_MOST = 8 * 1024
# What they keep in RAM beside the arena and the stack.
STATIC_RAM_AT_MOST = 4 * 1024
# An element of an array has four bytes at most and is three characters of C at least; functions have
# fewer bytes of code than characters.
_BYTES_PER_CHARACTER = 2

_CALLED = re.compile(rb"\b([A-Za-z_]\w*)\s*\(")


def has_ample_room(compilation: Compilation) -> bool:
    """True where no memory of the board can be too small, by bounds that need no compiler."""
    board = compilation.target.board
    if board.emulator is None:
        return True
    if not _is_measured(compilation):
        return False
    text = sum(len(data) for data in compilation.files.values())
    flash = (
        REST_AT_MOST
        + FUNCTION_AT_MOST * len(called_functions(compilation))
        + _BYTES_PER_CHARACTER * text
    )
    return flash <= min(
        board.memory(n).size_bytes for n in (board.code_memory, board.weight_memory)
    ) and all(needed <= board.memory(name).size_bytes for name, needed in _ram(compilation).items())


def _ram(compilation: Compilation) -> Mapping[str, int]:
    """Bytes at most of the memories for data and for arenas."""
    board = compilation.target.board
    needed = Counter({board.data_memory: board.stack_bytes + STATIC_RAM_AT_MOST})
    needed[board.arena_home] += compilation.arena_bytes
    return needed


def called_functions(compilation: Compilation) -> frozenset[str]:
    """The functions and macros of kernel libraries that the product names; the linker drops all others."""
    names = (
        _named_with_parenthesis(data)
        for name, data in compilation.files.items()
        if name.endswith(".c")
    )
    return frozenset[str]().union(*names) & _declared(tuple(kernel_include_directories()))


def linked(compilation: Compilation) -> Build | None:
    """The sizes of the program as `verify` links it; None where there is ample room.

    Raises DoesNotFitError if it does not fit the board, MissingToolError without a compiler.
    """
    if has_ample_room(compilation):
        return None
    with built(compilation) as build:
        return build


def _is_measured(compilation: Compilation) -> bool:
    """Whether `FUNCTION_AT_MOST` holds for what the program calls, as it is compiled."""
    options, called = compilation.options, {call.kernel for call in compilation.program.calls}
    libraries = {kernel.backend for kernel in compilation.kernels if kernel.name in called}
    level = options.optimize or flags().default_optimize
    return (
        libraries <= MEASURED_LIBRARIES
        and level == flags().default_optimize
        and options.compiler == "zig"
    )


@cache
def _declared(folders: tuple[Path, ...]) -> frozenset[str]:
    """Every name that a header of these folders declares as a function, and more."""
    headers = (path for folder in folders for path in sorted(folder.rglob("*.h")))
    return frozenset[str]().union(*(_named_with_parenthesis(path.read_bytes()) for path in headers))


def _named_with_parenthesis(text: bytes) -> frozenset[str]:
    return frozenset(name.decode() for name in _CALLED.findall(text))
