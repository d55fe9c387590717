"""Layers at the borders of what DIANA's analog accelerator takes, drawn at random, and small ones by hand."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from tinsmith_diana.analog import AnalogConv2D
from tinsmith_ir import Graph
from tinsmith_ir.graph import Value
from tinsmith_ir.testing import GraphBuilder
from tinsmith_ir.types import DType, Quantization, TensorType

GAIN = 16
_POINT = Quantization.per_tensor(0.125, 0)
_ROWS = 1152


def analog_job(seed: int) -> Graph:
    """A graph of one layer, the same for the same seed: images of one to four banks, and of several words of these;
    windows of 1 to 7 rows and columns, padding of each side by itself; widths that unroll and others. About a third
    break a rule.
    """
    random = np.random.default_rng([seed, 0xA7A])
    window = int(random.choice([1, 3, 5, 7])), int(random.choice([1, 3, 5, 7]))
    most = _ROWS // (window[0] * window[1])
    channels = min(_channels(random), most)
    sides = [min(3, side - 1) for side in (window[0], window[0], window[1], window[1])]
    above, below, left, right = (int(random.integers(0, side + 1)) for side in sides)
    height = max(1, window[0] - above - below) + int(random.integers(0, 5))
    width = max(1, window[1] - left - right) + int(random.integers(0, 9))
    chance = random.random()
    stride = (1, 2) if chance < 0.05 else (1, 1) if random.random() < 0.6 else (2, 2)
    images = 2 if 0.05 < chance < 0.1 else 1
    several = 0.1 < chance < 0.15 and channels > 1
    operator = AnalogConv2D(
        gain=2 if 0.15 < chance < 0.2 else GAIN,
        chunk_channels=channels - 1 if several else most,
        shift=int(random.integers(0, 7)),
        addend_shift=int(random.integers(0, 5)),
        bits=7 if random.random() < 0.25 else 8,
        rectified=bool(random.random() < 0.4),
        stride=stride,
        padding=(above, below, left, right),
    )
    weights = random.integers(-1, 2, (_channels(random), *window, channels))
    weights *= random.random(weights.shape) < random.choice([0.1, 0.4, 1.0])
    scales = random.integers(-128, 128, (2, len(weights)))
    return layer(operator, (images, height, width, channels), weights, scales, name=f"job{seed}")


def layer(
    operator: AnalogConv2D,
    shape: Sequence[int],
    weights: NDArray[np.integer],
    scales: NDArray[np.integer],
    *,
    name: str = "job",
) -> Graph:
    """weights: (O, kh, kw, C). scales: (2, O), multipliers and addends."""
    builder = GraphBuilder(name)
    x = builder.input("x", TensorType(tuple(shape), DType.INT8, _POINT))
    constants = (
        builder.constant("w", weights.astype(np.int8)),
        builder.constant("m", scales[0].astype(np.int8)),
        builder.constant("a", scales[1].astype(np.int8)),
    )
    return builder.build(builder.add(operator, [x, *constants], "y", _POINT))


def chained_jobs(seed: int) -> Graph:
    """Three layers one after the other, whose results have 7 bits, those of the first two by themselves; the second one
    is read by the last and given out.
    """
    random = np.random.default_rng([seed, 0xA7B])
    builder = GraphBuilder("chain")
    x = builder.input("x", TensorType((1, 6, 8, 20), DType.INT8, _POINT))
    given: list[Value] = []
    for number, (outputs, most) in enumerate(((70, 5), (16, 5), (40, 50))):
        weights = random.integers(-1, 2, (outputs, 1, 1, x.type.shape[3])).astype(np.int8)
        constants = (
            builder.constant(f"w{number}", weights),
            builder.constant(f"m{number}", random.integers(1, most, outputs).astype(np.int8)),
            builder.constant(f"a{number}", random.integers(-40, 40, outputs).astype(np.int8)),
        )
        operator = AnalogConv2D(gain=GAIN, chunk_channels=_ROWS, shift=2, bits=7)
        x = builder.add(operator, [x, *constants], f"y{number}", _POINT)
        given.append(x)
    return builder.build(given[1:])


def _channels(random: np.random.Generator) -> int:
    """Of one bank, several of them, or several words of all."""
    most = int(random.choice([16, 64, 150]))
    return int(random.integers(1, most + 1))
