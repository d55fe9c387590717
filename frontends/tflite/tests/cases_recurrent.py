"""Golden cases of layers with a memory, over several runs."""

import numpy as np
from case_builder import ACTIVATIONS, Case, CaseBuilder, Kind, activation_code
from tflite_builder import options
from tinsmith_ir.types import Quantization


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
