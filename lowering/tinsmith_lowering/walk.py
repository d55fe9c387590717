"""In which order a kernel writes its result and reads its operands, and how far the two may lie over one another.

A Walk numbers the kernel's steps. In one step everything is read before anything is written; a kernel that writes
between two reads has a step for each. What is written again, or read again for a halo, counts: only the first write
of a byte and the last read of it decide whether the byte of an operand may become one of the result.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from tinsmith_ir.checked import Checked
from tinsmith_ir.program import Overlap
from tinsmith_ir.trailing import Pieces, Steps, Trail

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
            trail = Trail(
                Pieces.equal(self.written, result_bytes), Pieces.equal(read, operand_bytes)
            )
            self._found[case] = _overlap(trail, operand, self.distances)
        found = self._found[case]
        return found if found.says_any else None

    @cached_property
    def _found(self) -> dict[tuple[int, int, int], Overlap]:
        """Of an operand and the two sizes."""
        return {}


def _overlap(trail: Trail, operand: int, distances: Sequence[int]) -> Overlap:
    """All distances up to one, all from one on, and of `distances` those that are allowed besides."""
    result_bytes, operand_bytes = trail.comes.size, trail.dies.size
    at_most, at_least = trail.at_most(), trail.at_least()
    simple = Overlap(
        operand,
        None if at_most <= -result_bytes else at_most,
        None if at_least >= operand_bytes else at_least,
    )
    exactly = tuple(
        distance
        for distance in sorted(set(distances))
        if -result_bytes < distance < operand_bytes
        and not simple.allows(distance)
        and trail.allows(distance)
    )
    return Overlap(operand, simple.at_most, simple.at_least, exactly)
