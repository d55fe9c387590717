"""Rules that several kernels share. A docstring is the manual and the error message."""

import numpy as np
from numpy.typing import NDArray
from tinsmith_lowering import Layer


def constant_s8(layer: Layer, index: int) -> NDArray[np.int8]:
    """An int8 operand that a rule has shown to be constant."""
    data = layer.constant(index)
    if data is None:
        raise ValueError(f"layer {layer.name}: operand {index} is not constant")
    return data.astype(np.int8)


def constant_bias(layer: Layer) -> NDArray[np.int32] | None:
    """The bias, None if there is none."""
    data = layer.constant(2)
    return None if data is None else data.astype(np.int32)
