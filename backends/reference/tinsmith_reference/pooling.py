"""AveragePool2D and MaxPool2D."""

from tinsmith_c import call, initializer
from tinsmith_ir.operators import AveragePool2D, MaxPool2D, Pool
from tinsmith_ir.parameters import pool_parameters
from tinsmith_lowering import Emission, Layer, Scope, Signature, pool_walk

from tinsmith_reference.common import FLOAT32, INT8, INT16, SUFFIX, clamp_f32, kernel


def emit_pool(layer: Layer, scope: Scope) -> Emission:
    """Average and maximum, any element type."""
    operator = layer.operator_as(Pool)
    batches, input_height, input_width, channels = layer.input(0).shape
    fields = {
        "batches": batches,
        "input_height": input_height,
        "input_width": input_width,
        "channels": channels,
        "output_height": layer.output.shape[1],
        "output_width": layer.output.shape[2],
        "window_height": operator.window[0],
        "window_width": operator.window[1],
        "stride_height": operator.stride[0],
        "stride_width": operator.stride[1],
        "padding_top": operator.padding[0],
        "padding_left": operator.padding[2],
    }
    shape = initializer("tinsmith_pool_shape", "kShape", fields)
    pool = call(_pool_name(layer), ["&kShape", "&kClamp", scope.input(0), scope.output])
    return Emission((shape, _clamp(layer), pool))


def _pool_name(layer: Layer) -> str:
    operator = layer.operator_as(Pool)
    is_up = isinstance(operator, AveragePool2D) and operator.halves_up
    halves = "_up" if is_up else "_even" if _goes_to_even(operator) else ""
    return f"tinsmith_{operator.mnemonic}_{SUFFIX[layer.output.dtype]}{halves}"


def _goes_to_even(operator: Pool) -> bool:
    return isinstance(operator, AveragePool2D) and operator.halves_to_even


def _clamp(layer: Layer) -> str:
    operator = layer.operator_as(Pool)
    if layer.output.dtype is FLOAT32:
        return clamp_f32(operator.activation)
    p = pool_parameters(operator, layer.inputs, layer.output)
    fields = {"min": p.clamp_min, "max": p.clamp_max}
    if not _goes_to_even(operator):
        return initializer("tinsmith_clamp", "kClamp", fields)
    quantization = layer.output.quantization
    assert quantization is not None
    fields["zero_point"] = quantization.zero_point
    return initializer("tinsmith_average_clamp", "kClamp", fields)


KERNELS = tuple(
    kernel(
        f"tinsmith_{operator.mnemonic}_{SUFFIX[dtype]}",
        operator,
        Signature((dtype,), dtype),
        emit_pool,
        walk=pool_walk,
    )
    for operator in (AveragePool2D, MaxPool2D)
    for dtype in (INT8, INT16, FLOAT32)
)
