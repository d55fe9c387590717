"""Quantize, Dequantize, Requantize, and the integer rectifiers, which are requantizations that clamp."""

from tinsmith_c import call, float_literal, initializer
from tinsmith_ir.operators import Clamp, Dequantize, Quantize, Relu, Relu6, Requantize
from tinsmith_ir.parameters import RequantizeParameters, relu_parameters, requantize_parameters
from tinsmith_lowering import Emission, Layer, Scope, Signature

from tinsmith_reference.common import FLOAT32, INT8, INT16, INT32, SUFFIX, kernel, scale


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


def _parameters(layer: Layer) -> RequantizeParameters:
    operator = layer.operator
    if isinstance(operator, Clamp):
        return relu_parameters(operator, layer.inputs, layer.output)
    return requantize_parameters(operator, layer.inputs, layer.output)


def emit_requantize(layer: Layer, scope: Scope) -> Emission:
    """Integers to integers."""
    name = f"tinsmith_requantize_{SUFFIX[layer.input(0).dtype]}_{SUFFIX[layer.output.dtype]}"
    arguments = [str(layer.output.elements), "&kParameters", scope.input(0), scope.output]
    return Emission((requantize_initializer(_parameters(layer)), call(name, arguments)))


def emit_conversion(layer: Layer, scope: Scope) -> Emission:
    """Floats to integers and back."""
    source, result = layer.input(0), layer.output
    quantization = source.quantization if result.dtype is FLOAT32 else result.quantization
    if quantization is None:
        raise ValueError(f"layer {layer.name}: the integer tensor has no quantization")
    name = f"tinsmith_{layer.operator.mnemonic}_{SUFFIX[source.dtype]}_{SUFFIX[result.dtype]}"
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
        )
        for dtype in (INT8, INT16)
    ),
    *(
        kernel(
            f"tinsmith_dequantize_{SUFFIX[dtype]}_f32",
            Dequantize,
            Signature((dtype,), FLOAT32),
            emit_conversion,
        )
        for dtype in (INT8, INT16)
    ),
    *(
        kernel(
            f"tinsmith_requantize_{SUFFIX[source]}_{SUFFIX[result]}",
            Requantize,
            Signature((source,), result),
            emit_requantize,
        )
        for source in (INT8, INT16, INT32)
        for result in (INT8, INT16, INT32)
    ),
    *(
        kernel(
            f"tinsmith_requantize_{SUFFIX[dtype]}_{SUFFIX[dtype]}",
            operator,
            Signature((dtype,), dtype),
            emit_requantize,
        )
        for operator in (Relu, Relu6)
        for dtype in (INT8, INT16)
    ),
)
