import numpy as np
import pytest
from composed import Reals, assert_close, composed, numbers, result
from tinsmith_ir import UnsupportedError
from tinsmith_tensors import Composer, Tensor
from tinsmith_tensors.pools import Windows
from tinsmith_tensors.resampling import Interpolation
from tinsmith_tensors.sampling import (
    Outside,
    RegionPooling,
    affine_grid,
    deform_conv,
    grid_sample,
    roi_align,
)
from tinsmith_tensors.windows import convolution

ROW = np.array([[[10, 20, 30, 40]]], np.float64)


def at(places: list[float]) -> Reals:
    """A grid of places among four elements, which end in the middle of the first and the last."""
    return (np.array(places).reshape(1, -1, 1) / 1.5) - 1


def sampled(places: list[float], interpolation: Interpolation, outside: Outside) -> list[float]:
    made = result(
        lambda c, x, grid: grid_sample(c, x, grid, interpolation, outside, align_corners=True),
        ROW,
        at(places),
    )
    return made.round(4).reshape(-1).tolist()


def test_places_between_elements() -> None:
    assert sampled([0, 0.25, 2.5], Interpolation.LINEAR, Outside.ZEROS) == [10, 12.5, 35]
    assert sampled([0.25, 1.75], Interpolation.NEAREST, Outside.ZEROS) == [10, 30]


def test_places_around_an_image() -> None:
    around = [-0.5, -1, -2, 3.5, 4.25]
    assert sampled(around, Interpolation.LINEAR, Outside.ZEROS) == [5, 0, 0, 20, 0]
    assert sampled(around, Interpolation.LINEAR, Outside.BORDER) == [10, 10, 10, 40, 40]
    assert sampled(around, Interpolation.LINEAR, Outside.REFLECTION) == [15, 20, 30, 35, 27.5]


@pytest.mark.parametrize("known", [(), (1,)])
@pytest.mark.parametrize("interpolation", Interpolation)
@pytest.mark.parametrize("outside", Outside)
def test_elements_in_the_middle_of_pixels(
    interpolation: Interpolation, outside: Outside, known: tuple[int, ...]
) -> None:
    x = numbers(0, 2, 3, 4, 5)
    rows, columns = ((2 * np.arange(size) + 1) / size - 1 for size in (4, 5))
    grid = np.stack(np.meshgrid(columns, rows), axis=-1)[None].repeat(2, axis=0)
    made = result(
        lambda c, x, grid: grid_sample(c, x, grid, interpolation, outside, align_corners=False),
        x,
        grid,
        known=known,
    )
    assert_close(made, x, atol=1e-5)


def test_cubic_samples_are_weighted_by_a_curve_through_four() -> None:
    # Half way between elements by -3/32, 19/32, 19/32 and -3/32; along rows all elements are equal.
    x = np.broadcast_to(np.array([0, 0, 32, 0, 0, 0.0]), (1, 1, 6, 6)).copy()
    grid = np.zeros((1, 1, 4, 2))
    grid[..., 0] = np.array([1.5, 2.5, 3.5, 4.5]) / 2.5 - 1
    made = result(
        lambda c, x, grid: grid_sample(
            c, x, grid, Interpolation.CUBIC, Outside.ZEROS, align_corners=True
        ),
        x,
        grid,
    )
    assert_close(made, [[[[19, 19, -3, 0]]]], atol=1e-4)


def test_a_matrix_that_changes_nothing_gives_places_themselves() -> None:
    theta = np.array([[[1, 0, 0], [0, 1, 0]]], np.float64)

    def through(c: Composer, x: Tensor, theta: Tensor) -> Tensor:
        grid = affine_grid(c, theta, (3, 4), align_corners=False)
        return grid_sample(c, x, grid, Interpolation.LINEAR, Outside.ZEROS, align_corners=False)

    x = numbers(0, 1, 2, 3, 4)
    assert_close(result(through, x, theta), x, atol=1e-5)


def test_a_matrix_turns_and_moves_places() -> None:
    theta = np.array([[[0, 2, 0.5], [1, 0, -0.25]]], np.float64)
    made = result(lambda c, theta: affine_grid(c, theta, (2, 3), align_corners=True), theta)
    rows, columns = np.array([-1, 1]), np.array([-1, 0, 1])
    y, x = np.meshgrid(rows, columns, indexing="ij")
    assert_close(made, np.stack([2 * y + 0.5, x - 0.25], axis=-1)[None])


