"""A file under construction: tensors of values, constants that operators need, operators in their order."""

from dataclasses import dataclass, field, replace

import numpy as np
from tinsmith_ir.dtypes import DType
from tinsmith_ir.few_bits import packed
from tinsmith_ir.graph import Array, Graph, Value
from tinsmith_ir.types import Quantization, TensorType

from tinsmith_tflite.export.records import ModelRecord, OperatorRecord, Options, TensorRecord
from tinsmith_tflite.export.refusal import RefusalError

TYPE_NAMES = {
    DType.INT8: "INT8",
    DType.UINT8: "UINT8",
    DType.INT16: "INT16",
    DType.INT32: "INT32",
    DType.INT64: "INT64",
    DType.FLOAT32: "FLOAT32",
    DType.BOOL: "BOOL",
    DType.INT4: "INT4",
    DType.INT2: "INT4",  # TFLite 2.14 has none of two bits
}


@dataclass
class Writer:
    """The file of a graph, as far as it is written; every value keeps its name."""

    graph: Graph
    _tensors: list[TensorRecord] = field(default_factory=list[TensorRecord])
    _operators: list[OperatorRecord] = field(default_factory=list[OperatorRecord])
    _indices: dict[tuple[str, object], int] = field(default_factory=dict[tuple[str, object], int])
    _names: set[str] = field(default_factory=set[str])

    def __post_init__(self) -> None:
        """Keep the names of the graph for its values."""
        self._names.update(self.graph.values)

    def tensor(self, value: Value) -> int:
        """The index of a value's tensor, which is made at the first mention."""
        key = value.name, None
        if key not in self._indices:
            data = self.graph.constant(value)
            stored = None if data is None else _stored(data, value.type.dtype)
            self._indices[key] = self._add(_record(value.name, value.type, stored))
        return self._indices[key]

    def variable(self, value: Value) -> int:
        """The index of the tensor of a state that an operator keeps."""
        key = value.name, None
        if key not in self._indices:
            record = replace(_record(value.name, value.type, None), is_variable=True)
            self._indices[key] = self._add(record)
        return self._indices[key]

    def converted(self, value: Value, dtype: DType, quantization: Quantization | None) -> int:
        """The index of a tensor with the elements of a constant as `dtype`, of that quantization."""
        data = self.graph.constant(value)
        if data is None:
            return self.tensor(value)
        key = value.name, (dtype, quantization)
        if key not in self._indices:
            type_ = TensorType(value.type.shape, dtype, quantization)
            stored = _stored(data.astype(dtype.numpy), dtype)
            self._indices[key] = self._add(
                _record(self.name(f"{value.name}_{dtype.value}"), type_, stored)
            )
        return self._indices[key]

    def constant(self, name: str, array: Array, quantization: Quantization | None = None) -> int:
        """The index of a new constant; `name` is made unique."""
        dtype = next(dtype for dtype in DType if dtype.numpy == array.dtype)
        type_ = TensorType(array.shape, dtype, quantization)
        return self._add(_record(self.name(name), type_, _stored(array, dtype)))

    def between(self, name: str, type_: TensorType) -> int:
        """The index of a new tensor for what is computed inside; `name` is made unique."""
        return self._add(_record(self.name(name), type_, None))

    def inside(self, name: str, dtype: DType, quantization: Quantization | None) -> int:
        """The index of a new tensor without elements, which tells a quantization alone."""
        return self._add(TensorRecord(self.name(name), (0,), TYPE_NAMES[dtype], quantization))

    def operator(
        self,
        kind: str,
        version: int,
        inputs: tuple[int, ...],
        outputs: tuple[int, ...],
        options: Options | None,
        intermediates: tuple[int, ...] = (),
    ) -> None:
        """One operator more, which runs behind those before."""
        self._operators.append(
            OperatorRecord(kind, version, inputs, outputs, options, intermediates)
        )

    def name(self, wanted: str) -> str:
        """`wanted`, numbered where there is one already."""
        found, number = wanted, 0
        while found in self._names:
            number += 1
            found = f"{wanted}_{number}"
        self._names.add(found)
        return found

    def finish(self) -> ModelRecord:
        """The file, with the graph's inputs and outputs in their order."""
        inputs = tuple(self.tensor(value) for value in self.graph.inputs)
        outputs = tuple(self.tensor(value) for value in self.graph.outputs)
        return ModelRecord(
            self.graph.name, tuple(self._tensors), tuple(self._operators), inputs, outputs
        )

    def _add(self, record: TensorRecord) -> int:
        scales = () if record.quantization is None else record.quantization.scales
        for scale in scales:
            if float(np.float32(scale)) != scale:
                raise RefusalError(
                    f"a file has scales of float32, which scale {scale!r} of %{record.name} is not; quantize to "
                    f"{float(np.float32(scale))!r}"
                )
        self._tensors.append(record)
        return len(self._tensors) - 1


def _record(name: str, type_: TensorType, data: bytes | None) -> TensorRecord:
    return TensorRecord(name, type_.shape, TYPE_NAMES[type_.dtype], type_.quantization, data)


def _stored(data: Array, dtype: DType) -> bytes:
    if dtype.is_packed:
        return packed(data, DType.INT4).tobytes()
    return np.ascontiguousarray(data).tobytes()
