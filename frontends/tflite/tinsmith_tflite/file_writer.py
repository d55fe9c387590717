"""Writes the tables of a TFLite file: tensors, constants, operators; by the builders of the schema's package."""

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from tinsmith_ir.dtypes import DType
from tinsmith_ir.four_bits import packed
from tinsmith_ir.graph import Array
from tinsmith_ir.types import Quantization, TensorType

# Neither package has types.
_tflite: Any = importlib.import_module("tflite")
_flatbuffers: Any = importlib.import_module("flatbuffers")

_TYPES: Mapping[DType, str] = {
    DType.BOOL: "BOOL",
    DType.FLOAT32: "FLOAT32",
    DType.INT4: "INT4",
    DType.INT8: "INT8",
    DType.INT16: "INT16",
    DType.INT32: "INT32",
    DType.INT64: "INT64",
    DType.UINT8: "UINT8",
}
_SCHEMA_VERSION = 3
_IDENTIFIER = b"TFL3"
_LAST_BYTE_CODE = 127
_DATA_ALIGNMENT = 16
_SIGNATURE = "serving_default"

OptionValue = int | float | bool | tuple[int, ...]


@dataclass(frozen=True)
class FileOptions:
    """An options table: its name, and its fields in the schema's CamelCase."""

    name: str = ""
    fields: Mapping[str, OptionValue] = field(default_factory=dict[str, OptionValue])


@dataclass(frozen=True)
class _Tensor:
    name: str
    shape: tuple[int, ...]
    dtype: DType
    quantization: Quantization | None
    data: bytes | None


@dataclass(frozen=True)
class _Operator:
    kind: str
    version: int
    inputs: Sequence[int]
    outputs: Sequence[int]
    options: FileOptions


class FileWriter:
    """Collects tensors and operators; `finished` writes the file."""

    def __init__(self, description: str) -> None:
        """description: of the file, for people."""
        self._description = description
        self._tensors: list[_Tensor] = []
        self._operators: list[_Operator] = []

    def tensor(self, name: str, type_: TensorType, data: Array | None = None) -> int:
        """Add a tensor, a constant if there are data; returns its number."""
        stored = None if data is None else _bytes(data, type_.dtype)
        self._tensors.append(_Tensor(name, type_.shape, type_.dtype, type_.quantization, stored))
        return len(self._tensors) - 1

    def integers(self, name: str, numbers: Sequence[int]) -> int:
        """Add a constant of int32, such as axes; there may be none. Returns its number."""
        stored = np.array(numbers, "<i4").tobytes()
        self._tensors.append(_Tensor(name, (len(numbers),), DType.INT32, None, stored))
        return len(self._tensors) - 1

    def operator(
        self,
        kind: str,
        version: int,
        inputs: Sequence[int],
        outputs: Sequence[int],
        options: FileOptions,
    ) -> None:
        """Add an operator by the schema's name. inputs, outputs: numbers of tensors, -1 for one that is absent."""
        self._operators.append(_Operator(kind, version, inputs, outputs, options))

    def finished(self, inputs: Sequence[int], outputs: Sequence[int]) -> bytes:
        """The file. inputs, outputs: of the network, numbers of tensors."""
        b = _flatbuffers.Builder(1024)
        codes = list(dict.fromkeys((found.kind, found.version) for found in self._operators))
        buffers = [_table(b, "Buffer")]
        for tensor in self._tensors:
            if tensor.data is not None:
                buffers.append(_table(b, "Buffer", Data=_data(b, tensor.data)))
        stored = iter(range(1, len(buffers)))
        numbers = [0 if tensor.data is None else next(stored) for tensor in self._tensors]
        tensors = [
            _written_tensor(b, tensor, number)
            for tensor, number in zip(self._tensors, numbers, strict=True)
        ]
        operators = [
            _written_operator(b, found, codes.index((found.kind, found.version)))
            for found in self._operators
        ]
        subgraph = _table(
            b,
            "SubGraph",
            Tensors=_offsets(b, tensors),
            Operators=_offsets(b, operators),
            Inputs=_int32s(b, inputs),
            Outputs=_int32s(b, outputs),
            Name=b.CreateString("main"),
        )
        model = _table(
            b,
            "Model",
            Version=_SCHEMA_VERSION,
            OperatorCodes=_offsets(b, [_code(b, kind, version) for kind, version in codes]),
            Subgraphs=_offsets(b, [subgraph]),
            Buffers=_offsets(b, buffers),
            Description=b.CreateString(self._description),
            SignatureDefs=_offsets(b, [self._signature(b, inputs, outputs)]),
        )
        b.Finish(model, _IDENTIFIER)
        return bytes(b.Output())

    def _signature(self, b: Any, inputs: Sequence[int], outputs: Sequence[int]) -> int:
        """By which newer runtimes call a network, with the names of its ends."""
        maps = [_offsets(b, [self._map(b, index) for index in ends]) for ends in (inputs, outputs)]
        key = b.CreateString(_SIGNATURE)
        return _table(b, "SignatureDef", Inputs=maps[0], Outputs=maps[1], SignatureKey=key)

    def _map(self, b: Any, index: int) -> int:
        name = b.CreateString(self._tensors[index].name)
        return _table(b, "TensorMap", Name=name, TensorIndex=index)


