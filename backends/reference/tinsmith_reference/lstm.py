"""Layers of cells that remember: a whole sequence in one call."""

from collections.abc import Mapping, Sequence

from tinsmith_c import FieldValue, call, float_literal, initializer, nested
from tinsmith_ir.curves import int16_table
from tinsmith_ir.dtypes import DType
from tinsmith_ir.lstm_parameters import (
    GATE_CURVE,
    GateParameters,
    lstm_parameters,
    lstm_parameters_16,
)
from tinsmith_ir.operators import Lstm
from tinsmith_ir.parameters import CurveParameters
from tinsmith_lowering import (
    AsGiven,
    Emission,
    Layer,
    Prepared,
    Scope,
    Signature,
    constant_operands,
)

from tinsmith_reference.common import FLOAT32, INT8, INT16, INT32, INT64, SUFFIX, kernel, scale

_INPUT, _FORGET, _CELL, _OUTPUT = range(4)
_PEEPHOLE = {_INPUT: 15, _FORGET: 16, _OUTPUT: 17}
_PROJECTION = 18
_STATES = 3


def weights_are_constant(layer: Layer) -> str | None:
    """Weights and biases of an LSTM are constants."""
    known = zip(layer.inputs, layer.constants, strict=True)
    computed = [
        layer.operator.operand_name(index)
        for index, (type_, data) in enumerate(known)
        if index >= _STATES and type_ is not None and data is None
    ]
    return f"{computed[0]} is computed" if computed else None


def scratch_bytes(layer: Layer) -> int:
    """What leaves the cells, where it is projected."""
    cells = layer.input(2).shape[1]
    return cells * layer.output.dtype.size_bytes if layer.has_input(_PROJECTION) else 0


def emit_s8(layer: Layer, scope: Scope) -> Emission:
    """int8, with cells of int16."""
    p = lstm_parameters(layer.operator_as(Lstm), layer.inputs, layer.output)
    fields: dict[str, FieldValue] = {
        **_gates(scope, p.gates),
        "input_offset": p.input_offset,
        "output_offset": p.output_offset,
        "hidden_scale": scale(*p.hidden),
        "hidden_zero_point": p.hidden_zero_point,
        "cell_integer_bits": p.cell_integer_bits,
        "cell_clip": p.cell_clip,
        **_projection(scope),
        "projection_scale": scale(*p.projection),
        "projection_clip": p.projection_clip,
    }
    return _called(layer, scope, fields, [_scratch(scope)])


def prepare_s16(layer: Layer) -> tuple[Prepared | AsGiven, ...]:
    """The logistic function in steps of 1/24."""
    return (*constant_operands(layer), Prepared("table", int16_table()))


def emit_s16(layer: Layer, scope: Scope) -> Emission:
    """int16, with weights of int8."""
    p = lstm_parameters_16(layer.operator_as(Lstm), layer.inputs, layer.output)
    table = scope.prepared("table", "logistic(i / 24) * 65536 - 32768")
    fields: dict[str, FieldValue] = {
        **_gates(scope, p.gates, has_peepholes=False),
        "kept_scale": scale(*p.kept),
        "added_scale": scale(*p.added),
        "hidden_scale": scale(*p.hidden),
        "gate_curve": _curve(GATE_CURVE, table),
        "cell_curve": _curve(p.curve, table),
        "cell_clip": p.cell_clip,
    }
    return _called(layer, scope, fields, [])


def _curve(curve: CurveParameters, table: str) -> str:
    return nested(
        {"multiplier": curve.multiplier, "right_shift": curve.right_shift, "table": table}
    )


def _scratch(scope: Scope) -> str:
    return "NULL" if scope.scratch is None else scope.scratch.expression


def emit_float(layer: Layer, scope: Scope) -> Emission:
    """float32."""
    operator = layer.operator_as(Lstm)
    fields: dict[str, FieldValue] = {
        **_gates(scope, (None,) * 4),
        **_projection(scope),
        "cell_clip": float_literal(operator.cell_clip),
        "projection_clip": float_literal(operator.projection_clip),
    }
    return _called(layer, scope, fields, [_scratch(scope)])


def _called(
    layer: Layer, scope: Scope, fields: Mapping[str, FieldValue], scratch: Sequence[str]
) -> Emission:
    operator = layer.operator_as(Lstm)
    batches, steps = operator.batches_and_steps(layer.input(0))
    shape = {
        "batches": batches,
        "steps": steps,
        "depth": layer.input(0).shape[2],
        "cells": layer.input(2).shape[1],
        "outputs": layer.output.shape[2],
        "is_time_major": int(operator.time_major),
        "is_backwards": int(operator.backwards),
    }
    suffix = SUFFIX[layer.output.dtype]
    operands = [scope.input(index) for index in range(_STATES)]
    results = [result.expression for result in scope.outputs]
    arguments = ["&kShape", "&kParameters", *operands, *scratch, *results]
    return Emission(
        (
            initializer("tinsmith_lstm_shape", "kShape", shape),
            initializer(f"tinsmith_lstm_parameters_{suffix}", "kParameters", fields),
            call(f"tinsmith_lstm_{suffix}", arguments),
        )
    )


def _gates(
    scope: Scope, parameters: tuple[GateParameters | None, ...], *, has_peepholes: bool = True
) -> dict[str, FieldValue]:
    return {
        name: _gate(scope, number, parameters[number], has_peepholes=has_peepholes)
        for number, name in enumerate(("input", "forget", "cell", "output"))
    }


def _gate(
    scope: Scope, number: int, parameters: GateParameters | None, *, has_peepholes: bool
) -> str:
    fields: dict[str, FieldValue] = {
        "weights": scope.input(3 + number),
        "recurrent": scope.input(7 + number),
        "bias": scope.input(11 + number),
    }
    if has_peepholes:
        fields["peephole"] = scope.input(_PEEPHOLE[number]) if number in _PEEPHOLE else "NULL"
    if parameters is not None:
        fields["weights_scale"] = scale(*parameters.of_input)
        fields["recurrent_scale"] = scale(*parameters.of_output)
    if parameters is not None and has_peepholes:
        fields["peephole_scale"] = scale(*parameters.of_cell)
    return nested(fields)


def _projection(scope: Scope) -> dict[str, FieldValue]:
    return {
        "projection": scope.input(_PROJECTION),
        "projection_bias": scope.input(_PROJECTION + 1),
    }


def _signature(small: DType, of_weights: DType, biases: DType, cells: DType) -> Signature:
    weights, peepholes = (of_weights,) * 8, (cells,) * 3
    operands = (small, small, cells, *weights, *(biases,) * 4, *peepholes, of_weights, biases)
    return Signature(operands, small)


KERNELS = (
    kernel(
        "tinsmith_lstm_s8",
        Lstm,
        _signature(INT8, INT8, INT32, INT16),
        emit_s8,
        (weights_are_constant,),
        scratch_bytes=scratch_bytes,
    ),
    kernel(
        "tinsmith_lstm_s16",
        Lstm,
        _signature(INT16, INT8, INT64, INT16),
        emit_s16,
        (weights_are_constant,),
        prepare=prepare_s16,
    ),
    kernel(
        "tinsmith_lstm_f32",
        Lstm,
        _signature(FLOAT32, FLOAT32, FLOAT32, FLOAT32),
        emit_float,
        (weights_are_constant,),
        scratch_bytes=scratch_bytes,
    ),
)
