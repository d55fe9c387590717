"""Golden cases of operators that work element by element, over an axis, or only move elements."""

from collections.abc import Sequence

import numpy as np
from case_builder import ACTIVATIONS, Case, CaseBuilder, Kind, Shape, activation_code
from tflite_builder import OptionValue, options

_SHAPE_PAIRS: Sequence[tuple[Shape, Shape]] = (
    ((1, 3, 4, 5), (1, 3, 4, 5)),
    ((2, 3, 4, 5), (1, 1, 1, 5)),
    ((1, 1, 4, 1), (2, 3, 1, 5)),
    ((6,), (2, 3, 6)),
    ((2, 7), (1,)),
)


def add(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """ADD, with broadcasting."""
    return _elementwise(b, kind, index, "ADD", "AddOptions")


def sub(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """SUB, with broadcasting."""
    return _elementwise(b, kind, index, "SUB", "SubOptions")


def mul(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """MUL, with broadcasting."""
    return _elementwise(b, kind, index, "MUL", "MulOptions")


def minimum(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """MINIMUM, with broadcasting."""
    return _extremum(b, kind, index, "MINIMUM")


def maximum(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """MAXIMUM, with broadcasting."""
    return _extremum(b, kind, index, "MAXIMUM")


def _extremum(b: CaseBuilder, kind: Kind, index: int, name: str) -> Case | None:
    left, right = b.shapes(*_SHAPE_PAIRS[index % len(_SHAPE_PAIRS)])
    scale, zero_point = b.scale(0.05), b.zero_point(kind)
    operands = [b.input(shape, kind, scale, zero_point) for shape in (left, right)]
    output = b.output(np.broadcast_shapes(left, right), kind, scale, zero_point)
    b.model.operator(name, operands, [output], options("MaximumMinimumOptions"), version=4)
    return b.finish(output)


def _elementwise(b: CaseBuilder, kind: Kind, index: int, name: str, table: str) -> Case | None:
    left, right = b.shapes(*_SHAPE_PAIRS[index % len(_SHAPE_PAIRS)])
    steps = 256 if kind == "INT8" else 65536
    scales = [b.scale(8 / steps), b.scale((8 if index % 3 else 1) / steps)]
    if index == 7:
        scales[1] = scales[0]
    scale = b.scale((16 if name == "MUL" else 10) / steps)
    operands = [b.input(left, kind, scales[0]), b.input(right, kind, scales[1])]
    output = b.output(np.broadcast_shapes(left, right), kind, scale)
    activation = activation_code(ACTIVATIONS[(index // 2) % 4])
    fields: dict[str, OptionValue] = {} if name == "MUL" else {"PotScaleInt16": False}
    chosen = options(table, FusedActivationFunction=activation, **fields)
    b.model.operator(name, operands, [output], chosen, version=2)
    return b.finish(output)


def mean(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """MEAN over several axes, of the same scale or another."""
    shape = b.shape(*((2, 5, 3, 7) if index % 4 else (1, 4, 4, 6)))
    axes = [(1, 2), (2, 1), (3,), (1,), (-1, 0), (0, 1, 2, 3), (1, 2), (2, 3)][index % 8]
    keep = bool((index // 2) % 2)
    positive = {axis % 4 for axis in axes}
    sizes = [1 if axis in positive else size for axis, size in enumerate(shape)]
    result = tuple(sizes) if keep else tuple(np.delete(sizes, sorted(positive)).tolist())
    scale, zero_point = b.scale(0.05 if kind == "INT8" else 0.0002), b.zero_point(kind)
    source = b.input(shape, kind, scale, zero_point)
    same = (scale, zero_point) if index % 3 == 1 else (b.scale(scale / 3), None)
    output = b.output(result, kind, *same)
    operand = b.model.constant("axes", np.array(axes, np.int32))
    chosen = options("ReducerOptions", KeepDims=keep)
    b.model.operator("MEAN", [source, operand], [output], chosen, version=2)
    return b.finish(output)


def softmax(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """SOFTMAX: betas, scales, dimensions."""
    shape = b.shape(*[(1, 10), (3, 4), (2, 2, 3, 5), (2, 3, 9), (1, 70)][index % 5])
    beta = [1.0, 0.5, 2.0, 1.0, 10.0, 0.1][index % 6]
    scale = b.scale(([0.1, 0.5, 0.01][index % 3]) / (1 if kind == "INT8" else 256))
    source = b.input(shape, kind, scale)
    output = b.output(
        shape, kind, 1 / 256 if kind == "INT8" else 1 / 32768, -128 if kind == "INT8" else 0
    )
    b.model.operator("SOFTMAX", [source], [output], options("SoftmaxOptions", Beta=beta), version=2)
    return b.finish(output)


def softmax_wide(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """SOFTMAX of int8 to int16, of short and long rows."""
    shape = b.shape(*[(1, 10), (3, 4), (2, 2, 3, 5), (1, 700)][index % 4])
    source = b.input(shape, "INT8", b.scale([0.1, 0.5, 0.01][index % 3]))
    output = b.output(shape, "INT16", [1 / 65536, 1 / 65535][index % 2], -32768)
    chosen = options("SoftmaxOptions", Beta=[1.0, 0.5][index % 2])
    b.model.operator("SOFTMAX", [source], [output], chosen, version=3)
    return b.finish(output)


def reshape(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """RESHAPE, SQUEEZE and EXPAND_DIMS."""
    shape: Shape = (2, 1, 3, 1, 4)
    result: Shape = [(6, 4), (2, 3, 4), (2, 3, 1, 4), (2, 1, 1, 3, 1, 4)][index % 4]
    scale, zero_point = b.scale(0.1), b.zero_point(kind)
    source = b.input(shape, kind, scale, zero_point)
    output = b.output(result, kind, scale, zero_point)
    if index % 4 == 0:
        operand = b.model.constant("shape", np.array([-1, 4], np.int32))
        b.model.operator("RESHAPE", [source, operand], [output], options("ReshapeOptions"))
    elif index % 4 == 1:
        b.model.operator("SQUEEZE", [source], [output], options("SqueezeOptions"))
    elif index % 4 == 2:
        b.model.operator("SQUEEZE", [source], [output], options("SqueezeOptions", SqueezeDims=(1,)))
    else:
        operand = b.model.constant("axis", np.array(-5, np.int32))
        b.model.operator("EXPAND_DIMS", [source, operand], [output], options("ExpandDimsOptions"))
    return b.finish(output)


def pad(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """PAD with the zero point, PADV2 with a constant."""
    shape = b.shape(*((1, 3, 4, 2) if index % 2 else (5, 3)))
    widths = b.random.randint(0, 3, (len(shape), 2)).astype(np.int32)
    scale, zero_point = b.scale(0.1), b.zero_point(kind)
    source = b.input(shape, kind, scale, zero_point)
    result = tuple(int(n + w.sum()) for n, w in zip(shape, widths, strict=True))
    output = b.output(result, kind, scale, zero_point)
    operands = [source, b.model.constant("paddings", widths)]
    if index < 3:
        b.model.operator("PAD", operands, [output], options("PadOptions"), version=2)
    else:
        value = b.data((1,), kind)
        quantization = b.quantization(kind, scale, zero_point)
        operands.append(b.model.constant("value", value, quantization=quantization))
        b.model.operator("PADV2", operands, [output], options("PadV2Options"), version=2)
    return b.finish(output)


def transpose(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """TRANSPOSE."""
    permutation = [(0, 2, 1), (0, 3, 1, 2), (1, 0), (3, 1, 0, 2)][index % 4]
    shape = tuple(int(size) for size in b.random.randint(1, 6, len(permutation)))
    scale, zero_point = b.scale(0.1), b.zero_point(kind)
    source = b.input(shape, kind, scale, zero_point)
    output = b.output(tuple(shape[axis] for axis in permutation), kind, scale, zero_point)
    operand = b.model.constant("permutation", np.array(permutation, np.int32))
    b.model.operator(
        "TRANSPOSE", [source, operand], [output], options("TransposeOptions"), version=2
    )
    return b.finish(output)


def concatenation(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """CONCATENATION of inputs that share the result's quantization."""
    axis = [-1, 1, 0, 2][index % 4]
    scale, zero_point = b.scale(0.05), b.zero_point(kind)
    shapes = [[2, 3, 4] for _ in range(2 + index % 2)]
    for shape in shapes:
        shape[axis] = 1 + int(b.random.randint(4))
    operands = [b.input(tuple(shape), kind, scale, zero_point) for shape in shapes]
    result = list(shapes[0])
    result[axis] = sum(shape[axis] for shape in shapes)
    output = b.output(tuple(result), kind, scale, zero_point)
    chosen = options("ConcatenationOptions", Axis=axis)
    b.model.operator("CONCATENATION", operands, [output], chosen, version=2)
    return b.finish(output)


def relu(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """RELU and RELU6, requantizing."""
    scale = b.scale(0.07 if kind == "INT8" else 0.0003)
    shape = b.shape(2, 60)
    source = b.input(shape, kind, scale)
    output = b.output(shape, kind, b.scale(scale))
    b.model.operator("RELU" if index % 2 else "RELU6", [source], [output], version=2)
    return b.finish(output)


def logistic(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """LOGISTIC: flat and steep, near powers of two and other scales."""
    return _curve(b, kind, index, "LOGISTIC", (1 / 256, -128))


def tanh(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """TANH, the same; the result of int8 with other scales, too."""
    other = (b.scale(1 / 100), b.zero_point(kind))
    return _curve(b, kind, index, "TANH", (1 / 128, 0) if index % 3 else other)


def _curve(
    b: CaseBuilder, kind: Kind, index: int, name: str, result: tuple[float, int]
) -> Case | None:
    if kind == "INT16":
        # The first three count as powers of two or, of LOGISTIC's, the third does not.
        scales = (
            2.0**-12,
            2.0**-12 * 1.0006,
            2.0**-11,
            b.scale(0.0001),
            b.scale(0.001),
            b.scale(1),
        )
        scale, result = float(np.float32(scales[index % 6])), (1 / 32768, 0)
    else:
        scale = b.scale((0.001, 0.01, 0.03, 0.05, 0.1, 1.0)[index % 6])
    shape = b.shape(*((4, 64) if kind == "INT8" else (3, 50)))
    source = b.input(shape, kind, scale)
    output = b.output(shape, kind, *result)
    b.model.operator(name, [source], [output], version=3 if kind == "INT16" else 2)
    return b.finish(output)


def quantize(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """QUANTIZE from float32, and from one scale to another."""
    if kind == "FLOAT32":
        return None
    from_float = index % 2 == 0
    shape = b.shape(2, 80)
    source = b.input(shape, "FLOAT32" if from_float else kind, b.scale(0.03))
    output = b.output(shape, kind, b.scale(0.03 if kind == "INT8" else 0.0002))
    b.model.operator("QUANTIZE", [source], [output], options("QuantizeOptions"), version=1)
    return b.finish(output)


def requantize_between_widths(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """QUANTIZE from int16 to int8 and back."""
    if kind == "FLOAT32":
        return None
    other: Kind = "INT16" if kind == "INT8" else "INT8"
    scales = {"INT8": 0.03, "INT16": 0.0002}
    shape = b.shape(2, 80)
    source = b.input(shape, other, b.scale(scales[other]))
    output = b.output(shape, kind, b.scale(scales[kind]))
    b.model.operator("QUANTIZE", [source], [output], options("QuantizeOptions"), version=2)
    return b.finish(output)


def dequantize(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """DEQUANTIZE."""
    if kind == "FLOAT32":
        return None
    shape = b.shape(2, 80)
    source = b.input(shape, kind, b.scale(0.03))
    output = b.output(shape, "FLOAT32")
    b.model.operator("DEQUANTIZE", [source], [output], options("DequantizeOptions"), version=2)
    return b.finish(output)
