"""Quantize, Dequantize, Requantize, and the integer rectifiers, which are requantizations that clamp."""

from tinsmith_c import call, float_literal, initializer
from tinsmith_ir.dtypes import DType
from tinsmith_ir.operators import (
    Activation,
    Clamp,
    Dequantize,
    Quantize,
    Relu,
    Relu0To1,
    Relu6,
    ReluN1To1,
    Requantize,
)
from tinsmith_ir.parameters import (
    ConvParameters,
    RequantizeParameters,
    accumulator_parameters,
    relu_parameters,
    requantize_parameters,
)
from tinsmith_ir.rounding import Rounding
from tinsmith_lowering import (
    AsGiven,
    Emission,
    Layer,
    Prepared,
    Scope,
    Signature,
    elementwise_walk,
)

from tinsmith_reference.common import (
    FLOAT32,
    INT8,
    INT16,
    INT32,
    INT64,
    SUFFIX,
    UINT8,
    kernel,
    output_stage,
    rescaling_kernels,
    rounded,
    scale,
    stage_constants,
)


def requantize_initializer(parameters: RequantizeParameters, name: str = "kParameters") -> str:
    """Definition of a tinsmith_requantize_parameters."""
    return initializer(
        "tinsmith_requantize_parameters",
        name,
        {
            "input_offset": parameters.input_offset,
            "output_offset": parameters.output_offset,
            "scale": scale(parameters.multiplier, parameters.shift),
            "clamp_min": parameters.clamp_min,
            "clamp_max": parameters.clamp_max,
        },
    )


def end_parameters(layer: Layer) -> RequantizeParameters:
    """Of Requantize, Relu and Relu6."""
    operator = layer.operator
    if isinstance(operator, Clamp):
        return relu_parameters(operator, layer.inputs, layer.output)
    return requantize_parameters(layer.operator_as(Requantize), layer.inputs, layer.output)


def emit_requantize(layer: Layer, scope: Scope) -> Emission:
    """Integers to integers."""
    parameters = end_parameters(layer)
    name = f"tinsmith_requantize_{SUFFIX[layer.input(0).dtype]}_{SUFFIX[layer.output.dtype]}"
    arguments = [str(layer.output.elements), "&kParameters", scope.input(0), scope.output]
    requantize = call(rounded(name, parameters.rounding), arguments)
    return Emission((requantize_initializer(parameters), requantize))


def is_recentred(layer: Layer) -> str | None:
    """Both have one scale and zero points 128 apart, and nothing is clamped."""
    if layer.operator_as(Requantize).activation is not Activation.NONE:
        return "it clamps"
    source, result = layer.input(0), layer.output
    if source.quantization is None or result.quantization is None:
        return "it has no quantization"
    if source.quantization.scale != result.quantization.scale:
        return f"the scales are {source.quantization.scale} and {result.quantization.scale}"
    distance = result.quantization.zero_point - source.quantization.zero_point
    expected = result.dtype.integer_range[0] - source.dtype.integer_range[0]
    return None if distance == expected else f"the zero points are {abs(distance)} apart"


def emit_recentre(layer: Layer, scope: Scope) -> Emission:
    """uint8 to int8 and back, of which only the highest bit differs."""
    name = _recentre_name(layer.input(0).dtype, layer.output.dtype)
    return Emission((call(name, [str(layer.output.elements), scope.input(0), scope.output]),))


def _recentre_name(source: DType, result: DType) -> str:
    return f"tinsmith_recentre_{SUFFIX[source]}_{SUFFIX[result]}"


def has_one_scale(layer: Layer) -> str | None:
    """The input has one scale."""
    quantization = layer.input(0).quantization
    per_axis = quantization is not None and quantization.axis is not None
    return "it has one per channel" if per_axis else None


def _sums_parameters(layer: Layer) -> ConvParameters:
    return accumulator_parameters(layer.operator_as(Requantize), layer.inputs, layer.output)


def prepare_requantize_sums(layer: Layer) -> tuple[Prepared | AsGiven, ...]:
    """Multipliers and shifts."""
    return stage_constants(layer, _sums_parameters(layer))


