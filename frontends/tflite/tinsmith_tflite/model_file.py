"""The parts of a TFLite file as plain records, read with checked offsets; no meaning yet."""

import copy
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir.errors import ModelError, UnsupportedError
from tinsmith_ir.escape import visible

from tinsmith_tflite import builtin
from tinsmith_tflite.flatbuffer import Source, Table
from tinsmith_tflite.guess import seeming

FILE_IDENTIFIER = b"TFL3"
SCHEMA_VERSION = 3
MAX_RANK = 8
_LONGEST_NAME = 300
_LONGEST_SHOWN_NAME = 80
_CUSTOM_CODES = (32, 51)  # CUSTOM and DELEGATE
_DEPRECATED_CODE_LIMIT = 127


@dataclass(frozen=True)
class FileQuantization:
    """Scales and zero points as stored: unchecked, as many as the file has.

    details: the kind of other parameters, 0 if there are none, 2 for scales of blocks.
    """

    scales: tuple[float, ...]
    zero_points: tuple[int, ...]
    axis: int
    details: int


@dataclass(frozen=True)
class FileTensor:
    """A tensor as stored. `signature` is the shape with -1 for unknown, () if the file has none.

    index: by which operators name it. origin: for one of a called subgraph, what messages call it instead.
    """

    index: int
    name: str
    shape: tuple[int, ...]
    signature: tuple[int, ...]
    type_name: str
    buffer: int
    quantization: FileQuantization | None
    is_variable: bool
    is_sparse: bool
    origin: str = ""

    def __str__(self) -> str:
        """The tensor as messages name it."""
        return self.origin or f"tensor {self.index} {quoted(self.name)}"


@dataclass(frozen=True)
class FileOperator:
    """An operator as stored; inputs and outputs are indices of tensors, -1 for an absent input.

    custom_options: the bytes of a custom operator's attributes, in a form that only its author knows.
    intermediates: tensors that hold nothing but the scales of numbers inside of it.
    place: of which part of the file it is, if not of the first subgraph ("of subgraph 2").
    """

    index: int
    kind: str
    version: int
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    options_kind: str
    options: Table | None
    custom_options: NDArray[np.uint8] | None = None
    place: str = ""
    intermediates: tuple[int, ...] = ()

    def __str__(self) -> str:
        """The operator as messages name it."""
        return " ".join([f"operator {self.index} {self.kind}", *filter(None, [self.place])])


def made_operator(
    origin: FileOperator, kind: str, inputs: tuple[int, ...], outputs: tuple[int, ...]
) -> FileOperator:
    """An operator that the file does not have, of which all options are 0, as a part of what `origin` does."""
    place = " ".join(filter(None, [f"for {origin.kind}", origin.place]))
    return FileOperator(origin.index, kind, 1, inputs, outputs, "NONE", None, place=place)


