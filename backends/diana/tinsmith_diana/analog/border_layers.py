"""Layers at the borders of what the analog accelerator takes, drawn at random: for tests and benchmarks."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir.builder import GraphBuilder
from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Array, Graph
from tinsmith_ir.types import Quantization, TensorType

from tinsmith_diana import border_layers as digital
from tinsmith_diana.analog.array import COLUMNS, MOST_CHANNELS, MOST_EXTENT, MOST_PADDING, SIDES
from tinsmith_diana.analog.convolution import GAIN
from tinsmith_diana.analog.operator import (
    INPUT_MAX,
    INPUT_MIN,
    LARGEST_ADDEND_SHIFT,
    LARGEST_GAIN,
    LARGEST_SHIFT,
    ROWS,
    AnalogConv2D,
    chunk_channels,
)
from tinsmith_diana.analog.packing import LINE
from tinsmith_diana.layouts import BANKED, LANES

_POINT = Quantization.per_tensor(0.125, 0)
_ROW_BLOCKS = (288, 2 * 288, ROWS)
"""Public packers fill the array by as many rows."""
_CHANNELS = (LANES, 2 * LANES, BANKED, LINE)
_GAINS = (1, 2, GAIN - 1, GAIN + 1, LARGEST_GAIN)
_MANY = 150
_FEW_TAPS = ((1, 1), (1, 3), (3, 3))

_Pair = tuple[int, int]


@dataclass(frozen=True)
class _Shape:
    """image: rows, columns, channels. window: rows, columns. padding: above, below, left, right."""

    image: tuple[int, int, int]
    outputs: int
    window: _Pair = (1, 1)
    padding: tuple[int, int, int, int] = (0, 0, 0, 0)


def analog_border_layer(seed: int) -> Graph:
    """A graph of one analog layer, the same for the same seed.

    Images of one to four banks, and of several words of these; channels, and rows of the array, about the sizes of its
    blocks, and as many as it has or one more; windows of 1 to 7 rows and columns each, padding of each side by itself;
    widths that unroll and others; one chunk or several; shifts that leave all or nothing. About a third break a rule.
    Images are small: the chip's arena in L2 is full before its L1.
    """
    random = np.random.default_rng([seed, 0xA7A])
    makers: tuple[Callable[[np.random.Generator], _Shape], ...] = (
        _any,
        _any,
        _any,
        _about_blocks,
        _about_rows,
        _about_ends,
    )
    shape = makers[seed % len(makers)](random)
    weights = random.integers(-1, 2, (shape.outputs, *shape.window, shape.image[2]))
    weights *= random.random(weights.shape) < random.choice([0.1, 0.4, 1.0])
    scales = random.integers(-128, 128, (2, len(weights)))
    operator, images = _broken(random, _operator(random, shape), shape)
    return analog_graph(operator, (images, *shape.image), weights, scales, name=f"layer{seed}")


def analog_border_inputs(graph: Graph, seed: int) -> list[dict[str, Array]]:
    """Of 7 bits: as `border_inputs` of the digital array."""
    return digital.border_inputs(graph, seed, (INPUT_MIN, INPUT_MAX))


def analog_graph(
    operator: AnalogConv2D,
    shape: Sequence[int],
    weights: NDArray[np.integer],
    scales: NDArray[np.integer],
    *,
    name: str = "job",
) -> Graph:
    """A graph of one layer. shape: of the input. weights: (O, kh, kw, C). scales: (2, O), multipliers and addends."""
    builder = GraphBuilder(name)
    x = builder.input("x", TensorType(tuple(shape), DType.INT8, _POINT))
    constants = (
        builder.constant("w", weights.astype(np.int8)),
        builder.constant("m", scales[0].astype(np.int8)),
        builder.constant("a", scales[1].astype(np.int8)),
    )
    return builder.build(builder.add(operator, [x, *constants], "y", _POINT))


def _any(random: np.random.Generator) -> _Shape:
    """Small, with windows of all kinds that fit the array."""
    window = _window(random)
    channels = min(_some_channels(random), chunk_channels(*window))
    return _padded(random, window, channels, _some_channels(random))


def _about_blocks(random: np.random.Generator) -> _Shape:
    """Channels about as many as words, banks and lines have; often of more rows than the array has."""
    inputs, outputs = (_about(random, _CHANNELS) for _ in range(2))
    return _padded(random, _small_window(random), inputs, outputs)


def _about_rows(random: np.random.Generator) -> _Shape:
    """Rows of the array about as many as its blocks have, or as all have."""
    window = _small_window(random)
    taps = window[0] * window[1]
    channels = max(1, int(random.choice(_ROW_BLOCKS)) // taps + int(random.integers(-1, 2)))
    return _padded(random, window, min(channels, MOST_CHANNELS), _some_channels(random))


def _about_ends(random: np.random.Generator) -> _Shape:
    """Outputs, inputs, rows or columns about as many as there may be; the others are few, so that L2 has room."""
    ends = (MOST_EXTENT, MOST_EXTENT, MOST_CHANNELS, COLUMNS)
    chosen = int(random.integers(len(ends)))
    sizes = [int(random.integers(1, most + 1)) for most in (2, 2, 4, 4)]
    sizes[chosen] = ends[chosen] + int(random.integers(-1, 2))
    rows, columns, channels, outputs = sizes
    return _Shape((rows, columns, channels), outputs)


def _padded(random: np.random.Generator, window: _Pair, inputs: int, outputs: int) -> _Shape:
    """Padding less than the window, of each side by itself, around as many pixels as give up to 5 x 9 results."""
    sides = [min(MOST_PADDING, side - 1) for side in (window[0], window[0], window[1], window[1])]
    above, below, left, right = (int(random.integers(0, side + 1)) for side in sides)
    height = max(1, window[0] - above - below) + int(random.integers(0, 5))
    width = max(1, window[1] - left - right) + int(random.integers(0, 9))
    return _Shape((height, width, inputs), outputs, window, (above, below, left, right))


def _operator(random: np.random.Generator, shape: _Shape) -> AnalogConv2D:
    """What the accelerator takes where one chunk has room for all channels."""
    is_large = random.random() < 0.1
    return AnalogConv2D(
        gain=GAIN,
        chunk_channels=chunk_channels(*shape.window),
        shift=int(random.choice([0, LARGEST_SHIFT])) if is_large else int(random.integers(0, 7)),
        addend_shift=LARGEST_ADDEND_SHIFT if is_large else int(random.integers(0, 5)),
        bits=7 if random.random() < 0.25 else 8,
        rectified=bool(random.random() < 0.4),
        stride=(1, 1) if random.random() < 0.6 else (2, 2),
        padding=shape.padding,
    )


def _broken(
    random: np.random.Generator, operator: AnalogConv2D, shape: _Shape
) -> tuple[AnalogConv2D, int]:
    """One in four breaks a rule: of strides, images, chunks, gains, padding; and how many images there are."""
    chance = random.random()
    channels = shape.image[2]
    if chance < 0.05:
        return replace(operator, stride=(1, 2)), 1
    if 0.1 <= chance < 0.15 and channels > 1:
        chunk = int(random.integers(1, min(channels, operator.chunk_channels + 1)))
        return replace(operator, chunk_channels=chunk), 1
    if 0.15 <= chance < 0.2:
        return replace(operator, gain=int(random.choice(_GAINS))), 1
    if 0.2 <= chance < 0.25:
        return replace(operator, padding=(shape.window[0], 0, 0, shape.window[1])), 1
    return operator, 2 if 0.05 <= chance < 0.1 else 1


def _window(random: np.random.Generator) -> _Pair:
    """One in twenty has sides that the instruction has not."""
    sides = SIDES if random.random() < 0.95 else (2, 4, 9)
    return int(random.choice(sides)), int(random.choice(sides))


def _small_window(random: np.random.Generator) -> _Pair:
    """Of taps that divide blocks of rows."""
    return _FEW_TAPS[int(random.choice(len(_FEW_TAPS)))]


def _some_channels(random: np.random.Generator) -> int:
    """Of one bank, several of them, or several words of all."""
    return int(random.integers(1, int(random.choice([LANES, BANKED, _MANY])) + 1))


def _about(random: np.random.Generator, sizes: Sequence[int]) -> int:
    """One of them, one less or one more."""
    return int(random.choice(sizes)) + int(random.integers(-1, 2))
