import numpy as np
import pytest
from composed import Reals, assert_close, composed, numbers, result
from tinsmith_ir import UnsupportedError, evaluate_graph
from tinsmith_ir.operators import (
    Add,
    Broadcast,
    FullyConnected,
    Gather,
    Mul,
    Reshape,
    ResizeBilinear,
    Slice,
    Transpose,
)
from tinsmith_tensors.resampling import (
    Coordinates,
    Interpolation,
    ResizedAxis,
    Resizing,
    Rounding,
    matrix,
    places,
)
from tinsmith_tensors.resizing import resize

LINEAR = Resizing(Interpolation.LINEAR)
NEAREST = Resizing(
    Interpolation.NEAREST, coordinates=Coordinates.ASYMMETRIC, rounding=Rounding.FLOOR
)


def to(there: int, size: int, axis: int = 0) -> ResizedAxis:
    return ResizedAxis(axis, size, size / there)


def resized(x: Reals, axes: list[ResizedAxis], how: Resizing) -> Reals:
    return result(lambda c, x: resize(c, x, axes, how), x)


@pytest.mark.parametrize(
    ("coordinates", "expected"),
    [
        (Coordinates.HALF_PIXEL, [0.5, 2.5]),
        (Coordinates.PYTORCH_HALF_PIXEL, [0.5, 2.5]),
        (Coordinates.ASYMMETRIC, [0, 2]),
        (Coordinates.ALIGN_CORNERS, [0, 3]),
        (Coordinates.HALF_PIXEL_FOR_NEAREST, [1, 3]),
    ],
)
def test_places_of_two_among_four(coordinates: Coordinates, expected: list[float]) -> None:
    assert places(4, to(4, 2), coordinates).tolist() == expected


def test_places_of_a_single_element() -> None:
    one = to(4, 1)
    assert places(4, one, Coordinates.PYTORCH_HALF_PIXEL).tolist() == [0]
    assert places(4, one, Coordinates.ALIGN_CORNERS).tolist() == [0]
    assert places(4, one, Coordinates.HALF_PIXEL).tolist() == [1.5]
    crop = ResizedAxis(0, 1, 0.25, 0.5, 1.0)
    assert places(4, crop, Coordinates.CROP).tolist() == [2.25]


def test_what_a_size_that_is_rounded_down_cuts_off_is_so_at_both_ends() -> None:
    # 5 * 0.5 is 2.5 elements, of which a quarter is left out in front and behind.
    axis = ResizedAxis(0, 2, 0.5)
    assert places(5, axis, Coordinates.HALF_PIXEL_SYMMETRIC).tolist() == [1, 3]


@pytest.mark.parametrize(
    ("rounding", "expected"),
    [
        (Rounding.ROUND_PREFER_FLOOR, [0, 1, 3, 4]),
        (Rounding.ROUND_PREFER_CEIL, [0, 2, 3, 5]),
        (Rounding.FLOOR, [0, 1, 3, 4]),
        (Rounding.CEIL, [0, 2, 3, 5]),
        (Rounding.SIMPLE, [0, 2, 3, 5]),
    ],
)
def test_the_nearest_of_six_to_every_one_and_a_half(
    rounding: Rounding, expected: list[int]
) -> None:
    how = Resizing(coordinates=Coordinates.ASYMMETRIC, rounding=rounding)
    assert resized(np.arange(6.0), [to(6, 4)], how).tolist() == expected


def test_weights_of_curves() -> None:
    assert matrix(2, to(2, 4), LINEAR).tolist() == [[1, 0], [0.75, 0.25], [0.25, 0.75], [0, 1]]
    cubic = Resizing(Interpolation.CUBIC, coordinates=Coordinates.ASYMMETRIC)
    # At 1.5, by a slope of -0.75: -3/32, 19/32, 19/32, -3/32.
    assert matrix(4, to(4, 8), cubic)[3].tolist() == [-0.09375, 0.59375, 0.59375, -0.09375]
    # At 0 and 0.5 there is nothing before the first element: it is repeated, or does not count.
    assert matrix(4, to(4, 8), cubic)[1].tolist() == [0.5, 0.59375, -0.09375, 0]
    inside = Resizing(Interpolation.CUBIC, coordinates=Coordinates.ASYMMETRIC, exclude_outside=True)
    assert_close(
        matrix(4, to(4, 8), inside)[1].astype(np.float64),
        np.array([0.59375, 0.59375, -0.09375, 0]) / 1.09375,
    )
    # Twice as wide where a result is half as large.
    wide = Resizing(Interpolation.LINEAR, exclude_outside=True, antialias=True)
    assert_close(
        matrix(4, to(4, 2), wide).astype(np.float64), np.array([[3, 3, 1, 0], [0, 1, 3, 3]]) / 7
    )


