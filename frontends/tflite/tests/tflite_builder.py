"""Small TFLite files for tests, written with the schema's generated builders."""

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir.types import Quantization

# Neither package has types.
tflite: Any = importlib.import_module("tflite")
flatbuffers: Any = importlib.import_module("flatbuffers")
flexbuffers: Any = importlib.import_module("flatbuffers.flexbuffers")
_TYPES = {
    "b1": "BOOL",
    "f4": "FLOAT32",
    "i1": "INT8",
    "i2": "INT16",
    "i4": "INT32",
    "i8": "INT64",
    "u1": "UINT8",
}

OptionValue = int | float | bool | str | tuple[int, ...]


class Stored(NamedTuple):
    """A quantization as a file may have it, right or wrong; Quantization itself refuses wrong ones."""

    scales: tuple[float, ...]
    zero_points: tuple[int, ...]
    axis: int | None = None
    details: int = 0


@dataclass(frozen=True)
class Options:
    """An options table: its name, and its fields in the schema's CamelCase."""

    name: str
    fields: Mapping[str, OptionValue]


def options(name: str, **fields: OptionValue) -> Options:
    """`options("Pool2DOptions", StrideH=2)`."""
    return Options(name, fields)


def flexbuffer(numbers: Mapping[str, int | float]) -> bytes:
    """A map as custom operators have it for their options."""
    return bytes(flexbuffers.Dumps(dict(numbers)))


@dataclass(frozen=True)
class _Tensor:
    name: str
    shape: Sequence[int]
    type_name: str
    data: bytes | None
    quantization: Quantization | Stored | None
    signature: Sequence[int] | None
    sparse: bool
    extra: Mapping[str, int]


@dataclass(frozen=True)
class _Operator:
    kind: str
    inputs: Sequence[int]
    outputs: Sequence[int]
    options: Options | None
    options_type: str
    version: int
    custom: str
    custom_options: bytes
    intermediates: Sequence[int]


class ModelBuilder:
    """Collects tensors and operators of a subgraph; `finish` writes the file."""

    def __init__(self) -> None:
        self._tensors: list[_Tensor] = []
        self._operators: list[_Operator] = []
        self._ends: tuple[Sequence[int], Sequence[int]] = (), ()

    def called_with(self, inputs: Sequence[int], outputs: Sequence[int]) -> "ModelBuilder":
        """This one, which as a called subgraph is given `inputs` and gives `outputs`."""
        self._ends = inputs, outputs
        return self

    def tensor(
        self,
        name: str,
        shape: Sequence[int],
        type_name: str = "FLOAT32",
        *,
        data: bytes | None = None,
        quantization: Quantization | Stored | None = None,
        signature: Sequence[int] | None = None,
        sparse: bool = False,
        **extra: int,
    ) -> int:
        """Add a tensor; `extra` are further fields, such as IsVariable=1. Returns its index."""
        self._tensors.append(
            _Tensor(name, shape, type_name, data, quantization, signature, sparse, extra)
        )
        return len(self._tensors) - 1

    def constant(
        self,
        name: str,
        array: NDArray[np.generic],
        *,
        quantization: Quantization | Stored | None = None,
    ) -> int:
        """Add a tensor with data, of the array's dtype. Returns its index."""
        return self.tensor(
            name,
            array.shape,
            _TYPES[array.dtype.str[1:]],
            data=array.tobytes(),
            quantization=quantization,
        )

    def operator(
        self,
        kind: str,
        inputs: Sequence[int],
        outputs: Sequence[int],
        options: Options | None = None,
        *,
        version: int = 1,
        custom: str = "",
        custom_options: bytes = b"",
        options_type: str | None = None,
        intermediates: Sequence[int] = (),
    ) -> None:
        """Add an operator. options_type: what the file calls its options, if not what they are."""
        kind_of_options = options.name if options else "NONE"
        stored_type = kind_of_options if options_type is None else options_type
        self._operators.append(
            _Operator(
                kind,
                inputs,
                outputs,
                options,
                stored_type,
                version,
                custom,
                custom_options,
                intermediates,
            )
        )

    def finish(
        self,
        inputs: Sequence[int],
        outputs: Sequence[int],
        *,
        version: int = 3,
        subgraphs: int = 1,
        called: "Sequence[ModelBuilder]" = (),
    ) -> bytes:
        """The file. subgraphs: how often this one is in it. called: others behind it, see `called_with`."""
        b = flatbuffers.Builder(1024)
        members = [self, *called]
        tensors = [tensor for member in members for tensor in member._tensors]
        operators = [operator for member in members for operator in member._operators]
        buffers = _buffers(b, tensors)
        codes = _offsets(b, [_code(b, operator) for operator in operators])
        first = 0, 0
        offsets: list[int] = []
        for member in members:
            ends = (inputs, outputs) if member is self else member._ends
            offsets.append(member._subgraph(b, *ends, *first))
            first = first[0] + len(member._tensors), first[1] + len(member._operators)
        graphs = _offsets(b, offsets[:1] * subgraphs + offsets[1:])
        model = _table(
            b, "Model", Version=version, OperatorCodes=codes, Subgraphs=graphs, Buffers=buffers
        )
        b.Finish(model, b"TFL3")
        return bytes(b.Output())

    def _subgraph(
        self, b: Any, inputs: Sequence[int], outputs: Sequence[int], buffer: int, code: int
    ) -> int:
        """buffer, code: how many of them others have."""
        tensors = _offsets(b, [_tensor(b, t, buffer + i + 1) for i, t in enumerate(self._tensors)])
        operators = _offsets(b, [_operator(b, o, code + i) for i, o in enumerate(self._operators)])
        ends = {"Inputs": _int32s(b, inputs), "Outputs": _int32s(b, outputs)}
        return _table(b, "SubGraph", Tensors=tensors, Operators=operators, **ends)


