"""Short labels for drawings, which differ where names differ."""

from collections import Counter
from collections.abc import Collection, Mapping
from functools import cache

_CUT = "…"
_LEAST_ROOM = 3


class Labels:
    """Of the names in one drawing. numbers: what stands for a name that cannot be cut so that it differs, such as its
    row in a table; without one it has no label then.
    """

    def __init__(self, names: Collection[str], numbers: Mapping[str, int] | None = None) -> None:
        self._names = frozenset(names)
        self._numbers = numbers or {}
        self._ends = cache(self._count_ends)

    def of(self, name: str, room: int) -> str:
        """At most `room` characters: the name, its end, its beginning and its end, its number as `#7`, or nothing.

        A cut name has both ends of no other name.
        """
        if len(name) <= room:
            return name
        for head in range(max(room - len(_CUT), 0) if room >= _LEAST_ROOM else 0):
            tail = room - len(_CUT) - head
            if self._ends(head, tail)[name[:head], name[-tail:]] == 1:
                return f"{name[:head]}{_CUT}{name[-tail:]}"
        number = f"#{self._numbers[name]}" if name in self._numbers else ""
        return number if len(number) <= room else ""

    def _count_ends(self, head: int, tail: int) -> Counter[tuple[str, str]]:
        return Counter((name[:head], name[-tail:]) for name in self._names)
