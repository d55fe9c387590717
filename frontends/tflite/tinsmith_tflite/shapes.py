"""Converters of operators that move elements and compute nothing."""

import math
from collections.abc import Mapping

from tinsmith_ir.graph import Value
from tinsmith_ir.operators import (
    Concat,
    FloatRescale,
    Pad,
    Reshape,
    Transpose,
)

from tinsmith_tflite.context import Conversion, OperatorContext
from tinsmith_tflite.rules import ALL, Rule


def reshape(context: OperatorContext) -> Conversion:
    """RESHAPE; the new shape is a constant operand, else an option. One -1 in it is computed."""
    source = context.value(0)
    asked = context.integers(1) if context.has(1) else context.options.integers("NewShape")
    return Reshape(shape=_resolved(context, source, asked)), (source,)


def squeeze(context: OperatorContext) -> Conversion:
    """SQUEEZE as a reshape: drop the named dimensions of size 1, or all of them."""
    source = context.value(0)
    shape = source.type.shape
    named = {context.axis(axis, len(shape)) for axis in context.options.integers("SqueezeDims")}
    dropped = named or {axis for axis, size in enumerate(shape) if size == 1}
    for axis in sorted(dropped):
        if shape[axis] != 1:
            raise context.error(f"expected axis {axis} of size 1, got {list(shape)}")
    kept = tuple(size for axis, size in enumerate(shape) if axis not in dropped)
    return Reshape(shape=kept), (source,)


def expand_dims(context: OperatorContext) -> Conversion:
    """EXPAND_DIMS as a reshape: a dimension of size 1 at a constant axis."""
    source = context.value(0)
    axes = context.integers(1)
    if len(axes) != 1:
        raise context.error(f"expected one axis, got {list(axes)}")
    axis = context.axis(axes[0], len(source.type.shape) + 1)
    shape = (*source.type.shape[:axis], 1, *source.type.shape[axis:])
    return Reshape(shape=shape), (source,)


def pad(context: OperatorContext) -> Conversion:
    """PAD: with real zeros."""
    source = context.value(0)
    return Pad(padding=context.paddings(1, len(source.type.shape))), (source,)


def padv2(context: OperatorContext) -> Conversion:
    """PADV2: with a constant of the input's dtype."""
    source = context.value(0)
    return Pad(padding=context.paddings(1, len(source.type.shape)), value=context.scalar(2)), (
        source,
    )


def transpose(context: OperatorContext) -> Conversion:
    """TRANSPOSE by a constant permutation."""
    source = context.value(0)
    rank = len(source.type.shape)
    permutation = context.integers(1)
    if len(permutation) != rank:
        raise context.error(f"expected a permutation of {rank} axes, got {list(permutation)}")
    positive = tuple(context.axis(axis, rank) for axis in permutation)
    if len(set(positive)) != rank:
        raise context.error(f"expected each axis once, got {list(permutation)}")
    return Transpose(permutation=positive), (source,)


def concatenation(context: OperatorContext) -> Conversion:
    """CONCATENATION; of integers it joins bytes, and rescales those of uint8 alone."""
    values = [_joined(context, position) for position in range(len(context.operator.inputs))]
    axis = context.axis(context.options.integer("Axis"), len(values[0].type.shape))
    for value in values:
        if value.type.quantization != context.output.type.quantization:
            raise context.error(
                f"expected inputs of the result's scale and zero point, got others for %{value.name}"
            )
    return Concat(axis=axis, activation=context.activation()), values


def _joined(context: OperatorContext, position: int) -> Value:
    value = context.value(position)
    result = context.output.type.quantization
    if not context.is_unsigned(position) or value.type.quantization in (None, result):
        return value
    return context.step(FloatRescale(), [value], result)


def _resolved(context: OperatorContext, source: Value, asked: tuple[int, ...]) -> tuple[int, ...]:
    """`asked` with its -1 replaced so that all elements fit."""
    known = math.prod(size for size in asked if size != -1)
    if asked.count(-1) > 1 or any(size < 1 for size in asked if size != -1):
        raise context.error(f"expected a shape with at most one -1, got {list(asked)}")
    if -1 in asked and source.type.elements % known == 0:
        asked = tuple(source.type.elements // known if size == -1 else size for size in asked)
    if math.prod(asked) != source.type.elements:
        raise context.error(
            f"expected a shape of {source.type.elements} elements, got {list(asked)}"
        )
    return asked


RULES: Mapping[str, Rule] = {
    "CONCATENATION": Rule(
        4, (1, 1024), "ConcatenationOptions", (Concat, FloatRescale), concatenation, ALL
    ),
    "EXPAND_DIMS": Rule(1, (2, 2), "ExpandDimsOptions", (Reshape,), expand_dims, ALL),
    "PAD": Rule(4, (2, 2), "PadOptions", (Pad,), pad, ALL),
    "PADV2": Rule(4, (3, 3), "PadV2Options", (Pad,), padv2, ALL),
    "RESHAPE": Rule(1, (1, 2), "ReshapeOptions", (Reshape,), reshape, ALL),
    "SQUEEZE": Rule(2, (1, 1), "SqueezeOptions", (Reshape,), squeeze, ALL),
    "TRANSPOSE": Rule(6, (2, 2), "TransposeOptions", (Transpose,), transpose, ALL),
}
