"""Matrices by which an axis of a tensor is resized: where each element of the result lies, and what it is made of.

Coordinates and weights are computed in float32, step by step as the definition of ONNX's Resize has them, so that ties
fall as they do there.
"""

import enum
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
_ONE = np.float32(1.0)
_HALF = np.float32(0.5)
_LARGEST_SUPPORT = 2
"""Elements on each side that a cubic curve reaches."""


class Interpolation(enum.Enum):
    """What is made of the elements around a place: the nearest one, or a curve through two or four."""

    NEAREST = "nearest"
    LINEAR = "linear"
    CUBIC = "cubic"


class Coordinates(enum.Enum):
    """Where an element of the result lies among those of the input; the names are ONNX's."""

    HALF_PIXEL = "half_pixel"
    HALF_PIXEL_SYMMETRIC = "half_pixel_symmetric"
    PYTORCH_HALF_PIXEL = "pytorch_half_pixel"
    ALIGN_CORNERS = "align_corners"
    ASYMMETRIC = "asymmetric"
    CROP = "tf_crop_and_resize"
    HALF_PIXEL_FOR_NEAREST = "tf_half_pixel_for_nn"


class Rounding(enum.Enum):
    """Which element is the nearest; the names are ONNX's. SIMPLE: the next above where an axis shrinks, else below."""

    ROUND_PREFER_FLOOR = "round_prefer_floor"
    ROUND_PREFER_CEIL = "round_prefer_ceil"
    FLOOR = "floor"
    CEIL = "ceil"
    SIMPLE = "simple"


@dataclass(frozen=True)
class Resizing:
    """How axes are resized.

    cubic: the slope parameter of the curve. exclude_outside: whether only elements count that are there, in curves;
    else the ones at the ends are repeated. antialias: whether curves are as wide as an element of a smaller result.
    extrapolation: what stands at places outside of the input; None lets them be at its ends.
    """

    interpolation: Interpolation = Interpolation.NEAREST
    coordinates: Coordinates = Coordinates.HALF_PIXEL
    rounding: Rounding = Rounding.ROUND_PREFER_FLOOR
    cubic: float = -0.75
    exclude_outside: bool = False
    antialias: bool = False
    extrapolation: float | None = None


@dataclass(frozen=True)
class ResizedAxis:
    """size: what the axis becomes. scale: elements of the result to one of the input. begin, end: of what is cropped,
    as shares of the axis.
    """

    axis: int
    size: int
    scale: float
    begin: float = 0.0
    end: float = 1.0


def places(there: int, axis: ResizedAxis, coordinates: Coordinates) -> Floats:
    """Where each element of the result lies along an axis that has `there` elements."""
    index = np.arange(axis.size, dtype=np.float32)
    scale = np.float32(axis.scale)
    match coordinates:
        case Coordinates.ASYMMETRIC:
            return index / scale
        case Coordinates.HALF_PIXEL:
            return (index + _HALF) / scale - _HALF
        case Coordinates.PYTORCH_HALF_PIXEL:
            return (index + _HALF) / scale - _HALF if axis.size > 1 else index * 0
        case Coordinates.HALF_PIXEL_FOR_NEAREST:
            return (index + _HALF) / scale
        case Coordinates.ALIGN_CORNERS:
            if axis.size == 1:
                return index * 0
            return index * np.float32(there - 1) / np.float32(axis.size - 1)
        case Coordinates.HALF_PIXEL_SYMMETRIC:
            # What a size that was rounded down cuts off, half of it at each end.
            share = np.float32(axis.size) / (scale * np.float32(there))
            first = np.float32(there) / np.float32(2.0) * (_ONE - share)
            return first + (index + _HALF) / scale - _HALF
        case Coordinates.CROP:
            begin, end, last = np.float32(axis.begin), np.float32(axis.end), np.float32(there - 1)
            if axis.size == 1:
                return index * 0 + _HALF * (begin + end) * last
            return begin * last + index * (end - begin) * last / np.float32(axis.size - 1)


def nearest(there: int, axis: ResizedAxis, resizing: Resizing) -> NDArray[np.int64]:
    """(size,): which element each of the result is."""
    found = places(there, axis, resizing.coordinates)
    return np.clip(_nearest(found, axis.scale, resizing.rounding), 0, there - 1)


def reach(axis: ResizedAxis, resizing: Resizing) -> int:
    """How many elements a curve sees on each side of a place."""
    own = 1 if resizing.interpolation is Interpolation.LINEAR else _LARGEST_SUPPORT
    return math.ceil(own / _shrinking(axis, resizing))


def _shrinking(axis: ResizedAxis, resizing: Resizing) -> float:
    return min(axis.scale, 1.0) if resizing.antialias else 1.0


def matrix(there: int, axis: ResizedAxis, resizing: Resizing) -> Floats:
    """(size, there): what each element of the result is made of, by a curve."""
    found = places(there, axis, resizing.coordinates)
    taps = reach(axis, resizing)
    below = np.floor(found)
    offsets = np.arange(1 - taps, taps + 1, dtype=np.float32)[:, None]
    shrinking = np.float32(_shrinking(axis, resizing))
    distances = np.abs((offsets - (found - below)) * shrinking)
    if resizing.interpolation is Interpolation.LINEAR:
        weights = np.maximum(_ONE - distances, np.float32(0.0))
    else:
        weights = _cubic(distances, np.float32(resizing.cubic))
    indices = (below + offsets).astype(np.int64)
    if resizing.exclude_outside:
        weights = np.where((indices >= 0) & (indices < there), weights, np.float32(0.0))
    if resizing.exclude_outside or resizing.antialias:
        weights = weights / np.sum(weights, axis=0, dtype=np.float32)
    return weighed(there, indices, weights.astype(np.float32))


def outside(there: int, axis: ResizedAxis, coordinates: Coordinates) -> NDArray[np.bool_]:
    """Which elements of the result lie before the first or behind the last of the input."""
    found = places(there, axis, coordinates)
    return (found < 0) | (found > there - 1)


def _nearest(found: Floats, scale: float, rounding: Rounding) -> NDArray[np.int64]:
    match rounding:
        case Rounding.ROUND_PREFER_FLOOR:
            nearest = np.ceil(found - _HALF)
        case Rounding.ROUND_PREFER_CEIL:
            nearest = np.floor(found + _HALF)
        case Rounding.FLOOR:
            nearest = np.floor(found)
        case Rounding.CEIL:
            nearest = np.ceil(found)
        case Rounding.SIMPLE:
            nearest = np.ceil(found) if scale < 1.0 else np.floor(found)
    return nearest.astype(np.int64)


def _cubic(distance: Floats, slope: np.float32) -> Floats:
    """Keys' curve: one cubic up to distance 1, another up to 2."""
    near = ((slope + 2) * distance - (slope + 3)) * distance * distance + 1
    far = ((slope * distance - 5 * slope) * distance + 8 * slope) * distance - 4 * slope
    inner = np.where(distance < 2, far, np.float32(0.0))
    return np.where(distance <= 1, near, inner).astype(np.float32)


def weighed(there: int, indices: NDArray[np.int64], weights: Floats) -> Floats:
    """(size, there): sums of weights (taps, size) at indices, of which those outside are the ones at the ends."""
    size = indices.shape[1]
    dense = np.zeros(size * there, np.float32)
    rows = np.arange(size, dtype=np.int64) * there
    np.add.at(dense, rows + np.clip(indices, 0, there - 1), weights)
    return dense.reshape(size, there)
