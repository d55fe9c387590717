"""The numbers that LogSoftmax of int8 computes with, derived once for evaluator and back ends; see parameters.py.
Those of LayerNorm and RmsNorm are in moment_parameters.py.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from tinsmith_ir.arithmetic import quantize_multiplier
from tinsmith_ir.errors import GraphError
from tinsmith_ir.parameters import softmax_parameters
from tinsmith_ir.types import TensorType


@dataclass(frozen=True)
class LogSoftmaxParameters:
    """Of LogSoftmax: the scale of a difference with 5 integer bits, and back."""

    multiplier: int
    shift: int
    diff_min: int
    back_multiplier: int
    back_shift: int


@dataclass(frozen=True)
class _One:
    beta: float = 1.0


def log_softmax_parameters(inputs: Sequence[TensorType | None]) -> LogSoftmaxParameters:
    """As TFLite's `PreprocessLogSoftmaxScalingExp` with 5 integer bits and a beta of 1. Raises GraphError for a scale
    so small that differences are lost.
    """
    source = inputs[0]
    if source is None:
        raise GraphError("expected an operand, got none")
    forward = softmax_parameters(_One(), inputs, source)
    shift = forward.input_left_shift
    back, back_shift = quantize_multiplier((1 << (31 - shift)) / forward.input_multiplier)
    return LogSoftmaxParameters(forward.input_multiplier, shift, forward.diff_min, back, back_shift)
