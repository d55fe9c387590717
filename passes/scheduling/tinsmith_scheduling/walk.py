"""Steps from one set of finished tasks towards another: forward, or backward from the end."""

from collections.abc import Sequence

from tinsmith_scheduling.lattice import Lattice, Store, positions


class Walk:
    """All ways from `low` to `high`, or, backward, from `high` to `low`.

    What has been walked is a set of tasks, in either direction: those finished behind `low`, or undone from `high`.
    """

    def __init__(self, lattice: Lattice, low: int, high: int, *, is_backward: bool = False) -> None:
        self.lattice = lattice
        self.is_backward = is_backward
        self.inside = high & ~low
        self._low, self._high = low, high
        ahead, behind = lattice.after, lattice.following
        if is_backward:
            ahead, behind = behind, ahead
        self._ahead = {task: ahead[task] & self.inside for task in positions(self.inside)}
        self._behind = behind

    def ready(self, walked: int, inside: int) -> int:
        """What of `inside` may be walked next."""
        found = 0
        for position in positions(inside & ~walked):
            if not self._ahead[position] & ~walked:
                found |= 1 << position
        return found

    def opened(self, walked: int, position: int) -> int:
        """What may be walked only since `position` has been; `walked` includes it."""
        found = 0
        for other in positions(self._behind[position] & self.inside):
            if not self._ahead[other] & ~walked:
                found |= 1 << other
        return found

    def step(self, walked: int, position: int) -> tuple[int, int]:
        """Of a task that is walked next: the bytes it needs beyond those live, and by how many those grow."""
        if self.is_backward:
            need, growth = self.lattice.step(self._high & ~walked & ~(1 << position), position)
            return need - growth, -growth
        return self.lattice.step(self._low | walked, position)

    def finished(self, walked: int) -> int:
        """The finished tasks, of those walked."""
        return self._high & ~walked if self.is_backward else self._low | walked

    def in_order(self, path: Sequence[int]) -> list[int]:
        """Tasks as they run, of tasks as they are walked."""
        return list(reversed(path)) if self.is_backward else list(path)

    def is_settled(self, store: Store, walked: int) -> bool:
        """Whether the store is live however the walk goes on, or never again."""
        finished = self.finished(walked)
        is_begun = store.is_first or store.writers & finished != 0
        has_ended = not store.is_kept and not store.users & ~finished
        if self.is_backward:
            can_never_end = store.is_first or store.writers & self._low != 0
            return (not has_ended and can_never_end) or not is_begun
        can_never_end = store.is_kept or store.users & ~self._high != 0
        return (is_begun and can_never_end) or has_ended
