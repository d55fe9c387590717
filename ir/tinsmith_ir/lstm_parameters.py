"""The numbers that an LSTM of integers computes with; as parameters.py for other operators.

Scales are computed in float32, and those of a hidden state and of peepholes in double first, as TFLite's
`PopulateQuantizedLstmParams8x8_16` does; of int16 all in double, as TFLite Micro's `PrepareGateParametersInteger`.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from tinsmith_ir.arithmetic import MAX_SHIFT_64, exponent_of, quantize_multiplier
from tinsmith_ir.checked import Checked
from tinsmith_ir.errors import GraphError
from tinsmith_ir.parameter_records import CurveParameters
from tinsmith_ir.types import Quantization, TensorType

Types = Sequence[TensorType | None]
Scale = tuple[int, int]
"""Multiplier and shift."""

_GATE_BITS = 12
_GATE_SCALE = 2.0**-_GATE_BITS
_FRACTION_BITS = 15
_LOWEST_EXPONENT, _HIGHEST_EXPONENT = -15, -9
_ONE = (0, 0)


class HasHidden(Protocol):
    """The attributes of an Lstm that its arithmetic needs."""

    @property
    def hidden_scale(self) -> float:
        """Of what leaves the cells."""
        ...

    @property
    def hidden_zero_point(self) -> int:
        """Of what leaves the cells."""
        ...

    @property
    def cell_clip(self) -> float:
        """Bound of cells; 0 for none."""
        ...

    @property
    def projection_clip(self) -> float:
        """Bound of what is projected; 0 for none."""
        ...


@dataclass(frozen=True)
class GateParameters(Checked):
    """What the sums of products with an input, a result and the cells are multiplied with, for numbers with 3 integer
    bits; (0, 0) where there are no weights.
    """

    of_input: Scale
    of_output: Scale
    of_cell: Scale


@dataclass(frozen=True)
class LstmParameters(Checked):
    """gates: input, forget, cell and output gate. Offsets are added to what weights are multiplied with.

    cell_integer_bits: of a cell. cell_clip: its bound as an integer, 0 for none. hidden: the scale of what leaves the
    cells. projection: that of its products, (0, 0) without one. projection_clip: the bound of the integers that these
    give, zero point and all, 0 for none.
    """

    gates: tuple[GateParameters, GateParameters, GateParameters, GateParameters]
    input_offset: int
    output_offset: int
    cell_integer_bits: int
    cell_clip: int
    hidden: Scale
    hidden_zero_point: int
    projection: Scale
    projection_clip: int


@dataclass(frozen=True)
class Lstm16Parameters(Checked):
    """Of an Lstm of int16. gates: as in LstmParameters, without cells. kept, added: the scales of the products of gates
    with the cells and with what is new; hidden: that of what leaves the cells. curve: how tanh reads the cells.
    """

    gates: tuple[GateParameters, GateParameters, GateParameters, GateParameters]
    kept: Scale
    added: Scale
    hidden: Scale
    curve: CurveParameters
    cell_clip: int


GATE_CURVE = CurveParameters(3, 0)
"""How the logistic function and tanh of int16 read the sums of gates, whose scale is 2**-12."""


@np.errstate(over="ignore", divide="ignore")  # too large: quantize_multiplier says so
def lstm_parameters(operator: HasHidden, inputs: Types, output: TensorType) -> LstmParameters:
    """Of an Lstm of int8, with the operands of its class.

    Raises GraphError for scales that the arithmetic cannot hold.
    """
    of_input, of_cell = _quantization(inputs[0]), _quantization(inputs[2])
    result = _quantization(output)
    exponent = _cell_exponent(of_cell)
    peepholes = (_at(inputs, 15), _at(inputs, 16), None, _at(inputs, 17))
    gates = [
        GateParameters(
            _gate_scale(_at(inputs, 3 + gate), of_input),
            _gate_scale(_at(inputs, 7 + gate), result),
            _peephole_scale(peepholes[gate], exponent),
        )
        for gate in range(4)
    ]
    hidden_scale = float(np.float32(operator.hidden_scale))
    hidden = np.float32(2.0**-_FRACTION_BITS / hidden_scale * 2.0**-_FRACTION_BITS)
    return LstmParameters(
        gates=(gates[0], gates[1], gates[2], gates[3]),
        input_offset=-of_input.zero_point,
        output_offset=-result.zero_point,
        cell_integer_bits=_FRACTION_BITS + exponent,
        cell_clip=_clip(operator.cell_clip, of_cell.scale, _FRACTION_BITS),
        hidden=quantize_multiplier(float(hidden)),
        hidden_zero_point=operator.hidden_zero_point,
        projection=_projection_scale(_at(inputs, 18), hidden_scale, result),
        projection_clip=_clip(operator.projection_clip, result.scale, 7),
    )


def lstm_parameters_16(operator: HasHidden, inputs: Types, output: TensorType) -> Lstm16Parameters:
    """Of an Lstm of int16, with the operands of its class. Raises GraphError as `lstm_parameters`."""
    of_input, of_cell = _quantization(inputs[0]), _quantization(inputs[2])
    result = _quantization(output)
    shift = _cell_exponent(of_cell) + _GATE_BITS
    gates = [
        GateParameters(
            _wide_gate_scale(_at(inputs, 3 + gate), of_input),
            _wide_gate_scale(_at(inputs, 7 + gate), result),
            _ONE,
        )
        for gate in range(4)
    ]
    of_cells, of_result = _stored(of_cell), _stored(result)
    cell_clip = float(np.float32(operator.cell_clip)) / of_cells
    return Lstm16Parameters(
        gates=(gates[0], gates[1], gates[2], gates[3]),
        kept=quantize_multiplier(2.0**-_FRACTION_BITS * of_cells / of_cells),
        added=quantize_multiplier(4.0**-_FRACTION_BITS / of_cells),
        hidden=quantize_multiplier(4.0**-_FRACTION_BITS / of_result),
        curve=CurveParameters(3 << max(shift, 0), max(-shift, 0)),
        cell_clip=math.trunc(min(cell_clip, (1 << 15) - 1)),
    )


def _stored(quantization: Quantization) -> float:
    """The scale, as files of TFLite have it."""
    return float(np.float32(quantization.scale))


def _cell_exponent(of_cell: Quantization) -> int:
    exponent = exponent_of(of_cell.scale)
    if exponent is None or not _LOWEST_EXPONENT <= exponent <= _HIGHEST_EXPONENT:
        raise GraphError(
            f"expected cells with a scale of a power of two from 2**{_LOWEST_EXPONENT} to "
            f"2**{_HIGHEST_EXPONENT}, got {of_cell.scale}"
        )
    return exponent


def _wide_gate_scale(weights: TensorType | None, factor: Quantization) -> Scale:
    product = _stored(factor) * _stored(_quantization(weights))
    multiplier, shift = quantize_multiplier(product / _GATE_SCALE)
    if shift > MAX_SHIFT_64:
        raise GraphError(
            f"expected products of scales of an i16 LSTM below 2**{MAX_SHIFT_64 - _GATE_BITS}, got {product}"
        )
    return multiplier, shift


def _projection_scale(
    weights: TensorType | None, hidden_scale: float, result: Quantization
) -> Scale:
    if weights is None:
        return _ONE
    product = np.float32(_quantization(weights).scale) * np.float32(hidden_scale)
    return quantize_multiplier(float(product / np.float32(result.scale)))


def _gate_scale(weights: TensorType | None, factor: Quantization) -> Scale:
    if weights is None:
        return _ONE
    product = np.float32(_quantization(weights).scale) * np.float32(factor.scale)
    return quantize_multiplier(float(product / np.float32(_GATE_SCALE)))


def _peephole_scale(weights: TensorType | None, exponent: int) -> Scale:
    if weights is None:
        return _ONE
    scale = 2.0**exponent * float(np.float32(_quantization(weights).scale)) / _GATE_SCALE
    return quantize_multiplier(float(np.float32(scale)))


def _clip(real: float, scale: float, bits: int) -> int:
    return math.trunc(min(float(np.float32(real) / np.float32(scale)), (1 << bits) - 1))


def _at(inputs: Types, index: int) -> TensorType | None:
    return inputs[index] if index < len(inputs) else None


def _quantization(type_: TensorType | None) -> Quantization:
    if type_ is None or type_.quantization is None:
        raise GraphError("expected a quantized tensor")
    return type_.quantization
