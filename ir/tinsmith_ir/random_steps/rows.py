"""Steps of random networks: what normalizes rows of the last axis."""

import numpy as np

from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Value
from tinsmith_ir.operators import L2Normalization, LogSoftmax
from tinsmith_ir.random_steps.network import Network
from tinsmith_ir.types import Quantization


def normalize(network: Network, random: np.random.Generator, value: Value) -> None:
    """LogSoftmax or L2Normalization; nothing in an int16 network."""
    if network.dtype is DType.INT16:
        return
    is_logarithm = random.random() < 0.5
    only = Quantization.per_tensor(*((1 / 16, 127) if is_logarithm else (1 / 128, 0)))
    chosen = None if network.dtype is DType.FLOAT32 else only
    network.add(LogSoftmax() if is_logarithm else L2Normalization(), [value], chosen)
