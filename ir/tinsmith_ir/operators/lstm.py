"""Lstm: a layer of cells that remember (long short-term memory), over a sequence.

What the cells remember, and what the layer gave last, are operands and results, so that a graph may keep them as
states.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from tinsmith_ir.arithmetic import (
    multiply_by_quantized_multiplier,
    rounding_divide_by_pot,
    wrap_int32,
)
from tinsmith_ir.boxes import Box
from tinsmith_ir.dtypes import DType
from tinsmith_ir.errors import GraphError
from tinsmith_ir.fixed_point_16 import logistic_s16, tanh_s16
from tinsmith_ir.float_arithmetic import logistic_f32, tanh_f32
from tinsmith_ir.lstm_parameters import LstmParameters, Scale, lstm_parameters
from tinsmith_ir.operators import checks
from tinsmith_ir.operators.base import Array, Operand, Operator, Restriction, Types, required
from tinsmith_ir.operators.weighted import accumulate
from tinsmith_ir.types import TensorType

_GATES = ("input", "forget", "cell", "output")
_INPUT, _FORGET, _CELL, _OUTPUT = range(4)
_WEIGHTS, _RECURRENT, _BIASES, _PEEPHOLES, _PROJECTION = 3, 7, 11, 15, 18
_PEEPHOLE = {_INPUT: _PEEPHOLES, _FORGET: _PEEPHOLES + 1, _OUTPUT: _PEEPHOLES + 2}

_GATE_BITS = 3
_Floats = NDArray[np.float32]
_Integers = NDArray[np.int64]
_Number = TypeVar("_Number", np.float32, np.int64)
_Step = Callable[
    [NDArray[_Number], NDArray[_Number], NDArray[_Number]],
    tuple[NDArray[_Number], NDArray[_Number]],
]
"""From inputs, what the layer gave last and its cells to what it gives now and its cells."""


def _operands() -> Iterator[Operand]:
    yield from (Operand("input"), Operand("output_state"), Operand("cell_state"))
    for kind in ("weights", "recurrent", "bias"):
        yield from (Operand(f"{gate}_{kind}", optional=gate == "input") for gate in _GATES)
    for gate in (_INPUT, _FORGET, _OUTPUT):
        yield Operand(f"{_GATES[gate]}_peephole", optional=True)
    yield Operand("projection", optional=True)
    yield Operand("projection_bias", optional=True)


@dataclass(frozen=True)
class Lstm(Operator):
    """input (B, T, K), output_state (B, N), cell_state (B, C) -> output (B, T, N), and both states behind the last
    step.

    Of each gate weights (C, K), recurrent weights (C, N), a bias (C,), and peephole weights (C,) by the cells, of all
    gates but the cell gate or of none. Without an input gate it is what the forget gate leaves. projection (N, C),
    with or without a bias (N,): from cells to outputs; else N is C.

    time_major: sequences are (T, B, ...). backwards: from the last step to the first. cell_clip, projection_clip:
    bounds of cells and of what is projected, 0 for none. hidden_scale, hidden_zero_point: of int8, the quantization by
    which results leave the cells; TFLite's files say it by itself.

    float32; or, without a projection, int8 with int8 weights, int32 biases, int16 peephole weights, and int16 cells of
    a scale that is a power of two: TFLite's `LstmStepInteger8x8_16`, whose gates are int16 with 3 integer bits.
    """

    mnemonic: ClassVar[str] = "lstm"
    operands: ClassVar[tuple[Operand, ...]] = tuple(_operands())

    time_major: bool = False
    backwards: bool = False
    cell_clip: float = 0.0
    projection_clip: float = 0.0
    hidden_scale: float = 0.0
    hidden_zero_point: int = 0

    def infer(self, inputs: Types) -> tuple[TensorType, ...]:
        """(B, T, N) or (T, B, N), quantized as the output state, and the types of both states."""
        input_ = checks.present(inputs, 0, "input")
        output_state = checks.present(inputs, 1, "output_state")
        cell_state = checks.present(inputs, 2, "cell_state")
        checks.check_rank(input_, 3, "input")
        batches, steps = self.batches_and_steps(input_)
        outputs, cells, depth = output_state.shape[-1], cell_state.shape[-1], input_.shape[2]
        _check_shape(output_state, (batches, outputs), "an output state")
        _check_shape(cell_state, (batches, cells), "a cell state")
        for index, operand in enumerate(self.operands[_WEIGHTS:], _WEIGHTS):
            wanted = {
                _WEIGHTS: (cells, depth),
                _RECURRENT: (cells, outputs),
                _PROJECTION: (outputs, cells),
                _PROJECTION + 1: (outputs,),
            }
            group = index if index >= _PROJECTION else index - (index - _WEIGHTS) % 4
            type_ = checks.optional(inputs, index)
            if type_ is not None:
                _check_shape(type_, wanted.get(group, (cells,)), operand.name)
        self._check_presence(inputs, outputs == cells)
        shape = (steps, batches, outputs) if self.time_major else (batches, steps, outputs)
        return output_state.with_shape(shape), output_state, cell_state

    def _check_presence(self, inputs: Types, is_square: bool) -> None:
        """Raise GraphError for a gate or a projection that is there in part."""
        has = [checks.optional(inputs, index) is not None for index in range(len(self.operands))]
        of_input_gate = {has[_WEIGHTS], has[_RECURRENT], has[_BIASES]}
        if len(of_input_gate) > 1:
            raise GraphError(
                "expected an input gate with weights, recurrent weights and bias, or none"
            )
        given = {has[_PEEPHOLES + 1], has[_PEEPHOLES + 2]}
        if has[_WEIGHTS]:
            given.add(has[_PEEPHOLES])
        if len(given) > 1 or (has[_PEEPHOLES] and not has[_WEIGHTS]):
            raise GraphError(
                "expected peephole weights of the input gate if there is one, the forget and "
                "the output gate, or of none"
            )
        if not has[_PROJECTION] and (has[_PROJECTION + 1] or not is_square):
            raise GraphError(
                "expected a projection, or as many outputs as cells and no projection bias"
            )

    def batches_and_steps(self, input_: TensorType) -> tuple[int, int]:
        """Of a sequence of this layout."""
        first, second, _ = input_.shape
        return (second, first) if self.time_major else (first, second)

    def verify(self, inputs: Types, outputs: Sequence[TensorType]) -> None:
        """See the class."""
        input_ = checks.present(inputs, 0, "input")
        for clip in (self.cell_clip, self.projection_clip):
            if not 0 <= clip < float("inf"):
                raise GraphError(f"expected finite clips of at least 0, got {clip}")
        checks.check_dtype(input_, (DType.FLOAT32, DType.INT8), "input")
        is_float = input_.dtype is DType.FLOAT32
        cells = DType.FLOAT32 if is_float else DType.INT16
        small = DType.FLOAT32 if is_float else DType.INT8
        biases = DType.FLOAT32 if is_float else DType.INT32
        for index, operand in enumerate(self.operands):
            type_ = checks.optional(inputs, index)
            if type_ is None:
                continue
            is_bias = _BIASES <= index < _PEEPHOLES or index == _PROJECTION + 1
            is_of_cells = index == 2 or _PEEPHOLES <= index < _PROJECTION
            dtype = biases if is_bias else cells if is_of_cells else small
            checks.check_dtype(type_, (dtype,), operand.name)
            if not is_float and not is_bias:
                quantization = checks.check_quantized(type_, operand.name)
                if index >= _WEIGHTS and quantization.zero_point:
                    raise GraphError(f"expected {operand.name} with zero point 0")
        states = [checks.present(inputs, 1, "output_state")] * 2
        states.append(checks.present(inputs, 2, "cell_state"))
        for state, output in zip(states, outputs, strict=True):
            checks.check_same_quantization(state, output, "states and results")
        if not is_float:
            if checks.optional(inputs, _PROJECTION) is not None:
                raise GraphError("expected an LSTM of int8 without a projection, got one with it")
            self.check_scales(inputs, outputs)

    def check_scales(self, inputs: Types, outputs: Sequence[TensorType]) -> None:
        """See `lstm_parameters`."""
        if not 0 < self.hidden_scale < float("inf"):
            raise GraphError(f"expected a hidden_scale above 0, got {self.hidden_scale}")
        if not -128 <= self.hidden_zero_point <= 127:
            raise GraphError(f"expected a hidden_zero_point of int8, got {self.hidden_zero_point}")
        lstm_parameters(self, inputs, outputs[0])

    def evaluate(
        self, arrays: Sequence[Array | None], inputs: Types, outputs: Sequence[TensorType]
    ) -> tuple[Array, ...]:
        """Step after step, gate after gate."""
        if outputs[0].dtype is DType.FLOAT32:
            return self._run(_float_step(self, arrays), arrays, np.float32, outputs)
        step = _integer_step(lstm_parameters(self, inputs, outputs[0]), arrays)
        return self._run(step, arrays, np.int64, outputs)

    def _run(
        self,
        step: _Step[_Number],
        arrays: Sequence[Array | None],
        number: type[_Number],
        outputs: Sequence[TensorType],
    ) -> tuple[Array, ...]:
        sequence = required(arrays, 0).astype(number)
        sequence = sequence if self.time_major else sequence.swapaxes(0, 1)
        h, cells = required(arrays, 1).astype(number), required(arrays, 2).astype(number)
        found = np.empty((*sequence.shape[:2], h.shape[1]), number)
        order = range(len(sequence))
        for index in reversed(order) if self.backwards else order:
            h, cells = step(sequence[index], h, cells)
            found[index] = h
        whole = found if self.time_major else np.ascontiguousarray(found.swapaxes(0, 1))
        results = zip((whole, h, cells), outputs, strict=True)
        return tuple(array.astype(type_.dtype.numpy) for array, type_ in results)

    def restrict_part(
        self, box: Box, inputs: Types, outputs: Sequence[TensorType]
    ) -> Restriction | None:
        """Nowhere: it has several results."""
        del box, inputs, outputs

    def macs(self, inputs: Types, outputs: Sequence[TensorType]) -> int:
        """Of each element of a sequence, all weights."""
        batches, steps = self.batches_and_steps(checks.present(inputs, 0, "input"))
        weights = [checks.optional(inputs, index) for index in (*range(3, 11), _PROJECTION)]
        return batches * steps * sum(0 if type_ is None else type_.elements for type_ in weights)


def _float_step(operator: Lstm, arrays: Sequence[Array | None]) -> _Step[np.float32]:
    given = {
        index: array.astype(np.float32) for index, array in enumerate(arrays) if array is not None
    }

    def gate(number: int, x: _Floats, h: _Floats, cells: _Floats) -> _Floats:
        total = given[_BIASES + number] + _products_f32(x, given[_WEIGHTS + number])
        total = total + _products_f32(h, given[_RECURRENT + number])
        peephole = given.get(_PEEPHOLE.get(number, -1))
        return total if peephole is None else total + peephole * cells

    def step(x: _Floats, h: _Floats, cells: _Floats) -> tuple[_Floats, _Floats]:
        forget = logistic_f32(gate(_FORGET, x, h, cells))
        fresh = tanh_f32(gate(_CELL, x, h, cells))
        has_input_gate = _WEIGHTS in given
        taken = logistic_f32(gate(_INPUT, x, h, cells)) if has_input_gate else _rest(forget)
        cells = _clipped_f32(np.add(forget * cells, fresh * taken), operator.cell_clip)
        hidden = logistic_f32(gate(_OUTPUT, x, h, cells)) * tanh_f32(cells)
        if _PROJECTION not in given:
            return hidden, cells
        sums = _products_f32(hidden, given[_PROJECTION])
        bias = given.get(_PROJECTION + 1)
        biased = sums if bias is None else bias + sums
        return _clipped_f32(biased, operator.projection_clip), cells

    return step


def _integer_step(p: LstmParameters, arrays: Sequence[Array | None]) -> _Step[np.int64]:
    given = {
        index: array.astype(np.int64) for index, array in enumerate(arrays) if array is not None
    }

    def gate(number: int, x: _Integers, h: _Integers, cells: _Integers) -> NDArray[np.int16]:
        scales = p.gates[number]
        sums = _products(x + p.input_offset, given[_WEIGHTS + number])
        total = _clamped(_scaled(sums + given[_BIASES + number], scales.of_input))
        again = _products(h + p.output_offset, given[_RECURRENT + number])
        total = _clamped(total + _scaled(again, scales.of_output))
        peephole = given.get(_PEEPHOLE.get(number, -1))
        if peephole is not None:
            total = _clamped(total + _scaled(peephole * cells, scales.of_cell))
        return total.astype(np.int16)

    def step(x: _Integers, h: _Integers, cells: _Integers) -> tuple[_Integers, _Integers]:
        forget = logistic_s16(gate(_FORGET, x, h, cells)).astype(np.int64)
        fresh = tanh_s16(gate(_CELL, x, h, cells), _GATE_BITS).astype(np.int64)
        taken = (1 << 15) - 1 - forget
        if _WEIGHTS in given:
            taken = logistic_s16(gate(_INPUT, x, h, cells)).astype(np.int64)
        kept = rounding_divide_by_pot(wrap_int32(forget * cells), 15)
        added = rounding_divide_by_pot(wrap_int32(taken * fresh), 15 + p.cell_integer_bits)
        cells = _clipped(_clamped(kept.astype(np.int64) + added), p.cell_clip)
        bounded = tanh_s16(cells.astype(np.int16), p.cell_integer_bits).astype(np.int64)
        opened = logistic_s16(gate(_OUTPUT, x, h, cells)).astype(np.int64)
        hidden = _clamped(_scaled(opened * bounded, p.hidden) + p.hidden_zero_point, 7)
        return hidden, cells

    return step


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


def _check_shape(type_: TensorType, shape: tuple[int, ...], what: str) -> None:
    if type_.shape != shape:
        raise GraphError(f"expected {what} of shape {shape}, got {type_.shape}")
