"""Graphs of tests in the making: random operands, and cases by element type."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from tinsmith_ir.arithmetic import MULTIPLIER_BITS
from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Array, Graph, Value
from tinsmith_ir.operators import Rescaling
from tinsmith_ir.operators.base import Operator
from tinsmith_ir.rounding import Rounding
from tinsmith_ir.testing import GraphBuilder
from tinsmith_ir.types import Quantization, TensorType

NUMBERS = (DType.INT8, DType.INT16, DType.FLOAT32)


@dataclass
class Draft:
    """A graph in the making, with random operands; the same for the same seed."""

    builder: GraphBuilder
    random: np.random.Generator
    outputs: list[Value]

    def quantization(self, dtype: DType, scale: float | None = None) -> Quantization | None:
        """Per tensor; int16 symmetric; None for what is not quantized."""
        if dtype not in (DType.INT8, DType.UINT8, DType.INT16):
            return None
        chosen = float(np.float32(scale or self.random.uniform(0.01, 0.09)))
        if dtype is DType.UINT8:
            return Quantization.per_tensor(chosen, int(self.random.integers(256)))
        zero_point = int(self.random.integers(-100, 100)) if dtype is DType.INT8 else 0
        return Quantization.per_tensor(chosen, zero_point)

    def input(self, shape: Sequence[int], dtype: DType, scale: float | None = None) -> Value:
        """A graph input."""
        type_ = TensorType(tuple(shape), dtype, self.quantization(dtype, scale))
        return self.builder.input("x", type_)

    def weights(self, shape: Sequence[int], dtype: DType, axis: int, *, per_axis: bool) -> Value:
        """Weights for activations of `dtype`."""
        if dtype is DType.FLOAT32:
            return self.builder.constant("w", self.random.standard_normal(shape, np.float32))
        data = self.random.integers(-127, 128, shape).astype(np.int8)
        count = shape[axis] if per_axis else 1
        scales = tuple(float(np.float32(s)) for s in self.random.uniform(0.001, 0.01, count))
        quantization = Quantization(scales, (0,) * count, axis if per_axis else None)
        return self.builder.constant("w", data, quantization)

    def weights_of(self, dtype: DType, shape: Sequence[int], axis: int, *, per_axis: bool) -> Value:
        """Symmetric weights of i4 or i2."""
        low, high = dtype.integer_range
        steps = (0.02, 0.2) if dtype is DType.INT4 else (0.1, 0.8)
        data = self.random.integers(low, high + 1, shape).astype(np.int8)
        count = shape[axis] if per_axis else 1
        scales = tuple(float(np.float32(s)) for s in self.random.uniform(*steps, count))
        quantization = Quantization(scales, (0,) * count, axis if per_axis else None)
        return self.builder.constant("w", data, quantization, dtype)

    def numbers(self, shape: Sequence[int], dtype: DType) -> Array:
        """Elements of a symmetric constant; of integers any but the lowest."""
        if dtype is DType.FLOAT32:
            return self.random.standard_normal(shape, np.float32)
        highest = dtype.integer_range[1]
        return self.random.integers(-highest, highest + 1, shape).astype(dtype.numpy)

    def bias(self, count: int, dtype: DType) -> Value:
        """Bias for activations of `dtype`."""
        if dtype is DType.FLOAT32:
            return self.builder.constant("b", self.random.standard_normal(count, np.float32))
        return self.builder.constant("b", self.random.integers(-3000, 3000, count).astype(np.int32))

    def output(
        self,
        operator: Operator,
        inputs: Sequence[Value | None],
        dtype: DType,
        scale: float | None = None,
    ) -> None:
        """Add the operator and return its result from the graph."""
        result = self.builder.add(operator, inputs, "y", self.quantization(dtype, scale))
        self.outputs.append(result)

    def kept(self, operator: Operator, inputs: Sequence[Value | None]) -> None:
        """The same for an operator whose result is quantized as its operand."""
        self.outputs.append(self.builder.add(operator, inputs, "y"))


@dataclass(frozen=True)
class Case:
    """A named graph: `build(seed)`. rounding, multiplier_bits: of each step that rescales."""

    name: str
    fill: Callable[[Draft], None]
    rounding: Rounding = Rounding.TFLITE
    multiplier_bits: int = MULTIPLIER_BITS

    def build(self, seed: int = 0) -> Graph:
        """The graph, with random constants from `seed`."""
        draft = Draft(GraphBuilder(self.name), np.random.default_rng(seed), [])
        self.fill(draft)
        return _rounded(draft.builder.build(draft.outputs), self.rounding, self.multiplier_bits)


def _rounded(graph: Graph, rounding: Rounding, bits: int) -> Graph:
    if rounding is Rounding.TFLITE:
        return graph
    nodes = tuple(
        replace(node, operator=replace(node.operator, rounding=rounding, multiplier_bits=bits))
        if isinstance(node.operator, Rescaling)
        and node.operator.rescales([value.type for value in node.outputs])
        else node
        for node in graph.nodes
    )
    return replace(graph, nodes=nodes)


def typed(name: str, fill: Callable[[Draft, DType], None], dtypes: Sequence[DType]) -> list[Case]:
    """One case for each element type."""

    def filled(dtype: DType) -> Callable[[Draft], None]:
        return lambda draft: fill(draft, dtype)

    return [Case(f"{name}_{dtype.value}", filled(dtype)) for dtype in dtypes]
