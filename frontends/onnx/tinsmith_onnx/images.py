"""Rules of operators that give images another size: resized, padded, cut, in blocks."""

from collections.abc import Mapping, Sequence
from typing import TypeVar

import numpy as np
from tinsmith_tensors import (
    Tensor,
    blocks,
    elementwise,
    movement,
    padding,
    pools,
    resizing,
    unfolding,
)
from tinsmith_tensors.padding import PadMode
from tinsmith_tensors.resampling import (
    Coordinates,
    Interpolation,
    ResizedAxis,
    Resizing,
    Rounding,
)

from tinsmith_onnx.context import OperatorContext
from tinsmith_onnx.rules import Rule

_Choice = TypeVar("_Choice", Coordinates, Rounding)
_CURVES = {
    "nearest": Interpolation.NEAREST,
    "linear": Interpolation.LINEAR,
    "bilinear": Interpolation.LINEAR,
    "cubic": Interpolation.CUBIC,
}
_PAD_MODES = {"edge": PadMode.EDGE, "reflect": PadMode.REFLECT, "wrap": PadMode.WRAP}


def resize(context: OperatorContext) -> Tensor:
    """Resize, by scales or to sizes."""
    if context.version < 11:
        return _scaled(context, _numbers(context, 1))
    x = context.tensor(0)
    axes = _axes(context, x)
    coordinates = _choice(context, Coordinates, "coordinate_transformation_mode")
    is_cropped = coordinates is Coordinates.CROP
    how = Resizing(
        interpolation=_interpolation(context),
        coordinates=coordinates,
        rounding=_choice(context, Rounding, "nearest_mode"),
        cubic=context.real("cubic_coeff_a"),
        exclude_outside=bool(context.integer("exclude_outside")),
        antialias=bool(context.integer("antialias", 0)),
        extrapolation=context.real("extrapolation_value") if is_cropped else None,
    )
    scales, sizes = _scales_and_sizes(context, x, axes)
    begins, ends = (
        _region(context, x, axes) if is_cropped else ((0.0,) * len(axes), (1.0,) * len(axes))
    )
    resized = [
        ResizedAxis(*numbers) for numbers in zip(axes, sizes, scales, begins, ends, strict=True)
    ]
    return resizing.resize(context.c, x, resized, how)


def _scales_and_sizes(
    context: OperatorContext, x: Tensor, axes: Sequence[int]
) -> tuple[list[float], list[int]]:
    """Of the resized axes; one of them is said, the other follows."""
    there = [x.shape[axis] for axis in axes]
    scales = _numbers(context, 2)
    sizes = list(context.integers_of(3)) if _is_said(context, 3) else []
    if bool(scales) == bool(sizes) or len(scales or sizes) != len(axes):
        raise context.error(
            f"expected scales or sizes of {len(axes)} axes, got {scales} and {sizes}"
        )
    if scales:
        return scales, [
            int(np.float32(scale) * size) for scale, size in zip(scales, there, strict=True)
        ]
    found = [size / was for size, was in zip(sizes, there, strict=True)]
    policy = context.text("keep_aspect_ratio_policy", "stretch")
    if policy == "stretch":
        return found, sizes
    scale = min(found) if policy == "not_larger" else max(found)
    return [scale] * len(axes), [int(np.floor(scale * size + 0.5)) for size in there]


def _numbers(context: OperatorContext, position: int) -> list[float]:
    """The elements of an operand; none if it is left out."""
    if not _is_said(context, position):
        return []
    return [float(number) for number in context.known(position).reshape(-1)]


def _is_said(context: OperatorContext, position: int) -> bool:
    """Whether an operand is there and has elements; without any it counts as left out."""
    return context.has(position) and context.tensor(position).elements > 0


def _region(
    context: OperatorContext, x: Tensor, axes: Sequence[int]
) -> tuple[Sequence[float], Sequence[float]]:
    """Where what is cropped begins and ends along each resized axis."""
    region = _numbers(context, 1)
    if len(region) == 2 * len(axes):
        return region[: len(axes)], region[len(axes) :]
    if len(region) == 2 * x.rank:
        begins, ends = region[: x.rank], region[x.rank :]
        return [begins[axis] for axis in axes], [ends[axis] for axis in axes]
    raise context.error(f"expected a region of {len(axes)} axes to crop, got {region}")


def _axes(context: OperatorContext, x: Tensor) -> tuple[int, ...]:
    """The axes of an attribute, or all."""
    axes = context.integers("axes", ()) or tuple(range(x.rank))
    return tuple(context.axis(axis, x.rank) for axis in axes)


def _interpolation(context: OperatorContext) -> Interpolation:
    mode = context.text("mode")
    if mode not in _CURVES:
        raise context.error(f"expected a mode of {', '.join(_CURVES)}, got {mode!r}")
    return _CURVES[mode]


def _choice(context: OperatorContext, kind: type[_Choice], name: str) -> _Choice:
    text = context.text(name)
    try:
        return kind(text)
    except ValueError:
        names = ", ".join(choice.value for choice in kind)
        raise context.error(f"expected a {name} of {names}, got {text!r}") from None


def upsample(context: OperatorContext) -> Tensor:
    """Upsample: what Resize was before version 11."""
    if context.version < 9:
        return _scaled(context, context.reals("scales"))
    return _scaled(context, _numbers(context, 1))


def _scaled(context: OperatorContext, scales: Sequence[float]) -> Tensor:
    """Of versions that knew no modes of coordinates."""
    x = context.tensor(0)
    if len(scales) != x.rank:
        raise context.error(f"expected {x.rank} scales, got {list(scales)}")
    axes = [
        ResizedAxis(axis, int(np.float32(scale) * size), scale)
        for axis, (size, scale) in enumerate(zip(x.shape, scales, strict=True))
    ]
    how = Resizing(
        interpolation=_interpolation(context),
        coordinates=Coordinates.ASYMMETRIC,
        rounding=Rounding.SIMPLE,
    )
    return resizing.resize(context.c, x, axes, how)


