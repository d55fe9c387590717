"""Golden cases of the largest elements, products over axes, and arithmetic of plain integers beside int32 sums."""

from typing import Literal

import numpy as np
from case_builder import ACTIVATIONS, Case, CaseBuilder, Kind, Shape, activation_code
from tflite_builder import options


def topk_v2(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """TOPK_V2: its values and, every second time, its indices, with many equal elements; of int32 as INT16."""
    shape: Shape = ((9,), (3, 7), (2, 3, 5))[index // 2 % 3]
    count = int(b.random.randint(1, shape[-1] + 1))
    drawn = np.asarray(b.random.randint(-5, 6, shape))
    dtype: Literal["INT8", "INT32", "FLOAT32"] = "INT32" if kind == "INT16" else kind
    if dtype == "INT8":
        scale, zero_point = b.scale(0.1), b.zero_point(kind)
        source = b.input(shape, kind, scale, zero_point)
        values = b.output((*shape[:-1], count), kind, scale, zero_point)
    else:
        numpy_type = np.int32 if dtype == "INT32" else np.float32
        source = b.plain((drawn / 2 if dtype == "FLOAT32" else drawn).astype(numpy_type), dtype)
        values = b.model.tensor("result", (*shape[:-1], count), dtype)
    k = b.model.constant("k", np.array(count, np.int32))
    indices = b.model.tensor("indices", (*shape[:-1], count), "INT32")
    b.model.operator("TOPK_V2", [source, k], [values, indices], options("TopKV2Options"))
    return b.finish(indices if index % 2 else values)


def reduce_prod(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """REDUCE_PROD of float32, and of int32 as INT8, over some axes, which stay or not."""
    if kind == "INT16":
        return None
    shape: Shape = ((6,), (3, 4), (2, 3, 5))[index % 3]
    axes = sorted(int(axis) for axis in b.random.permutation(len(shape))[: 1 + index % 2])
    axes = axes[: len(shape)]
    keep = bool(b.random.randint(2))
    sizes = [1 if axis in axes else size for axis, size in enumerate(shape)]
    result = sizes if keep else [size for axis, size in enumerate(sizes) if axis not in axes]
    dtype = "INT32" if kind == "INT8" else "FLOAT32"
    drawn = b.random.randint(-6, 7, shape)
    data = drawn.astype(np.int32) if kind == "INT8" else (drawn / 3).astype(np.float32)
    operands = [b.plain(data, dtype), b.model.constant("axes", np.array(axes, np.int32))]
    output = b.model.tensor("result", result, dtype)
    b.model.operator("REDUCE_PROD", operands, [output], options("ReducerOptions", KeepDims=keep))
    return b.finish(output)


def scatter_nd(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """SCATTER_ND by constant indices, of elements and of rows; some several times; of int32 as INT16."""
    shape: Shape = ((8,), (5, 3), (4, 3, 2))[index % 3]
    depth = 1 + index % len(shape)
    size = int(np.prod(shape[:depth]))
    count = int(b.random.randint(1, size + 1))
    places = b.random.permutation(size)[:count]
    if index % 4 == 3 and kind != "INT8":
        places[count // 2 :] = places[0]
    rows = np.stack(np.unravel_index(places, shape[:depth]), axis=-1).astype(np.int32)
    updates: Shape = (count, *shape[depth:])
    dtype = "INT32" if kind == "INT16" else kind
    if kind == "INT8":
        source = b.plain(b.data(updates, kind), "INT8")
    elif kind == "INT16":
        source = b.integers(b.random.randint(-1000, 1000, updates).astype(np.int32))
    else:
        source = b.plain(b.data(updates, kind), dtype)
    operands = [b.model.constant("places", rows), source]
    operands.append(b.model.constant("shape", np.array(shape, np.int32)))
    output = b.model.tensor("result", shape, dtype)
    b.model.operator("SCATTER_ND", operands, [output], options("ScatterNdOptions"))
    return b.finish(output)


def reverse_sequence(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """REVERSE_SEQUENCE by constant lengths, the axis in front of the batch or behind; TFLite has none of int8."""
    if kind == "INT8":
        return None
    shape: Shape = ((3, 5), (4, 2, 3), (2, 3, 4))[index % 3]
    batch, axis = ((0, 1), (1, 0), (1, 2))[index % 3]
    lengths = b.random.randint(1, shape[axis] + 1, shape[batch])
    operands = [b.input(shape, kind, 0.1, 0)]
    operands.append(b.model.constant("lengths", lengths.astype(np.int32)))
    output = b.output(shape, kind, 0.1, 0)
    chosen = options("ReverseSequenceOptions", SeqDim=axis, BatchDim=batch)
    b.model.operator("REVERSE_SEQUENCE", operands, [output], chosen)
    return b.finish(output)


def div_int32(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """DIV of plain int32, with broadcasting and clamps."""
    del kind
    shapes: tuple[Shape, Shape] = (((2, 3, 4), (4,)), ((5, 6), (5, 6)))[index % 2]
    lhs = b.random.randint(-1000, 1000, shapes[0]).astype(np.int32)
    rhs = (b.random.randint(1, 30, shapes[1]) * b.random.choice([-1, 1], shapes[1])).astype(
        np.int32
    )
    output = b.model.tensor("result", shapes[0], "INT32")
    chosen = options("DivOptions", FusedActivationFunction=activation_code(ACTIVATIONS[index % 4]))
    b.model.operator("DIV", [b.integers(lhs), b.integers(rhs)], [output], chosen)
    return b.finish(output)


def arithmetic_of_int64(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """ADD, SUB and MUL of plain int64, beyond 32 bits."""
    del kind
    name = ("ADD", "SUB", "MUL")[index % 3]
    shapes: tuple[Shape, Shape] = (((2, 3, 4), (4,)), ((5, 6), (5, 6)))[index // 3 % 2]
    spread = 2**31 if name == "MUL" else 2**60
    operands = [
        b.plain(b.random.randint(-spread, spread, shape, dtype=np.int64), "INT64")
        for shape in shapes
    ]
    output = b.model.tensor("result", shapes[0], "INT64")
    b.model.operator(name, operands, [output], options(f"{name.title()}Options"))
    return b.finish(output)
