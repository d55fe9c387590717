"""What can go wrong when building; one class per decision of the reader."""

from pathlib import Path

from tinsmith_ir.errors import DoesNotFitError as IrDoesNotFitError
from tinsmith_ir.errors import TinsmithError


class ToolchainError(TinsmithError):
    """Building failed; the base of all errors of this library."""


class MissingToolError(ToolchainError):
    """A compiler or linker is not installed; the message says what to install."""

    exit_status = 2


class OptionError(ToolchainError):
    """Options that do not go together, such as gcc for a CPU it is not set up for."""

    exit_status = 2


class UnwritableCacheError(ToolchainError):
    """There is no folder for built files; the message says which variable names another."""

    exit_status = 2

    @classmethod
    def of(cls, directory: Path, error: OSError) -> "UnwritableCacheError":
        """What `error`, of writing to the cache `directory`, means."""
        return cls(
            f"{directory}: cannot keep built files there: {error.strerror}; make room, or set "
            "TINSMITH_CACHE_DIR to a folder that can be written"
        )


class FullDiskError(ToolchainError):
    """A compiler found no room for its files; the message says where it looked."""

    exit_status = 2


class CompileError(ToolchainError):
    """A file does not compile, or the objects do not link; the message has the tool's words."""


class DoesNotFitError(ToolchainError, IrDoesNotFitError):
    """The program is larger than a memory of the board.

    memory: name of the memory. overflow_bytes: how much is missing.
    """

    exit_status: int = IrDoesNotFitError.exit_status

    def __init__(self, message: str, memory: str, overflow_bytes: int) -> None:
        super().__init__(message)
        self.memory = memory
        self.overflow_bytes = overflow_bytes
