"""Writes operators over axes, and those that look for elements or make an image larger."""

from typing import cast

from tinsmith_ir.dtypes import DType
from tinsmith_ir.operators import (
    ArgExtremum,
    ArgMax,
    ArgMin,
    CumSum,
    Mean,
    ReduceMax,
    ReduceMin,
    ReduceProd,
    ResizeBilinear,
    Sum,
    TopK,
    TopKIndices,
)
from tinsmith_ir.operators.ranking import Ranking
from tinsmith_ir.operators.reduction import Reduction
from tinsmith_ir.types import TensorType

from tinsmith_tflite.export.context import NodeContext, Rules, Write
from tinsmith_tflite.export.records import Options, OptionValue
from tinsmith_tflite.export.refusal import RefusalError
from tinsmith_tflite.export.schema import tensor_type_code


def _reduction(kind: str, of_bool: str = "") -> Write:
    def write(context: NodeContext) -> None:
        operator = cast("Reduction", context.node.operator)
        operands = context.operand(0), context.integers("axes", operator.axes)
        options = Options("ReducerOptions", {"KeepDims": operator.keep_dims})
        if context.dtype is DType.BOOL:
            context.emit(of_bool, operands, options, version=1)
            return
        context.emit(kind, operands, options)

    return write


def sum_(context: NodeContext) -> None:
    """SUM of float32 and of plain integers."""
    if context.is_quantized:
        raise RefusalError(
            "TFLite 2.14 adds int8 as if they were unsigned, and has no sum of int16; use a mean and a mul "
            "by the number of elements, or keep the sum in float32"
        )
    _reduction("SUM")(context)


def _argument(kind: str, table: str) -> Write:
    def write(context: NodeContext) -> None:
        if context.dtype is DType.INT16:
            raise RefusalError(
                f"TFLite's {kind} reads no int16; requantize to int8, or dequantize, in front"
            )
        axis = context.integers("axis", cast("ArgExtremum", context.node.operator).axis)
        options = Options(table, {"OutputType": tensor_type_code("INT32")})
        context.emit(kind, (context.operand(0), axis), options, version=min(_small(context), 2))

    return write


def _small(context: NodeContext) -> int:
    return 2 if context.dtype in (DType.INT8, DType.INT16) else 1


def cumsum(context: NodeContext) -> None:
    """CUMSUM."""
    operator = cast("CumSum", context.node.operator)
    fields: dict[str, OptionValue] = {
        "Exclusive": operator.exclusive,
        "Reverse": operator.reverse,
    }
    operands = context.operand(0), context.integers("axis", operator.axis)
    context.emit("CUMSUM", operands, Options("CumsumOptions", fields), version=1)


def top_k(context: NodeContext) -> None:
    """TOPK_V2, which gives elements and indices; nobody reads the other."""
    operator, result = cast("Ranking", context.node.operator), context.result
    is_indices = isinstance(operator, TopKIndices)
    source = context.value(0).type
    dtype = source if is_indices else TensorType((), DType.INT32)
    other = context.step("other", TensorType(result.type.shape, dtype.dtype, dtype.quantization))
    own = context.writer.tensor(result)
    operands = context.operand(0), context.integers("count", operator.count)
    outputs = (other, own) if is_indices else (own, other)
    context.writer.operator("TOPK_V2", _small(context), operands, outputs, Options("TopKV2Options"))


def resize_bilinear(context: NodeContext) -> None:
    """RESIZE_BILINEAR."""
    operator = cast("ResizeBilinear", context.node.operator)
    if operator.in_float32:
        raise RefusalError(
            "TFLite interpolates int8 in integers, here it is in float32, as of uint8; use one without in_float32"
        )
    fields: dict[str, OptionValue] = {
        "AlignCorners": operator.align_corners,
        "HalfPixelCenters": operator.half_pixel_centers,
    }
    operands = context.operand(0), context.integers("size", operator.size)
    version = 4 if context.dtype is DType.INT16 else 3
    context.emit(
        "RESIZE_BILINEAR", operands, Options("ResizeBilinearOptions", fields), version=version
    )


RULES: Rules = {
    ArgMax: _argument("ARG_MAX", "ArgMaxOptions"),
    ArgMin: _argument("ARG_MIN", "ArgMinOptions"),
    CumSum: cumsum,
    Mean: _reduction("MEAN"),
    ReduceMax: _reduction("REDUCE_MAX", "REDUCE_ANY"),
    ReduceMin: _reduction("REDUCE_MIN", "REDUCE_ALL"),
    ReduceProd: _reduction("REDUCE_PROD"),
    ResizeBilinear: resize_bilinear,
    Sum: sum_,
    TopK: top_k,
    TopKIndices: top_k,
}
