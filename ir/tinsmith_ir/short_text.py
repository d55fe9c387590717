"""Statements of the text form for people: numbers of four digits, lines of a terminal's width. It is not read back: a
number that lost digits is marked, `~0.003922`, which the parser refuses.
"""

import re

COLUMNS = 80
STRING_COLUMNS = 60
"""Of lines, and of the pieces of a string; one word that is longer stays whole."""

_DIGITS = 4
# Strings and names are passed over: what stands in them is nobody's number.
_TOKEN = re.compile(
    r'"(?:[^"\\]|\\.)*"|%[A-Za-z0-9_./-]+|(?<![\w.~])-?\d+(?:\.\d+)?(?:e[-+]?\d+)?(?![\w.])'
)


def shortened(statement: str) -> str:
    """The statement with each float of more than four significant digits rounded to four."""
    return _TOKEN.sub(lambda found: _short(found[0]), statement)


def _short(token: str) -> str:
    if token[0] in '"%' or not any(mark in token for mark in ".e"):
        return token
    short = f"{float(token):.{_DIGITS}g}"
    return token if float(short) == float(token) else f"~{short}"
