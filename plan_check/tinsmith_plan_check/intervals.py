"""A value for each of many bytes, kept by runs of bytes that have the same."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from typing import Generic, TypeVar

Value = TypeVar("Value")


class IntervalMap(Generic[Value]):
    """Numbers from 0 on -> a value or None; None everywhere at first."""

    def __init__(self) -> None:
        # Number `starts[i]` and those up to the next start have `values[i]`; neighbours may have the same.
        self._starts: list[int] = [0]
        self._values: list[Value | None] = [None]

    def set(self, begin: int, end: int, value: Value | None) -> None:
        """Give begin to end - 1 a value."""
        if begin >= end:
            return
        first = bisect_left(self._starts, begin)
        last = bisect_right(self._starts, end) - 1
        after = self._values[last]
        starts, values = [begin], [value]
        if first > 0 and self._values[first - 1] == value:
            starts, values = [], []
        if after != value:
            starts.append(end)
            values.append(after)
        self._starts[first : last + 1] = starts
        self._values[first : last + 1] = values

    def runs(self, begin: int, end: int) -> Iterator[tuple[int, int, Value | None]]:
        """Begin, end and value of each run within begin to end - 1, in order."""
        at = bisect_right(self._starts, begin) - 1
        while begin < end:
            behind = self._starts[at + 1] if at + 1 < len(self._starts) else end
            upto = min(behind, end)
            yield begin, upto, self._values[at]
            begin, at = upto, at + 1

    def known(self) -> Iterator[tuple[int, int, Value]]:
        """Begin, end and value of each run that has one; the last run has none."""
        ends = [*self._starts[1:], self._starts[-1]]
        for begin, end, value in zip(self._starts, ends, self._values, strict=True):
            if value is not None:
                yield begin, end, value

    @property
    def is_empty(self) -> bool:
        """True if no number has a value."""
        return all(value is None for value in self._values)
