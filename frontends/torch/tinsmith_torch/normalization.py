"""Rules of normalizations and of softmax."""

from collections.abc import Mapping, Sequence

import numpy as np
from tinsmith_tensors import Tensor, movement, normalization, reductions
from tinsmith_tensors import elementwise as ew

from tinsmith_torch.context import OperatorContext
from tinsmith_torch.rules import Rule


def batch_norm(t: OperatorContext) -> Sequence[Tensor | None]:
    """In evaluation, by moments that were trained."""
    result = normalization.batch_norm(
        t.c,
        t.tensor("input"),
        t.optional("weight"),
        t.optional("bias"),
        t.tensor("running_mean"),
        t.tensor("running_var"),
        t.real("eps"),
    )
    return [result, None, None]


def batch_norm_of_batch(t: OperatorContext) -> Sequence[Tensor | None]:
    """By the moments of the input itself, as modules have it that track none."""
    if t.has("running_mean"):
        raise t.unsupported(
            "expected a batch normalization in evaluation, got one that changes its moments"
        )
    c, x = t.c, t.tensor("input")
    axes = [axis for axis in range(x.rank) if axis != 1]
    mean = reductions.mean(c, x, axes, keep_dims=True)
    variance = reductions.square_sum(c, ew.sub(c, x, mean), axes, keep_dims=False)
    share = c.number(x.shape[1] / x.elements, variance)
    moments = movement.reshape(c, mean, (x.shape[1],)), ew.mul(c, variance, share)
    weight, bias = t.optional("weight"), t.optional("bias")
    return [normalization.batch_norm(c, x, weight, bias, *moments, t.real("eps")), None, None]


def layer_norm(t: OperatorContext) -> Tensor:
    """Over the last axes."""
    x = t.tensor("input")
    return normalization.layer_norm(
        t.c, x, _last_axes(t, x), t.optional("weight"), t.optional("bias"), t.real("eps")
    )


def layer_norm_with_moments(t: OperatorContext) -> Sequence[Tensor]:
    """With the mean, and the inverse of the root of the variance."""
    x = t.tensor("input")
    return [layer_norm(t), *normalization.moments(t.c, x, _last_axes(t, x), t.real("eps"))]


def group_norm(t: OperatorContext) -> Tensor:
    """Over groups of channels."""
    return normalization.group_norm(
        t.c,
        t.tensor("input"),
        t.integer("num_groups" if t.has("num_groups") else "group"),
        t.optional("weight"),
        t.optional("bias"),
        t.real("eps"),
    )


def instance_norm(t: OperatorContext) -> Tensor:
    """Over each channel by itself, or by moments that were trained."""
    x, weight, bias = t.tensor("input"), t.optional("weight"), t.optional("bias")
    if not t.flag("use_input_stats"):
        mean, variance = t.tensor("running_mean"), t.tensor("running_var")
        return normalization.batch_norm(t.c, x, weight, bias, mean, variance, t.real("eps"))
    return normalization.instance_norm(t.c, x, weight, bias, t.real("eps"))


def rms_norm(t: OperatorContext) -> Tensor:
    """By the root of the mean of squares over the last axes; without eps, by float32's."""
    x = t.tensor("input")
    epsilon = t.real("eps") if t.has("eps") else float(np.finfo(np.float32).eps)
    return normalization.rms_norm(t.c, x, _last_axes(t, x), t.optional("weight"), epsilon)


def _last_axes(t: OperatorContext, x: Tensor) -> range:
    return range(x.rank - len(t.integers("normalized_shape")), x.rank)


def softmax(t: OperatorContext) -> Tensor:
    """Over an axis."""
    (x,) = t.as_result("self")
    if not x.rank:
        return ew.add(t.c, ew.mul(t.c, x, t.c.number(0.0, x)), t.c.number(1.0, x))
    return normalization.softmax(t.c, x, t.axis("dim", x.rank))


def log_softmax(t: OperatorContext) -> Tensor:
    """Its logarithm."""
    (x,) = t.as_result("self")
    if not x.rank:
        return ew.mul(t.c, x, t.c.number(0.0, x))
    return normalization.log_softmax(t.c, x, t.axis("dim", x.rank))


RULES: Mapping[str, Rule] = {
    "aten._fused_rms_norm": Rule(lambda t: [rms_norm(t), None]),
    "aten._log_softmax": Rule(log_softmax),
    "aten._native_batch_norm_legit": Rule(batch_norm_of_batch, remark="moments that a run changes"),
    "aten._native_batch_norm_legit_no_training": Rule(batch_norm),
    "aten._softmax": Rule(softmax),
    "aten.group_norm": Rule(group_norm),
    "aten.instance_norm": Rule(instance_norm),
    "aten.layer_norm": Rule(layer_norm),
    "aten.log_softmax": Rule(log_softmax),
    "aten.native_group_norm": Rule(lambda t: [group_norm(t), None, None]),
    "aten.native_layer_norm": Rule(layer_norm_with_moments),
    "aten.rms_norm": Rule(rms_norm),
    "aten.softmax": Rule(softmax),
}
