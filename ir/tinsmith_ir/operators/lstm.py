"""Lstm: a layer of cells that remember (long short-term memory), over a sequence.

What the cells remember, and what the layer gave last, are operands and results, so that a graph may keep them as
states.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, TypeVar

import numpy as np

from tinsmith_ir.boxes import Box
from tinsmith_ir.dtypes import DType
from tinsmith_ir.errors import GraphError
from tinsmith_ir.lstm_parameters import lstm_parameters, lstm_parameters_16
from tinsmith_ir.operators import checks
from tinsmith_ir.operators.base import Array, Operand, Operator, Restriction, Types, required
from tinsmith_ir.operators.lstm_steps import (
    BIASES,
    FORGET,
    GATES,
    INPUT,
    OUTPUT,
    PEEPHOLES,
    PROJECTION,
    RECURRENT,
    WEIGHTS,
    Step,
    float_step,
    int8_step,
    int16_step,
)
from tinsmith_ir.types import TensorType

_Number = TypeVar("_Number", np.float32, np.int64)


def _operands() -> Iterator[Operand]:
    yield from (Operand("input"), Operand("output_state"), Operand("cell_state"))
    for kind in ("weights", "recurrent", "bias"):
        yield from (Operand(f"{gate}_{kind}", optional=gate == "input") for gate in GATES)
    for gate in (INPUT, FORGET, OUTPUT):
        yield Operand(f"{GATES[gate]}_peephole", optional=True)
    yield Operand("projection", optional=True)
    yield Operand("projection_bias", optional=True)


@dataclass(frozen=True)
class _DTypes:
    """Of an Lstm's inputs and results, of its weights, its biases and its cells, peephole weights with them."""

    small: DType
    weights: DType
    biases: DType
    cells: DType

    def of_operand(self, index: int) -> DType:
        """Of an operand by its place."""
        if BIASES <= index < PEEPHOLES or index == PROJECTION + 1:
            return self.biases
        if index == 2 or PEEPHOLES <= index < PROJECTION:
            return self.cells
        return self.small if index < WEIGHTS else self.weights


_DTYPES = {
    DType.FLOAT32: _DTypes(DType.FLOAT32, DType.FLOAT32, DType.FLOAT32, DType.FLOAT32),
    DType.INT8: _DTypes(DType.INT8, DType.INT8, DType.INT32, DType.INT16),
    DType.INT16: _DTypes(DType.INT16, DType.INT8, DType.INT64, DType.INT16),
}
"""By the type of inputs."""


