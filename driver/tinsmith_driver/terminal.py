"""How wide a terminal is, and prose that fits it."""

import shutil
import sys
from textwrap import fill
from typing import TextIO

_USUAL, _LEAST = 80, 40
_INDENT = "  "


def columns_of(stream: TextIO) -> int:
    """Those of the terminal that `stream` is, 40 or more; 80 of whatever else."""
    if not stream.isatty():
        return _USUAL
    return max(shutil.get_terminal_size((_USUAL, 0)).columns, _LEAST)


def say(text: str, stream: TextIO | None = None) -> None:
    """Print lines of prose to standard output (or `stream`): fitted on a terminal, whole elsewhere, for who searches.

    A line that is too long goes on below, two blanks further in; words, such as paths and names, stay whole.
    """
    print(fitted_prose(text, stream or sys.stdout), file=stream or sys.stdout)


def fitted_prose(text: str, stream: TextIO) -> str:
    """The lines as `say` prints them."""
    if not stream.isatty():
        return text
    columns = columns_of(stream)
    return "\n".join(
        line if len(line) <= columns else _filled(line, columns) for line in text.split("\n")
    )


def _filled(line: str, columns: int) -> str:
    indent = line[: len(line) - len(line.lstrip())]
    return fill(
        line,
        columns,
        subsequent_indent=indent + _INDENT,
        break_long_words=False,
        break_on_hyphens=False,
    )
