"""Ranges of tensors, and the integers that follow."""

import numpy as np
import pytest
from numpy.typing import NDArray
from tinsmith_ir.dtypes import DType
from tinsmith_quantization import METHODS, Scheme
from tinsmith_quantization.ranges.histogram import BINS, Histogram
from tinsmith_quantization.ranges.ranges import quantization_of, range_of


def seen(*arrays: NDArray[np.generic]) -> Histogram:
    histogram = Histogram()
    for array in arrays:
        histogram.add(array.astype(np.float32))
    return histogram


def test_histograms_count_everything_whatever_comes_first() -> None:
    random = np.random.default_rng(1)
    small, large = random.normal(size=500), 1000 * random.normal(size=500)
    first, second = seen(small, large), seen(large, small)
    assert np.array_equal(first.counts, second.counts)
    assert (first.first, first.exponent) == (second.first, second.exponent)
    assert first.counts.sum() == 1000
    assert BINS // 4 < first.counts.size <= BINS


def test_bins_lie_where_the_numbers_are() -> None:
    histogram = seen(np.array([-1.0, 0.25, 0.25, 3.0]))
    filled = histogram.centres[histogram.counts > 0]
    assert np.allclose(filled, [-1.0, 0.25, 3.0], atol=4.0 / BINS)
    assert histogram.counts[histogram.counts > 0].tolist() == [1, 2, 1]


@pytest.mark.parametrize("method", METHODS)
def test_every_range_has_zero_in_it(method: str) -> None:
    low, high = range_of(seen(np.linspace(3.0, 5.0, 100)), Scheme(method=method))
    assert low == 0.0
    assert 2.5 <= high <= 5.0


@pytest.mark.parametrize("method", METHODS)
def test_a_tensor_that_is_zero_has_a_scale(method: str) -> None:
    found = range_of(seen(np.zeros(10)), Scheme(method=method))
    assert quantization_of(found, DType.INT8).scale > 2.0**-8


@pytest.mark.parametrize("dtype", [DType.INT8, DType.INT16])
def test_no_tensor_has_a_scale_in_which_6_is_no_integer(dtype: DType) -> None:
    found = range_of(seen(np.array([-1e-8, 3e-9])), Scheme(activations=dtype))
    assert quantization_of(found, dtype).scale >= 2.0**-28 * (1 - 1e-6)


@pytest.mark.parametrize("method", ["percentile", "mse", "entropy"])
def test_one_number_far_away_does_not_set_the_range(method: str) -> None:
    numbers = np.append(np.random.default_rng(2).normal(size=100_000), 9.0)
    low, high = range_of(seen(numbers), Scheme(method=method))
    assert high < 9.0
    assert low > -6.0
    assert range_of(seen(numbers), Scheme(method="minmax"))[1] == 9.0


def test_later_samples_count_less_in_a_moving_average() -> None:
    low, high = range_of(
        seen(np.array([-1.0, 1.0]), np.array([-2.0, 11.0])), Scheme(method="moving-average")
    )
    assert (low, high) == pytest.approx((-1.1, 2.0))


def test_integers_reach_from_end_to_end() -> None:
    found = quantization_of((-1.0, 3.0), DType.INT8)
    assert found.scale == np.float32(4 / 255)
    assert found.zero_point == -64
    assert found.scale * (127 - found.zero_point) == pytest.approx(3.0, abs=found.scale)
    symmetric = quantization_of((-2.0, 2.0), DType.INT16)
    assert (symmetric.scale, symmetric.zero_point) == (np.float32(2 / 32767), 0)
    assert quantization_of((-2.0, 2.0), DType.INT8, power_of_two=True).scale == 2**-5
