"""Golden cases of operators that take parts of a tensor."""

from dataclasses import dataclass

import numpy as np
from case_builder import Case, CaseBuilder, Kind, Shape
from tflite_builder import Options, options


@dataclass(frozen=True)
class _Strided:
    """A STRIDED_SLICE: its operands, the masks that are not 0, and the shape of its result."""

    begin: Shape
    end: Shape
    strides: Shape
    result: Shape
    begin_mask: int = 0
    end_mask: int = 0
    ellipsis: int = 0
    new: int = 0
    shrink: int = 0

    @property
    def options(self) -> Options:
        return options(
            "StridedSliceOptions",
            BeginMask=self.begin_mask,
            EndMask=self.end_mask,
            EllipsisMask=self.ellipsis,
            NewAxisMask=self.new,
            ShrinkAxisMask=self.shrink,
        )


_STRIDED_SHAPE = (2, 5, 4, 3)
_STRIDED = (
    _Strided((0, 1, 0, 1), (2, 4, 4, 3), (1, 1, 1, 1), (2, 3, 4, 2)),
    _Strided((0, 0, 1, 0), (2, 5, 4, 3), (1, 2, 3, 1), (2, 3, 1, 3)),
    _Strided((1, 4, -1, 0), (-3, -6, -4, 3), (-1, -2, -1, 1), (2, 3, 3, 3)),
    _Strided((1, 9, 3, -9), (2, -9, 9, 9), (1, -3, 1, 1), (1, 2, 1, 3)),
    _Strided((1, 3, -2, 1), (0, 0, 0, 3), (1, -1, 1, 1), (2, 4, 2), 0b1, 0b11, shrink=0b100),
    _Strided((0, 2, -1, 1), (1, 3, 0, 2), (1, 1, 1, 1), (), shrink=0b1111),
    _Strided((1, 0), (2, 3), (1, 2), (1, 2, 4, 3)),
    _Strided((0, -1), (0, 0), (1, 1), (2, 5, 4), ellipsis=0b1, shrink=0b10),
    _Strided((1, 0, 0, 2), (2, 0, 0, 3), (1, 1, 1, 1), (1, 1, 5, 4, 1), ellipsis=0b100, new=0b10),
    _Strided((0, 0, 1, 0), (0, 2, 3, 0), (1, 1, 1, 1), (1, 2, 2, 4, 3), new=0b1, end_mask=0b1000),
)


def slice_(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """SLICE, also to the end of an axis."""
    shape: Shape = [(2, 5, 4, 3), (6, 7), (9,), (1, 6, 5, 2, 3)][index % 4]
    begin = np.array([b.random.randint(0, size) for size in shape], np.int32)
    sizes = np.array(
        [1 + b.random.randint(0, size - at) for size, at in zip(shape, begin, strict=True)],
        np.int32,
    )
    asked = sizes.copy()
    if index % 2:
        asked[-1] = -1
        sizes[-1] = shape[-1] - begin[-1]
    scale, zero_point = b.scale(0.1), b.zero_point(kind)
    source = b.input(shape, kind, scale, zero_point)
    output = b.output(tuple(int(size) for size in sizes), kind, scale, zero_point)
    operands = [source, b.model.constant("begin", begin), b.model.constant("size", asked)]
    b.model.operator("SLICE", operands, [output], options("SliceOptions"), version=2)
    return b.finish(output)


def strided_slice(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """STRIDED_SLICE: indices from the end and beyond it, strides backwards, all masks."""
    case = _STRIDED[index]
    scale, zero_point = b.scale(0.1), b.zero_point(kind)
    source = b.input(_STRIDED_SHAPE, kind, scale, zero_point)
    output = b.output(case.result, kind, scale, zero_point)
    numbers = {"begin": case.begin, "end": case.end, "strides": case.strides}
    constants = [b.model.constant(name, np.array(it, np.int32)) for name, it in numbers.items()]
    operands = [source, *constants]
    b.model.operator("STRIDED_SLICE", operands, [output], case.options, version=2)
    return b.finish(output)


STRIDED_SLICES = len(_STRIDED)


def split(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """SPLIT into equal parts, of which one is the output."""
    axis = [1, -1, 0][index % 3]
    shape: Shape = (3, 6, 6)
    scale, zero_point = b.scale(0.1), b.zero_point(kind)
    axis_operand = b.model.constant("axis", np.array(axis, np.int32))
    source = b.input(shape, kind, scale, zero_point)
    sizes = [*shape]
    sizes[axis] //= 3
    results = [b.output(tuple(sizes), kind, scale, zero_point) for _ in range(3)]
    chosen = options("SplitOptions", NumSplits=3)
    b.model.operator("SPLIT", [axis_operand, source], results, chosen, version=2)
    return b.finish(results[index])


def split_v(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """SPLIT_V into parts of several sizes, one of which may be open."""
    axis = [-2, 2, 0][index % 3]
    shape: Shape = (7, 7, 7)
    sizes = np.array([2, 1, 4] if index % 2 else [1, -1, 2], np.int32)
    scale, zero_point = b.scale(0.1), b.zero_point(kind)
    source = b.input(shape, kind, scale, zero_point)
    results: list[int] = []
    for size in sizes:
        part = [*shape]
        part[axis] = 4 if size == -1 else int(size)
        results.append(b.output(tuple(part), kind, scale, zero_point))
    axis_operand = b.model.constant("axis", np.array(axis, np.int32))
    operands = [source, b.model.constant("sizes", sizes), axis_operand]
    b.model.operator("SPLIT_V", operands, results, options("SplitVOptions", NumSplits=3), version=2)
    return b.finish(results[(index + 1) % 3])


def unpack(b: CaseBuilder, kind: Kind, index: int) -> Case | None:
    """UNPACK along any axis."""
    axis = [0, -1, 1][index % 3]
    shape: Shape = (3, 4, 5)
    scale, zero_point = b.scale(0.1), b.zero_point(kind)
    source = b.input(shape, kind, scale, zero_point)
    part = tuple(int(size) for size in np.delete(shape, axis))
    results = [b.output(part, kind, scale, zero_point) for _ in range(shape[axis])]
    chosen = options("UnpackOptions", Num=shape[axis], Axis=axis)
    b.model.operator("UNPACK", [source], results, chosen, version=2)
    return b.finish(results[index % shape[axis]])
