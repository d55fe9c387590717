"""Golden cases of int8 activations with weights of four bits, two in each byte."""

import numpy as np
from case_builder import ACTIVATIONS, Array, Case, CaseBuilder, Kind, Shape, activation_code
from tflite_builder import options
from tinsmith_ir.types import Quantization


def conv2d_int4(b: CaseBuilder, kind: Kind, index: int) -> Case:
    """CONV_2D: odd and even numbers of weights in each channel, groups, with bias or not."""
    del kind
    size = b.random.randint(3, 7, 2)
    channels, results = 1 + index % 4, int(b.random.randint(1, 7))
    groups = 2 if index % 5 == 4 else 1
    kernel, stride = (1, 3)[index % 2], 1 + index % 3 // 2
    source = b.input((1 + index % 2, *size, groups * channels), "INT8", b.scale(0.05))
    weights = _weights(b, (groups * results, kernel, kernel, channels), 0 if index % 3 else None)
    chosen = options(
        "Conv2DOptions",
        StrideH=stride,
        StrideW=stride,
        DilationHFactor=1,
        DilationWFactor=1,
        FusedActivationFunction=activation_code(ACTIVATIONS[index % 4]),
    )
    reached = tuple(-(-int(side) // stride) for side in size)
    output = b.output(
        (1 + index % 2, *reached, groups * results), "INT8", b.scale(0.05 * kernel * channels)
    )
    operands = [source, weights, _bias(b, groups * results)]
    b.model.operator("CONV_2D", operands, [output], chosen, version=6)
    return b.finish(output)


def depthwise_conv2d_int4(b: CaseBuilder, kind: Kind, index: int) -> Case:
    """DEPTHWISE_CONV_2D: one result of each channel, or two."""
    del kind
    size = tuple(int(side) for side in b.random.randint(3, 7, 2))
    channels, times = int(b.random.randint(1, 7)), 1 + index % 2
    source = b.input((1, *size, channels), "INT8", b.scale(0.05))
    weights = _weights(b, (1, 3, 3, channels * times), 3 if index % 3 else None)
    chosen = options(
        "DepthwiseConv2DOptions",
        StrideH=1,
        StrideW=1,
        DilationHFactor=1,
        DilationWFactor=1,
        DepthMultiplier=times,
        FusedActivationFunction=activation_code(ACTIVATIONS[index % 4]),
    )
    output = b.output((1, *size, channels * times), "INT8", b.scale(0.2))
    operands = [source, weights, _bias(b, channels * times)]
    b.model.operator("DEPTHWISE_CONV_2D", operands, [output], chosen, version=7)
    return b.finish(output)


def fully_connected_int4(b: CaseBuilder, kind: Kind, index: int) -> Case:
    """FULLY_CONNECTED of rows of odd and even length, with bias or not."""
    del kind
    depth, units = int(b.random.randint(1, 30)), int(b.random.randint(1, 9))
    scale = b.scale(0.05)
    source = b.input((1 + index % 3, depth), "INT8", scale)
    weight_scale = b.scale(0.1)
    weights = _weights(b, (units, depth), None, weight_scale)
    chosen = options(
        "FullyConnectedOptions", FusedActivationFunction=activation_code(ACTIVATIONS[index % 4])
    )
    output = b.output((1 + index % 3, units), "INT8", b.scale(0.2))
    # The one scale that TFLite checks.
    steps = Quantization.per_tensor(float(np.float32(scale) * np.float32(weight_scale)), 0)
    operands = [source, weights, _bias(b, units, steps) if index % 2 else -1]
    b.model.operator("FULLY_CONNECTED", operands, [output], chosen, version=4)
    return b.finish(output)


def packed(integers: Array) -> bytes:
    """Two of the integers to a byte, the first in the lower half; the last byte may hold one."""
    flat = integers.reshape(-1).astype(np.uint8) & 15
    even = np.append(flat, np.zeros(flat.size % 2, np.uint8))
    return (even[::2] | even[1::2] << 4).tobytes()


def _weights(b: CaseBuilder, shape: Shape, axis: int | None, scale: float | None = None) -> int:
    """scale: the only one; drawn if not given."""
    count = 1 if axis is None else shape[axis]
    scales = tuple(scale or b.scale(0.1) for _ in range(count))
    data = packed(b.random.randint(-8, 8, shape).astype(np.int8))
    quantization = Quantization(scales, (0,) * count, axis)
    return b.model.tensor("weights", shape, "INT4", data=data, quantization=quantization)


def _bias(b: CaseBuilder, count: int, quantization: Quantization | None = None) -> int:
    data = b.random.randint(-500, 500, count).astype(np.int32)
    return b.model.constant("bias", data, quantization=quantization)
