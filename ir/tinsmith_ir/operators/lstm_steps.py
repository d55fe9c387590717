"""What an Lstm computes in one step of a sequence, of each type of numbers."""

from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from tinsmith_ir.arithmetic import (
    multiply_by_quantized_multiplier,
    multiply_by_quantized_multiplier_64,
    rounding_divide_by_pot,
    wrap_int32,
)
from tinsmith_ir.curves import logistic_of_int16, tanh_of_int16
from tinsmith_ir.fixed_point_16 import logistic_s16, tanh_s16
from tinsmith_ir.float_arithmetic import logistic_f32, tanh_f32
from tinsmith_ir.lstm_parameters import (
    GATE_CURVE,
    HasHidden,
    Lstm16Parameters,
    LstmParameters,
    Scale,
)
from tinsmith_ir.operators.base import Array
from tinsmith_ir.operators.weighted import accumulate
from tinsmith_ir.parameter_records import CurveParameters

GATES = ("input", "forget", "cell", "output")
INPUT, FORGET, CELL, OUTPUT = range(4)
WEIGHTS, RECURRENT, BIASES, PEEPHOLES, PROJECTION = 3, 7, 11, 15, 18
PEEPHOLE = {INPUT: PEEPHOLES, FORGET: PEEPHOLES + 1, OUTPUT: PEEPHOLES + 2}

_GATE_BITS = 3
_Floats = NDArray[np.float32]
_Integers = NDArray[np.int64]
_Number = TypeVar("_Number", np.float32, np.int64)
Step = Callable[
    [NDArray[_Number], NDArray[_Number], NDArray[_Number]],
    tuple[NDArray[_Number], NDArray[_Number]],
]
"""From inputs, what the layer gave last and its cells to what it gives now and its cells."""


def float_step(operator: HasHidden, arrays: Sequence[Array | None]) -> Step[np.float32]:
    """Of float32, in the order in which kernels add."""
    given = {
        index: array.astype(np.float32) for index, array in enumerate(arrays) if array is not None
    }

    def gate(number: int, x: _Floats, h: _Floats, cells: _Floats) -> _Floats:
        total = given[BIASES + number] + _products_f32(x, given[WEIGHTS + number])
        total = total + _products_f32(h, given[RECURRENT + number])
        peephole = given.get(PEEPHOLE.get(number, -1))
        return total if peephole is None else total + peephole * cells

    def step(x: _Floats, h: _Floats, cells: _Floats) -> tuple[_Floats, _Floats]:
        forget = logistic_f32(gate(FORGET, x, h, cells))
        fresh = tanh_f32(gate(CELL, x, h, cells))
        has_input_gate = WEIGHTS in given
        taken = logistic_f32(gate(INPUT, x, h, cells)) if has_input_gate else _rest(forget)
        cells = _clipped_f32(np.add(forget * cells, fresh * taken), operator.cell_clip)
        hidden = logistic_f32(gate(OUTPUT, x, h, cells)) * tanh_f32(cells)
        if PROJECTION not in given:
            return hidden, cells
        sums = _products_f32(hidden, given[PROJECTION])
        bias = given.get(PROJECTION + 1)
        biased = sums if bias is None else bias + sums
        return _clipped_f32(biased, operator.projection_clip), cells

    return step


