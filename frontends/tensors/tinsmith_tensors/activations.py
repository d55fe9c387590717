"""Functions of neural networks, element by element, of float32: by operators of the graph, or put together of them."""

import math

from tinsmith_ir.operators import (
    Elu,
    Exp,
    HardSwish,
    LeakyRelu,
    Log,
    Logistic,
    Prelu,
    Relu,
    Relu0To1,
    Relu6,
    Tanh,
)

from tinsmith_tensors.composer import Composer, Tensor
from tinsmith_tensors.elementwise import absolute, add, div, less, maximum, minimum, mul, sub, where
from tinsmith_tensors.movement import broadcast_to

_SELU_ALPHA = 1.67326319217681884765625
_SELU_GAMMA = 1.05070102214813232421875


def clip(c: Composer, x: Tensor, low: float | None, high: float | None) -> Tensor:
    """x within [low, high], or beyond one of them where it is None."""
    if x.is_float and low == 0.0 and high in (None, math.inf):
        return c.emit(Relu(), x)
    if x.is_float and (low, high) == (0.0, 6.0):
        return c.emit(Relu6(), x)
    if x.is_float and (low, high) == (0.0, 1.0):
        return c.emit(Relu0To1(), x)
    if low is not None and low != -math.inf:
        x = maximum(c, x, c.number(low, x))
    return x if high is None or high == math.inf else minimum(c, x, c.number(high, x))


def sigmoid(c: Composer, x: Tensor) -> Tensor:
    """1 / (1 + exp(-x))."""
    return c.emit(Logistic(), x)


def silu(c: Composer, x: Tensor, beta: float = 1.0) -> Tensor:
    """x * sigmoid(beta * x)."""
    inner = x if beta == 1.0 else mul(c, x, c.number(beta, x))
    return mul(c, x, sigmoid(c, inner))


def hard_sigmoid(c: Composer, x: Tensor, alpha: float, beta: float) -> Tensor:
    """alpha * x + beta within [0, 1]."""
    return clip(c, add(c, mul(c, x, c.number(alpha, x)), c.number(beta, x)), 0.0, 1.0)


def hard_swish(c: Composer, x: Tensor) -> Tensor:
    """x * relu6(x + 3) / 6."""
    return c.emit(HardSwish(), x)


def softplus(c: Composer, x: Tensor, beta: float = 1.0) -> Tensor:
    """log(1 + exp(beta * x)) / beta: max(x, 0) and what is above it, so that nothing overflows."""
    scaled = x if beta == 1.0 else mul(c, x, c.number(beta, x))
    falling = c.emit(Exp(), sub(c, c.number(0.0, x), absolute(c, scaled)))
    above = c.emit(Log(), add(c, falling, c.number(1.0, x)))
    result = add(c, c.emit(Relu(), scaled), above)
    return result if beta == 1.0 else mul(c, result, c.number(1.0 / beta, x))


def mish(c: Composer, x: Tensor) -> Tensor:
    """x * tanh(softplus(x))."""
    return mul(c, x, c.emit(Tanh(), softplus(c, x)))


def softsign(c: Composer, x: Tensor) -> Tensor:
    """x / (1 + |x|)."""
    return div(c, x, add(c, absolute(c, x), c.number(1.0, x)))


def elu(c: Composer, x: Tensor, alpha: float = 1.0) -> Tensor:
    """x above 0, alpha * (exp(x) - 1) below."""
    if alpha == 1.0:
        return c.emit(Elu(), x)
    curve = c.emit(Elu(), x)
    below = mul(c, minimum(c, curve, c.number(0.0, x)), c.number(alpha, x))
    return add(c, c.emit(Relu(), x), below)


def selu(c: Composer, x: Tensor, alpha: float = _SELU_ALPHA, gamma: float = _SELU_GAMMA) -> Tensor:
    """gamma * elu(x, alpha)."""
    return mul(c, elu(c, x, alpha), c.number(gamma, x))


def celu(c: Composer, x: Tensor, alpha: float = 1.0) -> Tensor:
    """x above 0, alpha * (exp(x / alpha) - 1) below."""
    if alpha == 1.0:
        return elu(c, x)
    curve = c.emit(Elu(), mul(c, x, c.number(1.0 / alpha, x)))
    below = mul(c, minimum(c, curve, c.number(0.0, x)), c.number(alpha, x))
    return add(c, c.emit(Relu(), x), below)


def leaky_relu(c: Composer, x: Tensor, alpha: float) -> Tensor:
    """x above 0, alpha * x below."""
    return c.emit(LeakyRelu(alpha=alpha), x)


def prelu(c: Composer, x: Tensor, slope: Tensor) -> Tensor:
    """x above 0, slope * x below; the slope broadcasts to x."""
    if slope.rank <= x.rank:
        return c.emit(Prelu(), x, slope)
    return where(c, less(c, x, c.number(0.0, x)), mul(c, x, slope), broadcast_to(c, x, slope.shape))


def thresholded_relu(c: Composer, x: Tensor, threshold: float) -> Tensor:
    """x above the threshold, else 0."""
    return where(c, less(c, c.number(threshold, x), x), x, c.number(0.0, x))
