"""What docs/troubleshooting.md quotes as messages of ours are messages of ours: their words stand in the sources."""

import re
from functools import cache

import pytest
from checkout import ROOT, files

_PAGE = "docs/troubleshooting.md"

# Of Python, compilers, linkers and Bazel.
_OF_OTHERS = (
    "ModuleNotFoundError",
    "arm_nnfunctions.h: No such file",
    "undefined reference",
    "multiple definition",
    "is incompatible and cannot be built",
    "no such package",
)
_ROW = re.compile(r"^\| (.+?) \| .+ \|$", re.MULTILINE)
_TABLE = re.compile(r"^\| message \|.*?(?=^\n|\Z)", re.MULTILINE | re.DOTALL)
_QUOTED = re.compile(r"``(.+?)``|`([^`]+)`")
_LITERALS_IN_A_ROW = re.compile(r"""["']\)?\s*(?:\+\s*)?\n\s*f?["']""")
_SHORTEST = 8


def _messages() -> list[str]:
    text = (ROOT / _PAGE).read_text(encoding="utf-8")
    quoted = [
        first or second
        for table in _TABLE.findall(text)
        for row in _ROW.findall(table)
        for first, second in _QUOTED.findall(row)
    ]
    return [
        message
        for message in quoted
        if " " in message and not any(words in message for words in _OF_OTHERS)
    ]


@cache
def _sources() -> str:
    paths = [*files(".py", ".bzl", ".c", ".h"), "bazelw"]
    joined = "\n".join((ROOT / path).read_text(encoding="utf-8") for path in paths)
    return _LITERALS_IN_A_ROW.sub("", joined)


def test_many_messages_are_quoted() -> None:
    assert len(_messages()) > 20


@pytest.mark.parametrize("message", _messages())
def test_message_is_one_of_ours(message: str) -> None:
    parts = [part.strip(" :;,") for part in message.split("...")]
    absent = [part for part in parts if len(part) >= _SHORTEST and part not in _sources()]
    assert not absent, f"{_PAGE} quotes {absent}, which no source says"


def test_a_message_that_nobody_writes_is_found() -> None:
    with pytest.raises(AssertionError, match="no source says"):
        # In two pieces, or this file would say it.
        test_message_is_one_of_ours("this is what " + "nobody has ever written ...")
