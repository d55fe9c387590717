"""Tensors of the float and of the quantized network.

Of each what both compute on the samples, and the integers as values of the new graph.
"""

from collections.abc import Sequence

import numpy as np
from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Array, Graph, Location, State, Value
from tinsmith_ir.operators import Requantize
from tinsmith_ir.types import Quantization, TensorType

from tinsmith_quantization.ranges.calibration import Calibration
from tinsmith_quantization.statistics import Losses, tensor_loss
from tinsmith_quantization.writing import Writer, fake_samples, integers_of

_UNSIGNED = 128


class Tensors:
    """real, got: of each value that is still read, what the float network and what the quantized one computes, of all
    samples. writer: of the new graph, whose operators of float32 read what integers stand for.
    """

    def __init__(self, graph: Graph, calibration: Calibration, writer: Writer) -> None:
        """Of a float graph, as calibration says."""
        self._graph, self._calibration = graph, calibration
        self._outputs = {value.name for value in graph.outputs}
        self._integers: dict[str, Value] = {}
        self._given: dict[str, Value] = {}
        self._copies: dict[tuple[str, TensorType], tuple[Value, Value]] = {}
        self.writer, self.losses = writer, Losses()
        self.real: dict[str, Array] = {}
        self.got: dict[str, Array] = {}

    def forget(self, names: Sequence[str]) -> None:
        """The arrays of values that nobody reads any more."""
        for name in names:
            self.real.pop(name, None)
            self.got.pop(name, None)

    def is_quantized(self, value: Value) -> bool:
        """Whether integers stand for it."""
        return value.name in self._calibration.types

    def type_of(self, value: Value) -> TensorType:
        """Of its integers."""
        return self._calibration.type_of(value)

    def input(self, value: Value, array: Array) -> Value:
        """An input of the network, or a state. array: of all samples."""
        self.real[value.name] = array
        if not self.is_quantized(value):
            self.got[value.name] = array
            return value
        self.keep(value, array, "")
        type_ = self.type_of(value)
        is_state = any(state.value.name == value.name for state in self._graph.states)
        is_signed = is_state or not self._calibration.scheme.unsigned_ends
        if is_signed or type_.dtype is not DType.INT8:
            return self._dequantized(value, Value(value.name, type_))
        given = Value(value.name, _unsigned(type_))
        lower = Value(self.writer.fresh(f"{value.name}_int8"), type_)
        self._dequantized(
            value, self.writer.add(Requantize(DType.INT8), (given,), lower, Location())
        )
        return given

    def keep(self, value: Value, computed: Array, layer: str) -> None:
        """What integers make of a result of the quantized network, and what that loses."""
        type_ = self.type_of(value)
        assert type_.quantization is not None
        self.got[value.name] = fake_samples(computed, type_.quantization, type_.dtype)
        real, histogram = self.real[value.name], self._calibration.histogram(value.name)
        own = fake_samples(real, type_.quantization, type_.dtype)
        self.losses.tensors.append(
            tensor_loss(value.name, layer, type_, real, self.got[value.name], own, histogram)
        )

    def name(self, value: Value) -> str:
        """That of the integers of a result: its own, unless it is an output whose reader wants others."""
        if self._is_turned(value):
            return self.writer.fresh(f"{value.name}_{self.type_of(value).dtype.name.lower()}")
        return value.name

    def computed(self, value: Value, integers: Value, location: Location) -> None:
        """A result of the new graph, which is read in the place of `value`; outputs are int8 or uint8, cells aside."""
        self._dequantized(value, integers)
        if not self._is_turned(value):
            return
        is_unsigned = self._calibration.scheme.unsigned_ends
        if self.type_of(value).dtype is DType.INT16:
            quantization = self._calibration.copy(value.name, DType.INT8)
            type_ = TensorType(value.type.shape, DType.INT8, quantization)
            name = self.writer.fresh(f"{value.name}_int8") if is_unsigned else value.name
            integers = self.writer.quantized(name, self.writer.real[value.name], type_, location)
        if is_unsigned:
            given = Value(value.name, _unsigned(integers.type))
            integers = self.writer.add(Requantize(DType.UINT8), (integers,), given, location)
        self._given[value.name] = integers

    def _is_turned(self, value: Value) -> bool:
        """Whether the network gives other integers than it reads itself."""
        if value.name not in self._outputs or value.name in self._calibration.widths.cells:
            return False
        is_wide = self._calibration.widths.is_wide(value.name)
        return is_wide or self._calibration.scheme.unsigned_ends

    def _dequantized(self, value: Value, stored: Value) -> Value:
        """`stored`, whose real numbers are read in the place of `value` from here on."""
        self._integers[value.name] = self._given[value.name] = stored
        self.writer.real[value.name] = self.writer.dequantized(stored, f"{value.name}_read")
        return stored

    def read(
        self, value: Value, dtype: DType, wanted: Quantization | None = None
    ) -> tuple[Value, Array]:
        """What a node of a width reads in the place of `value`, float32, and its arrays.

        wanted: a quantization that it has to have.
        """
        if not self.is_quantized(value) or self._is_read_as(value, dtype, wanted):
            return self.writer.real.get(value.name, value), self.got[value.name]
        type_ = self._copied_type(value, dtype, wanted)
        assert type_.quantization is not None
        array = fake_samples(self.got[value.name], type_.quantization, dtype)
        return self._copy(value, type_)[1], array

    def read_integers(
        self, value: Value, dtype: DType, wanted: Quantization | None = None
    ) -> tuple[Value, Array]:
        """As `read`, for a node that reads the integers themselves; of constants, too."""
        data = self._graph.constant(value)
        if data is not None:
            type_ = TensorType(data.shape, dtype, wanted)
            integers = integers_of(data, type_)
            array = np.broadcast_to(integers, (len(next(iter(self.real.values()))), *data.shape))
            return self.writer.constant(f"{value.name}_integers", integers, type_), array
        _, real = self.read(value, dtype, wanted)
        found = self._integers[value.name]
        if not self._is_read_as(value, dtype, wanted):
            found = self._copy(value, self._copied_type(value, dtype, wanted))[0]
        return found, integers_of(real, found.type)

    def _is_read_as(self, value: Value, dtype: DType, wanted: Quantization | None) -> bool:
        type_ = self.type_of(value)
        return type_.dtype is dtype and wanted in (None, type_.quantization)

    def _copied_type(self, value: Value, dtype: DType, wanted: Quantization | None) -> TensorType:
        quantization = wanted or self._calibration.copy(value.name, dtype)
        return TensorType(value.type.shape, dtype, quantization)

    def _copy(self, value: Value, type_: TensorType) -> tuple[Value, Value]:
        """Integers of another type, and the real numbers that they stand for; the same for all who read them."""
        key = value.name, type_
        if key not in self._copies:
            name = self.writer.fresh(f"{value.name}_{type_.dtype.name.lower()}")
            real = self.writer.real[value.name]
            integers = self.writer.quantized(name, real, type_, Location())
            self._copies[key] = integers, self.writer.dequantized(integers, f"{name}_read")
        return self._copies[key]

    def outputs(self) -> tuple[Value, ...]:
        """Of the new graph."""
        return tuple(self._given.get(value.name, value) for value in self._graph.outputs)

    def states(self) -> tuple[State, ...]:
        """Of the new graph."""
        return tuple(self._state(state) for state in self._graph.states)

    def _state(self, state: State) -> State:
        if not self.is_quantized(state.value):
            later = self.writer.real.get(state.next.name, state.next)
            return State(state.value, state.initial, later)
        type_ = self.type_of(state.value)
        later = self._integers[state.next.name]
        return State(Value(state.value.name, type_), integers_of(state.initial, type_), later)


def _unsigned(type_: TensorType) -> TensorType:
    """Integers of uint8 that stand for the same numbers as those of int8."""
    assert type_.quantization is not None
    zero = type_.quantization.zero_point + _UNSIGNED
    return TensorType(
        type_.shape, DType.UINT8, Quantization.per_tensor(type_.quantization.scale, zero)
    )
