"""Rules of activations."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from tinsmith_ir.operators import Gelu, Relu, Tanh
from tinsmith_tensors import Composer, Tensor
from tinsmith_tensors import activations as act
from tinsmith_tensors import elementwise as ew

from tinsmith_onnx.context import OperatorContext
from tinsmith_onnx.rules import Rule

_QUICK_GELU = 1.702
"""How steep a sigmoid is near Gelu: https://arxiv.org/abs/1606.08415."""
_FUSED: Mapping[str, tuple[int, Callable[[Composer, Tensor, Sequence[float]], Tensor]]] = {
    "": (0, lambda _c, x, _: x),
    "Relu": (0, lambda c, x, _: c.emit(Relu(), x)),
    "Sigmoid": (0, lambda c, x, _: act.sigmoid(c, x)),
    "Tanh": (0, lambda c, x, _: c.emit(Tanh(), x)),
    "LeakyRelu": (1, lambda c, x, numbers: act.leaky_relu(c, x, *numbers)),
    "Clip": (2, lambda c, x, numbers: act.clip(c, x, *numbers)),
    "HardSigmoid": (2, lambda c, x, numbers: act.hard_sigmoid(c, x, *numbers)),
}
"""By name: how many numbers it has, and the function of a tensor and of these."""


def clip(context: OperatorContext) -> Tensor:
    """Clip: bounds are attributes before version 11, and operands since, which may be computed. NaN stays."""
    c, x = context.c, context.tensor(0)
    if context.version < 11:
        low, high = context.real("min"), context.real("max")
        return act.clip(c, x, *(None if abs(bound) > 3.4e38 else bound for bound in (low, high)))
    low, high = context.optional(1), context.optional(2)
    if all(bound is None or bound.is_known for bound in (low, high)):
        return act.clip(c, x, *(bound and _number(bound) for bound in (low, high)))
    x = x if low is None else ew.maximum(c, low, x)
    return x if high is None else ew.minimum(c, high, x)


def _number(bound: Tensor) -> float:
    assert bound.array is not None
    return float(np.asarray(bound.array, np.float64).reshape(-1)[0])


def relu(context: OperatorContext) -> Tensor:
    """Relu, of integers too."""
    c, x = context.c, context.tensor(0)
    return c.emit(Relu(), x) if x.is_float else ew.maximum(c, x, c.number(0, x))


def gelu(context: OperatorContext) -> Tensor:
    """Gelu, by the error function or by tanh."""
    is_approximate = context.text("approximate", "none") == "tanh"
    return context.c.emit(Gelu(approximate=is_approximate), context.tensor(0))


def shrink(context: OperatorContext) -> Tensor:
    """Shrink: 0 between -lambd and lambd, and nearer to it by the bias outside."""
    c, x = context.c, context.tensor(0)
    limit, bias = context.real("lambd"), context.real("bias")
    above = ew.where(
        c, ew.less(c, c.number(limit, x), x), ew.sub(c, x, c.number(bias, x)), c.number(0, x)
    )
    is_below = ew.less(c, x, c.number(-limit, x))
    return ew.where(c, is_below, ew.add(c, x, c.number(bias, x)), above)


def fused(context: OperatorContext, x: Tensor) -> Tensor:
    """The function that ONNX Runtime writes into an operator in front of it: its name, and its numbers in order."""
    kind, numbers = context.text("activation", ""), context.reals("activation_params", ())
    wanted, function = _FUSED.get(kind, (None, None))
    if function is None or len(numbers) != wanted:
        known = ", ".join(f"{name} with {count}" for name, (count, _) in _FUSED.items())
        raise context.unsupported(
            f"expected an activation of {known} numbers, got {kind!r} with {len(numbers)}"
        )
    return function(context.c, x, numbers)


RULES: Mapping[str, Rule] = {
    "Celu": Rule(lambda t: act.celu(t.c, t.tensor(0), t.real("alpha"))),
    "Clip": Rule(clip),
    "Elu": Rule(lambda t: act.elu(t.c, t.tensor(0), t.real("alpha"))),
    "Gelu": Rule(gelu),
    "HardSigmoid": Rule(
        lambda t: act.hard_sigmoid(t.c, t.tensor(0), t.real("alpha"), t.real("beta"))
    ),
    "HardSwish": Rule(lambda t: act.hard_swish(t.c, t.tensor(0))),
    "LeakyRelu": Rule(lambda t: act.leaky_relu(t.c, t.tensor(0), t.real("alpha"))),
    "Mish": Rule(lambda t: act.mish(t.c, t.tensor(0))),
    "PRelu": Rule(lambda t: act.prelu(t.c, *t.broadcasting(0, 1))),
    "Relu": Rule(relu),
    "Selu": Rule(lambda t: act.selu(t.c, t.tensor(0), t.real("alpha"), t.real("gamma"))),
    "Shrink": Rule(shrink),
    "Sigmoid": Rule(lambda t: act.sigmoid(t.c, t.tensor(0))),
    "Softplus": Rule(lambda t: act.softplus(t.c, t.tensor(0))),
    "Softsign": Rule(lambda t: act.softsign(t.c, t.tensor(0))),
    "Swish": Rule(lambda t: act.silu(t.c, t.tensor(0), t.real("alpha"))),
    "ThresholdedRelu": Rule(lambda t: act.thresholded_relu(t.c, t.tensor(0), t.real("alpha"))),
    "com.microsoft.QuickGelu": Rule(
        lambda t: act.silu(t.c, t.tensor(0), t.real("alpha", _QUICK_GELU))
    ),
}