def _buffers(b: Any, tensors: Sequence[_Tensor]) -> int:
    tables = [_table(b, "Buffer")]
    for tensor in tensors:
        data = {} if tensor.data is None else {"Data": b.CreateByteVector(tensor.data)}
        tables.append(_table(b, "Buffer", **data))
    return _offsets(b, tables)


def _tensor(b: Any, tensor: _Tensor, buffer: int) -> int:
    fields: dict[str, int] = {
        "Shape": _int32s(b, tensor.shape),
        "Type": getattr(tflite.TensorType, tensor.type_name),
        "Buffer": buffer,
        "Name": b.CreateString(tensor.name),
    }
    quantization = tensor.quantization
    if quantization is not None:
        fields["Quantization"] = _table(
            b,
            "QuantizationParameters",
            Scale=b.CreateNumpyVector(np.array(quantization.scales, np.float32)),
            ZeroPoint=b.CreateNumpyVector(np.array(quantization.zero_points, np.int64)),
            QuantizedDimension=quantization.axis or 0,
            DetailsType=quantization.details if isinstance(quantization, Stored) else 0,
        )
    if tensor.signature is not None:
        fields["ShapeSignature"] = _int32s(b, tensor.signature)
    if tensor.sparse:
        fields["Sparsity"] = _table(b, "SparsityParameters")
    return _table(b, "Tensor", **{**fields, **tensor.extra})


def _code(b: Any, operator: _Operator) -> int:
    code = getattr(tflite.BuiltinOperator, operator.kind, None)
    number = int(operator.kind) if code is None else code
    fields = {"CustomCode": b.CreateString(operator.custom)} if operator.custom else {}
    return _table(
        b,
        "OperatorCode",
        DeprecatedBuiltinCode=min(number, 127),
        BuiltinCode=number,
        Version=operator.version,
        **fields,
    )


def _operator(b: Any, operator: _Operator, code: int) -> int:
    fields: dict[str, int] = {
        "OpcodeIndex": code,
        "Inputs": _int32s(b, operator.inputs),
        "Outputs": _int32s(b, operator.outputs),
    }
    if operator.intermediates:
        fields["Intermediates"] = _int32s(b, operator.intermediates)
    if operator.options is not None:
        values = {name: _stored(b, value) for name, value in operator.options.fields.items()}
        fields["BuiltinOptions"] = _table(b, operator.options.name, **values)
    if operator.custom_options:
        fields["CustomOptions"] = b.CreateByteVector(operator.custom_options)
    fields["BuiltinOptionsType"] = getattr(tflite.BuiltinOptions, operator.options_type)
    return _table(b, "Operator", **fields)


def _table(b: Any, kind: str, **fields: Any) -> int:
    getattr(tflite, f"{kind}Start")(b)
    for name, value in fields.items():
        getattr(tflite, f"{kind}Add{name}")(b, value)
    return int(getattr(tflite, f"{kind}End")(b))


def _stored(b: Any, value: OptionValue) -> int | float | bool:
    """A number, or where text and vectors lie."""
    if isinstance(value, str):
        return int(b.CreateString(value))
    return _int32s(b, value) if isinstance(value, tuple) else value


def _int32s(b: Any, values: Sequence[int]) -> int:
    return int(b.CreateNumpyVector(np.array(values, np.int32)))


def _offsets(b: Any, offsets: Sequence[int]) -> int:
    b.StartVector(4, len(offsets), 4)
    for offset in reversed(offsets):
        b.PrependUOffsetTRelative(offset)
    return int(b.EndVector())
