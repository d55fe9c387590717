"""LogSoftmax and L2Normalization over the last axis."""

from tinsmith_c import call, initializer
from tinsmith_ir.normalization_parameters import log_softmax_parameters
from tinsmith_ir.operators import L2Normalization, LogSoftmax
from tinsmith_lowering import Emission, Layer, Scope, Signature, elementwise_walk

from tinsmith_reference.common import FLOAT32, INT8, SUFFIX, kernel, scale


def _rows(layer: Layer) -> list[str]:
    depth = layer.output.shape[-1]
    return [str(layer.output.elements // depth), str(depth)]


def emit_log_softmax(layer: Layer, scope: Scope) -> Emission:
    """int8 in fixed point."""
    p = log_softmax_parameters(layer.inputs)
    fields = {
        "forward": scale(p.multiplier, p.shift),
        "diff_min": p.diff_min,
        "back": scale(p.back_multiplier, p.back_shift),
    }
    arguments = [*_rows(layer), "&kParameters", scope.input(0), scope.output]
    return Emission(
        (
            initializer("tinsmith_log_softmax_parameters", "kParameters", fields),
            call("tinsmith_log_softmax_s8", arguments),
        )
    )


def emit_l2(layer: Layer, scope: Scope) -> Emission:
    """int8 in fixed point."""
    quantization = layer.input(0).quantization
    if quantization is None:
        raise ValueError(f"layer {layer.name}: the input has no quantization")
    arguments = [*_rows(layer), str(quantization.zero_point), scope.input(0), scope.output]
    return Emission((call("tinsmith_l2_normalization_s8", arguments),))


def emit_float(layer: Layer, scope: Scope) -> Emission:
    """float32."""
    arguments = [*_rows(layer), scope.input(0), scope.output]
    return Emission((call(f"tinsmith_{layer.operator.mnemonic}_f32", arguments),))


KERNELS = tuple(
    kernel(
        f"tinsmith_{operator.mnemonic}_{SUFFIX[dtype]}",
        operator,
        Signature((dtype,), dtype),
        emit,
        walk=elementwise_walk,
    )
    for operator, dtype, emit in (
        (LogSoftmax, INT8, emit_log_softmax),
        (LogSoftmax, FLOAT32, emit_float),
        (L2Normalization, INT8, emit_l2),
        (L2Normalization, FLOAT32, emit_float),
    )
)
