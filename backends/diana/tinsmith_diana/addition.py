"""Add as a job of DIANA's digital accelerator: (lhs + rhs) >> shift."""

from tinsmith_ir.dtypes import DType
from tinsmith_ir.operators import Add
from tinsmith_ir.parameter_records import WeightedSumParameters
from tinsmith_ir.parameters import weighted_sum_parameters
from tinsmith_ir.rounding import Rounding
from tinsmith_lowering import Cost, Emission, Kernel, Layer, Layouts, Prepared, Scope, Signature

from tinsmith_diana import jobs, scales
from tinsmith_diana.rules import (
    board_has_array,
    cost_of,
    emission,
    in_rows,
    job_kernel,
    l1_finding,
    prepared,
    rows_bytes,
)


def operands_are_computed(layer: Layer) -> str | None:
    """Both operands are computed, and have the result's shape."""
    for index, name in ((0, "first"), (1, "second")):
        if layer.constant(index) is not None:
            return f"the {name} is a constant"
        if layer.input(index).shape != layer.output.shape:
            return f"the {name} has shape {layer.input(index).shape}"
    return None


def has_rows(layer: Layer) -> str | None:
    """Tensors are one image, or one vector."""
    shape = layer.output.shape
    is_known = len(shape) == 1 or (len(shape) in (2, 4) and shape[0] == 1)
    return None if is_known else f"they have shape {shape}"


def is_shifted_sum(layer: Layer) -> str | None:
    """Both operands have the same scale, which is the result's divided by a power of two of 0 to 31."""
    p = _parameters(layer)
    if p.multiplier1 != p.multiplier2:
        return f"multipliers are {p.multiplier1:,} and {p.multiplier2:,}"
    shift = scales.right_shift(p.multiplier1, p.shift)
    if shift is None:
        return f"the multiplier {p.multiplier1:,} is no power of two"
    return None if 0 <= shift <= jobs.LARGEST_SHIFT else f"the shift is {shift}"


def rounds_down(layer: Layer) -> str | None:
    """The shift rounds down, or is 0, which rounds nothing: additions have no bias for half a step."""
    p = _parameters(layer)
    shift = scales.right_shift(p.multiplier1, p.shift)
    if p.rounding is Rounding.FLOOR or shift == 0:
        return None
    return f"it is {shift}, by {p.rounding.value}"


def shift_of(p: WeightedSumParameters) -> int | None:
    """To the right, of a sum that the array computes but for its clip; None of others."""
    shift = scales.right_shift(p.multiplier1, p.shift)
    if p.multiplier1 != p.multiplier2 or shift is None or not 0 <= shift <= jobs.LARGEST_SHIFT:
        return None
    return shift if p.rounding is Rounding.FLOOR or shift == 0 else None


def has_no_zero_points(layer: Layer) -> str | None:
    """Zero points are 0, as there is no bias."""
    p = _parameters(layer)
    points = -p.input1_offset, -p.input2_offset, p.output_offset
    return f"they are {points[0]}, {points[1]} and {points[2]}" if any(points) else None


def clips_to_int8(layer: Layer) -> str | None:
    """The result is clipped to all of int8: additions have no ReLU."""
    p = _parameters(layer)
    ends = p.clamp_min, p.clamp_max
    return None if ends == (-128, 127) else f"it is clipped to {ends[0]} to {ends[1]}"


def tensors_fit(layer: Layer) -> str | None:
    """Operands and result, in rows of whole words, fit the L1 memory of 262,144 bytes together."""
    return l1_finding([layer.input(0), layer.input(1)], layer.output)


def work_of(layer: Layer) -> jobs.Addition:
    """Of a layer that obeys the rules."""
    p = _parameters(layer)
    shift = scales.right_shift(p.multiplier1, p.shift)
    if shift is None:
        raise ValueError(f"layer {layer.name}: its multiplier is no power of two")
    return jobs.Addition(rows_bytes(layer.output), shift)


def prepare(layer: Layer) -> tuple[Prepared, ...]:
    """The record."""
    return prepared(work_of(layer))


def emit(layer: Layer, scope: Scope) -> Emission:
    """The start and the wait."""
    del layer
    return emission(scope, weights=False, operand=scope.input(1))


def cost(layer: Layer) -> Cost:
    """Of the accelerator's job, and of the core that starts it."""
    return cost_of(jobs.Addition(rows_bytes(layer.output), 0))


def layouts(layer: Layer) -> Layouts:
    """In rows, both operands."""
    del layer
    return in_rows(2)


def kernels() -> tuple[Kernel, ...]:
    """The one there is."""
    return (
        job_kernel(
            operator=Add,
            signature=Signature((DType.INT8, DType.INT8), DType.INT8),
            emit=emit,
            rules=(
                board_has_array,
                operands_are_computed,
                has_rows,
                has_no_zero_points,
                is_shifted_sum,
                rounds_down,
                clips_to_int8,
                tensors_fit,
            ),
            prepare=prepare,
            roundings=scales.ROUNDINGS,
            layouts=layouts,
            cost=cost,
        ),
    )


def _parameters(layer: Layer) -> WeightedSumParameters:
    return weighted_sum_parameters(layer.operator_as(Add), layer.inputs, layer.output)
