"""Products, sums, the smaller and the larger of two tensors, one of which may be repeated."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache, partial

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir.arithmetic import INT32_MAX, activation_range
from tinsmith_ir.dtypes import DType
from tinsmith_ir.operators import Add, Maximum, Minimum, Mul, Sub
from tinsmith_ir.operators.elementwise import Arithmetic
from tinsmith_ir.parameters import MulParameters, mul_parameters
from tinsmith_ir.rounding import Rounding
from tinsmith_ir.strides import broadcast_strides, merged
from tinsmith_ir.types import TensorType
from tinsmith_lowering import AsGiven, Cost, Emission, Kernel, Layer, Prepared, Scope, Signature

from tinsmith_pulp_nn import cost
from tinsmith_pulp_nn.common import (
    BACKEND,
    LAYOUT,
    TENSOR_HEADERS,
    chosen_cores,
    core_options,
    elements_are_counted,
    fork,
)
from tinsmith_pulp_nn.geometry import Rows
from tinsmith_pulp_nn.others import prepare_tables, tables_exist, tables_of
from tinsmith_pulp_nn.scaled import ROUNDINGS
from tinsmith_pulp_nn.sum_tables import byte_values, results_of_all_pairs

_LOW_BITS = 15
_LARGEST_SHIFT = 31
_FIRST_SHIFT = 30
"""Of TFLite's first rounding, of a multiplier of 30 bits."""


@dataclass(frozen=True)
class Pairs:
    """A dense result of rows, and for each operand the elements from row to row and from element to element."""

    rows: int
    columns: int
    row_steps: tuple[int, int]
    steps: tuple[int, int]


def pairs_of(layer: Layer) -> Pairs | None:
    """How both operands are walked; None where that is more than rows of elements."""
    shape = layer.output.shape
    if layer.output.elements == 1:
        return Pairs(1, 1, (0, 0), (1, 1))
    walks = [broadcast_strides(layer.input(index).shape, shape) for index in (0, 1)]
    sizes, (lhs, rhs) = merged(shape, walks)
    if len(sizes) == 1:
        return Pairs(1, sizes[0], (0, 0), (lhs[0], rhs[0]))
    if len(sizes) == 2:
        return Pairs(sizes[0], sizes[1], (lhs[0], rhs[0]), (lhs[1], rhs[1]))
    return None


def rows_of_elements(layer: Layer) -> str | None:
    """Both operands are rows of elements, each whole, the same in all rows, or one element a row."""
    return None if pairs_of(layer) is not None else "they have three axes or more that differ"


def both_are_computed(layer: Layer) -> str | None:
    """An operand at least is computed at run time."""
    return "both are constants" if all(data is not None for data in layer.constants) else None


# Products.


@dataclass(frozen=True)
class Scale:
    """Of tinsmith_pulp_mul_t. is_tflite: rounded twice."""

    high: int
    low: int
    addend: int
    shift: int
    is_tflite: bool


def scale_exists(layer: Layer) -> str | None:
    """A multiplier of two parts of 15 bits gives the product of all 65,536 pairs."""
    return None if scale_of(layer) is not None else "none was found"


def scale_of(layer: Layer) -> Scale | None:
    """None where there is none."""
    types = [replace(type_, shape=()) for type_ in (layer.input(0), layer.input(1), layer.output)]
    return _scale(layer.operator_as(Mul), (types[0], types[1]), types[2])


@lru_cache(maxsize=256)
def _scale(
    operator: Mul, inputs: tuple[TensorType, TensorType], output: TensorType
) -> Scale | None:
    wanted = results_of_all_pairs(operator, inputs, output)
    p = mul_parameters(operator, inputs, output)
    products = np.multiply.outer(byte_values() + p.input1_offset, byte_values() + p.input2_offset)
    low, high = activation_range(operator.activation, output)
    largest = int(np.abs(products).max())
    for scale in _candidates(operator.rounding, p, largest):
        computed = _tflite if scale.is_tflite else _rounded_once
        if np.array_equal(np.clip(computed(products, scale), low, high), wanted):
            return scale
    return None


