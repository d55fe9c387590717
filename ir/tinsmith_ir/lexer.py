"""Splits IR text into tokens, each with its line and column."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from tinsmith_ir.errors import ParseError

_TOKEN = re.compile(
    r"""
    (?P<space>[ \t\r\n]+|\#[^\n]*)
  | (?P<arrow>->)
  | (?P<name>%(?:[A-Za-z0-9_./-]+|"[^"\\\n]*(?:\\.[^"\\\n]*)*"))
  | (?P<string>"[^"\\\n]*(?:\\.[^"\\\n]*)*")
  | (?P<number>-?(?:[0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?|(?:inf|nan)\b))
  | (?P<word>[A-Za-z_][A-Za-z0-9_]*)
  | (?P<punctuation>[\[\](){}<>,:=+*])
    """,
    re.VERBOSE,
)
_SHOWN = 30


@dataclass(frozen=True)
class Token:
    """kind: arrow, name, string, number, word, punctuation, or end. line and column count from 1.

    text: as written; of a name or string, what it stands for.
    """

    kind: str
    text: str
    line: int
    column: int


def tokens(source: str) -> Iterator[Token]:
    """The tokens of `source`, then one of kind "end".

    Raises ParseError at a character that starts no token.
    """
    position, line, line_start = 0, 1, 0
    while position < len(source):
        match = _TOKEN.match(source, position)
        column = position - line_start + 1
        if match is None:
            shown = source[position : position + _SHOWN].split("\n")[0]
            raise ParseError(f"line {line}, column {column}: expected a token, got {shown!r}")
        kind, text = match.lastgroup or "", match.group()
        if kind != "space":
            yield Token(kind, _meaning(kind, text, line, column), line, column)
        newlines = text.count("\n")
        if newlines:
            line += newlines
            line_start = position + text.rindex("\n") + 1
        position = match.end()
    yield Token("end", "the end of the text", line, position - line_start + 1)


def _meaning(kind: str, text: str, line: int, column: int) -> str:
    """A name without its %, a string without its quotes and escapes."""
    content = text[1:] if kind == "name" else text
    if kind not in ("name", "string") or not content.startswith('"'):
        return content
    try:
        decoded: object = json.loads(content)
    except ValueError as error:
        raise ParseError(f"line {line}, column {column}: expected a string, {error}") from None
    return str(decoded)
