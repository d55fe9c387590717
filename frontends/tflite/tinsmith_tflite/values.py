"""The values of the graph under construction, and the constants among them."""

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir.dtypes import DType
from tinsmith_ir.errors import ModelError, UnsupportedError
from tinsmith_ir.few_bits import unpacked
from tinsmith_ir.graph import Array, Constant, Location, Node, Value
from tinsmith_ir.names import Names
from tinsmith_ir.operators import Requantize
from tinsmith_ir.types import TensorType

from tinsmith_tflite.kept import KeptTensors, check_variable
from tinsmith_tflite.model_file import FileTensor, ModelFile
from tinsmith_tflite.tensors import bias_type, dense_shape, may_be, tensor_type
from tinsmith_tflite.unsigned import is_unsigned, recentred, recentred_data

MOST_ATTRIBUTE_ELEMENTS = 64
INDEX_TYPES = {"INT32": "<i4", "INT64": "<i8"}
KNOWN_TYPES = {**INDEX_TYPES, "BOOL": "?"}
"""Of elements that operators compute while importing."""
_LIMITS = {"BOOL": (0, 1), "INT32": (-(2**31), 2**31 - 1), "INT64": (-(2**63), 2**63 - 1)}
_INT32 = np.iinfo(np.int32)


class Values:
    """Which tensor of the file is which value of the graph.

    Constants become values when they are first asked for as such; their data are views of the file.
    widened: those that are float32 here and int8 in the file. kept_tensors: variable tensors. widens_weights: whether
    that is asked for where TFLite would make integers of the activations.
    """

    def __init__(self, file: ModelFile, *, widens_weights: bool = False) -> None:
        self.file = file
        self.widens_weights = widens_weights
        self.constants: list[Constant] = []
        self.widened: list[Constant] = []
        self.kept_tensors: KeptTensors = KeptTensors()
        self._names = Names()
        self._values: dict[int, Value] = {}
        self._arrays: dict[str, Array] = {}
        self._converted: dict[int, Value] = {}
        self._recentred: dict[str, Value] = {}
        self._ends: dict[int, Value] = {}
        self._computed: dict[int, NDArray[np.int64]] = {}

    def new(self, index: int, where: str, *, as_stored: bool = False) -> Value:
        """The value of a tensor that a graph input or an operator gives, before `define`.

        as_stored: also of quantized uint8, which is int8 else (unsigned.py).
        """
        self._check_new(index, where)
        tensor = self.file.tensor(index)
        type_ = tensor_type(tensor, self.file.name)
        if as_stored or not is_unsigned(type_):
            return Value(self._names.unique(tensor.name), type_)
        # The name is that of the network's result, which is the uint8.
        name = f"{tensor.name}_int8" if index in self.file.outputs else tensor.name
        return Value(self._names.unique(name), recentred(type_))

    def recentring(self, value: Value) -> tuple[Value, tuple[Node, ...]]:
        """A value of quantized uint8 as int8, and the node that makes it so if nothing has asked before."""
        known = self._recentred.get(value.name)
        if known is not None:
            return known, ()
        made = self.step(f"{value.name}_int8", recentred(value.type))
        self._recentred[value.name] = made
        location = Location(self.file.name, f"tensor '{value.name}'")
        return made, (Node(Requantize(made.type.dtype), (value,), (made,), location),)

    def as_stored(self, index: int, value: Value) -> tuple[Value, tuple[Node, ...]]:
        """The value of tensor `index` with the file's type, and the node that makes it so if it is int8."""
        type_ = tensor_type(self.file.tensor(index), self.file.name)
        if value.type.dtype is type_.dtype:
            return value, ()
        if index in self._ends:
            return self._ends[index], ()
        made = self.step(self.file.tensor(index).name, recentred(value.type))
        self._ends[index] = made
        location = Location(self.file.name, str(self.file.tensor(index)))
        return made, (Node(Requantize(made.type.dtype), (value,), (made,), location),)

    def constant_as_stored(self, index: int) -> Value:
        """The value of a constant with the file's type, for a network that has one as its result."""
        tensor = self.file.tensor(index)
        type_ = tensor_type(tensor, self.file.name)
        if not is_unsigned(type_):
            return self.value(index)
        return self._constant(
            tensor.name, type_, self._data(tensor, type_.dtype.numpy, type_.shape)
        )

    def kept(self, index: int, where: str) -> Value:
        """What a variable tensor holds after the operators so far; at the beginning of a run it is a state.

        Raises ModelError for a tensor that is none.
        """
        known = self.kept_tensors.known(index)
        if known is not None:
            return known
        tensor = self.file.tensor(index)
        check_variable(tensor, where, has_data=self.is_constant(index))
        type_ = tensor_type(replace(tensor, is_variable=False), self.file.name)
        self._charge(type_.size_bytes)
        state = Value(self._names.unique(tensor.name), type_)
        self.kept_tensors.begin(index, state)
        return state

    def keep(self, index: int, value: Value, where: str) -> None:
        """From here on a variable tensor that was asked for by `kept` holds `value`."""
        self.kept_tensors.change(index, value, where)

    def step(self, name: str, type_: TensorType) -> Value:
        """A value that is no tensor of the file, for a node in front of an operator's own."""
        return Value(self._names.unique(name), type_)

    def define(self, index: int, value: Value) -> None:
        """From here on tensor `index` can be read."""
        self._values[index] = value

    def define_integers(self, index: int, array: NDArray[np.int64], where: str) -> None:
        """From here on tensor `index` is a constant; `where` names what computed it."""
        self._check_new(index, where)
        tensor = self.file.tensor(index)
        lowest, highest = _LIMITS[tensor.type_name]
        if array.shape != tensor.shape and not may_be(array.shape, tensor):
            raise ModelError(
                f"{self.file.name}: {where}: expected a result of shape {list(array.shape)}, got "
                f"{list(tensor.shape)} for {tensor}"
            )
        if array.size and not lowest <= array.min() <= array.max() <= highest:
            raise ModelError(
                f"{self.file.name}: {where}: expected elements within {tensor.type_name}, got "
                f"{array.min()} to {array.max()}"
            )
        self._computed[index] = array

    def known(self, index: int) -> Value | None:
        """The value of a tensor that is defined, else None."""
        return self._values.get(index)

    def is_constant(self, index: int) -> bool:
        """True if the file has the tensor's data, or they are computed from what it has."""
        return index in self._computed or len(self.file.buffer(self.file.tensor(index).buffer)) > 0

    def has_data(self, index: int) -> bool:
        """True of a constant, also of one without elements."""
        return 0 in self.file.tensor(index).shape or self.is_constant(index)

    def value(self, index: int) -> Value:
        """The value of a tensor that is defined, or a constant; one of quantized uint8 as int8.

        Raises ModelError for a tensor that is neither, or whose data have another size.
        """
        if index not in self._values:
            tensor = self.file.tensor(index)
            if self.is_half(index):
                self._values[index] = self._widened_half(tensor)
                return self._values[index]
            type_ = tensor_type(tensor, self.file.name)
            data = self._data(tensor, type_.dtype.numpy, type_.shape)
            if is_unsigned(type_):
                self._charge(type_.size_bytes)
                type_, data = recentred(type_), recentred_data(data)
            self._values[index] = self._constant(tensor.name, type_, data)
        return self._values[index]

    def is_half(self, index: int) -> bool:
        """True of a constant of float16, whose value is float32."""
        return self.file.tensor(index).type_name == "FLOAT16" and self.is_constant(index)

    def is_int4(self, index: int) -> bool:
        """True of a constant of int4."""
        return self.file.tensor(index).type_name == "INT4" and self.is_constant(index)

    def int4_weights(self, index: int) -> Value:
        """The value of a constant of int4, of which the file has two in each byte."""
        if index not in self._converted:
            tensor = self.file.tensor(index)
            type_ = tensor_type(replace(tensor, type_name="INT8"), self.file.name)
            type_ = replace(type_, dtype=DType.INT4)
            self._charge(type_.elements)
            stored = self._data(tensor, np.dtype(np.uint8), (type_.size_bytes,))
            data = unpacked(np.asarray(stored, np.uint8), type_.shape, DType.INT4)
            self._converted[index] = self._constant(tensor.name, type_, data)
        return self._converted[index]

    def _widened_half(self, tensor: FileTensor) -> Value:
        type_ = tensor_type(replace(tensor, type_name="FLOAT32"), self.file.name)
        self._charge(type_.size_bytes)
        data = self._data(tensor, np.dtype("<f2"), type_.shape).astype(np.float32)
        data.flags.writeable = False
        return self._constant(tensor.name, type_, data)

    def float_weights(self, index: int) -> Value:
        """An int8 constant as float32: scale * (q - zero point), per tensor or per channel."""
        if index not in self._converted:
            value = self.value(index)
            q = value.type.quantization
            if q is None:
                raise ModelError(
                    f"{self.file.name}: {self.file.tensor(index)}: expected scales of int8 weights"
                )
            self._charge(4 * value.type.elements)
            data = self._data(self.file.tensor(index), value.type.dtype.numpy, value.type.shape)
            shape = [1] * max(1, data.ndim)
            shape[q.axis or 0] = len(q.scales)
            scales = np.array(q.scales, np.float32).reshape(shape)
            # In place: they are four times the file's bytes, so there is no second copy.
            reals = data.astype(np.float32)
            reals -= np.array(q.zero_points, np.float32).reshape(shape)
            reals *= scales
            reals = reals.reshape(value.type.shape)
            reals.flags.writeable = False
            type_ = TensorType(value.type.shape, DType.FLOAT32)
            self._converted[index] = self._constant(f"{value.name}_float", type_, reals)
            self.widened.append(self.constants[-1])
        return self._converted[index]

    def bias(self, index: int) -> Value:
        """A bias. Integers become one dimension of int32, which is what Tinsmith keeps of the int64
        of TFLite's 16x8 scheme, and of a shape such as (1, 1, 1, channels).
        """
        tensor = self.file.tensor(index)
        if index in self._values or tensor.type_name not in INDEX_TYPES:
            return self.value(index)
        if index not in self._converted:
            type_ = bias_type(tensor, self.file.name)
            self._charge(type_.size_bytes)
            stored = self._data(tensor, np.dtype(INDEX_TYPES[tensor.type_name]), tensor.shape)
            data = stored.astype(np.int64).reshape(type_.shape)
            if data.size and not _INT32.min <= data.min() <= data.max() <= _INT32.max:
                raise UnsupportedError(
                    f"{self.file.name}: {tensor}: expected a bias within int32, got values from "
                    f"{data.min()} to {data.max()}"
                )
            self._converted[index] = self._constant(tensor.name, type_, data.astype(np.int32))
        return self._converted[index]

    def computed(self, name: str, type_: TensorType, data: Array) -> Value:
        """A constant that is no tensor of the file but made of one: indices, weights in another order."""
        self._charge(type_.size_bytes)
        return self._constant(name, type_, np.array(data, order="C"))

    def data(self, value: Value) -> Array | None:
        """The elements of a value that is a constant, else None."""
        return self._arrays.get(value.name)

    def index_array(self, index: int) -> NDArray[np.int64]:
        """Elements of a constant int32 or int64 tensor of any size, in its shape."""
        tensor = self.file.tensor(index)
        if tensor.type_name not in INDEX_TYPES:
            raise ModelError(
                f"{self.file.name}: {tensor}: expected INT32 or INT64, got {tensor.type_name}"
            )
        shape = dense_shape(tensor, self.file.name)
        self._charge(8 * math.prod(shape))
        return self._data(tensor, np.dtype(INDEX_TYPES[tensor.type_name]), shape).astype(np.int64)

    def integers(self, index: int) -> tuple[int, ...]:
        """Elements of a constant int32 or int64 tensor that stands for an attribute."""
        tensor = self.file.tensor(index)
        if tensor.type_name not in INDEX_TYPES:
            raise ModelError(
                f"{self.file.name}: {tensor}: expected INT32 or INT64, got {tensor.type_name}"
            )
        shape = tensor.shape
        if any(size < 0 for size in shape) or math.prod(shape) > MOST_ATTRIBUTE_ELEMENTS:
            raise ModelError(
                f"{self.file.name}: {tensor}: expected at most {MOST_ATTRIBUTE_ELEMENTS} elements, "
                f"got shape {list(shape)}"
            )
        data = self._data(tensor, np.dtype(INDEX_TYPES[tensor.type_name]), shape)
        return tuple(int(element) for element in data.ravel())

    def known_array(self, index: int) -> NDArray[np.int64]:
        """Elements of a constant of KNOWN_TYPES with few elements, in the tensor's shape; of bool 0 and 1."""
        tensor = self.file.tensor(index)
        if index in self._computed:
            return self._computed[index]
        if tensor.type_name == "BOOL":
            return (self._data(tensor, np.dtype(np.uint8), tensor.shape) != 0).astype(np.int64)
        return np.array(self.integers(index), np.int64).reshape(tensor.shape)

    def shape(self, index: int) -> tuple[int, ...]:
        """The shape of a constant of any type, or of what is defined."""
        value = self._values.get(index)
        if value is not None:
            return value.type.shape
        if index in self._computed:
            return self._computed[index].shape
        tensor = self.file.tensor(index)
        if not self.is_constant(index):
            raise ModelError(
                f"{self.file.name}: {tensor}: expected a constant, or the result of an operator before "
                "this one, got neither"
            )
        return dense_shape(tensor, self.file.name)

    def scalar(self, index: int) -> int | float:
        """The only element of a constant tensor that stands for an attribute; of quantized uint8 as int8."""
        tensor = self.file.tensor(index)
        type_ = tensor_type(tensor, self.file.name)
        if type_.elements != 1:
            raise ModelError(
                f"{self.file.name}: {tensor}: expected one element, got {list(type_.shape)}"
            )
        data = self._data(tensor, type_.dtype.numpy, type_.shape)
        element = (recentred_data(data) if is_unsigned(type_) else data).ravel()[0]
        return float(element) if type_.dtype is DType.FLOAT32 else int(element)

    def _check_new(self, index: int, where: str) -> None:
        if index in self._values or self.is_constant(index):
            raise ModelError(
                f"{self.file.name}: {where}: expected a tensor without a value, got "
                f"{self.file.tensor(index)}, which is a constant or computed before"
            )

    def _constant(self, name: str, type_: TensorType, data: Array) -> Value:
        value = Value(self._names.unique(name), type_)
        self.constants.append(Constant(value, data))
        self._arrays[value.name] = data
        return value

    def _charge(self, size_bytes: int) -> None:
        self.file.spend(size_bytes)

    def _data(
        self, tensor: FileTensor, dtype: np.dtype[np.generic], shape: tuple[int, ...]
    ) -> Array:
        """A constant's elements, a read-only view of the file unless computed."""
        if tensor.index in self._computed:
            return self._computed[tensor.index].astype(dtype)
        if tensor.index in self._values and not self.is_constant(tensor.index):
            raise UnsupportedError(
                f"{self.file.name}: {tensor}: expected a constant, got what is computed at run time "
                "(shapes and axes computed at run time are not supported)"
            )
        data: NDArray[np.uint8] = self.file.buffer(tensor.buffer)
        expected_bytes = math.prod(shape) * dtype.itemsize
        if expected_bytes and not len(data):
            raise ModelError(
                f"{self.file.name}: {tensor}: expected a constant, or the result of an operator "
                "before this one, got neither"
            )
        if len(data) != expected_bytes:
            raise ModelError(
                f"{self.file.name}: {tensor}: expected {expected_bytes} bytes for "
                f"{tensor.type_name}{list(shape)}, got {len(data)} in buffer {tensor.buffer}"
            )
        return np.frombuffer(data, dtype).reshape(shape)
