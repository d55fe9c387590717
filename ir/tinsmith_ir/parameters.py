"""The numbers an integer operator computes with, derived once for the evaluator and every backend.

Each function takes (operator, types of the operands, type of the result) and returns a frozen
record of plain integers (parameter_records.py); generated C holds exactly these. Formulas as in
TFLite 2.14's Prepare functions, including where those compute in float32 and where in double. The real scale is
the same for each mode of rounding; which integers stand for it, the mode says (`quantize_scale`).
"""

import math
from collections.abc import Sequence

import numpy as np

from tinsmith_ir.activation import Activation
from tinsmith_ir.arithmetic import (
    MULTIPLIER_BITS,
    MULTIPLIER_BITS_64,
    activation_range,
    exponent_of,
    quantize_multiplier,
    quantize_real,
    quantize_scale,
    round_half_away,
)
from tinsmith_ir.curves import Curve
from tinsmith_ir.dtypes import DType
from tinsmith_ir.errors import GraphError
from tinsmith_ir.parameter_records import (
    CompareParameters,
    ConvParameters,
    CurveParameters,
    ElementwiseAddParameters,
    FullyConnectedParameters,
    Fused,
    HasAxes,
    HasBeta,
    HasCurve,
    MeanParameters,
    MulParameters,
    PoolParameters,
    RequantizeParameters,
    Rescaled,
    RescaledFused,
    Softmax16Parameters,
    SoftmaxParameters,
    WeightedSumParameters,
)
from tinsmith_ir.rounding import Rounding
from tinsmith_ir.types import Quantization, TensorType

__all__ = [
    "SOFTMAX_INTEGER_BITS",
    "CompareParameters",
    "ConvParameters",
    "CurveParameters",
    "ElementwiseAddParameters",
    "FullyConnectedParameters",
    "Fused",
    "HasAxes",
    "HasBeta",
    "HasCurve",
    "MeanParameters",
    "MulParameters",
    "PoolParameters",
    "RequantizeParameters",
    "Rescaled",
    "RescaledFused",
    "Softmax16Parameters",
    "SoftmaxParameters",
    "WeightedSumParameters",
    "accumulator_parameters",
    "concat_parameters",
    "conv_accumulator",
    "conv_parameters",
    "curve_parameters",
    "elementwise_add_parameters",
    "fully_connected_accumulator",
    "fully_connected_channel_parameters",
    "fully_connected_parameters",
    "mean_parameters",
    "mul_parameters",
    "pool_parameters",
    "relu_parameters",
    "requantize_parameters",
    "softmax16_parameters",
    "softmax_parameters",
    "squared_difference_parameters",
    "weighted_sum_parameters",
    "zero_of",
]

Types = Sequence[TensorType | None]

SOFTMAX_INTEGER_BITS = 5
"""Integer bits of the scaled difference that softmax takes the exponential of."""


_LARGEST_SOFTMAX_SCALE = 32767.0
"""With more, a difference of int16 leaves int32."""

_CURVE_STEPS = 12288
"""Of the scaled input of a logistic function or tanh of int16, for 1."""


def conv_parameters(operator: RescaledFused, inputs: Types, output: TensorType) -> ConvParameters:
    """Of a Conv2D or DepthwiseConv2D. The scale of channel c is input * weights[c] / output in
    double, as TFLite's `PopulateConvolutionQuantizationParams`; with `float32_scale` as
    `fully_connected_parameters`.
    """
    if _has_float32_scale(operator):
        return fully_connected_channel_parameters(operator, inputs, output)
    input_ = _quantization(inputs[0])
    weights = _quantization(inputs[1])
    out = _quantization(output)
    channels = output.shape[-1]
    scales = weights.scales if len(weights.scales) > 1 else weights.scales * channels
    bits = _bits(operator, wide=output.dtype is DType.INT16)
    pairs = [
        quantize_scale(input_.scale * scale / out.scale, operator.rounding, bits)
        for scale in scales
    ]
    return _conv(operator, pairs, input_, output)


@np.errstate(over="ignore")  # too large: quantize_multiplier says so
def fully_connected_parameters(
    operator: RescaledFused, inputs: Types, output: TensorType
) -> FullyConnectedParameters:
    """Of a FullyConnected with per-tensor weights. The product of the input's and the weights' scale
    is rounded to float32 before the division in double, as TFLite's
    `GetQuantizedConvolutionMultipler`.
    """
    input_ = _quantization(inputs[0])
    weights = _quantization(inputs[1])
    out = _quantization(output)
    product = float(np.float32(input_.scale) * np.float32(weights.scales[0]))
    bits = _bits(operator, wide=output.dtype is DType.INT16)
    multiplier, shift = quantize_scale(product / out.scale, operator.rounding, bits)
    clamp_min, clamp_max = activation_range(operator.activation, output)
    return FullyConnectedParameters(
        multiplier,
        shift,
        -input_.zero_point,
        out.zero_point,
        clamp_min,
        clamp_max,
        operator.rounding,
    )


