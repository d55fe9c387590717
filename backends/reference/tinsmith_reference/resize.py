"""Bilinear resizing."""

from tinsmith_c import call, float_literal, initializer
from tinsmith_ir.operators import ResizeBilinear
from tinsmith_lowering import Emission, Layer, Scope, Signature

from tinsmith_reference.common import FLOAT32, INT8, INT16, SUFFIX, kernel


def emit_resize(layer: Layer, scope: Scope) -> Emission:
    """Any sizes."""
    operator = layer.operator_as(ResizeBilinear)
    batches, height, width, channels = layer.input(0).shape
    is_float = layer.output.dtype is FLOAT32 or operator.in_float32
    pairs = tuple(zip((height, width), operator.size, strict=True))
    steps = (0, 0) if is_float else tuple(operator.scale(*pair) for pair in pairs)
    reals = tuple(operator.scale_f32(*pair) if is_float else 0.0 for pair in pairs)
    fields = {
        "batches": batches,
        "input_height": height,
        "input_width": width,
        "channels": channels,
        "output_height": operator.size[0],
        "output_width": operator.size[1],
        "vertical_step": steps[0],
        "horizontal_step": steps[1],
        "vertical_step_f32": float_literal(float(reals[0])),
        "horizontal_step_f32": float_literal(float(reals[1])),
        "half_pixel_centers": int(operator.half_pixel_centers),
    }
    name = f"tinsmith_resize_bilinear_{SUFFIX[layer.output.dtype]}"
    if operator.in_float32:
        name += "_in_f32"
    return Emission(
        (
            initializer("tinsmith_resize_shape", "kShape", fields),
            call(name, ["&kShape", scope.input(0), scope.output]),
        )
    )


def interpolates_integers(layer: Layer) -> str | None:
    """Integers are interpolated as integers."""
    is_real = layer.operator_as(ResizeBilinear).in_float32
    return "they are interpolated in float32" if is_real else None


def interpolates_floats(layer: Layer) -> str | None:
    """int8 is interpolated in float32, as uint8 in TFLite."""
    is_real = layer.operator_as(ResizeBilinear).in_float32
    return None if is_real else "it is interpolated as integers"


KERNELS = (
    *(
        kernel(
            f"tinsmith_resize_bilinear_{SUFFIX[dtype]}",
            ResizeBilinear,
            Signature((dtype,), dtype),
            emit_resize,
            (interpolates_integers,) if dtype is INT8 else (),
        )
        for dtype in (INT8, INT16, FLOAT32)
    ),
    kernel(
        "tinsmith_resize_bilinear_s8_in_f32",
        ResizeBilinear,
        Signature((INT8,), INT8),
        emit_resize,
        (interpolates_floats,),
    ),
)
