"""The quantized graph: float operators between Dequantize and Quantize, as a pass that folds these takes them."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Array, Constant, Graph, Location, Node, Value
from tinsmith_ir.names import FreshNames
from tinsmith_ir.operators import Dequantize, Mul, Operator, Quantize
from tinsmith_ir.types import Quantization, TensorType


@dataclass
class Writer:
    """A graph that grows. real: name of a float value of the old graph -> what is read in its place, float32, too."""

    graph: Graph
    nodes: list[Node] = field(default_factory=list[Node])
    constants: list[Constant] = field(default_factory=list[Constant])
    real: dict[str, Value] = field(default_factory=dict[str, Value])

    def __post_init__(self) -> None:
        """Names of the old graph are taken."""
        self._names = FreshNames(self.graph.values)

    def fresh(self, hint: str) -> str:
        """A name that nobody has."""
        return self._names.name(hint)

    def constant(self, hint: str, data: Array, type_: TensorType) -> Value:
        """A new constant."""
        value = Value(self.fresh(hint), type_)
        self.constants.append(Constant(value, np.array(data, order="C")))
        return value

    def add(
        self,
        operator: Operator,
        inputs: tuple[Value | None, ...],
        result: Value,
        location: Location,
    ) -> Value:
        """A node with one result."""
        self.nodes.append(Node(operator, inputs, (result,), location))
        return result

    def dequantized(self, integers: Value, hint: str) -> Value:
        """The real numbers that integers stand for."""
        type_ = TensorType(integers.type.shape, DType.FLOAT32)
        return self.add(Dequantize(), (integers,), Value(self.fresh(hint), type_), Location())

    def quantized(self, name: str, value: Value, type_: TensorType, location: Location) -> Value:
        """Real numbers as integers that have the name `name`."""
        operator = Quantize(type_.dtype, halves_to_even=True)
        return self.add(operator, (value,), Value(name, type_), location)

    def weights(
        self, name: str, integers: NDArray[np.generic], scales: NDArray[np.float64], axis: int
    ) -> Value:
        """The real numbers that weights of int8 stand for.

        scales: one, one for each index of `axis`, or one for each weight, in the shape of these.
        """
        shape = tuple(integers.shape)
        if scales.size == 1:
            stored = self._stored(name, integers, float(scales.reshape(-1)[0]))
            return self.dequantized(stored, f"{name}_real")
        stored = self._stored(name, integers, 1.0)
        steps = self.dequantized(stored, f"{name}_steps")
        spread = [1] * len(shape)
        spread[axis] = shape[axis]
        laid = scales if scales.ndim > 1 else scales.reshape(spread)
        factor = np.asarray(laid, np.float32)
        factors = self.constant(f"{name}_scales", factor, TensorType(factor.shape, DType.FLOAT32))
        type_ = TensorType(shape, DType.FLOAT32)
        return self.add(
            Mul(), (steps, factors), Value(self.fresh(f"{name}_real"), type_), Location()
        )

    def _stored(self, name: str, integers: NDArray[np.generic], scale: float) -> Value:
        quantization = Quantization.per_tensor(scale, 0)
        type_ = TensorType(tuple(integers.shape), DType.INT8, quantization)
        return self.constant(f"{name}_integers", integers.astype(np.int8), type_)

    def number(self, name: str, data: Array, type_: TensorType) -> Value:
        """A constant of real numbers as the nearest that integers of the type stand for."""
        stored = self.constant(f"{name}_integers", integers_of(data, type_), type_)
        return self.dequantized(stored, f"{name}_real")


def integers_of(array: Array, type_: TensorType) -> Array:
    """What Quantize with halves to even makes of real numbers."""
    operator, real = Quantize(type_.dtype, halves_to_even=True), [array.astype(np.float32)]
    return operator.evaluate(real, [None], [type_])[0]


def fake_quantized(array: Array, quantization: Quantization, dtype: DType) -> Array:
    """The real numbers that integers stand for which are made of `array`."""
    type_ = TensorType(array.shape, dtype, quantization)
    return Dequantize().evaluate([integers_of(array, type_)], [type_], [])[0]
