"""Rules of reductions over axes."""

from collections.abc import Callable, Mapping, Sequence

from tinsmith_tensors import Tensor, reductions

from tinsmith_onnx.context import OperatorContext
from tinsmith_onnx.rules import Rule


def _reduction(function: Callable[..., Tensor]) -> Rule:
    """Axes are an attribute, and since some version an operand; none are all, unless that means none."""

    def convert(context: OperatorContext) -> Tensor:
        axes: Sequence[int] | None = context.axes(1)
        x = context.tensor(0)
        if not axes:
            axes = () if context.integer("noop_with_empty_axes", 0) else None
        return function(context.c, x, axes, keep_dims=bool(context.integer("keepdims")))

    return Rule(convert)


def _arg(function: Callable[..., Tensor]) -> Rule:
    def convert(context: OperatorContext) -> Tensor:
        x = context.tensor(0)
        return function(
            context.c,
            x,
            context.axis(context.integer("axis"), x.rank),
            keep_dims=bool(context.integer("keepdims")),
            last=bool(context.integer("select_last_index", 0)),
        )

    return Rule(convert)


RULES: Mapping[str, Rule] = {
    "ArgMax": _arg(reductions.arg_max),
    "ArgMin": _arg(reductions.arg_min),
    "ReduceL1": _reduction(reductions.l1_norm),
    "ReduceL2": _reduction(reductions.l2_norm),
    "ReduceLogSum": _reduction(reductions.log_sum),
    "ReduceLogSumExp": _reduction(reductions.log_sum_exp),
    "ReduceMax": _reduction(reductions.largest),
    "ReduceMean": _reduction(reductions.mean),
    "ReduceMin": _reduction(reductions.smallest),
    "ReduceProd": _reduction(reductions.product),
    "ReduceSum": _reduction(reductions.total),
    "ReduceSumSquare": _reduction(reductions.square_sum),
}
