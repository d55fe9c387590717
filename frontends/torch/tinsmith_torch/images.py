"""Rules of operators on images: paddings, pixels as channels and back, sizes."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from tinsmith_tensors import Tensor, blocks, movement, resizing, sampling, unfolding
from tinsmith_tensors.padding import PadMode, pad_by_elements, pad_by_value
from tinsmith_tensors.pools import Windows
from tinsmith_tensors.resampling import (
    Coordinates,
    Interpolation,
    ResizedAxis,
    Resizing,
    Rounding,
)

from tinsmith_torch.context import OperatorContext
from tinsmith_torch.rules import Rule

_MODES: Mapping[str, PadMode] = {
    "circular": PadMode.WRAP,
    "reflect": PadMode.REFLECT,
    "replicate": PadMode.EDGE,
}


def pad(t: OperatorContext) -> Tensor:
    """By a value, or by elements, in a mode."""
    mode = t.text("mode") if t.has("mode") else "constant"
    if mode == "constant":
        return pad_constant(t)
    return pad_by_elements(t.c, t.tensor("self"), _widths(t, "pad"), _MODES[mode])


def pad_constant(t: OperatorContext) -> Tensor:
    """By a value, zero if none is said."""
    x = t.tensor("self")
    number = t.real("value") if t.has("value") else 0.0
    value = t.c.known(np.array(number, x.dtype))
    return pad_by_value(t.c, x, _widths(t, "pad"), value)


def _pad_in(mode: PadMode) -> Rule:
    return Rule(lambda t: pad_by_elements(t.c, t.tensor("self"), _widths(t, "padding"), mode))


def _widths(t: OperatorContext, name: str) -> list[tuple[int, int]]:
    """Before and after each axis; PyTorch counts axes from the last."""
    numbers, rank = t.integers(name), t.tensor("self").rank
    pairs = list(zip(numbers[::2], numbers[1::2], strict=True))
    return [(0, 0)] * (rank - len(pairs)) + pairs[::-1]


def pixel_shuffle(t: OperatorContext) -> Tensor:
    """(..., C r r, H, W) as (..., C, H r, W r)."""
    factor = t.integer("upscale_factor")
    x = _with_batch(t, t.tensor("self"))
    moved = blocks.depth_to_space(t.c, x, (factor, factor), channels_first=True)
    return movement.reshape(t.c, moved, t.result.shape)


def pixel_unshuffle(t: OperatorContext) -> Tensor:
    """(..., C, H r, W r) as (..., C r r, H, W)."""
    factor = t.integer("downscale_factor")
    x = _with_batch(t, t.tensor("self"))
    moved = blocks.space_to_depth(t.c, x, (factor, factor), channels_first=True)
    return movement.reshape(t.c, moved, t.result.shape)


def _with_batch(t: OperatorContext, x: Tensor) -> Tensor:
    """(..., C, H, W) as (N, C, H, W)."""
    batches = int(np.prod(x.shape[:-3], dtype=np.int64))
    return movement.reshape(t.c, x, (batches, *x.shape[-3:]))


def _resized(how: Resizing, *, takes_corners: bool = False) -> Rule:
    """All axes behind batch and channels. takes_corners: whether centres or corners of the ends may be what fits."""

    def convert(t: OperatorContext) -> Tensor:
        x = t.tensor("input" if t.has("input") else "self")
        axes = range(2, x.rank)
        sizes = t.result.shape[2:]
        scales = _scales(t, x, sizes)
        chosen = how
        if takes_corners and t.flag("align_corners"):
            chosen = replace(how, coordinates=Coordinates.ALIGN_CORNERS)
        resized = [ResizedAxis(*each) for each in zip(axes, sizes, scales, strict=True)]
        return resizing.resize(t.c, x, resized, chosen)

    return Rule(convert)


def _scales(t: OperatorContext, x: Tensor, sizes: Sequence[int]) -> list[float]:
    """Those that are said, else what leads to the sizes."""
    if t.has("scale_factors"):
        return [float(scale) for scale in t.reals("scale_factors")]
    names = {1: ("scales",), 2: ("scales_h", "scales_w"), 3: ("scales_d", "scales_h", "scales_w")}
    said = [t.real(name) if t.has(name) else None for name in names[len(sizes)]]
    return [
        size / there if scale is None else scale
        for size, there, scale in zip(sizes, x.shape[2:], said, strict=True)
    ]


_NEAREST = Resizing(coordinates=Coordinates.ASYMMETRIC, rounding=Rounding.FLOOR)
_NEAREST_EXACT = Resizing(rounding=Rounding.ROUND_PREFER_CEIL)
_LINEAR = Resizing(Interpolation.LINEAR)
_CUBIC = Resizing(Interpolation.CUBIC)
_LINEAR_WIDE = Resizing(Interpolation.LINEAR, antialias=True, exclude_outside=True)
_CUBIC_WIDE = Resizing(Interpolation.CUBIC, cubic=-0.5, antialias=True, exclude_outside=True)


def unfold(t: OperatorContext) -> Tensor:
    """im2col: windows side by side, as columns."""
    return unfolding.unfold(t.c, t.tensor("self"), _windows(t))


def fold(t: OperatorContext) -> Tensor:
    """col2im: columns added up to an image."""
    return unfolding.fold(t.c, t.tensor("self"), t.integers("output_size"), _windows(t))


_CURVES = (Interpolation.LINEAR, Interpolation.NEAREST, Interpolation.CUBIC)
_OUTSIDE = (sampling.Outside.ZEROS, sampling.Outside.BORDER, sampling.Outside.REFLECTION)
"""By PyTorch's numbers for them."""


