"""Golden cases of operators that only move elements: by indices, repeated, or between blocks and channels.

Each family draws its shapes and options, so that any number of its cases can be made.
"""

import math

import numpy as np
from case_builder import Case, CaseBuilder, Kind, Shape
from tflite_builder import options


def _shape(b: CaseBuilder, rank: int, largest: int = 6) -> Shape:
    return tuple(int(size) for size in b.random.randint(1, largest + 1, rank))


def _one_operator(
    b: CaseBuilder,
    kind: Kind,
    shapes: tuple[Shape, Shape],
    name: str,
    table: str,
    constants: tuple[np.ndarray, ...] = (),
    version: int = 2,
    **fields: int | bool,
) -> Case:
    """An input of the first shape and constants behind it, a result of the second shape in the same quantization."""
    scale, zero_point = b.scale(0.1), b.zero_point(kind)
    source = b.input(shapes[0], kind, scale, zero_point)
    output = b.output(shapes[1], kind, scale, zero_point)
    operands = [source, *(b.model.constant(f"c{i}", it) for i, it in enumerate(constants))]
    chosen = options(table, **fields) if table else None
    b.model.operator(name, operands, [output], chosen, version=version)
    return b.finish(output)


def _ints(*elements: int) -> np.ndarray:
    return np.array(elements, np.int32)


