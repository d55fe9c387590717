"""Tables for sums: a number for each byte of both operands, so that TFLite's sum is that of two numbers, shifted.

The same search as tinsmith_pulp_add_tables() of kernels/pulp_nn makes: begin with the scaled operands in as many bits
of fraction as there is room for, then move every number to where the sums with all of the other operand are right.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir.arithmetic import multiply_by_quantized_multiplier
from tinsmith_ir.operators import Add
from tinsmith_ir.parameters import ElementwiseAddParameters, elementwise_add_parameters
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
    operator: Add, inputs: tuple[TensorType, TensorType], output: TensorType
) -> SumTables | None:
    """Tables that give the sum of every pair of int8; None where none were found. Types: of any shape."""
    p = elementwise_add_parameters(operator, inputs, output)
    scaled = (
        _scaled(p, p.input1_offset, p.input1_multiplier, p.input1_shift),
        _scaled(p, p.input2_offset, p.input2_multiplier, p.input2_shift),
    )
    wanted = _wanted(p, scaled[0][:, None] + scaled[1][None, :])
    bits = _fraction_bits(p, scaled)
    if bits < _FEWEST_BITS:
        return None
    # Where ties are exact, as between scales that are powers of two, amounts a bit too large bring those of both signs
    # away from zero; elsewhere that would be too much.
    for has_excess in (False, True):
        tables = [_fixed_point(p, one, bits) for one in scaled]
        if has_excess:
            tables = [table + (table >> 14) for table in tables]
        tables[0] += (p.output_offset << bits) + (1 << (bits - 1))
        if _correct_both(p, wanted, tables, bits):
            return SumTables(tables[0].astype(np.int32), tables[1].astype(np.int32), bits)
    return None


def _bytes() -> NDArray[np.int64]:
    """Values by a byte taken as uint8."""
    return np.arange(256, dtype=np.uint8).view(np.int8).astype(np.int64)


def _scaled(
    p: ElementwiseAddParameters, offset: int, multiplier: int, shift: int
) -> NDArray[np.int64]:
    raised = ((_bytes() + offset) << p.left_shift).astype(np.int32)
    return multiply_by_quantized_multiplier(raised, multiplier, shift).astype(np.int64)


def _wanted(p: ElementwiseAddParameters, sums: NDArray[np.int64]) -> NDArray[np.int64]:
    scaled = multiply_by_quantized_multiplier(
        sums.astype(np.int32), p.output_multiplier, p.output_shift
    )
    return np.clip(scaled.astype(np.int64) + p.output_offset, p.clamp_min, p.clamp_max)


def _fraction_bits(p: ElementwiseAddParameters, scaled: Sequence[NDArray[np.int64]]) -> int:
    """What a sum below 2**30, with the zero point and what rounds it, leaves for a fraction."""
    largest = sum(int(np.abs(one).max()) for one in scaled)
    whole = (largest * p.output_multiplier >> 31 >> -p.output_shift) + 130
    bits = _MOST_BITS
    while bits >= _FEWEST_BITS and whole > 1 << 30 >> bits:
        bits -= 1
    return bits


def _fixed_point(
    p: ElementwiseAddParameters, scaled: NDArray[np.int64], bits: int
) -> NDArray[np.int64]:
    shift = 31 - p.output_shift - bits
    return (scaled * p.output_multiplier + (1 << (shift - 1))) >> shift


def _correct_both(
    p: ElementwiseAddParameters,
    wanted: NDArray[np.int64],
    tables: list[NDArray[np.int64]],
    bits: int,
) -> bool:
    """Move the numbers; whether all sums are right then."""
    for _ in range(_ROUNDS):
        for mine, matrix in ((0, wanted), (1, wanted.T)):
            low, high = _room(p, matrix, tables[1 - mine], bits)
            is_low, is_high = tables[mine] < low, tables[mine] > high
            if not (is_low | is_high).any():
                return True
            nearest = np.where(low <= high, np.where(is_low, low, high), (low + high) >> 1)
            tables[mine] = np.where(is_low | is_high, nearest, tables[mine])
    return False


def _room(
    p: ElementwiseAddParameters, wanted: NDArray[np.int64], other: NDArray[np.int64], bits: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Between which numbers each one gives the wanted sums with all of the other table. wanted: (mine, other)."""
    first = (wanted << bits) - other[None, :]
    last = first + (1 << bits) - 1
    far = np.int64(1) << 60
    low = np.where(wanted > p.clamp_min, first, -far).max(axis=1)
    high = np.where(wanted < p.clamp_max, last, far).min(axis=1)
    return low, high
