"""The numbers an integer operator computes with, derived once for the evaluator and every backend.

Each function takes (operator, types of the operands, type of the result) and returns a frozen
record of plain integers (parameter_records.py); generated C holds exactly these. Formulas as in
TFLite 2.14's Prepare functions, including where those compute in float32 and where in double.
"""

from collections.abc import Sequence

import numpy as np

from tinsmith_ir.activation import Activation
from tinsmith_ir.arithmetic import activation_range, quantize_multiplier, quantize_real
from tinsmith_ir.dtypes import DType
from tinsmith_ir.errors import GraphError
from tinsmith_ir.parameter_records import (
    ConvParameters,
    ElementwiseAddParameters,
    FullyConnectedParameters,
    Fused,
    HasAxes,
    HasBeta,
    MeanParameters,
    MulParameters,
    PoolParameters,
    RequantizeParameters,
    SoftmaxParameters,
)
from tinsmith_ir.types import Quantization, TensorType

__all__ = [
    "SOFTMAX_INTEGER_BITS",
    "ConvParameters",
    "ElementwiseAddParameters",
    "FullyConnectedParameters",
    "Fused",
    "HasAxes",
    "HasBeta",
    "MeanParameters",
    "MulParameters",
    "PoolParameters",
    "RequantizeParameters",
    "SoftmaxParameters",
    "accumulator_parameters",
    "concat_parameters",
    "conv_accumulator",
    "conv_parameters",
    "elementwise_add_parameters",
    "fully_connected_accumulator",
    "fully_connected_channel_parameters",
    "fully_connected_parameters",
    "mean_parameters",
    "mul_parameters",
    "pool_parameters",
    "relu_parameters",
    "requantize_parameters",
    "softmax_parameters",
    "zero_of",
]

Types = Sequence[TensorType | None]

SOFTMAX_INTEGER_BITS = 5
"""Integer bits of the scaled difference that softmax takes the exponential of."""


def conv_parameters(operator: Fused, inputs: Types, output: TensorType) -> ConvParameters:
    """Of a Conv2D or DepthwiseConv2D. The scale of channel c is input * weights[c] / output in
    double, as TFLite's `PopulateConvolutionQuantizationParams`.
    """
    input_ = _quantization(inputs[0])
    weights = _quantization(inputs[1])
    out = _quantization(output)
    channels = output.shape[-1]
    scales = weights.scales if len(weights.scales) > 1 else weights.scales * channels
    pairs = [quantize_multiplier(input_.scale * scale / out.scale) for scale in scales]
    return _conv(operator, pairs, input_, output)


@np.errstate(over="ignore")  # too large: quantize_multiplier says so
def fully_connected_parameters(
    operator: Fused, inputs: Types, output: TensorType
) -> FullyConnectedParameters:
    """Of a FullyConnected with per-tensor weights. The product of the input's and the weights' scale
    is rounded to float32 before the division in double, as TFLite's
    `GetQuantizedConvolutionMultipler`.
    """
    input_ = _quantization(inputs[0])
    weights = _quantization(inputs[1])
    out = _quantization(output)
    product = float(np.float32(input_.scale) * np.float32(weights.scales[0]))
    multiplier, shift = quantize_multiplier(product / out.scale)
    clamp_min, clamp_max = activation_range(operator.activation, output)
    return FullyConnectedParameters(
        multiplier, shift, -input_.zero_point, out.zero_point, clamp_min, clamp_max
    )


def fully_connected_channel_parameters(
    operator: Fused, inputs: Types, output: TensorType
) -> ConvParameters:
    """Of any FullyConnected, per output channel: per-axis weights as `conv_parameters`, per-tensor
    ones as `fully_connected_parameters`, repeated.
    """
    weights = inputs[1]
    if weights is not None and _is_per_axis(weights):
        return conv_parameters(operator, inputs, output)
    one = fully_connected_parameters(operator, inputs, output)
    pairs = [(one.multiplier, one.shift)] * output.shape[-1]
    return _conv(operator, pairs, _quantization(inputs[0]), output)


def conv_accumulator(inputs: Types, axis: int) -> Quantization:
    """Of the sums of a Conv2D or DepthwiseConv2D before they are rescaled: input * weights, exact in
    double, so that `accumulator_parameters` derives what `conv_parameters` does. axis: the channels'.
    """
    input_, weights = _quantization(inputs[0]), _quantization(inputs[1])
    scales = tuple(input_.scale * scale for scale in weights.scales)
    return Quantization(scales, (0,) * len(scales), None if weights.axis is None else axis)


