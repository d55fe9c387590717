"""Golden cases of functions of one element."""

from case_builder import Case, CaseBuilder, Kind, Shape
from tflite_builder import options

_SHAPE: Shape = (4, 64)


def leaky_relu(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """LEAKY_RELU: alphas of both signs, scales up and down."""
    scale = b.scale(0.05 if kind == "INT8" else 0.0002)
    source = b.input(_SHAPE, kind, scale)
    output = b.output(_SHAPE, kind, b.scale(scale))
    chosen = options("LeakyReluOptions", Alpha=(0.2, 0.01, 1.5, -0.7)[index % 4])
    version = 2 if kind == "INT16" else 1
    b.model.operator("LEAKY_RELU", [source], [output], chosen, version=version)
    return b.finish(output)


def hard_swish(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """HARD_SWISH: flat and steep."""
    if kind == "INT16":
        return None
    scale = b.scale((0.001, 0.01, 0.03, 0.05, 0.1, 1.0)[index % 6])
    source = b.input(_SHAPE, kind, scale)
    output = b.output(_SHAPE, kind, b.scale(scale))
    b.model.operator("HARD_SWISH", [source], [output], options("HardSwishOptions"))
    return b.finish(output)


def prelu(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """PRELU with an alpha per channel, for all, and for each element."""
    if kind == "INT16":
        return None
    shape: Shape = (2, 5, 3, 7)
    alphas: tuple[Shape, ...] = ((7,), (1, 1, 7), (1,), (5, 1, 7), shape)
    scale = b.scale(0.05)
    source = b.input(shape, kind, scale)
    alpha = b.input(alphas[index % 5], kind, b.scale(0.01))
    output = b.output(shape, kind, b.scale(scale))
    b.model.operator("PRELU", [source, alpha], [output])
    return b.finish(output)


def relu_to_1(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """RELU_N1_TO_1 and RELU_0_TO_1, requantizing."""
    if kind == "INT16":
        return None
    scale = b.scale(0.02)
    source = b.input(_SHAPE, kind, scale)
    output = b.output(_SHAPE, kind, b.scale(scale))
    b.model.operator("RELU_N1_TO_1" if index % 2 else "RELU_0_TO_1", [source], [output])
    return b.finish(output)