def emit_requantize_sums(layer: Layer, scope: Scope) -> Emission:
    """Accumulators to integers, per channel."""
    suffixes = f"{SUFFIX[layer.input(0).dtype]}_{SUFFIX[layer.output.dtype]}"
    channels = layer.output.shape[-1] if layer.output.shape else 1
    sizes = [str(layer.output.elements // channels), str(channels)]
    arguments = [*sizes, "&kStage", scope.input(0), scope.output]
    parameters = _sums_parameters(layer)
    name = rounded(f"tinsmith_requantize_sums_{suffixes}", parameters.rounding)
    return Emission((output_stage(scope, parameters), call(name, arguments)))


def has_even_halves(layer: Layer) -> str | None:
    """Halves become the even integer."""
    operator = layer.operator
    is_even = isinstance(operator, Quantize) and operator.halves_to_even
    return None if is_even else "halves are rounded away from zero"


def has_no_even_halves(layer: Layer) -> str | None:
    """Halves are rounded away from zero."""
    return None if has_even_halves(layer) else "halves become the even integer"


def emit_conversion(layer: Layer, scope: Scope) -> Emission:
    """Floats to integers and back."""
    source, result = layer.input(0), layer.output
    quantization = source.quantization if result.dtype is FLOAT32 else result.quantization
    if quantization is None:
        raise ValueError(f"layer {layer.name}: the integer tensor has no quantization")
    even = "_even" if has_even_halves(layer) is None else ""
    name = f"tinsmith_{layer.operator.mnemonic}{even}_{SUFFIX[source.dtype]}_{SUFFIX[result.dtype]}"
    numbers = [
        str(result.elements),
        float_literal(quantization.scale),
        str(quantization.zero_point),
    ]
    return Emission((call(name, [*numbers, scope.input(0), scope.output]),))


KERNELS = (
    *(
        kernel(
            f"tinsmith_quantize_f32_{SUFFIX[dtype]}",
            Quantize,
            Signature((FLOAT32,), dtype),
            emit_conversion,
            (has_no_even_halves,),
            walk=elementwise_walk,
        )
        for dtype in (INT8, UINT8, INT16)
    ),
    *(
        kernel(
            f"tinsmith_quantize_even_f32_{SUFFIX[dtype]}",
            Quantize,
            Signature((FLOAT32,), dtype),
            emit_conversion,
            (has_even_halves,),
            walk=elementwise_walk,
        )
        for dtype in (INT8, UINT8, INT16)
    ),
    *(
        kernel(
            f"tinsmith_dequantize_{SUFFIX[dtype]}_f32",
            Dequantize,
            Signature((dtype,), FLOAT32),
            emit_conversion,
            walk=elementwise_walk,
        )
        for dtype in (INT8, UINT8, INT16)
    ),
    *(
        kernel(
            _recentre_name(source, result),
            Requantize,
            Signature((source,), result),
            emit_recentre,
            (is_recentred,),
            roundings=tuple(Rounding),
            walk=elementwise_walk,
        )
        for source, result in ((UINT8, INT8), (INT8, UINT8))
    ),
    *(
        found
        for source in (INT8, UINT8, INT16, INT32)
        for result in (INT8, UINT8, INT16, INT32)
        for found in rescaling_kernels(
            f"tinsmith_requantize_{SUFFIX[source]}_{SUFFIX[result]}",
            Requantize,
            Signature((source,), result),
            emit_requantize,
            (has_one_scale,) if source is INT32 else (),
            walk=elementwise_walk,
        )
    ),
    *(
        found
        for source in (INT32, INT64)
        for result in (INT8, INT16)
        for found in rescaling_kernels(
            f"tinsmith_requantize_sums_{SUFFIX[source]}_{SUFFIX[result]}",
            Requantize,
            Signature((source,), result),
            emit_requantize_sums,
            prepare=prepare_requantize_sums,
            walk=elementwise_walk,
        )
    ),
    *(
        found
        for operator in (Relu, Relu6, ReluN1To1, Relu0To1)
        for dtype in (INT8, INT16)
        for found in rescaling_kernels(
            f"tinsmith_requantize_{SUFFIX[dtype]}_{SUFFIX[dtype]}",
            operator,
            Signature((dtype,), dtype),
            emit_requantize,
            walk=elementwise_walk,
        )
    ),
)
