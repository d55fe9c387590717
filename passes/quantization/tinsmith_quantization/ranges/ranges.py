"""The range of real numbers that the integers of a tensor stand for, and the type that follows.

All ways look at the histogram of what calibration saw, and widen what they find to 0, which has to be an integer:
padding is 0, and a rectifier ends there.
"""

import math
from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir.dtypes import DType
from tinsmith_ir.types import Quantization

from tinsmith_quantization.ranges.histogram import Histogram
from tinsmith_quantization.schemes import Scheme

_MOMENTUM = 0.9
_PERCENTILE = 99.99
_MOST_CLIPPED = 0.5
_TRIALS = 100
_EXPONENTS = 4
"""Of scales that are powers of two, those that are tried."""
_LEAST_SPAN = 1e-6
"""Of weights that are all 0: any scale does."""
_NOTHING = 1e-12
_SPAN_OF_NOTHING = 1.0
"""Of a tensor that is all 0, such as what a rectifier leaves of negative numbers: far less would ask for multipliers
that the layer in front of it cannot have, and clip whatever other inputs give.
"""
LEAST_SCALE = 2.0**-28
"""Of tensors: 6, at which ReLU6 ends, is an int32 in such steps."""

Range = tuple[float, float]


def range_of(histogram: Histogram, scheme: Scheme) -> Range:
    """The range to quantize, which includes 0; by the scheme's method."""
    return widened(_METHODS[scheme.method](histogram, scheme), scheme)


def widened(found: Range, scheme: Scheme) -> Range:
    """With 0 in it, and as far to both sides where the scheme says so; never empty, nor too narrow for integers."""
    low, high = min(found[0], 0.0), max(found[1], 0.0)
    if scheme.symmetric or scheme.activations is DType.INT16:
        high = max(-low, high)
        low = -high
    if high - low < _NOTHING:
        return (-_SPAN_OF_NOTHING, _SPAN_OF_NOTHING)
    least, most = scheme.activations.integer_range
    share = max(1.0, LEAST_SCALE * (most - least) / (high - low))
    return (low * share, high * share)


def quantization_of(found: Range, dtype: DType, *, power_of_two: bool = False) -> Quantization:
    """Scale and zero point such that integers of `dtype` reach from one end of the range to the other.

    Of a symmetric range the zero point is 0, and the largest integer stands for its end.
    """
    low, high = found
    least, most = dtype.integer_range
    if low == -high:
        scale = high / most
        return Quantization.per_tensor(_scale(scale, power_of_two=power_of_two), 0)
    scale = _scale((high - low) / (most - least), power_of_two=power_of_two)
    zero = round(least - low / scale)
    return Quantization.per_tensor(scale, min(max(zero, least), most))


def symmetric_quantization(
    largest: float, dtype: DType, *, power_of_two: bool = False
) -> Quantization:
    """Zero point 0, and the largest integer stands for `largest`; of 0 any scale does."""
    end = max(largest, _LEAST_SPAN)
    return quantization_of((-end, end), dtype, power_of_two=power_of_two)


def _scale(scale: float, *, power_of_two: bool) -> float:
    if power_of_two:
        return math.ldexp(1.0, math.ceil(math.log2(scale) - 1e-9))
    return float(np.float32(scale))


def _minmax(histogram: Histogram, scheme: Scheme) -> Range:
    del scheme
    return histogram.low, histogram.high


def _moving_average(histogram: Histogram, scheme: Scheme) -> Range:
    """Of the ends that each sample had, later ones counting more, as in quantization-aware training."""
    del scheme
    first, *others = zip(histogram.minima, histogram.maxima, strict=True)
    found = first
    for ends in others:
        found = averaged(found, ends)
    return found


def averaged(before: Range, ends: Range) -> Range:
    """A moving average of ranges, one step on."""
    low, high = (
        _MOMENTUM * old + (1 - _MOMENTUM) * new for old, new in zip(before, ends, strict=True)
    )
    return low, high


def _percentile(histogram: Histogram, scheme: Scheme) -> Range:
    """All but the same share of the largest and of the least numbers, 0.01 % together."""
    del scheme
    below = np.cumsum(histogram.counts) / histogram.counts.sum()
    share = (1 - _PERCENTILE / 100) / 2
    centres = histogram.centres
    first = int(np.searchsorted(below, share))
    last = min(int(np.searchsorted(below, 1 - share)), centres.size - 1)
    return float(centres[first]), float(centres[last])


def _mse(histogram: Histogram, scheme: Scheme) -> Range:
    """The range with the least mean square of what is rounded and what is clipped."""
    centres, counts, steps = histogram.centres, histogram.counts.astype(np.float64), _steps(scheme)
    return _sought(histogram, scheme, lambda ends: _error(centres, counts, *ends, steps))


