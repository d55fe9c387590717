"""Converters of operators that move blocks of an image to channels or batches, and back: a transpose of parts."""

import math
from collections.abc import Mapping

from tinsmith_ir.graph import Value
from tinsmith_ir.operators import (
    Operator,
    Pad,
    Reshape,
    Slice,
    Transpose,
)

from tinsmith_tflite.context import Conversion, OperatorContext
from tinsmith_tflite.rules import MOVED, Rule


def space_to_depth(context: OperatorContext) -> Conversion:
    """SPACE_TO_DEPTH: each block's pixels behind one another in a pixel."""
    source, size = context.ranked_value(0, 4), _block_size(context)
    batch, height, width, channels = source.type.shape
    if height % size or width % size:
        raise context.error(f"expected blocks of {size} that fill {height} x {width}")
    apart = (batch, height // size, size, width // size, size, channels)
    shape = (batch, height // size, width // size, size * size * channels)
    return Reshape(shape=shape), (_moved(context, source, apart, (0, 1, 3, 2, 4, 5)),)


def depth_to_space(context: OperatorContext) -> Conversion:
    """DEPTH_TO_SPACE: each pixel's channels as a block of pixels."""
    source, size = context.ranked_value(0, 4), _block_size(context)
    channels = source.type.shape[3]
    if channels % (size * size):
        raise context.error(f"expected channels for blocks of {size} x {size}, got {channels}")
    blocks, shape = depth_in_space(context, source, (size, size))
    return Reshape(shape=shape), (blocks,)


def depth_in_space(
    context: OperatorContext, source: Value, block: tuple[int, int]
) -> tuple[Value, tuple[int, ...]]:
    """Channels as blocks of pixels, still apart, and the shape that joins them."""
    batch, height, width, channels = source.type.shape
    high, wide = block
    apart = (batch, height, width, high, wide, channels // (high * wide))
    moved = _moved(context, source, apart, (0, 1, 3, 2, 4, 5))
    return moved, (batch, height * high, width * wide, apart[-1])


def space_to_batch_nd(context: OperatorContext) -> Conversion:
    """SPACE_TO_BATCH_ND: padded, then of each block the pixel at one place to an image of its own."""
    source = context.value(0)
    block = _blocks(context, source)
    count = len(block)
    paddings = context.paddings(2, count)
    if any(paddings):
        rest = (0,) * (2 * (len(source.type.shape) - 1 - count))
        source = context.step(Pad(padding=(0, 0, *paddings, *rest)), [source])
    batch, *sizes = source.type.shape
    apart = [batch]
    for size, length in zip(block, sizes, strict=False):
        if length % size:
            raise context.error(f"expected blocks of {list(block)} that fill {sizes}")
        apart += [length // size, size]
    apart += sizes[count:]
    order = (
        *range(2, 2 * count + 1, 2),
        0,
        *range(1, 2 * count, 2),
        *range(2 * count + 1, len(apart)),
    )
    images = (length // size for size, length in zip(block, sizes, strict=False))
    shape = (batch * math.prod(block), *images, *sizes[count:])
    return Reshape(shape=shape), (_moved(context, source, tuple(apart), order),)


def batch_to_space_nd(context: OperatorContext) -> Conversion:
    """BATCH_TO_SPACE_ND: images put together pixel by pixel, then cropped."""
    source = context.value(0)
    block = _blocks(context, source)
    count = len(block)
    crops = context.paddings(2, count)
    batch, *sizes = source.type.shape
    images, left = divmod(batch, math.prod(block))
    if left:
        raise context.error(f"expected a batch for blocks of {list(block)}, got {batch}")
    order = [count]
    for axis in range(count):
        order += [count + 1 + axis, axis]
    order += range(2 * count + 1, count + 1 + len(sizes))
    moved = _moved(context, source, (*block, images, *sizes), tuple(order))
    grown = [length * size for size, length in zip(block, sizes, strict=False)]
    shape = (images, *grown, *sizes[count:])
    if not any(crops):
        return Reshape(shape=shape), (moved,)
    left_of = [
        size - before - after
        for size, before, after in zip(grown, crops[::2], crops[1::2], strict=True)
    ]
    operator = Slice(
        begin=(0, *crops[::2], *(0 for _ in sizes[count:])),
        shape=(images, *left_of, *sizes[count:]),
    )
    return operator, (context.step(Reshape(shape=shape), [moved]),)


def _moved(
    context: OperatorContext, source: Value, apart: tuple[int, ...], order: tuple[int, ...]
) -> Value:
    split: Operator = Reshape(shape=apart)
    return context.step(Transpose(permutation=order), [context.step(split, [source])])


def _block_size(context: OperatorContext) -> int:
    size = context.options.integer("BlockSize")
    if size < 1:
        raise context.error(f"expected a block size of at least 1, got {size}")
    return size


def _blocks(context: OperatorContext, source: Value) -> tuple[int, ...]:
    """Sizes of a block, constants: of one or two axes behind the first, with another one behind them."""
    rank = len(source.type.shape)
    block = context.integers(1)
    if rank not in (3, 4) or len(block) != rank - 2 or min(block, default=1) < 1:
        raise context.error(
            f"expected an image of 3 or 4 dimensions and blocks of all but its first and last, got "
            f"{list(source.type.shape)} and {list(block)}"
        )
    return block


RULES: Mapping[str, Rule] = {
    "BATCH_TO_SPACE_ND": Rule(
        4, (3, 3), "BatchToSpaceNDOptions", (Reshape, Slice), batch_to_space_nd, MOVED
    ),
    "DEPTH_TO_SPACE": Rule(2, (1, 1), "DepthToSpaceOptions", (Reshape,), depth_to_space, MOVED),
    "SPACE_TO_BATCH_ND": Rule(
        4, (3, 3), "SpaceToBatchNDOptions", (Reshape,), space_to_batch_nd, MOVED
    ),
    "SPACE_TO_DEPTH": Rule(2, (1, 1), "SpaceToDepthOptions", (Reshape,), space_to_depth, MOVED),
}
