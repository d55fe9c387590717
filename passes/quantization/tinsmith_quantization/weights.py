"""Weights as integers: their scales, and each rounded such that the layer computes what it should.

Learned rounding goes through the weights of an output channel one after another and spreads the error of each over
those that are still to come, by least squares over what the layer reads. The step is that of Optimal Brain Surgeon
(Hassibi and Stork, 1993), as GPTQ uses it for one order of all channels (Frantar et al., "GPTQ", 2022). What the layer
should compute is what it did of the float network's operands, while it reads those of the quantized one; so the errors
of the layers before it are made good as far as they can be.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tinsmith_quantization.products import Matrix

_DAMPING = 0.01
"""Of the mean square of what is read, added to each: what samples say nothing of stays as it was."""
_SCARCITY = 0.3
"""So much more for each term to a row that is read: ten rows of 64 terms could be fitted by many weights."""
_RATIOS = np.linspace(1.0, 0.4, 61)
_HALVES = np.exp2(-np.arange(4.0))
"""Of the scale that clips nothing, those that are tried where bits are few."""
TRIED = (0.7, 0.8, 0.9, 1.1, 1.2, 1.35, 1.5)
OCTAVES = (0.5, 2.0)
"""Of the scale that is best without making errors good, others that may be better with it."""
HALF = (0.5,)
"""Of 8 bits and a power of two, which may be almost twice what the largest weight needs, so that it clips little."""
_TINY = 1e-12


@dataclass
class Moments:
    """Sums over all rows that a layer reads, with a 1 behind each row for the bias.

    squares: (G, K+1, K+1), of what it reads quantized with itself; mixed: of what it reads quantized with that of the
    float network. rows: how many.
    """

    squares: Matrix
    mixed: Matrix
    rows: int = 0

    @staticmethod
    def empty(groups: int, terms: int) -> "Moments":
        """Of no rows yet."""
        shape = (groups, terms + 1, terms + 1)
        return Moments(np.zeros(shape), np.zeros(shape))

    def add(self, quantized: Matrix, real: Matrix) -> None:
        """Rows (G, P, K) of the quantized network, and the same of the float network."""
        read, wanted = _with_ones(quantized), _with_ones(real)
        transposed = read.transpose(0, 2, 1)
        self.squares += transposed @ read
        self.mixed += transposed @ wanted
        self.rows += read.shape[1]


def _with_ones(rows: Matrix) -> Matrix:
    return np.concatenate([rows, np.ones((*rows.shape[:2], 1))], axis=2)


@dataclass(frozen=True)
class BlockScales:
    """rows: a scale for each channel, (G, O). multiples: (G, O, K), how many of these a weight's scale is; None: 1."""

    rows: Matrix
    multiples: NDArray[np.int64] | None = None

    @property
    def steps(self) -> Matrix:
        """The scale of each weight, (G, O, K) or (G, O, 1), in float32's numbers."""
        steps = self.rows[:, :, None]
        return steps if self.multiples is None else _in_float32(steps * self.multiples)

    def times(self, ratio: float) -> "BlockScales":
        """All so many times as large."""
        return BlockScales(_in_float32(self.rows * ratio), self.multiples)


@dataclass(frozen=True)
class Rounded:
    """integers: (G, O, K). scales: of these. bias: (G, O), real numbers; None if there is none."""

    integers: NDArray[np.int64]
    scales: BlockScales
    bias: Matrix | None

    @property
    def real(self) -> Matrix:
        """What the integers stand for."""
        return self.integers * self.scales.steps


def largest(bits: int) -> int:
    """The largest magnitude of symmetric integers of so many bits."""
    return (1 << (bits - 1)) - 1


