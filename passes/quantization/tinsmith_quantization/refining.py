"""Weights of few bits, moved one by one for as long as what a layer gives comes nearer to what it should give.

Errors that are spread once (`weights.py`) meet each weight once, with a scale that was chosen before. Here all of them
are looked at again and again: of each output channel the weight whose move saves most is moved, with the best scale and
the best bias for it, until none saves anything. The squares of what a layer reads say what a move saves, as in Optimal
Brain Surgeon (Hassibi and Stork, 1993); that of weights -1, 0, 1 times the best scale, of the sums of squares alone, is
the form of Ternary Weight Networks (Li et al., 2016).
"""

import numpy as np
from numpy.typing import NDArray

from tinsmith_quantization.products import Matrix
from tinsmith_quantization.weights import BlockScales, Rounded

_MOVES = (-2, -1, 1, 2)
_LEAST = 1e-9
"""A move saves at least this part of what a channel is to give: less may be rounding of doubles."""

Integers = NDArray[np.int64]


def refined(
    wanted: Matrix,
    found: Rounded,
    squares: Matrix,
    most: int,
    least: Matrix,
    *,
    is_free: bool,
) -> Rounded:
    """What loses no more than `found`, with the best bias.

    wanted: (G, O, K+1) real weights, the bias behind them. squares: (G, K+1, K+1). least: scales (G, O) below which
    there is none. is_free: each channel has a scale of its own, which may be any; else these stay.
    """
    # With the best bias for each choice of weights, the bias is no unknown any more (the Schur complement).
    shares = squares[:, :-1, -1] / squares[:, -1:, -1]
    inner = squares[:, :-1, :-1] - shares[:, :, None] * squares[:, -1:, :-1]
    integers, rows = found.integers.copy(), found.scales.rows.copy()
    for group, real in enumerate(wanted[:, :, :-1]):
        integers[group], rows[group] = refined_rows(
            real, integers[group], rows[group], most, inner[group], is_free=is_free
        )
    scales = BlockScales(np.maximum(rows, least).astype(np.float32).astype(np.float64))
    lost = wanted[:, :, :-1] - integers * scales.steps
    bias = wanted[:, :, -1] + np.einsum("gok,gk->go", lost, shares)
    return Rounded(integers, scales, bias)


def refined_rows(
    wanted: Matrix, integers: Integers, scales: Matrix, most: int, squares: Matrix, *, is_free: bool
) -> tuple[Integers, Matrix]:
    """Integers (O, K) of -most to most and scales (O,) that lose no more than those given.

    wanted: (O, K) real weights. squares: (K, K), sums of the products of what is read, positive definite; what a
    channel loses is (wanted - scale * integers) squares (wanted - scale * integers). is_free: scales may be any; else
    they stay.
    """
    work = _Descent(wanted, integers, scales, most, squares, is_free=is_free)
    while work.moves():
        pass
    return work.integers, work.scales


class _Descent:
    """Of each channel `products`, integers squares wanted, and `lengths`, integers squares integers: what it loses is
    wanted squares wanted - 2 scale products + scale**2 lengths, and with the best scale, products / lengths,
    wanted squares wanted - products**2 / lengths.
    """

    def __init__(
        self,
        wanted: Matrix,
        integers: Integers,
        scales: Matrix,
        most: int,
        squares: Matrix,
        *,
        is_free: bool,
    ) -> None:
        self.integers = integers.copy()
        self._given, self._most, self._squares, self._is_free = scales, most, squares, is_free
        self._diagonal = np.diagonal(squares)
        self._aims = wanted @ squares
        self._signals = np.einsum("ok,ok->o", self._aims, wanted)
        self._made = self.integers @ squares
        self._products = np.einsum("ok,ok->o", self._aims, self.integers)
        self._lengths = np.einsum("ok,ok->o", self._made, self.integers)

    @property
    def scales(self) -> Matrix:
        """Those given where none is better."""
        if not self._is_free:
            return self._given
        is_good = (self._products > 0) & (self._lengths > 0)
        best = self._products / np.where(is_good, self._lengths, 1.0)
        return np.where(is_good, best, self._given)

    def moves(self) -> bool:
        """Move a weight of each channel; whether one was."""
        now = self._saved(self._products, self._lengths)
        best, terms, steps = now.copy(), np.zeros(len(now), np.int64), np.zeros(len(now), np.int64)
        channels = np.arange(len(now))
        for step in _MOVES:
            products = self._products[:, None] + step * self._aims
            lengths = self._lengths[:, None] + 2 * step * self._made + step * step * self._diagonal
            saved = self._saved(products, lengths)
            saved[np.abs(self.integers + step) > self._most] = -np.inf
            term = np.argmax(saved, axis=1)
            is_better = saved[channels, term] > best
            best = np.where(is_better, saved[channels, term], best)
            terms, steps = np.where(is_better, term, terms), np.where(is_better, step, steps)
        steps[best - now <= _LEAST * self._signals] = 0
        self._move(channels, terms, steps)
        return bool(steps.any())

    def _saved(self, products: Matrix, lengths: Matrix) -> Matrix:
        """What a channel that gives nothing loses more."""
        if self._is_free:
            is_good = (products > 0) & (lengths > 0)
            return np.where(is_good, products**2 / np.where(is_good, lengths, 1.0), 0.0)
        scales = self._given.reshape(-1, *[1] * (products.ndim - 1))
        return 2 * scales * products - scales**2 * lengths

    def _move(self, channels: Integers, terms: Integers, steps: Integers) -> None:
        self._products += steps * self._aims[channels, terms]
        self._lengths += steps * (2 * self._made[channels, terms] + steps * self._diagonal[terms])
        self._made += steps[:, None] * self._squares[terms]
        self.integers[channels, terms] += steps
