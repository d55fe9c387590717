"""Rules of normalizations, and of softmax and its kin."""

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from tinsmith_ir.operators import Gelu
from tinsmith_tensors import Composer, Tensor, normalization
from tinsmith_tensors import elementwise as ew
from tinsmith_tensors.movement import broadcast_to, reshape

from tinsmith_onnx.context import OperatorContext
from tinsmith_onnx.rules import Results, Rule


def batch_norm(context: OperatorContext) -> Tensor:
    """BatchNormalization, with the moments that training left."""
    trains = context.version >= 14 and bool(context.integer("training_mode"))
    if trains or any(map(context.wants, range(1, len(context.node.output)))):
        raise context.unsupported(
            "expected a model for inference, whose normalization has one result, got one in training"
        )
    x = context.tensor(0)
    epsilon = context.real("epsilon")
    if context.version < 9 and not context.integer("spatial"):
        return _batch_norm_of_elements(context, x, epsilon)
    scale, bias, mean, variance = (_channels(context, position, x) for position in range(1, 5))
    return normalization.batch_norm(context.c, x, scale, bias, mean, variance, epsilon)


def _batch_norm_of_elements(context: OperatorContext, x: Tensor, epsilon: float) -> Tensor:
    """Of versions that knew moments of each element of (C, ...): those are the channels of a row."""
    c, numbers = context.c, [context.tensor(position) for position in range(1, 5)]
    if x.rank < 2 or any(each.shape != x.shape[1:] for each in numbers):
        raise context.error(
            f"expected numbers for the elements of {list(x.shape)[1:]}, as spatial=0 says, got "
            f"{', '.join(str(list(each.shape)) for each in numbers)}"
        )
    rows = reshape(c, x, (x.shape[0], x.elements // max(x.shape[0], 1)))
    scale, bias, mean, variance = (reshape(c, each, (each.elements,)) for each in numbers)
    normalized = normalization.batch_norm(c, rows, scale, bias, mean, variance, epsilon)
    return reshape(c, normalized, x.shape)


def instance_norm(context: OperatorContext) -> Tensor:
    """InstanceNormalization."""
    x = context.tensor(0)
    scale, bias = (_channels(context, position, x) for position in (1, 2))
    return normalization.instance_norm(context.c, x, scale, bias, context.real("epsilon"))


def group_norm(context: OperatorContext) -> Tensor:
    """GroupNormalization: before version 21 scale and bias are those of groups."""
    c, x, groups = context.c, context.tensor(0), context.integer("num_groups")
    if groups < 1 or x.rank < 2 or x.shape[1] % groups:
        raise context.error(
            f"expected groups that the channels of {list(x.shape)} fill, got {groups}"
        )
    scale, bias = context.tensor(1), context.tensor(2)
    if context.version < 21:
        size = x.shape[1] // groups
        scale, bias = (
            reshape(
                c,
                broadcast_to(c, reshape(c, each, (groups, 1)), (groups, size)),
                (x.shape[1],),
            )
            for each in (scale, bias)
        )
    return normalization.group_norm(c, x, groups, scale, bias, context.real("epsilon"))


def layer_norm(context: OperatorContext) -> Results:
    """LayerNormalization: over all axes from one on; the mean and the deviation's inverse are results, too."""
    x = context.tensor(0)
    axes = range(context.axis(context.integer("axis", -1), x.rank), x.rank)
    epsilon = context.real("epsilon", 1e-5)
    result = normalization.layer_norm(
        context.c, x, axes, context.tensor(1), context.optional(2), epsilon
    )
    return [result, *_moments(context, x, axes, epsilon)]


def rms_norm(context: OperatorContext) -> Tensor:
    """RMSNormalization, and SimplifiedLayerNormalization of com.microsoft: over all axes from one on."""
    x = context.tensor(0)
    axes = range(context.axis(context.integer("axis", -1), x.rank), x.rank)
    epsilon = context.real("epsilon", 1e-5)
    return normalization.rms_norm(context.c, x, axes, context.tensor(1), epsilon)


def lp_norm(context: OperatorContext) -> Tensor:
    """LpNormalization: 0 where the norm is."""
    x = context.tensor(0)
    axis = context.axis(context.integer("axis"), x.rank)
    return normalization.lp_normalize(context.c, x, [axis], context.integer("p"))


def local_response_norm(context: OperatorContext) -> Tensor:
    """LRN."""
    return normalization.local_response_norm(
        context.c,
        context.tensor(0),
        context.integer("size"),
        context.real("alpha"),
        context.real("beta"),
        context.real("bias"),
    )


def mean_variance_norm(context: OperatorContext) -> Tensor:
    """MeanVarianceNormalization."""
    x = context.tensor(0)
    axes = [context.axis(axis, x.rank) for axis in context.integers("axes")]
    return normalization.mean_variance_normalize(context.c, x, axes, 1e-9)


def _over_axis(function: Callable[[Composer, Tensor, int], Tensor]) -> Rule:
    """Before version 13 over all axes from one on, which is 1 if it is not said."""

    def convert(context: OperatorContext) -> Tensor:
        c, x = context.c, context.tensor(0)
        axis = context.axis(context.integer("axis"), x.rank)
        if context.version >= 13:
            return function(c, x, axis)
        rows = reshape(c, x, (math.prod(x.shape[:axis]), math.prod(x.shape[axis:])))
        return reshape(c, function(c, rows, 1), x.shape)

    return Rule(convert)


def skip_layer_norm(context: OperatorContext) -> Sequence[Tensor | None]:
    """SkipLayerNormalization of com.microsoft: a sum, which is a result, too, and its normalization."""
    x = _sum(context, 0, 1, 4)
    epsilon, axes = _epsilon(context), [x.rank - 1]
    result = normalization.layer_norm(
        context.c, x, axes, context.tensor(2), context.optional(3), epsilon
    )
    return [result, *_moments(context, x, axes, epsilon), x]


def skip_rms_norm(context: OperatorContext) -> Sequence[Tensor | None]:
    """SkipSimplifiedLayerNormalization of com.microsoft."""
    x = _sum(context, 0, 1, 3)
    result = normalization.rms_norm(
        context.c, x, [x.rank - 1], context.tensor(2), _epsilon(context)
    )
    return result, None, None, x


def bias_gelu(context: OperatorContext) -> Tensor:
    """BiasGelu of com.microsoft, and Gelu without a bias."""
    return context.c.emit(Gelu(), _sum(context, 0, 1))


def fast_gelu(context: OperatorContext) -> Tensor:
    """FastGelu of com.microsoft, by tanh."""
    return context.c.emit(Gelu(approximate=True), _sum(context, 0, 1))


def _sum(context: OperatorContext, *positions: int) -> Tensor:
    """Of the operands that are there."""
    parts = [context.tensor(positions[0]), *map(context.optional, positions[1:])]
    present = [part for part in parts if part is not None]
    result = present[0]
    for other in present[1:]:
        result = ew.add(context.c, result, other)
    return result


def _moments(
    context: OperatorContext, x: Tensor, axes: Sequence[int], epsilon: float
) -> Sequence[Tensor | None]:
    """The second and the third result, if the file names one of them."""
    if not context.wants(1) and not context.wants(2):
        return [None, None]
    return normalization.moments(context.c, x, axes, epsilon)


def _epsilon(context: OperatorContext) -> float:
    return context.real("epsilon", float(np.float32(1e-12)))


def _channels(context: OperatorContext, position: int, x: Tensor) -> Tensor:
    """An operand with a number for each channel of x."""
    found = context.tensor(position)
    if x.rank < 2 or found.shape != (x.shape[1],):
        raise context.error(
            f"expected an operand {position} of shape (C,) beside one of (N, C, ...), got "
            f"{list(found.shape)} and {list(x.shape)}"
        )
    return found


RULES: Mapping[str, Rule] = {
    "BatchNormalization": Rule(batch_norm, "training"),
    "GroupNormalization": Rule(group_norm),
    "Hardmax": _over_axis(normalization.hardmax),
    "InstanceNormalization": Rule(instance_norm),
    "LRN": Rule(local_response_norm),
    "LayerNormalization": Rule(layer_norm),
    "LogSoftmax": _over_axis(normalization.log_softmax),
    "LpNormalization": Rule(lp_norm),
    "MeanVarianceNormalization": Rule(mean_variance_norm),
    "RMSNormalization": Rule(rms_norm),
    "SimplifiedLayerNormalization": Rule(rms_norm),
    "Softmax": _over_axis(normalization.softmax),
    "com.microsoft.BiasGelu": Rule(bias_gelu),
    "com.microsoft.FastGelu": Rule(fast_gelu),
    "com.microsoft.Gelu": Rule(bias_gelu),
    "com.microsoft.SkipLayerNormalization": Rule(skip_layer_norm),
    "com.microsoft.SkipSimplifiedLayerNormalization": Rule(skip_rms_norm),
}
