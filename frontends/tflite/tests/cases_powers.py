"""Golden cases of powers, and of normalization by the channels around."""

import numpy as np
from case_builder import Case, CaseBuilder, Kind, Shape
from tflite_builder import options

_POWERS = (2.0, 0.5, 3.0, -0.5, -1.0, 0.75, 1.25, 4.0, -2.0, 1.0, 0.25, 7.0)


def power(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """POW of float32 above 0, and of int32 as INT8."""
    if kind == "INT16":
        return None
    shape = b.shape(2, 3, 4)
    if kind == "FLOAT32":
        data = np.asarray(b.random.uniform(0.1, 4, shape), np.float32)
        source = b.plain(data, "FLOAT32")
        exponent = np.array(_POWERS[index % len(_POWERS)], np.float32)
    else:
        source = b.integers(b.random.randint(-9, 10, shape).astype(np.int32))
        exponent = np.array(1 + index % 7, np.int32)
    operands = [source, b.model.constant("exponent", exponent)]
    output = b.model.tensor("result", shape, "FLOAT32" if kind == "FLOAT32" else "INT32")
    b.model.operator("POW", operands, [output], options("PowOptions"))
    return b.finish(output)


def power_computed(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """POW of float32: both computed, with broadcasting; a constant base; one or many constant exponents."""
    if kind != "FLOAT32":
        return None
    first, second = b.shapes(
        *(((2, 3, 4), (2, 3, 4)), ((2, 3, 4), (4,)), ((3, 1), (2, 1, 5)))[index % 3]
    )
    base = np.asarray(b.random.uniform(0, 6, first), np.float32)
    exponent = np.asarray(b.random.uniform(-5, 5, second), np.float32)
    if index % 4 == 3:  # below zero, by integers and others
        base -= np.float32(3)
        exponent = np.where(exponent < 3, np.round(exponent), exponent)
    form = index // 3 % 4
    if form == 3:
        exponent = np.array((0.3, 0.0, 2.2, -1.0 / 3)[index % 4], np.float32)
        base = np.abs(base)
    lhs = b.model.constant("base", base) if form == 1 else b.plain(base, "FLOAT32")
    rhs = b.plain(exponent, "FLOAT32") if form < 2 else b.model.constant("exponent", exponent)
    shape = np.broadcast_shapes(base.shape, exponent.shape)
    output = b.model.tensor("result", shape, "FLOAT32")
    b.model.operator("POW", [lhs, rhs], [output], options("PowOptions"))
    return b.finish(output)


def local_response_normalization(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """LOCAL_RESPONSE_NORMALIZATION of all channels: of fewer, TFLite's reference kernel leaves out the last one."""
    if kind != "FLOAT32":
        return None
    channels, radius = ((2, 3), (4, 4), (1, 1), (3, 5))[index % 4]
    shape: Shape = (1 + index % 2, 2, 3, channels)
    chosen = options(
        "LocalResponseNormalizationOptions",
        Radius=radius,
        Bias=(1.0, 2.0)[index // 2 % 2],
        Alpha=float(np.float32(b.random.uniform(0.01, 0.5))),
        Beta=(0.75, 0.5, 1.0)[index % 3],
    )
    source, output = b.input(shape, kind), b.output(shape, kind)
    b.model.operator("LOCAL_RESPONSE_NORMALIZATION", [source], [output], chosen)
    return b.finish(output)