def scales_of(
    matrix: Matrix,
    bits: int,
    squares: Matrix | None = None,
    *,
    per_channel: bool = True,
    power_of_two: bool = False,
) -> Matrix:
    """A scale for each channel of weights (G, O, K), as (G, O), in float32's numbers.

    Of fewer than 8 bits the one with the least square error when weights are rounded to the nearest; squares: (G, K) by
    which the error of each term counts, all the same if None. Channels of nothing but 0 have the scale of the largest.
    """
    most = largest(bits)
    peaks = np.abs(matrix).max(axis=2)
    if not per_channel:
        peaks = np.full_like(peaks, peaks.max())
    scales = np.maximum(peaks, max(float(peaks.max()) * 1e-6, 1e-9)) / most
    if power_of_two:
        scales = np.exp2(np.ceil(np.log2(scales) - 1e-9))
    if bits < 8:
        ratios = _HALVES if power_of_two else _RATIOS
        scales = _sought(matrix, scales, ratios, most, squares, per_channel=per_channel)
    return _in_float32(scales)


def at_least(
    scales: Matrix, least: Matrix, *, per_channel: bool = True, power_of_two: bool = False
) -> Matrix:
    """Scales (G, O) that are not below those at which biases fit into 32 bits, of what `scales_of` gives."""
    if (scales >= least).all():
        return scales
    raised = np.maximum(scales, least)
    if not per_channel:
        raised = np.full_like(raised, raised.max())
    if power_of_two:
        raised = np.exp2(np.ceil(np.log2(raised) - 1e-9))
    return _in_float32(raised)


def _in_float32(scales: Matrix) -> Matrix:
    return scales.astype(np.float32).astype(np.float64)


def _sought(
    matrix: Matrix,
    scales: Matrix,
    ratios: NDArray[np.float64],
    most: int,
    squares: Matrix | None,
    *,
    per_channel: bool,
) -> Matrix:
    counted = np.ones((matrix.shape[0], matrix.shape[2])) if squares is None else squares
    best = np.full(scales.shape, np.inf)
    found = scales
    for ratio in ratios:
        tried = scales * ratio
        rounded = np.clip(np.rint(matrix / tried[:, :, None]), -most, most) * tried[:, :, None]
        errors = ((rounded - matrix) ** 2 * counted[:, None, :]).sum(axis=2)
        if not per_channel:
            errors = np.full_like(errors, errors.sum())
        better = errors < best
        best, found = np.where(better, errors, best), np.where(better, tried, found)
    return found


def nearest(matrix: Matrix, scales: BlockScales, bits: int) -> NDArray[np.int64]:
    """Each weight rounded by itself, halves to even."""
    most = largest(bits)
    return np.clip(np.rint(matrix / scales.steps), -most, most).astype(np.int64)


def learned(
    matrix: Matrix,
    bias: Matrix,
    bits: int,
    moments: Moments,
    scales_for: Callable[[Matrix, Matrix], BlockScales],
    *,
    ratios: Sequence[float] = (),
    per_channel: bool = True,
    least: Matrix | None = None,
    improved: Callable[[Matrix, Rounded, Matrix], Rounded] | None = None,
) -> Rounded:
    """Weights (G, O, K) and bias (G, O), real zeros if the layer has none, for what the layer reads and should give.

    scales_for: what gives the scales of weights, by how much the error of each term counts, (G, K). ratios: of these,
    others that each channel tries, or all channels together. least: scales (G, O) below which none is tried. improved:
    goes on from what was found with each scale, given what is wanted, (G, O, K+1), that, and squares (G, K+1, K+1).
    """
    given = np.concatenate([matrix, bias[:, :, None]], axis=2)
    squares = _damped(moments)
    wanted = _fitted(given, squares, moments)
    real = wanted[:, :, :-1]
    diagonal = np.einsum("gkk->gk", squares)[:, :-1]
    scales = scales_for(real, diagonal)

    def found(scales: BlockScales) -> Rounded:
        spread = _spread_errors(wanted, scales, bits, squares)
        return spread if improved is None else improved(wanted, spread, squares)

    best = found(scales)
    cost = _costs(wanted, best, squares) if ratios else np.zeros(bias.shape)
    for other in map(scales.times, ratios):
        if least is not None and (other.rows < least).any():
            continue
        tried = found(other)
        costs = _costs(wanted, tried, squares)
        if not per_channel:
            cost, costs = np.full_like(cost, cost.sum()), np.full_like(costs, costs.sum())
        best, cost = _better(best, cost, tried, costs)
    return best


