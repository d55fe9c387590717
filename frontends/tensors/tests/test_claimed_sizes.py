"""That sizes which a file merely claims are refused before anything is allocated by them."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from tinsmith_ir import DType, UnsupportedError
from tinsmith_ir.types import TensorType
from tinsmith_tensors import LARGEST_KNOWN_BYTES, Composer, Tensor
from tinsmith_tensors.attention import window
from tinsmith_tensors.bits import bitwise_and, shift_left
from tinsmith_tensors.einsum import einsum
from tinsmith_tensors.elementwise import add, cast, less
from tinsmith_tensors.indexing import one_hot, reverse_sequences, triangle
from tinsmith_tensors.movement import reshape, tile, transpose
from tinsmith_tensors.normalization import hardmax
from tinsmith_tensors.padding import PadMode, pad_by_elements
from tinsmith_tensors.pools import (
    Windows,
    adaptive_max_pool,
    average_pool,
    max_pool,
    max_pool_indices,
)
from tinsmith_tensors.products import gemm, matmul
from tinsmith_tensors.quantization import dequantize_linear
from tinsmith_tensors.recurrent import Weights, gru
from tinsmith_tensors.reductions import total
from tinsmith_tensors.resampling import Interpolation, ResizedAxis, Resizing
from tinsmith_tensors.resizing import resize
from tinsmith_tensors.sampling import RegionPooling, affine_grid, roi_align
from tinsmith_tensors.scans import cumprod, top_k
from tinsmith_tensors.scattering import Combine, scatter_elements, scatter_windows
from tinsmith_tensors.spectra import dft, stft
from tinsmith_tensors.unfolding import fold, unfold

HUGE = 1 << 40
LONG = 1 << 22
"""An axis of a computed tensor: more numbers than a known one has."""
LINEAR = Resizing(interpolation=Interpolation.LINEAR)
Function = Callable[[Composer, Tensor], object]


def _known(c: Composer, shape: tuple[int, ...], dtype: str = "<f4") -> Tensor:
    return c.known(np.ones(shape, dtype))


def _floats(c: Composer, *shape: int) -> Tensor:
    return c.input("x", TensorType(shape, DType.FLOAT32))


def _windows(size: int, stride: int = 1) -> Windows:
    return Windows((size,), (stride,), ((0, 0),))


SIZES: dict[str, Function] = {
    "padding by elements": lambda c, x: pad_by_elements(
        c, x, [(0, HUGE)] + [(0, 0)] * 2, PadMode.REFLECT
    ),
    "nearest": lambda c, x: resize(c, x, [ResizedAxis(2, HUGE, 2.0)], Resizing()),
    "linear": lambda c, x: resize(c, x, [ResizedAxis(2, HUGE, 2.0)], LINEAR),
    "a short axis that becomes long": lambda c, x: resize(
        c, reshape(c, x, (1, 64, 1)), [ResizedAxis(2, LONG, LONG)], LINEAR
    ),
    "curves as wide as elements of a small result": lambda c, x: resize(
        c, x, [ResizedAxis(2, 8, 1e-9)], replace(LINEAR, antialias=True)
    ),
    "no elements": lambda c, _: tile(c, _known(c, (2, 2, 4)), (HUGE, 0, 1)),
    "no elements in another shape": lambda c, _: reshape(c, _known(c, (0,)), (HUGE, 0)),
    "a wider type": lambda c, _: cast(c, _known(c, (LARGEST_KNOWN_BYTES,), "i1"), np.dtype("<u4")),
    "a wider sum": lambda c, _: total(
        c, _known(c, (1, LARGEST_KNOWN_BYTES), "i1"), [0], keep_dims=False
    ),
    "a table of sums": lambda c, _: add(
        c, _known(c, (1 << 13, 1), "<i8"), _known(c, (1 << 13,), "<i8")
    ),
    "a table of relations": lambda c, _: less(
        c, _known(c, (1 << 13, 1), "<i8"), _known(c, (1 << 13,), "<i8")
    ),
    "a table of bits": lambda c, _: bitwise_and(
        c, _known(c, (1 << 13, 1), "<i8"), _known(c, (1 << 13,), "<i8")
    ),
    "a table of shifts": lambda c, _: shift_left(
        c, _known(c, (1 << 13, 1), "<i8"), _known(c, (1 << 13,), "<i8")
    ),
    "a table of real numbers": lambda c, _: dequantize_linear(
        c, _known(c, (1 << 13, 1), "i1"), _known(c, ()), _known(c, (1, 1 << 13), "i1")
    ),
    "an outer product": lambda c, _: matmul(
        c, _known(c, (1 << 13, 1), "<i8"), _known(c, (1, 1 << 13), "<i8")
    ),
    "one-hot": lambda c, _: one_hot(c, _known(c, (2,), "<i8"), HUGE, _known(c, ()), _known(c, ())),
    "ranks": lambda c, _: top_k(c, _known(c, (1, LARGEST_KNOWN_BYTES), "i1"), 1, 1),
    "a triangle": lambda c, _: triangle(
        c, _floats(c, 4, LARGEST_KNOWN_BYTES // 4 + 1), 0, upper=True
    ),
    "sequences": lambda c, _: reverse_sequences(
        c, _floats(c, LONG // 2, 4), _known(c, (LONG // 2,), "<i4"), 1, 0
    ),
    "a product of one": lambda c, _: cumprod(c, _floats(c, 2 * LONG, 1), 1, exclusive=True),
    "hardmax": lambda c, _: hardmax(c, _floats(c, LONG), 0),
    "queries": lambda c, _: window(c, LONG, 1, _known(c, (), "<i4"), left=None, right=0),
    "updates": lambda c, _: scatter_elements(
        c, _floats(c, 2 * LONG), _known(c, (2,), "<i8"), _known(c, (2,)), 0, Combine.ADD
    ),
    "caches": lambda c, x: scatter_windows(
        c, _floats(c, 2, LONG), _known(c, (2, 2)), None, 1, is_circular=False
    ),
    "a transform": lambda c, x: dft(c, x, 1, 1 << 62),
    "a transform of a prime length": lambda c, x: dft(c, x, 1, 65537),
    "a transform of a prime factor": lambda c, x: dft(c, x, 1, 4 * 65537),
    "frames": lambda c, _: stft(c, _floats(c, 1, LONG, 1), 1, 1024, None),
    "means at many places": lambda c, _: average_pool(c, _floats(c, 1, 1, LONG), _windows(1)),
    "places of maxima": lambda c, _: max_pool_indices(c, _floats(c, 1, 1, 1 << 20), _windows(16)),
    "columns": lambda c, _: unfold(c, _floats(c, 1, 1, 1 << 20), _windows(16)),
    "an image of columns": lambda c, x: fold(c, x, (HUGE,), _windows(4, 4)),
    "a grid": lambda c, _: affine_grid(c, _known(c, (1, 2, 3)), (HUGE, 2), align_corners=False),
    "samples of a region": lambda c, _: roi_align(
        c,
        _floats(c, 1, 1, 8, 8),
        c.known(np.array([[0, 0, 1e12, 8]], np.float32)),
        _known(c, (1,), "<i8"),
        RegionPooling((2, 2), 1.0, 0, 0.0, takes_largest=False),
    ),
}


@pytest.mark.parametrize("name", SIZES)
def test_what_would_be_too_large_is_refused_before_it_is_made(name: str) -> None:
    c = Composer("g")
    x = c.input("given", TensorType((1, 8, 8), DType.FLOAT32))
    x = reshape(c, x, (1, 64, 1)) if "transform" in name else x
    with pytest.raises(
        UnsupportedError, match=r"expected a known tensor of at most .* work on less"
    ):
        SIZES[name](c, x)


def test_a_gru_step_by_step_has_a_bounded_number_of_operators() -> None:
    c = Composer("g")
    x = _floats(c, 1 << 10, 1, 4)
    weights = Weights(_known(c, (3, 4)), _known(c, (3, 1)))
    hidden = _known(c, (1, 1))

    def layers() -> None:
        for _ in range(16):
            gru(c, x, weights, hidden)

    with pytest.raises(UnsupportedError, match="of at most 65,536 operators, got 65,537"):
        layers()


COUNTS: dict[str, Callable[[Composer], object]] = {
    "taps of a window": lambda c: max_pool(
        c, _floats(c, 1, 1, 1 << 18), Windows((1 << 17,), (1,), ((0, 0),), (2,))
    ),
    "places that windows adapt to": lambda c: adaptive_max_pool(c, _floats(c, 1, 1, 8), (HUGE,)),
}


@pytest.mark.parametrize("name", COUNTS)
def test_operators_are_counted_before_they_are_made(name: str) -> None:
    with pytest.raises(UnsupportedError, match="of at most 65,536 operators, got"):
        COUNTS[name](Composer("g"))


SUMS: dict[str, Callable[[Composer], object]] = {
    "einsum": lambda c: einsum(c, "i,j,k->", [_known(c, (1 << 10,)) for _ in range(3)]),
    "matmul": lambda c: matmul(c, *(_known(c, (1 << 10, 1 << 10), "<i8") for _ in range(2))),
}


@pytest.mark.parametrize("name", SUMS)
def test_sums_of_known_products_are_bounded(name: str) -> None:
    with pytest.raises(UnsupportedError, match=r"expected sums of at most .* products"):
        SUMS[name](Composer("g"))


def test_what_is_made_of_a_large_file_may_be_larger() -> None:
    count = LARGEST_KNOWN_BYTES // 4 + (1 << 10)
    weights = np.ones((1 << 10, count >> 10), np.int8)
    c = Composer("g", weights.nbytes)
    x = c.input("x", TensorType((1, 1 << 10), DType.FLOAT32))
    scales, zeros = _known(c, weights.shape[1:]), _known(c, weights.shape[1:], "i1")
    real = dequantize_linear(c, Tensor(array=weights), scales, zeros, axis=1)
    assert gemm(c, x, real, None).shape == (1, weights.shape[1])
    with pytest.raises(UnsupportedError, match="known tensor of at most"):
        dequantize_linear(Composer("g"), Tensor(array=weights), scales, zeros, axis=1)


def test_what_moves_elements_counts_unless_it_only_looks_at_them() -> None:
    c = Composer("g")
    x = c.known(np.ones((2, LARGEST_KNOWN_BYTES // 8), np.float32))
    for rows in range(1, 1000):
        reshape(c, x, (x.elements,) if rows % 2 else x.shape)

    def copies() -> None:
        for _ in range(16):
            transpose(c, x, (1, 0))

    with pytest.raises(UnsupportedError, match="in all, got one more"):
        copies()
    assert c.known(np.ones(4)).is_known  # counted by itself
