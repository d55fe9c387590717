"""What can go wrong when building; one class per decision of the reader."""


class ToolchainError(Exception):
    """Building failed; the base of all errors of this library."""


class MissingToolError(ToolchainError):
    """A compiler or linker is not installed; the message says what to install."""


class CompileError(ToolchainError):
    """A file does not compile, or the objects do not link; the message has the tool's words."""


class DoesNotFitError(ToolchainError):
    """The program is larger than a memory of the board.

    memory: name of the memory. overflow_bytes: how much is missing.
    """

    def __init__(self, message: str, memory: str, overflow_bytes: int) -> None:
        super().__init__(message)
        self.memory = memory
        self.overflow_bytes = overflow_bytes
