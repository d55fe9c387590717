"""Writes operators that add, multiply, compare and choose, layers without windows, and changes of type."""

from collections.abc import Callable
from typing import cast

from tinsmith_ir.dtypes import DType
from tinsmith_ir.operators import (
    Activation,
    Add,
    BatchMatmul,
    Cast,
    Compare,
    Dequantize,
    Div,
    FloorDiv,
    FloorMod,
    FullyConnected,
    Maximum,
    Minimum,
    Mul,
    Pow,
    Quantize,
    Relation,
    Requantize,
    Select,
    SquaredDifference,
    Sub,
)
from tinsmith_ir.operators.base import activation_of
from tinsmith_ir.types import TensorType

from tinsmith_tflite.export.bias import bias_of
from tinsmith_tflite.export.context import NodeContext, Rules, Write, with_shape
from tinsmith_tflite.export.records import Options, OptionValue
from tinsmith_tflite.export.refusal import RefusalError
from tinsmith_tflite.export.schema import activation_code, tensor_type_code
from tinsmith_tflite.export.writer import TYPE_NAMES

_RELATIONS = {
    Relation.EQUAL: ("EQUAL", "EqualOptions"),
    Relation.NOT_EQUAL: ("NOT_EQUAL", "NotEqualOptions"),
    Relation.LESS: ("LESS", "LessOptions"),
    Relation.LESS_EQUAL: ("LESS_EQUAL", "LessEqualOptions"),
}


def fully_connected(context: NodeContext) -> None:
    """FULLY_CONNECTED. Of weights with a scale per channel TFLite 2.14 computes some rows only where it keeps more than
    two dimensions, so these are reshaped before and behind.
    """
    operator = cast("FullyConnected", context.node.operator)
    if operator.accumulator is not None:
        raise RefusalError("TFLite gives no sums that are not rescaled; leave layers in one piece")
    source, weights, result = context.value(0), context.value(1), context.result
    has_bias, quantization = context.optional(2) is not None, weights.type.quantization
    fields: dict[str, OptionValue] = {"KeepNumDims": operator.keep_dims}
    is_per_axis = quantization is not None and quantization.axis is not None
    operands = context.operand(0), _weights(context), bias_of(context)
    version = _fully_connected_version(context, has_bias=has_bias)
    if not (is_per_axis and operator.keep_dims and len(result.type.shape) > 2):
        context.emit_clamped(
            "FULLY_CONNECTED",
            operands,
            "FullyConnectedOptions",
            fields,
            version=version,
            activation=operator.activation,
        )
        return
    depth, channels = source.type.shape[-1], result.type.shape[-1]
    rows = source.type.elements // depth
    flat = context.step("rows", with_shape(source, (rows, depth)))
    wide = context.step("flat", with_shape(result, (rows, channels)))
    if operator.activation is Activation.RELU_0_TO_1:
        raise RefusalError("TFLite does not fuse RELU_0_TO_1; use a relu_0_to_1 of its own")
    fields |= {
        "KeepNumDims": False,
        "FusedActivationFunction": activation_code(operator.activation.name),
    }
    _reshape(context, operands[0], (rows, depth), flat)
    options = Options("FullyConnectedOptions", fields)
    given = (flat, *operands[1:])
    context.emit("FULLY_CONNECTED", given, options, version=version, output=wide)
    _reshape(context, wide, result.type.shape, context.writer.tensor(result))


def _weights(context: NodeContext) -> int:
    """The tensor of operand 1; of few bits per channel, which TFLite 2.14 has per tensor alone, as int8."""
    weights = context.value(1)
    quantization = weights.type.quantization
    is_per_axis = quantization is not None and quantization.axis is not None
    if is_per_axis and weights.type.dtype.is_packed:
        return context.writer.converted(weights, DType.INT8, quantization)
    return context.operand(1)


def _reshape(context: NodeContext, source: int, shape: tuple[int, ...], result: int) -> None:
    operands = source, context.integers("shape", shape)
    options = Options("ReshapeOptions", {"NewShape": shape})
    context.emit("RESHAPE", operands, options, version=1, output=result)


def _fully_connected_version(context: NodeContext, *, has_bias: bool) -> int:
    if context.dtype is DType.INT16:
        return 7
    if not has_bias:
        return 6
    if context.dtype is DType.INT8:
        return 4
    return 5 if cast("FullyConnected", context.node.operator).keep_dims else 1


def _clamped(kind: str, table: str) -> Write:
    """The rule of an operator of two operands with a fused activation."""

    def write(context: NodeContext) -> None:
        activation = activation_of(context.node.operator)
        is_scheme = kind in ("ADD", "SUB") and context.dtype is DType.INT16
        fields: dict[str, OptionValue] = {"PotScaleInt16": False} if is_scheme else {}
        version = _arithmetic_version(kind, context.dtype)
        operands = context.operands
        context.emit_clamped(kind, operands, table, fields, version=version, activation=activation)

    return write


def _arithmetic_version(kind: str, dtype: DType) -> int:
    int16 = {"ADD": 3, "SUB": 5, "MUL": 4, "DIV": 1}[kind]
    int64 = {"ADD": 4, "SUB": 4, "MUL": 6, "DIV": 1}[kind]
    return {DType.INT8: 2, DType.INT16: int16, DType.INT64: int64}.get(dtype, 1)