def int8_step(p: LstmParameters, arrays: Sequence[Array | None]) -> Step[np.int64]:
    """Of int8, as TFLite's `LstmStepInteger8x8_16`."""
    given = _given(arrays)

    def gate(number: int, x: _Integers, h: _Integers, cells: _Integers) -> NDArray[np.int16]:
        scales = p.gates[number]
        sums = _products(x + p.input_offset, given[WEIGHTS + number])
        total = _clamped(_scaled(sums + given[BIASES + number], scales.of_input))
        again = _products(h + p.output_offset, given[RECURRENT + number])
        total = _clamped(total + _scaled(again, scales.of_output))
        peephole = given.get(PEEPHOLE.get(number, -1))
        if peephole is not None:
            total = _clamped(total + _scaled(peephole * cells, scales.of_cell))
        return total.astype(np.int16)

    def step(x: _Integers, h: _Integers, cells: _Integers) -> tuple[_Integers, _Integers]:
        forget = logistic_s16(gate(FORGET, x, h, cells)).astype(np.int64)
        fresh = tanh_s16(gate(CELL, x, h, cells), _GATE_BITS).astype(np.int64)
        taken = (1 << 15) - 1 - forget
        if WEIGHTS in given:
            taken = logistic_s16(gate(INPUT, x, h, cells)).astype(np.int64)
        kept = rounding_divide_by_pot(wrap_int32(forget * cells), 15)
        added = rounding_divide_by_pot(wrap_int32(taken * fresh), 15 + p.cell_integer_bits)
        cells = _clipped(_clamped(kept.astype(np.int64) + added), p.cell_clip)
        bounded = tanh_s16(cells.astype(np.int16), p.cell_integer_bits).astype(np.int64)
        opened = logistic_s16(gate(OUTPUT, x, h, cells)).astype(np.int64)
        hidden = _clamped(_scaled(opened * bounded, p.hidden) + p.hidden_zero_point, 7)
        if PROJECTION not in given:
            return hidden, cells
        sums = _products(hidden - p.hidden_zero_point, given[PROJECTION])
        biased = sums + given.get(PROJECTION + 1, 0)
        projected = _clamped(_scaled(biased, p.projection) - p.output_offset, 7)
        return _clipped(projected, p.projection_clip), cells

    return step


def int16_step(p: Lstm16Parameters, arrays: Sequence[Array | None]) -> Step[np.int64]:
    """Of int16, as TFLite Micro's `LstmStep`: each gate is two FullyConnected, their sum and a curve from a table."""
    given = _given(arrays)

    def gate(number: int, x: _Integers, h: _Integers) -> _Integers:
        scales = p.gates[number]
        sums = _products(x, given[WEIGHTS + number]) + given[BIASES + number]
        again = _products(h, given[RECURRENT + number])
        return _clamped(
            _clamped(_scaled_64(sums, scales.of_input))
            + _clamped(_scaled_64(again, scales.of_output))
        )

    def opened(number: int, x: _Integers, h: _Integers) -> _Integers:
        curve = GATE_CURVE
        found = logistic_of_int16(gate(number, x, h), curve.multiplier, curve.right_shift)
        return found.astype(np.int64)

    def step(x: _Integers, h: _Integers, cells: _Integers) -> tuple[_Integers, _Integers]:
        fresh = _tanh(gate(CELL, x, h), GATE_CURVE)
        kept = _clamped(_scaled(opened(FORGET, x, h) * cells, p.kept))
        added = _clamped(_scaled(opened(INPUT, x, h) * fresh, p.added))
        cells = _clipped(_clamped(kept + added), p.cell_clip)
        left = _tanh(cells, p.curve) * opened(OUTPUT, x, h)
        return _clamped(_scaled(left, p.hidden)), cells

    return step


def _tanh(values: _Integers, curve: CurveParameters) -> _Integers:
    return tanh_of_int16(values, curve.multiplier, curve.right_shift).astype(np.int64)


def _given(arrays: Sequence[Array | None]) -> dict[int, _Integers]:
    return {
        index: array.astype(np.int64) for index, array in enumerate(arrays) if array is not None
    }


def _rest(values: _Floats) -> _Floats:
    """What is left of 1."""
    return np.subtract(np.float32(1), values).astype(np.float32)


def _products_f32(rows: _Floats, weights: _Floats) -> _Floats:
    return accumulate(rows, weights).astype(np.float32)


def _products(rows: _Integers, weights: _Integers) -> _Integers:
    return accumulate(rows, weights).astype(np.int64)


def _clipped_f32(values: _Floats, bound: float) -> _Floats:
    """Values within -bound and bound; 0 is no bound."""
    limit = np.float32(bound)
    raised = np.where(values < -limit, -limit, values)
    return np.where(raised > limit, limit, raised) if bound > 0 else values


def _clipped(values: _Integers, bound: int) -> _Integers:
    return np.clip(values, -bound, bound) if bound > 0 else values


def _clamped(values: _Integers, bits: int = 15) -> _Integers:
    return np.clip(values, -(1 << bits), (1 << bits) - 1)


def _scaled(sums: _Integers, scale: Scale) -> _Integers:
    return multiply_by_quantized_multiplier(wrap_int32(sums), *scale).astype(np.int64)


def _scaled_64(sums: _Integers, scale: Scale) -> _Integers:
    return multiply_by_quantized_multiplier_64(sums, *scale).astype(np.int64)
