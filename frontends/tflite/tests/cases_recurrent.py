"""Golden cases of layers with a memory, over several runs."""

from dataclasses import dataclass

import numpy as np
from case_builder import ACTIVATIONS, Case, CaseBuilder, Kind, activation_code
from tflite_builder import options
from tinsmith_ir.types import Quantization

_MICRO_CASES = 8


def symmetric(b: CaseBuilder, name: str, shape: tuple[int, ...], kind: Kind, scale: float) -> int:
    """Constant weights of one scale and zero point 0; of float32 small ones."""
    if kind == "FLOAT32":
        return b.model.constant(name, b.data(shape, kind).astype(np.float32) / 4)
    smallest = -127 if kind == "INT8" else -32767
    data = b.data(shape, kind)
    values = np.maximum(data, np.array(smallest, data.dtype))
    return b.model.constant(name, values, quantization=Quantization.per_tensor(scale, 0))


def svdf(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """SVDF: ranks, with bias or not, batches, a memory of one step too; int8 with a memory of int16."""
    if kind == "INT16":
        return None
    r = b.random.randint
    rank, units, steps, depth, batches = 1 + index % 3, 1 + r(5), 1 + r(6), 1 + r(12), 1 + r(2)
    filters = rank * units
    is_float = kind == "FLOAT32"
    memory: Kind = "FLOAT32" if is_float else "INT16"
    source_scale, feature_scale, time_scale = b.scale(0.05), b.scale(0.01), b.scale(2e-5)
    # So that now and then a product or a result is clamped.
    state_scale = b.scale(source_scale * feature_scale * 74 * 74 * depth**0.5 / 10000)
    spread = state_scale * time_scale * 10000 * 19000 * (rank * steps) ** 0.5
    operands = [
        b.input((batches, depth), kind, source_scale),
        symmetric(b, "features", (filters, depth), kind, feature_scale),
        symmetric(b, "time", (filters, steps), memory, time_scale),
        -1,
        b.variable("memory", (batches, filters * steps), memory, state_scale, 0),
    ]
    if index % 4 != 1:
        limit = int(spread / state_scale / time_scale)
        bias = b.random.randint(-limit, limit + 1, units).astype(np.int32)
        floats = b.random.standard_normal(units).astype(np.float32)
        operands[3] = b.model.constant("bias", floats if is_float else bias)
    activation = ACTIVATIONS[index % 4] if is_float else "RELU"
    result = b.output((batches, units), kind, b.scale(spread / 50))
    table = options("SVDFOptions", Rank=rank, FusedActivationFunction=activation_code(activation))
    b.model.operator("SVDF", operands, [result], table, version=3)
    b.runs = steps + 2
    return b.finish(result)


def unidirectional_sequence_lstm(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """UNIDIRECTIONAL_SEQUENCE_LSTM: with and without input gate, peepholes, projection, clips; by time or by batch."""
    if kind == "INT16":
        return None
    r = b.random.randint
    batches, steps, depth, cells = 1 + r(3), 1 + r(5), 1 + r(9), 1 + r(9)
    is_float = kind == "FLOAT32"
    has_input_gate, has_peepholes = index % 4 != 1, index % 5 == 2
    is_projected = is_float and index % 3 == 1
    outputs = 1 + r(9) if is_projected else cells
    time_major = bool(r(2))
    first = (steps, batches) if time_major else (batches, steps)
    memory: Kind = "FLOAT32" if is_float else "INT16"
    source = b.input((*first, depth), kind, b.scale(0.03))
    result_quantization = b.quantization(kind, b.scale(0.008), None)
    operands = [source]
    # So that gates are neither all open nor all shut.
    for width, near in ((depth, 0.03), (outputs, 0.008)):
        for gate in range(4):
            scale = b.scale(2.0 / (74 * 74 * near * width**0.5))
            is_there = gate > 0 or has_input_gate
            weights = symmetric(b, f"w{len(operands)}", (cells, width), kind, scale)
            operands.append(weights if is_there else -1)
    for gate in range(3):
        is_there = has_peepholes and (gate > 0 or has_input_gate)
        peephole = symmetric(b, f"p{gate}", (cells,), memory, b.scale(5e-5))
        operands.append(peephole if is_there else -1)
    for gate in range(4):
        floats = b.random.standard_normal(cells).astype(np.float32)
        integers = b.random.randint(-6000, 6000, cells).astype(np.int32)
        bias = b.model.constant(f"b{gate}", floats if is_float else integers)
        operands.append(bias if gate > 0 or has_input_gate else -1)
    operands += [-1, -1]
    if is_projected:
        operands[16] = symmetric(b, "projection", (outputs, cells), kind, 1.0)
        if index % 2:
            floats = b.random.standard_normal(outputs).astype(np.float32)
            operands[17] = b.model.constant("pb", floats)
    exponent = -9 - index % 7
    state = b.model.tensor(
        "h", (batches, outputs), kind, quantization=result_quantization, IsVariable=1
    )
    operands += [state, b.variable("c", (batches, cells), memory, 2.0**exponent, 0)]
    result = b.model.tensor("result", (*first, outputs), kind, quantization=result_quantization)
    inside: list[int] = []
    if not is_float:
        empty = [b.model.tensor(f"inside{gate}", (0,)) for gate in range(4)]
        inside = [*empty, b.model.tensor("inside4", (0,), kind, quantization=result_quantization)]
    clips = {"CellClip": float(r(1, 4)), "ProjClip": 0.5} if index % 4 == 3 else {}
    table = options(
        "UnidirectionalSequenceLSTMOptions",
        FusedActivationFunction=activation_code("TANH"),
        TimeMajor=time_major,
        **clips,
    )
    b.model.operator(
        "UNIDIRECTIONAL_SEQUENCE_LSTM", operands, [result], table, intermediates=inside
    )
    b.runs = 3
    return b.finish(result)


def projected_lstm(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """UNIDIRECTIONAL_SEQUENCE_LSTM of int8 whose cells are projected, to fewer or more; with a bias or not, a clip."""
    return _integers(b, index, _PROJECTED) if kind == "INT8" else None


def lstm_of_micro(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """UNIDIRECTIONAL_SEQUENCE_LSTM of int16 with int8 weights, which TFLite Micro has alone."""
    return _integers(b, index, _OF_MICRO) if kind == "INT16" else None


def micro_cases() -> list[Case]:
    """Those of `tools/make_micro_goldens.py`."""
    names = (f"lstm_of_micro_int16_{index}" for index in range(_MICRO_CASES))
    found = (lstm_of_micro(CaseBuilder(name), "INT16", at) for at, name in enumerate(names))
    return [case for case in found if case is not None]


@dataclass(frozen=True)
class _Family:
    """Of layers without peephole weights. bias: its type. source, result: scales about which those are."""

    kind: Kind
    bias: type[np.integer]
    source: float
    result: float
    is_projected: bool


_PROJECTED = _Family("INT8", np.int32, 0.03, 0.008, is_projected=True)
_OF_MICRO = _Family("INT16", np.int64, 1.2e-4, 3e-5, is_projected=False)


def _integers(b: CaseBuilder, index: int, family: _Family) -> Case:
    r, kind = b.random.randint, family.kind
    batches, steps, depth, cells = 1 + r(3), 1 + r(5), 1 + r(9), 1 + r(9)
    outputs = 1 + r(9) if family.is_projected else cells
    has_input_gate = not family.is_projected or index % 4 != 1
    time_major = bool(r(2))
    first = (steps, batches) if time_major else (batches, steps)
    operands = [b.input((*first, depth), kind, b.scale(family.source))]
    near_zero = 0 if kind == "INT16" else None
    of_result = b.quantization(kind, b.scale(family.result), near_zero)
    spread = 74.0 if kind == "INT8" else 19000.0
    for width, near in ((depth, family.source), (outputs, family.result)):
        for gate in range(4):
            scale = b.scale(2.0 / (74 * spread * near * width**0.5))
            is_there = gate > 0 or has_input_gate
            weights = symmetric(b, f"w{len(operands)}", (cells, width), "INT8", scale)
            operands.append(weights if is_there else -1)
    operands += [-1, -1, -1]
    limit = int(74 * spread)
    for gate in range(4):
        bias = b.model.constant(f"b{gate}", r(-limit, limit, cells).astype(family.bias))
        operands.append(bias if gate > 0 or has_input_gate else -1)
    operands += [-1, -1]
    if family.is_projected:
        scale = b.scale(family.result / (74 * 0.008 * cells**0.5))
        operands[16] = symmetric(b, "projection", (outputs, cells), "INT8", scale)
        if index % 2:
            operands[17] = b.model.constant("pb", r(-4000, 4000, outputs).astype(np.int32))
    exponent = -9 - index % 7
    state = b.model.tensor("h", (batches, outputs), kind, quantization=of_result, IsVariable=1)
    operands += [state, b.variable("c", (batches, cells), "INT16", 2.0**exponent, 0)]
    result = b.model.tensor("result", (*first, outputs), kind, quantization=of_result)
    inside: list[int] = []
    if family.is_projected:
        of_hidden = Quantization.per_tensor(b.scale(0.008), int(r(-127, 128)))
        inside = [b.model.tensor(f"inside{gate}", (0,)) for gate in range(4)]
        inside.append(b.model.tensor("inside4", (0,), kind, quantization=of_hidden))
    else:
        operands += [-1] * 4
    clips = {"CellClip": float(r(1, 4)), "ProjClip": 0.5} if index % 4 == 3 else {}
    table = options(
        "UnidirectionalSequenceLSTMOptions",
        FusedActivationFunction=activation_code("TANH"),
        TimeMajor=time_major,
        **clips,
    )
    b.model.operator(
        "UNIDIRECTIONAL_SEQUENCE_LSTM", operands, [result], table, intermediates=inside
    )
    b.runs = 3
    return b.finish(result)


def bidirectional_sequence_lstm(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """BIDIRECTIONAL_SEQUENCE_LSTM: both results as one; with and without input gates, by time or by batch."""
    if kind != "FLOAT32":
        return None
    r = b.random.randint
    time_major, has_input_gate = bool(r(2)), index % 3 != 1
    # By batch, TFLite finds the states of the first alone where both results are one.
    batches, steps, depth = 1 + (r(2) if time_major else 0), 1 + r(5), 1 + r(9)
    first = (steps, batches) if time_major else (batches, steps)
    operands = [b.input((*first, depth), kind)]
    sizes = (1 + r(6),) * 2
    for way, cells in enumerate(sizes):
        for width in (depth, cells):
            for gate in range(4):
                weights = symmetric(b, f"w{way}{width}{gate}", (cells, width), kind, 1.0)
                operands.append(weights if gate > 0 or has_input_gate else -1)
        operands += [-1, -1, -1]
        for gate in range(4):
            bias = b.model.constant(
                f"b{way}{gate}", b.random.standard_normal(cells).astype(np.float32)
            )
            operands.append(bias if gate > 0 or has_input_gate else -1)
        operands += [-1, -1]
    for way, cells in enumerate(sizes):
        operands += [b.variable(f"{name}{way}", (batches, cells), kind) for name in "hc"]
    operands += [-1] * 9
    result = b.output((*first, sum(sizes)), kind)
    table = options(
        "BidirectionalSequenceLSTMOptions",
        FusedActivationFunction=activation_code("TANH"),
        TimeMajor=time_major,
        MergeOutputs=True,
    )
    b.model.operator("BIDIRECTIONAL_SEQUENCE_LSTM", operands, [result], table)
    b.runs = 3
    return b.finish(result)
