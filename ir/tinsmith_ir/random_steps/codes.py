"""A step of random networks: a constant that comes compressed, added to what is there."""

import numpy as np

from tinsmith_ir.compression import Compression, compress
from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Value
from tinsmith_ir.operators import Add, Decompress
from tinsmith_ir.random_steps.network import Network


def decompressed(network: Network, random: np.random.Generator, value: Value) -> None:
    """One integer for each of the last axis; nothing of another dtype than int8."""
    if network.dtype is not DType.INT8 or not value.type.shape:
        return
    data = np.clip(
        random.normal(0, random.uniform(0.2, 60), value.type.shape[-1:]).round(), -128, 127
    )
    compression = list(Compression)[int(random.integers(len(Compression)))]
    code = network.builder.constant("code", compress(data.astype(np.int8), compression))
    quantization = value.type.quantization
    weights = network.builder.add(
        Decompress(compression, data.shape), [code], "weights", quantization
    )
    network.read.add(value.name)
    network.add(Add(), [value, weights], quantization)
