import numpy as np
import pytest
from composed import composed, numbers, result
from tinsmith_ir import UnsupportedError
from tinsmith_tensors import Composer, Tensor
from tinsmith_tensors.blocks import depth_to_space, space_to_depth
from tinsmith_tensors.pools import Windows
from tinsmith_tensors.unfolding import fold, unfold


def test_windows_lie_side_by_side() -> None:
    x = np.arange(1, 7.0).reshape(1, 1, 2, 3)
    made = result(lambda c, x: unfold(c, x, Windows((2, 2), (1, 1), ((0, 0), (0, 1)))), x)
    assert made.tolist() == [[[1, 2, 3], [2, 3, 0], [4, 5, 6], [5, 6, 0]]]


@pytest.mark.parametrize(
    "windows",
    [
        Windows((3,), (1,), ((1, 1),)),
        Windows((2, 3), (2, 1), ((1, 0), (0, 2)), (1, 2)),
        Windows((1, 2), (3, 3), ((0, 0), (1, 0))),  # elements that no window sees
        Windows((2, 2, 2), (1, 2, 1), ((1, 0), (0, 0), (0, 1))),
    ],
)
def test_folding_counts_each_element_as_often_as_windows_see_it(windows: Windows) -> None:
    sizes = (4, 5, 3)[: len(windows.size)]
    x = numbers(0, 2, 3, *sizes)

    def there_and_back(c: Composer, x: Tensor) -> Tensor:
        return fold(c, unfold(c, x, windows), sizes, windows)

    seen = result(there_and_back, np.ones((1, 1, *sizes)))
    assert seen.max() >= 1
    np.testing.assert_allclose(result(there_and_back, x), x * seen, rtol=1e-5)


def test_columns_that_do_not_fit_are_refused() -> None:
    windows = Windows((2,), (1,), ((0, 0),))
    with pytest.raises(UnsupportedError, match="to fold to"):
        composed(lambda c, x: fold(c, x, (4,), windows), numbers(0, 1, 3, 3))


@pytest.mark.parametrize("channels_first", [False, True])
def test_channels_become_blocks_of_places_and_back(channels_first: bool) -> None:
    x = np.arange(12.0).reshape(1, 12, 1, 1)
    made = result(lambda c, x: depth_to_space(c, x, (2, 3), channels_first=channels_first), x)
    first = [[0, 1, 2], [3, 4, 5]] if channels_first else [[0, 2, 4], [6, 8, 10]]
    assert made[0, 0].tolist() == first
    back = result(lambda c, x: space_to_depth(c, x, (2, 3), channels_first=channels_first), made)
    assert np.array_equal(back, x)


def test_blocks_that_do_not_fit_are_refused() -> None:
    with pytest.raises(UnsupportedError, match="multiple of 4"):
        composed(lambda c, x: depth_to_space(c, x, (2, 2)), numbers(0, 1, 6, 2, 2))
    with pytest.raises(UnsupportedError, match=r"multiples of \[2, 2\]"):
        composed(lambda c, x: space_to_depth(c, x, (2, 2)), numbers(0, 1, 6, 2, 3))
