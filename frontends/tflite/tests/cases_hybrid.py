"""Golden cases of int8 weights beside float32 activations, of which TFLite makes integers in each run."""

import numpy as np
from case_builder import ACTIVATIONS, Case, CaseBuilder, Kind, Shape, activation_code
from tflite_builder import options
from tinsmith_ir.types import Quantization


def hybrid_fully_connected(b: CaseBuilder, kind: Kind, index: int) -> Case:
    """FULLY_CONNECTED: symmetric and asymmetric, with and without bias, of rows that the shape keeps or not."""
    del kind
    keeps = index % 3 == 2
    shape: Shape = (2, 3, 20) if keeps else (index % 3 + 1, 20)
    source = _source(b, shape, index)
    units = int(b.random.randint(1, 9))
    weights = _weights(b, (units, 20), None)
    bias = b.model.constant("bias", b.data((units,), "FLOAT32")) if index % 4 else -1
    output = b.output((*shape[:-1], units) if keeps else (shape[0], units), "FLOAT32")
    chosen = options(
        "FullyConnectedOptions",
        FusedActivationFunction=activation_code(ACTIVATIONS[index % 4]),
        KeepNumDims=keeps,
        AsymmetricQuantizeInputs=index % 2 == 1,
    )
    b.model.operator("FULLY_CONNECTED", [source, weights, bias], [output], chosen, version=9)
    return b.finish(output)


def hybrid_conv2d(b: CaseBuilder, kind: Kind, index: int) -> Case:
    """CONV_2D with a scale for each channel, or one."""
    del kind
    batch, size, channels, results = index % 2 + 1, 6, index % 3 + 1, int(b.random.randint(2, 6))
    source = _source(b, (batch, size, size, channels), index)
    weights = _weights(b, (results, 3, 3, channels), 0 if index % 4 else None)
    bias = b.model.constant("bias", b.data((results,), "FLOAT32"))
    stride, is_valid = index % 2 + 1, index % 3 == 2
    reached = (size - 2 if is_valid else size + stride - 1) // stride
    output = b.output((batch, reached, reached, results), "FLOAT32")
    chosen = options(
        "Conv2DOptions",
        StrideH=stride,
        StrideW=stride,
        DilationHFactor=1,
        DilationWFactor=1,
        Padding=int(is_valid),
        FusedActivationFunction=activation_code(ACTIVATIONS[index % 4]),
    )
    b.model.operator("CONV_2D", [source, weights, bias], [output], chosen, version=5)
    return b.finish(output)


def hybrid_depthwise_conv2d(b: CaseBuilder, kind: Kind, index: int) -> Case:
    """DEPTHWISE_CONV_2D with a scale for each channel."""
    del kind
    batch, size, channels, times = index % 2 + 1, 5, index % 3 + 2, index % 2 + 1
    source = _source(b, (batch, size, size, channels), index)
    weights = _weights(b, (1, 3, 3, channels * times), 3)
    bias = b.model.constant("bias", b.data((channels * times,), "FLOAT32"))
    output = b.output((batch, size, size, channels * times), "FLOAT32")
    chosen = options(
        "DepthwiseConv2DOptions",
        StrideH=1,
        StrideW=1,
        DilationHFactor=1,
        DilationWFactor=1,
        DepthMultiplier=times,
        FusedActivationFunction=activation_code(ACTIVATIONS[index % 4]),
    )
    b.model.operator("DEPTHWISE_CONV_2D", [source, weights, bias], [output], chosen, version=6)
    return b.finish(output)


def _source(b: CaseBuilder, shape: Shape, index: int) -> int:
    """Of both signs, or of one."""
    return b.input(shape, "FLOAT32", positive=index % 3 == 1)


def _weights(b: CaseBuilder, shape: Shape, axis: int | None) -> int:
    count = 1 if axis is None else shape[axis]
    scales = tuple(b.scale(0.01) for _ in range(count))
    data = b.random.randint(-127, 128, shape).astype(np.int8)
    return b.model.constant("weights", data, quantization=Quantization(scales, (0,) * count, axis))
