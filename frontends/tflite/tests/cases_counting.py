"""Golden cases of operators that count, and of sin and cos."""

import numpy as np
from case_builder import Case, CaseBuilder, Kind, Shape
from tflite_builder import options

_PAIRS: tuple[tuple[Shape, Shape], ...] = (
    ((2, 3, 5), (2, 3, 5)),
    ((4, 6), (6,)),
    ((2, 1, 3), (4, 1)),
)


def division(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """FLOOR_DIV and FLOOR_MOD of float32, and, as INT8, of int32; divisors of both signs."""
    if kind == "INT16":
        return None
    lhs, rhs = _PAIRS[index // 2 % 3]
    operands: list[int] = []
    for shape, far in ((lhs, 1000), (rhs, 20)):
        drawn = np.asarray(b.random.randint(1, far, shape) * b.random.choice([-1, 1], shape))
        if kind == "INT8":
            operands.append(b.integers(drawn.astype(np.int32)))
        else:
            operands.append(b.plain((drawn / 7).astype(np.float32), "FLOAT32"))
    name, table = (("FLOOR_DIV", "FloorDivOptions"), ("FLOOR_MOD", "FloorModOptions"))[index % 2]
    dtype = "INT32" if kind == "INT8" else "FLOAT32"
    output = b.model.tensor("result", np.broadcast_shapes(lhs, rhs), dtype)
    b.model.operator(name, operands, [output], options(table))
    return b.finish(output)


def cumsum(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """CUMSUM of float32, int32 (as INT8) and int64 (as INT16): either way, with the element and without."""
    shape: Shape = ((7,), (3, 4), (2, 5, 3))[index // 4 % 3]
    drawn = np.asarray(b.random.randint(-1000, 1000, shape))
    dtype, numpy_type = {
        "FLOAT32": ("FLOAT32", np.float32),
        "INT8": ("INT32", np.int32),
        "INT16": ("INT64", np.int64),
    }[kind]
    data = (drawn / 7 if kind == "FLOAT32" else drawn).astype(numpy_type)
    axis = b.model.constant("axis", np.array(b.random.randint(-len(shape), len(shape)), np.int32))
    chosen = options("CumsumOptions", Exclusive=index % 2 == 1, Reverse=index // 2 % 2 == 1)
    output = b.model.tensor("result", shape, dtype)
    b.model.operator("CUMSUM", [b.plain(data, dtype), axis], [output], chosen)
    return b.finish(output)


def one_hot(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """ONE_HOT along any axis, of indices some of which do not exist."""
    if kind == "INT16":
        return None
    shape: Shape = ((4,), (2, 3), (), (2, 1, 3))[index % 4]
    depth = int(b.random.randint(1, 7))
    axis = int(b.random.randint(-1, len(shape) + 1))
    at = len(shape) if axis == -1 else axis
    scale, zero_point = b.scale(0.1), b.zero_point(kind)
    indices = b.integers(np.asarray(b.random.randint(-1, depth + 1, shape), np.int32))
    operands = [
        indices,
        b.model.constant("depth", np.array(depth, np.int32)),
        b.input((), kind, scale, zero_point),
        b.input((), kind, scale, zero_point),
    ]
    output = b.output((*shape[:at], depth, *shape[at:]), kind, scale, zero_point)
    b.model.operator("ONE_HOT", operands, [output], options("OneHotOptions", Axis=axis))
    return b.finish(output)


def trigonometry(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """SIN and COS of small numbers and huge ones."""
    if kind != "FLOAT32":
        return None
    far = (3.0, 100.0, 1e6, 1e30)[index // 2 % 4]
    data = (b.random.uniform(-1, 1, (2, 40)) * far).astype(np.float32)
    output = b.model.tensor("result", data.shape, "FLOAT32")
    name = ("SIN", "COS")[index % 2]
    chosen = None if name == "SIN" else options("CosOptions")
    b.model.operator(name, [b.plain(data, "FLOAT32")], [output], chosen)
    return b.finish(output)
