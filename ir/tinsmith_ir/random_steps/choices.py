"""Steps of random networks: comparisons, and choices by them."""

import numpy as np

from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Value
from tinsmith_ir.operators import ArgMax, Compare, Relation, Reshape, Select
from tinsmith_ir.random_steps.network import Network


def choose(network: Network, random: np.random.Generator, value: Value) -> None:
    """Elements of a value or of another one of its type, by a comparison with a constant row; int16 by indices."""
    others = [other for other in network.values if other.type == value.type]
    other = others[int(random.integers(len(others)))]
    relation = tuple(Relation)[int(random.integers(4))]
    compared = value
    if network.dtype is DType.INT16:
        if not value.type.shape:
            return
        compared = network.builder.add(ArgMax(axis=len(value.type.shape) - 1), [value])
        compared = network.builder.add(Reshape(shape=(*value.type.shape[:-1], 1)), [compared])
    row = value.type.shape[len(value.type.shape) - 1 :]
    if compared.type.dtype is DType.FLOAT32:
        constant = network.builder.constant("c", random.standard_normal(row, np.float32))
    elif compared.type.dtype is DType.INT32:
        constant = network.builder.constant("c", random.integers(0, 6, row).astype(np.int32))
    else:
        if network.scale(value) >= 1:
            return
        integers = random.integers(-128, 128, row).astype(np.int8)
        constant = network.builder.constant("c", integers, value.type.quantization)
    condition = network.builder.add(Compare(relation=relation), [compared, constant])
    network.add(Select(), [condition, value, other], None)
