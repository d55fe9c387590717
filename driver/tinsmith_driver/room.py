"""Whether a program fits its board, code and all: linked, unless it surely does."""

from tinsmith_driver.build import Build, built
from tinsmith_driver.pipelines import Compilation

# Every kernel of both libraries, start-up code, harness and runtime stay below this on every CPU.
CODE_AT_MOST = 182 * 1024
# What they keep in RAM beside the arena and the stack.
_STATIC_RAM_AT_MOST = 4 * 1024
# An element of an array has four bytes at most and is three characters of C at least; functions have
# fewer bytes of code than characters.
_BYTES_PER_CHARACTER = 2


def has_ample_room(compilation: Compilation) -> bool:
    """True where no memory of the board can be too small, by bounds that need no compiler."""
    board = compilation.target.board
    if board.emulator is None:
        return True
    text = sum(len(data) for data in compilation.files.values())
    flash = CODE_AT_MOST + _BYTES_PER_CHARACTER * text
    ram = compilation.arena_bytes + board.stack_bytes + _STATIC_RAM_AT_MOST
    return (
        flash <= min(board.memory(n).size_bytes for n in (board.code_memory, board.weight_memory))
        and ram <= board.memory(board.data_memory).size_bytes
    )


def linked(compilation: Compilation) -> Build | None:
    """The sizes of the program as `verify` links it; None where there is ample room.

    Raises DoesNotFitError if it does not fit the board, MissingToolError without a compiler.
    """
    if has_ample_room(compilation):
        return None
    with built(compilation) as build:
        return build
