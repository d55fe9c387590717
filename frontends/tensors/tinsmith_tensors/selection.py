"""Elements along one axis that known indices name, by the cheapest operators that fetch them.

What repeats becomes a broadcast, what goes in equal steps a slice, a few of both a concatenation; else it is a gather.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from tinsmith_ir.graph import Array
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


def pick(c: Composer, x: Tensor, axis: int, indices: Sequence[int]) -> Tensor:
    """x[indices] along one axis. indices: known, each within the axis; not empty."""
    if list(indices) == list(range(x.shape[axis])):
        return x
    if x.array is not None:
        c.check_known_size(_with_size(x.shape, axis, len(indices)), x.dtype.itemsize)
        return c.known(np.take(x.array, np.asarray(indices), axis), x.hint)
    times = _repeats(indices, x.shape[axis])
    if times is not None:
        return repeated(c, x, axis, times)
    runs = _runs(indices)
    if len(runs) <= max(_FEWEST_RUNS, min(_MOST_RUNS, len(indices) // _LONG_RUN)):
        return concat(c, [_piece(c, x, axis, run) for run in runs], axis)
    chosen: Array = np.asarray(indices, np.int32)
    return c.emit(Gather(axis=axis), x, c.known(chosen))


def repeated(c: Composer, x: Tensor, axis: int, times: int) -> Tensor:
    """Each element along an axis so many times, one behind the other."""
    if times == 1:
        return x
    spread = (*x.shape[: axis + 1], 1, *x.shape[axis + 1 :])
    grown = (*x.shape[: axis + 1], times, *x.shape[axis + 1 :])
    wide = broadcast_to(c, reshape(c, x, spread), grown)
    return reshape(c, wide, _with_size(x.shape, axis, x.shape[axis] * times))


def _repeats(indices: Sequence[int], size: int) -> int | None:
    """How many times each of all elements is named, if always as many and in order."""
    times = len(indices) // size
    if times < 1 or len(indices) != size * times:
        return None
    return times if list(indices) == [at // times for at in range(len(indices))] else None


def _runs(indices: Sequence[int]) -> list[_Run]:
    """Few pieces in equal steps, from the front. Neighbours stay together, so that a whole axis is one piece."""
    runs: list[_Run] = []
    for index in indices:
        if not runs:
            runs.append(_Run(index, 1, 1))
            continue
        last = runs[-1]
        end = last.begin + (last.count - 1) * last.step
        if last.count == 1:
            runs[-1] = _Run(last.begin, 2, index - last.begin)
        elif index == end + last.step:
            runs[-1] = _Run(last.begin, last.count + 1, last.step)
        elif index == end + 1:
            runs[-1] = _Run(last.begin, last.count - 1, 1 if last.count == 2 else last.step)
            runs.append(_Run(end, 2, 1))
        else:
            runs.append(_Run(index, 1, 1))
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
