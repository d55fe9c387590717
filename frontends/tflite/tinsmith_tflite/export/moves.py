"""Writes operators that move elements and compute nothing."""

from typing import cast

import numpy as np
from tinsmith_ir.dtypes import DType
from tinsmith_ir.operators import Broadcast, Concat, Gather, Pad, Reshape, Slice, Transpose
from tinsmith_ir.types import TensorType

from tinsmith_tflite.export.context import NodeContext, Rules
from tinsmith_tflite.export.records import Options, OptionValue
from tinsmith_tflite.export.refusal import RefusalError
from tinsmith_tflite.export.windows import pad_version

_MOST_STRIDED = 5
"""Dimensions that STRIDED_SLICE has."""


def reshape(context: NodeContext) -> None:
    """RESHAPE; to a scalar by its options alone, since a constant without elements is none."""
    shape = cast("Reshape", context.node.operator).shape
    operands = (context.operand(0),)
    if shape:
        operands = (*operands, context.integers("shape", shape))
    context.emit("RESHAPE", operands, Options("ReshapeOptions", {"NewShape": shape}), version=1)


def pad(context: NodeContext) -> None:
    """PAD of real zeros; PADV2 of another value."""
    operator, source = cast("Pad", context.node.operator), context.value(0)
    name, version = context.node.name, pad_version(source)
    widths = np.array(operator.padding, np.int32).reshape(-1, 2)
    operands = context.operand(0), context.writer.constant(f"{name}_padding", widths)
    if operator.value is None:
        context.emit("PAD", operands, Options("PadOptions"), version=version)
        return
    array = np.array([operator.value], source.type.dtype.numpy)
    value = context.writer.constant(f"{name}_value", array, source.type.quantization)
    context.emit("PADV2", (*operands, value), Options("PadV2Options"), version=version)


def transpose(context: NodeContext) -> None:
    """TRANSPOSE."""
    permutation = cast("Transpose", context.node.operator).permutation
    operands = context.operand(0), context.integers("permutation", permutation)
    context.emit("TRANSPOSE", operands, Options("TransposeOptions"), version=moved_version(context))


def slice_(context: NodeContext) -> None:
    """SLICE; STRIDED_SLICE where an axis is walked in strides."""
    operator = cast("Slice", context.node.operator)
    begin = context.integers("begin", operator.begin)
    if operator.is_dense:
        operands = context.operand(0), begin, context.integers("size", operator.shape)
        version = moved_version(context)
        context.emit("SLICE", operands, Options("SliceOptions"), version=version)
        return
    if len(operator.shape) > _MOST_STRIDED:
        raise RefusalError(
            f"TFLite takes strides of at most {_MOST_STRIDED} dimensions, got {len(operator.shape)}; reshape in front"
        )
    axes = zip(operator.begin, operator.shape, operator.steps, strict=True)
    ends = tuple(at + (size - 1) * step + (1 if step > 0 else -1) for at, size, step in axes)
    # An end below 0 would count from the other side; the mask says to go on to the first element.
    mask = sum(1 << axis for axis, end in enumerate(ends) if end < 0)
    fields: dict[str, OptionValue] = {"EndMask": mask}
    operands = (
        context.operand(0),
        begin,
        context.integers("end", tuple(max(end, 0) for end in ends)),
        context.integers("strides", operator.steps),
    )
    options = Options("StridedSliceOptions", fields)
    context.emit("STRIDED_SLICE", operands, options, version=min(moved_version(context), 4))


def concat(context: NodeContext) -> None:
    """CONCATENATION, which rescales nothing; a clamp becomes an operator of its own."""
    operator = cast("Concat", context.node.operator)
    wanted = context.result.type.quantization
    for value in context.node.present_inputs:
        if value.type.quantization != wanted:
            raise RefusalError(
                f"TFLite joins int8 and int16 of one scale and zero point alone, got another for %{value.name}; "
                "requantize it in front"
            )
    context.emit_clamped(
        "CONCATENATION",
        context.operands,
        "ConcatenationOptions",
        {"Axis": operator.axis},
        activation=operator.activation,
        is_fused=False,
    )


def gather(context: NodeContext) -> None:
    """GATHER. Constant indices beyond the axis, for which TFLite ends the run, become the nearest, as here."""
    axis = cast("Gather", context.node.operator).axis
    source, indices, constant = context.value(0), context.operand(1), context.constant(1)
    last = source.type.shape[axis] - 1
    if constant is not None and not 0 <= int(constant.min()) <= int(constant.max()) <= last:
        clipped = np.clip(constant, 0, last).astype(constant.dtype)
        indices = context.writer.constant(f"{context.node.name}_indices", clipped)
    options = Options("GatherOptions", {"Axis": axis})
    version = {DType.INT8: 2, DType.BOOL: 3, DType.INT16: 4}.get(context.dtype, 1)
    context.emit("GATHER", (context.operand(0), indices), options, version=version)


def broadcast(context: NodeContext) -> None:
    """BROADCAST_TO."""
    shape = cast("Broadcast", context.node.operator).shape
    if not shape:
        types = TensorType((), context.dtype, context.value(0).type.quantization)
        assert context.value(0).type == types  # nothing else broadcasts to no dimensions
        context.emit("RESHAPE", None, Options("ReshapeOptions", {"NewShape": ()}), version=1)
        return
    operands = context.operand(0), context.integers("shape", shape)
    context.emit("BROADCAST_TO", operands, Options("BroadcastToOptions"), version=2)


def moved_version(context: NodeContext) -> int:
    """Of SLICE, STRIDED_SLICE and TRANSPOSE."""
    return {DType.INT8: 2, DType.UINT8: 2, DType.INT16: 4, DType.BOOL: 3}.get(context.dtype, 1)


RULES: Rules = {
    Broadcast: broadcast,
    Concat: concat,
    Gather: gather,
    Pad: pad,
    Reshape: reshape,
    Slice: slice_,
    Transpose: transpose,
}
