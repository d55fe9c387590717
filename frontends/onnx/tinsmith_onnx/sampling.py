"""Rules of operators that look at images in places between their elements."""

from collections.abc import Mapping

from tinsmith_tensors import Tensor, sampling
from tinsmith_tensors.pools import Windows
from tinsmith_tensors.resampling import Interpolation
from tinsmith_tensors.sampling import Outside, RegionPooling

from tinsmith_onnx.context import OperatorContext
from tinsmith_onnx.rules import Rule

_CURVES = {
    "nearest": Interpolation.NEAREST,
    "bilinear": Interpolation.LINEAR,
    "linear": Interpolation.LINEAR,
    "bicubic": Interpolation.CUBIC,
    "cubic": Interpolation.CUBIC,
}
_OUTSIDE = {outside.value: outside for outside in Outside}
_OFFSETS = {"half_pixel": 0.5, "output_half_pixel": 0.0}


def grid_sample(context: OperatorContext) -> Tensor:
    """GridSample, over one to three axes."""
    mode, padding = context.text("mode"), context.text("padding_mode")
    if mode not in _CURVES or padding not in _OUTSIDE:
        raise context.error(
            f"expected a mode of {', '.join(_CURVES)} and padding by {', '.join(_OUTSIDE)}, got {mode!r} and "
            f"{padding!r}"
        )
    return sampling.grid_sample(
        context.c,
        context.tensor(0),
        context.tensor(1),
        _CURVES[mode],
        _OUTSIDE[padding],
        align_corners=bool(context.integer("align_corners")),
    )


def affine_grid(context: OperatorContext) -> Tensor:
    """AffineGrid, of the size (N, C, ...) of a result."""
    return sampling.affine_grid(
        context.c,
        context.tensor(0),
        context.integers_of(1)[2:],
        align_corners=bool(context.integer("align_corners")),
    )


def roi_align(context: OperatorContext) -> Tensor:
    """RoiAlign."""
    mode = context.text("mode")
    pixels = context.text("coordinate_transformation_mode", "output_half_pixel")
    if context.version >= 16:
        pixels = context.text("coordinate_transformation_mode")
    if mode not in ("avg", "max") or pixels not in _OFFSETS:
        raise context.error(
            f"expected mode avg or max and coordinates of {', '.join(_OFFSETS)}, got {mode!r} and {pixels!r}"
        )
    pooling = RegionPooling(
        size=(context.integer("output_height"), context.integer("output_width")),
        scale=context.real("spatial_scale"),
        samples=context.integer("sampling_ratio"),
        offset=_OFFSETS[pixels],
        takes_largest=mode == "max",
    )
    if min(pooling.size) < 1 or pooling.samples < 0:
        raise context.error(
            f"expected a size of at least 1 and a sampling ratio of at least 0, got {pooling.size} and "
            f"{pooling.samples}"
        )
    regions, images = context.tensor(1), context.tensor(2)
    return sampling.roi_align(context.c, context.tensor(0), regions, images, pooling)


def deform_conv(context: OperatorContext) -> Tensor:
    """DeformConv, over two axes."""
    weights = context.tensor(1)
    window = weights.shape[2:]
    if len(window) != 2:
        raise context.unsupported(f"expected windows over two axes, got {len(window)}")
    pads = context.integers("pads", (0, 0, 0, 0))
    windows = Windows(
        size=window,
        stride=context.integers("strides", (1, 1)),
        pads=((pads[0], pads[2]), (pads[1], pads[3])),
        dilation=context.integers("dilations", (1, 1)),
    )
    return sampling.deform_conv(
        context.c,
        context.tensor(0),
        weights,
        context.tensor(2),
        context.optional(3),
        context.optional(4),
        windows,
        groups=context.integer("group"),
        offset_groups=context.integer("offset_group"),
    )


def non_max_suppression(context: OperatorContext) -> Tensor:
    """NonMaxSuppression, whose result is as long as there are boxes that count."""
    raise context.unsupported(
        "expected results of a size that is known while importing, got as many as boxes that are computed leave; let "
        "the boxes and scores be outputs of the model, and select among them behind it"
    )


RULES: Mapping[str, Rule] = {
    "AffineGrid": Rule(affine_grid),
    "DeformConv": Rule(deform_conv, "windows over other than two axes"),
    "GridSample": Rule(grid_sample),
    "NonMaxSuppression": Rule(non_max_suppression, "refused: how much is selected depends on data"),
    "RoiAlign": Rule(roi_align, "computed regions without a sampling ratio"),
}
