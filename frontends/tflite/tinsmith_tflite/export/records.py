"""What a file holds, as plain records; `schema.py` makes bytes of them."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from tinsmith_ir.types import Quantization

OptionValue = int | float | bool | tuple[int, ...]


@dataclass(frozen=True)
class Options:
    """An options table: its name in the schema, and its fields in the schema's CamelCase."""

    table: str
    fields: Mapping[str, OptionValue] = field(default_factory=dict[str, OptionValue])


@dataclass(frozen=True)
class TensorRecord:
    """A tensor. data: of a constant, as stored, two integers of four bits to a byte; None of what is computed.

    type_name: as the schema has it, such as INT8.
    """

    name: str
    shape: tuple[int, ...]
    type_name: str
    quantization: Quantization | None = None
    data: bytes | None = None
    is_variable: bool = False


@dataclass(frozen=True)
class OperatorRecord:
    """An operator; tensors by their index, -1 for an absent one."""

    kind: str
    version: int
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    options: Options | None = None
    intermediates: tuple[int, ...] = ()


@dataclass(frozen=True)
class ModelRecord:
    """A model of one subgraph. inputs, outputs: tensors by their index."""

    name: str
    tensors: tuple[TensorRecord, ...]
    operators: tuple[OperatorRecord, ...]
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
