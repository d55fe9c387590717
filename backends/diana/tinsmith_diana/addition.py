"""Add as a job of DIANA's digital accelerator: (lhs + rhs) >> shift.

The job goes from byte to byte, so operands may lie as they like if both lie alike: in rows, or in the analog
accelerator's pixels where they are there already. Padding is added, too; nobody reads it.
"""

from collections.abc import Callable
from functools import partial

from tinsmith_ir import TensorType
from tinsmith_ir.dtypes import DType
from tinsmith_ir.operators import Add
from tinsmith_ir.parameter_records import WeightedSumParameters
from tinsmith_ir.parameters import weighted_sum_parameters
from tinsmith_ir.rounding import Rounding
from tinsmith_lowering import (
    Cost,
    Cuts,
    Emission,
    Kernel,
    Layer,
    Layouts,
    Prepared,
    Scope,
    Signature,
)

from tinsmith_diana import jobs, scales
from tinsmith_diana.layouts import DianaBanks, DianaPixels, padded
from tinsmith_diana.rules import (
    IN_BANKS,
    IN_PIXELS,
    IN_ROWS,
    ROWS,
    bank_bytes,
    banks_emission,
    banks_finding,
    banks_of,
    board_has_array,
    cost_of,
    emission,
    job_kernel,
    l1_finding,
    least_rows,
    prepared,
    room_finding,
    rows_bytes,
)

SizeOf = Callable[[TensorType], int]
"""Bytes of a tensor as it lies."""


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


def tile_fits(layer: Layer) -> str | None:
    """Some rows of a channel, as few as copies move, of operands and result, or three vectors, fit the L1 memory of
    262,144 bytes together.
    """
    shape = layer.output.shape
    if len(shape) < 4:
        return l1_finding(layer.input(0), layer.input(1), layer.output)
    return room_finding(3 * least_rows(shape[2], shape[1]) * padded(shape[2]))


def cuts(layer: Layer) -> Cuts | None:
    """Images by rows and channels; HTVM's weights are those of its solver's objective."""
    is_image = len(layer.output.shape) == 4
    return Cuts(((1, 1), (3, 1)), (IN_ROWS,), htvm_weight) if is_image else None


def htvm_weight(layer: Layer) -> int:
    """Of a tile, by the solver of HTVM's code (KULeuven-MICAS/htvm)."""
    _, height, width, channels = layer.output.shape
    return 10**6 * 3 * layer.output.elements + 1000 * channels + 10 * width + height


def is_image(layer: Layer) -> str | None:
    """Tensors are one image."""
    shape = layer.output.shape
    return None if len(shape) == 4 and shape[0] == 1 else f"they have shape {shape}"


def pixels_fit(layer: Layer) -> str | None:
    """Operands and result, in pixels, fit the L1 memory of 262,144 bytes together."""
    return room_finding(3 * pixels_bytes(layer.output))


def banks_fit(layer: Layer) -> str | None:
    """Operands and result lie in the L1 memory together, beside one another in each of their banks of 65,536 bytes."""
    return banks_finding(3, layer.output)


def pixels_bytes(type_: TensorType) -> int:
    """Of an image in pixels."""
    return DianaPixels().size_bytes(type_)


def work_of(layer: Layer, size_bytes: int) -> jobs.Addition:
    """Of a layer that obeys the rules. size_bytes: of each tensor as it lies."""
    p = _parameters(layer)
    shift = scales.right_shift(p.multiplier1, p.shift)
    if shift is None:
        raise ValueError(f"layer {layer.name}: its multiplier is no power of two")
    return jobs.Addition(size_bytes, shift)


def prepare(layer: Layer, *, size_of: SizeOf) -> tuple[Prepared, ...]:
    """The record."""
    return prepared(work_of(layer, size_of(layer.output)))


def emit(layer: Layer, scope: Scope) -> Emission:
    """The start and the wait."""
    del layer
    return emission(scope, weights=False, operand=scope.input(1))


def cost(layer: Layer, *, size_of: SizeOf) -> Cost:
    """Of the accelerator's job, and of the core that starts it."""
    return cost_of(jobs.Addition(size_of(layer.output), 0))


def emit_in_banks(layer: Layer, scope: Scope) -> Emission:
    """The start and the wait."""
    return banks_emission(scope, scope.input(1), banks_of(layer.output))


def cost_in_banks(layer: Layer) -> Cost:
    """Of a job for each bank, and of the core that starts them."""
    return Cost(banks_of(layer.output) * cost(layer, size_of=bank_bytes).cycles)


def layouts(layer: Layer, *, lie: str) -> Layouts:
    """Both operands and the result alike."""
    del layer
    return Layouts((lie, lie), (lie,))


def kernels() -> tuple[Kernel, ...]:
    """Those of pixels where both operands lie so, as rows would have to be made of them."""
    kernel = partial(
        job_kernel,
        operator=Add,
        signature=Signature((DType.INT8, DType.INT8), DType.INT8),
        roundings=scales.ROUNDINGS,
    )
    of_sums = (has_no_zero_points, is_shifted_sum, rounds_down, clips_to_int8)
    return (
        kernel(
            name=IN_PIXELS,
            emit=emit,
            rules=(board_has_array, operands_are_computed, is_image, *of_sums, pixels_fit),
            prepare=partial(prepare, size_of=pixels_bytes),
            layouts=partial(layouts, lie=DianaPixels.name),
            cost=partial(cost, size_of=pixels_bytes),
            as_they_lie=True,
        ),
        kernel(
            name=IN_BANKS,
            emit=emit_in_banks,
            rules=(board_has_array, operands_are_computed, is_image, *of_sums, banks_fit),
            prepare=partial(prepare, size_of=bank_bytes),
            layouts=partial(layouts, lie=DianaBanks.name),
            cost=cost_in_banks,
            as_they_lie=True,
        ),
        kernel(
            emit=emit,
            rules=(board_has_array, operands_are_computed, has_rows, *of_sums, tile_fits),
            cuts=cuts,
            prepare=partial(prepare, size_of=rows_bytes),
            layouts=partial(layouts, lie=ROWS),
            cost=partial(cost, size_of=rows_bytes),
        ),
    )


def _parameters(layer: Layer) -> WeightedSumParameters:
    return weighted_sum_parameters(layer.operator_as(Add), layer.inputs, layer.output)
