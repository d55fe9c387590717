"""Records as the bytes of a flatbuffer; the only place here that touches the untyped packages."""

import importlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from tinsmith_tflite.export.records import (
    ModelRecord,
    OperatorRecord,
    OptionValue,
    TensorRecord,
)

_tflite: Any = importlib.import_module("tflite")
_flatbuffers: Any = importlib.import_module("flatbuffers")
_SCHEMA_VERSION = 3
_IDENTIFIER = b"TFL3"
_DESCRIPTION = "Written by Tinsmith."
_SIGNATURE = "serving_default"
_ALIGNMENT_BYTES = 16
"""Of constants, which TFLite reads where they lie."""
_MOST_OLD_CODE = 127
"""Readers of old look for the operator's number in one byte, which says 127 for all that do not fit."""


def activation_code(name: str) -> int:
    """1 for `RELU`."""
    return int(getattr(_tflite.ActivationFunctionType, name))


def padding_code(name: str) -> int:
    """0 for `SAME`, 1 for `VALID`."""
    return int(getattr(_tflite.Padding, name))


def tensor_type_code(name: str) -> int:
    """9 for `INT8`."""
    return int(getattr(_tflite.TensorType, name))


def model_bytes(model: ModelRecord) -> bytes:
    """The file. Equal constants have one buffer, equal kinds of operators one code."""
    b = _flatbuffers.Builder(1024)
    data = list(dict.fromkeys(t.data for t in model.tensors if t.data is not None))
    numbers = {content: number for number, content in enumerate(data, 1)}
    # Buffer 0 is empty, that of all tensors without data.
    buffers = _offsets(b, [_table(b, "Buffer"), *(_buffer(b, content) for content in data)])
    kinds = list(dict.fromkeys((o.kind, o.version) for o in model.operators))
    codes = _offsets(b, [_code(b, *kind) for kind in kinds])
    tensors = [_tensor(b, t, 0 if t.data is None else numbers[t.data]) for t in model.tensors]
    operators = [_operator(b, o, kinds.index((o.kind, o.version))) for o in model.operators]
    subgraph = {
        "Tensors": _offsets(b, tensors),
        "Operators": _offsets(b, operators),
        "Inputs": _int32s(b, model.inputs),
        "Outputs": _int32s(b, model.outputs),
        "Name": b.CreateString(model.name),
    }
    fields = {
        "Version": _SCHEMA_VERSION,
        "Description": b.CreateString(_DESCRIPTION),
        "OperatorCodes": codes,
        "Buffers": buffers,
        "SignatureDefs": _offsets(b, [_signature(b, model)]),
        "Subgraphs": _offsets(b, [_table(b, "SubGraph", **subgraph)]),
    }
    b.Finish(_table(b, "Model", **fields), _IDENTIFIER)
    return bytes(b.Output())


def _signature(b: Any, model: ModelRecord) -> int:
    return _table(
        b,
        "SignatureDef",
        Inputs=_named(b, model, model.inputs),
        Outputs=_named(b, model, model.outputs),
        SignatureKey=b.CreateString(_SIGNATURE),
        SubgraphIndex=0,
    )


def _named(b: Any, model: ModelRecord, indices: Sequence[int]) -> int:
    names = [b.CreateString(model.tensors[index].name) for index in indices]
    pairs = zip(names, indices, strict=True)
    return _offsets(b, [_table(b, "TensorMap", Name=n, TensorIndex=i) for n, i in pairs])


def _buffer(b: Any, data: bytes) -> int:
    b.StartVector(1, len(data), _ALIGNMENT_BYTES)
    b.head = b.head - len(data)
    b.Bytes[b.head : b.head + len(data)] = data
    return _table(b, "Buffer", Data=b.EndVector())


def _tensor(b: Any, tensor: TensorRecord, buffer: int) -> int:
    fields: dict[str, int] = {
        "Shape": _int32s(b, tensor.shape),
        "Type": tensor_type_code(tensor.type_name),
        "Buffer": buffer,
        "Name": b.CreateString(tensor.name),
        "IsVariable": tensor.is_variable,
        "HasRank": True,
    }
    quantization = tensor.quantization
    if quantization is not None:
        fields["Quantization"] = _table(
            b,
            "QuantizationParameters",
            Scale=b.CreateNumpyVector(np.array(quantization.scales, np.float32)),
            ZeroPoint=b.CreateNumpyVector(np.array(quantization.zero_points, np.int64)),
            QuantizedDimension=quantization.axis or 0,
        )
    return _table(b, "Tensor", **fields)


def _code(b: Any, kind: str, version: int) -> int:
    number = int(getattr(_tflite.BuiltinOperator, kind))
    return _table(
        b,
        "OperatorCode",
        DeprecatedBuiltinCode=min(number, _MOST_OLD_CODE),
        BuiltinCode=number,
        Version=version,
    )


def _operator(b: Any, operator: OperatorRecord, code: int) -> int:
    fields: dict[str, int] = {
        "OpcodeIndex": code,
        "Inputs": _int32s(b, operator.inputs),
        "Outputs": _int32s(b, operator.outputs),
    }
    if operator.intermediates:
        fields["Intermediates"] = _int32s(b, operator.intermediates)
    options = operator.options
    if options is not None:
        values = {name: _stored(b, value) for name, value in options.fields.items()}
        fields["BuiltinOptions"] = _table(b, options.table, **values)
        fields["BuiltinOptionsType"] = getattr(_tflite.BuiltinOptions, options.table)
    return _table(b, "Operator", **fields)


def _table(b: Any, kind: str, **fields: int | float | bool) -> int:
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
