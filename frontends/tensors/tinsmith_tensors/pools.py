"""Pools over one, two or three axes, channels first: (N, C, ...) as ONNX and PyTorch have them.

As convolutions, the graph's pools are channels last, over two axes, without gaps in their windows and with paddings
below them; what is beyond that is put together here: planes after rows, or what windows see as slices.
"""

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir.errors import UnsupportedError
from tinsmith_ir.operators import AveragePool2D, Gather, MaxPool2D, Sqrt, Square

from tinsmith_tensors.composer import Composer, Tensor
from tinsmith_tensors.elementwise import absolute, add, cast, maximum, mul, power
from tinsmith_tensors.movement import (
    channels_first,
    channels_last,
    concat,
    pad,
    part,
    reshape,
    slice_,
)
from tinsmith_tensors.quantization import of_real
from tinsmith_tensors.reductions import (
    arg_max,
    as_compared,
    comparable,
    largest,
    mean,
    normalized_axes,
    total,
)
from tinsmith_tensors.scattering import scatter_elements
from tinsmith_tensors.windows import check_axes

_Reduction = Callable[[Composer, Tensor, Tensor], Tensor]


@dataclass(frozen=True)
class Windows:
    """Windows along each axis behind batch and channels.

    size, stride, dilation: one number for each axis, at least 1. pads: before and after each. ceil: whether a last
    window that sees less counts, if it does not begin in the padding behind.
    """

    size: tuple[int, ...]
    stride: tuple[int, ...]
    pads: tuple[tuple[int, int], ...]
    dilation: tuple[int, ...] = ()
    ceil: bool = False

    def __post_init__(self) -> None:
        """Let windows have a dilation for each axis."""
        if not self.dilation:
            object.__setattr__(self, "dilation", (1,) * len(self.size))

    @property
    def extents(self) -> tuple[int, ...]:
        """From the first to the last element of a window."""
        return tuple(
            (size - 1) * spread + 1 for size, spread in zip(self.size, self.dilation, strict=True)
        )

    @property
    def has_gaps(self) -> bool:
        """Whether there are elements between those that a window sees."""
        return self.extents != self.size

    @property
    def is_narrow(self) -> bool:
        """Whether paddings are below the window, so that each sees an element."""
        return all(max(pair) < size for size, pair in zip(self.size, self.pads, strict=True))

    def counts(self, sizes: Sequence[int]) -> tuple[int, ...]:
        """How many windows there are along each axis of these sizes.

        Raises UnsupportedError if there is none.
        """
        check_axes(len(sizes), len(self.size))
        found: list[int] = []
        for size, extent, step, (before, after) in zip(
            sizes, self.extents, self.stride, self.pads, strict=True
        ):
            rest = size + before + after - extent
            count = (-(-rest // step) if self.ceil else rest // step) + 1
            if self.ceil and (count - 1) * step >= size + before:
                count -= 1
            found.append(count)
        if min(found) < 1:
            raise UnsupportedError(
                f"expected windows within the padded input, got {list(self.extents)} over "
                f"{list(sizes)} padded by {list(self.pads)}"
            )
        return tuple(found)

    def fitted(self, sizes: Sequence[int]) -> "Windows":
        """The same windows, none of which sees less: what they lack is padding, and what none reaches, none."""
        pads: list[tuple[int, int]] = []
        for size, extent, step, (before, _), count in zip(
            sizes, self.extents, self.stride, self.pads, self.counts(sizes), strict=True
        ):
            pads.append((before, (count - 1) * step + extent - before - size))
        return replace(self, pads=tuple(pads), ceil=False)


def max_pool(c: Composer, x: Tensor, windows: Windows) -> Tensor:
    """The largest element under each window, of numbers of any type; what is added counts for nothing."""
    if x.dtype == np.uint8 and x.quantization is not None:
        return of_real(c, x, lambda real: max_pool(c, real, windows))
    fitted = _cut(windows.fitted(x.shape[2:]))
    x = _without_unread(c, x, windows)
    if fitted.has_gaps or not fitted.is_narrow or not _has_maximum(x):
        low = _lowest(x.dtype)
        return _separate(c, pad(c, x, ((0, 0), (0, 0), *fitted.pads), low), fitted, maximum)
    if x.is_float or x.quantization is not None:
        return _pool(c, x, MaxPool2D, fitted)
    return as_compared(c, _pool(c, comparable(c, x), MaxPool2D, fitted), x)


def max_pool_indices(
    c: Composer, x: Tensor, windows: Windows, *, column_major: bool = False
) -> Tensor:
    """Where the largest element under each window is, the first of equal ones: int64, counted within its plane.

    column_major: whether the places of a plane are counted with the last axis slowest.
    """
    sizes = x.shape[2:]
    counts = windows.counts(sizes)
    c.check_known_size((*counts, *windows.size), 4)
    seen = _seen(c, windows.fitted(sizes), sizes)
    x = _without_unread(c, x, windows)
    fitted = _cut(windows.fitted(sizes))
    padded = pad(c, x, ((0, 0), (0, 0), *fitted.pads), _lowest(x.dtype))
    planes = reshape(c, padded, (*x.shape[:2], math.prod(padded.shape[2:])))
    looked = c.emit(Gather(axis=2), planes, c.known(_seen(c, fitted, padded.shape[2:], 0)))
    numbers = looked if x.is_float else cast(c, looked, np.dtype("<i4"))
    best = cast(c, arg_max(c, numbers, 3, keep_dims=False), np.dtype("<i4"))
    places = _places(c, sizes, column_major)[np.clip(seen, 0, None)]
    # Which one of a window, counted over all windows of a plane.
    window, taps = math.prod(counts), math.prod(windows.size)
    firsts = c.known((c.numbers(window) * taps).astype(np.int32)[None, None])
    table = c.known(places.reshape(-1).astype(np.int32))
    found = c.emit(Gather(axis=0), table, add(c, best, firsts))
    return reshape(c, cast(c, found, np.dtype("<i8")), (*x.shape[:2], *counts))


def average_pool(
    c: Composer,
    x: Tensor,
    windows: Windows,
    *,
    counts_padding: bool = False,
    divisor: int | None = None,
) -> Tensor:
    """The mean of what is under each window.

    counts_padding: whether the zeros of `pads` count as elements; what lies behind them never does. divisor: by what
    the sum is divided, whatever is under a window.
    """
    sizes = x.shape[2:]
    counted = _numbers(c, windows, sizes, counts_padding)
    if divisor is not None:
        counted = np.full_like(counted, divisor)
    elif counted.min() < 1:
        raise UnsupportedError("expected windows that see an element, got one of padding alone")
    fitted = _cut(windows.fitted(sizes))
    x = _without_unread(c, x, windows)
    full = math.prod(windows.size)
    is_plain = fitted.is_narrow and not fitted.has_gaps
    if (
        is_plain
        and divisor is None
        and not counts_padding
        and (len(sizes) < 3 or counted.min() == full)
    ):
        return _pool(c, x, AveragePool2D, fitted)
    padded = pad(c, x, ((0, 0), (0, 0), *fitted.pads), None)
    inside = replace(fitted, pads=((0, 0),) * len(sizes))
    if fitted.has_gaps:
        summed, share = _separate(c, padded, inside, add), 1.0 / counted
    else:
        summed, share = _pool(c, padded, AveragePool2D, inside), full / counted
    return _times(c, summed, share)


def lp_pool(c: Composer, x: Tensor, windows: Windows, p: int) -> Tensor:
    """The p-norm of what is under each window."""
    if p < 1:
        raise UnsupportedError(f"expected a norm of at least 1, got {p}")
    return _root(c, average_pool(c, _powers(c, x, p), windows, divisor=1), p)


def global_lp_pool(c: Composer, x: Tensor, p: int) -> Tensor:
    """The p-norm over all axes behind batch and channels, which stay, of length 1."""
    return _root(c, total(c, _powers(c, x, p), range(2, x.rank), keep_dims=True), p)


def adaptive_average_pool(c: Composer, x: Tensor, sizes: Sequence[int]) -> Tensor:
    """Means of windows that cover each of the last axes as evenly as they can, `sizes` of them."""
    return _adaptive(c, x, sizes, mean, average_pool)


def adaptive_max_pool(c: Composer, x: Tensor, sizes: Sequence[int]) -> Tensor:
    """Maxima of windows that cover each of the last axes as evenly as they can, `sizes` of them."""
    return _adaptive(c, x, sizes, largest, max_pool)


def max_unpool(c: Composer, x: Tensor, indices: Tensor, sizes: Sequence[int]) -> Tensor:
    """Elements put back to where `max_pool_indices` found them, in zeros of `sizes` behind batch and channels.

    indices: of the shape of x, counted within a plane; of equal ones the last remains. Raises as `scatter_elements`.
    """
    if indices.shape != x.shape:
        raise UnsupportedError(
            f"expected indices of shape {list(x.shape)}, got {list(indices.shape)}"
        )
    planes, there = math.prod(x.shape[:2]), math.prod(x.shape[2:])
    shape = (planes, math.prod(sizes))
    c.check_known_size(shape, x.dtype.itemsize)
    zeros = c.known(np.zeros(shape, x.dtype))
    places, updates = (reshape(c, each, (planes, there)) for each in (indices, x))
    return reshape(c, scatter_elements(c, zeros, places, updates, 1), (*x.shape[:2], *sizes))


# Windows of the graph


def _pool(
    c: Composer, x: Tensor, make: Callable[..., AveragePool2D | MaxPool2D], windows: Windows
) -> Tensor:
    """Windows without gaps, of fitted pads below them."""
    if len(windows.size) == 3:
        return _pool3d(c, x, make, windows)
    last = channels_last(c, x)
    if len(windows.size) == 1:
        last = reshape(c, last, (x.shape[0], 1, *last.shape[1:]))
    (height, wide), (down, right) = _pair(windows.size), _pair(windows.stride)
    pads = (*(((0, 0),) if len(windows.pads) == 1 else ()), *windows.pads)
    operator = make(window=(height, wide), stride=(down, right), padding=(*pads[0], *pads[1]))
    pooled = c.emit(operator, last)
    if len(windows.size) == 1:
        pooled = reshape(c, pooled, (pooled.shape[0], *pooled.shape[2:]))
    return channels_first(c, pooled)


def _pool3d(
    c: Composer, x: Tensor, make: Callable[..., AveragePool2D | MaxPool2D], windows: Windows
) -> Tensor:
    """Rows and columns of each plane, then planes: (N, D, H, W, C) as (N D, H, W, C), then as (N, D, H W, C)."""
    batch, channels, depth = x.shape[:3]
    planes = reshape(c, channels_last(c, x), (batch * depth, *x.shape[3:], channels))
    across = make(
        window=(windows.size[1], windows.size[2]),
        stride=(windows.stride[1], windows.stride[2]),
        padding=(*windows.pads[1], *windows.pads[2]),
    )
    pooled = c.emit(across, planes)
    height, width = pooled.shape[1:3]
    along = make(
        window=(windows.size[0], 1), stride=(windows.stride[0], 1), padding=(*windows.pads[0], 0, 0)
    )
    result = c.emit(along, reshape(c, pooled, (batch, depth, height * width, channels)))
    shape = (batch, result.shape[1], height, width, channels)
    return channels_first(c, reshape(c, result, shape))


def _pair(numbers: Sequence[int]) -> tuple[int, int]:
    return (numbers[0], numbers[1]) if len(numbers) == 2 else (1, numbers[0])


# Windows as slices


def _separate(c: Composer, padded: Tensor, windows: Windows, combine: _Reduction) -> Tensor:
    """What windows see of a padded tensor, combined along one axis after the other."""
    c.check_operators(sum(windows.size))
    result = padded
    for at, (size, step, spread) in enumerate(
        zip(windows.size, windows.stride, windows.dilation, strict=True)
    ):
        axis = 2 + at
        count = (result.shape[axis] - (size - 1) * spread - 1) // step + 1
        shape = (*result.shape[:axis], count, *result.shape[axis + 1 :])
        steps = [step if other == axis else 1 for other in range(result.rank)]
        begins = [
            [tap * spread if other == axis else 0 for other in range(result.rank)]
            for tap in range(size)
        ]
        views = map(functools.partial(slice_, c, result, shape=shape, steps=steps), begins)
        result = functools.reduce(functools.partial(combine, c), views)
    return result


def _without_unread(c: Composer, x: Tensor, windows: Windows) -> Tensor:
    """x without the elements at the end of its axes that no window reaches."""
    cut = [(0, min(after, 0)) for _, after in windows.fitted(x.shape[2:]).pads]
    return pad(c, x, ((0, 0), (0, 0), *cut), None)


def _cut(windows: Windows) -> Windows:
    """Fitted windows of what `_without_unread` leaves."""
    return replace(windows, pads=tuple((before, max(after, 0)) for before, after in windows.pads))


def _seen(
    c: Composer, fitted: Windows, sizes: Sequence[int], before: int | None = None
) -> NDArray[np.int32]:
    """Places within a plane of `sizes` that each window sees, (windows, taps), both row-major; -1 for padding.

    before: what lies before each axis, instead of the padding.
    """
    plane = c.numbers(math.prod(sizes)).astype(np.int32).reshape(tuple(sizes))
    pads = [pair if before is None else (before, before) for pair in fitted.pads]
    c.check_known_size([size + sum(pair) for size, pair in zip(sizes, pads, strict=True)])
    grown = np.pad(
        plane[
            tuple(
                slice(0, size + min(after, 0)) for size, (_, after) in zip(sizes, pads, strict=True)
            )
        ],
        [(first, max(after, 0)) for first, after in pads],
        constant_values=-1,
    )
    view = np.lib.stride_tricks.sliding_window_view(grown, fitted.extents)
    rank = len(sizes)
    taken = view[tuple(slice(None, None, step) for step in fitted.stride)]
    taps = taken[(slice(None),) * rank + tuple(slice(None, None, step) for step in fitted.dilation)]
    return np.ascontiguousarray(taps.reshape(-1, math.prod(fitted.size)))


def _numbers(
    c: Composer, windows: Windows, sizes: Sequence[int], counts_padding: bool
) -> NDArray[np.int64]:
    """How many elements each window sees. counts_padding: those of `pads` as well."""
    c.check_known_size(windows.counts(sizes))
    found = np.ones((), np.int64)
    for size, extent, step, spread, (before, after), count in zip(
        sizes,
        windows.size,
        windows.stride,
        windows.dilation,
        windows.pads,
        windows.counts(sizes),
        strict=True,
    ):
        low, high = (-before, size + after) if counts_padding else (0, size)
        starts = c.numbers(count) * step - before
        # Of each window, the first tap that is not before `low`, and the first that is not before `high`.
        first, end = (np.clip(-((starts - at) // spread), 0, extent) for at in (low, high))
        found = np.multiply.outer(found, end - first)
    return found


def _times(c: Composer, x: Tensor, factors: NDArray[np.float64]) -> Tensor:
    """x by a number for each window; one number, if all are the same."""
    first = float(factors.reshape(-1)[0])
    if (factors == first).all():
        return x if first == 1.0 else mul(c, x, c.number(first, x))
    return mul(c, x, c.known(factors.astype(np.float32)[None, None]))


def _places(c: Composer, sizes: Sequence[int], column_major: bool) -> NDArray[np.int64]:
    """What each place of a plane is counted as, by its row-major number."""
    numbers = c.numbers(math.prod(sizes))
    if not column_major:
        return numbers
    return numbers.reshape(tuple(reversed(sizes))).transpose().reshape(-1)


def _has_maximum(x: Tensor) -> bool:
    """Whether the graph has pools of the element type."""
    return x.is_float or x.dtype.itemsize == 1 or x.quantization is not None


def _lowest(dtype: np.dtype[np.generic]) -> float:
    """What is no larger than any number of the type."""
    if dtype.kind == "f":
        return -math.inf
    return 0 if dtype.kind == "u" else -(1 << (8 * dtype.itemsize - 1))


# Norms


def _powers(c: Composer, x: Tensor, p: int) -> Tensor:
    """|x| ** p."""
    if p == 2:
        return c.emit(Square(), x)
    return power(c, absolute(c, x), c.number(p, x))


def _root(c: Composer, x: Tensor, p: int) -> Tensor:
    """x ** (1 / p), of x that are not negative."""
    if p == 2:
        return c.emit(Sqrt(), x)
    return power(c, x, c.number(1.0 / p, x))


# Windows that adapt to a size


def _adaptive(
    c: Composer,
    x: Tensor,
    sizes: Sequence[int],
    reduce: Callable[..., Tensor],
    pool: Callable[[Composer, Tensor, Windows], Tensor],
) -> Tensor:
    """Window i of n along an axis goes from floor(i * size / n) to below ceil((i + 1) * size / n)."""
    first = x.rank - len(sizes)
    there = x.shape[first:]
    if min(sizes, default=0) < 1 or first < 1:
        raise UnsupportedError(
            f"expected sizes of at least 1, got {list(sizes)} of {list(x.shape)}"
        )
    if all(wanted == 1 for wanted in sizes):
        return reduce(c, x, normalized_axes(range(first, x.rank), x.rank), keep_dims=True)
    if first == 2 and all(size % wanted == 0 for size, wanted in zip(there, sizes, strict=True)):
        steps = tuple(size // wanted for size, wanted in zip(there, sizes, strict=True))
        return pool(c, x, Windows(steps, steps, ((0, 0),) * len(sizes)))
    for axis, wanted in enumerate(sizes, first):
        size = x.shape[axis]
        c.check_operators(wanted)
        if size != wanted:
            bounds = [(at * size // wanted, -(-(at + 1) * size // wanted)) for at in range(wanted)]
            parts = [
                reduce(c, part(c, x, axis, begin, end), [axis], keep_dims=True)
                for begin, end in bounds
            ]
            x = concat(c, parts, axis)
    return x
