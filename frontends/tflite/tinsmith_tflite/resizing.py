"""Converters of operators that change the size of images."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir.operators import (
    Broadcast,
    Gather,
    Reshape,
    ResizeBilinear,
)

from tinsmith_tflite.context import Conversion, OperatorContext
from tinsmith_tflite.rules import Rule


def resize_bilinear(context: OperatorContext) -> Conversion:
    """RESIZE_BILINEAR to a constant size."""
    operator = ResizeBilinear(
        size=_size(context),
        align_corners=context.options.boolean("AlignCorners"),
        half_pixel_centers=context.options.boolean("HalfPixelCenters"),
        in_float32=context.is_unsigned(0),
    )
    return operator, (context.value(0),)


def resize_nearest_neighbor(context: OperatorContext) -> Conversion:
    """RESIZE_NEAREST_NEIGHBOR to a constant size: repeated elements, else gathered rows and columns."""
    source, sizes = context.ranked_value(0, 4), _size(context)
    are_corners = context.options.boolean("AlignCorners")
    are_halves = context.options.boolean("HalfPixelCenters")
    batch, height, width, channels = source.type.shape
    context.values.file.spend(8 * sum(sizes))
    rows, columns = (
        _nearest(was, becomes, are_corners=are_corners, are_halves=are_halves)
        for was, becomes in zip((height, width), sizes, strict=True)
    )
    if _is_repeated(rows, height) and _is_repeated(columns, width):
        times = sizes[0] // height, sizes[1] // width
        apart = context.step(Reshape(shape=(batch, height, 1, width, 1, channels)), [source])
        whole = Broadcast(shape=(batch, height, times[0], width, times[1], channels))
        return Reshape(shape=(batch, *sizes, channels)), (context.step(whole, [apart]),)
    between = context.step(Gather(axis=1), [source, context.constant("rows", rows)])
    return Gather(axis=2), (between, context.constant("columns", columns))


def _nearest(was: int, becomes: int, *, are_corners: bool, are_halves: bool) -> NDArray[np.int32]:
    """The element that each of `becomes` places takes, computed in float32 as TFLite's GetNearestNeighbor."""
    if are_corners and becomes > 1:
        scale = np.float32(was - 1) / np.float32(becomes - 1)
    else:
        scale = np.float32(was) / np.float32(becomes)
    offset = np.float32(0.5 if are_halves else 0)
    places = (np.arange(becomes, dtype=np.float32) + offset) * scale
    # Halves go up, as they do where C rounds what is not negative.
    rounded = np.floor(places.astype(np.float64) + 0.5) if are_corners else np.floor(places)
    return np.minimum(rounded, was - 1).astype(np.int32)


def _is_repeated(indices: NDArray[np.int32], count: int) -> bool:
    """True for 0, 0, 1, 1, and so on: each of `count` elements as often as the others."""
    each = np.repeat(np.arange(count), max(1, len(indices) // count))
    return np.array_equal(indices, each)


def _size(context: OperatorContext) -> tuple[int, int]:
    """Height and width, a constant."""
    sizes = context.integers(1)
    if len(sizes) != 2 or min(sizes) < 1:
        raise context.error(f"expected a height and a width of at least 1, got {list(sizes)}")
    return sizes[0], sizes[1]


RULES: Mapping[str, Rule] = {
    "RESIZE_BILINEAR": Rule(4, (2, 2), "ResizeBilinearOptions", (ResizeBilinear,), resize_bilinear),
    "RESIZE_NEAREST_NEIGHBOR": Rule(
        4,
        (2, 2),
        "ResizeNearestNeighborOptions",
        (Gather, Reshape),
        resize_nearest_neighbor,
    ),
}