def _candidates(rounding: Rounding, p: MulParameters, largest: int) -> Iterator[Scale]:
    """The nearest multiplier, and some beside it: one a bit too large brings halves away from zero.

    TFLite rounds once, too, where it does not shift to the right.
    """
    right = -p.output_shift
    if rounding is Rounding.TFLITE and 1 <= right <= _LARGEST_SHIFT:
        for whole in _around((p.output_multiplier + 1) >> 1):
            yield Scale(*divmod(whole, 1 << _LOW_BITS), p.output_offset, right, is_tflite=True)
        return
    found = _narrowed(p.output_multiplier, p.output_shift, p.output_offset, largest)
    if found is None:
        return
    nearest, shift = found
    half = 0 if rounding is Rounding.FLOOR else (1 << shift) >> 1
    addend = (p.output_offset << shift) + half
    for whole in _around(nearest):
        yield Scale(*divmod(whole, 1 << _LOW_BITS), addend, shift, is_tflite=False)


def _around(multiplier: int) -> Iterator[int]:
    for more in (0, 1, -1, 2, 4, 8, 16, 64, 256):
        if multiplier + more >= 0:
            yield multiplier + more


def _narrowed(multiplier: int, left: int, zero_point: int, largest: int) -> tuple[int, int] | None:
    """The multiplier for the largest shift whose sums stay within 32 bits; None where there is none.

    multiplier * 2**(left - 31) is what products are multiplied by, `largest` at most.
    """
    for shift in range(_LARGEST_SHIFT, -1, -1):
        places = _LOW_BITS + shift + left - 31
        whole = (
            multiplier << places if places >= 0 else (multiplier + (1 << (-places - 1))) >> -places
        )
        high = whole >> _LOW_BITS
        reached = largest * (high + 2) + ((abs(zero_point) + 1) << shift)
        if reached <= INT32_MAX:
            return whole, shift
    return None


def _multiplied(products: NDArray[np.int64], scale: Scale) -> NDArray[np.int64]:
    return products * scale.high + (products * scale.low >> _LOW_BITS)


def _tflite(products: NDArray[np.int64], scale: Scale) -> NDArray[np.int64]:
    """As tinsmith_pulp_mul_tflite_s8 rounds."""
    rounded = (_multiplied(products, scale) + (1 << (_LOW_BITS - 1))) >> _LOW_BITS
    away = rounded + (rounded >> 31)
    return ((away + (1 << (scale.shift - 1))) >> scale.shift) + scale.addend


def _rounded_once(products: NDArray[np.int64], scale: Scale) -> NDArray[np.int64]:
    """As tinsmith_pulp_mul_scaled_s8 rounds."""
    return (_multiplied(products, scale) + scale.addend) >> scale.shift


# The calls.


def prepare_operands(layer: Layer) -> tuple[Prepared | AsGiven, ...]:
    """A constant operand, where there is one, as it is."""
    return tuple(
        Prepared(_operand_layout(index), data)
        for index, data in enumerate(layer.constants)
        if data is not None
    )


def prepare_sum(layer: Layer) -> tuple[Prepared | AsGiven, ...]:
    """Both tables of a sum, and a constant operand."""
    return (*prepare_tables(layer), *prepare_operands(layer))


def _operand_layout(index: int) -> str:
    return ("lhs", "rhs")[index]


def _pairs_fields(layer: Layer, scope: Scope, prefix: str) -> dict[str, str | int | bool]:
    found = pairs_of(layer)
    assert found is not None  # a rule
    operands = [
        scope.input(index)
        if layer.constant(index) is None
        else scope.prepared(_operand_layout(index), f"{scope.layer}: {_operand_layout(index)}")
        for index in (0, 1)
    ]
    fields: dict[str, str | int | bool] = {
        "lhs": operands[0],
        "rhs": operands[1],
        "output": scope.output,
        "rows": found.rows,
        "columns": found.columns,
        "lhs_row_step": found.row_steps[0],
        "rhs_row_step": found.row_steps[1],
        "lhs_step": found.steps[0],
        "rhs_step": found.steps[1],
    }
    return {f"{prefix}{name}": value for name, value in fields.items()}


