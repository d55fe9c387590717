"""Mean and Sum of int8 and int16 by kernels of Tinsmith's own library (`tinsmith_nn_rescaling.h`)."""

import math
from dataclasses import dataclass, replace

import numpy as np
from tinsmith_c import call, initializer
from tinsmith_ir.dtypes import DType
from tinsmith_ir.operators import Mean, Sum, Total
from tinsmith_ir.parameters import MeanParameters
from tinsmith_lowering import Emission, Kernel, Layer, Scope, Signature, Walk, reducing_walk
from tinsmith_target import Target

from tinsmith_cmsis_nn.common import BACKEND, PACKED_CHECKS, SUFFIX, activation, engine
from tinsmith_cmsis_nn.nearest import is_nearest, rounded, sister, widened_scale

HEADER = "tinsmith_nn_rescaling.h"
_LARGEST_SHIFT = 31
"""To the right, of a sum of 32 bits."""


@dataclass(frozen=True)
class Columns:
    """The operand as [outer][count][inner], summed along its middle axis."""

    outer: int
    count: int
    inner: int


def columns(layer: Layer) -> Columns | None:
    """How the operand is summed; None if there are axes that stay between those that do not."""
    shape, axes = layer.input(0).shape, layer.operator_as(Total).axes
    reduced = [axis for axis in axes if shape[axis] > 1]
    if not reduced:
        return Columns(1, 1, layer.output.elements)
    first, end = reduced[0], reduced[-1] + 1
    if any(shape[axis] > 1 for axis in range(first, end) if axis not in axes):
        return None
    outer, count, inner = map(math.prod, (shape[:first], shape[first:end], shape[end:]))
    return Columns(outer, count, inner)


def axes_are_neighbours(layer: Layer) -> str | None:
    """The reduced axes are neighbours."""
    axes, shape = layer.operator_as(Total).axes, layer.input(0).shape
    return None if columns(layer) else f"they are {list(axes)} of {shape}"


def sums_fit(layer: Layer) -> str | None:
    """Rounded once, a sum that is shifted to the left stays within 32 bits."""
    p = _parameters(layer)
    if p.shift < -_LARGEST_SHIFT:
        return f"the shift is {p.shift}"
    low, high = layer.input(0).dtype.integer_range
    most = p.count * max(high - p.input_zero_point, p.input_zero_point - low)
    left = p.shift + 1 if p.shift >= 0 else 0
    fits = left == 0 or most << left < 1 << 31
    return None if fits else f"it may be {most}, shifted by {left}"


def _parameters(layer: Layer) -> MeanParameters:
    """With a multiplier of 31 bits where it is rounded once."""
    p = layer.operator_as(Total).parameters(layer.inputs, layer.output)
    if not is_nearest(layer):
        return p
    multiplier, shift = widened_scale(p.multiplier, p.shift)
    return replace(p, multiplier=multiplier, shift=shift)


def emit_mean(layer: Layer, scope: Scope) -> Emission:
    """One call; of a Sum, too, whose multiplier does not divide."""
    found = columns(layer)
    if found is None:
        raise ValueError(f"layer {layer.name}: {axes_are_neighbours(layer)}")
    p = _parameters(layer)
    fields = {
        "outer": found.outer,
        "count": found.count,
        "inner": found.inner,
        "offset": int(np.int64(-p.input_zero_point * p.count).astype(np.int32)),
        "multiplier": p.multiplier,
        "shift": p.shift,
        "output_offset": p.output_offset,
        "activation": activation(p.clamp_min, p.clamp_max),
    }
    name = rounded(f"tinsmith_mean_columns_{SUFFIX[layer.output.dtype]}", layer)
    return Emission(
        (
            initializer("tinsmith_columns_params", "kParameters", fields),
            call(name, ["&kParameters", scope.input(0), scope.output]),
        )
    )


def walk(layer: Layer) -> Walk:
    """As element after element: blocks of columns are read before any of their results is written, and what the last
    block reads again is not used.
    """
    axes = layer.operator_as(Total).axes
    kept = [1 if axis in axes else size for axis, size in enumerate(layer.input(0).shape)]
    return reducing_walk(layer, kept)


def kernels(target: Target) -> tuple[Kernel, ...]:
    """Means and sums."""
    twice = tuple(
        Kernel(
            name=f"tinsmith_mean_columns_{SUFFIX[dtype]}",
            backend=BACKEND,
            operator=operator,
            signature=Signature((dtype,), dtype),
            headers=(HEADER,),
            emit=emit_mean,
            rules=(axes_are_neighbours,),
            walk=walk,
            engine=engine(target),
            checks=PACKED_CHECKS,
        )
        for operator in (Mean, Sum)
        for dtype in (DType.INT8, DType.INT16)
    )
    once = (replace(sister(kernel), rules=(axes_are_neighbours, sums_fit)) for kernel in twice)
    return (*twice, *once)
