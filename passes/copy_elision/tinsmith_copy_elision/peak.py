"""How many bytes are live at once, kept up to date while buffers move into others."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from tinsmith_ir.lifetimes import BEFORE_FIRST_STEP, lifetimes
from tinsmith_ir.program import Program


@dataclass(frozen=True)
class Move:
    """What lies in `buffer` is to lie in buffer `into`, from byte `start` of it on."""

    buffer: str
    into: str
    start: int


class Lives:
    """The first and the last step that need each buffer of a program without loops and engines."""

    def __init__(self, program: Program) -> None:
        self._memory = {buffer.name: buffer.memory for buffer in program.buffers}
        self._size = {buffer.name: buffer.size_bytes for buffer in program.buffers}
        # Counted from 0, which is in front of the first step.
        self._lives = {
            name: (first - BEFORE_FIRST_STEP, last - BEFORE_FIRST_STEP)
            for name, (first, last) in lifetimes(program).items()
        }
        # Bytes live in each step, by memory; in front of the first and behind the last, too.
        self._live = {
            memory.name: np.zeros(len(program.steps) + 2, np.int64) for memory in program.memories
        }
        for buffer, (first, last) in self._lives.items():
            self._live[self._memory[buffer]][first : last + 1] += self._size[buffer]

    def accept(self, moves: Sequence[Move], without: Sequence[str]) -> bool:
        """Make the moves, all into one buffer, if no memory then needs more bytes at once; say whether.

        without: buffers that nobody needs then.
        """
        into = moves[0].into
        gone = [move.buffer for move in moves] + [*without]
        memory = self._memory[into]
        if any(self._memory[name] != memory for name in gone):
            return False
        spans = [self._lives[name] for name in (into, *(move.buffer for move in moves))]
        span = min(first for first, _ in spans), max(last for _, last in spans)
        live = self._live[memory].copy()
        for name in (into, *gone):
            first, last = self._lives[name]
            live[first : last + 1] -= self._size[name]
        live[span[0] : span[1] + 1] += self._size[into]
        if live.max() > self._live[memory].max():
            return False
        self._live[memory] = live
        for name in gone:
            del self._lives[name]
        self._lives[into] = span
        return True
