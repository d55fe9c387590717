"""LSTMs of int8 with cells of int16, as TFLite's quantizer makes them: what its layers of 8x8 bits and 16 compute;
and of int16 with weights of int8, as TFLite Micro computes them.

Weights are symmetric with one scale each, biases are int32 (beside int16 int64) of input * weights, peepholes int16.
Cells have a scale that is a power of two. What leaves the cells has the quantization of the result, as it goes there
unchanged; in front of a projection it is symmetric.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir.dtypes import DType
from tinsmith_ir.evaluate import evaluate_node
from tinsmith_ir.graph import Array, Graph, Node, Value
from tinsmith_ir.operators import Dequantize, Lstm
from tinsmith_ir.types import Quantization, TensorType

from tinsmith_quantization.ranges.ranges import symmetric_quantization
from tinsmith_quantization.statistics import LayerWeights, sqnr
from tinsmith_quantization.writing import Writer, integers_of

GATES = range(4)
WEIGHTS, RECURRENT, BIASES, PEEPHOLES, PROJECTION = 3, 7, 11, 15, 18
_MOST_EXPONENT, _MOST_GATE_EXPONENT = -9, -10
_LARGEST_BIAS = 2**30


def cell_quantization(largest: float) -> Quantization:
    """Of cells up to `largest`: the least power of two that holds them, within what the arithmetic takes.

    Cells have from 0 to 6 integer bits; larger ones are clipped, where tanh is 1.
    """
    exponent = math.ceil(math.log2(max(largest, 1.0)) - 1e-9) - 15
    return Quantization.per_tensor(math.ldexp(1.0, min(exponent, _MOST_EXPONENT)), 0)


def gate_quantization(largest: float) -> Quantization:
    """Of what logistic and tanh of int16 read: a power of two, of which their arithmetic is within a step.

    With 3 integer bits, or up to 5 for numbers up to `largest`.
    """
    exponent = math.ceil(math.log2(max(largest, 8.0)) - 1e-9) - 15
    return Quantization.per_tensor(math.ldexp(1.0, min(exponent, _MOST_GATE_EXPONENT)), 0)


def cells_of_steps(
    graph: Graph, node: Node, operands: Sequence[Array | None]
) -> list[NDArray[np.float32]]:
    """Of a float32 LSTM the cells behind each step of each sample, which its result has of the last step alone.

    operands: of all samples, (samples, ...); None for constants.
    """
    operator = node.operator
    assert isinstance(operator, Lstm)
    sequences = operands[0]
    assert sequences is not None
    axis = 0 if operator.time_major else 1
    found: list[NDArray[np.float32]] = []
    for index, sequence in enumerate(sequences):
        arrays = [
            graph.constant(value) if array is None else array[index]
            for value, array in zip(node.inputs, operands, strict=True)
        ]
        order = range(sequence.shape[axis])
        for time in reversed(order) if operator.backwards else order:
            arrays[0] = sequence.take([time], axis)
            types = [
                None if array is None else TensorType(array.shape, DType.FLOAT32)
                for array in arrays
            ]
            _, hidden, cells = operator.evaluate(arrays, types, operator.infer(types))
            arrays[1:3] = hidden, cells
            found.append(cells.astype(np.float32))
    return found


@dataclass(frozen=True)
class LstmTypes:
    """Of what an LSTM reads and gives: int8, int8 and int16; or int16. largest_cell: that was seen."""

    source: TensorType
    hidden: TensorType
    cells: TensorType
    largest_cell: float


class IntegerLstm:
    """An LSTM of a float32 graph as one of integers, whose constants it writes."""

    def __init__(
        self, graph: Graph, node: Node, types: LstmTypes, writer: Writer, *, power_of_two: bool
    ) -> None:
        """types: of the sequence, what is given, and cells. power_of_two: whether all scales are."""
        assert isinstance(node.operator, Lstm)
        self._graph, self._node, self._types, self._writer = graph, node, types, writer
        self._power_of_two = power_of_two
        self._real: list[Array] = []
        self._got: list[Array] = []
        self._size_bytes = 0
        self.operator = node.operator
        inner = self._inner_quantization()
        if types.source.dtype is DType.INT8:
            self.operator = replace(
                node.operator, hidden_scale=inner.scale, hidden_zero_point=inner.zero_point
            )
        made = {**self._gates(), **self._peepholes(), **self._projection(inner)}
        self.constants = tuple(made.get(place) for place in range(WEIGHTS, len(node.inputs)))

    @property
    def loss(self) -> LayerWeights:
        """Of its weights, peepholes with them."""
        elements = sum(array.size for array in self._real)
        return LayerWeights(
            self._node.name,
            self._node.operator.title,
            8,
            elements,
            self._size_bytes,
            sqnr(self._real, self._got),
        )

    def results(self, inputs: Sequence[Value], samples: Sequence[Array]) -> tuple[Array, ...]:
        """The integers that it gives for all samples, of its three results.

        inputs: sequence and states; samples: the integers of these, (samples, ...).
        """
        outputs = tuple(
            Value(value.name, type_.with_shape(value.type.shape))
            for value, type_ in zip(
                self._node.outputs,
                (self._types.hidden, self._types.hidden, self._types.cells),
                strict=True,
            )
        )
        node = Node(self.operator, (*inputs, *self.constants), outputs)
        constants = {each.value.name: each.data for each in self._writer.constants}
        found = [
            evaluate_node(
                node,
                constants | {value.name: array for value, array in zip(inputs, each, strict=True)},
            )
            for each in zip(*samples, strict=True)
        ]
        return tuple(np.stack(arrays) for arrays in zip(*found, strict=True))

    def _inner_quantization(self) -> Quantization:
        """Of what leaves the cells: that of the result, or of a projection the one of tanh of the largest cell."""
        if self._data(PROJECTION) is None:
            assert self._types.hidden.quantization is not None
            return self._types.hidden.quantization
        largest = math.tanh(self._types.largest_cell)
        return symmetric_quantization(largest, DType.INT8, power_of_two=self._power_of_two)

    def _gates(self) -> dict[int, Value]:
        """Weights, recurrent weights and biases."""
        made: dict[int, Value] = {}
        for gate in GATES:
            bias = self._data(BIASES + gate)
            least = _least_scale(bias)
            source = self._types.source.quantization
            assert source is not None
            for place, floor in ((WEIGHTS, least / source.scale), (RECURRENT, 0.0)):
                data = self._data(place + gate)
                if data is not None:
                    made[place + gate] = self._stored(place + gate, data, DType.INT8, floor)
            if bias is not None:
                weights = made[WEIGHTS + gate].type.quantization
                assert weights is not None
                scale = float(np.float32(weights.scale) * np.float32(source.scale))
                made[BIASES + gate] = self._bias(BIASES + gate, bias, scale)
        return made

    def _peepholes(self) -> dict[int, Value]:
        known = {place: self._data(place) for place in range(PEEPHOLES, PROJECTION)}
        return {
            place: self._stored(place, data, DType.INT16, 0.0)
            for place, data in known.items()
            if data is not None
        }

    def _projection(self, inner: Quantization) -> dict[int, Value]:
        """Weights and bias. inner: of what is projected."""
        data, bias = self._data(PROJECTION), self._data(PROJECTION + 1)
        if data is None:
            return {}
        least = _least_scale(bias) / inner.scale
        weights = self._stored(PROJECTION, data, DType.INT8, least)
        if bias is None:
            return {PROJECTION: weights}
        assert weights.type.quantization is not None
        scale = float(np.float32(weights.type.quantization.scale) * np.float32(inner.scale))
        return {PROJECTION: weights, PROJECTION + 1: self._bias(PROJECTION + 1, bias, scale)}

    def _data(self, place: int) -> Array | None:
        if place >= len(self._node.inputs):
            return None
        return self._graph.constant(self._node.inputs[place])

    def _name(self, place: int) -> str:
        value = self._node.inputs[place]
        assert value is not None
        return value.name

    def _stored(self, place: int, data: Array, dtype: DType, least_scale: float) -> Value:
        """Symmetric weights as integers of a scale of at least `least_scale`, at which a bias fits."""
        largest = max(float(np.abs(data).max()), least_scale * dtype.integer_range[1])
        found = symmetric_quantization(largest, dtype, power_of_two=self._power_of_two)
        type_ = TensorType(data.shape, dtype, found)
        integers = integers_of(data, type_)
        self._real.append(data)
        self._size_bytes += integers.nbytes
        self._got.append(Dequantize().evaluate([integers], [type_], [])[0])
        return self._writer.constant(f"{self._name(place)}_integers", integers, type_)

    def _bias(self, place: int, data: Array, scale: float) -> Value:
        steps: NDArray[np.float64] = np.rint(data.astype(np.float64) / scale)
        dtype = DType.INT64 if self._types.source.dtype is DType.INT16 else DType.INT32
        type_ = TensorType(data.shape, dtype, Quantization.per_tensor(scale, 0))
        integers = steps.astype(dtype.numpy)
        return self._writer.constant(f"{self._name(place)}_integers", integers, type_)


def _least_scale(bias: Array | None) -> float:
    """That of products to which a bias of int32 can be added."""
    return 0.0 if bias is None else float(np.abs(bias).max()) / _LARGEST_BIAS
