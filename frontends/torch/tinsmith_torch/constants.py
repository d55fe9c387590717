"""Rules of operators that make tensors of nothing but numbers."""

from collections.abc import Mapping

import numpy as np
from tinsmith_tensors import Tensor
from tinsmith_tensors.indexing import triangle

from tinsmith_torch.context import OperatorContext
from tinsmith_torch.rules import Rule


def full(t: OperatorContext) -> Tensor:
    """One number in the result's shape."""
    meta = t.result
    t.c.check_known_size(meta.shape, meta.dtype.itemsize)
    number = t.known("fill_value").reshape(())
    return t.c.known(np.full(meta.shape, number, meta.dtype))


def _filled(number: int) -> Rule:
    def convert(t: OperatorContext) -> Tensor:
        meta = t.result
        t.c.check_known_size(meta.shape, meta.dtype.itemsize)
        return t.c.known(np.full(meta.shape, number, meta.dtype))

    return Rule(convert)


def scalar(t: OperatorContext) -> Tensor:
    """A number as a tensor."""
    return t.as_result("s")[0]


def arange(t: OperatorContext) -> Tensor:
    """Numbers from start to below end by step."""
    meta = t.result
    t.c.check_known_size(meta.shape, meta.dtype.itemsize)
    start = t.real("start") if t.has("start") else 0
    step = t.real("step") if t.has("step") else 1
    (count,) = meta.shape
    return t.c.known((start + step * np.arange(count)).astype(meta.dtype))


def eye(t: OperatorContext) -> Tensor:
    """Ones where row and column are the same."""
    meta = t.result
    t.c.check_known_size(meta.shape, meta.dtype.itemsize)
    return t.c.known(np.eye(*meta.shape, dtype=meta.dtype))


def _window(*weights: float) -> Rule:
    """A sum of cosines, of which a periodic window leaves out the last place. weights: of the multiples of a turn."""

    def convert(t: OperatorContext) -> Tensor:
        (length,) = t.result.shape
        t.c.check_known_size((length,))
        is_periodic = t.flag("periodic") if t.has("periodic") else True
        turns = max(length - 1 + is_periodic, 1)
        own = _own_weights(t) if t.has("alpha") else weights
        angles = 2.0 * np.pi * np.arange(length) / turns
        total = sum(weight * np.cos(order * angles) for order, weight in enumerate(own))
        return t.c.known(np.asarray(total, t.result.dtype))

    return Rule(convert)


def _own_weights(t: OperatorContext) -> tuple[float, ...]:
    beta = t.real("beta") if t.has("beta") else 0.46
    return t.real("alpha"), -beta


def lower(t: OperatorContext) -> Tensor:
    """On a diagonal and below it; zeros elsewhere."""
    return triangle(t.c, t.tensor("self"), t.integer("diagonal"), upper=False)


def upper(t: OperatorContext) -> Tensor:
    """On a diagonal and above it; zeros elsewhere."""
    return triangle(t.c, t.tensor("self"), t.integer("diagonal"), upper=True)


RULES: Mapping[str, Rule] = {
    "aten.arange": Rule(arange),
    "aten.blackman_window": _window(0.42, -0.5, 0.08),
    "aten.empty": _filled(0),
    "aten.eye": Rule(eye),
    "aten.full": Rule(full),
    "aten.full_like": Rule(full),
    "aten.hamming_window": _window(0.54, -0.46),
    "aten.hann_window": _window(0.5, -0.5),
    "aten.ones": _filled(1),
    "aten.ones_like": _filled(1),
    "aten.scalar_tensor": Rule(scalar),
    "aten.tril": Rule(lower),
    "aten.triu": Rule(upper),
    "aten.zeros": _filled(0),
    "aten.zeros_like": _filled(0),
}
