"""What quantizing did to each tensor, as numbers for people."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir.checked import Checked
from tinsmith_ir.graph import Array
from tinsmith_ir.types import TensorType

from tinsmith_quantization.ranges.histogram import Histogram

_BARS = 64


@dataclass(frozen=True)
class TensorLoss(Checked):
    """Of a tensor between operators. layer: what computes it, "" for an input of the network.

    scale, zero_point: of its integers, of `dtype`. low, high: of the float network on the samples. clipped: the share
    of numbers outside of the range. sqnr_db: 10 log10 of the mean square of the float network's numbers over that of
    the difference, infinite where there is none; it includes what the layers before lost. own_sqnr_db: of rounding
    this tensor alone. counts: a histogram, of all tensors of this quantization, from the least number to the largest.
    """

    name: str
    layer: str
    dtype: str
    scale: float
    zero_point: int
    low: float
    high: float
    clipped: float
    sqnr_db: float
    own_sqnr_db: float
    counts: tuple[int, ...] = ()


@dataclass(frozen=True)
class LayerWeights(Checked):
    """Of a layer with weights. bits: of each; sqnr_db: of the weights alone, real against integers * scale."""

    name: str
    operator: str
    bits: int
    elements: int
    size_bytes: int
    sqnr_db: float


def tensor_loss(
    name: str, layer: str, type_: TensorType, real: Array, got: Array, own: Array, seen: Histogram
) -> TensorLoss:
    """Of a tensor of `type_`. real: of the float network; got: of the quantized one; own: `real`, rounded; of all
    samples, (samples, ...). Doubles are made of one sample at a time: of all they would be most of what is held.
    """
    assert type_.quantization is not None
    scale, zero = type_.quantization.scale, type_.quantization.zero_point
    least, most = (scale * (end - zero) for end in type_.dtype.integer_range)
    low, high = least - scale / 2, most + scale / 2
    clipped = sum(
        int(
            np.count_nonzero((sample.astype(np.float64) < low) | (sample.astype(np.float64) > high))
        )
        for sample in real
    )
    return TensorLoss(
        name,
        layer,
        type_.dtype.value,
        scale,
        zero,
        float(real.min()),
        float(real.max()),
        clipped / real.size,
        sqnr(list(real), list(got)),
        sqnr(list(real), list(own)),
        _bars(seen),
    )


def _bars(histogram: Histogram) -> tuple[int, ...]:
    """At most _BARS counts from the least number to the largest."""
    counts = histogram.counts
    per_bar = -(-counts.size // _BARS)
    padded = np.pad(counts, (0, -counts.size % per_bar))
    return tuple(int(count) for count in padded.reshape(-1, per_bar).sum(axis=1))


def decibels(signal: float, noise: float) -> float:
    """10 log10 of the ratio; infinite without noise, minus infinite without signal."""
    if noise <= 0.0:
        return math.inf
    return 10 * math.log10(signal / noise) if signal > 0.0 else -math.inf


def sqnr(wanted: Sequence[Array], got: Sequence[Array]) -> float:
    """Signal to quantization noise in decibels, over all elements of all arrays."""
    signal = noise = 0.0
    for expected, found in zip(wanted, got, strict=True):
        real = expected.astype(np.float64)
        signal += float((real**2).sum())
        noise += float(((real - found.astype(np.float64)) ** 2).sum())
    return decibels(signal, noise)


def top1_agreement(
    wanted: NDArray[np.floating], got: NDArray[np.floating], least_margin: float = 0.0
) -> tuple[int, int]:
    """(how many rows have their largest element at the same place, how many were counted).

    wanted, got: (samples, classes). least_margin: rows of `wanted` whose largest element is nearer than that to the
    second are not counted.
    """
    ordered = np.sort(wanted, axis=1)
    margins = ordered[:, -1] - ordered[:, -2]
    same = wanted.argmax(axis=1) == got.argmax(axis=1)
    counted = margins >= least_margin
    return int(np.count_nonzero(same & counted)), int(np.count_nonzero(counted))


@dataclass(frozen=True)
class RangeChange(Checked):
    """Of a tensor the real numbers of its least and its largest integer: calibrated, and learned."""

    name: str
    calibrated: tuple[float, float]
    learned: tuple[float, float]


@dataclass(frozen=True)
class RangeLearning(Checked):
    """What learning ranges brought: SQNR of the network's outputs on the calibration samples in decibels, with the
    calibrated ranges and the best of the learned ones. is_adopted: whether the network has the learned ones, as it
    does where they are better, and no worse at what a softmax reads at the end, nor on inputs that were not learned
    from. ranges: of all tensors whose ranges were learned.
    """

    calibrated_db: float
    learned_db: float
    is_adopted: bool
    ranges: tuple[RangeChange, ...]


@dataclass
class Losses:
    """All of them, in the order of the network. learning: if ranges were learned."""

    tensors: list[TensorLoss] = field(default_factory=list[TensorLoss])
    weights: list[LayerWeights] = field(default_factory=list[LayerWeights])
    learning: RangeLearning | None = None
