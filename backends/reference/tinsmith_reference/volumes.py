"""Conv3D."""

from tinsmith_c import call, initializer
from tinsmith_ir.operators import Conv3D
from tinsmith_lowering import Emission, Layer, Scope, Signature

from tinsmith_reference.common import FLOAT32, clamp_f32, kernel

_FUNCTION = "tinsmith_conv3d_f32"
_SIDES = ("depth", "height", "width")


def _by_side(name: str, values: tuple[int, ...]) -> dict[str, int]:
    return {f"{name}_{side}": value for side, value in zip(_SIDES, values, strict=True)}


def emit(layer: Layer, scope: Scope) -> Emission:
    """float32."""
    operator = layer.operator_as(Conv3D)
    batches, *size, input_channels = layer.input(0).shape
    _, *results, output_channels = layer.output.shape
    front, _, top, _, left, _ = operator.padding
    fields = {
        "batches": batches,
        **_by_side("input", tuple(size)),
        "input_channels": input_channels,
        **_by_side("output", tuple(results)),
        "output_channels": output_channels,
        **_by_side("kernel", layer.input(1).shape[:3]),
        **_by_side("stride", operator.stride),
        **_by_side("dilation", operator.dilation),
        "padding_front": front,
        "padding_top": top,
        "padding_left": left,
    }
    operands = [scope.input(0), scope.input(1), scope.input(2), scope.output]
    return Emission(
        (
            initializer("tinsmith_conv3d_shape", "kShape", fields),
            clamp_f32(operator.activation),
            call(_FUNCTION, ["&kShape", "&kClamp", *operands]),
        )
    )


KERNELS = (kernel(_FUNCTION, Conv3D, Signature((FLOAT32, FLOAT32, FLOAT32), FLOAT32), emit),)
