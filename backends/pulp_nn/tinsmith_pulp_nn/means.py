"""Mean and Sum over axes that lie side by side."""

import math
from functools import partial

from tinsmith_ir.arithmetic import INT32_MAX
from tinsmith_ir.dtypes import DType
from tinsmith_ir.operators import Mean, Sum, Total
from tinsmith_ir.rounding import Rounding
from tinsmith_lowering import Cost, Emission, Kernel, Layer, Scope, Signature

from tinsmith_pulp_nn import cost, geometry
from tinsmith_pulp_nn.common import (
    BACKEND,
    TENSOR_HEADERS,
    chosen_cores,
    core_options,
    fork,
    input_is_computed,
    near_bytes,
)
from tinsmith_pulp_nn.weights import LARGEST_SUM

_LARGEST_SHIFT = 31


def axes_are_neighbours(layer: Layer) -> str | None:
    """What is summed lies along axes next to one another, those of one element aside."""
    return None if sizes_of(layer) is not None else f"they are {_axes(layer)}"


def sums_fit(layer: Layer) -> str | None:
    """Sums of elements less their zero point stay within 32 bits."""
    count = layer.input(0).elements // layer.output.elements
    return None if 255 * count <= INT32_MAX else f"they are of {count:,} elements"


def results_fit(layer: Layer) -> str | None:
    """Scaled sums stay below 2**30."""
    p = layer.operator_as(Total).parameters(layer.inputs, layer.output)
    count = layer.input(0).elements // layer.output.elements
    largest = math.ldexp(255 * count * p.multiplier, p.shift - 31)
    return None if largest < LARGEST_SUM else f"one may reach {largest:,.0f}"


def shifts_are_words(layer: Layer) -> str | None:
    """Sums are shifted by at most 31 places."""
    p = layer.operator_as(Total).parameters(layer.inputs, layer.output)
    return None if abs(p.shift) <= _LARGEST_SHIFT else f"the shift is {p.shift}"


def _axes(layer: Layer) -> list[int]:
    shape = layer.input(0).shape
    return [axis for axis in layer.operator_as(Total).axes if shape[axis] > 1]


def sizes_of(layer: Layer) -> geometry.Mean | None:
    """The input as (outer, count, inner); None where it is not."""
    shape, axes = layer.input(0).shape, _axes(layer)
    if not axes:
        return geometry.Mean(1, 1, layer.input(0).elements)
    first, last = axes[0], axes[-1]
    if any(shape[axis] > 1 for axis in range(first, last) if axis not in axes):
        return None
    return geometry.Mean(
        math.prod(shape[:first]),
        math.prod(shape[first : last + 1]),
        math.prod(shape[last + 1 :]),
    )


def _sizes(layer: Layer) -> geometry.Mean:
    found = sizes_of(layer)
    assert found is not None  # a rule
    return found


def emit_mean(layer: Layer, scope: Scope) -> Emission:
    """A mean or a sum: the rescaling of a mean divides, too."""
    sizes = _sizes(layer)
    p = layer.operator_as(Total).parameters(layer.inputs, layer.output)
    half = 1 << (30 - p.shift) if p.rounding is Rounding.NEAREST and p.shift < _LARGEST_SHIFT else 0
    fields = {
        "input": scope.input(0),
        "output": scope.output,
        "outer": sizes.outer,
        "count": sizes.count,
        "inner": sizes.inner,
        "input_zero_point": p.input_zero_point,
        "is_tflite": p.rounding is Rounding.TFLITE,
        "multiplier": p.multiplier,
        "shift": -p.shift,
        "addend": f"INT64_C({half})",
        "output_zero_point": p.output_offset,
        "min": p.clamp_min,
        "max": p.clamp_max,
    }
    return fork(layer, scope, "mean_s8", "tinsmith_pulp_mean_t", fields)


def mean_cost(layer: Layer) -> Cost | None:
    """Cycles of a mean, all in first-level memory; None where four sums at a time want more of it than there is."""
    sizes = _sizes(layer)
    if (sizes.count + 2) * min(sizes.inner, geometry.BLOCK) > near_bytes(layer.target):
        return None
    cycles = cost.mean_cycles(sizes, chosen_cores(layer))
    return Cost(cycles, cost.cold_cycles("mean"))


def kernels() -> tuple[Kernel, ...]:
    """Mean and Sum."""
    kernel = partial(
        Kernel,
        name="tinsmith_pulp_mean",
        backend=BACKEND,
        headers=TENSOR_HEADERS,
        engine="cluster",
        options=core_options,
        signature=Signature((DType.INT8,), DType.INT8),
        emit=emit_mean,
        rules=(input_is_computed, axes_are_neighbours, sums_fit, shifts_are_words, results_fit),
        roundings=tuple(Rounding),
        cost=mean_cost,
    )
    return (kernel(operator=Mean), kernel(operator=Sum))
