"""Channels that become blocks of places, and blocks that become channels: channels first, over any number of axes."""

import math
from collections.abc import Sequence

from tinsmith_ir.errors import UnsupportedError

from tinsmith_tensors.composer import Composer, Tensor
from tinsmith_tensors.movement import reshape, transpose


def depth_to_space(
    c: Composer, x: Tensor, block: Sequence[int], *, channels_first: bool = False
) -> Tensor:
    """(N, C * prod(block), H, W) as (N, C, H * block[0], W * block[1]).

    channels_first: whether channels are counted by the result's ones first, as PyTorch's pixel_shuffle does; else by
    places in a block first.
    """
    count, rank = math.prod(block), len(block)
    if x.rank != rank + 2 or x.shape[1] % count:
        raise UnsupportedError(
            f"expected channels that are a multiple of {count} before {rank} axes, got {list(x.shape)}"
        )
    batch, channels, *sizes = x.shape
    results = channels // count
    if channels_first:
        apart, result, first = (batch, results, *block, *sizes), 1, 2
    else:
        apart, result, first = (batch, *block, results, *sizes), 1 + rank, 1
    pairs = [axis for at in range(rank) for axis in (2 + rank + at, first + at)]
    moved = transpose(c, reshape(c, x, apart), (0, result, *pairs))
    grown = [size * step for size, step in zip(sizes, block, strict=True)]
    return reshape(c, moved, (batch, results, *grown))


def space_to_depth(
    c: Composer, x: Tensor, block: Sequence[int], *, channels_first: bool = False
) -> Tensor:
    """(N, C, H, W) as (N, C * prod(block), H / block[0], W / block[1]): the opposite of `depth_to_space`."""
    rank = len(block)
    if x.rank != rank + 2 or any(
        size % step for size, step in zip(x.shape[2:], block, strict=False)
    ):
        raise UnsupportedError(
            f"expected axes behind channels that are multiples of {list(block)}, got {list(x.shape)}"
        )
    batch, channels, *sizes = x.shape
    shrunk = [size // step for size, step in zip(sizes, block, strict=True)]
    pairs = [number for pair in zip(shrunk, block, strict=True) for number in pair]
    outer = [2 + 2 * at for at in range(rank)]
    inner = [3 + 2 * at for at in range(rank)]
    order = (0, 1, *inner, *outer) if channels_first else (0, *inner, 1, *outer)
    moved = transpose(c, reshape(c, x, (batch, channels, *pairs)), order)
    return reshape(c, moved, (batch, channels * math.prod(block), *shrunk))
