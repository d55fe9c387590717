"""Networks in which the analog array reads what the digital one has computed: images of 7 bits."""

import numpy as np
from numpy.typing import NDArray
from tinsmith_diana.analog import AnalogConv2D
from tinsmith_ir import Graph
from tinsmith_ir.graph import Value
from tinsmith_ir.operators import Conv2D
from tinsmith_ir.rounding import Rounding
from tinsmith_ir.testing import GraphBuilder
from tinsmith_ir.types import DType, Quantization, TensorType

CHANNELS = (3, 16, 20, 32, 64, 96, 128)
"""Of one bank to all of them, and of two words of these; multiples of 16 and others."""

_GAIN, _MOST_CHANNELS = 16, 1152
_LARGEST = 40
_POINT = Quantization.per_tensor(0.5, 0)
_SHIFTED = Quantization.per_tensor(2.0, 0)


def turned_images(height: int, width: int, counts: tuple[int, ...] = CHANNELS) -> Graph:
    """For each number of channels an image of as many by the digital array, and 16 channels of it by the analog one.
    The first image is read by the digital one, too.
    """
    builder = GraphBuilder(f"turned{height}x{width}")
    random = np.random.default_rng(1)
    x = builder.input("x", TensorType((1, height, width, 3), DType.INT8, _POINT))
    images = [_digital(builder, f"image{count}", x, count, random) for count in counts]
    results = [
        analog_layer(builder, f"y{count}", image, 16, random)
        for count, image in zip(counts, images, strict=True)
    ]
    return builder.build([*results, _digital(builder, "again", images[0], 5, random)])


def turned_inputs(graph: Graph, seed: int) -> dict[str, NDArray[np.int8]]:
    """So small that images have 7 bits."""
    (x,) = graph.inputs
    random = np.random.default_rng(seed)
    return {x.name: random.integers(-_LARGEST, _LARGEST + 1, x.type.shape).astype(np.int8)}


def _digital(
    builder: GraphBuilder, name: str, x: Value, outputs: int, random: np.random.Generator
) -> Value:
    """1x1, shifted by four."""
    weights = random.integers(-6, 7, (outputs, 1, 1, x.type.shape[3])).astype(np.int8)
    w = builder.constant(f"{name}.w", weights, Quantization.per_tensor(0.25, 0))
    b = builder.constant(f"{name}.b", np.arange(outputs, dtype=np.int32))
    result = _SHIFTED if x.type.quantization == _POINT else Quantization.per_tensor(8.0, 0)
    return builder.add(Conv2D(rounding=Rounding.FLOOR), [x, w, b], name, result)


def analog_layer(
    builder: GraphBuilder, name: str, x: Value, outputs: int, random: np.random.Generator
) -> Value:
    """1x1, of all 8 bits."""
    weights = random.integers(-1, 2, (outputs, 1, 1, x.type.shape[3])).astype(np.int8)
    constants = (
        builder.constant(f"{name}.w", weights),
        builder.constant(f"{name}.m", random.integers(-9, 10, outputs).astype(np.int8)),
        builder.constant(f"{name}.a", random.integers(-40, 40, outputs).astype(np.int8)),
    )
    operator = AnalogConv2D(gain=_GAIN, chunk_channels=_MOST_CHANNELS)
    return builder.add(operator, [x, *constants], name, _SHIFTED)
