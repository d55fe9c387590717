"""Discrete Fourier transforms of known length, as products by known matrices; complex numbers are pairs, last.

The matrix of a long transform takes more flash than a microcontroller has. Such a one is done in two steps, as Cooley
and Tukey do it: by two matrices of about the root of its length, and factors in between.
"""

import math

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir.errors import UnsupportedError
from tinsmith_ir.operators import Conv2D, Gather

from tinsmith_tensors.composer import Composer, Tensor
from tinsmith_tensors.elementwise import add, mul
from tinsmith_tensors.movement import move_axis, pad, part, reshape, transpose
from tinsmith_tensors.products import linear

_Reals = NDArray[np.float64]
LARGEST_MATRIX = 1 << 15
"""Elements of the matrix of a transform in one step, if its length has factors."""
_SMALLEST_FACTOR = 4
"""Below, two steps save nothing."""


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
    c.check_known_size([length])
    read = length // 2 + 1 if inverse and onesided else length
    shortened = part(c, x, axis, 0, min(x.shape[axis], read))
    turned = move_axis(c, shortened, axis, x.rank - 2)
    first = _factor(length)
    is_long = _matrix_size(length, turned.shape[-2], parts, onesided) > LARGEST_MATRIX
    if is_long and first >= _SMALLEST_FACTOR and not (inverse and onesided):
        shaped = _in_two_steps(c, turned, length, first, inverse=inverse, onesided=onesided)
    else:
        shaped = _in_one_step(c, turned, length, inverse=inverse, onesided=onesided)
    return move_axis(c, shaped, x.rank - 2, axis)


def _matrix_size(length: int, count: int, parts: int, onesided: bool) -> int:
    results = length // 2 + 1 if onesided else length
    return 2 * results * count * parts


def _check_matrix(c: Composer, length: int, count: int, parts: int) -> None:
    """For `transform`, in twice the width of what it becomes."""
    c.check_known_size((2 * length, parts * count))


def _factor(length: int) -> int:
    """The largest divisor that is not above the root."""
    return max(step for step in range(1, math.isqrt(length) + 1) if length % step == 0)


def _in_one_step(c: Composer, x: Tensor, length: int, *, inverse: bool, onesided: bool) -> Tensor:
    """x (..., count, parts) by one matrix."""
    *others, count, parts = x.shape
    _check_matrix(c, length, count, parts)
    matrix = transform(length, count, parts, inverse=inverse, onesided=onesided)
    product = _product(c, reshape(c, x, (*others, count * parts)), matrix)
    return reshape(c, product, (*others, *matrix.shape[:2]))


def _in_two_steps(
    c: Composer, x: Tensor, length: int, first: int, *, inverse: bool, onesided: bool
) -> Tensor:
    """x (..., count, parts), with n = second * n1 + n2 and k = k1 + first * k2.

    Transforms along n1 for each n2; a turn by the angle n2 * k1 / length; transforms along n2 for each k1.
    """
    *others, count, parts = x.shape
    rows, second = math.prod(others), length // first
    _check_matrix(c, second, second, 2)
    whole = pad(c, x, (*[(0, 0)] * len(others), (0, length - count), (0, 0)), None)
    read = transpose(c, reshape(c, whole, (rows, first, second, parts)), (0, 2, 1, 3))
    read = reshape(c, read, (rows, second, first * parts))
    matrix = transform(first, first, parts, inverse=inverse)
    quarter = np.stack([-matrix[:, 1], matrix[:, 0]], axis=1)  # the same, turned by a right angle
    sign = 2.0 if inverse else -2.0
    angles = sign * np.pi / length * np.outer(np.arange(second), np.repeat(np.arange(first), 2))
    turned = add(
        c,
        mul(c, _product(c, read, matrix), c.known(np.cos(angles).astype(np.float32), "cosines")),
        mul(c, _product(c, read, quarter), c.known(np.sin(angles).astype(np.float32), "sines")),
    )
    read = transpose(c, reshape(c, turned, (rows, second, first, 2)), (0, 2, 1, 3))
    matrix = transform(second, second, 2, inverse=inverse)
    matrix = matrix[: second // 2 + 1] if onesided else matrix
    results = _product(c, reshape(c, read, (rows, first, 2 * second)), matrix)
    ordered = transpose(c, reshape(c, results, (rows, first, len(matrix), 2)), (0, 2, 1, 3))
    flat = reshape(c, ordered, (*others, first * len(matrix), 2))
    return part(c, flat, len(others), 0, length // 2 + 1 if onesided else length)


def _product(c: Composer, x: Tensor, matrix: _Reals) -> Tensor:
    """x (..., count * parts) by a matrix as `transform` gives it, to (..., results * kinds)."""
    results, kinds, count, parts = matrix.shape
    weights = matrix.reshape(results * kinds, count * parts).astype(np.float32)
    return linear(c, x, c.known(weights, "transform"), None)


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
    frames are one convolution, so that no frame is copied, unless they are long.
    """
    batch, size, parts = x.shape
    if step < 1 or not 1 <= length <= size or (window and window.shape != (length,)):
        raise UnsupportedError(
            f"expected steps of at least 1, frames of at most {size} and a window of as many, got {step}, {length} "
            f"and {window and list(window.shape)}"
        )
    if onesided and parts == 2:
        raise UnsupportedError("expected one-sided transforms of real numbers, got complex ones")
    is_long = _matrix_size(length, length, parts, onesided) > LARGEST_MATRIX
    if (is_long and _factor(length) >= _SMALLEST_FACTOR) or (window and not window.is_known):
        return dft(c, _frames(c, x, step, length, window), 2, length, onesided=onesided)
    _check_matrix(c, length, length, parts)
    matrix = transform(length, length, parts, onesided=onesided)
    if window is not None and window.array is not None:
        matrix = matrix * window.array.astype(np.float64)[:, None]
    results = matrix.shape[0]
    weights = matrix.reshape(results * 2, 1, length, parts).astype(np.float32)
    image = reshape(c, x, (batch, 1, size, parts))
    spectra = c.emit(Conv2D(stride=(1, step)), image, c.known(weights, "transform"), None)
    return reshape(c, spectra, (batch, spectra.shape[2], results, 2))


def _frames(c: Composer, x: Tensor, step: int, length: int, window: Tensor | None) -> Tensor:
    """(B, F, length, parts), multiplied by the window."""
    count = (x.shape[1] - length) // step + 1
    c.check_known_size((count, length), 4)
    places = (c.numbers(count)[:, None] * step + c.numbers(length)).astype(np.int32)
    frames = c.emit(Gather(axis=1), x, c.known(places, "frames"))
    return frames if window is None else mul(c, frames, reshape(c, window, (length, 1)))


def as_real(c: Composer, x: Tensor) -> Tensor:
    """Numbers (...) as real ones (..., 1)."""
    return reshape(c, x, (*x.shape, 1))