def pad(context: OperatorContext) -> Tensor:
    """Pad: widths below 0 cut off."""
    x, mode = context.tensor(0), context.text("mode")
    given = context.integers("pads") if context.version < 11 else context.integers_of(1)
    axes = tuple(range(x.rank))
    if context.has(3):
        axes = tuple(context.axis(axis, x.rank) for axis in context.integers_of(3))
    if len(given) != 2 * len(axes):
        raise context.error(f"expected {2 * len(axes)} pads, got {list(given)}")
    widths = [(0, 0)] * x.rank
    for at, axis in enumerate(axes):
        widths[axis] = given[at], given[len(axes) + at]
    if mode != "constant":
        if mode not in _PAD_MODES:
            raise context.error(
                f"expected a mode of constant, {', '.join(_PAD_MODES)}, got {mode!r}"
            )
        return padding.pad_by_elements(context.c, x, widths, _PAD_MODES[mode])
    if context.version < 11:
        value = context.c.number(context.real("value"), x)
    else:
        value = context.optional(2) or context.c.number(0, x)
    return padding.pad_by_value(context.c, x, widths, value)


def center_crop_pad(context: OperatorContext) -> Tensor:
    """CenterCropPad: as much at both ends, an odd one behind."""
    x, wanted = context.tensor(0), context.integers_of(1)
    axes = _axes(context, x)
    if len(wanted) != len(axes):
        raise context.error(f"expected sizes of {len(axes)} axes, got {list(wanted)}")
    widths = [(0, 0)] * x.rank
    for axis, size in zip(axes, wanted, strict=True):
        missing = size - x.shape[axis]
        half = missing // 2 if missing >= 0 else -(-missing // 2)
        widths[axis] = half, missing - half
    return movement.pad(context.c, x, widths, 0)


def depth_to_space(context: OperatorContext) -> Tensor:
    """DepthToSpace, in both orders of channels."""
    block, mode = context.integer("blocksize"), context.text("mode", "DCR")
    return blocks.depth_to_space(
        context.c, context.tensor(0), (block, block), channels_first=mode == "CRD"
    )


def space_to_depth(context: OperatorContext) -> Tensor:
    """SpaceToDepth, in both orders of channels."""
    block, mode = context.integer("blocksize"), context.text("mode", "DCR")
    return blocks.space_to_depth(
        context.c, context.tensor(0), (block, block), channels_first=mode == "CRD"
    )


def col2im(context: OperatorContext) -> Tensor:
    """Col2Im, over any number of axes."""
    x, sizes, window = context.tensor(0), context.integers_of(1), context.integers_of(2)
    ones = (1,) * len(window)
    pads = context.integers("pads", (0, 0) * len(window))
    if len(sizes) != len(window) or len(pads) != 2 * len(window):
        raise context.error(
            f"expected an image, a block and pads of as many axes, got {sizes}, {window} and {pads}"
        )
    windows = pools.Windows(
        size=window,
        stride=context.integers("strides", ones),
        pads=tuple(zip(pads[: len(window)], pads[len(window) :], strict=True)),
        dilation=context.integers("dilations", ones),
    )
    return unfolding.fold(context.c, x, sizes, windows)


def image_scaler(context: OperatorContext) -> Tensor:
    """ImageScaler, which the main domain had for trials before its version 10: x * scale + bias, a bias per channel."""
    x = context.tensor(0)
    bias = np.array(context.reals("bias", ()), np.float32)
    if x.rank != 4 or bias.size not in (0, x.shape[1]):
        raise context.error(
            f"expected images and a bias for each of their channels, got shape {list(x.shape)} and {bias.size}"
        )
    scale = context.c.known(np.array(context.real("scale", 1.0), np.float32))
    scaled = elementwise.mul(context.c, x, scale)
    return (
        elementwise.add(context.c, scaled, context.c.known(bias.reshape(-1, 1, 1)))
        if bias.size
        else scaled
    )


def crop(context: OperatorContext) -> Tensor:
    """Crop, for trials as well: without a border of (left, top, right, bottom), or of `scale` rows and columns from
    the upper left corner of what is inside.
    """
    x = context.tensor(0)
    border, scale = context.integers("border", ()), context.integers("scale", ())
    if x.rank != 4 or len(border) != 4 or len(scale) not in (0, 2):
        raise context.error(
            f"expected images, 4 widths and 2 sizes or none, got shape {list(x.shape)}, {list(border)}, {list(scale)}"
        )
    left, top, right, bottom = border
    height, width = scale or (x.shape[2] - top - bottom, x.shape[3] - left - right)
    is_inside = min(top, left) >= 0 and top + height <= x.shape[2] and left + width <= x.shape[3]
    if not is_inside or min(height, width) < 1:
        raise context.error(
            f"expected a part of an image of shape {list(x.shape)}, got {height}x{width}"
        )
    rows = movement.part(context.c, x, 2, top, top + height)
    return movement.part(context.c, rows, 3, left, left + width)


RULES: Mapping[str, Rule] = {
    "CenterCropPad": Rule(center_crop_pad),
    "Col2Im": Rule(col2im),
    "Crop": Rule(crop),
    "DepthToSpace": Rule(depth_to_space),
    "ImageScaler": Rule(image_scaler),
    "Pad": Rule(pad),
    "Resize": Rule(resize),
    "SpaceToDepth": Rule(space_to_depth),
    "Upsample": Rule(upsample),
}
