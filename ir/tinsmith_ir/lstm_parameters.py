"""The numbers that an LSTM of integers computes with; as parameters.py for other operators.

Scales are computed in float32, and those of a hidden state and of peepholes in double first, as TFLite's
`PopulateQuantizedLstmParams8x8_16` does.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from tinsmith_ir.arithmetic import exponent_of, quantize_multiplier
from tinsmith_ir.checked import Checked
from tinsmith_ir.errors import GraphError
from tinsmith_ir.types import Quantization, TensorType

Types = Sequence[TensorType | None]
Scale = tuple[int, int]
"""Multiplier and shift."""

_GATE_SCALE = 2.0**-12
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
    cells.
    """

    gates: tuple[GateParameters, GateParameters, GateParameters, GateParameters]
    input_offset: int
    output_offset: int
    cell_integer_bits: int
    cell_clip: int
    hidden: Scale
    hidden_zero_point: int


@np.errstate(over="ignore", divide="ignore")  # too large: quantize_multiplier says so
def lstm_parameters(operator: HasHidden, inputs: Types, output: TensorType) -> LstmParameters:
    """Of an Lstm of int8, with the operands of its class.

    Raises GraphError for scales that the arithmetic cannot hold.
    """
    of_input, of_cell = _quantization(inputs[0]), _quantization(inputs[2])
    result = _quantization(output)
    exponent = exponent_of(of_cell.scale)
    if exponent is None or not _LOWEST_EXPONENT <= exponent <= _HIGHEST_EXPONENT:
        raise GraphError(
            f"expected cells with a scale of a power of two from 2**{_LOWEST_EXPONENT} to "
            f"2**{_HIGHEST_EXPONENT}, got {of_cell.scale}"
        )
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
        cell_clip=_clip(operator.cell_clip, of_cell.scale),
        hidden=quantize_multiplier(float(hidden)),
        hidden_zero_point=operator.hidden_zero_point,
    )


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


def _clip(real: float, scale: float) -> int:
    return math.trunc(min(float(np.float32(real) / np.float32(scale)), (1 << 15) - 1))


def _at(inputs: Types, index: int) -> TensorType | None:
    return inputs[index] if index < len(inputs) else None


def _quantization(type_: TensorType | None) -> Quantization:
    if type_ is None or type_.quantization is None:
        raise GraphError("expected a quantized tensor")
    return type_.quantization