def _extremum(kind: str, of_bool: str, options_of_bool: str) -> Write:
    def write(context: NodeContext) -> None:
        if context.dtype is DType.BOOL:
            context.emit(of_bool, None, Options(options_of_bool), version=1)
            return
        version = {DType.INT8: 2, DType.INT16: 4}.get(context.dtype, 1)
        context.emit(kind, None, Options("MaximumMinimumOptions"), version=version)

    return write


def _plain(kind: str, table: str) -> Callable[[NodeContext], None]:
    def write(context: NodeContext) -> None:
        context.emit(kind, None, Options(table))

    return write


def batch_matmul(context: NodeContext) -> None:
    """BATCH_MATMUL."""
    operator = cast("BatchMatmul", context.node.operator)
    lhs, rhs = context.value(0).type.shape, context.value(1).type.shape
    if operator.transpose_lhs and not operator.transpose_rhs and lhs[:-2] != rhs[:-2]:
        raise RefusalError(
            "TFLite 2.14 reads beyond its memory where the left operand alone is transposed and batches "
            "broadcast; put a transpose in front"
        )
    fields: dict[str, OptionValue] = {
        "AdjX": operator.transpose_lhs,
        "AdjY": operator.transpose_rhs,
    }
    context.emit("BATCH_MATMUL", None, Options("BatchMatMulOptions", fields))


def compare(context: NodeContext) -> None:
    """EQUAL, NOT_EQUAL, LESS or LESS_EQUAL."""
    kind, table = _RELATIONS[cast("Compare", context.node.operator).relation]
    context.emit(kind, None, Options(table), version=2 if context.dtype is DType.INT8 else 1)


def select(context: NodeContext) -> None:
    """SELECT_V2, which broadcasts."""
    context.emit("SELECT_V2", None, Options("SelectV2Options"), version=1)


def cast_(context: NodeContext) -> None:
    """CAST."""
    fields: dict[str, OptionValue] = {
        "InDataType": tensor_type_code(TYPE_NAMES[context.dtype]),
        "OutDataType": tensor_type_code(TYPE_NAMES[context.result.type.dtype]),
    }
    context.emit("CAST", None, Options("CastOptions", fields), version=1)


def quantize(context: NodeContext) -> None:
    """QUANTIZE of float32."""
    if cast("Quantize", context.node.operator).halves_to_even:
        raise RefusalError(
            "TFLite rounds halves away from zero, here they go to the even integer; use a quantize without "
            "halves_to_even"
        )
    version = 2 if context.result.type.dtype is DType.INT16 else 1
    context.emit("QUANTIZE", None, Options("QuantizeOptions"), version=version)


def requantize(context: NodeContext) -> None:
    """QUANTIZE of integers; a clamp becomes an operator of its own."""
    source, result = context.value(0).type, context.result.type
    is_sum = source.dtype is DType.INT64 or (
        source.quantization is not None and source.quantization.axis is not None
    )
    if is_sum:
        raise RefusalError("TFLite gives no sums that are not rescaled; leave layers in one piece")
    activation = activation_of(context.node.operator)
    if result.dtype is DType.INT16 and source.dtype in (DType.INT8, DType.UINT8):
        _widen(context, activation)
        return
    if activation is not Activation.NONE and result.dtype is DType.UINT8:
        raise RefusalError("TFLite has no clamp of uint8 of our rounding; clamp int8 in front")
    context.emit_clamped(
        "QUANTIZE",
        context.operands,
        "QuantizeOptions",
        {},
        version=2,
        activation=activation,
        is_fused=False,
    )


def _widen(context: NodeContext, activation: Activation) -> None:
    """To int16, for which TFLite has no QUANTIZE: by float32, which is exact where both scales are the same."""
    source, result = context.value(0).type, context.result.type
    scales = {each.quantization and each.quantization.scale for each in (source, result)}
    if len(scales) > 1 or activation is not Activation.NONE:
        raise RefusalError(
            "TFLite makes int16 of integers of 8 bits by float32, which is exact for the same scale and no activation "
            f"alone, got {' and '.join(sorted(map(str, scales)))}; give the result the scale of the operand"
        )
    real = context.step("real", TensorType(source.shape, DType.FLOAT32))
    context.emit("DEQUANTIZE", None, Options("DequantizeOptions"), output=real)
    context.emit("QUANTIZE", (real,), Options("QuantizeOptions"), version=2)


def dequantize(context: NodeContext) -> None:
    """DEQUANTIZE."""
    context.emit("DEQUANTIZE", None, Options("DequantizeOptions"))


RULES: Rules = {
    Add: _clamped("ADD", "AddOptions"),
    BatchMatmul: batch_matmul,
    Cast: cast_,
    Compare: compare,
    Dequantize: dequantize,
    Div: _clamped("DIV", "DivOptions"),
    FloorDiv: _plain("FLOOR_DIV", "FloorDivOptions"),
    FloorMod: _plain("FLOOR_MOD", "FloorModOptions"),
    FullyConnected: fully_connected,
    Maximum: _extremum("MAXIMUM", "LOGICAL_OR", "LogicalOrOptions"),
    Minimum: _extremum("MINIMUM", "LOGICAL_AND", "LogicalAndOptions"),
    Mul: _clamped("MUL", "MulOptions"),
    Pow: _plain("POW", "PowOptions"),
    Quantize: quantize,
    Requantize: requantize,
    Select: select,
    SquaredDifference: _plain("SQUARED_DIFFERENCE", "SquaredDifferenceOptions"),
    Sub: _clamped("SUB", "SubOptions"),
}
