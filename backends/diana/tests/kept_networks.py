"""Networks whose images the analog array reads one after the other, in 7 bits."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from tinsmith_diana.analog import AnalogConv2D
from tinsmith_ir import Graph
from tinsmith_ir.graph import Value
from tinsmith_ir.operators import Add, Conv2D, Requantize
from tinsmith_ir.rounding import Rounding
from tinsmith_ir.testing import GraphBuilder
from tinsmith_ir.types import DType, Quantization, TensorType

_GAIN, _ROWS = 16, 1152
_POINT = Quantization.per_tensor(0.5, 0)
_BITS = 7


def chain(
    shapes: Sequence[tuple[int, int, int] | int],
    outputs: Sequence[int] = (-1,),
    clipped: Sequence[int] = (),
    seed: int = 0,
) -> Graph:
    """Layers y0, y1 ... of 1x1 or, where the array has the rows, 3x3 windows.

    shapes: of the input, then numbers of channels. outputs: layers that the network gives. clipped: those whose results
    may leave 7 bits by themselves.
    """
    first, *counts = shapes
    assert isinstance(first, tuple)
    builder = GraphBuilder(f"chain{seed}")
    random = np.random.default_rng([seed, 0xC4A])
    x = builder.input("x", TensorType((1, *first), DType.INT8, _POINT))
    given: list[Value] = []
    for number, count in enumerate(counts):
        assert isinstance(count, int)
        x = analog(builder, f"y{number}", x, count, random, is_clipped=number in clipped)
        given.append(x)
    return builder.build(list(dict.fromkeys(given[number] for number in outputs)))


def residual(size: tuple[int, int], channels: int, *, read_twice: bool = False) -> Graph:
    """A digital convolution, two analog layers of its result, half of their sum, halved once more, and an analog layer
    of that. read_twice: the first one is read by a digital convolution, too.
    """
    builder = GraphBuilder("residual")
    random = np.random.default_rng(channels)
    x = builder.input("x", TensorType((1, *size, 16), DType.INT8, _POINT))
    weights = random.integers(-1, 2, (channels, 3, 3, 16)).astype(np.int8)
    digital = [
        builder.constant("v", weights, Quantization.per_tensor(0.25, 0)),
        builder.constant("b", np.arange(channels, dtype=np.int32)),
    ]
    padded = Conv2D(rounding=Rounding.FLOOR, padding=(1, 1, 1, 1))
    d = builder.add(padded, [x, *digital], "d", Quantization.per_tensor(8.0, 0))
    r = analog(builder, "r", d, channels, random, point=Quantization.per_tensor(8.0, 0))
    q = analog(builder, "q", d, channels, random, point=Quantization.per_tensor(8.0, 0))
    s = builder.add(Add(rounding=Rounding.FLOOR), [r, q], "s", Quantization.per_tensor(16.0, 0))
    h = builder.add(Requantize(rounding=Rounding.FLOOR), [s], "h", Quantization.per_tensor(32.0, 0))
    y = analog(builder, "y", h, 17, random)
    if not read_twice:
        return builder.build([y])
    others = [
        builder.constant(
            "u", weights[:5, :1, :1, :1].repeat(channels, 3), Quantization.per_tensor(0.5, 0)
        ),
        builder.constant("c", np.arange(5, dtype=np.int32)),
    ]
    point = Conv2D(rounding=Rounding.FLOOR)
    return builder.build(
        [y, builder.add(point, [d, *others], "z", Quantization.per_tensor(64.0, 0))]
    )


def analog(
    builder: GraphBuilder,
    name: str,
    x: Value,
    outputs: int,
    random: np.random.Generator,
    *,
    is_clipped: bool = False,
    point: Quantization = _POINT,
) -> Value:
    """A layer whose result has 7 bits."""
    channels = x.type.shape[3]
    side = 3 if 9 * channels <= _ROWS and x.type.shape[1] > 1 else 1
    weights = random.integers(-1, 2, (outputs, side, side, channels)).astype(np.int8)
    most = 60 if is_clipped else 5
    constants = (
        builder.constant(f"{name}.w", weights),
        builder.constant(f"{name}.m", random.integers(most // 2, most, outputs).astype(np.int8)),
        builder.constant(f"{name}.a", random.integers(-40, 40, outputs).astype(np.int8)),
    )
    pad = side // 2
    operator = AnalogConv2D(
        gain=_GAIN,
        chunk_channels=_ROWS // side**2,
        shift=2,
        bits=_BITS,
        padding=(pad, pad, pad, pad),
    )
    return builder.add(operator, [x, *constants], name, point)


def chain_inputs(graph: Graph, seed: int) -> dict[str, NDArray[np.int8]]:
    """Of 7 bits."""
    (x,) = graph.inputs
    random = np.random.default_rng(seed)
    return {x.name: random.integers(-64, 64, x.type.shape).astype(np.int8)}
