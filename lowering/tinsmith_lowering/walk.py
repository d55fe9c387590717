"""In which order a kernel writes its result and reads its operands, and how far the two may lie over one another.

A Walk numbers the kernel's steps. In one step everything is read before anything is written; a kernel that writes
between two reads has a step for each. What is written again, or read again for a halo, counts: only the first write
of a byte and the last read of it decide whether the byte of an operand may become one of the result.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir.checked import Checked
from tinsmith_ir.program import Overlap

Steps = NDArray[np.int64]
"""Numbers of steps, one for each of the equal pieces, in order of their bytes, that a dense tensor is cut into."""

NEVER = -(1 << 62)
"""The last read of what is not read."""


@dataclass(frozen=True, eq=False)
class Walk(Checked):
    """The order of a kernel that has one result.

    written: the first step that writes each piece of the result. read: of each operand, the last step that reads each
    piece; None for an operand that the result may not lie over. distances: at which the result might lie over an
    operand, besides those up to some distance and from one on, in bytes; tried, not believed.
    """

    written: Steps
    read: tuple[Steps | None, ...]
    distances: tuple[int, ...] = (0,)

    def __post_init__(self) -> None:
        """Make the arrays read-only: layers that are alike share a walk."""
        super().__post_init__()
        for steps in (self.written, *self.read):
            if steps is not None:
                steps.flags.writeable = False

    def overlap(self, operand: int, result_bytes: int, operand_bytes: int) -> Overlap | None:
        """How the result may lie over one operand; None if nowhere. The sizes are those of the two tensors."""
        read = self.read[operand]
        if read is None:
            return None
        case = operand, result_bytes, operand_bytes
        if case not in self._found:
            pieces = _Pieces(self.written, result_bytes, read, operand_bytes)
            self._found[case] = pieces.overlap(operand, self.distances)
        found = self._found[case]
        return found if found.says_any else None

    @cached_property
    def _found(self) -> dict[tuple[int, int, int], Overlap]:
        """Of an operand and the two sizes."""
        return {}


@dataclass(frozen=True, eq=False)
class _Pieces:
    """The steps of a result and of an operand, and their sizes in bytes."""

    written: Steps
    result_bytes: int
    read: Steps
    operand_bytes: int

    def overlap(self, operand: int, distances: Sequence[int]) -> Overlap:
        """All distances up to one, all from one on, and of `distances` those that are allowed besides."""
        at_most, at_least = self._at_most(), self._at_least()
        simple = Overlap(
            operand,
            None if at_most <= -self.result_bytes else at_most,
            None if at_least >= self.operand_bytes else at_least,
        )
        exactly = tuple(
            distance
            for distance in sorted(set(distances))
            if -self.result_bytes < distance < self.operand_bytes
            and not simple.allows(distance)
            and self._allows(distance)
        )
        return Overlap(operand, simple.at_most, simple.at_least, exactly)

    def _at_most(self) -> int:
        """The result ends, as far as it is written, before what is read later begins."""
        # Up to each piece of the operand, the last step that reads it or one before it.
        reads = np.maximum.accumulate(self.read)
        first = np.searchsorted(reads, self.written, side="right")
        ends = np.arange(1, len(self.written) + 1) * self._written_bytes
        room = first * self._read_bytes - ends
        return int(np.where(first < len(self.read), room, self.operand_bytes).min())

    def _at_least(self) -> int:
        """The same downwards: what is written begins where what is read later has ended."""
        reads = np.maximum.accumulate(self.read[::-1])
        left = len(self.read) - np.searchsorted(reads, self.written, side="right")
        starts = np.arange(len(self.written)) * self._written_bytes
        room = left * self._read_bytes - starts
        return int(np.where(left > 0, room, -self.result_bytes).max())

    def _allows(self, distance: int) -> bool:
        """Whether no byte is read after it is written, byte by byte as far as needed."""
        unit = int(np.gcd.reduce([self._written_bytes, self._read_bytes, abs(distance)]))
        written = np.repeat(self.written, self._written_bytes // unit)
        read = np.repeat(self.read, self._read_bytes // unit)
        shift = distance // unit
        begin, end = max(0, shift), min(len(read), len(written) + shift)
        return bool((written[begin - shift : end - shift] >= read[begin:end]).all())

    @property
    def _written_bytes(self) -> int:
        return self.result_bytes // len(self.written)

    @property
    def _read_bytes(self) -> int:
        return self.operand_bytes // len(self.read)
