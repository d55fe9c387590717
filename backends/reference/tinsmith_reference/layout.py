"""Reshape, Concat, Pad, Slice and Transpose: elements move, whatever their type."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from tinsmith_c import call, initializer
from tinsmith_ir.operators import Activation, Concat, Pad, Reshape, Slice, Transpose
from tinsmith_ir.parameters import RequantizeParameters, concat_parameters, zero_of
from tinsmith_ir.rounding import Rounding
from tinsmith_ir.strides import Strides, dense_strides, merged
from tinsmith_lowering import Emission, Layer, Scope, Signature, Walk, gathering_walk

from tinsmith_reference.common import (
    FLOAT32,
    INT8,
    INT16,
    MAX_RANK,
    MOVED,
    SUFFIX,
    UINT8,
    clamp_f32,
    kernel,
    rounded,
)
from tinsmith_reference.quantization import requantize_initializer
from tinsmith_reference.walk import merged_padding


def emit_copy(layer: Layer, scope: Scope) -> Emission:
    """A reshape into other memory."""
    arguments = [f"{layer.output.size_bytes}u", scope.input(0), scope.output]
    return Emission((call("tinsmith_copy", arguments),))


def _transpose_walk(layer: Layer) -> tuple[tuple[int, ...], tuple[int, ...]]:
    permutation = layer.operator_as(Transpose).permutation
    strides = dense_strides(layer.input(0).shape)
    shape, (walk,) = merged(layer.output.shape, [tuple(strides[axis] for axis in permutation)])
    return shape, walk


def transpose_rank_fits(layer: Layer) -> str | None:
    """After merging, the transposition has at most 6 dimensions."""
    rank = len(_transpose_walk(layer)[0])
    return None if rank <= MAX_RANK else f"it has {rank}"


def emit_transpose(layer: Layer, scope: Scope) -> Emission:
    """Any permutation."""
    shape, walk = _transpose_walk(layer)
    fields = {
        "rank": len(shape),
        "element_bytes": layer.output.dtype.size_bytes,
        "output_shape": shape,
        "input_strides": walk,
    }
    return Emission(
        (
            initializer("tinsmith_transpose_parameters", "kParameters", fields),
            call("tinsmith_transpose", ["&kParameters", scope.input(0), scope.output]),
        )
    )


class Rows(NamedTuple):
    """A walk over rows, which lie together in the operand.

    elements: of a row. shape: of the tensor of rows. walk: elements from one row to the next, along each dimension.
    """

    elements: int
    shape: tuple[int, ...]
    walk: tuple[int, ...]


def rows_of(shape: Sequence[int], walk: Strides) -> Rows:
    """The longest rows of a result of `shape` whose operand is walked in strides."""
    merged_shape, (steps,) = merged(shape, [walk])
    if steps[-1] != 1:
        return Rows(1, merged_shape, steps)
    return Rows(merged_shape[-1], merged_shape[:-1] or (1,), steps[:-1] or (0,))


def call_slice(layer: Layer, scope: Scope, rows: Rows, first: int) -> Emission:
    """Copy rows. first: the operand's element with which the first begins."""
    size = layer.output.dtype.size_bytes
    fields = {
        "rank": len(rows.shape),
        "row_bytes": rows.elements * size,
        "first_byte": first * size,
        "shape": rows.shape,
        "byte_strides": tuple(stride * size for stride in rows.walk),
    }
    return Emission(
        (
            initializer("tinsmith_slice_parameters", "kParameters", fields),
            call("tinsmith_slice", ["&kParameters", scope.input(0), scope.output]),
        )
    )


def _slice_rows(layer: Layer) -> Rows:
    operator = layer.operator_as(Slice)
    pairs = zip(dense_strides(layer.input(0).shape), operator.steps, strict=True)
    return rows_of(operator.shape, tuple(stride * step for stride, step in pairs))


def slice_rank_fits(layer: Layer) -> str | None:
    """After merging, the rows of the slice have at most 6 dimensions."""
    rank = len(_slice_rows(layer).shape)
    return None if rank <= MAX_RANK else f"it has {rank}"


def emit_slice(layer: Layer, scope: Scope) -> Emission:
    """Any begin and strides."""
    pairs = zip(layer.operator_as(Slice).begin, dense_strides(layer.input(0).shape), strict=True)
    return call_slice(layer, scope, _slice_rows(layer), sum(at * stride for at, stride in pairs))


def slice_walk(layer: Layer) -> Walk:
    """Row after row of the result."""
    elements = np.arange(layer.input(0).elements).reshape(layer.input(0).shape)
    operator = layer.operator_as(Slice)
    (sources,) = operator.evaluate([elements], layer.inputs, layer.outputs)
    return gathering_walk(layer, sources.astype(np.int64), row=_slice_rows(layer).elements)


def pad_rank_fits(layer: Layer) -> str | None:
    """After merging, the padding has at most 6 dimensions."""
    rank = len(merged_padding(layer.input(0).shape, layer.operator_as(Pad).padding)[0])
    return None if rank <= MAX_RANK else f"it has {rank}"


