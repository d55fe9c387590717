"""Requantize that shifts, x >> k, as a job of DIANA's digital accelerator: (x + x) >> (k + 1).

An addition takes elements one by one, so it leaves any layout as it is: there is a kernel for planes of rows, and two
for the analog accelerator's pixels, densely and in banks. None is worth that a tensor is turned for it.
"""

from collections.abc import Callable
from functools import partial

from tinsmith_ir import ElementLayout
from tinsmith_ir.dtypes import DType
from tinsmith_ir.operators import Requantize
from tinsmith_ir.parameter_records import RequantizeParameters
from tinsmith_ir.parameters import requantize_parameters
from tinsmith_ir.rounding import Rounding
from tinsmith_lowering import (
    Cost,
    Emission,
    Kernel,
    Layer,
    Layouts,
    Prepared,
    Rule,
    Scope,
    Signature,
)

from tinsmith_diana import jobs, scales, turning
from tinsmith_diana.addition import SizeOf, cost, cost_in_banks
from tinsmith_diana.layouts import DianaBanks, DianaPixels, DianaRows
from tinsmith_diana.rules import (
    IN_BANKS,
    IN_PIXELS,
    IN_ROWS,
    bank_bytes,
    banks_emission,
    banks_finding,
    banks_of,
    board_has_array,
    emission,
    job_kernel,
    prepared,
    room_finding,
)

_ROWS, _PIXELS = DianaRows(), DianaPixels()


def has_no_zero_points(layer: Layer) -> str | None:
    """Zero points are 0, as there is no bias."""
    p = _parameters(layer)
    points = -p.input_offset, p.output_offset
    return f"they are {points[0]} and {points[1]}" if any(points) else None


def is_shift(layer: Layer) -> str | None:
    """The result's scale is the operand's times a power of two, from half to 2**30 times."""
    p = _parameters(layer)
    shift = scales.right_shift(p.multiplier, p.shift)
    if shift is None:
        return f"the multiplier {p.multiplier:,} is no power of two"
    return None if 0 <= shift + 1 <= jobs.LARGEST_SHIFT else f"the shift is {shift}"


def clips_to_int8(layer: Layer) -> str | None:
    """The result is clipped to all of int8: additions have no ReLU."""
    p = _parameters(layer)
    ends = p.clamp_min, p.clamp_max
    return None if ends == (-128, 127) else f"it is clipped to {ends[0]} to {ends[1]}"


def rows_fit(layer: Layer) -> str | None:
    """Operand and result, in rows of whole words, fit the L1 memory of 262,144 bytes together."""
    return _l1_finding(layer, _ROWS)


def pixels_fit(layer: Layer) -> str | None:
    """Operand and result, as pixels, fit the L1 memory of 262,144 bytes together."""
    return _l1_finding(layer, _PIXELS)


def banks_fit(layer: Layer) -> str | None:
    """Operand and result lie in the L1 memory together, beside one another in each of their banks of 65,536 bytes."""
    return banks_finding(2, layer.output)


def prepare(layer: Layer, *, size_of: SizeOf) -> tuple[Prepared, ...]:
    """The record. size_of: what a job adds of a tensor, in bytes."""
    p = _parameters(layer)
    shift = scales.right_shift(p.multiplier, p.shift)
    if shift is None:
        raise ValueError(f"layer {layer.name}: its multiplier is no power of two")
    return prepared(jobs.Addition(size_of(layer.output), shift + 1))


def emit(layer: Layer, scope: Scope) -> Emission:
    """The start and the wait."""
    del layer
    return emission(scope, weights=False, operand=scope.input(0))


def emit_in_banks(layer: Layer, scope: Scope) -> Emission:
    """The same of a job for each bank."""
    return banks_emission(scope, scope.input(0), banks_of(layer.output))


def layouts(layer: Layer, *, layout: ElementLayout) -> Layouts:
    """One, before and behind."""
    del layer
    return Layouts((layout.name,), (layout.name,))


def kernels() -> tuple[Kernel, ...]:
    """One for each layout."""
    in_rows = partial(prepare, size_of=_ROWS.size_bytes), partial(cost, size_of=_ROWS.size_bytes)
    in_pixels = (
        partial(prepare, size_of=_PIXELS.size_bytes),
        partial(cost, size_of=_PIXELS.size_bytes),
    )
    in_banks = partial(prepare, size_of=bank_bytes), cost_in_banks
    return (
        _kernel(_ROWS, IN_ROWS, (turning.has_rows, rows_fit), emit, *in_rows),
        _kernel(_PIXELS, IN_PIXELS, (turning.is_image, pixels_fit), emit, *in_pixels),
        _kernel(DianaBanks(), IN_BANKS, (turning.is_image, banks_fit), emit_in_banks, *in_banks),
    )


def _kernel(
    layout: ElementLayout,
    name: str,
    own_rules: tuple[Rule, ...],
    emits: Callable[[Layer, Scope], Emission],
    prepares: Callable[[Layer], tuple[Prepared, ...]],
    costs: Callable[[Layer], Cost],
) -> Kernel:
    return job_kernel(
        name=name,
        operator=Requantize,
        signature=Signature((DType.INT8,), DType.INT8),
        emit=emits,
        rules=(
            board_has_array,
            turning.is_computed,
            has_no_zero_points,
            is_shift,
            clips_to_int8,
            *own_rules,
        ),
        prepare=prepares,
        roundings=(Rounding.FLOOR,),
        layouts=partial(layouts, layout=layout),
        cost=costs,
        as_they_lie=True,
    )


def _l1_finding(layer: Layer, layout: ElementLayout) -> str | None:
    return room_finding(2 * layout.size_bytes(layer.output))


def _parameters(layer: Layer) -> RequantizeParameters:
    return requantize_parameters(layer.operator_as(Requantize), layer.inputs, layer.output)
