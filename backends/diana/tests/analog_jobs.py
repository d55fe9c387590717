"""Layers of DIANA's analog accelerator one after the other."""

import numpy as np
from tinsmith_diana.analog import AnalogConv2D
from tinsmith_ir import Graph
from tinsmith_ir.graph import Value
from tinsmith_ir.testing import GraphBuilder
from tinsmith_ir.types import DType, Quantization, TensorType

_POINT = Quantization.per_tensor(0.125, 0)
_GAIN, _ROWS = 16, 1152


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
        operator = AnalogConv2D(gain=_GAIN, chunk_channels=_ROWS, shift=2, bits=7)
        x = builder.add(operator, [x, *constants], f"y{number}", _POINT)
        given.append(x)
    return builder.build(given[1:])
