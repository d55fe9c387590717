"""Golden cases of operators over axes, and of images in another size. Each family draws its shapes and options."""

import numpy as np
from case_builder import Case, CaseBuilder, Kind, Shape
from tflite_builder import options


def _drawn(b: CaseBuilder, index: int) -> tuple[Shape, list[int], Shape, bool]:
    """A shape, some of its axes (also counted from the end), the shape without them or with 1, and whether with 1."""
    shape = tuple(int(size) for size in b.random.randint(1, 7, 1 + index % 4))
    count = int(b.random.randint(1, len(shape) + 1))
    chosen = sorted(int(axis) for axis in b.random.permutation(len(shape))[:count])
    keep = bool(b.random.randint(2))
    sizes = [1 if axis in chosen else size for axis, size in enumerate(shape)]
    result = sizes if keep else [size for axis, size in enumerate(sizes) if axis not in chosen]
    stored = [axis - (len(shape) if b.random.randint(2) else 0) for axis in chosen]
    return shape, stored, tuple(result), keep


def sum_(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """SUM of float32: TFLite 2.14 reads int8 as unsigned where it rescales."""
    if kind != "FLOAT32":
        return None
    shape, axes, result, keep = _drawn(b, index)
    source, output = b.input(shape, kind), b.output(result, kind)
    operand = b.model.constant("axes", np.array(axes, np.int32))
    chosen = options("ReducerOptions", KeepDims=keep)
    b.model.operator("SUM", [source, operand], [output], chosen)
    return b.finish(output)


def reduce_max(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """REDUCE_MAX."""
    return _extremum(b, kind, index, "REDUCE_MAX")


def reduce_min(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """REDUCE_MIN."""
    return _extremum(b, kind, index, "REDUCE_MIN")


def _extremum(b: CaseBuilder, kind: Kind, index: int, name: str) -> Case:
    shape, axes, result, keep = _drawn(b, index)
    scale, zero_point = b.scale(0.1), b.zero_point(kind)
    source = b.input(shape, kind, scale, zero_point)
    output = b.output(result, kind, scale, zero_point)
    operand = b.model.constant("axes", np.array(axes, np.int32))
    chosen = options("ReducerOptions", KeepDims=keep)
    b.model.operator(name, [source, operand], [output], chosen, version=3 if kind == "INT16" else 2)
    return b.finish(output)


def reduce_any(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """REDUCE_ANY; once, since it has no kinds."""
    return _bools(b, kind, index, "REDUCE_ANY", 0.2)


def reduce_all(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """REDUCE_ALL; once, since it has no kinds."""
    return _bools(b, kind, index, "REDUCE_ALL", 0.8)


def _bools(b: CaseBuilder, kind: Kind, index: int, name: str, share: float) -> Case | None:
    if kind != "INT8":
        return None
    shape, axes, result, keep = _drawn(b, index)
    source = b.plain(np.asarray(b.random.uniform(size=shape) < share), "BOOL")
    output = b.model.tensor("result", result, "BOOL")
    operand = b.model.constant("axes", np.array(axes, np.int32))
    b.model.operator(name, [source, operand], [output], options("ReducerOptions", KeepDims=keep))
    return b.finish(output)


def arg_max(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """ARG_MAX along any axis, among many equal ones too."""
    return _arg(b, kind, index, "ARG_MAX", "ArgMaxOptions")


def arg_min(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """ARG_MIN along any axis."""
    return _arg(b, kind, index, "ARG_MIN", "ArgMinOptions")


def arg_max_int64(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """ARG_MAX and ARG_MIN with a result of int64, TensorFlow's default."""
    name, table = (("ARG_MAX", "ArgMaxOptions"), ("ARG_MIN", "ArgMinOptions"))[index % 2]
    return _arg(b, kind, index, name, table, "INT64")


def _arg(
    b: CaseBuilder, kind: Kind, index: int, name: str, table: str, result: str = "INT32"
) -> Case | None:
    if kind == "INT16":
        return None
    shape = tuple(
        int(size) for size in b.random.randint(1, 200 if index % 4 == 0 else 7, 1 + index % 4)
    )
    axis = int(b.random.randint(len(shape)))
    source = b.input(shape, kind, b.scale(0.1))
    output = b.model.tensor("result", (*shape[:axis], *shape[axis + 1 :]), result)
    operand = b.model.constant(
        "axis", np.array(axis - (len(shape) if index % 3 == 2 else 0), np.int32)
    )
    chosen = options(table, OutputType=2 if result == "INT32" else 4)
    b.model.operator(name, [source, operand], [output], chosen, version=2 if kind == "INT8" else 1)
    return b.finish(output)


def resize_bilinear(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """RESIZE_BILINEAR to any size, in each way to place the elements."""
    batch, height, width, channels = (int(size) for size in b.random.randint(1, 7, 4))
    sizes = np.array(b.random.randint(1, 15, 2), np.int32)
    if index % 5 == 0:
        sizes = np.array(
            [height * b.random.randint(1, 4), width * b.random.randint(1, 4)], np.int32
        )
    scale, zero_point = b.scale(0.1), b.zero_point(kind)
    source = b.input((batch, height, width, channels), kind, scale, zero_point)
    output = b.output((batch, int(sizes[0]), int(sizes[1]), channels), kind, scale, zero_point)
    chosen = options(
        "ResizeBilinearOptions", AlignCorners=index % 3 == 1, HalfPixelCenters=index % 3 == 2
    )
    operands = [source, b.model.constant("size", sizes)]
    b.model.operator(
        "RESIZE_BILINEAR", operands, [output], chosen, version=4 if kind == "INT16" else 3
    )
    return b.finish(output)
