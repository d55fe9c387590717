"""FloatRescale: int8 of one scale as int8 of another, by way of float32."""

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tinsmith_ir.arithmetic import round_half_away
from tinsmith_ir.dtypes import DType
from tinsmith_ir.errors import GraphError
from tinsmith_ir.operators import checks
from tinsmith_ir.operators.base import Array, Operand, Operator, Trait, Types, required
from tinsmith_ir.types import Quantization, TensorType

_DISTANCE = 128
_LARGEST = np.float32(1 << 24)
"""Beyond all results that are not clamped."""


@dataclass(frozen=True)
class FloatRescale(Operator):
    """Numbers of int8 as TFLite's CONCATENATION of uint8 rescales them, which no Requantize does.

    Of x + 128, the uint8 that is meant: round(x * scale + bias), halves away from zero, plus the result's zero
    point, clamped; scale and bias, each product and the sum in float32.
    """

    mnemonic: ClassVar[str] = "float_rescale"
    operands: ClassVar[tuple[Operand, ...]] = (Operand("input"),)
    traits: ClassVar[frozenset[Trait]] = frozenset({Trait.ELEMENTWISE})

    def infer(self, inputs: Types) -> tuple[TensorType, ...]:
        """The input's shape, int8."""
        return (TensorType(checks.present(inputs, 0, "input").shape, DType.INT8),)

    def verify(self, inputs: Types, outputs: Sequence[TensorType]) -> None:
        """int8 per tensor on both sides, with a table."""
        for type_, name in ((checks.present(inputs, 0, "input"), "input"), (outputs[0], "result")):
            checks.check_dtype(type_, (DType.INT8,), name)
            checks.check_quantized(type_, name)
        self.check_scales(inputs, outputs)

    def check_scales(self, inputs: Types, outputs: Sequence[TensorType]) -> None:
        """Scales whose ratio is a finite float32."""
        self.table(inputs, outputs[0])

    def table(self, inputs: Types, output: TensorType) -> NDArray[np.int8]:
        """The results, that of -128 first; not to be written to."""
        source = checks.check_quantized(checks.present(inputs, 0, "input"), "input")
        return _table(source, checks.check_quantized(output, "result"))

    def evaluate(
        self, arrays: Sequence[Array | None], inputs: Types, outputs: Sequence[TensorType]
    ) -> tuple[Array, ...]:
        """Elementwise."""
        return (self.table(inputs, outputs[0])[required(arrays, 0).astype(np.int64) + _DISTANCE],)


@functools.lru_cache(maxsize=1 << 10)  # a graph is verified after each pass, its scales stay
def _table(source: Quantization, result: Quantization) -> NDArray[np.int8]:
    with np.errstate(over="ignore", invalid="ignore"):
        scale = np.float32(source.scale) * (np.float32(1.0) / np.float32(result.scale))
        bias = np.float32(-(source.zero_point + _DISTANCE)) * scale
        scaled = np.arange(256).astype(np.float32) * scale + bias
    if not (np.isfinite(scale) and np.isfinite(scaled).all()):
        raise GraphError(
            f"expected scales whose ratio is finite in float32, got {source.scale} and {result.scale}"
        )
    bounded = np.clip(scaled, -_LARGEST, _LARGEST)
    rounded = np.array([round_half_away(float(value)) for value in bounded])
    table = np.clip(rounded + result.zero_point, -_DISTANCE, _DISTANCE - 1).astype(np.int8)
    table.flags.writeable = False
    return table
