"""Elements along one axis that known indices name, by the cheapest operators that fetch them.

What repeats becomes a broadcast, what goes in equal steps a slice, a few of both a concatenation; else it is a gather.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir.operators import Gather

from tinsmith_tensors.composer import Composer, Tensor
from tinsmith_tensors.movement import broadcast_to, concat, reshape, slice_

_FEWEST_RUNS = 4
"""As many pieces are joined rather than gathered, whatever their length."""
_LONG_RUN = 4
_MOST_RUNS = 16
"""So many pieces of that length are joined rather than gathered."""


@dataclass(frozen=True)
class _Run:
    """count elements from begin on, step apart; of step 0 the same one."""

    begin: int
    count: int
    step: int


def pick(c: Composer, x: Tensor, axis: int, indices: NDArray[np.int64]) -> Tensor:
    """x[indices] along one axis. indices: (count,), known, each within the axis; not empty."""
    size = x.shape[axis]
    if indices.size == size and np.array_equal(indices, np.arange(size)):
        return x
    if x.array is not None:
        c.check_known_size(_with_size(x.shape, axis, len(indices)), x.dtype.itemsize)
        return c.known(np.take(x.array, indices, axis), x.hint)
    times = _repeats(indices, size)
    if times is not None:
        return repeated(c, x, axis, times)
    runs = _runs(indices, max(_FEWEST_RUNS, min(_MOST_RUNS, len(indices) // _LONG_RUN)))
    if runs is not None:
        return concat(c, [_piece(c, x, axis, run) for run in runs], axis)
    return c.emit(Gather(axis=axis), x, c.known(indices.astype(np.int32)))


def repeated(c: Composer, x: Tensor, axis: int, times: int) -> Tensor:
    """Each element along an axis so many times, one behind the other."""
    if times == 1:
        return x
    spread = (*x.shape[: axis + 1], 1, *x.shape[axis + 1 :])
    grown = (*x.shape[: axis + 1], times, *x.shape[axis + 1 :])
    wide = broadcast_to(c, reshape(c, x, spread), grown)
    return reshape(c, wide, _with_size(x.shape, axis, x.shape[axis] * times))


def _repeats(indices: NDArray[np.int64], size: int) -> int | None:
    """How many times each of all elements is named, if always as many and in order."""
    times = len(indices) // size
    if times < 1 or len(indices) != size * times:
        return None
    return times if np.array_equal(indices, np.arange(len(indices)) // times) else None


def _runs(indices: NDArray[np.int64], most: int) -> list[_Run] | None:
    """Few pieces in equal steps, from the front; None if they are more than `most`.

    Neighbours stay together, so that a whole axis is one piece.
    """
    steps = np.diff(indices)
    changes = np.flatnonzero(np.diff(steps)) + 1  # where a step is not the one before it
    runs: list[_Run] = []
    begin, last = 0, len(indices) - 1
    while begin <= last:
        if len(runs) == most:
            return None
        later = np.searchsorted(changes, begin, side="right")
        end = int(changes[later]) if later < len(changes) else last
        next_ = end + 1
        if end < last and steps[end] == 1:  # the last element is a neighbour of what follows
            next_ = end
        count = next_ - begin
        runs.append(_Run(int(indices[begin]), count, int(steps[begin]) if count > 1 else 1))
        begin = next_
    return runs


def _piece(c: Composer, x: Tensor, axis: int, run: _Run) -> Tensor:
    begin = [0] * x.rank
    begin[axis] = run.begin
    if run.step == 0:
        one = slice_(c, x, begin, _with_size(x.shape, axis, 1), [1] * x.rank)
        return broadcast_to(c, one, _with_size(x.shape, axis, run.count))
    steps = [1] * x.rank
    steps[axis] = run.step
    return slice_(c, x, begin, _with_size(x.shape, axis, run.count), steps)


def _with_size(shape: Sequence[int], axis: int, size: int) -> tuple[int, ...]:
    return (*shape[:axis], size, *shape[axis + 1 :])
