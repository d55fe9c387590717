"""An ONNX file as protocol buffers: parsed, and checked as far as that does not depend on operators."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import DecodeError, Message
from onnx import TensorProto, numpy_helper
from tinsmith_ir.errors import ModelError, UnsupportedError
from tinsmith_ir.escape import visible
from tinsmith_ir.graph import Array
from tinsmith_tensors import LARGEST_KNOWN_BYTES

from tinsmith_onnx.elements import name_of, numpy_dtype
from tinsmith_onnx.external import external_bytes

OLDEST_OPSET = 7
"""From which on every operator is taken; of older ones those that are the same."""
_LONGEST_NAME = 60
_BITS: Mapping[int, int] = {
    TensorProto.UINT4: 4,
    TensorProto.INT4: 4,
    TensorProto.FLOAT4E2M1: 4,
    **{
        kind: 2
        for kind in (getattr(TensorProto, "UINT2", None), getattr(TensorProto, "INT2", None))
        if kind is not None
    },
}
"""Of elements that share bytes."""


@dataclass(frozen=True, eq=False)
class Stored:
    """Tensors that a graph of the file holds, by name; errors: those that cannot be read."""

    arrays: Mapping[str, Array]
    errors: Mapping[str, ModelError | UnsupportedError]


@dataclass(frozen=True, eq=False)
class ModelFile:
    """A model as read. graph: its outermost graph without its stored tensors, which are `stored`.

    name: of the file, for messages. folder: where files with external data lie, None if that is not known.
    """

    name: str
    folder: Path | None
    graph: onnx.GraphProto
    stored: Stored
    functions: Sequence[onnx.FunctionProto]
    opset_import: Sequence[onnx.OperatorSetIdProto]

    @staticmethod
    def read(data: bytes, name: str, folder: Path | None) -> "ModelFile":
        """The model in the bytes of a file. Raises ModelError for bytes that are none.

        Stored tensors are views of one copy of their bytes: the messages, which hold another, are gone afterwards.
        """
        try:
            model = onnx.ModelProto.FromString(data)
        except DecodeError as error:
            raise ModelError(
                f"{name}: expected an ONNX file, got damaged or other data ({error})"
            ) from error
        if not model.HasField("graph"):
            raise ModelError(f"{name}: expected an ONNX file with a graph, got none")
        if not all(isinstance(text, str) for text in _texts(model)):
            raise ModelError(f"{name}: expected names in UTF-8, got other bytes")
        light = onnx.ModelProto(functions=model.functions, opset_import=model.opset_import)
        light.graph.node.extend(model.graph.node)
        light.graph.input.extend(model.graph.input)
        light.graph.output.extend(model.graph.output)
        light.graph.value_info.extend(model.graph.value_info)
        stored = stored_in(model.graph, name, folder)
        return ModelFile(name, folder, light.graph, stored, light.functions, light.opset_import)


def _texts(message: Message) -> Iterator[object]:
    """All names and such; what is no UTF-8 is given as bytes."""
    for field, value in message.ListFields():
        if field.type == FieldDescriptor.TYPE_STRING:
            yield from [value] if isinstance(value, str | bytes) else value
        elif field.type == FieldDescriptor.TYPE_MESSAGE:
            for inner in [value] if isinstance(value, Message) else value:
                yield from _texts(inner)


def stored_in(graph: onnx.GraphProto, name: str, folder: Path | None) -> Stored:
    """The tensors that a graph holds. name: of the file."""
    arrays: dict[str, Array] = {}
    errors: dict[str, ModelError | UnsupportedError] = {}
    for tensor in graph.initializer:
        try:
            where = f"{name}: initializer {shown(tensor.name)!r}"
            _check_new(tensor.name, arrays, where)
            arrays[tensor.name] = array_of(tensor, folder, where)
        except (ModelError, UnsupportedError) as error:
            errors[tensor.name] = error
    for sparse in graph.sparse_initializer:
        try:
            where = f"{name}: sparse initializer {shown(sparse.values.name)!r}"
            _check_new(sparse.values.name, arrays, where)
            arrays[sparse.values.name] = array_of(sparse, folder, where)
        except (ModelError, UnsupportedError) as error:
            errors[sparse.values.name] = error
    return Stored(arrays, errors)


def _check_new(name: str, arrays: Mapping[str, Array], where: str) -> None:
    if name in arrays:
        raise ModelError(f"{where}: expected one of that name, got two")


def _dense(sparse: onnx.SparseTensorProto, folder: Path | None, where: str) -> Array:
    values = array_of(sparse.values, folder, where)
    indices = array_of(sparse.indices, folder, where).astype(np.int64)
    shape = tuple(sparse.dims)
    if min(shape, default=0) < 0:
        raise ModelError(f"{where}: expected sizes from 0, got {list(shape)[:16]}")
    _check_claimed(shape, values.dtype, where)
    limits = shape if indices.ndim == 2 else (math.prod(shape),)
    places = indices if indices.ndim == 2 else indices.reshape(-1, 1)
    is_inside = places.shape == (values.size, len(limits)) and bool(
        ((places >= 0) & (places < np.array(limits))).all()
    )
    if not is_inside:
        raise ModelError(f"{where}: expected a place within {list(shape)[:16]} for each value")
    dense = np.zeros(limits, values.dtype)
    dense[tuple(places.T)] = values.reshape(-1)
    return dense.reshape(shape)


def _check_claimed(shape: tuple[int, ...], dtype: np.dtype[np.generic], where: str) -> None:
    """Raise ModelError for a large tensor whose elements no byte of the file stands for; a size of 0 counts as 1."""
    size_bytes = math.prod(max(size, 1) for size in shape) * dtype.itemsize
    if size_bytes > LARGEST_KNOWN_BYTES:
        raise ModelError(
            f"{where}: expected at most {LARGEST_KNOWN_BYTES:,} bytes, got shape {list(shape)[:16]} of {size_bytes:,}"
        )


def opsets_of(imports: Sequence[onnx.OperatorSetIdProto], name: str) -> dict[str, int]:
    """Domain -> version of its operators, of a model or of a function. The main domain is "".

    Raises UnsupportedError for one newer than the `onnx` package that is installed.
    """
    found = {_domain(entry.domain): entry.version for entry in imports}
    newest = onnx.defs.onnx_opset_version()
    version = found.setdefault("", newest)
    if not 1 <= version <= newest:
        raise UnsupportedError(
            f"{name}: expected operator set 1 to {newest}, got {version}"
            + ("; install a newer onnx package" if version > newest else "")
        )
    return found


def domain_of(node: onnx.NodeProto) -> str:
    """The domain of an operator, "" for the main one."""
    return _domain(node.domain)


def _domain(domain: str) -> str:
    return "" if domain == "ai.onnx" else domain


def array_of(
    tensor: TensorProto | onnx.SparseTensorProto, folder: Path | None, where: str
) -> Array:
    """The elements of a stored tensor, of whatever type; of a sparse one all.

    Raises ModelError for sizes that are not those of the data, UnsupportedError for elements that are no numbers.
    """
    if isinstance(tensor, onnx.SparseTensorProto):
        return _dense(tensor, folder, where)
    shape = tuple(tensor.dims)
    if any(size < 0 for size in shape) or tensor.HasField("segment"):
        raise ModelError(
            f"{where}: expected a whole tensor of sizes from 0, got {list(shape)[:16]}"
        )
    if tensor.data_type == TensorProto.STRING:
        return _strings(tensor, shape, where)
    dtype = numpy_dtype(tensor.data_type)
    if 0 in shape:
        _check_claimed(shape, dtype, where)
    if tensor.data_location == TensorProto.EXTERNAL:
        return _from_bytes(external_bytes(tensor, folder, where), tensor, shape, dtype, where)
    if tensor.HasField("raw_data"):
        return _from_bytes(tensor.raw_data, tensor, shape, dtype, where)
    try:
        return numpy_helper.to_array(tensor)
    except (TypeError, ValueError, KeyError, OverflowError) as error:
        raise ModelError(
            f"{where}: expected the elements of {name_of(tensor.data_type)}{list(shape)[:16]}, got others ({error})"
        ) from error


def _from_bytes(
    data: bytes,
    tensor: TensorProto,
    shape: tuple[int, ...],
    dtype: np.dtype[np.generic],
    where: str,
) -> Array:
    """A view of little-endian bytes; elements that share bytes are unpacked."""
    bits = _BITS.get(tensor.data_type, 8 * dtype.itemsize)
    expected = -(-math.prod(shape) * bits // 8)
    if len(data) != expected:
        raise ModelError(
            f"{where}: expected {expected:,} bytes for {name_of(tensor.data_type)}{list(shape)[:16]}, got {len(data):,}"
        )
    if tensor.data_type in _BITS:
        packed = TensorProto(dims=shape, data_type=tensor.data_type, raw_data=data)
        return numpy_helper.to_array(packed)
    return np.frombuffer(data, dtype.newbyteorder("<") if dtype.kind in "iuf" else dtype).reshape(
        shape
    )


def _strings(tensor: TensorProto, shape: tuple[int, ...], where: str) -> Array:
    if len(tensor.string_data) != math.prod(shape):
        raise ModelError(
            f"{where}: expected {math.prod(shape)} strings, got {len(tensor.string_data)}"
        )
    return np.array([*tensor.string_data], dtype=object).reshape(shape)


def shown(name: str) -> str:
    """A name of the file for messages: on one line, of sane length."""
    return visible(name if len(name) <= _LONGEST_NAME else f"...{name[-_LONGEST_NAME:]}")
