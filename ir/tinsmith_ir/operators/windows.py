"""Sliding windows over NHWC tensors: sizes, and views that gather what a window sees."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tinsmith_ir.boxes import Box, Range
from tinsmith_ir.errors import GraphError

Pair = tuple[int, int]
Padding2D = tuple[int, int, int, int]

MAX_PIXELS = 1 << 24
"""Largest height times width of a padded input, so that no attribute asks for gigabytes."""
MAX_EXTENT = MAX_PIXELS
"""Largest window, stride, dilation and padding: C counts them in 32 bits."""


def window_output_size(
    size: Pair, window: Pair, stride: Pair, dilation: Pair, padding: Padding2D
) -> Pair:
    """Height and width of the result of sliding `window` over (h, w) `size`.

    padding: (top, bottom, left, right). Raises GraphError if the window does not fit once, or an
    attribute is out of range.
    """
    check_window(window, stride, dilation, padding)
    extents = [(extent - 1) * step + 1 for extent, step in zip(window, dilation, strict=True)]
    padded = (size[0] + padding[0] + padding[1], size[1] + padding[2] + padding[3])
    if padded[0] * padded[1] > MAX_PIXELS:
        raise GraphError(
            f"expected at most {MAX_PIXELS} padded pixels, got {padded[0]}x{padded[1]}"
        )
    if padded[0] < extents[0] or padded[1] < extents[1]:
        raise GraphError(
            f"expected a window within the padded input {padded[0]}x{padded[1]}, "
            f"got {extents[0]}x{extents[1]}"
        )
    return (
        (padded[0] - extents[0]) // stride[0] + 1,
        (padded[1] - extents[1]) // stride[1] + 1,
    )


@dataclass(frozen=True)
class WindowsRead:
    """What some windows see: rows and columns of the input, and padding around these."""

    rows: Range
    columns: Range
    padding: Padding2D


def windows_read(
    box: Box,
    output: Pair,
    size: Pair,
    window: Pair,
    stride: Pair,
    dilation: Pair,
    padding: Padding2D,
) -> WindowsRead | None:
    """What the windows of `box`, a part of an NHWC result of (h, w) `output`, see of rows and columns of (h, w) `size`.

    Along an axis of which the box has all, that is all of the input: also what lies behind the last window, so that
    a part of all columns reads whole rows. None if all windows see nothing but padding.
    """
    parts = [
        ((0, size[axis]), (padding[2 * axis], padding[2 * axis + 1]))
        if box.ranges[1 + axis] == (0, output[axis])
        else seen_along(
            box.ranges[1 + axis],
            size[axis],
            window[axis],
            stride[axis],
            dilation[axis],
            padding[2 * axis],
        )
        for axis in (0, 1)
    ]
    rows, columns = parts
    if rows is None or columns is None:
        return None
    return WindowsRead(rows[0], columns[0], (*rows[1], *columns[1]))


def seen_along(
    outputs: Range, size: int, window: int, stride: int, dilation: int, before: int
) -> tuple[Range, Pair] | None:
    """What the windows of `outputs` see along one axis of `size`: the range of the input, and the padding before and
    after it; None if nothing but padding.
    """
    first = outputs[0] * stride - before
    end = (outputs[1] - 1) * stride - before + (window - 1) * dilation + 1
    inside = max(first, 0), min(end, size)
    return (inside, (inside[0] - first, end - inside[1])) if inside[0] < inside[1] else None


def spatial(shape: tuple[int, ...]) -> Pair:
    """Height and width of a shape (N, H, W, C), or kernel height and width of (O, kh, kw, I)."""
    return shape[1], shape[2]


def check_window(window: Pair, stride: Pair, dilation: Pair, padding: Padding2D) -> None:
    """Raise GraphError unless sizes, strides and dilations are positive, padding is not negative,
    and all are within MAX_EXTENT.
    """
    for what, pair in (("window", window), ("stride", stride), ("dilation", dilation)):
        if len(pair) != 2 or min(pair) < 1 or max(pair) > MAX_EXTENT:
            raise GraphError(f"expected {what} (h, w) from 1 to {MAX_EXTENT}, got {pair}")
    if len(padding) != 4 or min(padding) < 0 or max(padding) > MAX_EXTENT:
        raise GraphError(
            f"expected padding (top, bottom, left, right) from 0 to {MAX_EXTENT}, got {padding}"
        )


def pad_spatial(
    array: NDArray[np.generic], padding: Padding2D, value: float
) -> NDArray[np.generic]:
    """NHWC `array` with `value` around its rows and columns."""
    if not any(padding):
        return array
    top, bottom, left, right = padding
    widths = ((0, 0), (top, bottom), (left, right), (0, 0))
    return np.pad(array, widths, constant_values=value)


def taps(
    padded: NDArray[np.generic], window: Pair, stride: Pair, dilation: Pair, output: Pair
) -> Iterator[tuple[int, int, NDArray[np.generic]]]:
    """(row, column, view) of each window position, in row-major order.

    The view is (N, output h, output w, C): what that position of the window sees for every output.
    """
    for row in range(window[0]):
        for column in range(window[1]):
            top, left = row * dilation[0], column * dilation[1]
            bottom = top + (output[0] - 1) * stride[0] + 1
            right = left + (output[1] - 1) * stride[1] + 1
            yield row, column, padded[:, top : bottom : stride[0], left : right : stride[1], :]
