"""Steps of random networks: what normalizes rows of the last axis."""

import numpy as np

from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Value
from tinsmith_ir.moment_parameters import LONGEST_ROW, integer_gains
from tinsmith_ir.operators import L2Normalization, LayerNorm, LogSoftmax, RmsNorm
from tinsmith_ir.random_steps.network import Network
from tinsmith_ir.types import Quantization, TensorType

_EPSILONS = (1e-5, 1e-3, 1.0)


def normalize(network: Network, random: np.random.Generator, value: Value) -> None:
    """LogSoftmax or L2Normalization; nothing in an int16 network, nor of a scalar."""
    if network.dtype is DType.INT16 or not value.type.shape:
        return
    is_logarithm = random.random() < 0.5
    only = Quantization.per_tensor(*((1 / 16, 127) if is_logarithm else (1 / 128, 0)))
    chosen = None if network.dtype is DType.FLOAT32 else only
    network.add(LogSoftmax() if is_logarithm else L2Normalization(), [value], chosen)


def standardize(network: Network, random: np.random.Generator, value: Value) -> None:
    """LayerNorm or RmsNorm, most often with gamma and beta."""
    shape = value.type.shape[-1:]
    if not shape or shape[0] > LONGEST_ROW:
        return
    epsilon = _EPSILONS[int(random.integers(len(_EPSILONS)))]
    gamma = random.normal(1.0, 0.5, shape).astype(np.float32) if random.random() < 0.8 else None
    is_centred = random.random() < 0.5
    has_beta = is_centred and random.random() < 0.8
    beta = random.normal(0.0, 0.5, shape).astype(np.float32) if has_beta else None
    operator = LayerNorm(epsilon) if is_centred else RmsNorm(epsilon)
    if network.dtype is DType.FLOAT32:
        parts = [
            None if each is None else network.builder.constant("c", each) for each in (gamma, beta)
        ]
        network.add(operator, [value, *parts[: 1 + is_centred]], None)
        return
    zero_point = int(random.integers(-50, 50)) if network.dtype is DType.INT8 else 0
    scale = float(
        np.float32(
            random.uniform(0.5, 2.0) * (2.0**-15 if network.dtype is DType.INT16 else 1 / 40)
        )
    )
    usual = Quantization.per_tensor(scale, zero_point)
    result = TensorType(value.type.shape, value.type.dtype, usual)
    gains = integer_gains(operator, value.type, result, gamma, beta)
    given = ((gains.gamma, gains.gamma_scale), (gains.beta, gains.beta_scale))
    parts = [
        None if each is None else network.builder.constant("c", each, quantization)
        for each, quantization in given
    ]
    network.add(operator, [value, *parts[: 1 + is_centred]], usual)
