"""Golden cases of element types: casts, int32 arithmetic, weights of float16. The kind does not matter."""

import numpy as np
from case_builder import ACTIVATIONS, Array, Case, CaseBuilder, Kind, activation_code
from tflite_builder import OptionValue, options
from tinsmith_ir.types import Quantization

_DTYPES = {
    "INT8": np.int8,
    "UINT8": np.uint8,
    "INT16": np.int16,
    "INT32": np.int32,
    "INT64": np.int64,
    "FLOAT32": np.float32,
    "BOOL": np.bool_,
}
CASTS = len(_DTYPES) * (len(_DTYPES) - 1)


def cast(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """CAST from each type to each other; floats within the range, beyond which C++ says nothing."""
    pairs = [(source, result) for source in _DTYPES for result in _DTYPES if source != result]
    source, result = pairs[index % CASTS]
    x, y = b.model.tensor("x", (3, 40), source), b.model.tensor("y", (3, 40), result)
    b.model.operator("CAST", [x], [y], options("CastOptions"), version=4)
    return Case(b.name, b.model.finish([x], [y]), (_numbers(b, source, result),))


def _numbers(b: CaseBuilder, source: str, result: str) -> Array:
    """Of any size that `source` has, zeros among them."""
    some = b.random.randint(0, 4, (3, 40)) > 0
    if source == "BOOL":
        return some
    if source == "FLOAT32":
        bits = {"INT8": 7, "UINT8": 8, "INT16": 15, "INT32": 31, "INT64": 63}.get(result, 10)
        sizes = 2.0 ** b.random.uniform(-3, bits - 0.01, (3, 40))
        signs = 1 if result == "UINT8" else b.random.choice([-1, 1], (3, 40))
        return (some * signs * sizes).astype(np.float32)
    bits = 8 * np.dtype(_DTYPES[source]).itemsize
    high = b.random.randint(-(2**31), 2**31, (3, 40), dtype=np.int64)
    wide = high * 2**32 + b.random.randint(0, 2**32, (3, 40), dtype=np.int64)
    return (some * (wide >> (64 - bits))).astype(_DTYPES[source])


def arithmetic_of_int32(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """ADD, SUB, MUL, MINIMUM and MAXIMUM of plain int32, with broadcasting and clamps."""
    name = ("ADD", "SUB", "MUL", "MINIMUM", "MAXIMUM")[index % 5]
    shapes = ((2, 3, 4), (4,)) if index < 5 else ((5, 6), (5, 6))
    spread = 1 << 14
    arrays = tuple(b.random.randint(-spread, spread, shape).astype(np.int32) for shape in shapes)
    if index < 5 and name != "MUL":
        arrays[0][0, 0] = 2**30
    operands = [b.model.tensor("x", array.shape, "INT32") for array in arrays]
    y = b.model.tensor("y", shapes[0], "INT32")
    table, fields = "MaximumMinimumOptions", dict[str, OptionValue]()
    if index % 5 < 3:
        table = f"{name.title()}Options"
        fields["FusedActivationFunction"] = activation_code(ACTIVATIONS[index // 5 % 4])
    b.model.operator(name, operands, [y], options(table, **fields), version=1)
    return Case(b.name, b.model.finish(operands, [y]), arrays)


def quantize_wide(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """QUANTIZE of int16 to int32, and of int32 to int8 and int16."""
    source, result = (("INT16", "INT32"), ("INT32", "INT8"), ("INT32", "INT16"))[index % 3]
    scales = {"INT8": 0.04, "INT16": 0.0002, "INT32": 0.0000013}
    tensors = [
        b.model.tensor(
            name, (2, 80), type_, quantization=Quantization.per_tensor(b.scale(scales[type_]), 0)
        )
        for name, type_ in (("x", source), ("y", result))
    ]
    spread = 1 << (15 if source == "INT16" else 22)
    x = b.random.randint(-spread, spread, (2, 80)).astype(_DTYPES[source])
    b.model.operator("QUANTIZE", tensors[:1], tensors[1:], options("QuantizeOptions"), version=2)
    return Case(b.name, b.model.finish(tensors[:1], tensors[1:]), (x,))


def quantize_shifted(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """QUANTIZE of int16 with a zero point, as SOFTMAX gives it, to int32."""
    x = b.model.tensor(
        "x", (2, 80), "INT16", quantization=Quantization.per_tensor(1 / 65536, -32768)
    )
    scale = b.scale([1 / 32768, 1 / 65536][index])
    y = b.model.tensor("y", (2, 80), "INT32", quantization=Quantization.per_tensor(scale, 0))
    b.model.operator("QUANTIZE", [x], [y], options("QuantizeOptions"), version=2)
    elements = b.random.randint(-(1 << 15), 1 << 15, (2, 80)).astype(np.int16)
    return Case(b.name, b.model.finish([x], [y]), (elements,))


def float16_weights(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """FULLY_CONNECTED with weights and bias of float16, subnormal ones too, behind DEQUANTIZE."""
    x = b.input((2, 5), "FLOAT32")
    widened: list[int] = []
    for name, shape in (("weights", (3, 5)), ("bias", (3,))):
        half = (b.random.standard_normal(shape) * 10.0 ** -(2 * index)).astype(np.float16)
        constant = b.model.tensor(f"{name}_half", shape, "FLOAT16", data=half.tobytes())
        widened.append(b.model.tensor(name, shape))
        b.model.operator("DEQUANTIZE", [constant], [widened[-1]], version=3)
    y = b.output((2, 3), "FLOAT32")
    b.model.operator("FULLY_CONNECTED", [x, *widened], [y], options("FullyConnectedOptions"))
    return b.finish(y)


def moved_integers(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """TRANSPOSE of plain integers and bools."""
    name = ("INT32", "INT64", "BOOL", "UINT8")[index % 4]
    x, y = b.model.tensor("x", (3, 40), name), b.model.tensor("y", (40, 3), name)
    permutation = b.model.constant("permutation", np.array([1, 0], np.int32))
    b.model.operator("TRANSPOSE", [x, permutation], [y], options("TransposeOptions"), version=2)
    return Case(b.name, b.model.finish([x], [y]), (_numbers(b, name, name),))
