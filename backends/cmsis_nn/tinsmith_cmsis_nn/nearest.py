"""Layers that round once, to nearest: their kernels are those that round as TFLite, compiled for one rounding
(`tinsmith_nn_nearest.h`), and take the same arguments.
"""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir.arithmetic import MULTIPLIER_BITS
from tinsmith_ir.parameters import ConvParameters
from tinsmith_ir.rounding import Rounding
from tinsmith_lowering import Kernel, Layer, rounding_of

NEAREST_HEADER = "tinsmith_nn_nearest.h"


def is_nearest(layer: Layer) -> bool:
    """Whether it rounds once, to nearest."""
    return rounding_of(layer) is Rounding.NEAREST


def rounded(name: str, layer: Layer) -> str:
    """The C function that does what `name` does, as the layer rounds."""
    return f"{name}_nearest" if is_nearest(layer) else name


def sister(kernel: Kernel) -> Kernel:
    """The kernel for layers that are like those of `kernel`, but round once."""
    public = (header for header in kernel.headers if not header.startswith("tinsmith_nn"))
    return replace(
        kernel,
        name=f"{kernel.name}_nearest",
        headers=(*public, NEAREST_HEADER),
        roundings=(Rounding.NEAREST,),
    )


def with_sisters(kernels: Iterable[Kernel]) -> tuple[Kernel, ...]:
    """Kernels that round as TFLite, and those that round once."""
    found = tuple(kernels)
    return (*found, *map(sister, found))


def full_width(parameters: ConvParameters) -> ConvParameters:
    """The same scales with multipliers of 31 bits: with one rounding, acc * multiplier and the half that is added may
    both be twice what they are, if the shift to the right is one more. What is too small for any accumulator of 32
    bits to count becomes 0.
    """
    multipliers, shifts = _counted(parameters.multipliers, parameters.shifts)
    return replace(parameters, multipliers=multipliers, shifts=shifts)


def full_width_scale(multiplier: int, shift: int) -> tuple[int, int]:
    """The same for one scale."""
    multipliers, shifts = _counted(np.array([multiplier], np.int32), np.array([shift], np.int32))
    return int(multipliers[0]), int(shifts[0])


def _counted(
    multipliers: NDArray[np.int32], shifts: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Of full width, or 0 where no accumulator counts."""
    wide, moved = widened(multipliers, shifts)
    counts = (wide > 0) & (moved >= -MULTIPLIER_BITS)
    return np.where(counts, wide, 0).astype(np.int32), np.where(counts, moved, -1).astype(np.int32)


def widened_scale(multiplier: int, shift: int) -> tuple[int, int]:
    """`widened` for one scale."""
    multipliers, shifts = widened(np.array([multiplier], np.int32), np.array([shift], np.int32))
    return int(multipliers[0]), int(shifts[0])


def widened(
    multipliers: NDArray[np.int32], shifts: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Multipliers, each 0 or in [2**30, 2**31), and the shifts for them. multipliers: in [0, 2**31)."""
    _, bits = np.frexp(multipliers.astype(np.float64))
    missing = np.where(multipliers > 0, MULTIPLIER_BITS - bits, 0).astype(np.int32)
    return multipliers << missing, shifts - missing
