"""Relu, Relu6, ReluN1To1 and Relu0To1 as operators of their own."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tinsmith_ir.activation import Activation
from tinsmith_ir.dtypes import DType
from tinsmith_ir.operators import checks
from tinsmith_ir.operators.base import Array, Operand, Rescaling, Trait, Types, required
from tinsmith_ir.operators.scaling import clamp_f32, requantize
from tinsmith_ir.parameters import relu_parameters
from tinsmith_ir.types import TensorType


@dataclass(frozen=True)
class Clamp(Rescaling):
    """A clamp. float32; int8 or int16 quantized per tensor, rescaled to the result's quantization at the same time."""

    operands: ClassVar[tuple[Operand, ...]] = (Operand("input"),)
    traits: ClassVar[frozenset[Trait]] = frozenset({Trait.ELEMENTWISE})
    bounds: ClassVar[Activation]

    @property
    def activation(self) -> Activation:
        """The clamp it is."""
        return self.bounds

    def infer(self, inputs: Types) -> tuple[TensorType, ...]:
        """The input's shape and dtype."""
        input_ = checks.present(inputs, 0, "input")
        return (TensorType(input_.shape, input_.dtype),)

    def verify(self, inputs: Types, outputs: Sequence[TensorType]) -> None:
        """float32, or int8/int16 quantized per tensor with parameters."""
        checks.check_numbers(checks.present(inputs, 0, "input"), "input")
        checks.check_numbers(outputs[0], "result")
        if checks.are_quantized(*inputs, outputs[0]):
            self.check_scales(inputs, outputs)

    def check_scales(self, inputs: Types, outputs: Sequence[TensorType]) -> None:
        """See `relu_parameters`."""
        relu_parameters(self, inputs, outputs[0])

    def evaluate(
        self, arrays: Sequence[Array | None], inputs: Types, outputs: Sequence[TensorType]
    ) -> tuple[Array, ...]:
        """Elementwise."""
        array, output = required(arrays, 0), outputs[0]
        if output.dtype is DType.FLOAT32:
            return (clamp_f32(array.astype(np.float32), self.bounds),)
        return (requantize(array, relu_parameters(self, inputs, output), output.dtype),)


@dataclass(frozen=True)
class Relu(Clamp):
    """max(x, 0), as `Clamp`."""

    mnemonic: ClassVar[str] = "relu"
    bounds: ClassVar[Activation] = Activation.RELU


@dataclass(frozen=True)
class Relu6(Clamp):
    """min(max(x, 0), 6), as `Clamp`."""

    mnemonic: ClassVar[str] = "relu6"
    bounds: ClassVar[Activation] = Activation.RELU6


@dataclass(frozen=True)
class ReluN1To1(Clamp):
    """min(max(x, -1), 1), as `Clamp`."""

    mnemonic: ClassVar[str] = "relu_n1_to_1"
    bounds: ClassVar[Activation] = Activation.RELU_N1_TO_1


@dataclass(frozen=True)
class Relu0To1(Clamp):
    """min(max(x, 0), 1), as `Clamp`."""

    mnemonic: ClassVar[str] = "relu_0_to_1"
    bounds: ClassVar[Activation] = Activation.RELU_0_TO_1
