"""The fenced blocks of a Markdown file, and the commands in those of a shell."""

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

_BLOCK = re.compile(r"^```(\w*)([^\n]*)\n(.*?)^```", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """language: the word after the fence, or nothing. line: where the text starts, counted from 1. file: what stands
    behind the language, the name of the file that the block is, or nothing.
    """

    language: str
    text: str
    line: int
    file: str = ""


def blocks(path: Path) -> list[Block]:
    """Every fenced block in order."""
    text = path.read_text(encoding="utf-8")
    return [
        Block(match[1], match[3], text.count("\n", 0, match.start(3)) + 1, match[2].strip())
        for match in _BLOCK.finditer(text)
    ]


def commands(block: Block) -> list[list[str]]:
    """The words of each command of a shell block; comments go, a backslash joins lines."""
    joined = block.text.replace("\\\n", " ")
    lines = [shlex.split(line, comments=True) for line in joined.splitlines()]
    return [words for words in lines if words]