def _costs(wanted: Matrix, found: Rounded, squares: Matrix) -> Matrix:
    """The square error of each channel's sums over all rows, (G, O)."""
    assert found.bias is not None
    lost = wanted - np.concatenate([found.real, found.bias[:, :, None]], axis=2)
    return np.asarray(np.einsum("gok,gkl,gol->go", lost, squares, lost, optimize=True), np.float64)


def _better(first: Rounded, cost: Matrix, second: Rounded, costs: Matrix) -> tuple[Rounded, Matrix]:
    """Of each channel the one that costs less."""
    assert first.bias is not None
    assert second.bias is not None
    is_better = costs < cost
    rows = np.where(is_better, second.scales.rows, first.scales.rows)
    return Rounded(
        np.where(is_better[:, :, None], second.integers, first.integers),
        BlockScales(rows, first.scales.multiples),
        np.where(is_better, second.bias, first.bias),
    ), np.where(is_better, costs, cost)


def _damped(moments: Moments) -> Matrix:
    """Squares with some more on the diagonal, but for the bias."""
    squares = moments.squares.copy()
    terms = squares.shape[1] - 1
    diagonal = np.einsum("gkk->gk", squares)
    share = _DAMPING + _SCARCITY * terms / max(moments.rows, 1)
    added = share * diagonal[:, :-1].mean(axis=1) + _TINY * max(moments.rows, 1)
    squares[:, range(terms), range(terms)] += added[:, None]
    squares[:, terms, terms] += _TINY * max(moments.rows, 1)
    return squares


def _fitted(given: Matrix, squares: Matrix, moments: Moments) -> Matrix:
    """Weights that make of the quantized operands what the given ones make of the float network's, as near as those.

    Ridge regression around the given weights: W + W (mixed - squares) squares**-1.
    """
    lost = given @ (moments.mixed - moments.squares).transpose(0, 2, 1)
    moved = np.linalg.solve(squares, lost.transpose(0, 2, 1)).transpose(0, 2, 1)
    return given + moved


def _spread_errors(wanted: Matrix, scales: BlockScales, bits: int, squares: Matrix) -> Rounded:
    """Integers of weights (G, O, K+1), of which the last column is the bias, and what that has become."""
    order, most = _order(squares), largest(bits)
    steps = np.broadcast_to(scales.steps, (*wanted.shape[:2], wanted.shape[2] - 1))
    integers = np.zeros((*wanted.shape[:2], wanted.shape[2] - 1), np.int64)
    bias = np.zeros(wanted.shape[:2])
    for group in range(wanted.shape[0]):
        permuted = squares[group][np.ix_(order[group], order[group])]
        factor = _inverse_factor(permuted)
        left = wanted[group][:, order[group]].copy()
        for place, term in enumerate(order[group][:-1]):
            step = steps[group][:, term]
            integer = np.clip(np.rint(left[:, place] / step), -most, most)
            integers[group][:, term] = integer
            error = (left[:, place] - integer * step) / factor[place, place]
            left[:, place + 1 :] -= error[:, None] * factor[place, place + 1 :]
        bias[group] = left[:, -1]
    return Rounded(integers, scales, bias)


def _order(squares: Matrix) -> NDArray[np.int64]:
    """Terms that count most first, while others can still make good for them; the bias, which is not rounded, last."""
    terms = squares.shape[1] - 1
    diagonal = np.einsum("gkk->gk", squares)[:, :terms]
    order = np.argsort(-diagonal, axis=1, kind="stable")
    return np.concatenate([order, np.full((len(order), 1), terms)], axis=1)


def _inverse_factor(squares: Matrix) -> Matrix:
    """The upper factor U of the inverse, U^T U = squares**-1, whose rows say how errors are spread."""
    inverse = np.linalg.inv(squares)
    symmetric = (inverse + inverse.T) / 2
    boost = 0.0
    while True:
        try:
            raised = symmetric + boost * np.eye(len(symmetric))
            return np.asarray(np.linalg.cholesky(raised).T, np.float64)
        except np.linalg.LinAlgError:
            mean = float(np.trace(symmetric)) / len(symmetric)
            boost = max(boost * 10, abs(mean) * 1e-10, math.ulp(0.0) * 2**60)
