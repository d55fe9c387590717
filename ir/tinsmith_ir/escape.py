"""How names and other text from files are shown, so that no character of them acts: every message,
table, comment and page goes through here.

A name may hold any character: those that move a terminal's cursor, end a comment of C, or turn the
order of what stands beside them around (Unicode's bidirectional marks).
"""

import json
import re

PLAIN_NAME = re.compile(r"[A-Za-z0-9_./-]+")

# Not printable ASCII; a backslash, which joins lines of C; and what follows on ? * / in trigraphs and
# in the marks of C's comments.
_ACTIVE_IN_C = re.compile(r"[^ -\[\]-~]|(?<=\?)\?|(?<=\*)/|(?<=/)\*")


def visible(text: str) -> str:
    r"""`text` on one line, for people: what is not printable as `\x1b`, `\u202e` or `\U000e0001`.

    Letters of all languages stay as they are.
    """
    if text.isprintable():
        return text
    return "".join(character if character.isprintable() else _code(character) for character in text)


def visible_lines(text: str) -> str:
    """`visible`, but line feeds and tabs stay: a whole message."""
    return re.sub(r"[^\n\t]+", lambda match: visible(match.group()), text)


def c_comment_text(text: str) -> str:
    """`text` for a comment of C on one line: ASCII, in which no character ends, begins or continues
    anything. The result depends on nothing but `text` (what is printable is up to Python's version).
    """
    return _ACTIVE_IN_C.sub(lambda match: _code(match.group()), text)


def quoted(text: str) -> str:
    """A JSON string in printable ASCII, as the text form of the IR has it."""
    return json.dumps(text).replace("\x7f", "\\u007f")


def print_name(name: str) -> str:
    """A value's name with its %, quoted if it holds other than letters, digits and _./-"""
    return f"%{name}" if PLAIN_NAME.fullmatch(name) else f"%{quoted(name)}"


def _code(character: str) -> str:
    number = ord(character)
    if number < 1 << 8:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number < 1 << 16 else f"\\U{number:08x}"
