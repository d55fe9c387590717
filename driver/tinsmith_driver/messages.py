"""Warnings, errors and verdicts for people: yellow, red and green on a terminal; nothing else has a colour."""

import os
import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import Literal, TextIO, get_args

from tinsmith_driver.progress import erase_bars
from tinsmith_driver.terminal import fitted_prose

ColorChoice = Literal["auto", "always", "never"]
COLOR_CHOICES: tuple[ColorChoice, ...] = get_args(ColorChoice)

_RED, _GREEN, _YELLOW = "31", "32", "33"

_choice: ColorChoice = "auto"


@contextmanager
def coloring(choice: ColorChoice) -> Generator[None]:
    """Within, there are colours: `auto` is on a terminal, if neither NO_COLOR is set nor TERM is dumb."""
    global _choice
    before, _choice = _choice, choice
    try:
        yield
    finally:
        _choice = before


def print_warning(text: str) -> None:
    """`warning: ...` on standard error."""
    _print_with_kind("", "warning:", _YELLOW, text)


def print_error(text: str, prefix: str = "tinsmith: ", kind: str = "error:") -> None:
    """`tinsmith: error: ...` on standard error."""
    _print_with_kind(prefix, kind, _RED, text)


def _print_with_kind(prefix: str, kind: str, color: str, text: str) -> None:
    erase_bars()
    fitted = fitted_prose(f"{prefix}{kind} {text}", sys.stderr)
    print(fitted.replace(kind, _painted(kind, color, sys.stderr), 1), file=sys.stderr)


def good(verdict: str) -> str:
    """A verdict that is as wanted, for standard output."""
    return _painted(verdict, _GREEN, sys.stdout)


def bad(verdict: str) -> str:
    """One that is not."""
    return _painted(verdict, _RED, sys.stdout)


def _painted(text: str, color: str, stream: TextIO) -> str:
    return f"\x1b[{color}m{text}\x1b[0m" if _is_colored(stream) else text


def _is_colored(stream: TextIO) -> bool:
    if _choice != "auto":
        return _choice == "always"
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb" and stream.isatty()
