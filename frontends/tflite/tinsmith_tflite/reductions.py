"""Converters of operators over constant axes."""

from collections.abc import Mapping

from tinsmith_ir.dtypes import DType
from tinsmith_ir.operators import (
    ArgExtremum,
    ArgMax,
    ArgMin,
    Cast,
    Mean,
    ReduceExtremum,
    ReduceMax,
    ReduceMin,
    ReduceProd,
    Sum,
)

from tinsmith_tflite.context import Conversion, OperatorContext
from tinsmith_tflite.rules import BOOL, INDICES, MOVED, PLAIN, Rule

_MAX_AXES = 8


def mean(context: OperatorContext) -> Conversion:
    """MEAN."""
    return _reduced(context, Mean)


def sum_(context: OperatorContext) -> Conversion:
    """SUM. Where nothing is to be rescaled, TFLite adds the stored int8 themselves and lets them wrap."""
    source = context.value(0)
    if source.type.dtype is DType.INT16:
        raise context.unsupported("expected int8 or float32, got int16, which TFLite does not sum")
    quantization = source.type.quantization
    if quantization is not None and quantization == context.output.type.quantization:
        raise context.unsupported(
            "expected a result of another scale than the input's: of equal ones, TFLite adds the stored "
            "integers with their zero points, and wraps; quantize the model again"
        )
    return _reduced(context, Sum)


def reduce_max(context: OperatorContext) -> Conversion:
    """REDUCE_MAX."""
    return _reduced(context, ReduceMax)


def reduce_min(context: OperatorContext) -> Conversion:
    """REDUCE_MIN."""
    return _reduced(context, ReduceMin)


def reduce_prod(context: OperatorContext) -> Conversion:
    """REDUCE_PROD."""
    return _reduced(context, ReduceProd)


def reduce_any(context: OperatorContext) -> Conversion:
    """REDUCE_ANY: the largest of bool."""
    return _reduced(context, ReduceMax)


def reduce_all(context: OperatorContext) -> Conversion:
    """REDUCE_ALL: the smallest of bool."""
    return _reduced(context, ReduceMin)


def arg_max(context: OperatorContext) -> Conversion:
    """ARG_MAX."""
    return _arg(context, ArgMax)


def arg_min(context: OperatorContext) -> Conversion:
    """ARG_MIN."""
    return _arg(context, ArgMin)


def _reduced(
    context: OperatorContext, kind: type[Mean] | type[Sum] | type[ReduceExtremum] | type[ReduceProd]
) -> Conversion:
    keep_dims = context.options.boolean("KeepDims")
    return kind(axes=_axes(context), keep_dims=keep_dims), (context.value(0),)


def _arg(context: OperatorContext, kind: type[ArgExtremum]) -> Conversion:
    source, axes = context.value(0), context.integers(1)
    if len(axes) != 1:
        raise context.error(f"expected one axis, got {list(axes)}")
    operator = kind(axis=context.axis(axes[0], len(source.type.shape)))
    if context.output.type.dtype is DType.INT32:
        return operator, (source,)
    return Cast(DType.INT64), (context.step(operator, [source]),)


def _axes(context: OperatorContext) -> tuple[int, ...]:
    """Input 1, sorted and counted from the front."""
    rank = len(context.value(0).type.shape)
    axes = context.integers(1)
    if len(axes) > _MAX_AXES:
        raise context.error(f"expected at most {_MAX_AXES} axes, got {len(axes)}")
    return tuple(sorted({context.axis(axis, rank) for axis in axes}))


RULES: Mapping[str, Rule] = {
    "ARG_MAX": Rule(3, (2, 2), "ArgMaxOptions", (ArgMax, Cast), arg_max, INDICES),
    "ARG_MIN": Rule(3, (2, 2), "ArgMinOptions", (ArgMin, Cast), arg_min, INDICES),
    "MEAN": Rule(3, (2, 2), "ReducerOptions", (Mean,), mean),
    "REDUCE_ALL": Rule(1, (2, 2), "ReducerOptions", (ReduceMin,), reduce_all, BOOL),
    "REDUCE_ANY": Rule(2, (2, 2), "ReducerOptions", (ReduceMax,), reduce_any, BOOL),
    "REDUCE_MAX": Rule(3, (2, 2), "ReducerOptions", (ReduceMax,), reduce_max, MOVED),
    "REDUCE_MIN": Rule(3, (2, 2), "ReducerOptions", (ReduceMin,), reduce_min, MOVED),
    "REDUCE_PROD": Rule(2, (2, 2), "ReducerOptions", (ReduceProd,), reduce_prod, PLAIN),
    "SUM": Rule(2, (2, 2), "ReducerOptions", (Sum,), sum_),
}
