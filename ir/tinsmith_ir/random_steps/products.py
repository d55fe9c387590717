"""Steps of random networks: products of matrices."""

import math

import numpy as np

from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Value
from tinsmith_ir.operators import BatchMatmul, L2Normalization
from tinsmith_ir.random_steps.network import MAX_ELEMENTS, Network


def similarity(network: Network, random: np.random.Generator, value: Value) -> None:
    """Each row of the last axis times each other one, of floats made length 1; or each column."""
    shape = value.type.shape
    if len(shape) < 2 or value.type.elements > MAX_ELEMENTS // 4:
        return
    are_rows = bool(random.random() < 0.5)
    operator = BatchMatmul(transpose_lhs=not are_rows, transpose_rhs=are_rows)
    if network.dtype is DType.FLOAT32:
        value = network.add(L2Normalization(), [value], None)
    depth = shape[-1] if are_rows else shape[-2]
    spread = 20000 if network.dtype is DType.INT16 else 60
    near = network.scale(value) ** 2 * spread * math.sqrt(depth)
    network.add(operator, [value, value], network.quantization(near))
