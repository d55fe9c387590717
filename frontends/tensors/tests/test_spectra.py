import numpy as np
import pytest
from composed import Reals, assert_close, composed, numbers, result
from numpy.typing import NDArray
from tinsmith_ir import UnsupportedError
from tinsmith_ir.operators import Conv2D, FullyConnected
from tinsmith_tensors import Composer, Tensor
from tinsmith_tensors.spectra import LARGEST_MATRIX, as_real, dft, stft

Complexes = NDArray[np.complex128]


def as_complex(x: Reals) -> Complexes:
    imaginary = x[..., 1] if x.shape[-1] == 2 else 0.0
    return np.asarray(x[..., 0] + 1j * imaginary, np.complex128)


def as_pairs(x: Complexes) -> Reals:
    return np.stack([x.real, x.imag], axis=-1)


@pytest.mark.parametrize("inverse", [False, True])
@pytest.mark.parametrize(("shape", "axis"), [((2, 6, 1), 1), ((2, 5, 2), 1), ((4, 3, 2), 0)])
@pytest.mark.parametrize("length", [4, 5, 9])
def test_transforms_are_products_by_one_matrix(
    shape: tuple[int, ...], axis: int, length: int, inverse: bool
) -> None:
    x = numbers(1, *shape)
    graph = composed(lambda c, t: dft(c, t, axis, length, inverse=inverse), x)
    assert sum(isinstance(node.operator, FullyConnected) for node in graph.nodes) == 1
    found = result(lambda c, t: dft(c, t, axis, length, inverse=inverse), x)
    transform = np.fft.ifft if inverse else np.fft.fft
    assert_close(found, as_pairs(transform(as_complex(x), length, axis)))


@pytest.mark.parametrize("length", [4, 7, 8])
def test_one_sided_transforms_of_real_numbers_and_back(length: int) -> None:
    x = numbers(1, 2, length, 1)
    found = result(lambda c, t: dft(c, t, 1, length, onesided=True), x)
    assert_close(found, as_pairs(np.fft.rfft(x[..., 0])))
    back = result(lambda c, t: dft(c, t, 1, length, inverse=True, onesided=True), found)
    assert_close(back, x)


@pytest.mark.parametrize(("length", "count"), [(400, 400), (510, 300), (256, 300)])
@pytest.mark.parametrize(
    ("parts", "inverse", "onesided"),
    [(1, False, True), (1, False, False), (2, False, False), (2, True, False), (1, True, False)],
)
def test_long_transforms_are_done_in_two_steps(
    length: int, count: int, parts: int, inverse: bool, onesided: bool
) -> None:
    x = numbers(1, 2, count, 3, parts)

    def spectrum(c: Composer, t: Tensor) -> Tensor:
        return dft(c, t, 1, length, inverse=inverse, onesided=onesided)

    pairs = (np.fft.ifft if inverse else np.fft.fft)(as_complex(x), length, 1)
    pairs = pairs[:, : length // 2 + 1] if onesided else pairs
    assert_close(result(spectrum, x), as_pairs(pairs), rtol=1e-4, atol=1e-4)
    largest = max(constant.data.size for constant in composed(spectrum, x).constants)
    assert largest < LARGEST_MATRIX


def test_transforms_of_prime_length_are_done_in_one_step() -> None:
    x = numbers(1, 1, 257, 1)
    found = result(lambda c, t: dft(c, t, 1, 257), x)
    assert_close(found, as_pairs(np.fft.fft(as_complex(x))), rtol=1e-4, atol=1e-4)


def test_long_frames_are_copied_and_transformed_in_two_steps() -> None:
    x, window = numbers(1, 1, 1200, 1), numbers(2, 400)

    def spectra(c: Composer, t: Tensor, w: Tensor) -> Tensor:
        return stft(c, t, 160, 400, w)

    frames = np.stack([x[:, at : at + 400, 0] for at in range(0, 801, 160)], 1)
    expected = as_pairs(np.fft.rfft(frames * window))
    assert_close(result(spectra, x, window, known=(1,)), expected, rtol=1e-4, atol=1e-4)
    graph = composed(spectra, x, window, known=(1,))
    assert not any(isinstance(node.operator, Conv2D) for node in graph.nodes)


@pytest.mark.parametrize("onesided", [False, True])
@pytest.mark.parametrize(("step", "length"), [(1, 4), (3, 5), (4, 4)])
def test_frames_are_one_convolution_of_known_windows(
    step: int, length: int, onesided: bool
) -> None:
    x, window = numbers(1, 2, 13, 1), numbers(2, length)

    def spectra(c: Composer, t: Tensor, w: Tensor) -> Tensor:
        return stft(c, t, step, length, w, onesided=onesided)

    frames = np.stack([x[:, at : at + length, 0] for at in range(0, 13 - length + 1, step)], 1)
    transform = np.fft.rfft if onesided else np.fft.fft
    expected = as_pairs(transform(frames * window))
    graph = composed(spectra, x, window, known=(1,))
    assert sum(isinstance(node.operator, Conv2D) for node in graph.nodes) == 1
    for known in ((1,), ()):
        assert_close(result(spectra, x, window, known=known), expected)
    plain = result(lambda c, t: stft(c, t, step, length, None, onesided=onesided), x)
    assert_close(plain, as_pairs(transform(frames)))


def test_frames_of_complex_numbers() -> None:
    x, window = numbers(1, 1, 6, 2), numbers(2, 4)
    found = result(lambda c, t, w: stft(c, t, 2, 4, w, onesided=False), x, window, known=(1,))
    frames = np.stack([as_complex(x)[:, at : at + 4] for at in (0, 2)], 1)
    assert_close(found, as_pairs(np.fft.fft(frames * window)))


def test_numbers_become_real_ones() -> None:
    assert result(as_real, numbers(1, 2, 3)).shape == (2, 3, 1)


def test_what_does_not_fit_is_refused() -> None:
    real, pairs = numbers(1, 2, 4, 1), numbers(1, 2, 4, 2)
    with pytest.raises(UnsupportedError, match=r"\(\.\.\., 1\) or \(\.\.\., 2\)"):
        composed(lambda c, t: dft(c, t, 1, 4), numbers(1, 2, 4, 3))
    with pytest.raises(UnsupportedError, match="got one of complex ones"):
        composed(lambda c, t: dft(c, t, 1, 4, onesided=True), pairs)
    with pytest.raises(UnsupportedError, match="got an inverse of real ones"):
        composed(lambda c, t: dft(c, t, 1, 4, onesided=True, inverse=True), real)
    with pytest.raises(UnsupportedError, match="frames of at most 4"):
        composed(lambda c, t: stft(c, t, 1, 5, None), real)
    with pytest.raises(UnsupportedError, match="one-sided transforms of real numbers"):
        composed(lambda c, t: stft(c, t, 1, 4, None), pairs)
