"""Convolutions over one, two or three axes, channels first: (N, C, ...) as ONNX and PyTorch have them.

The graph computes channels last. Each function puts transposes around its operator; the passes of `tinsmith_layout`
let them cancel. One axis is two, of which the first has length 1.
"""

from collections.abc import Sequence

from tinsmith_ir.errors import UnsupportedError
from tinsmith_ir.operators import Conv2D, Conv3D, DepthwiseConv2D

from tinsmith_tensors.composer import Composer, Tensor
from tinsmith_tensors.movement import (
    channels_first,
    channels_last,
    concat,
    part,
    reshape,
    transpose,
)

Pads = Sequence[tuple[int, int]]
"""Elements added before and after each of the axes that windows slide along."""


def convolution(
    c: Composer,
    x: Tensor,
    weights: Tensor,
    bias: Tensor | None,
    *,
    stride: Sequence[int],
    dilation: Sequence[int],
    pads: Pads,
    groups: int = 1,
) -> Tensor:
    """x (N, C, ...) by weights (O, C / groups, ...) and a bias (O,), to (N, O, ...)."""
    axes = x.rank - 2
    check_axes(axes, weights.rank - 2)
    if weights.shape[1] * groups != x.shape[1] or weights.shape[0] % groups:
        raise UnsupportedError(
            f"expected weights (O, {x.shape[1]} / groups, ...) with O a multiple of {groups} groups, got "
            f"{list(weights.shape)}"
        )
    if axes == 3:
        return _conv3d(c, x, weights, bias, stride, dilation, pads, groups)
    source = _as_image(c, channels_last(c, x))
    kernel = weights if axes == 2 else reshape(c, weights, _with_row(weights.shape))
    is_depthwise = groups == x.shape[1] and groups > 1
    shaped = transpose(c, kernel, (1, 2, 3, 0) if is_depthwise else (0, 2, 3, 1))
    make = DepthwiseConv2D if is_depthwise else Conv2D
    operator = make(stride=_pair(stride, 1), dilation=_pair(dilation, 1), padding=_padding(pads))
    return channels_first(c, _as_before(c, c.emit(operator, source, shaped, bias), axes))


def _conv3d(
    c: Composer,
    x: Tensor,
    weights: Tensor,
    bias: Tensor | None,
    stride: Sequence[int],
    dilation: Sequence[int],
    pads: Pads,
    groups: int,
) -> Tensor:
    """Groups one by one: the operator has none."""
    operator = Conv3D(
        stride=(stride[0], stride[1], stride[2]),
        dilation=(dilation[0], dilation[1], dilation[2]),
        padding=(*pads[0], *pads[1], *pads[2]),
    )
    source = channels_last(c, x)
    channels, results = x.shape[1] // groups, weights.shape[0] // groups
    parts: list[Tensor] = []
    for group in range(groups):
        shaped = transpose(
            c, part(c, weights, 0, group * results, (group + 1) * results), (2, 3, 4, 1, 0)
        )
        own = bias and part(c, bias, 0, group * results, (group + 1) * results)
        read = part(c, source, 4, group * channels, (group + 1) * channels)
        parts.append(c.emit(operator, read, shaped, own))
    return channels_first(c, parts[0] if groups == 1 else concat(c, parts, 4))


def same_pads(
    sizes: Sequence[int],
    window: Sequence[int],
    stride: Sequence[int],
    dilation: Sequence[int],
    *,
    more_before: bool = False,
) -> list[tuple[int, int]]:
    """Paddings that give ceil(size / stride) results along each axis.

    more_before: where an odd one goes; else it goes behind.
    """
    pads: list[tuple[int, int]] = []
    for size, extent, step, spread in zip(sizes, window, stride, dilation, strict=True):
        results = -(-size // step)
        total = max((results - 1) * step + (extent - 1) * spread + 1 - size, 0)
        small, large = total // 2, total - total // 2
        pads.append((large, small) if more_before else (small, large))
    return pads


def check_axes(axes: int, expected: int) -> None:
    """Raise UnsupportedError unless windows slide over all of one to three axes."""
    if axes != expected or not 1 <= axes <= 3:
        raise UnsupportedError(
            f"expected windows over one to three axes behind batch and channels, got "
            f"{axes} axes and windows of {expected}"
        )


def _as_image(c: Composer, x: Tensor) -> Tensor:
    """(N, W, C) as (N, 1, W, C)."""
    return x if x.rank == 4 else reshape(c, x, (x.shape[0], 1, *x.shape[1:]))


def _as_before(c: Composer, x: Tensor, axes: int) -> Tensor:
    return x if axes == 2 else reshape(c, x, (x.shape[0], *x.shape[2:]))


def _with_row(shape: Sequence[int]) -> tuple[int, ...]:
    return (*shape[:2], 1, *shape[2:])


def _pair(numbers: Sequence[int], first: int) -> tuple[int, int]:
    return (numbers[0], numbers[1]) if len(numbers) == 2 else (first, numbers[0])


def _padding(pads: Pads) -> tuple[int, int, int, int]:
    """Of rows and columns, as operators of the graph have it: of one axis, none for rows."""
    (top, bottom), (left, right) = pads if len(pads) == 2 else ((0, 0), pads[0])
    return top, bottom, left, right
