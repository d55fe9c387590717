"""Golden cases of int16 layers with a bias of int32, not TFLite's default of int64."""

import numpy as np
from case_builder import ACTIVATIONS, Case, CaseBuilder, Kind, Shape, activation_code
from tflite_builder import OptionValue, options
from tinsmith_ir.graph import Array
from tinsmith_ir.types import Quantization


def conv2d_narrow(b: CaseBuilder, kind: Kind, index: int) -> Case:
    """CONV_2D with a scale for each channel, or one."""
    del kind
    channels, results = 1 + index % 3, int(b.random.randint(1, 6))
    fields = {"StrideH": 1 + index % 2, "StrideW": 1, "DilationHFactor": 1, "DilationWFactor": 1}
    shape: Shape = (1, 6, 5, channels)
    result: Shape = (1, 6 // (1 + index % 2), 5, results)
    weights: Shape = (results, 3, 3, channels)
    return _case(b, index, "CONV_2D", "Conv2DOptions", (shape, weights, result), fields)


def fully_connected_narrow(b: CaseBuilder, kind: Kind, index: int) -> Case:
    """FULLY_CONNECTED, of which TFLite 2.14 checks the bias' scale."""
    del kind
    depth, units, rows = int(b.random.randint(1, 30)), int(b.random.randint(1, 9)), 1 + index % 3
    shapes: tuple[Shape, Shape, Shape] = ((rows, depth), (units, depth), (rows, units))
    return _case(b, 0, "FULLY_CONNECTED", "FullyConnectedOptions", shapes, {}, index % 4)


def transpose_conv_narrow(b: CaseBuilder, kind: Kind, index: int) -> Case:
    """TRANSPOSE_CONV, which sums 32 bits without a bias, too."""
    del kind
    (high, wide), depth, results = [(2, 2), (1, 1), (1, 3), (2, 1)][index % 4], 1 + index % 3, 4
    is_same = index % 5 > 1
    sizes = [
        size * stride + (0 if is_same else 3 - stride) for size, stride in ((3, high), (2, wide))
    ]
    weights, shape = _weights(b, index, (results, 3, 3, depth)), (1, *sizes, results)
    scale, scales = b.scale(0.001), weights[1]
    operands = [
        b.model.constant("shape", np.array(shape, np.int32)),
        b.model.constant("weights", weights[0], quantization=scales),
        b.input((1, 3, 2, depth), "INT16", scale),
    ]
    if index % 2:
        operands.append(_bias(b, results, scale, scales))
    output = b.output(shape, "INT16", b.scale(scale * 0.01 * 70 * 2 * np.sqrt(9 * depth)))
    chosen = options(
        "TransposeConvOptions", Padding=0 if is_same else 1, StrideH=high, StrideW=wide
    )
    b.model.operator("TRANSPOSE_CONV", operands, [output], chosen, version=3)
    return b.finish(output)


def _weights(b: CaseBuilder, index: int, shape: Shape) -> tuple[Array, Quantization]:
    """Weights of int8, of one scale if index is a multiple of 3, else one for each result."""
    count = shape[0] if index % 3 else 1
    scales = tuple(b.scale(0.01) for _ in range(count))
    data = b.random.randint(-127, 128, shape).astype(np.int8)
    return data, Quantization(scales, (0,) * count, 0)


def _bias(b: CaseBuilder, count: int, scale: float, weights: Quantization) -> int:
    steps = tuple(float(np.float32(scale) * np.float32(each)) for each in weights.scales)
    data = b.random.randint(-20000, 20000, count).astype(np.int32)
    quantization = Quantization(steps, (0,) * len(steps), 0)
    return b.model.constant("bias", data, quantization=quantization)


def _case(
    b: CaseBuilder,
    index: int,
    name: str,
    table: str,
    shapes: tuple[Shape, Shape, Shape],
    fields: dict[str, int],
    activation: int | None = None,
) -> Case:
    """Shapes of input, weights and result. index: one scale if a multiple of 3."""
    source, weights, result = shapes
    chosen: dict[str, OptionValue] = {**fields}
    number = index % 4 if activation is None else activation
    chosen["FusedActivationFunction"] = activation_code(ACTIVATIONS[number])
    scale, depth = b.scale(0.001), int(np.prod(weights)) // weights[0]
    data, scales = _weights(b, index, weights)
    bias = _bias(b, weights[0], scale, scales)
    operands = [
        b.input(source, "INT16", scale),
        b.model.constant("weights", data, quantization=scales),
        bias,
    ]
    output = b.output(result, "INT16", b.scale(scale * 0.01 * 70 * np.sqrt(depth) * 2))
    b.model.operator(name, operands, [output], options(table, **chosen), version=4)
    return b.finish(output)
