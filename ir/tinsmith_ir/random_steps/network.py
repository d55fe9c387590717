"""A random network under construction, as its steps see it."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tinsmith_ir.activation import Activation
from tinsmith_ir.builder import GraphBuilder
from tinsmith_ir.dtypes import DType
from tinsmith_ir.errors import GraphError
from tinsmith_ir.graph import Value
from tinsmith_ir.operators.base import Operator, Rescaling
from tinsmith_ir.rounding import Rounding
from tinsmith_ir.types import Quantization

MAX_ELEMENTS = 2048
"""Of values that a step makes larger."""
_LEAST_SCALE, _MOST_SCALE = 1e-5, 30.0
_ACTIVATIONS = (
    Activation.NONE,
    Activation.NONE,
    Activation.RELU,
    Activation.RELU6,
    Activation.RELU_N1_TO_1,
)
_MOST_BITS = 31
_MULTIPLIER_BITS = (_MOST_BITS, _MOST_BITS, 16, 8, 4)


class Network:
    """A graph under construction; each step goes on from one of the last values.

    dtype: of its activations. values: what a step may take. read: the names of those that some step took.
    random: of the steps that all networks have. border: of uint8 where the network begins and ends.
    turn: which function comes next.
    """

    def __init__(self, seed: int, dtype: DType | None, roundings: Sequence[Rounding]) -> None:
        self.random = np.random.default_rng(seed)
        # Of its own, so that the network is the same for any choice of roundings.
        self.random_rounding = np.random.default_rng([seed, 1])
        self.border = np.random.default_rng([seed, 60])
        self.turn = seed
        self.roundings = roundings
        drawn = DType.INT8 if self.random.random() < 0.7 else DType.FLOAT32
        self.dtype = drawn if dtype is None else dtype
        self.builder = GraphBuilder(f"random_{seed}")
        self.values: list[Value] = []
        self.read: set[str] = set()
        self.takes_real = self.dtype is DType.INT8 and self.random.random() < 0.2
        is_int8 = self.dtype is DType.INT8 and not self.takes_real
        self.is_unsigned = is_int8 and self.border.random() < 0.25

    def pick(self, low: int, high: int) -> int:
        """An integer from low to high, both included."""
        return int(self.random.integers(low, high + 1))

    def quantization(self, near: float) -> Quantization | None:
        """A scale within a factor of 1.5 of `near`, as far as that is one of networks; any zero point (0
        for int16). None in a float32 network.
        """
        if self.dtype is DType.FLOAT32:
            return None
        # Many products in a row would leave the scales that rescaling can reach.
        near = min(max(near, _LEAST_SCALE), _MOST_SCALE)
        scale = np.float32(near * 1.5 ** self.random.uniform(-1, 1))
        zero_point = self.pick(-128, 127) if self.dtype is DType.INT8 else 0
        return Quantization.per_tensor(float(scale), zero_point)

    def scale(self, value: Value) -> float:
        """The scale of `value`; 1.0 in a float32 network."""
        return value.type.quantization.scale if value.type.quantization else 1.0

    def activation(self) -> Activation:
        """Any that TFLite fuses, most often none."""
        return _ACTIVATIONS[self.pick(0, len(_ACTIVATIONS) - 1)]

    def row(self, value: Value, quantization: Quantization | None) -> Value:
        """A constant of the last dimension of `value`."""
        shape: tuple[int, ...] = value.type.shape[len(value.type.shape) - 1 :]
        if self.dtype is DType.FLOAT32:
            return self.builder.constant("c", self.random.standard_normal(shape, np.float32))
        low, high = self.dtype.integer_range
        integers = self.random.integers(low, high + 1, shape).astype(self.dtype.numpy)
        return self.builder.constant("c", integers, quantization)

    def add(
        self, operator: Operator, inputs: list[Value | None], quantization: Quantization | None
    ) -> Value:
        """A node, and its result among the values to go on from."""
        rounded = _fitting(self.rounded(operator, quantization), inputs, quantization)
        value = self.builder.add(rounded, inputs, quantization=quantization)
        self.read |= {other.name for other in inputs if other is not None}
        self.values.append(value)
        return value

    def rounded(self, operator: Operator, quantization: Quantization | None) -> Operator:
        """The operator with a rounding drawn, if its result is rescaled."""
        if not isinstance(operator, Rescaling) or quantization is None:
            return operator
        rounding = self.roundings[int(self.random_rounding.integers(len(self.roundings)))]
        bits = _MULTIPLIER_BITS[int(self.random_rounding.integers(len(_MULTIPLIER_BITS)))]
        if rounding is Rounding.TFLITE:
            return operator
        return replace(operator, rounding=rounding, multiplier_bits=bits)


def _fitting(
    operator: Operator, inputs: Sequence[Value | None], quantization: Quantization | None
) -> Operator:
    """With a multiplier of all bits where those that were drawn cannot hold the ratio of the scales."""
    if not isinstance(operator, Rescaling) or quantization is None:
        return operator
    types = [value.type if value else None for value in inputs]
    (inferred,) = operator.infer(types)
    try:
        operator.verify(types, [replace(inferred, quantization=quantization)])
    except GraphError:
        return replace(operator, multiplier_bits=_MOST_BITS)
    return operator