def pack(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """PACK along any axis, also a new last one."""
    shape = _shape(b, 1 + index % 3, 4)
    count = int(b.random.randint(1, 4))
    axis = int(b.random.randint(0, len(shape) + 1))
    result = (*shape[:axis], count, *shape[axis:])
    scale, zero_point = b.scale(0.1), b.zero_point(kind)
    operands = [b.input(shape, kind, scale, zero_point) for _ in range(count)]
    output = b.output(result, kind, scale, zero_point)
    stored = axis - (len(result) if b.random.randint(2) else 0)
    b.model.operator(
        "PACK",
        operands,
        [output],
        options("PackOptions", ValuesCount=count, Axis=stored),
        version=2,
    )
    return b.finish(output)


def gather(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """GATHER by indices of no, one or two dimensions: constants of both types, or computed."""
    shape = _shape(b, 1 + index % 4, 5)
    axis = int(b.random.randint(len(shape)))
    of = _shape(b, int(b.random.randint(3)), 4)
    indices = np.asarray(b.random.randint(0, shape[axis], of), np.int32)
    result = (*shape[:axis], *of, *shape[axis + 1 :])
    scale, zero_point = b.scale(0.1), b.zero_point(kind)
    source = b.input(shape, kind, scale, zero_point)
    if index % 2:
        operand = b.integers(indices)
    else:
        wide = indices.astype(np.int64) if b.random.randint(2) else indices
        operand = b.model.constant("indices", wide)
    output = b.output(result, kind, scale, zero_point)
    stored = axis - (len(shape) if b.random.randint(2) else 0)
    b.model.operator(
        "GATHER", [source, operand], [output], options("GatherOptions", Axis=stored), version=2
    )
    return b.finish(output)


def gather_batches(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """GATHER with one or two batch dimensions, along the axis behind them or a later one."""
    shape = _shape(b, 3 + index % 2, 5)
    batches = 1 + int(b.random.randint(2))
    axis = int(b.random.randint(batches, len(shape)))
    rest = _shape(b, int(b.random.randint(3)), 4)
    indices = np.asarray(b.random.randint(0, shape[axis], (*shape[:batches], *rest)), np.int32)
    scale, zero_point = b.scale(0.1), b.zero_point(kind)
    source = b.input(shape, kind, scale, zero_point)
    operand = b.integers(indices) if index % 2 else b.model.constant("indices", indices)
    result = (*shape[:axis], *rest, *shape[axis + 1 :])
    output = b.output(result, kind, scale, zero_point)
    chosen = options("GatherOptions", Axis=axis, BatchDims=batches)
    b.model.operator("GATHER", [source, operand], [output], chosen, version=2)
    return b.finish(output)


def gather_nd(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """GATHER_ND of elements, or of rows."""
    shape = _shape(b, 2 + index % 3, 4)
    count = int(b.random.randint(1, len(shape) + 1))
    of = _shape(b, int(b.random.randint(1, 3)), 4)
    columns = [b.random.randint(0, size, of) for size in shape[:count]]
    indices = np.stack(columns, -1).astype(np.int32)
    return _one_operator(
        b, kind, (shape, (*of, *shape[count:])), "GATHER_ND", "GatherNdOptions", (indices,)
    )


def gather_nd_computed(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """GATHER_ND by indices that each run brings."""
    shape = _shape(b, 2 + index % 3, 4)
    count = 1 + index % len(shape)
    of = _shape(b, int(b.random.randint(1, 3)), 4)
    columns = [b.random.randint(0, size, of) for size in shape[:count]]
    scale, zero_point = b.scale(0.1), b.zero_point(kind)
    operands = [b.input(shape, kind, scale, zero_point)]
    operands.append(b.integers(np.stack(columns, -1).astype(np.int32)))
    output = b.output((*of, *shape[count:]), kind, scale, zero_point)
    b.model.operator("GATHER_ND", operands, [output], options("GatherNdOptions"))
    return b.finish(output)


def embedding_lookup(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """EMBEDDING_LOOKUP of rows of a constant table."""
    if kind == "INT16":
        return None
    shape = _shape(b, 2 + index % 2, 6)
    indices = b.random.randint(0, shape[0], int(b.random.randint(1, 6))).astype(np.int32)
    scale, zero_point = b.scale(0.1), 0
    quantization = b.quantization(kind, scale, zero_point)
    table = b.model.constant("table", b.data(shape, kind), quantization=quantization)
    output = b.output((len(indices), *shape[1:]), kind, scale, zero_point)
    b.model.operator("EMBEDDING_LOOKUP", [b.integers(indices), table], [output])
    return b.finish(output)


def resize_nearest_neighbor(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """RESIZE_NEAREST_NEIGHBOR to a multiple, or to any size, in each way to place the elements."""
    batch, height, width, channels = shape = _shape(b, 4, 6)
    sizes = _ints(*b.random.randint(1, 14, 2))
    if index % 5 == 0:
        sizes = _ints(height * b.random.randint(1, 4), width * b.random.randint(1, 4))
    return _one_operator(
        b,
        kind,
        (shape, (batch, *(int(size) for size in sizes), channels)),
        "RESIZE_NEAREST_NEIGHBOR",
        "ResizeNearestNeighborOptions",
        (sizes,),
        AlignCorners=index % 4 in (1, 3),
        HalfPixelCenters=index % 4 in (2, 3),
    )


def reverse_v2(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """REVERSE_V2 along an axis."""
    shape = _shape(b, 1 + index % 4, 5)
    axis = _ints(b.random.randint(len(shape)))
    return _one_operator(b, kind, (shape, shape), "REVERSE_V2", "ReverseV2Options", (axis,))


def tile(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """TILE along all axes."""
    shape = _shape(b, 1 + index % 4, 4)
    times = _ints(*b.random.randint(1, 4, len(shape)))
    result = tuple(int(size * count) for size, count in zip(shape, times, strict=True))
    return _one_operator(b, kind, (shape, result), "TILE", "TileOptions", (times,))


def broadcast_to(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """BROADCAST_TO a shape of as many dimensions, or more."""
    shape = _shape(b, 1 + index % 5, 4)
    rank = 1 + index % 5 - int(b.random.randint(1 + index % 5))
    source = tuple(1 if b.random.randint(2) else size for size in shape[len(shape) - rank :])
    return _one_operator(
        b, kind, (source, shape), "BROADCAST_TO", "BroadcastToOptions", (_ints(*shape),)
    )


def mirror_pad(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """MIRROR_PAD with the border, or without it."""
    shape = _shape(b, 1 + index // 2 % 4, 5)
    most = [size - 1 + index % 2 for size in shape]
    paddings = np.array([b.random.randint(0, size + 1, 2) for size in most], np.int32)
    result = tuple(int(size) for size in shape + paddings.sum(axis=1))
    return _one_operator(
        b, kind, (shape, result), "MIRROR_PAD", "MirrorPadOptions", (paddings,), Mode=index % 2
    )


def space_to_depth(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """SPACE_TO_DEPTH in blocks of 2 and others."""
    block = [2, 3, 1, 4][index % 4]
    batch, height, width, channels = _shape(b, 4, 4)
    shape = (batch, height * block, width * block, channels)
    result = (batch, height, width, channels * block * block)
    return _one_operator(
        b, kind, (shape, result), "SPACE_TO_DEPTH", "SpaceToDepthOptions", BlockSize=block
    )


def depth_to_space(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """DEPTH_TO_SPACE in blocks of 2 and others."""
    block = [2, 3, 1, 4][index % 4]
    batch, height, width, channels = _shape(b, 4, 4)
    shape = (batch, height, width, channels * block * block)
    result = (batch, height * block, width * block, channels)
    return _one_operator(
        b,
        kind,
        (shape, result),
        "DEPTH_TO_SPACE",
        "DepthToSpaceOptions",
        version=1,
        BlockSize=block,
    )


def space_to_batch_nd(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """SPACE_TO_BATCH_ND over one axis or two, padded so that blocks fit."""
    count = 1 + (index + 1) % 2
    shape = _shape(b, 2 + count, 6)
    block = b.random.randint(1, 4, count)
    paddings: list[list[int]] = []
    sizes: list[int] = []
    for size, length in zip(block, shape[1:], strict=False):
        before = int(b.random.randint(3))
        after = int(-(length + before) % size + size * b.random.randint(2))
        paddings.append([before, after])
        sizes.append(int((length + before + after) // size))
    result = (shape[0] * math.prod(block), *sizes, shape[-1])
    constants = block.astype(np.int32), np.array(paddings, np.int32)
    return _one_operator(
        b, kind, (shape, result), "SPACE_TO_BATCH_ND", "SpaceToBatchNDOptions", constants
    )


def batch_to_space_nd(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """BATCH_TO_SPACE_ND over one axis or two, cropped."""
    count = 1 + (index + 1) % 2
    images, *sizes = _shape(b, 2 + count, 5)
    block = b.random.randint(1, 4, count)
    grown = [int(size * length) for size, length in zip(block, sizes, strict=False)]
    crops = np.zeros((count, 2), np.int32)
    if index % 3:
        crops[:, 0] = [b.random.randint(size) for size in grown]
        left = [size - before for size, before in zip(grown, crops[:, 0], strict=True)]
        crops[:, 1] = [b.random.randint(size) for size in left]
    result = (images, *(int(size) for size in grown - crops.sum(axis=1)), sizes[-1])
    shape = (images * math.prod(block), *sizes)
    constants = block.astype(np.int32), crops
    return _one_operator(
        b, kind, (shape, result), "BATCH_TO_SPACE_ND", "BatchToSpaceNDOptions", constants
    )


def fill(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """FILL with a computed scalar."""
    shape = _shape(b, index % 4, 5)
    scale, zero_point = b.scale(0.1), b.zero_point(kind)
    value = b.input((), kind, scale, zero_point)
    output = b.output(shape, kind, scale, zero_point)
    b.model.operator(
        "FILL",
        [b.model.constant("dims", np.array(shape, np.int32)), value],
        [output],
        options("FillOptions"),
    )
    return b.finish(output)


def zeros_like(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """ZEROS_LIKE, whose zeros of integers are stored ones."""
    if kind != "FLOAT32":
        return None
    shape = _shape(b, 1 + index % 4, 5)
    return _one_operator(b, kind, (shape, shape), "ZEROS_LIKE", "ZerosLikeOptions", version=1)