def emit_mul(layer: Layer, scope: Scope) -> Emission:
    """A product."""
    scale = scale_of(layer)
    assert scale is not None  # a rule
    p = mul_parameters(layer.operator_as(Mul), layer.inputs, layer.output)
    fields = {
        **_pairs_fields(layer, scope, "pairs."),
        "lhs_offset": p.input1_offset,
        "rhs_offset": p.input2_offset,
        "high": scale.high,
        "low": scale.low,
        "addend": scale.addend,
        "shift": scale.shift,
        "min": p.clamp_min,
        "max": p.clamp_max,
    }
    kernel = "mul_tflite_s8" if scale.is_tflite else "mul_scaled_s8"
    return fork(layer, scope, kernel, "tinsmith_pulp_mul_t", fields)


def emit_sum(layer: Layer, scope: Scope) -> Emission:
    """A sum or a difference, by tables."""
    found = tables_of(layer)
    assert found is not None  # a rule
    low, high = activation_range(layer.operator_as(Arithmetic).activation, layer.output)
    tables = scope.prepared(LAYOUT, f"{scope.layer}: what each byte of both operands adds")
    fields = {
        **_pairs_fields(layer, scope, "pairs."),
        "lhs_table": tables,
        "rhs_table": f"{tables} + {len(found.lhs)}",
        "shift": found.shift,
        "min": low,
        "max": high,
    }
    return fork(layer, scope, "sum_by_tables", "tinsmith_pulp_sum_t", fields)


def emit_extremum(layer: Layer, scope: Scope) -> Emission:
    """The smaller or the larger element."""
    fields = _pairs_fields(layer, scope, "")
    kernel = f"{layer.operator.mnemonic}_s8"
    return fork(layer, scope, kernel, "tinsmith_pulp_pairs_t", fields)


def _cost(kernel: cost.PairsKernel, layer: Layer) -> Cost:
    found = pairs_of(layer)
    assert found is not None  # a rule
    rows = Rows(found.rows, found.columns)
    return Cost(cost.pairs_cycles(rows, chosen_cores(layer), kernel), cost.cold_cycles(kernel))


def mul_cost(layer: Layer) -> Cost:
    """Cycles of a product, all in first-level memory."""
    scale = scale_of(layer)
    assert scale is not None  # a rule
    return _cost("mul_tflite" if scale.is_tflite else "mul_scaled", layer)


def sum_cost(layer: Layer) -> Cost:
    """Cycles of a sum by tables."""
    return _cost("sum", layer)


def extremum_cost(layer: Layer) -> Cost:
    """Cycles of a minimum or maximum."""
    return _cost("extremum", layer)


def kernels() -> tuple[Kernel, ...]:
    """Of two tensors; what sums of equal shapes have is in `others`, and faster."""
    signature = Signature((DType.INT8, DType.INT8), DType.INT8)
    kernel = partial(
        Kernel,
        backend=BACKEND,
        headers=TENSOR_HEADERS,
        engine="cluster",
        options=core_options,
        signature=signature,
    )
    rules = (both_are_computed, elements_are_counted, rows_of_elements)
    return (
        kernel(
            name="tinsmith_pulp_mul",
            operator=Mul,
            emit=emit_mul,
            rules=(*rules, scale_exists),
            prepare=prepare_operands,
            roundings=(Rounding.TFLITE, *ROUNDINGS),
            cost=mul_cost,
        ),
        *(
            kernel(
                name="tinsmith_pulp_sum_by_tables",
                operator=operator,
                emit=emit_sum,
                rules=(*rules, tables_exist),
                prepare=prepare_sum,
                roundings=(Rounding.TFLITE, *ROUNDINGS),
                cost=sum_cost,
            )
            for operator in (Add, Sub)
        ),
        *(
            kernel(
                name="tinsmith_pulp_extremum",
                operator=operator,
                emit=emit_extremum,
                rules=rules,
                prepare=prepare_operands,
                cost=extremum_cost,
            )
            for operator in (Minimum, Maximum)
        ),
    )
