"""Boxes that cut a result for cores."""

import numpy as np
import pytest
from tinsmith_ir import Box, DType
from tinsmith_ir.program import View
from tinsmith_ir.types import TensorType
from tinsmith_spreading.ways import axis_cuts, dense_cuts


def largest(shape: tuple[int, ...], parts: int) -> int:
    return max(box.elements for box in dense_cuts(shape, parts)[0])


def test_rows_are_cut_into_equal_parts() -> None:
    boxes = dense_cuts((1, 16, 4, 3), 8)[0]
    assert [box.ranges[1] for box in boxes] == [(row, row + 2) for row in range(0, 16, 2)]
    assert {box.shape for box in boxes} == {(1, 2, 4, 3)}


def test_the_last_part_is_shorter_and_no_part_is_longer_than_it_must_be() -> None:
    (rows, *_) = dense_cuts((9, 5), 8)
    assert [box.ranges[0] for box in rows] == [(0, 2), (2, 4), (4, 6), (6, 8), (8, 9)]


def test_batches_are_cut_with_their_rows() -> None:
    boxes = dense_cuts((4, 6, 2), 8)[0]
    assert [box.ranges[:2] for box in boxes] == [
        ((batch, batch + 1), rows) for batch in range(4) for rows in ((0, 3), (3, 6))
    ]


def test_the_way_with_the_smallest_parts_comes_first() -> None:
    assert largest((3, 32), 8) == 16  # six parts of half a row each, not three of a row
    assert largest((5, 4), 8) == 4
    assert largest((1, 100), 8) == 13


@pytest.mark.parametrize("shape", [(), (1,), (1, 1, 1)])
def test_one_element_is_not_cut(shape: tuple[int, ...]) -> None:
    assert dense_cuts(shape, 8) == []


def test_one_core_cuts_nothing() -> None:
    assert dense_cuts((4, 4), 1) == []


def test_boxes_lie_densely_and_hold_each_element_once() -> None:
    random = np.random.default_rng(0)
    for _ in range(200):
        shape = tuple(int(extent) for extent in random.integers(1, 7, random.integers(1, 5)))
        parts = int(random.integers(2, 17))
        view = View("x", TensorType(shape, DType.INT8), "x")
        for boxes in dense_cuts(shape, parts):
            assert 2 <= len(boxes) <= parts
            count = np.zeros(shape, int)
            for box in boxes:
                count[box.slices] += 1
                assert view.part("x", box).is_dense
            assert (count == 1).all()
            assert max(boxes, key=lambda box: box.elements) == boxes[0]
            assert isinstance(boxes[0], Box)


def test_one_axis_is_cut_into_parts_as_equal_as_can_be() -> None:
    ways = axis_cuts((1, 16, 5), 8)
    assert [[box.shape for box in boxes] for boxes in ways] == [
        [(1, 2, 5)] * 8,
        [(1, 16, 1)] * 5,
    ]
    assert axis_cuts((4, 4), 1) == []