def _pad_bits(layer: Layer) -> int:
    """The bytes of the padding element as an unsigned number, least significant first."""
    value = layer.operator_as(Pad).value
    dtype = layer.output.dtype
    element = zero_of(layer.input(0)) if value is None else value
    return int.from_bytes(np.array(element, dtype.numpy).tobytes(), "little")


def emit_pad(layer: Layer, scope: Scope) -> Emission:
    """Constant padding on any side."""
    shape, before, after = merged_padding(layer.input(0).shape, layer.operator_as(Pad).padding)
    fields = {
        "rank": len(shape),
        "element_bytes": layer.output.dtype.size_bytes,
        "value": f"{_pad_bits(layer)}u",
        "input_shape": shape,
        "before": before,
        "after": after,
    }
    return Emission(
        (
            initializer("tinsmith_pad_parameters", "kParameters", fields),
            call("tinsmith_pad", ["&kParameters", scope.input(0), scope.output]),
        )
    )


def emit_concat(layer: Layer, scope: Scope) -> Emission:
    """Copies, or requantizations where an integer input has another scale."""
    operator = layer.operator_as(Concat)
    axis = operator.axis
    rows = math.prod(layer.output.shape[:axis])
    pitch = math.prod(layer.output.shape[axis:])
    is_integer = layer.output.dtype in (INT8, INT16)
    records = concat_parameters(operator, layer.inputs, layer.output) if is_integer else ()
    statements: list[str] = []
    start = 0
    for index in range(len(layer.inputs)):
        width = math.prod(layer.input(index).shape[axis:])
        record = records[index] if records else None
        if record is None:
            statements.append(_copy_rows(layer, scope, index, (rows, width, pitch, start)))
        else:
            statements += _requantize_rows(layer, scope, index, (rows, width, pitch, start), record)
        start += width
    if layer.output.dtype is FLOAT32 and operator.activation is not Activation.NONE:
        elements = str(layer.output.elements)
        arguments = [elements, "&kClamp", scope.output, scope.output]
        statements.append(clamp_f32(operator.activation))
        statements.append(call("tinsmith_clamp_elements_f32", arguments))
    return Emission(tuple(statements))


_Place = tuple[int, int, int, int]
"""rows, elements of an input row, elements from one output row to the next, first element."""


def _copy_rows(layer: Layer, scope: Scope, index: int, place: _Place) -> str:
    rows, width, pitch, start = place
    size = layer.output.dtype.size_bytes
    numbers = [f"{rows}u", f"{width * size}u", f"{pitch * size}u"]
    return call("tinsmith_copy_rows", [*numbers, scope.input(index), f"{scope.output} + {start}"])


def _requantize_rows(
    layer: Layer, scope: Scope, index: int, place: _Place, record: RequantizeParameters
) -> list[str]:
    rows, width, pitch, start = place
    suffix = SUFFIX[layer.output.dtype]
    name = f"kParameters{index}"
    arguments = [
        str(width),
        f"&{name}",
        f"{scope.input(index)} + row * {width}",
        f"{scope.output} + row * {pitch} + {start}",
    ]
    one_row = call(rounded(f"tinsmith_requantize_{suffix}_{suffix}", record.rounding), arguments)
    body = "\n".join(f"  {line}" for line in one_row.split("\n"))
    loop = f"  for (int32_t row = 0; row < {rows}; ++row) {{\n{body}\n  }}"
    return [requantize_initializer(record, name), loop]


def transpose_walk(layer: Layer) -> Walk:
    """Element after element of the result."""
    elements = np.arange(layer.input(0).elements).reshape(layer.input(0).shape)
    return gathering_walk(layer, elements.transpose(layer.operator_as(Transpose).permutation))


KERNELS = (
    *(kernel("tinsmith_copy", Reshape, Signature((dtype,), dtype), emit_copy) for dtype in MOVED),
    *(
        kernel(
            "tinsmith_copy_rows",
            Concat,
            Signature((dtype,), dtype),
            emit_concat,
            roundings=tuple(Rounding) if dtype in (INT8, INT16) else (Rounding.TFLITE,),
        )
        for dtype in MOVED
        if dtype is not UINT8
    ),
    *(
        kernel("tinsmith_pad", Pad, Signature((dtype,), dtype), emit_pad, (pad_rank_fits,))
        for dtype in MOVED
        if dtype.size_bytes <= 4
    ),
    *(
        kernel(
            "tinsmith_slice",
            Slice,
            Signature((dtype,), dtype),
            emit_slice,
            (slice_rank_fits,),
            walk=slice_walk,
        )
        for dtype in MOVED
    ),
    *(
        kernel(
            "tinsmith_transpose",
            Transpose,
            Signature((dtype,), dtype),
            emit_transpose,
            (transpose_rank_fits,),
            walk=transpose_walk,
        )
        for dtype in MOVED
    ),
)