@np.errstate(over="ignore")  # too large: Quantization says so
def fully_connected_accumulator(inputs: Types, axis: int) -> Quantization:
    """Of the sums of a FullyConnected, see `conv_accumulator` and `fully_connected_parameters`."""
    input_, weights = _quantization(inputs[0]), _quantization(inputs[1])
    if weights.axis is not None:
        return conv_accumulator(inputs, axis)
    product = np.float32(input_.scale) * np.float32(weights.scales[0])
    return Quantization.per_tensor(float(product), 0)


def accumulator_parameters(operator: Fused, inputs: Types, output: TensorType) -> ConvParameters:
    """Of a Requantize of sums, per output channel; ratios of scales are taken in double."""
    sums, out = _quantization(inputs[0]), _quantization(output)
    channels = output.shape[-1] if output.shape else 1
    scales = sums.scales if sums.axis is not None else sums.scales * channels
    pairs = [quantize_multiplier(scale / out.scale) for scale in scales]
    clamp_min, clamp_max = activation_range(operator.activation, output)
    return ConvParameters(
        np.array([multiplier for multiplier, _ in pairs], np.int32),
        np.array([shift for _, shift in pairs], np.int32),
        0,
        out.zero_point,
        clamp_min,
        clamp_max,
    )


def elementwise_add_parameters(
    operator: Fused, inputs: Types, output: TensorType
) -> ElementwiseAddParameters:
    """Of an Add or Sub of int8 (left shift 20) or int16 (left shift 15, TFLite's general scales)."""
    lhs, rhs, out = _quantization(inputs[0]), _quantization(inputs[1]), _quantization(output)
    left_shift = 20 if output.dtype is DType.INT8 else 15
    twice_max = 2 * max(lhs.scale, rhs.scale)
    real_output = twice_max / ((1 << left_shift) * out.scale)
    if real_output >= 1.0:
        raise GraphError(
            f"expected an output scale above {twice_max / (1 << left_shift)}, got {out.scale}"
        )
    multiplier1, shift1 = quantize_multiplier(lhs.scale / twice_max)
    multiplier2, shift2 = quantize_multiplier(rhs.scale / twice_max)
    output_multiplier, output_shift = quantize_multiplier(real_output)
    clamp_min, clamp_max = activation_range(operator.activation, output)
    return ElementwiseAddParameters(
        left_shift=left_shift,
        input1_offset=-lhs.zero_point,
        input1_multiplier=multiplier1,
        input1_shift=shift1,
        input2_offset=-rhs.zero_point,
        input2_multiplier=multiplier2,
        input2_shift=shift2,
        output_offset=out.zero_point,
        output_multiplier=output_multiplier,
        output_shift=output_shift,
        clamp_min=clamp_min,
        clamp_max=clamp_max,
    )


@np.errstate(over="ignore")  # too large: quantize_multiplier says so
def mul_parameters(operator: Fused, inputs: Types, output: TensorType) -> MulParameters:
    """Of a Mul; lhs * rhs / output scales are computed in float32."""
    lhs, rhs, out = _quantization(inputs[0]), _quantization(inputs[1]), _quantization(output)
    real = np.float32(lhs.scale) * np.float32(rhs.scale) / np.float32(out.scale)
    multiplier, shift = quantize_multiplier(float(real))
    clamp_min, clamp_max = activation_range(operator.activation, output)
    return MulParameters(
        input1_offset=-lhs.zero_point,
        input2_offset=-rhs.zero_point,
        output_offset=out.zero_point,
        output_multiplier=multiplier,
        output_shift=shift,
        clamp_min=clamp_min,
        clamp_max=clamp_max,
    )


def pool_parameters(operator: Fused, inputs: Types, output: TensorType) -> PoolParameters:
    """Of an AveragePool2D or MaxPool2D."""
    del inputs
    return PoolParameters(*activation_range(operator.activation, output))


def mean_parameters(operator: HasAxes, inputs: Types, output: TensorType) -> MeanParameters:
    """Of a Mean: the multiplier of the rescaling takes the division by the count in, as TFLite's
    `QuantizedMeanOrSum`.
    """
    input_type = _type(inputs[0])
    input_, out = _quantization(input_type), _quantization(output)
    count = 1
    for axis in operator.axes:
        count *= input_type.shape[axis]
    multiplier, shift = quantize_multiplier(input_.scale / out.scale)
    # The shift by log2(count) keeps the bits that the division would lose; the rescaling's own
    # shift may not go below -31.
    kept = min(count.bit_length() - 1, 32, 31 + shift)
    clamp_min, clamp_max = output.dtype.integer_range
    return MeanParameters(
        multiplier=(multiplier << kept) // count,
        shift=shift - kept,
        input_zero_point=input_.zero_point,
        output_offset=out.zero_point,
        count=count,
        clamp_min=clamp_min,
        clamp_max=clamp_max,
    )


