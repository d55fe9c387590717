"""Golden cases of int16 layers with a bias of int32, not TFLite's default of int64."""

import numpy as np
from case_builder import ACTIVATIONS, Case, CaseBuilder, Kind, Shape, activation_code
from tflite_builder import OptionValue, options
from tinsmith_ir.types import Quantization


def conv2d_narrow(b: CaseBuilder, kind: Kind, index: int) -> Case:
    """CONV_2D with a scale for each channel, or one."""
    del kind
    channels, results = 1 + index % 3, int(b.random.randint(1, 6))
    fields = {"StrideH": 1 + index % 2, "StrideW": 1, "DilationHFactor": 1, "DilationWFactor": 1}
    shape: Shape = (1, 6, 5, channels)
    result: Shape = (1, 6 // (1 + index % 2), 5, results)
    weights: Shape = (results, 3, 3, channels)
    return _case(b, index, "CONV_2D", "Conv2DOptions", (shape, weights, result), 0, fields)


def fully_connected_narrow(b: CaseBuilder, kind: Kind, index: int) -> Case:
    """FULLY_CONNECTED, of which TFLite 2.14 checks the bias' scale."""
    del kind
    depth, units, rows = int(b.random.randint(1, 30)), int(b.random.randint(1, 9)), 1 + index % 3
    shapes: tuple[Shape, Shape, Shape] = ((rows, depth), (units, depth), (rows, units))
    return _case(b, 0, "FULLY_CONNECTED", "FullyConnectedOptions", shapes, 0, {}, index % 4)


def _case(
    b: CaseBuilder,
    index: int,
    name: str,
    table: str,
    shapes: tuple[Shape, Shape, Shape],
    axis: int,
    fields: dict[str, int],
    activation: int | None = None,
) -> Case:
    """Shapes of input, weights and result. index: one scale if a multiple of 3."""
    source, weights, result = shapes
    chosen: dict[str, OptionValue] = {**fields}
    number = index % 4 if activation is None else activation
    chosen["FusedActivationFunction"] = activation_code(ACTIVATIONS[number])
    count = weights[axis] if index % 3 else 1
    scale, depth = b.scale(0.001), int(np.prod(weights)) // weights[axis]
    scales = [b.scale(0.01) for _ in range(count)]
    data = b.random.randint(-127, 128, weights).astype(np.int8)
    steps = tuple(float(np.float32(scale) * np.float32(each)) for each in scales)
    bias = b.random.randint(-20000, 20000, weights[axis]).astype(np.int32)
    operands = [
        b.input(source, "INT16", scale),
        b.model.constant(
            "weights", data, quantization=Quantization(tuple(scales), (0,) * count, axis)
        ),
        b.model.constant("bias", bias, quantization=Quantization(steps, (0,) * count, 0)),
    ]
    output = b.output(result, "INT16", b.scale(scale * 0.01 * 70 * np.sqrt(depth) * 2))
    b.model.operator(name, operands, [output], options(table, **chosen), version=4)
    return b.finish(output)
