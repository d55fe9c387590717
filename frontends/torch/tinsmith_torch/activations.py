"""Rules of functions of neural networks, element by element."""

from collections.abc import Mapping

from tinsmith_ir.operators import Gelu, Relu
from tinsmith_tensors import Tensor
from tinsmith_tensors import activations as act
from tinsmith_tensors import elementwise as ew
from tinsmith_tensors.movement import part, reshape

from tinsmith_torch.context import OperatorContext
from tinsmith_torch.rules import Rule


def relu(t: OperatorContext) -> Tensor:
    """Of integers too."""
    c, x = t.c, t.tensor("self")
    return c.emit(Relu(), x) if x.is_float else ew.maximum(c, x, c.number(0, x))


def gelu(t: OperatorContext) -> Tensor:
    """By the error function, or by tanh."""
    is_approximate = t.text("approximate") == "tanh"
    return t.c.emit(Gelu(approximate=is_approximate), t.tensor("self"))


def elu(t: OperatorContext) -> Tensor:
    """scale * self above 0, scale * alpha * (exp(input_scale * self) - 1) below."""
    c, x = t.c, t.tensor("self")
    alpha, scale, input_scale = t.real("alpha"), t.real("scale"), t.real("input_scale")
    if input_scale == 1.0:
        curve = act.elu(c, x, alpha)
    else:
        below = act.elu(c, ew.mul(c, x, c.number(input_scale, x)), alpha)
        curve = ew.where(c, ew.less(c, x, c.number(0.0, x)), below, x)
    return curve if scale == 1.0 else ew.mul(c, curve, c.number(scale, x))


def glu(t: OperatorContext) -> Tensor:
    """One half along an axis by the sigmoid of the other."""
    c, x = t.c, t.tensor("self")
    axis = t.axis("dim", x.rank)
    half = x.shape[axis] // 2
    gate = act.sigmoid(c, part(c, x, axis, half, 2 * half))
    return ew.mul(c, part(c, x, axis, 0, half), gate)


def hard_tanh(t: OperatorContext) -> Tensor:
    """Within [min_val, max_val]."""
    return act.clip(t.c, t.tensor("self"), t.real("min_val"), t.real("max_val"))


def hard_shrink(t: OperatorContext) -> Tensor:
    """self, but 0 where its magnitude is at most lambd."""
    c, x = t.c, t.tensor("self")
    is_small = ew.less_equal(c, ew.absolute(c, x), c.number(t.real("lambd"), x))
    return ew.where(c, is_small, c.number(0.0, x), x)


def soft_shrink(t: OperatorContext) -> Tensor:
    """self, nearer to 0 by lambd; 0 in between."""
    c, x, limit = t.c, t.tensor("self"), t.real("lambd")
    return ew.sub(c, x, act.clip(c, x, -limit, limit))


def softplus(t: OperatorContext) -> Tensor:
    """log(1 + exp(beta * self)) / beta; from a threshold on it is self to float32's last bit, or near it."""
    c, x, beta = t.c, t.tensor("self"), t.real("beta")
    curve = act.softplus(c, x, beta)
    threshold = t.real("threshold")
    if threshold >= 18.0:  # exp(-18) is below half a unit in the last place of 18
        return curve
    is_above = ew.less(c, c.number(threshold / beta, x), x)
    return ew.where(c, is_above, x, curve)


def log_sigmoid(t: OperatorContext) -> Tensor:
    """-softplus(-self)."""
    c, x = t.c, t.tensor("self")
    zero = c.number(0.0, x)
    return ew.sub(c, zero, act.softplus(c, ew.sub(c, zero, x)))


def threshold(t: OperatorContext) -> Tensor:
    """self above the threshold, else a value."""
    c, x = t.c, t.tensor("self")
    is_above = ew.less(c, c.number(t.real("threshold"), x), x)
    return ew.where(c, is_above, x, c.number(t.real("value"), x))


def random_relu(t: OperatorContext) -> Tensor:
    """rrelu in evaluation: its mean slope below 0."""
    if t.flag("training"):
        raise t.unsupported("expected evaluation, got training, which is random")
    return act.leaky_relu(t.c, t.tensor("self"), (t.real("lower") + t.real("upper")) / 2.0)


def prelu(t: OperatorContext) -> Tensor:
    """self above 0, below by a slope, which may be one for each channel, axis 1."""
    c, x, slope = t.c, t.tensor("self"), t.tensor("weight")
    if slope.elements > 1 and x.rank > 1:
        slope = reshape(c, slope, (slope.elements, *(1,) * (x.rank - 2)))
    return act.prelu(c, x, slope)


RULES: Mapping[str, Rule] = {
    "aten.celu": Rule(lambda t: act.celu(t.c, t.tensor("self"), t.real("alpha"))),
    "aten.elu": Rule(elu),
    "aten.gelu": Rule(gelu),
    "aten.glu": Rule(glu),
    "aten.hardshrink": Rule(hard_shrink),
    "aten.hardsigmoid": Rule(lambda t: act.hard_sigmoid(t.c, t.tensor("self"), 1.0 / 6.0, 0.5)),
    "aten.hardswish": Rule(lambda t: act.hard_swish(t.c, t.tensor("self"))),
    "aten.hardtanh": Rule(hard_tanh),
    "aten.leaky_relu": Rule(
        lambda t: act.leaky_relu(t.c, t.tensor("self"), t.real("negative_slope"))
    ),
    "aten.log_sigmoid": Rule(log_sigmoid),
    "aten.mish": Rule(lambda t: act.mish(t.c, t.tensor("self"))),
    "aten.prelu": Rule(prelu),
    "aten.relu": Rule(relu),
    "aten.relu6": Rule(lambda t: act.clip(t.c, t.tensor("self"), 0.0, 6.0)),
    "aten.rrelu": Rule(random_relu),
    "aten.rrelu_with_noise_functional": Rule(lambda t: [random_relu(t), None]),
    "aten.selu": Rule(lambda t: act.selu(t.c, t.tensor("self"))),
    "aten.sigmoid": Rule(lambda t: act.sigmoid(t.c, t.as_result("self")[0])),
    "aten.silu": Rule(lambda t: act.silu(t.c, t.tensor("self"))),
    "aten.softplus": Rule(softplus),
    "aten.softshrink": Rule(soft_shrink),
    "aten.threshold": Rule(threshold),
}
