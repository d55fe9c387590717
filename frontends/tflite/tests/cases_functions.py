"""Golden cases of functions of one element."""

import numpy as np
from case_builder import ACTIVATIONS, Case, CaseBuilder, Kind, Shape, activation_code
from tflite_builder import Options, options

_SHAPE: Shape = (4, 64)
_PAIR: tuple[Shape, Shape] = ((2, 3, 5), (3, 1))


def leaky_relu(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """LEAKY_RELU: alphas of both signs, scales up and down."""
    scale = b.scale(0.05 if kind == "INT8" else 0.0002)
    shape = b.shape(*_SHAPE)
    source = b.input(shape, kind, scale)
    output = b.output(shape, kind, b.scale(scale))
    chosen = options("LeakyReluOptions", Alpha=(0.2, 0.01, 1.5, -0.7)[index % 4])
    version = 2 if kind == "INT16" else 1
    b.model.operator("LEAKY_RELU", [source], [output], chosen, version=version)
    return b.finish(output)


def hard_swish(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """HARD_SWISH: flat and steep."""
    if kind == "INT16":
        return None
    scale = b.scale((0.001, 0.01, 0.03, 0.05, 0.1, 1.0)[index % 6])
    shape = b.shape(*_SHAPE)
    source = b.input(shape, kind, scale)
    output = b.output(shape, kind, b.scale(scale))
    b.model.operator("HARD_SWISH", [source], [output], options("HardSwishOptions"))
    return b.finish(output)


def prelu(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """PRELU with an alpha per channel, for all, and for each element."""
    if kind == "INT16":
        return None
    alphas: tuple[Shape, ...] = ((7,), (1, 1, 7), (1,), (5, 1, 7), (2, 5, 3, 7))
    shape, alpha_shape = b.shapes((2, 5, 3, 7), alphas[index % 5])
    scale = b.scale(0.05)
    source = b.input(shape, kind, scale)
    alpha = b.input(alpha_shape, kind, b.scale(0.01))
    output = b.output(shape, kind, b.scale(scale))
    b.model.operator("PRELU", [source, alpha], [output])
    return b.finish(output)


def relu_to_1(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """RELU_N1_TO_1 and RELU_0_TO_1, requantizing."""
    if kind == "INT16":
        return None
    scale = b.scale(0.02)
    shape = b.shape(*_SHAPE)
    source = b.input(shape, kind, scale)
    output = b.output(shape, kind, b.scale(scale))
    b.model.operator("RELU_N1_TO_1" if index % 2 else "RELU_0_TO_1", [source], [output])
    return b.finish(output)


def abs_(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """ABS, of the same scale and another."""
    scale = b.scale(0.05 if kind == "INT8" else 0.0002)
    result = scale if index % 2 else b.scale(scale)
    return _function(b, kind, "ABS", scale, (result, b.zero_point(kind)), options("AbsOptions"))


def exp(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """EXP: from flat to steep."""
    largest = (0.1, 1.0, 3.0, 8.0)[index % 4]
    steps = 128 if kind == "INT8" else 32768
    result = b.scale(float(np.exp(largest)) / steps)
    scale = b.scale(largest / steps)
    return _function(b, kind, "EXP", scale, (result, b.zero_point(kind)), options("ExpOptions"))


def elu(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """ELU."""
    if kind == "INT16":
        return None
    scale = b.scale((0.01, 0.03, 0.1)[index % 3])
    return _function(b, kind, "ELU", scale, (b.scale(scale), b.zero_point(kind)))


def rsqrt(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """RSQRT of what is not negative."""
    if kind == "INT16":
        return None
    scale = b.scale((0.001, 0.05, 1.0)[index % 3])
    shape = b.shape(*_SHAPE)
    source = b.input(shape, kind, scale, -128)
    output = b.output(shape, kind, b.scale(0.02 / scale**0.5))
    b.model.operator("RSQRT", [source], [output], version=2)
    return b.finish(output)


def of_floats(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """CEIL, FLOOR, LOG, NEG, ROUND, SIGN, SQRT and SQUARE; NaN where they are not defined."""
    name = ("CEIL", "FLOOR", "LOG", "NEG", "ROUND", "SIGN", "SQRT", "SQUARE")[index % 8]
    if kind != "FLOAT32":
        return None
    # Later ones of positive numbers, without NaN, and few: of four at once TFLite's CEIL loses the sign of a zero.
    shape: Shape = (2, 8) if index < 8 else (3,)
    chosen = {"NEG": "NegOptions", "SIGN": "SignOptions", "SQUARE": "SquareOptions"}.get(name)
    return _function(
        b,
        kind,
        name,
        1.0,
        (1.0, 0),
        options(chosen) if chosen else None,
        shape,
        positive=index >= 8,
    )


def gelu(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """GELU by erfc."""
    return _gelu(b, kind, index, approximate=False)


def gelu_by_tanh(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """GELU by tanh."""
    return _gelu(b, kind, index, approximate=True)


def squared_difference(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """SQUARED_DIFFERENCE, with broadcasting."""
    if kind == "INT16":
        return None
    scales = (b.scale(0.05), b.scale(0.02))
    # A ratio of the squares above 1 would end TFLite's process.
    result = max(scales) ** 2 * (1, 16, 100)[index % 3]
    pair = b.shapes(*_PAIR)
    operands = [b.input(pair[place], kind, scales[place]) for place in (index % 2, 1 - index % 2)]
    output = b.output(pair[0], kind, result)
    chosen = options("SquaredDifferenceOptions")
    b.model.operator("SQUARED_DIFFERENCE", operands, [output], chosen, version=2)
    return b.finish(output)


def div(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """DIV, with broadcasting and activations."""
    if kind != "FLOAT32":
        return None
    pair = b.shapes(*_PAIR)
    operands = [b.input(pair[place], kind) for place in (index % 2, 1 - index % 2)]
    output = b.output(pair[0], kind)
    activation = activation_code(ACTIVATIONS[index % 4])
    chosen = options("DivOptions", FusedActivationFunction=activation)
    b.model.operator("DIV", operands, [output], chosen)
    return b.finish(output)


def add_n(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """ADD_N of two and more."""
    if kind != "FLOAT32":
        return None
    shape = b.shape(2, 5)
    operands = [b.input(shape, kind) for _ in range(2 + index)]
    output = b.output(shape, kind)
    b.model.operator("ADD_N", operands, [output], options("AddNOptions"))
    return b.finish(output)


def _gelu(b: CaseBuilder, kind: Kind, index: int, *, approximate: bool) -> Case | None:
    if kind == "INT16":
        return None
    scale = b.scale((0.01, 0.03, 0.1)[index % 3])
    chosen = options("GeluOptions", Approximate=approximate)
    shape: Shape = _SHAPE if kind == "INT8" or index else (3,)
    return _function(b, kind, "GELU", scale, (b.scale(scale), b.zero_point(kind)), chosen, shape)


def _function(
    b: CaseBuilder,
    kind: Kind,
    name: str,
    scale: float,
    result: tuple[float, int],
    chosen: Options | None = None,
    shape: Shape = _SHAPE,
    *,
    positive: bool = False,
) -> Case:
    shape = b.shape(*shape)
    source = b.input(shape, kind, scale, positive=positive)
    output = b.output(shape, kind, *result)
    b.model.operator(name, [source], [output], chosen, version=2 if kind == "INT16" else 1)
    return b.finish(output)
