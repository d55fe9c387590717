"""Records of the numbers that integer operators compute with; parameters.py derives them.

Offsets are what is added: an input offset is -zero_point, an output offset +zero_point.
"""

from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from tinsmith_ir.activation import Activation
from tinsmith_ir.curves import Curve
from tinsmith_ir.rounding import Rounding


class Fused(Protocol):
    """An operator with a fused activation."""

    @property
    def activation(self) -> Activation:
        """The clamp at its end."""
        ...


class Rescaled(Protocol):
    """An operator that rescales integers."""

    @property
    def rounding(self) -> Rounding:
        """How it rounds."""
        ...

    @property
    def multiplier_bits(self) -> int:
        """Width of the multipliers."""
        ...


class RescaledFused(Rescaled, Fused, Protocol):
    """One with a fused activation, too."""


class HasBeta(Protocol):
    """Softmax."""

    @property
    def beta(self) -> float:
        """Factor on the input."""
        ...


class HasCurve(Protocol):
    """Logistic or Tanh."""

    curve: ClassVar[Curve]


class HasAxes(Rescaled, Protocol):
    """A reduction."""

    @property
    def axes(self) -> tuple[int, ...]:
        """The axes it reduces."""
        ...


@dataclass(frozen=True, eq=False)
class ConvParameters:
    """Of Conv2D, DepthwiseConv2D and FullyConnected, one multiplier and shift per output channel."""

    multipliers: NDArray[np.int32]
    shifts: NDArray[np.int32]
    input_offset: int
    output_offset: int
    clamp_min: int
    clamp_max: int
    rounding: Rounding = Rounding.TFLITE


@dataclass(frozen=True)
class FullyConnectedParameters:
    """Of FullyConnected with per-tensor weights."""

    multiplier: int
    shift: int
    input_offset: int
    output_offset: int
    clamp_min: int
    clamp_max: int
    rounding: Rounding = Rounding.TFLITE


@dataclass(frozen=True)
class ElementwiseAddParameters:
    """Of Add and Sub as TFLite rounds: both inputs go to a common scale, shifted left by `left_shift`
    first.
    """

    left_shift: int
    input1_offset: int
    input1_multiplier: int
    input1_shift: int
    input2_offset: int
    input2_multiplier: int
    input2_shift: int
    output_offset: int
    output_multiplier: int
    output_shift: int
    clamp_min: int
    clamp_max: int


@dataclass(frozen=True)
class WeightedSumParameters:
    """Of Add and Sub that round once: (lhs + input1_offset) * multiplier1 +- (rhs + input2_offset) *
    multiplier2, times 2**(shift - 31), plus output_offset, clamped.
    """

    input1_offset: int
    input2_offset: int
    multiplier1: int
    multiplier2: int
    shift: int
    output_offset: int
    clamp_min: int
    clamp_max: int
    rounding: Rounding


@dataclass(frozen=True)
class MulParameters:
    """Of Mul."""

    input1_offset: int
    input2_offset: int
    output_offset: int
    output_multiplier: int
    output_shift: int
    clamp_min: int
    clamp_max: int
    rounding: Rounding = Rounding.TFLITE


@dataclass(frozen=True)
class PoolParameters:
    """Of AveragePool2D and MaxPool2D, which do not rescale."""

    clamp_min: int
    clamp_max: int


@dataclass(frozen=True)
class MeanParameters:
    """Of Mean and Sum: output = (sum - input_zero_point * count) * multiplier * 2**(shift - 31) + offset.

    The multiplier of a Mean holds 1/count already.
    """

    multiplier: int
    shift: int
    input_zero_point: int
    output_offset: int
    count: int
    clamp_min: int
    clamp_max: int
    rounding: Rounding = Rounding.TFLITE


@dataclass(frozen=True)
class CompareParameters:
    """Of Compare: each operand becomes ((q + offset) << left_shift) * multiplier * 2**(shift - 31)."""

    left_shift: int
    input1_offset: int
    input1_multiplier: int
    input1_shift: int
    input2_offset: int
    input2_multiplier: int
    input2_shift: int


@dataclass(frozen=True)
class SoftmaxParameters:
    """Of Softmax: (x - max) * multiplier * 2**(left_shift - 31) has 5 integer bits; differences
    below `diff_min` give 0.
    """

    input_multiplier: int
    input_left_shift: int
    diff_min: int


@dataclass(frozen=True)
class Softmax16Parameters:
    """Of Softmax of int16: (x - max) * multiplier * 2**(shift - 31) has steps of 10 / 65535."""

    multiplier: int
    shift: int


@dataclass(frozen=True)
class CurveParameters:
    """Of Logistic and Tanh of int16: x * multiplier * 2**-right_shift, rounded half up, has steps of 1/12288."""

    multiplier: int
    right_shift: int


@dataclass(frozen=True)
class RequantizeParameters:
    """Of Requantize, Relu and its like, and each input of Concat: (x + input_offset) rescaled, plus
    output_offset, clamped.
    """

    input_offset: int
    multiplier: int
    shift: int
    output_offset: int
    clamp_min: int
    clamp_max: int
    rounding: Rounding = Rounding.TFLITE