def _sought(histogram: Histogram, scheme: Scheme, cost: Callable[[Range], float]) -> Range:
    """The range of least cost: of both ends together where it is symmetric, else of one end after the other, twice."""
    low, high = min(histogram.low, 0.0), max(histogram.high, 0.0)
    if scheme.symmetric or scheme.activations is DType.INT16:
        most = max(-low, high)
        if scheme.power_of_two:
            return _by_exponent(most, scheme, cost)
        end = _best(most, lambda end: cost((-end, end)))
        return -end, end
    least, most = low, high
    for _ in range(2):
        high = _best(most, lambda end, low=low: cost((low, end)))
        low = _best(least, lambda end, high=high: cost((end, high)))
    return low, high


def _by_exponent(most: float, scheme: Scheme, cost: Callable[[Range], float]) -> Range:
    """Of the ends that scales of powers of two have, from the least beyond `most` down, that of least cost."""
    if most < _NOTHING:
        return -most, most
    largest = scheme.activations.integer_range[1]
    widest = largest * _scale(most / largest, power_of_two=True)
    ends = [math.ldexp(widest, -exponent) for exponent in range(_EXPONENTS)]
    end = min(ends, key=lambda end: cost((-end, end)))
    return -end, end


def _best(widest: float, cost: Callable[[float], float]) -> float:
    """Of what is up to half of the widest nearer to 0 that of least cost, of equal ones the widest."""
    ends = _shares() * widest
    return float(ends[int(np.argmin([cost(float(end)) for end in ends]))]) if widest else 0.0


def _shares() -> NDArray[np.float64]:
    """From 1 on: of ranges that are equally good the widest is taken."""
    return np.linspace(1.0, 1.0 - _MOST_CLIPPED, _TRIALS // 2 + 1)


def _steps(scheme: Scheme) -> int:
    least, most = scheme.activations.integer_range
    return most - least


def _error(
    centres: NDArray[np.float64], counts: NDArray[np.float64], low: float, high: float, steps: int
) -> float:
    """The mean square that a range costs. A bin counts as spread over its width: else those that meet integers, of
    which there are many where few numbers are counted, would decide.
    """
    if high <= low:
        return math.inf
    step = (high - low) / steps
    beyond = np.maximum(centres - high, 0.0) + np.maximum(low - centres, 0.0)
    inside = counts[beyond == 0.0].sum() - counts[centres == 0.0].sum()
    total: float = (counts * beyond**2).sum() + inside * step**2 / 12
    return total / float(counts.sum())


def _entropy(histogram: Histogram, scheme: Scheme) -> Range:
    """The range whose numbers, in as many bins as there are integers, tell least apart from what was counted.

    The divergence of Kullback and Leibler over ranges that clip, as TensorRT's calibration takes it (Szymon Migacz,
    "8-bit inference with TensorRT", 2017), here with ends of their own where integers are not symmetric.
    """
    centres, counts = histogram.centres, histogram.counts.astype(np.float64)
    levels = min(_steps(scheme) + 1, 256)
    return _sought(histogram, scheme, lambda ends: _divergence(centres, counts, ends, levels))


def _divergence(
    centres: NDArray[np.float64], counts: NDArray[np.float64], ends: Range, levels: int
) -> float:
    low, high = ends
    if high <= low:
        return math.inf
    inside = (centres >= low) & (centres <= high)
    if not inside.any():
        return math.inf
    clipped = counts.copy()
    clipped[np.argmax(inside)] += counts[centres < low].sum()
    clipped[inside.size - 1 - np.argmax(inside[::-1])] += counts[centres > high].sum()
    wanted = clipped[inside]
    kept = counts[inside]
    places = np.minimum(((centres[inside] - low) / (high - low) * levels).astype(int), levels - 1)
    # What integers can say: the numbers of one step, spread evenly over those of its bins that are not empty.
    sums = np.bincount(places, kept, levels)
    filled = np.bincount(places, (kept > 0).astype(np.float64), levels)
    spread = np.where(kept > 0, (sums / np.maximum(filled, 1))[places], 0.0)
    p, q = wanted / wanted.sum(), spread / max(float(spread.sum()), 1e-300)
    present = p > 0
    tiny = 1e-12
    return float((p[present] * np.log(p[present] / np.maximum(q[present], tiny))).sum())


_METHODS: Mapping[str, Callable[[Histogram, Scheme], Range]] = {
    "minmax": _minmax,
    "moving-average": _moving_average,
    "percentile": _percentile,
    "entropy": _entropy,
    "mse": _mse,
    "learned": _mse,  # from where learning begins
}