def test_places_outside_have_a_value_of_their_own() -> None:
    how = Resizing(Interpolation.LINEAR, coordinates=Coordinates.CROP, extrapolation=9.0)
    axis = ResizedAxis(0, 3, 1.5, 0.5, 1.5)
    assert resized(np.array([4.0, 8.0]), [axis], how).tolist() == [6, 8, 9]


@pytest.mark.parametrize(
    ("how", "size", "kinds"),
    [
        (LINEAR, (8, 10), [Transpose, Reshape, ResizeBilinear, Reshape, Transpose]),
        (LINEAR, (4, 5), [Reshape]),
        (NEAREST, (8, 10), [Reshape, Broadcast, Reshape] * 2),
        (NEAREST, (2, 5), [Slice]),
    ],
)
def test_images_are_resized_by_the_cheapest_operators(
    how: Resizing, size: tuple[int, int], kinds: list[type]
) -> None:
    axes = [to(4, size[0], 2), to(5, size[1], 3)]
    graph = composed(lambda c, x: resize(c, x, axes, how), numbers(0, 1, 3, 4, 5))
    found = [type(node.operator) for node in graph.nodes]
    assert [kind for kind in found if kind is not Reshape] == [
        kind for kind in kinds if kind is not Reshape
    ]


def test_channels_last_images_need_no_transposes() -> None:
    axes = [to(4, 8, 1), to(5, 7, 2)]
    x = numbers(0, 2, 4, 5, 3)
    graph = composed(lambda c, x: resize(c, x, axes, LINEAR), x)
    assert not any(isinstance(node.operator, Transpose) for node in graph.nodes)
    expected = np.einsum(
        "ih,jw,nhwc->nijc", matrix(4, axes[0], LINEAR), matrix(5, axes[1], LINEAR), x
    )
    assert_close(resized(x, axes, LINEAR), expected, atol=1e-5)


@pytest.mark.parametrize("coordinates", Coordinates)
@pytest.mark.parametrize("interpolation", [Interpolation.LINEAR, Interpolation.CUBIC])
@pytest.mark.parametrize("antialias", [False, True])
def test_any_axis_is_a_product_with_its_matrix(
    coordinates: Coordinates, interpolation: Interpolation, antialias: bool
) -> None:
    how = Resizing(interpolation, coordinates=coordinates, antialias=antialias)
    for shape, sizes in (((7,), (3,)), ((3, 4, 5), (3, 4, 9)), ((2, 3, 4, 5, 6), (2, 3, 7, 3, 6))):
        x = numbers(0, *shape)
        axes = [
            to(there, size, axis)
            for axis, (there, size) in enumerate(zip(shape, sizes, strict=True))
        ]
        expected = x
        for axis in axes:
            weights = matrix(shape[axis.axis], axis, how).astype(np.float64)
            expected = np.moveaxis(np.tensordot(expected, weights, (axis.axis, 1)), -1, axis.axis)
        assert_close(resized(x, axes, how), expected, atol=1e-5)


def test_few_neighbours_are_weighted_and_many_multiplied_with_a_matrix() -> None:
    x = numbers(0, 9)
    few = composed(lambda c, x: resize(c, x, [to(9, 5)], LINEAR), x)
    assert {Mul, Add} <= {type(node.operator) for node in few.nodes}
    wide = Resizing(Interpolation.LINEAR, antialias=True)
    many = composed(lambda c, x: resize(c, x, [to(9, 2)], wide), x)
    assert FullyConnected in {type(node.operator) for node in many.nodes}
    assert not any(isinstance(node.operator, Gather) for node in many.nodes)


def test_integers_are_interpolated_and_cut_off() -> None:
    x = np.array([[[0, 3, -3]]], np.int8)
    axes = [to(3, 6, 2)]
    graph = composed(lambda c, x: resize(c, x, axes, LINEAR), x)
    assert evaluate_graph(graph, [x])["y0"].tolist() == [[[0, 0, 2, 1, -1, -3]]]


def test_a_long_axis_is_repeated_without_a_matrix() -> None:
    x = numbers(0, 1, 5000)
    assert np.array_equal(resized(x, [to(5000, 10000, 1)], NEAREST), x.repeat(2, 1))


def test_sizes_without_elements_are_refused() -> None:
    with pytest.raises(UnsupportedError, match="sizes of at least 1"):
        composed(lambda c, x: resize(c, x, [ResizedAxis(0, 0, 0.1)], LINEAR), numbers(0, 3))
    with pytest.raises(UnsupportedError, match="scales above 0"):
        composed(lambda c, x: resize(c, x, [ResizedAxis(0, 3, -1.0)], LINEAR), numbers(0, 3))
