"""At which distances bytes may come to life over bytes that die: the one judge of it, for kernels, whose walks say when
they read and write, and for buffers of which the one dies row by row before rows of the other are written there.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Steps = NDArray[np.int64]
"""Numbers of steps, one for each piece, in order of their bytes."""


@dataclass(frozen=True, eq=False)
class Pieces:
    """Bytes in pieces, one behind the other.

    edges: where each begins, and at last the end. steps: one for each piece.
    """

    edges: Steps
    steps: Steps

    @staticmethod
    def equal(steps: Steps, size_bytes: int) -> "Pieces":
        """As many equal pieces as there are steps."""
        return Pieces(np.arange(len(steps) + 1) * (size_bytes // len(steps)), steps)

    @property
    def size(self) -> int:
        """Of all pieces, in bytes."""
        return int(self.edges[-1])


@dataclass(frozen=True, eq=False)
class Trail:
    """Bytes that come to life in some steps, and bytes that die in some.

    A distance is where the former begin less where the latter begin; it is allowed if no byte comes to life before the
    one at its place has died. In the step in which one dies another may come to life.
    """

    comes: Pieces
    dies: Pieces

    def at_most(self) -> int:
        """Any distance up to that one is allowed: each piece ends before what dies later begins."""
        # Up to each piece, the last step in which it dies or one before it.
        deaths = np.maximum.accumulate(self.dies.steps)
        later = deaths.searchsorted(self.comes.steps, side="right")
        room = self.dies.edges[later] - self.comes.edges[1:]
        return int(np.where(later < len(deaths), room, self.dies.size).min())

    def at_least(self) -> int:
        """Any distance from that one on is allowed: each piece begins where what dies later has ended."""
        deaths = np.maximum.accumulate(self.dies.steps[::-1])
        left = len(deaths) - deaths.searchsorted(self.comes.steps, side="right")
        room = self.dies.edges[left] - self.comes.edges[:-1]
        return int(np.where(left > 0, room, -self.comes.size).max())

    def allows(self, distance: int) -> bool:
        """True if that distance is allowed."""
        comes, dies = self.comes, self.dies
        # Both are in order, so that a stable sort merges them.
        edges = np.sort(np.concatenate([comes.edges + distance, dies.edges]), kind="stable")
        begin, end = max(0, distance), min(comes.size + distance, dies.size)
        starts = edges[(edges >= begin) & (edges < end)]
        mine = comes.edges.searchsorted(starts - distance, side="right") - 1
        theirs = dies.edges.searchsorted(starts, side="right") - 1
        return bool((comes.steps[mine] >= dies.steps[theirs]).all())
