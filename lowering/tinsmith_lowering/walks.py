"""The walks that kernels of several backends have, and what follows from a kernel's walk for a layer."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir.checked import Checked
from tinsmith_ir.dtypes import DType
from tinsmith_ir.operators import Pool
from tinsmith_ir.program import Overlap

from tinsmith_lowering.kernel import Kernel, Layer
from tinsmith_lowering.walk import NEVER, Steps, Walk

Shape = tuple[int, ...]

_KEPT = 256
_MOST_KEPT_PIECES = 1 << 12
"""Of a walk that is kept for other layers like it: most layers of a large network are small."""

MOST_ELEMENTS = 1 << 22
"""Of a tensor that is walked: more fit no microcontroller, and the numbers of their steps not every computer."""


def overlaps(kernel: Kernel, layer: Layer) -> tuple[Overlap, ...]:
    """Over which operands, none of them a constant, the kernel may write the result of a layer, and how."""
    tensors = [*layer.outputs, *(type_ for type_ in layer.inputs if type_ is not None)]
    if len(layer.outputs) != 1 or max(type_.elements for type_ in tensors) > MOST_ELEMENTS:
        return ()
    walk = kernel.walk(layer)
    if walk is None or kernel.layouts(layer).are_any:
        return ()
    found: list[Overlap] = []
    for index, type_ in enumerate(layer.inputs):
        if type_ is None or layer.constant(index) is not None:
            continue
        if may_share_memory(type_.dtype, layer.output.dtype):
            overlap = walk.overlap(index, layer.output.size_bytes, type_.size_bytes)
            found += [] if overlap is None else [overlap]
    return tuple(found)


def may_share_memory(operand: DType, result: DType) -> bool:
    """Whether C lets a function read memory as one type and write it as the other: one type, or one of them bytes."""
    return operand is result or not {operand, result}.isdisjoint((DType.INT8, DType.UINT8))


def elementwise_walk(layer: Layer) -> Walk:
    """Element after element of the result, each from elements of operands that are broadcast to its shape."""
    shapes = tuple(type_ and type_.shape for type_ in layer.inputs)
    is_small = layer.output.elements <= _MOST_KEPT_PIECES
    walk = _kept_elementwise_walk if is_small else _elementwise_walk
    return walk(layer.output.shape, shapes)


def _elementwise_walk(shape: Shape, operands: tuple[Shape | None, ...]) -> Walk:
    written = np.arange(math.prod(shape))
    reads: list[Steps | None] = []
    for operand in operands:
        if operand is None:
            reads.append(None)
            continue
        elements = np.arange(math.prod(operand)).reshape(operand)
        last = np.zeros(elements.size, np.int64)
        # Of several assignments to one element the last one stays, which is the latest step.
        last[np.broadcast_to(elements, shape).reshape(-1)] = written
        reads.append(last)
    return Walk(written, tuple(reads))


_kept_elementwise_walk = lru_cache(maxsize=_KEPT)(_elementwise_walk)


def gathering_walk(layer: Layer, sources: NDArray[np.int64], row: int = 1) -> Walk:
    """Row after row of the result, each a copy of elements that are all read before it is written.

    sources: of each element, the index of the operand's element. row: elements of a row.
    """
    written = np.arange(layer.output.elements) // row
    last = np.full(layer.input(0).elements, NEVER, np.int64)
    last[sources.reshape(-1)] = written
    return Walk(written, (last,))


def reducing_walk(layer: Layer, kept: Sequence[int]) -> Walk:
    """Element after element of the result, each from all of the operand along the axes that are not kept.

    kept: the result's shape, with 1 for each other axis.
    """
    written = np.arange(layer.output.elements)
    last = np.broadcast_to(written.reshape(tuple(kept)), layer.input(0).shape)
    return Walk(written, (last.reshape(-1),))


def rows_walk(layer: Layer, rows: int, *, is_staged: bool) -> Walk:
    """Row after row, as many of the result as of the first operand.

    is_staged: the whole row is read before any of its result is written.
    """
    steps = np.arange(rows)
    reads = steps if is_staged else steps + 1
    return Walk(steps, (reads, *(None for _ in layer.inputs[1:])))


@dataclass(frozen=True)
class Window(Checked):
    """Along one axis: which inputs an output reads."""

    input: int
    output: int
    taps: int
    stride: int = 1
    padding: int = 0
    dilation: int = 1

    def last_readers(self, output_steps: Steps | None = None) -> Steps:
        """Of each input, the last output that reads it; or the greatest of `output_steps`, given for each output.

        NEVER for what nobody reads.
        """
        outputs = np.arange(self.output)
        steps = outputs if output_steps is None else output_steps
        last = np.full(self.input, NEVER, np.int64)
        for tap in range(self.taps):
            read = outputs * self.stride - self.padding + tap * self.dilation
            inside = (read >= 0) & (read < self.input)
            np.maximum.at(last, read[inside], steps[inside])
        return last


def pixels_walk(
    layer: Layer,
    height: Window,
    width: Window,
    *,
    overtaken: int = 0,
    channels: int = 1,
    together: int = 1,
) -> Walk:
    """Output pixel after output pixel, row by row and image by image, each from its window of the first operand.

    together: pixels whose windows are read before the first of them is written, counted from the first pixel of all.
    overtaken: how many pixels before a pixel, itself among them, may still be read after it is written: 0 if windows
    are copied before anything is written, 1 if they are read again for each channel of the result.
    channels: into how many equal parts of a pixel, written one after another, each from the same part of
    the window's pixels.
    """
    pixels = _Pixels(layer.input(0).shape[0], height, width, overtaken, channels, together)
    is_small = max(pixels.written, pixels.read) <= _MOST_KEPT_PIECES
    walk = _kept_walk_of_pixels if is_small else _walk_of_pixels
    return walk(pixels, len(layer.inputs))


@dataclass(frozen=True)
class _Pixels:
    """See `pixels_walk`."""

    images: int
    height: Window
    width: Window
    overtaken: int
    channels: int
    together: int

    @property
    def written(self) -> int:
        """Pieces of the result."""
        return self.images * self.height.output * self.width.output * self.channels

    @property
    def read(self) -> int:
        """Pieces of the first operand."""
        return self.images * self.height.input * self.width.input * self.channels


def _walk_of_pixels(walked: _Pixels, operands: int) -> Walk:
    height, width, together = walked.height, walked.width, walked.together
    rows, columns = height.last_readers(), width.last_readers()
    pixels = walked.images * height.output * width.output
    last = rows[:, None] * width.output + columns[None, :]
    last[(rows == NEVER)[:, None] | (columns == NEVER)[None, :]] = NEVER
    first = np.arange(walked.images)[:, None] * (height.output * width.output)
    read = np.where(last.reshape(-1) == NEVER, NEVER, last.reshape(-1) + first).reshape(-1)
    written = np.arange(pixels)
    if together > 1:
        written, read = written // together, np.where(read == NEVER, NEVER, read // together)
    written = written - walked.overtaken
    if walked.channels > 1:
        parts = np.arange(walked.channels)
        written = (written[:, None] * walked.channels + parts).reshape(-1)
        split = np.where(read[:, None] == NEVER, NEVER, read[:, None] * walked.channels + parts)
        read = split.reshape(-1)
    return Walk(written, (read, *(None for _ in range(operands - 1))))


_kept_walk_of_pixels = lru_cache(maxsize=_KEPT)(_walk_of_pixels)


def pool_walk(layer: Layer) -> Walk:
    """Pixel after pixel of a Pool, channel after channel, one or a few of them at once."""
    operator = layer.operator_as(Pool)
    height, width = (
        Window(*sides)
        for sides in zip(
            layer.input(0).shape[1:3],
            layer.output.shape[1:3],
            operator.window,
            operator.stride,
            operator.padding[::2],
            strict=True,
        )
    )
    return pixels_walk(layer, height, width, channels=layer.output.shape[3])
