"""The same blocks upside down: the lowest places of one problem are the highest of the other.

A block that may lie a row before its source, but not behind, finds no place once the source lies at the bottom of the
arena. From the top it does.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from tinsmith_allocation.model import Block, Leave, checked_leaves


class Mirror:
    """Blocks and leaves upside down, by name. unit: of the offsets, in bytes: the largest alignment."""

    def __init__(self, blocks: Sequence[Block], leaves: Sequence[Leave]) -> None:
        self.unit = max((block.alignment for block in blocks), default=1)
        # Ends become starts, so they are aligned, too.
        self.blocks = {
            block.name: replace(
                block, size_bytes=-(-block.size_bytes // block.alignment) * block.alignment
            )
            for block in blocks
        }
        self.leaves = checked_leaves(
            [*self.blocks.values()], [self._mirrored(leave) for leave in leaves]
        )

    def _mirrored(self, leave: Leave) -> Leave:
        sizes = self.blocks[leave.source].size_bytes, self.blocks[leave.output].size_bytes
        room = sizes[0] - sizes[1]
        return replace(
            leave,
            at_most=None if leave.at_least is None else room - leave.at_least,
            at_least=None if leave.at_most is None else room - leave.at_most,
            exactly=tuple(room - distance for distance in leave.exactly),
        )

    def offsets(self, mirrored: Mapping[str, int]) -> dict[str, int]:
        """Offsets of the blocks as they were given, from those of the mirrored ones."""
        ends = [offset + self.blocks[name].size_bytes for name, offset in mirrored.items()]
        top = -(-max(ends, default=0) // self.unit) * self.unit
        return {
            name: top - offset - self.blocks[name].size_bytes for name, offset in mirrored.items()
        }