def fully_connected_channel_parameters(
    operator: RescaledFused, inputs: Types, output: TensorType
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


def conv_accumulator(operator: object, inputs: Types, axis: int) -> Quantization:
    """Of the sums of a Conv2D or DepthwiseConv2D before they are rescaled: input * weights, exact in
    double, so that `accumulator_parameters` derives what `conv_parameters` does. axis: the channels'.
    """
    if _has_float32_scale(operator):
        return fully_connected_accumulator(inputs, axis)
    return _exact_accumulator(inputs, axis)


def _exact_accumulator(inputs: Types, axis: int) -> Quantization:
    input_, weights = _quantization(inputs[0]), _quantization(inputs[1])
    scales = tuple(input_.scale * scale for scale in weights.scales)
    return Quantization(scales, (0,) * len(scales), None if weights.axis is None else axis)


@np.errstate(over="ignore")  # too large: Quantization says so
def fully_connected_accumulator(inputs: Types, axis: int) -> Quantization:
    """Of the sums of a FullyConnected, see `conv_accumulator` and `fully_connected_parameters`."""
    input_, weights = _quantization(inputs[0]), _quantization(inputs[1])
    if weights.axis is not None:
        return _exact_accumulator(inputs, axis)
    product = np.float32(input_.scale) * np.float32(weights.scales[0])
    return Quantization.per_tensor(float(product), 0)


def accumulator_parameters(
    operator: RescaledFused, inputs: Types, output: TensorType
) -> ConvParameters:
    """Of a Requantize of sums, per output channel; ratios of scales are taken in double."""
    sums, out = _quantization(inputs[0]), _quantization(output)
    channels = output.shape[-1] if output.shape else 1
    scales = sums.scales if sums.axis is not None else sums.scales * channels
    bits = _bits(operator, wide=inputs[0] is not None and inputs[0].dtype is DType.INT64)
    pairs = [quantize_scale(scale / out.scale, operator.rounding, bits) for scale in scales]
    clamp_min, clamp_max = activation_range(operator.activation, output)
    return ConvParameters(
        np.array([multiplier for multiplier, _ in pairs], np.int32),
        np.array([shift for _, shift in pairs], np.int32),
        0,
        out.zero_point,
        clamp_min,
        clamp_max,
        operator.rounding,
    )


def elementwise_add_parameters(
    operator: Fused, inputs: Types, output: TensorType
) -> ElementwiseAddParameters:
    """Of an Add or Sub of int8 (left shift 20) or int16 (left shift 15, TFLite's general scales) that
    rounds as TFLite.
    """
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
def squared_difference_parameters(inputs: Types, output: TensorType) -> ElementwiseAddParameters:
    """Of a SquaredDifference of int8, whose operands are shifted by 7 so that the square fits; TFLite takes the
    larger scale twice, and the output's times 2**14, in float32.
    """
    lhs, rhs, out = _quantization(inputs[0]), _quantization(inputs[1]), _quantization(output)
    left_shift = 7
    twice_max = float(np.float32(2) * np.float32(max(lhs.scale, rhs.scale)))
    steps = float(np.float32(1 << 2 * left_shift) * np.float32(out.scale))
    multiplier1, shift1 = quantize_multiplier(lhs.scale / twice_max)
    multiplier2, shift2 = quantize_multiplier(rhs.scale / twice_max)
    output_multiplier, output_shift = quantize_multiplier(twice_max * twice_max / steps)
    clamp_min, clamp_max = output.dtype.integer_range
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


def weighted_sum_parameters(
    operator: RescaledFused, inputs: Types, output: TensorType
) -> WeightedSumParameters:
    """Of an Add or Sub that rounds once: the larger scale has a multiplier of full width, the other one
    with the same shift. PULP-NN's addition, with or without half.
    """
    lhs, rhs, out = _quantization(inputs[0]), _quantization(inputs[1]), _quantization(output)
    reals = lhs.scale / out.scale, rhs.scale / out.scale
    bits = _bits(operator, wide=False)
    _, shift = quantize_scale(max(reals), operator.rounding, bits)
    multipliers = [round_half_away(math.ldexp(real, MULTIPLIER_BITS - shift)) for real in reals]
    clamp_min, clamp_max = activation_range(operator.activation, output)
    return WeightedSumParameters(
        input1_offset=-lhs.zero_point,
        input2_offset=-rhs.zero_point,
        multiplier1=multipliers[0],
        multiplier2=multipliers[1],
        shift=shift,
        output_offset=out.zero_point,
        clamp_min=clamp_min,
        clamp_max=clamp_max,
        rounding=operator.rounding,
    )


@np.errstate(over="ignore")  # too large: quantize_multiplier says so
def mul_parameters(operator: RescaledFused, inputs: Types, output: TensorType) -> MulParameters:
    """Of a Mul; lhs * rhs / output scales are computed in float32."""
    lhs, rhs, out = _quantization(inputs[0]), _quantization(inputs[1]), _quantization(output)
    real = np.float32(lhs.scale) * np.float32(rhs.scale) / np.float32(out.scale)
    bits = _bits(operator, wide=False)
    multiplier, shift = quantize_scale(float(real), operator.rounding, bits)
    clamp_min, clamp_max = activation_range(operator.activation, output)
    return MulParameters(
        input1_offset=-lhs.zero_point,
        input2_offset=-rhs.zero_point,
        output_offset=out.zero_point,
        output_multiplier=multiplier,
        output_shift=shift,
        clamp_min=clamp_min,
        clamp_max=clamp_max,
        rounding=operator.rounding,
    )


def pool_parameters(operator: Fused, inputs: Types, output: TensorType) -> PoolParameters:
    """Of an AveragePool2D or MaxPool2D."""
    del inputs
    return PoolParameters(*activation_range(operator.activation, output))


def mean_parameters(operator: HasAxes, inputs: Types, output: TensorType) -> MeanParameters:
    """Of a Mean: the multiplier of the rescaling takes the division by the count in, for TFLite's mode as
    its `QuantizedMeanOrSum`.
    """
    return _total_parameters(operator, inputs, output, is_mean=True)


def mean_of_sums_parameters(
    operator: Rescaled, summed: Quantization, count: int, output: TensorType
) -> MeanParameters:
    """Of what ends a Mean of `count` integers whose sum is known. summed: their quantization."""
    return _rescaled_sums(operator, summed, count, count, output)


def sum_parameters(operator: HasAxes, inputs: Types, output: TensorType) -> MeanParameters:
    """Of a Sum, whose rescaling has nothing to divide by."""
    return _total_parameters(operator, inputs, output, is_mean=False)


def _total_parameters(
    operator: HasAxes, inputs: Types, output: TensorType, *, is_mean: bool
) -> MeanParameters:
    input_type = _type(inputs[0])
    count = 1
    for axis in operator.axes:
        count *= input_type.shape[axis]
    summed = _quantization(input_type)
    return _rescaled_sums(operator, summed, count, count if is_mean else 1, output)


def _rescaled_sums(
    operator: Rescaled, summed: Quantization, count: int, divisor: int, output: TensorType
) -> MeanParameters:
    """Of sums of `count` integers each, divided by `divisor`."""
    out = _quantization(output)
    clamp_min, clamp_max = output.dtype.integer_range
    multiplier, shift = _mean_scale(operator, summed.scale / out.scale, divisor)
    return MeanParameters(
        multiplier=multiplier,
        shift=shift,
        input_zero_point=summed.zero_point,
        output_offset=out.zero_point,
        count=count,
        clamp_min=clamp_min,
        clamp_max=clamp_max,
        rounding=operator.rounding,
    )


def _mean_scale(operator: Rescaled, real: float, count: int) -> tuple[int, int]:
    """Of `real` / count."""
    if operator.rounding is not Rounding.TFLITE:
        bits = _bits(operator, wide=False)
        return quantize_scale(real / count, operator.rounding, bits)
    multiplier, shift = quantize_multiplier(real)
    # The shift by log2(count) keeps the bits that the division would lose; the rescaling's own
    # shift may not go below -31.
    kept = min(count.bit_length() - 1, 32, 31 + shift)
    return (multiplier << kept) // count, shift - kept


def compare_parameters(inputs: Types) -> CompareParameters:
    """Of a Compare of int8: both operands in units of 1/256, as TFLite, which asks for scales below 1.

    Integers whose distance is less than such a unit may be equal.
    """
    lhs, rhs = _quantization(inputs[0]), _quantization(inputs[1])
    largest = max(lhs.scale, rhs.scale)
    if largest >= 1.0:
        raise GraphError(f"expected scales below 1, got {largest}")
    multiplier1, shift1 = quantize_multiplier(lhs.scale)
    multiplier2, shift2 = quantize_multiplier(rhs.scale)
    return CompareParameters(
        left_shift=8,
        input1_offset=-lhs.zero_point,
        input1_multiplier=multiplier1,
        input1_shift=shift1,
        input2_offset=-rhs.zero_point,
        input2_multiplier=multiplier2,
        input2_shift=shift2,
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


def softmax16_parameters(
    operator: HasBeta, inputs: Types, output: TensorType
) -> Softmax16Parameters:
    """Of a Softmax on int16, whose table of the exponential goes from -10 to 0 in 65535 steps."""
    del output
    real = _quantization(inputs[0]).scale * operator.beta / (10.0 / 65535.0)
    if not real < _LARGEST_SOFTMAX_SCALE:
        raise GraphError(
            f"expected beta * scale below 5 of int16, got {real * (10.0 / 65535.0):.9g}"
        )
    return Softmax16Parameters(*quantize_multiplier(real))


def curve_parameters(operator: HasCurve, inputs: Types, output: TensorType) -> CurveParameters:
    """Of a Logistic or Tanh on int16, as TFLite's `SigmoidPrepare` and `TanhPrepare`: of 2**-12 (and for
    tanh 2**-11), or of what passes for it, three (six) steps of the table; else a multiplier of 15 bits,
    cut off.
    """
    del output
    scale = _quantization(inputs[0]).scale
    shift = (exponent_of(scale) or 0) + 12
    if shift == 0 or (shift == 1 and operator.curve is Curve.TANH):
        return CurveParameters(3 << shift, 0)
    real = float(np.float32(scale)) * _CURVE_STEPS
    right_shift = 0
    while real <= ((1 << 15) - 1) / 2 and right_shift <= 30:
        real, right_shift = real * 2, right_shift + 1
    if not 1 <= real < 1 << 15:
        lowest, highest = math.ldexp(1 / _CURVE_STEPS, -31), (1 << 15) / _CURVE_STEPS
        raise GraphError(f"expected an i16 scale in [{lowest}, {highest}), got {scale}")
    return CurveParameters(int(real), right_shift)


def requantize_parameters(
    operator: RescaledFused, inputs: Types, output: TensorType
) -> RequantizeParameters:
    """Of a Requantize between integer types; the ratio of the scales is taken in double."""
    input_, out = _quantization(inputs[0]), _quantization(output)
    return _requantize(operator, input_.scale / out.scale, input_, output)


@np.errstate(over="ignore")  # too large: quantize_multiplier says so
def relu_parameters(
    operator: RescaledFused, inputs: Types, output: TensorType
) -> RequantizeParameters:
    """Of a Relu or its like as an operator of its own; the ratio of the scales is taken in float32."""
    input_, out = _quantization(inputs[0]), _quantization(output)
    ratio = float(np.float32(input_.scale) / np.float32(out.scale))
    return _requantize(operator, ratio, input_, output)


def _requantize(
    operator: RescaledFused, ratio: float, input_: Quantization, output: TensorType
) -> RequantizeParameters:
    bits = _bits(operator, wide=False)
    multiplier, shift = quantize_scale(ratio, operator.rounding, bits)
    clamp_min, clamp_max = activation_range(operator.activation, output)
    return RequantizeParameters(
        -input_.zero_point,
        multiplier,
        shift,
        _quantization(output).zero_point,
        clamp_min,
        clamp_max,
        operator.rounding,
    )


def concat_parameters(
    operator: RescaledFused, inputs: Types, output: TensorType
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


def _bits(operator: Rescaled, *, wide: bool) -> int:
    """Of the multipliers. wide: for accumulators of 64 bits."""
    return min(operator.multiplier_bits, MULTIPLIER_BITS_64 if wide else MULTIPLIER_BITS)


def _conv(
    operator: RescaledFused, pairs: list[tuple[int, int]], input_: Quantization, output: TensorType
) -> ConvParameters:
    clamp_min, clamp_max = activation_range(operator.activation, output)
    return ConvParameters(
        np.array([multiplier for multiplier, _ in pairs], np.int32),
        np.array([shift for _, shift in pairs], np.int32),
        -input_.zero_point,
        _quantization(output).zero_point,
        clamp_min,
        clamp_max,
        operator.rounding,
    )


def _has_float32_scale(operator: object) -> bool:
    return getattr(operator, "float32_scale", False) is True


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