@dataclass(frozen=True)
class Lstm(Operator):
    """input (B, T, K), output_state (B, N), cell_state (B, C) -> output (B, T, N), and both states behind the last
    step.

    Of each gate weights (C, K), recurrent weights (C, N), a bias (C,), and peephole weights (C,) by the cells, of all
    gates but the cell gate or of none. Without an input gate it is what the forget gate leaves. projection (N, C),
    with or without a bias (N,): from cells to outputs; else N is C.

    time_major: sequences are (T, B, ...). backwards: from the last step to the first. cell_clip, projection_clip:
    bounds of cells and of what is projected, 0 for none. hidden_scale, hidden_zero_point: of int8, the quantization by
    which results leave the cells, in front of a projection if there is one; TFLite's files say it by itself.

    float32; or int8 with int8 weights, int32 biases, int16 peephole weights (without a projection alone, as TFLite's
    has but as many of them as outputs), and int16 cells of a scale that is a power of two: TFLite's
    `LstmStepInteger8x8_16`, whose gates are int16 of 3 integer bits; or int16 with int8 weights, int64 biases and such
    cells, an input gate, neither peephole weights nor a projection: TFLite Micro's `LstmStep`.
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
        for index, operand in enumerate(self.operands[WEIGHTS:], WEIGHTS):
            wanted = {
                WEIGHTS: (cells, depth),
                RECURRENT: (cells, outputs),
                PROJECTION: (outputs, cells),
                PROJECTION + 1: (outputs,),
            }
            group = index if index >= PROJECTION else index - (index - WEIGHTS) % 4
            type_ = checks.optional(inputs, index)
            if type_ is not None:
                _check_shape(type_, wanted.get(group, (cells,)), operand.name)
        self._check_presence(inputs, outputs == cells)
        shape = (steps, batches, outputs) if self.time_major else (batches, steps, outputs)
        return output_state.with_shape(shape), output_state, cell_state

    def _check_presence(self, inputs: Types, is_square: bool) -> None:
        """Raise GraphError for a gate or a projection that is there in part."""
        has = [checks.optional(inputs, index) is not None for index in range(len(self.operands))]
        of_input_gate = {has[WEIGHTS], has[RECURRENT], has[BIASES]}
        if len(of_input_gate) > 1:
            raise GraphError(
                "expected an input gate with weights, recurrent weights and bias, or none"
            )
        given = {has[PEEPHOLES + 1], has[PEEPHOLES + 2]}
        if has[WEIGHTS]:
            given.add(has[PEEPHOLES])
        if len(given) > 1 or (has[PEEPHOLES] and not has[WEIGHTS]):
            raise GraphError(
                "expected peephole weights of the input gate if there is one, the forget and "
                "the output gate, or of none"
            )
        if not has[PROJECTION] and (has[PROJECTION + 1] or not is_square):
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
        checks.check_dtype(input_, tuple(_DTYPES), "input")
        dtypes = _DTYPES[input_.dtype]
        for index, operand in enumerate(self.operands):
            type_ = checks.optional(inputs, index)
            if type_ is None:
                continue
            dtype = dtypes.of_operand(index)
            checks.check_dtype(type_, (dtype,), operand.name)
            if input_.dtype is not DType.FLOAT32 and dtype is not dtypes.biases:
                quantization = checks.check_quantized(type_, operand.name)
                if index >= WEIGHTS and quantization.zero_point:
                    raise GraphError(f"expected {operand.name} with zero point 0")
        states = [checks.present(inputs, 1, "output_state")] * 2
        states.append(checks.present(inputs, 2, "cell_state"))
        for state, output in zip(states, outputs, strict=True):
            checks.check_same_quantization(state, output, "states and results")
        if input_.dtype is not DType.FLOAT32:
            self._check_parts(inputs, input_.dtype)
            self.check_scales(inputs, outputs)

    def _check_parts(self, inputs: Types, dtype: DType) -> None:
        """Raise GraphError for parts that the arithmetic of integers has not."""
        has_peepholes = checks.optional(inputs, PEEPHOLES + 1) is not None
        is_projected = checks.optional(inputs, PROJECTION) is not None
        if dtype is DType.INT8 and has_peepholes and is_projected:
            raise GraphError(
                "expected an LSTM of i8 with peephole weights or a projection, got both"
            )
        if dtype is DType.INT8:
            return
        if checks.optional(inputs, WEIGHTS) is None:
            raise GraphError("expected an LSTM of i16 with an input gate, got none")
        if has_peepholes or is_projected:
            what = "peephole weights" if has_peepholes else "a projection"
            raise GraphError(f"expected an LSTM of i16 without {what}, got one with it")

    def check_scales(self, inputs: Types, outputs: Sequence[TensorType]) -> None:
        """See `lstm_parameters`."""
        if outputs[0].dtype is DType.INT16:
            lstm_parameters_16(self, inputs, outputs[0])
            return
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
            return self._run(float_step(self, arrays), arrays, np.float32, outputs)
        if outputs[0].dtype is DType.INT16:
            step = int16_step(lstm_parameters_16(self, inputs, outputs[0]), arrays)
        else:
            step = int8_step(lstm_parameters(self, inputs, outputs[0]), arrays)
        return self._run(step, arrays, np.int64, outputs)

    def _run(
        self,
        step: Step[_Number],
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
        weights = [checks.optional(inputs, index) for index in (*range(3, 11), PROJECTION)]
        return batches * steps * sum(0 if type_ is None else type_.elements for type_ in weights)


def _check_shape(type_: TensorType, shape: tuple[int, ...], what: str) -> None:
    if type_.shape != shape:
        raise GraphError(f"expected {what} of shape {shape}, got {type_.shape}")
