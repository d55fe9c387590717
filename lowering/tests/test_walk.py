"""From the order in which a kernel reads and writes to the distances at which its result may lie over an operand."""

from dataclasses import replace

import numpy as np
import pytest
from tinsmith_ir.dtypes import DType
from tinsmith_ir.operators import Add, MaxPool2D, Relu, Slice, Transpose
from tinsmith_ir.operators.base import Operator
from tinsmith_ir.program import Overlap
from tinsmith_ir.types import TensorType
from tinsmith_lowering import (
    NEVER,
    Layer,
    Walk,
    Window,
    elementwise_walk,
    gathering_walk,
    overlaps,
    pixels_walk,
    reducing_walk,
    rows_walk,
)
from tinsmith_lowering.testing import toys
from tinsmith_lowering.walks import may_share_memory
from tinsmith_target import target

HOST = target("host")


def layer(
    operator: Operator, result: tuple[int, ...], *inputs: tuple[int, ...], dtype: DType = DType.INT8
) -> Layer:
    types = tuple(TensorType(shape, dtype) for shape in inputs)
    none = (None,) * len(inputs)
    return Layer("l", operator, types, (TensorType(result, DType.INT8),), none, HOST)


def overlap(walk: Walk, of: Layer, operand: int = 0) -> Overlap | None:
    return walk.overlap(operand, of.output.size_bytes, of.input(operand).size_bytes)


def bytes_of(steps: np.ndarray, size: int) -> list[int]:
    return np.repeat(steps, size // len(steps)).tolist()


def is_right(walk: Walk, result_bytes: int, operand_bytes: int, distance: int) -> bool:
    """Byte by byte: what is read after a write does not lie where it was written."""
    read = walk.read[0]
    assert read is not None
    last, first = bytes_of(read, operand_bytes), bytes_of(walk.written, result_bytes)
    return all(
        first[at] >= last[at + distance]
        for at in range(result_bytes)
        if 0 <= at + distance < operand_bytes
    )


@pytest.mark.parametrize("seed", range(60))
def test_what_is_allowed_is_right_and_reaches_as_far_as_it_is(seed: int) -> None:
    random = np.random.default_rng(seed)
    result, operand = (int(size) for size in random.integers(1, 7, 2))
    result_bytes, operand_bytes = result * int(random.integers(1, 4)), operand * 2
    written = random.integers(0, 6, result)
    read = np.where(random.random(operand) < 0.2, NEVER, random.integers(0, 6, operand))
    if seed % 2:
        written, read = np.sort(written), np.sort(read)
    candidates = tuple(range(-4, 5))
    walk = Walk(written, (read,), candidates)
    found = walk.overlap(0, result_bytes, operand_bytes) or Overlap(0)
    for distance in range(-result_bytes + 1, operand_bytes):
        allowed = is_right(walk, result_bytes, operand_bytes, distance)
        assert allowed or not found.allows(distance), distance
        assert not allowed or found.allows(distance) or distance not in candidates, distance


def test_elementwise_kernels_go_upwards() -> None:
    of = layer(Relu(), (2, 3), (2, 3))
    assert overlap(elementwise_walk(of), of) == Overlap(0, 0)


def test_elements_that_become_wider_or_narrower() -> None:
    wide = layer(Relu(), (6,), (6,), dtype=DType.INT32)
    assert overlap(elementwise_walk(wide), wide) == Overlap(0, 3)
    assert Walk(np.arange(6), (np.arange(6),)).overlap(0, 24, 6) == Overlap(0, -15)


def test_a_broadcast_operand_is_read_until_its_last_use() -> None:
    of = layer(Add(), (4, 2), (4, 2), (1, 2))
    walk = elementwise_walk(of)
    assert overlap(walk, of, 0) == Overlap(0, 0)
    # Its elements are read again in the last row, which begins behind six that are written.
    assert overlap(walk, of, 1) == Overlap(1, -6)


def test_a_transposition_of_a_square_stays_apart_but_a_vector_s_does_not() -> None:
    square = layer(Transpose(permutation=(1, 0)), (3, 3), (3, 3))
    sources = np.arange(9).reshape(3, 3).transpose()
    # Six elements are written when the third one of the operand is yet to be read.
    assert overlap(gathering_walk(square, sources), square) == Overlap(0, -4)
    vector = layer(Transpose(permutation=(1, 0)), (3, 1), (1, 3))
    assert overlap(gathering_walk(vector, np.arange(3)), vector) == Overlap(0, 0)


def test_rows_of_a_slice_move_up_over_what_was_read() -> None:
    of = layer(Slice(begin=(0, 1), shape=(3, 2)), (3, 2), (3, 4))
    sources = np.arange(12).reshape(3, 4)[:, 1:3]
    # Each row is read whole before it is written; the last byte that is read is number 10.
    assert overlap(gathering_walk(of, sources, row=2), of) == Overlap(0, 3, at_least=11)
    assert overlap(gathering_walk(of, sources), of) == Overlap(0, 1, at_least=11)


def test_a_mean_is_written_where_its_first_row_was() -> None:
    of = layer(Relu(), (1, 2), (3, 2))
    assert overlap(reducing_walk(of, (1, 2)), of) == Overlap(0, 0)


def test_rows_that_are_read_again_for_each_result() -> None:
    of = layer(Relu(), (3, 2), (3, 4))
    assert overlap(rows_walk(of, 3, is_staged=True), of) == Overlap(0, 2)
    assert overlap(rows_walk(of, 3, is_staged=False), of) == Overlap(0, -2)


def test_a_window_slides_over_lines_that_it_has_left() -> None:
    """3 rows and 4 columns of 2 channels, 3x3 windows with padding."""
    of = layer(MaxPool2D(window=(3, 3)), (1, 3, 4, 2), (1, 3, 4, 2))
    height, width = Window(3, 3, 3, 1, 1), Window(4, 4, 3, 1, 1)
    # Pixel (1, 1) is written, (0, 1) still to be read for pixel (1, 2).
    assert overlap(pixels_walk(of, height, width), of) == Overlap(0, -10)
    assert overlap(pixels_walk(of, height, width, overtaken=1), of) == Overlap(0, -12)
    assert overlap(pixels_walk(of, height, width, together=2), of) == Overlap(0, -10)


def test_pixels_that_nobody_reads_may_be_written_at_any_time() -> None:
    of = layer(MaxPool2D(window=(1, 1), stride=(1, 2)), (1, 1, 2, 1), (1, 1, 4, 1))
    height, width = Window(1, 1, 1), Window(4, 2, 1, 2)
    assert overlap(pixels_walk(of, height, width), of) == Overlap(0, 1, 3)


def test_tensors_beyond_all_memories_are_not_walked() -> None:
    kernel = replace(toys().relu, walk=elementwise_walk)
    assert overlaps(kernel, layer(Relu(), (4,), (4,))) == (Overlap(0, 0),)
    huge = layer(Relu(), (1 << 40,), (1 << 40,))
    assert overlaps(kernel, huge) == ()


def test_c_lets_bytes_share_memory_with_all_and_others_with_their_like() -> None:
    assert may_share_memory(DType.FLOAT32, DType.FLOAT32)
    assert may_share_memory(DType.INT8, DType.FLOAT32)
    assert may_share_memory(DType.INT32, DType.INT8)
    assert not may_share_memory(DType.INT32, DType.FLOAT32)
    assert not may_share_memory(DType.INT16, DType.INT32)