def _bytes(data: Array, dtype: DType) -> bytes:
    array = packed(data) if dtype is DType.INT4 else data
    return np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<")).tobytes()


def _data(b: Any, data: bytes) -> int:
    """Bytes at an address that suits every element type."""
    b.StartVector(1, len(data), _DATA_ALIGNMENT)
    b.head = b.Head() - len(data)
    b.Bytes[b.Head() : b.Head() + len(data)] = data
    return int(b.EndVector())


def _written_tensor(b: Any, tensor: _Tensor, buffer: int) -> int:
    fields: dict[str, int] = {
        "Shape": _int32s(b, tensor.shape),
        "Type": getattr(_tflite.TensorType, _TYPES[tensor.dtype]),
        "Buffer": buffer,
        "Name": b.CreateString(tensor.name),
    }
    if tensor.quantization is not None:
        fields["Quantization"] = _quantization(b, tensor.quantization)
    return _table(b, "Tensor", **fields)


def _quantization(b: Any, quantization: Quantization) -> int:
    return _table(
        b,
        "QuantizationParameters",
        Scale=b.CreateNumpyVector(np.array(quantization.scales, np.float32)),
        ZeroPoint=b.CreateNumpyVector(np.array(quantization.zero_points, np.int64)),
        QuantizedDimension=quantization.axis or 0,
    )


def _code(b: Any, kind: str, version: int) -> int:
    number = int(getattr(_tflite.BuiltinOperator, kind))
    return _table(
        b,
        "OperatorCode",
        DeprecatedBuiltinCode=min(number, _LAST_BYTE_CODE),
        BuiltinCode=number,
        Version=version,
    )


def _written_operator(b: Any, operator: _Operator, code: int) -> int:
    fields: dict[str, int] = {
        "OpcodeIndex": code,
        "Inputs": _int32s(b, operator.inputs),
        "Outputs": _int32s(b, operator.outputs),
    }
    options = operator.options
    if options.name:
        values = {name: _stored(b, value) for name, value in options.fields.items()}
        fields["BuiltinOptions"] = _table(b, options.name, **values)
        fields["BuiltinOptionsType"] = getattr(_tflite.BuiltinOptions, options.name)
    return _table(b, "Operator", **fields)


def _table(b: Any, kind: str, **fields: Any) -> int:
    getattr(_tflite, f"{kind}Start")(b)
    for name, value in fields.items():
        getattr(_tflite, f"{kind}Add{name}")(b, value)
    return int(getattr(_tflite, f"{kind}End")(b))


def _stored(b: Any, value: OptionValue) -> int | float | bool:
    """A number, or where a vector lies."""
    return _int32s(b, value) if isinstance(value, tuple) else value


def _int32s(b: Any, values: Sequence[int]) -> int:
    return int(b.CreateNumpyVector(np.array(values, np.int32)))


def _offsets(b: Any, offsets: Sequence[int]) -> int:
    b.StartVector(4, len(offsets), 4)
    for offset in reversed(offsets):
        b.PrependUOffsetTRelative(offset)
    return int(b.EndVector())