def softmax_parameters(operator: HasBeta, inputs: Types, output: TensorType) -> SoftmaxParameters:
    """Of a Softmax on int8, as TFLite's `PreprocessSoftmaxScaling` with 5 integer bits."""
    del output
    scale = _quantization(inputs[0]).scale
    fraction_bits = 31 - SOFTMAX_INTEGER_BITS
    real = min(operator.beta * scale * (1 << fraction_bits), (1 << 31) - 1.0)
    if real <= 1.0:
        raise GraphError(
            f"expected beta * scale above 2**-{fraction_bits}, got {operator.beta * scale}"
        )
    multiplier, left_shift = _quantize_large_multiplier(real)
    radius = ((1 << SOFTMAX_INTEGER_BITS) - 1) * (1 << fraction_bits) >> left_shift
    return SoftmaxParameters(multiplier, left_shift, -radius)


def requantize_parameters(
    operator: Fused, inputs: Types, output: TensorType
) -> RequantizeParameters:
    """Of a Requantize between integer types; the ratio of the scales is taken in double."""
    input_, out = _quantization(inputs[0]), _quantization(output)
    multiplier, shift = quantize_multiplier(input_.scale / out.scale)
    clamp_min, clamp_max = activation_range(operator.activation, output)
    return RequantizeParameters(
        -input_.zero_point, multiplier, shift, out.zero_point, clamp_min, clamp_max
    )


@np.errstate(over="ignore")  # too large: quantize_multiplier says so
def relu_parameters(operator: Fused, inputs: Types, output: TensorType) -> RequantizeParameters:
    """Of a Relu or Relu6 as operators of their own; the ratio of the scales is taken in float32."""
    input_, out = _quantization(inputs[0]), _quantization(output)
    ratio = float(np.float32(input_.scale) / np.float32(out.scale))
    multiplier, shift = quantize_multiplier(ratio)
    clamp_min, clamp_max = activation_range(operator.activation, output)
    return RequantizeParameters(
        -input_.zero_point, multiplier, shift, out.zero_point, clamp_min, clamp_max
    )


def concat_parameters(
    operator: Fused, inputs: Types, output: TensorType
) -> tuple[RequantizeParameters | None, ...]:
    """Of a Concat, one record per input; None where the input already has the output's quantization
    and there is nothing to clamp, so that its bytes are copied.
    """
    records: list[RequantizeParameters | None] = []
    for input_ in inputs:
        same = _type(input_).quantization == output.quantization
        if same and operator.activation is Activation.NONE:
            records.append(None)
            continue
        records.append(requantize_parameters(operator, [input_], output))
    return tuple(records)


def zero_of(type_: TensorType) -> int:
    """The integer that stands for real zero in `type_`: its zero point, or 0."""
    return 0 if type_.quantization is None else quantize_real(0.0, type_)


def _conv(
    operator: Fused, pairs: list[tuple[int, int]], input_: Quantization, output: TensorType
) -> ConvParameters:
    clamp_min, clamp_max = activation_range(operator.activation, output)
    return ConvParameters(
        np.array([multiplier for multiplier, _ in pairs], np.int32),
        np.array([shift for _, shift in pairs], np.int32),
        -input_.zero_point,
        _quantization(output).zero_point,
        clamp_min,
        clamp_max,
    )


def _quantize_large_multiplier(real: float) -> tuple[int, int]:
    """`quantize_multiplier` for a value up to 2**31, whose shift may be 31."""
    multiplier, shift = quantize_multiplier(real / 4)
    return multiplier, shift + 2


def _is_per_axis(type_: TensorType) -> bool:
    return type_.quantization is not None and type_.quantization.axis is not None


def _type(type_: TensorType | None) -> TensorType:
    if type_ is None:
        raise GraphError("expected an operand, got none")
    return type_


def _quantization(type_: TensorType | None) -> Quantization:
    quantization = _type(type_).quantization
    if quantization is None:
        raise GraphError("expected a quantized tensor, got one without quantization")
    return quantization
