"""LSTMs of int8 by the kernel of Tinsmith's own library (`tinsmith_nn_recurrent.h`).

`arm_lstm_unidirectional_s8` computes something else than TFLite's LSTM of int8 with cells of int16: its logistic
function and tanh go by a table (of 65536 arguments 56761 and 41116 give other numbers), and each call begins with
zeros where TFLite goes on from the states. So no kernel here calls it.
"""

import math

import numpy as np
from numpy.typing import NDArray
from tinsmith_c import FieldValue, call, initializer, nested
from tinsmith_ir.dtypes import DType
from tinsmith_ir.lstm_parameters import GateParameters, LstmParameters, Scale, lstm_parameters
from tinsmith_ir.operators import Lstm
from tinsmith_lowering import (
    AsGiven,
    Emission,
    Kernel,
    Layer,
    Loads,
    Prepared,
    Scope,
    Signature,
    constant_operands,
)
from tinsmith_target import Target

from tinsmith_cmsis_nn.common import BACKEND, PACKED_CHECKS, activation, engine
from tinsmith_cmsis_nn.recurrent import HEADER, LARGEST, constant

_GATES = ("input", "forget", "cell", "output")
_STATES, _WEIGHTS, _RECURRENT, _BIASES, _PROJECTION = 3, 3, 7, 11, 18
_PEEPHOLES = {"input": 15, "forget": 16, "output": 17}
_INT16, _INT32 = np.iinfo(np.int16), np.iinfo(np.int32)


def weights_are_constant(layer: Layer) -> str | None:
    """Weights and biases of an LSTM are constants."""
    for index, data in enumerate(layer.constants):
        if index >= _STATES and layer.has_input(index) and data is None:
            return f"{layer.operator.operand_name(index)} is computed"
    return None


def nothing_is_projected(layer: Layer) -> str | None:
    """What leaves the cells of an LSTM is its result."""
    return "it is projected" if layer.has_input(_PROJECTION) else None


def sums_fit(layer: Layer) -> str | None:
    """No sum of products with the weights, nor with the recurrent ones, leaves 32 bits."""
    largest = 0
    for number, _ in _gates_of(layer):
        bias = np.abs(constant(layer, _BIASES + number))
        sums = np.abs(constant(layer, _WEIGHTS + number)).sum(axis=1)
        again = np.abs(constant(layer, _RECURRENT + number)).sum(axis=1)
        largest = max(largest, int((LARGEST * sums + bias).max()), LARGEST * int(again.max()))
    return None if largest <= _INT32.max else f"one may be {largest}"


def prepare(layer: Layer) -> tuple[Prepared | AsGiven, ...]:
    """Operands as they are; biases with what zero points add, of both sums of each gate."""
    p = _parameters_of(layer)
    folded: list[Prepared] = []
    for number, name in _gates_of(layer):
        sums = constant(layer, _WEIGHTS + number).sum(axis=1)
        bias = constant(layer, _BIASES + number) + p.input_offset * sums
        again = p.output_offset * constant(layer, _RECURRENT + number).sum(axis=1)
        folded.append(Prepared(f"{name}_bias", _int32(bias)))
        folded.append(Prepared(f"{name}_recurrent_bias", _int32(again)))
    biases = {AsGiven(_BIASES + number) for number in range(len(_GATES))}
    return (*(item for item in constant_operands(layer) if item not in biases), *folded)


def _int32(values: NDArray[np.int64]) -> NDArray[np.int32]:
    return values.astype(np.int32)


def _gates_of(layer: Layer) -> list[tuple[int, str]]:
    """Those that have weights: an input gate may be what the forget gate leaves."""
    return [
        (number, name) for number, name in enumerate(_GATES) if layer.has_input(_WEIGHTS + number)
    ]


def _parameters_of(layer: Layer) -> LstmParameters:
    return lstm_parameters(layer.operator_as(Lstm), layer.inputs, layer.output)


def loads(layer: Layer) -> Loads:
    """Over all of them in each step of each sequence."""
    often = math.prod(layer.operator_as(Lstm).batches_and_steps(layer.input(0)))
    return Loads(often, often)


def emit(layer: Layer, scope: Scope) -> Emission:
    """All steps of a sequence."""
    operator, p = layer.operator_as(Lstm), _parameters_of(layer)
    batches, steps = operator.batches_and_steps(layer.input(0))
    bounds = (-p.cell_clip, p.cell_clip) if p.cell_clip > 0 else (_INT16.min, _INT16.max)
    fields: dict[str, FieldValue] = {
        "batches": batches,
        "steps": steps,
        "depth": layer.input(0).shape[2],
        "cells": layer.input(2).shape[1],
        "is_time_major": int(operator.time_major),
        "is_backwards": int(operator.backwards),
    }
    for number, name in _gates_of(layer):
        fields[name] = _gate(scope, number, name, p.gates[number])
    fields |= {
        "hidden_scale": _scale(p.hidden),
        "hidden_zero_point": p.hidden_zero_point,
        "cell_integer_bits": p.cell_integer_bits,
        "cell_range": activation(*map(int, bounds)),
    }
    operands = [scope.input(index) for index in range(_STATES)]
    results = [result.expression for result in scope.outputs]
    return Emission(
        (
            initializer("tinsmith_lstm_layer", "kLayer", fields, is_static=not scope.reads_copies),
            call("tinsmith_lstm_cells_s8", ["&kLayer", *operands, *results]),
        )
    )


def _gate(scope: Scope, number: int, name: str, p: GateParameters) -> str:
    added = "what the output's zero point adds"
    fields: dict[str, FieldValue] = {
        "weights": scope.input(_WEIGHTS + number),
        "bias": scope.prepared(f"{name}_bias", "bias with the input's zero point folded in"),
        "recurrent": scope.input(_RECURRENT + number),
        "recurrent_bias": scope.prepared(f"{name}_recurrent_bias", added),
        "peephole": scope.input(_PEEPHOLES[name]) if name in _PEEPHOLES else "NULL",
        "weights_scale": _scale(p.of_input),
        "recurrent_scale": _scale(p.of_output),
        "peephole_scale": _scale(p.of_cell),
    }
    return nested(fields)


def _scale(scale: Scale) -> str:
    multiplier, shift = scale
    return nested({"multiplier": multiplier, "shift": shift})


def kernels(target: Target) -> tuple[Kernel, ...]:
    """LSTM of int8 with cells of int16."""
    small, wide = DType.INT8, DType.INT16
    operands = (small, small, wide, *(small,) * 8, *(DType.INT32,) * 4, *(wide,) * 3)
    return (
        Kernel(
            name="tinsmith_lstm_cells_s8",
            backend=BACKEND,
            operator=Lstm,
            signature=Signature((*operands, small, DType.INT32), small),
            headers=(HEADER,),
            emit=emit,
            prepare=prepare,
            loads=loads,
            rules=(weights_are_constant, nothing_is_projected, sums_fit),
            engine=engine(target),
            checks=PACKED_CHECKS,
        ),
    )
