"""MobileNetV2 of float32: the real numbers that the network of `mobilenet_v2` stands for."""

import numpy as np
from tinsmith_ir import Array, DType, Graph, Value
from tinsmith_ir.operators.base import Types
from tinsmith_ir.operators.weighted import Weighted
from tinsmith_ir.testing import GraphBuilder
from tinsmith_ir.types import Quantization, TensorType

from tinsmith_driver.benchmarks.mobilenet_v2 import mobilenet_v2


def float_mobilenet_v2(pixels: int, width: float) -> Graph:
    """The network for images of (pixels, pixels, 3)."""
    graph = mobilenet_v2(pixels, width)
    builder = GraphBuilder(f"float_{graph.name}")
    made: dict[str, Value] = {}
    for value in graph.inputs:
        made[value.name] = builder.input(value.name, TensorType(value.type.shape, DType.FLOAT32))
    for node in graph.nodes:
        operands: list[Value | None] = []
        for at, value in enumerate(node.inputs):
            data = graph.constant(value)
            if value is None or data is None:
                operands.append(None if value is None else made[value.name])
            else:
                types = [operand and operand.type for operand in node.inputs]
                is_bias = isinstance(node.operator, Weighted) and at == 2
                real = _bias(data, types) if is_bias else _real(data, value.type.quantization)
                operands.append(builder.constant(value.name, real))
        made[node.name] = builder.add(node.operator, operands, node.name)
    return builder.build([made[value.name] for value in graph.outputs])


def _real(data: Array, quantization: Quantization | None) -> Array:
    assert quantization is not None
    return (data.astype(np.float64) * _scales(quantization, data.ndim)).astype(np.float32)


def _scales(
    quantization: Quantization, rank: int
) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    shape = [1] * rank
    if quantization.axis is not None:
        shape[quantization.axis] = len(quantization.scales)
    return np.array(quantization.scales, np.float64).reshape(shape)


def _bias(data: Array, types: Types) -> Array:
    """A bias has the scale of input * weights."""
    source, weights = types[0], types[1]
    assert source is not None
    assert weights is not None
    assert source.quantization is not None
    assert weights.quantization is not None
    scales = source.quantization.scale * np.array(weights.quantization.scales)
    return (data.astype(np.float64) * scales).astype(np.float32)
