"""Tables for sums: a number for each byte of both operands, whose sum, shifted, is the result of an Add or Sub.

The search is that of tinsmith_pulp_add_tables() of kernels/pulp_nn, for any rounding: begin with scaled operands in as
many bits of fraction as there is room for, then move every number to where the sums with all of the other operand are
right.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir.arithmetic import (
    MULTIPLIER_BITS,
    activation_range,
    multiply_by_quantized_multiplier,
)
from tinsmith_ir.operators import Sub
from tinsmith_ir.operators.base import Operator
from tinsmith_ir.operators.elementwise import Arithmetic
from tinsmith_ir.parameters import elementwise_add_parameters, weighted_sum_parameters
from tinsmith_ir.rounding import Rounding
from tinsmith_ir.types import TensorType

_MOST_BITS, _FEWEST_BITS = 22, 8
_ROUNDS = 24


@dataclass(frozen=True, eq=False)
class SumTables:
    """lhs, rhs: int32 (256,), by a byte taken as uint8. shift: of their sum, to the right; then it is clamped."""

    lhs: NDArray[np.int32]
    rhs: NDArray[np.int32]
    shift: int


@lru_cache(maxsize=256)
def sum_tables(
    operator: Arithmetic, inputs: tuple[TensorType, TensorType], output: TensorType
) -> SumTables | None:
    """Tables that give the result of an Add or Sub for every pair of int8; None where none were found. Types: of any
    shape.
    """
    wanted = results_of_all_pairs(operator, inputs, output)
    bounds = activation_range(operator.activation, output)
    amounts, places = _amounts(operator, inputs, output)
    bits = _fraction_bits(amounts, places)
    if bits < _FEWEST_BITS:
        return None
    zero_point = 0 if output.quantization is None else output.quantization.zero_point
    half = 0 if operator.rounding is Rounding.FLOOR else 1 << (bits - 1)
    # Where ties are exact, as between scales that are powers of two, amounts a bit too large bring those of both signs
    # away from zero; elsewhere that would be too much.
    for has_excess in (False, True):
        tables = [_fixed_point(one, places - bits) for one in amounts]
        if has_excess:
            tables = [table + (table >> 14) for table in tables]
        tables[0] += (zero_point << bits) + half
        if _correct_both(bounds, wanted, tables, bits):
            return SumTables(tables[0].astype(np.int32), tables[1].astype(np.int32), bits)
    return None


def byte_values() -> NDArray[np.int64]:
    """Values by a byte taken as uint8."""
    return np.arange(256, dtype=np.uint8).view(np.int8).astype(np.int64)


def results_of_all_pairs(
    operator: Operator, inputs: tuple[TensorType, TensorType], output: TensorType
) -> NDArray[np.int64]:
    """(256, 256): by the bytes of both operands, taken as uint8. Types: of any shape."""
    values = byte_values().astype(np.int8)
    types = [inputs[0].with_shape((256, 1)), inputs[1].with_shape((1, 256))]
    (found,) = operator.evaluate(
        [values[:, None], values[None, :]], types, (output.with_shape((256, 256)),)
    )
    return found.astype(np.int64)


def _amounts(
    operator: Arithmetic, inputs: tuple[TensorType, TensorType], output: TensorType
) -> tuple[list[NDArray[np.int64]], int]:
    """What each byte of both operands adds to the result, times two to a power, and the power."""
    sign = -1 if isinstance(operator, Sub) else 1
    if operator.rounding is not Rounding.TFLITE:
        w = weighted_sum_parameters(operator, inputs, output)
        lhs = (byte_values() + w.input1_offset) * w.multiplier1
        rhs = (byte_values() + w.input2_offset) * w.multiplier2
        return [lhs, sign * rhs], MULTIPLIER_BITS - w.shift
    p = elementwise_add_parameters(operator, inputs, output)
    lhs = _scaled(p.input1_offset, p.left_shift, p.input1_multiplier, p.input1_shift)
    rhs = _scaled(p.input2_offset, p.left_shift, p.input2_multiplier, p.input2_shift)
    amounts = [lhs * p.output_multiplier, sign * rhs * p.output_multiplier]
    return amounts, MULTIPLIER_BITS - p.output_shift


def _scaled(offset: int, left_shift: int, multiplier: int, shift: int) -> NDArray[np.int64]:
    raised = ((byte_values() + offset) << left_shift).astype(np.int32)
    return multiply_by_quantized_multiplier(raised, multiplier, shift).astype(np.int64)


def _fraction_bits(amounts: Sequence[NDArray[np.int64]], places: int) -> int:
    """What a sum below 2**30, with the zero point and what rounds it, leaves for a fraction."""
    largest = sum(int(np.abs(one).max()) for one in amounts)
    whole = (largest >> places) + 130
    bits = _MOST_BITS
    while bits >= _FEWEST_BITS and whole > 1 << 30 >> bits:
        bits -= 1
    return bits


def _fixed_point(amounts: NDArray[np.int64], places: int) -> NDArray[np.int64]:
    """The amounts without `places` of their bits of fraction."""
    if places <= 0:
        return amounts << -places
    return (amounts + (1 << (places - 1))) >> places


def _correct_both(
    bounds: tuple[int, int],
    wanted: NDArray[np.int64],
    tables: list[NDArray[np.int64]],
    bits: int,
) -> bool:
    """Move the numbers; whether all sums are right then."""
    for _ in range(_ROUNDS):
        for mine, matrix in ((0, wanted), (1, wanted.T)):
            low, high = _room(bounds, matrix, tables[1 - mine], bits)
            is_low, is_high = tables[mine] < low, tables[mine] > high
            if not (is_low | is_high).any():
                return True
            nearest = np.where(low <= high, np.where(is_low, low, high), (low + high) >> 1)
            tables[mine] = np.where(is_low | is_high, nearest, tables[mine])
    return False


def _room(
    bounds: tuple[int, int], wanted: NDArray[np.int64], other: NDArray[np.int64], bits: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Between which numbers each one gives the wanted sums with all of the other table. wanted: (mine, other)."""
    first = (wanted << bits) - other[None, :]
    last = first + (1 << bits) - 1
    far = np.int64(1) << 60
    low = np.where(wanted > bounds[0], first, -far).max(axis=1)
    high = np.where(wanted < bounds[1], last, far).min(axis=1)
    return low, high
