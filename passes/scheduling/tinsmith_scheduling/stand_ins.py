"""What stands in for tinsmith_ir where only orders are wanted: errors with exit statuses, no checks of types."""

from collections.abc import Callable
from typing import TypeVar

_Function = TypeVar("_Function", bound=Callable[..., object])


class Checked:
    """Base of records, whose fields are not checked here."""

    def __post_init__(self) -> None:
        """Check nothing."""


def checked(function: _Function) -> _Function:
    """The function as it is."""
    return function


class TinsmithError(Exception):
    """Base of every error that is raised on purpose; its text is meant for the user.

    exit_status: what the command line returns for it (1 the answer is no, 2 wrong use, 3 bad file, 4 internal error).
    """

    exit_status: int = 4

    def __str__(self) -> str:
        """The message, on which no character acts."""
        return "\n".join(map(visible, super().__str__().split("\n")))


class UsageError(TinsmithError):
    """A wrong option or file name."""

    exit_status = 2


def visible(text: str) -> str:
    """`text` on one line, what is not printable as its code."""
    return "".join(
        character if character.isprintable() else ascii(character)[1:-1] for character in text
    )
