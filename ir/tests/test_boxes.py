"""Boxes, and types and reshapes cut to them."""

import itertools
import math

import numpy as np
import pytest
from tinsmith_ir import Box, DType, Quantization, TensorType, UsageError, cut_type
from tinsmith_ir.boxes import broadcast_box, reshaped_box


def test_a_box_knows_its_elements() -> None:
    box = Box(((0, 1), (4, 8), (2, 3)))
    assert (box.shape, box.elements, str(box)) == ((1, 4, 1), 4, "[0:1, 4:8, 2:3]")
    assert not box.is_whole((1, 8, 3))
    assert box.is_whole((1, 8, 3), axis=0)
    assert Box.whole((1, 8, 3)).is_whole((1, 8, 3))
    assert np.arange(24).reshape(1, 8, 3)[box.slices].ravel().tolist() == [14, 17, 20, 23]


def test_a_scalar_is_a_box_without_axes() -> None:
    box = Box.whole(())
    assert (box.shape, box.elements, box.is_whole(())) == ((), 1, True)
    assert np.array(5)[box.slices] == 5
    assert isinstance(np.array(5)[box.slices], np.ndarray)


def test_intersection_hull_and_place_within() -> None:
    first, second = Box(((0, 4), (2, 5))), Box(((3, 6), (0, 3)))
    assert first.intersect(second) == Box(((3, 4), (2, 3)))
    assert first.hull(second) == Box(((0, 6), (0, 5)))
    assert first.intersect(Box(((4, 5), (2, 5)))) is None
    assert Box(((3, 4), (2, 3))).within(first) == Box(((3, 4), (0, 1)))
    assert first.contains(Box(((3, 4), (2, 3))))
    assert not first.contains(second)


@pytest.mark.parametrize("ranges", [((2, 2),), ((-1, 2),), ((3, 1),)])
def test_an_empty_or_negative_range_is_refused(ranges: tuple[tuple[int, int], ...]) -> None:
    with pytest.raises(UsageError, match="expected ranges 0 <= begin < end"):
        Box(ranges)


def test_what_does_not_fit_together_is_refused() -> None:
    box = Box(((0, 2), (0, 3)))
    with pytest.raises(UsageError, match=r"expected a box of 1 axes, got \[0:2, 0:3\] of 2"):
        box.intersect(Box(((0, 2),)))
    with pytest.raises(UsageError, match=r"within \[0:2, 0:3\], got \[1:3, 0:1\]"):
        Box(((1, 3), (0, 1))).within(box)
    with pytest.raises(UsageError, match=r"within a tensor of shape \(2, 2\), got \[0:2, 0:3\]"):
        cut_type(TensorType((2, 2), DType.INT8), box)
    with pytest.raises(UsageError, match="shapes of as many elements"):
        reshaped_box(box, (2, 3), (2, 4))


def test_a_cut_type_keeps_the_scales_of_its_channels() -> None:
    per_axis = Quantization((0.5, 0.25, 0.125), (0, 1, 2), 1)
    cut = cut_type(TensorType((4, 3), DType.INT8, per_axis), Box(((0, 2), (1, 3))))
    assert cut == TensorType((2, 2), DType.INT8, Quantization((0.25, 0.125), (1, 2), 1))
    per_tensor = Quantization.per_tensor(0.5, 3)
    cut = cut_type(TensorType((4, 3), DType.INT8, per_tensor), Box(((0, 2), (1, 3))))
    assert cut.quantization == per_tensor


def test_an_operand_is_read_where_it_is_broadcast() -> None:
    box = Box(((1, 2), (4, 8), (2, 3)))
    assert broadcast_box(box, (8, 1)) == Box(((4, 8), (0, 1)))
    assert broadcast_box(box, ()) == Box(())


_SHAPES = ((4, 6), (24,), (2, 12), (2, 2, 6), (4, 1, 6), (1, 4, 3, 2), (8, 3), (4, 6, 1), (1, 24))


@pytest.mark.parametrize(("shape", "other"), list(itertools.permutations(_SHAPES, 2)))
def test_a_reshaped_box_has_the_same_elements_in_the_same_order(
    shape: tuple[int, ...], other: tuple[int, ...]
) -> None:
    array = np.arange(24).reshape(shape)
    again = array.reshape(other)
    ranges = [[(a, b) for a in range(n) for b in range(a + 1, n + 1)] for n in shape]
    for chosen in itertools.product(*ranges):
        box = Box(chosen)
        elements = array[box.slices].ravel()
        found = reshaped_box(box, shape, other)
        if found is not None:
            np.testing.assert_array_equal(again[found.slices].ravel(), elements)
            continue
        # None is right only if no box has just these elements.
        corners = np.array([np.unravel_index(int(element), other) for element in elements])
        hull = math.prod((corners.max(axis=0) - corners.min(axis=0) + 1).tolist())
        assert hull > len(elements), str(box)
