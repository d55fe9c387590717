"""A step of random int8 networks: any function, by its table."""

import numpy as np

from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Value
from tinsmith_ir.operators import Lookup
from tinsmith_ir.random_steps.network import Network


def look_up(network: Network, random: np.random.Generator, value: Value) -> None:
    """Rising values, or any."""
    if network.dtype is not DType.INT8:
        return
    values = random.integers(-128, 128, 256)
    if random.random() < 0.5:
        values = np.sort(values)
    table = Lookup(tuple(int(each) for each in values))
    network.add(table, [value], network.quantization(network.scale(value)))
