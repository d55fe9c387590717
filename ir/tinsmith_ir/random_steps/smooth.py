"""Steps of random float32 networks: smooth functions that TFLite lacks."""

import numpy as np

from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Value
from tinsmith_ir.operators import Erf
from tinsmith_ir.random_steps.network import Network


def smooth(network: Network, random: np.random.Generator, value: Value) -> None:
    """A function of all numbers."""
    del random
    if network.dtype is DType.FLOAT32:
        network.add(Erf(), [value], None)