@pytest.mark.parametrize("known", [(), (1, 2)])
def test_regions_are_means_of_samples(known: tuple[int, ...]) -> None:
    # Of an image that is its column, the mean of a region's samples is their middle column.
    x = np.broadcast_to(np.arange(8.0), (2, 1, 6, 8)).copy()
    x[1] *= 10
    regions, images = np.array([[1, 1, 5, 4], [2, 0, 4, 2]], np.float64), np.array([0, 1])
    pooling = RegionPooling((1, 2), 1.0, 2, 0.5, takes_largest=False)
    made = result(
        lambda c, x, regions, images: roi_align(c, x, regions, images, pooling),
        x,
        regions,
        images,
        known=known,
    )
    assert_close(made, [[[[1.5, 3.5]]], [[[20, 30]]]], atol=1e-5)


def test_as_many_samples_as_a_known_region_covers() -> None:
    x = np.arange(6.0) * np.ones((1, 1, 4, 6))
    regions, images = np.array([[0, 0, 3, 2], [0, 0, 1, 1]], np.float64), np.array([0, 0])
    pooling = RegionPooling((1, 1), 1.0, 0, 0.0, takes_largest=True)

    def function(c: Composer, x: Tensor, regions: Tensor, images: Tensor) -> Tensor:
        return roi_align(c, x, regions, images, pooling)

    made = result(function, x, regions, images, known=[1, 2])
    # The largest of neighbours by a quarter each, of columns up to 3 (sampled at 0.5, 1.5 and 2.5) and up to 1.
    assert made.reshape(-1).tolist() == [0.75, 0.25]
    with pytest.raises(UnsupportedError, match="sampling ratio above 0"):
        composed(function, x, regions, images)


@pytest.mark.parametrize(("groups", "offset_groups"), [(1, 1), (2, 2), (1, 4)])
def test_windows_that_are_moved_nowhere_are_a_convolution(groups: int, offset_groups: int) -> None:
    x, weights = numbers(0, 2, 4, 5, 6), numbers(1, 6, 4 // groups, 3, 2)
    windows = Windows((3, 2), (1, 2), ((1, 1), (0, 1)), (1, 2))
    counts = windows.counts((5, 6))
    offsets = np.zeros((2, offset_groups * 12, *counts))
    mask = np.full((2, offset_groups * 6, *counts), 0.5)
    bias = numbers(2, 6)

    def moved(c: Composer, x: Tensor, weights: Tensor, offsets: Tensor, mask: Tensor) -> Tensor:
        return deform_conv(
            c,
            x,
            weights,
            offsets,
            c.known(bias),
            mask,
            windows,
            groups=groups,
            offset_groups=offset_groups,
        )

    def plain(c: Composer, x: Tensor, weights: Tensor) -> Tensor:
        return convolution(
            c,
            x,
            weights,
            None,
            stride=windows.stride,
            dilation=windows.dilation,
            pads=windows.pads,
            groups=groups,
        )

    expected = result(plain, x, weights) / 2 + bias[:, None, None]
    assert_close(result(moved, x, weights, offsets, mask), expected, atol=1e-5)


def test_windows_are_moved_by_rows_and_columns() -> None:
    x = np.arange(12.0).reshape(1, 1, 3, 4)
    offsets = np.zeros((1, 2, 3, 4))
    offsets[0, 0], offsets[0, 1] = 1, -0.5

    def function(c: Composer, x: Tensor, weights: Tensor, offsets: Tensor) -> Tensor:
        windows = Windows((1, 1), (1, 1), ((0, 0), (0, 0)))
        return deform_conv(c, x, weights, offsets, None, None, windows, groups=1, offset_groups=1)

    made = result(function, x, np.ones((1, 1, 1, 1)), offsets)
    assert made[0, 0].tolist() == [[2, 4.5, 5.5, 6.5], [4, 8.5, 9.5, 10.5], [0, 0, 0, 0]]


@pytest.mark.parametrize(
    ("shape", "grid", "interpolation", "message"),
    [
        ((1, 1, 4), (2, 3, 1), Interpolation.LINEAR, "expected an image"),
        ((1, 1, 4), (1, 3, 2), Interpolation.LINEAR, "expected an image"),
        ((1, 1, 4), (1, 3, 1), Interpolation.CUBIC, "cubic sampling of two axes"),
    ],
)
def test_grids_that_do_not_fit_are_refused(
    shape: tuple[int, ...], grid: tuple[int, ...], interpolation: Interpolation, message: str
) -> None:
    with pytest.raises(UnsupportedError, match=message):
        composed(
            lambda c, x, places: grid_sample(
                c, x, places, interpolation, Outside.ZEROS, align_corners=True
            ),
            numbers(0, *shape),
            numbers(1, *grid),
        )