class ModelFile:
    """A TFLite file, and the first of its subgraphs; see `subgraph` for the others.

    name: the file's name, for messages. data: its bytes, which stay referenced by the constants.
    Raises ModelError if this is no TFLite file of schema version 3.
    """

    def __init__(self, data: bytes, name: str) -> None:
        self.name = name
        self._source = Source(data, name)
        if not is_tflite(data):
            raise ModelError(
                f"{name}: expected a TFLite file, with {FILE_IDENTIFIER!r} at offset 4, got "
                + seeming(data)
            )
        self._model = self._source.table(0, "Model", "the model")
        version = self._model.integer("Version")
        if version != SCHEMA_VERSION:
            raise ModelError(
                f"{name}: expected TFLite schema version {SCHEMA_VERSION}, got {version}; convert "
                "the model again with a current TensorFlow"
            )
        self.subgraph_count: int = self._model.count("Subgraphs")
        self._buffers: dict[int, NDArray[np.uint8]] = {}
        self._enter(0)

    def subgraph(self, index: int) -> "ModelFile":
        """The same file, of which another subgraph is read; raises ModelError if there is none."""
        other = copy.copy(self)
        other._enter(index)
        return other

    def _enter(self, index: int) -> None:
        self._subgraph = self._model.item("Subgraphs", index, "SubGraph", "subgraph")
        self.inputs: tuple[int, ...] = self._subgraph.integers("Inputs")
        self.outputs: tuple[int, ...] = self._subgraph.integers("Outputs")
        self.tensor_count: int = self._subgraph.count("Tensors")
        self.operator_count: int = self._subgraph.count("Operators")
        self._tensors: dict[int, FileTensor] = {}
        self._next_tensor = self.tensor_count

    def spend(self, size_bytes: int) -> None:
        """Count memory or time that the file costs apart from reading it, see Source.spend."""
        self._source.spend(size_bytes, "weights")

    def allow_repeats(self) -> None:
        """Loops are unrolled from here on, see Source.allow_repeats."""
        self._source.allow_repeats()

    def absent_table(self, kind: str, where: str) -> Table:
        """What stands for a table that the file does not have, see Source.absent_table."""
        return self._source.absent_table(kind, where)

    def tensor(self, index: int) -> FileTensor:
        """Tensor `index` of the subgraph, read once; raises ModelError if there is none."""
        if index not in self._tensors:
            self._tensors[index] = self._read_tensor(index)
        return self._tensors[index]

    def add_tensor(self, tensor: FileTensor) -> int:
        """The index by which `tensor`, which is none of this subgraph, is known here from now on."""
        index = self._next_tensor
        self._next_tensor += 1
        self._tensors[index] = replace(tensor, index=index)
        return index

    def _read_tensor(self, index: int) -> FileTensor:
        table = self._subgraph.item("Tensors", index, "Tensor", "tensor")
        shape = table.integers("Shape")
        if len(shape) > MAX_RANK:
            raise ModelError(
                f"{self.name}: tensor {index}: expected at most {MAX_RANK} dimensions, got {len(shape)}"
            )
        quantization = table.table(
            "Quantization", "QuantizationParameters", f"quantization of tensor {index}"
        )
        return FileTensor(
            index=index,
            name=printable(table.text("Name")),
            shape=shape,
            signature=table.integers("ShapeSignature"),
            type_name=builtin.tensor_type_name(table.integer("Type")),
            buffer=table.integer("Buffer"),
            quantization=None if quantization is None else _quantization(quantization),
            is_variable=table.boolean("IsVariable"),
            is_sparse=table.has("Sparsity"),
        )

    def buffer(self, index: int) -> NDArray[np.uint8]:
        """The bytes of buffer `index`, read once; empty for a tensor computed at run time."""
        if index not in self._buffers:
            self._buffers[index] = self._read_buffer(index)
        return self._buffers[index]

    def _read_buffer(self, index: int) -> NDArray[np.uint8]:
        table = self._model.item("Buffers", index, "Buffer", "buffer")
        if table.integer("Offset") > 1:
            raise UnsupportedError(
                f"{self.name}: buffer {index}: data outside of the flatbuffer (a model of more than "
                "2 GB) is not supported"
            )
        return table.octets("Data")

    def operators(self) -> Iterator[FileOperator]:
        """The operators, in the order of execution."""
        for index, table in enumerate(self._subgraph.items("Operators", "Operator", "operator")):
            kind, version = self._code(table.integer("OpcodeIndex"))
            options = builtin.options_name(table.integer("BuiltinOptionsType"))
            yield FileOperator(
                index=index,
                kind=kind,
                version=version,
                inputs=table.integers("Inputs"),
                outputs=table.integers("Outputs"),
                options_kind=options,
                options=table.table(
                    "BuiltinOptions", options, f"options of operator {index} {kind}"
                ),
                custom_options=table.octets("CustomOptions")
                if kind.startswith("CUSTOM ")
                else None,
                intermediates=table.integers("Intermediates"),
            )

    def _code(self, index: int) -> tuple[str, int]:
        """Name and version of an operator code; the name of a custom one comes with its own.

        Old files have the code in a byte, new ones in an int32 beside it (the larger one counts).
        """
        table = self._model.item("OperatorCodes", index, "OperatorCode", "operator code")
        old, new = table.integer("DeprecatedBuiltinCode"), table.integer("BuiltinCode")
        if old < 0 or new < 0 or (old == _DEPRECATED_CODE_LIMIT and new == 0):
            raise ModelError(
                f"{self.name}: operator code {index}: expected a code of 0 or more, got {old}, {new}"
            )
        code, version = max(old, new), table.integer("Version")
        if code in _CUSTOM_CODES:
            return f"{builtin.operator_name(code)} '{printable(table.text('CustomCode'))}'", version
        return builtin.operator_name(code), version


def is_tflite(data: bytes) -> bool:
    """Whether `data` says of itself that it is a TFLite file; it may be damaged."""
    return data[4:8] == FILE_IDENTIFIER


def printable(text: str) -> str:
    """`text` as messages can show it: on one line, of sane length."""
    shown = text if len(text) <= _LONGEST_NAME else f"{text[:_LONGEST_NAME]}..."
    return visible(shown)


def quoted(name: str) -> str:
    """The name of a tensor for messages: the first of those that TFLite has merged by `;`."""
    if not name:
        return "without a name"
    first, *others = name.split(";")
    if len(first) > _LONGEST_SHOWN_NAME:
        first = f"...{first[-_LONGEST_SHOWN_NAME:]}"
    return f"'{first};...'" if others else f"'{first}'"


def _quantization(table: Table) -> FileQuantization:
    return FileQuantization(
        scales=table.reals("Scale"),
        zero_points=table.integers("ZeroPoint"),
        axis=table.integer("QuantizedDimension"),
        details=table.integer("DetailsType"),
    )
