"""Layers of the analog array drawn at random, and what they compute, element by element in Python's integers."""

import itertools

import numpy as np
from numpy.typing import NDArray
from tinsmith_diana.analog import AnalogConv2D
from tinsmith_ir import Graph
from tinsmith_ir.graph import Array
from tinsmith_ir.testing import GraphBuilder
from tinsmith_ir.types import DType, Quantization, TensorType

_POINT = Quantization.per_tensor(0.125, 0)
_KINDS = 4


def analog_layer(seed: int) -> Graph:
    """A graph of one layer, the same for the same seed: of a pixel, of a window with padding and strides, of chunks far
    below what the array has, or of more rows than the array has. Gains from 1, by which converters clip, to more than
    the largest sum; shifts that leave all or nothing.
    """
    random = np.random.default_rng([seed, 0xA9A])
    kind = seed % _KINDS
    window = (1, 1)
    if kind:
        window = int(random.choice([1, 3, 5])), int(random.choice([1, 3, 5]))
    taps = window[0] * window[1]
    most = 1152 // taps
    channels = int(random.integers(1, 20))
    if kind == 3:
        window, most = (3, 3), 128
        channels = int(random.integers(129, 300))
    chunk = int(random.integers(1, channels + 1)) if kind == 2 else most
    height, width = (int(random.integers(side, side + 5)) for side in window)
    above, below = (int(random.integers(0, (window[0] + 1) // 2)) for _ in range(2))
    left, right = (int(random.integers(0, (window[1] + 1) // 2)) for _ in range(2))
    operator = AnalogConv2D(
        gain=int(random.choice([1, 2, 3, 16, 1 << 17], p=[0.2, 0.2, 0.1, 0.45, 0.05])),
        chunk_channels=min(chunk, most),
        shift=int(random.integers(0, 8)) if random.random() < 0.9 else 31,
        addend_shift=int(random.integers(0, 5)),
        bits=int(random.choice([7, 8])),
        rectified=bool(random.random() < 0.4),
        stride=(int(random.integers(1, 3)), int(random.integers(1, 3))),
        padding=(above, below, left, right),
    )
    outputs = int(random.integers(1, 10))
    builder = GraphBuilder(f"analog{seed}")
    images = int(random.integers(1, 3))
    x = builder.input("x", TensorType((images, height, width, channels), DType.INT8, _POINT))
    constants = (
        builder.constant("w", random.integers(-1, 2, (outputs, *window, channels)).astype(np.int8)),
        builder.constant("m", random.integers(-128, 128, outputs).astype(np.int8)),
        builder.constant("a", random.integers(-128, 128, outputs).astype(np.int8)),
    )
    return builder.build(builder.add(operator, [x, *constants], "y", _POINT))


def expected_results(graph: Graph, x: Array) -> tuple[NDArray[np.int64], float]:
    """The result of a layer's graph, and which share of the converters' results was clipped.

    Written from the formula of the array alone: nothing of the operator's code is used.
    """
    (node,) = graph.nodes
    operator = node.operator
    assert isinstance(operator, AnalogConv2D)
    weights, multipliers, addends = (
        graph.constant_data[value.name].tolist() for value in node.present_inputs[1:]
    )
    _, rows, columns, channels = node.present_inputs[1].type.shape
    _, height, width, _ = x.shape
    pixels = x.tolist()
    result = np.zeros(node.outputs[0].type.shape, np.int64)
    clips = conversions = 0
    for n, oy, ox, o in itertools.product(*map(range, result.shape)):
        total = 0
        for first in range(0, channels, operator.chunk_channels):
            acc = 0
            for ky, kx in itertools.product(range(rows), range(columns)):
                y = oy * operator.stride[0] + ky - operator.padding[0]
                at = ox * operator.stride[1] + kx - operator.padding[2]
                if 0 <= y < height and 0 <= at < width:
                    last = min(first + operator.chunk_channels, channels)
                    pixel, kernel = pixels[n][y][at], weights[o][ky][kx]
                    acc += sum(pixel[c] * kernel[c] for c in range(first, last))
            step = acc // operator.gain
            clips += not -32 <= step <= 31
            conversions += 1
            total += max(-32, min(31, step))
        value = total * multipliers[o] + addends[o] * 2**operator.addend_shift
        end = 2 ** (operator.bits - 1)
        low = 0 if operator.rectified else -end
        result[n, oy, ox, o] = max(low, min(end - 1, value // 2**operator.shift))
    return result, clips / conversions
