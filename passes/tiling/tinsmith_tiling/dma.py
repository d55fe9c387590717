"""What copies of parts of tensors cost: cycles of a DMA."""

from functools import lru_cache

from tinsmith_ir.boxes import Box
from tinsmith_ir.dtypes import DType
from tinsmith_ir.program import View, dense_strides
from tinsmith_ir.types import TensorType
from tinsmith_lowering import BYTES_PER_CYCLE, START_CYCLES, bytes_cycles

LINES_CYCLES = 50
"""More for a copy of lines that do not touch."""

LINE_CYCLES = 2
"""What a line takes at least."""


def copy_cycles(type_: TensorType, box: Box) -> int:
    """Of the elements of `box`, which become dense, or were so. type_: of the tensor that lies densely elsewhere."""
    return _copy_cycles(type_.shape, type_.dtype, box.shape)


@lru_cache(maxsize=4096)
def _copy_cycles(whole: tuple[int, ...], dtype: DType, part: tuple[int, ...]) -> int:
    view = View("whole", TensorType(whole, dtype), "whole").part("part", Box.whole(part))
    if view.is_dense:
        return bytes_cycles(view.type.size_bytes)
    lines, line_bytes = _lines(view)
    return START_CYCLES + LINES_CYCLES + lines * max(LINE_CYCLES, -(-line_bytes // BYTES_PER_CYCLE))


def _lines(view: View) -> tuple[int, int]:
    """How many pieces that do not touch, and their bytes."""
    strides = view.strides or dense_strides(view.type)
    size = view.type.dtype.size_bytes
    lines = view.type.elements
    for extent, stride in zip(reversed(view.type.shape), reversed(strides), strict=True):
        if stride != size and extent > 1:
            break
        size *= extent
        lines //= extent
    return lines, size
