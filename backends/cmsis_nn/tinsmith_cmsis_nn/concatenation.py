"""Concat of int8 where operands have other scales than the result; what has the same is copied by the public API."""

import math
from dataclasses import dataclass

from tinsmith_c import call
from tinsmith_ir.dtypes import DType
from tinsmith_ir.operators import Concat
from tinsmith_ir.parameters import RequantizeParameters, concat_parameters
from tinsmith_lowering import Emission, Kernel, Layer, Scope, Signature
from tinsmith_target import Target

from tinsmith_cmsis_nn.common import BACKEND, PACKED_CHECKS, PUBLIC_HEADER, engine
from tinsmith_cmsis_nn.nearest import rounded, sister
from tinsmith_cmsis_nn.rescaling import HEADER, definition, scale_of, shift_fits

LARGEST_EXTENT = (1 << 16) - 1
"""The functions of the API take extents in 16 bits."""


@dataclass(frozen=True)
class Rows:
    """An operand's rows in the result. width: elements of one. start: where the first begins."""

    width: int
    start: int
    rescaling: RequantizeParameters | None


def parts(layer: Layer) -> tuple[Rows, ...]:
    """Of each operand."""
    operator = layer.operator_as(Concat)
    records = concat_parameters(operator, layer.inputs, layer.output)
    found: list[Rows] = []
    start = 0
    for index, record in enumerate(records):
        width = math.prod(layer.input(index).shape[operator.axis :])
        found.append(Rows(width, start, record))
        start += width
    return tuple(found)


def some_are_rescaled(layer: Layer) -> str | None:
    """The scale of an operand differs from the result's, or the result is clamped."""
    return None if any(part.rescaling for part in parts(layer)) else "all operands are copied"


def shifts_are_small(layer: Layer) -> str | None:
    """The ratios of the scales are from 2**-15 to 2**14; rounded once, to 2**13."""
    for part in parts(layer):
        if part.rescaling and not shift_fits(part.rescaling):
            return f"the shift of one is {scale_of(part.rescaling)[1]}"
    return None


def extents_fit(layer: Layer) -> str | None:
    """There are at most 65535 rows, of at most 65535 elements."""
    rows, pitch = _extents(layer)
    fits = max(rows, pitch) <= LARGEST_EXTENT
    return None if fits else f"there are {rows} of {pitch}"


def _extents(layer: Layer) -> tuple[int, int]:
    """Rows of the result and elements of one."""
    axis, shape = layer.operator_as(Concat).axis, layer.output.shape
    return math.prod(shape[:axis]), math.prod(shape[axis:])


def emit_concat(layer: Layer, scope: Scope) -> Emission:
    """Operand after operand, each row after row."""
    rows, pitch = _extents(layer)
    statements: list[str] = []
    for index, part in enumerate(parts(layer)):
        if part.rescaling is None:
            arguments = [str(part.width), str(rows), "1", "1", scope.output, str(pitch)]
            copied = [scope.input(index), *arguments, str(part.start)]
            statements.append(call("arm_concatenation_s8_x", copied))
            continue
        name = f"kParameters{index}"
        source = f"{scope.input(index)} + row * {part.width}"
        result = f"{scope.output} + row * {pitch} + {part.start}"
        function = rounded("tinsmith_rescale_s8_s8", layer)
        one_row = call(function, [f"&{name}", str(part.width), source, result])
        body = "\n".join(f"  {line}" for line in one_row.split("\n"))
        statements.append(definition(part.rescaling, name))
        statements.append(f"  for (int32_t row = 0; row < {rows}; ++row) {{\n{body}\n  }}")
    return Emission(tuple(statements))


def kernels(target: Target) -> tuple[Kernel, ...]:
    """Concat that rescales."""
    kernel = Kernel(
        name="tinsmith_rescale_s8_s8",
        backend=BACKEND,
        operator=Concat,
        signature=Signature((DType.INT8,), DType.INT8),
        headers=(PUBLIC_HEADER, HEADER),
        emit=emit_concat,
        rules=(some_are_rescaled, shifts_are_small, extents_fit),
        engine=engine(target),
        checks=PACKED_CHECKS,
    )
    return (kernel, sister(kernel))
