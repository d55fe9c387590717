"""Transposed convolutions over one, two or three axes, channels first: a convolution that gives blocks of places as
channels, which then move.

With stride s, the results at u, u + s, u + 2 s and so on use the same taps of the kernel: those that are u modulo s.
So each place in a block is a plain convolution of the input with ceil(kernel / s) taps, and all places together are
one with as many times the channels as a block has places; no product with a zero between elements is computed.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from tinsmith_ir.errors import UnsupportedError

from tinsmith_tensors.composer import Composer, Tensor
from tinsmith_tensors.movement import broadcast_to, flip, pad, reshape, slice_, transpose
from tinsmith_tensors.windows import Pads, check_axes, convolution


@dataclass(frozen=True)
class _Axis:
    """One axis. kernel: with the zeros in its gaps, unless stride is 1. first: the result's first element among all."""

    input: int
    output: int
    kernel: int
    stride: int
    dilation: int
    first: int

    @property
    def taps(self) -> int:
        """Of the convolution."""
        return -(-self.kernel // self.stride)

    @property
    def blocks(self) -> tuple[int, int]:
        """First and last block of results."""
        return self.first // self.stride, (self.first + self.output - 1) // self.stride

    @property
    def padding(self) -> tuple[int, int]:
        """Before and after the input; negative where its elements reach no result."""
        begin, end = self.blocks
        return self.dilation * (self.taps - 1) - begin, end - (self.input - 1)


def conv_transpose(
    c: Composer,
    x: Tensor,
    weights: Tensor,
    bias: Tensor | None,
    *,
    stride: Sequence[int],
    dilation: Sequence[int],
    pads: Pads,
    output_padding: Sequence[int],
    groups: int = 1,
) -> Tensor:
    """x (N, C, ...) by weights (C, O / groups, ...) and a bias (O,), to (N, O, ...).

    pads: what is cut off before and after the result; below 0 zeros (and the bias) are added. output_padding: how much
    longer each axis is behind.
    """
    check_axes(x.rank - 2, weights.rank - 2)
    if weights.shape[0] != x.shape[1] or weights.shape[0] % groups:
        raise UnsupportedError(
            f"expected weights ({x.shape[1]}, O / groups, ...) with as many a multiple of {groups} groups, got "
            f"{list(weights.shape)}"
        )
    weights = _with_gaps(c, weights, stride, dilation)
    axes = [
        _Axis(
            input=size,
            output=transposed_size(size, kernel, step, spread, more) - sum(cut),
            kernel=kernel,
            stride=step,
            dilation=spread if step == 1 else 1,
            first=cut[0],
        )
        for size, kernel, step, spread, cut, more in zip(
            x.shape[2:],
            weights.shape[2:],
            stride,
            [spread if step == 1 else 1 for spread, step in zip(dilation, stride, strict=True)],
            pads,
            output_padding,
            strict=True,
        )
    ]
    if any(axis.output < 1 for axis in axes):
        raise UnsupportedError(
            f"expected a result with elements, got sizes {[axis.output for axis in axes]}"
        )
    unread = [(min(before, 0), min(after, 0)) for before, after in (axis.padding for axis in axes)]
    places = convolution(
        c,
        pad(c, x, ((0, 0), (0, 0), *unread), None),
        _filters(c, weights, axes, groups),
        None if bias is None else _repeated(c, bias, axes, groups),
        stride=[1] * len(axes),
        dilation=[axis.dilation for axis in axes],
        pads=[(max(before, 0), max(after, 0)) for before, after in (axis.padding for axis in axes)],
        groups=groups,
    )
    return _placed(c, places, axes, groups)


def transposed_size(size: int, kernel: int, stride: int, dilation: int, more: int) -> int:
    """How long an axis becomes, before anything is cut off. more: its output padding."""
    return (size - 1) * stride + (kernel - 1) * dilation + 1 + more


def _with_gaps(
    c: Composer, weights: Tensor, stride: Sequence[int], dilation: Sequence[int]
) -> Tensor:
    """Zeros between the taps along axes with both a stride and a dilation."""
    for axis, (step, spread) in enumerate(zip(stride, dilation, strict=True), 2):
        if step == 1 or spread == 1:
            continue
        shape = weights.shape
        apart = reshape(c, weights, (*shape[: axis + 1], 1, *shape[axis + 1 :]))
        widths = [(0, spread - 1 if at == axis + 1 else 0) for at in range(apart.rank)]
        joined = (*shape[:axis], shape[axis] * spread, *shape[axis + 1 :])
        grown = reshape(c, pad(c, apart, widths, None), joined)
        kept = (*shape[:axis], (shape[axis] - 1) * spread + 1, *shape[axis + 1 :])
        weights = slice_(c, grown, [0] * grown.rank, kept, [1] * grown.rank)
    return weights


def _filters(c: Composer, weights: Tensor, axes: Sequence[_Axis], groups: int) -> Tensor:
    """Of each group, place in a block and channel, the taps that reach it, the last first."""
    channels, results = weights.shape[0] // groups, weights.shape[1]
    missing = [(0, axis.taps * axis.stride - axis.kernel) for axis in axes]
    grown = pad(c, weights, ((0, 0), (0, 0), *missing), None)
    apart = [number for axis in axes for number in (axis.taps, axis.stride)]
    split = flip(
        c,
        reshape(c, grown, (groups, channels, results, *apart)),
        [3 + 2 * at for at in range(len(axes))],
    )
    taps = [3 + 2 * at for at in range(len(axes))]
    moved = transpose(c, split, (0, *(at + 1 for at in taps), 2, 1, *taps))
    count = groups * _block(axes) * results
    return reshape(c, moved, (count, channels, *(axis.taps for axis in axes)))


def _repeated(c: Composer, bias: Tensor, axes: Sequence[_Axis], groups: int) -> Tensor:
    """The bias of each channel for every place in a block."""
    block, results = _block(axes), bias.elements // groups
    rows = reshape(c, bias, (groups, 1, results))
    spread = broadcast_to(c, rows, (groups, block, results))
    return reshape(c, spread, (groups * block * results,))


def _placed(c: Composer, x: Tensor, axes: Sequence[_Axis], groups: int) -> Tensor:
    """Channels (group, place, result) to where their places are, and what is cut off."""
    block, rank = _block(axes), len(axes)
    results = x.shape[1] // (groups * block)
    if block > 1:
        steps = [axis.stride for axis in axes]
        apart = reshape(c, x, (x.shape[0], groups, *steps, results, *x.shape[2:]))
        places = [number for at in range(rank) for number in (3 + rank + at, 2 + at)]
        moved = transpose(c, apart, (0, 1, 2 + rank, *places))
        sizes = [size * step for size, step in zip(x.shape[2:], steps, strict=True)]
        x = reshape(c, moved, (x.shape[0], groups * results, *sizes))
    begin = [axis.first - axis.blocks[0] * axis.stride for axis in axes]
    shape = (*x.shape[:2], *(axis.output for axis in axes))
    return slice_(c, x, (0, 0, *begin), shape, [1] * x.rank)


def _block(axes: Sequence[_Axis]) -> int:
    """Places in a block of results."""
    return math.prod(axis.stride for axis in axes)