def grid_sample(t: OperatorContext) -> Tensor:
    """An image looked at in places that a grid says."""
    return sampling.grid_sample(
        t.c,
        t.tensor("input"),
        t.tensor("grid"),
        _CURVES[t.integer("interpolation_mode")],
        _OUTSIDE[t.integer("padding_mode")],
        align_corners=t.flag("align_corners"),
    )


def _windows(t: OperatorContext) -> Windows:
    pads = tuple((width, width) for width in t.integers("padding", 2))
    size, stride = t.integers("kernel_size", 2), t.integers("stride", 2)
    return Windows(size, stride, pads, t.integers("dilation", 2))


RULES: Mapping[str, Rule] = {
    "aten._upsample_bicubic2d_aa": _resized(_CUBIC_WIDE, takes_corners=True),
    "aten._upsample_bilinear2d_aa": _resized(_LINEAR_WIDE, takes_corners=True),
    "aten._upsample_nearest_exact1d": _resized(_NEAREST_EXACT),
    "aten._upsample_nearest_exact2d": _resized(_NEAREST_EXACT),
    "aten._upsample_nearest_exact3d": _resized(_NEAREST_EXACT),
    "aten.col2im": Rule(fold),
    "aten.constant_pad_nd": Rule(pad_constant),
    "aten.grid_sampler": Rule(grid_sample),
    "aten.grid_sampler_2d": Rule(grid_sample),
    "aten.grid_sampler_3d": Rule(grid_sample),
    "aten.im2col": Rule(unfold),
    "aten.pad": Rule(pad),
    "aten.pixel_shuffle": Rule(pixel_shuffle),
    "aten.pixel_unshuffle": Rule(pixel_unshuffle),
    "aten.reflection_pad1d": _pad_in(PadMode.REFLECT),
    "aten.reflection_pad2d": _pad_in(PadMode.REFLECT),
    "aten.reflection_pad3d": _pad_in(PadMode.REFLECT),
    "aten.replication_pad1d": _pad_in(PadMode.EDGE),
    "aten.replication_pad2d": _pad_in(PadMode.EDGE),
    "aten.replication_pad3d": _pad_in(PadMode.EDGE),
    "aten.upsample_bicubic2d": _resized(_CUBIC, takes_corners=True),
    "aten.upsample_bilinear2d": _resized(_LINEAR, takes_corners=True),
    "aten.upsample_linear1d": _resized(_LINEAR, takes_corners=True),
    "aten.upsample_nearest1d": _resized(_NEAREST),
    "aten.upsample_nearest2d": _resized(_NEAREST),
    "aten.upsample_nearest3d": _resized(_NEAREST),
    "aten.upsample_trilinear3d": _resized(_LINEAR, takes_corners=True),
}
