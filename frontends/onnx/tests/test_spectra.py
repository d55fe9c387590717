from collections.abc import Mapping

import numpy as np
import pytest
from models import computed, expected, one
from numeric import assert_close, numbers
from tinsmith_ir import ModelError, UnsupportedError


@pytest.mark.parametrize("attributes", [{}, {"inverse": 1}, {"onesided": 1}])
@pytest.mark.parametrize("length", [None, 4, 8])
@pytest.mark.parametrize("axis", [None, 0, -2])
def test_dft(axis: int | None, length: int | None, attributes: Mapping[str, object]) -> None:
    x = numbers(1, 5, 6, 1)
    count = None if length is None else np.array(length, np.int64)
    place = None if axis is None else np.array(axis, np.int64)
    known = [index for index, each in ((1, count), (2, place)) if each is not None]
    made = one("DFT", [x, count, place], attributes, known=known, opset=20)
    (found,) = computed(made, {"x0": x})
    along, transform = (
        1 if axis is None else axis % 3,
        np.fft.ifft if "inverse" in attributes else np.fft.fft,
    )
    pairs = transform(x[..., 0], length, along)
    wanted = np.stack([pairs.real, pairs.imag], -1)
    kept = wanted.shape[along] // 2 + 1 if "onesided" in attributes else wanted.shape[along]
    assert_close(found, wanted.take(range(kept), along))
    # Version 17 has the axis as an attribute, which is 1 by default.
    older = {**attributes, "axis": along}
    made = one("DFT", [x, count], older, known=known[:1] if length else (), opset=17)
    (again,) = computed(made, {"x0": x})
    np.testing.assert_array_equal(again, found)


def test_dft_of_complex_numbers_and_back() -> None:
    x = numbers(1, 2, 5, 2)
    made = one("DFT", [x], opset=20)
    (found,) = computed(made, {"x0": x})
    pairs = np.fft.fft(x[..., 0] + 1j * x[..., 1])
    assert_close(found, np.stack([pairs.real, pairs.imag], -1))
    (back,) = computed(one("DFT", [found], {"inverse": 1}, opset=20), {"x0": found})
    assert_close(back, x)


def test_one_sided_dft_back_gives_real_numbers_of_even_count() -> None:
    x = numbers(1, 2, 6, 1)
    half = np.fft.rfft(x[..., 0])
    pairs = np.stack([half.real, half.imag], -1).astype(np.float32)
    made = one("DFT", [pairs], {"inverse": 1, "onesided": 1}, opset=20)
    (found,) = computed(made, {"x0": pairs})
    assert_close(found, x)


@pytest.mark.parametrize("onesided", [0, 1])
@pytest.mark.parametrize("has_window", [False, True])
def test_stft(has_window: bool, onesided: int) -> None:
    x, step = numbers(1, 2, 13, 1), np.array(3, np.int64)
    window = numbers(2, 5) if has_window else None
    length = None if has_window else np.array(5, np.int64)
    known = (1, 2) if has_window else (1, 3)
    made = one("STFT", [x, step, window, length], {"onesided": onesided}, known=known)
    (found,), (wanted,) = computed(made, {"x0": x}), expected(made, {"x0": x})
    assert_close(found, wanted)
    flat = one("STFT", [x[..., 0], step, window, length], {"onesided": onesided}, known=known)
    (again,) = computed(flat, {"x0": x[..., 0]})
    np.testing.assert_array_equal(again, found)


def test_stft_by_a_computed_window() -> None:
    x, window = numbers(1, 1, 9, 1), numbers(2, 4)
    operands = [x, np.array(2, np.int64), window]
    made = one("STFT", operands, known=(1,))
    (found,) = computed(made, {"x0": x, "x2": window})
    (wanted,) = expected(made, {"x0": x, "x2": window})
    assert_close(found, wanted)


def test_what_does_not_fit_is_refused() -> None:
    pairs = numbers(1, 1, 4, 2)
    with pytest.raises(UnsupportedError, match="DFT 'y0': expected a one-sided transform of real"):
        computed(one("DFT", [pairs], {"onesided": 1}, opset=20), {})
    axis, step = np.array(3, np.int64), np.array(1, np.int64)
    with pytest.raises(ModelError, match=r"expected an axis in \[-3, 2\], got 3"):
        computed(one("DFT", [pairs, None, axis], known=(2,), opset=20), {})
    with pytest.raises(ModelError, match=r"expected a signal \(B, L, 1\).*got \[4\]"):
        computed(one("STFT", [numbers(1, 4), step, None, step], known=(1, 3)), {})
