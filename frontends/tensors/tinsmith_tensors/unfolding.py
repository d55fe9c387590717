"""Windows laid side by side as columns, and columns added up to an image again."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir.errors import UnsupportedError
from tinsmith_ir.operators import Gather, Sum

from tinsmith_tensors.composer import Composer, Tensor
from tinsmith_tensors.movement import pad, reshape
from tinsmith_tensors.pools import Windows


def unfold(c: Composer, x: Tensor, windows: Windows) -> Tensor:
    """(N, C, ...) as (N, C * elements of a window, windows), both in row-major order."""
    padded = pad(c, x, ((0, 0), (0, 0), *windows.pads), None)
    places = _places(c, x.shape[2:], windows)
    flat = reshape(c, padded, (*x.shape[:2], math.prod(padded.shape[2:])))
    columns = c.emit(Gather(axis=2), flat, c.known(np.ascontiguousarray(places.T)))
    return reshape(c, columns, (x.shape[0], x.shape[1] * places.shape[1], places.shape[0]))


def fold(c: Composer, x: Tensor, sizes: Sequence[int], windows: Windows) -> Tensor:
    """The opposite: (N, C * elements of a window, windows) as (N, C, *sizes), where windows overlap their sum."""
    places = _places(c, sizes, windows)
    count, taps = places.shape
    if x.rank != 3 or x.shape[1] % taps or x.shape[2] != count:
        raise UnsupportedError(
            f"expected (N, a multiple of {taps}, {count}) to fold to {list(sizes)}, got {list(x.shape)}"
        )
    batch, channels = x.shape[0], x.shape[1] // taps
    flat = reshape(c, x, (batch, channels, taps * count))
    grown = pad(c, flat, ((0, 0), (0, 0), (0, 1)), 0)  # a zero, for what fewer windows see
    sources = _sources(c, places, sizes, windows)
    found = c.emit(Gather(axis=2), grown, c.known(sources))
    return reshape(c, c.emit(Sum(axes=(3,)), found), (batch, channels, *sizes))


def _places(c: Composer, sizes: Sequence[int], windows: Windows) -> NDArray[np.int32]:
    """(windows, taps): what each sees of the padded plane, as places in it."""
    grown = [size + sum(pair) for size, pair in zip(sizes, windows.pads, strict=True)]
    counts = windows.counts(sizes)
    c.check_known_size((*counts, *windows.size), 4)
    rank = len(grown)
    found = np.zeros((), np.int64)
    for axis, (size, step, spread, count) in enumerate(
        zip(windows.size, windows.stride, windows.dilation, counts, strict=True)
    ):
        along = np.arange(count)[:, None] * step + np.arange(size) * spread
        shape = [1] * (2 * rank)
        shape[axis], shape[rank + axis] = count, size
        found = found + along.reshape(shape) * math.prod(grown[axis + 1 :])
    return found.reshape(math.prod(counts), -1).astype(np.int32)


def _sources(
    c: Composer, places: NDArray[np.int32], sizes: Sequence[int], windows: Windows
) -> NDArray[np.int32]:
    """(elements of the plane, most windows that see one): which columns' elements are its; one behind all for none."""
    grown = [size + sum(pair) for size, pair in zip(sizes, windows.pads, strict=True)]
    count, taps = places.shape
    c.check_known_size(grown)
    order = np.argsort(places.T.reshape(-1), kind="stable").astype(np.int32)
    seen = np.bincount(places.reshape(-1), minlength=math.prod(grown))
    most = max(int(seen.max()), 1)
    c.check_known_size((*grown, most), 4)
    table = np.full((math.prod(grown), most), taps * count, np.int32)
    table[np.arange(most) < seen[:, None]] = order
    cut = tuple(
        slice(before, before + size) for size, (before, _) in zip(sizes, windows.pads, strict=True)
    )
    inner = table.reshape(*grown, most)[cut]
    return np.ascontiguousarray(inner.reshape(math.prod(sizes), most))
