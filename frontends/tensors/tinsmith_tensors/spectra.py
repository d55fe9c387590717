"""Discrete Fourier transforms of known length, as products by known matrices; complex numbers are pairs, last."""

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir.errors import UnsupportedError
from tinsmith_ir.operators import Conv2D, Gather

from tinsmith_tensors.composer import Composer, Tensor
from tinsmith_tensors.elementwise import mul
from tinsmith_tensors.movement import move_axis, part, reshape
from tinsmith_tensors.products import linear

_Reals = NDArray[np.float64]


def dft(
    c: Composer,
    x: Tensor,
    axis: int,
    length: int,
    *,
    inverse: bool = False,
    onesided: bool = False,
) -> Tensor:
    """The transform of `length` numbers along an axis; x (..., 1) is real and (..., 2) complex.

    What x has less of is zeros, what it has more of is left out. onesided: of a real x the first length // 2 + 1
    results; and inverse, from so many to real numbers (..., 1). The inverse divides by the length.
    """
    parts = x.shape[-1] if x.rank > 1 else 0
    if parts not in (1, 2) or not 0 <= axis < x.rank - 1 or length < 1:
        raise UnsupportedError(
            "expected real or complex numbers (..., 1) or (..., 2), an axis in front of the last and a length of at "
            f"least 1, got {list(x.shape)}, {axis} and {length}"
        )
    if onesided and (parts == 2) != inverse:
        raise UnsupportedError(
            "expected a one-sided transform of real numbers, or back from complex ones, got "
            f"{'an inverse' if inverse else 'one'} of {'complex' if parts == 2 else 'real'} ones"
        )
    read = length // 2 + 1 if inverse and onesided else length
    shortened = part(c, x, axis, 0, min(x.shape[axis], read))
    turned = move_axis(c, shortened, axis, x.rank - 2)
    count = turned.shape[-2]
    c.check_known_size((2 * length, parts * count), 16)
    matrix = transform(length, count, parts, inverse=inverse, onesided=onesided)
    kinds, results = matrix.shape[1], matrix.shape[0]
    weights = matrix.reshape(results * kinds, count * parts).astype(np.float32)
    rows = reshape(c, turned, (*turned.shape[:-2], count * parts))
    product = linear(c, rows, c.known(weights, "transform"), None)
    shaped = reshape(c, product, (*turned.shape[:-2], results, kinds))
    return move_axis(c, shaped, x.rank - 2, axis)


def transform(
    length: int, count: int, parts: int, *, inverse: bool = False, onesided: bool = False
) -> _Reals:
    """The matrix (results, kinds, count, parts) of a transform of `length` numbers, of which `count` are given.

    parts, kinds: of what is read and of what results, 1 for real numbers, 2 for real and imaginary ones.
    """
    units = np.eye(count, dtype=np.complex128)
    basis = [units, units * 1j][:parts]
    if not inverse:
        columns = [np.fft.fft(unit, length, axis=1) for unit in basis]
        columns = [column[:, : length // 2 + 1] if onesided else column for column in columns]
    elif onesided:
        columns = [np.fft.irfft(unit, length, axis=1) for unit in basis]
    else:
        columns = [np.fft.ifft(unit, length, axis=1) for unit in basis]
    given = np.stack(columns, axis=2)  # (count, results, parts)
    kinds = [given.real] if inverse and onesided else [given.real, given.imag]
    return np.stack(kinds, axis=0).transpose(2, 0, 1, 3)


def stft(
    c: Composer,
    x: Tensor,
    step: int,
    length: int,
    window: Tensor | None,
    *,
    onesided: bool = True,
) -> Tensor:
    """Transforms of frames of `length` numbers, each `step` behind the one before: x (B, L, 1 or 2) to (B, F, M, 2).

    window: (length,) numbers by which those of each frame are multiplied; ones by default. With a known window all
    frames are one convolution, so that no frame is copied.
    """
    batch, size, parts = x.shape
    if step < 1 or not 1 <= length <= size or (window and window.shape != (length,)):
        raise UnsupportedError(
            f"expected steps of at least 1, frames of at most {size} and a window of as many, got {step}, {length} "
            f"and {window and list(window.shape)}"
        )
    if onesided and parts == 2:
        raise UnsupportedError("expected one-sided transforms of real numbers, got complex ones")
    if window is not None and window.array is None:
        return dft(c, _frames(c, x, step, window), 2, length, onesided=onesided)
    c.check_known_size((2 * length, parts * length), 16)
    matrix = transform(length, length, parts, onesided=onesided)
    if window is not None and window.array is not None:
        matrix = matrix * window.array.astype(np.float64)[:, None]
    results = matrix.shape[0]
    weights = matrix.reshape(results * 2, 1, length, parts).astype(np.float32)
    image = reshape(c, x, (batch, 1, size, parts))
    spectra = c.emit(Conv2D(stride=(1, step)), image, c.known(weights, "transform"), None)
    return reshape(c, spectra, (batch, spectra.shape[2], results, 2))


def _frames(c: Composer, x: Tensor, step: int, window: Tensor) -> Tensor:
    """(B, F, length, parts), multiplied by the window."""
    length = window.elements
    begins = np.arange(0, x.shape[1] - length + 1, step, dtype=np.int32)
    places = begins[:, None] + np.arange(length, dtype=np.int32)
    frames = c.emit(Gather(axis=1), x, c.known(places, "frames"))
    return mul(c, frames, reshape(c, window, (length, 1)))


def as_real(c: Composer, x: Tensor) -> Tensor:
    """Numbers (...) as real ones (..., 1)."""
    return reshape(c, x, (*x.shape, 1))
