"""What a rule sees of one operator of the file: operands, attributes, and where it is, for messages."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import cast

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import AttributeProto, defs
from tinsmith_ir.errors import ModelError, UnsupportedError
from tinsmith_ir.graph import Array
from tinsmith_tensors import Composer, Tensor

from tinsmith_onnx.model_file import array_of, domain_of, shown

_REQUIRED = object()
_LONGEST_LIST = 1 << 16
"""Of sizes, axes, places and such."""


@dataclass(frozen=True, eq=False)
class TensorList:
    """A sequence of the format, of tensors of any shapes: a list while importing, nothing in the graph."""

    tensors: tuple[Tensor, ...]


Item = Tensor | TensorList
"""What a name of the file stands for."""
Subgraph = Callable[[onnx.GraphProto, Mapping[str, Item]], list[Item]]
"""Imports a graph inside of an attribute: given its inputs by name, its outputs in order."""


class NotKnownError(UnsupportedError):
    """An operand that has to be known while importing is computed. operand: its name in the file."""

    def __init__(self, text: str, operand: str) -> None:
        super().__init__(text)
        self.operand = operand


@dataclass(frozen=True, eq=False)
class OperatorContext:
    """One operator of the file.

    c: what the graph is composed with. operands: its inputs, None for those left out. version: that of its operator
    set. model: the file's name. subgraph: how graphs in its attributes are imported.
    read: the array of a stored tensor. declared: the element type that the file says of a name, 0 if it says none.
    """

    c: Composer
    node: onnx.NodeProto
    operands: Sequence[Item | None]
    version: int
    model: str
    subgraph: Subgraph
    read: Callable[[onnx.TensorProto | onnx.SparseTensorProto, str], Array] = field(
        default=lambda tensor, where: array_of(tensor, None, where)
    )
    declared: Callable[[str], int] = field(default=lambda _: 0)

    @property
    def where(self) -> str:
        """Model, operator and its first result, for messages."""
        return f"{self.model}: {self.subject}"

    @property
    def subject(self) -> str:
        """Operator and its first result."""
        return describe(self.node)

    # Operands

    def has(self, position: int) -> bool:
        """Whether that operand is there."""
        return position < len(self.operands) and self.operands[position] is not None

    def tensor(self, position: int) -> Tensor:
        """An operand; raises ModelError if it is left out."""
        found = self.optional(position)
        if found is None:
            raise ModelError(f"{self.where}: expected an operand {position}, got none")
        return found

    def optional(self, position: int) -> Tensor | None:
        """An operand, or None if it is left out; raises ModelError for a sequence."""
        found = self.operands[position] if position < len(self.operands) else None
        if isinstance(found, TensorList):
            raise self.error(f"expected a tensor as operand {position}, got a sequence")
        return found

    def item(self, position: int) -> Item:
        """An operand, which may be a sequence; raises ModelError if it is left out."""
        found = self.operands[position] if position < len(self.operands) else None
        return self.tensor(position) if found is None else found

    def sequence(self, position: int) -> tuple[Tensor, ...]:
        """The tensors of a sequence; raises ModelError for what is none."""
        found = self.item(position)
        if not isinstance(found, TensorList):
            raise self.error(f"expected a sequence as operand {position}, got a tensor")
        return found.tensors

    def element_type(self, position: int) -> int:
        """What the file declares an operand's elements to be, which may be narrower than in a graph; 0 if nothing."""
        return self.declared(self.node.input[position])

    def present(self) -> list[Tensor]:
        """The operands that are there; raises ModelError for none."""
        operands = map(self.optional, range(len(self.operands)))
        found = [operand for operand in operands if operand is not None]
        if not found:
            raise ModelError(f"{self.where}: expected operands, got none")
        return found

    def broadcasting(self, *positions: int) -> list[Tensor]:
        """Operands whose shapes broadcast with each other; raises ModelError for one that is left out, or does not."""
        found = [self.tensor(position) for position in positions]
        self.broadcast_shape(*(each.shape for each in found))
        return found

    def broadcast_shape(self, *shapes: Sequence[int]) -> tuple[int, ...]:
        """What shapes become that broadcast with each other; raises ModelError for those that do not."""
        try:
            return np.broadcast_shapes(*map(tuple, shapes))
        except ValueError:
            given = ", ".join(str(list(shape)[:16]) for shape in shapes)
            raise self.error(
                f"expected shapes that broadcast with each other, got {given}"
            ) from None

    def known(self, position: int) -> Array:
        """The elements of an operand that the operator of the graph has as an attribute.

        Raises NotKnownError if it is computed.
        """
        array = self.c.data(self.tensor(position))
        if array is None:
            name = self.node.input[position]
            raise NotKnownError(
                f"{self.where}: expected operand {position} {shown(name)!r} to be known while importing, got a "
                "computed one; if it is an input of the model, give its value",
                name,
            )
        return array

    def integers_of(self, position: int) -> tuple[int, ...]:
        """The elements of such an operand, one after the other, as integers.

        Raises UnsupportedError for more than such a list ever has.
        """
        array = self.known(position)
        if array.size > _LONGEST_LIST:
            raise self.unsupported(
                f"expected at most {_LONGEST_LIST:,} integers as operand {position}, got {array.size:,}"
            )
        return tuple(int(element) for element in array.reshape(-1).tolist())

    def number_of(self, position: int) -> float:
        """The only element of such an operand."""
        array = self.known(position)
        if array.size != 1:
            raise ModelError(
                f"{self.where}: expected one number as operand {position}, got shape {list(array.shape)}"
            )
        return float(array.reshape(-1)[0])

    def wants(self, position: int) -> bool:
        """Whether that result has a name, so that something may read it."""
        return position < len(self.node.output) and bool(self.node.output[position])

    # Attributes

    def has_attribute(self, name: str) -> bool:
        """Whether the file says it."""
        return name in self._attributes

    def integer(self, name: str, default: object = _REQUIRED) -> int:
        """An attribute; if the file does not say it, `default`, or the one of the operator's definition."""
        value = self._value(name, AttributeProto.INT, default)
        assert isinstance(value, int)
        return value

    def real(self, name: str, default: object = _REQUIRED) -> float:
        """A float32, as Python's float."""
        value = self._value(name, AttributeProto.FLOAT, default)
        assert isinstance(value, float)
        return value

    def text(self, name: str, default: object = _REQUIRED) -> str:
        """A string."""
        value = self._value(name, AttributeProto.STRING, default)
        return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)

    def integers(self, name: str, default: object = _REQUIRED) -> tuple[int, ...]:
        """A list of integers."""
        value = cast("Sequence[int]", self._value(name, AttributeProto.INTS, default))
        return tuple(int(element) for element in value)

    def reals(self, name: str, default: object = _REQUIRED) -> tuple[float, ...]:
        """A list of float32."""
        value = cast("Sequence[float]", self._value(name, AttributeProto.FLOATS, default))
        return tuple(float(element) for element in value)

    def texts(self, name: str, default: object = _REQUIRED) -> tuple[str, ...]:
        """A list of strings."""
        value = cast("Sequence[object]", self._value(name, AttributeProto.STRINGS, default))
        return tuple(
            element.decode("utf-8", "replace") if isinstance(element, bytes) else str(element)
            for element in value
        )

    def array(self, name: str) -> Array:
        """The elements of a tensor."""
        return self.read(self._attribute(name, AttributeProto.TENSOR).t, f"{self.where} {name}")

    def sparse_array(self, name: str) -> Array:
        """All elements of a sparse tensor."""
        attribute = self._attribute(name, AttributeProto.SPARSE_TENSOR)
        return self.read(attribute.sparse_tensor, f"{self.where} {name}")

    def graph(self, name: str) -> onnx.GraphProto:
        """A graph inside of the operator."""
        return self._attribute(name, AttributeProto.GRAPH).g

    def axis(self, axis: int, rank: int) -> int:
        """`axis` counted from the front; raises ModelError if there is no such."""
        if not -rank <= axis < rank:
            raise self.error(f"expected an axis in [{-rank}, {rank - 1}], got {axis}")
        return axis % rank

    def axes(self, position: int, name: str = "axes") -> tuple[int, ...] | None:
        """Axes that newer versions take as an operand and older ones as an attribute; None if neither says any."""
        if self.has(position):
            return self.integers_of(position)
        return self.integers(name) if self.has_attribute(name) else None

    # Errors

    def error(self, text: str) -> ModelError:
        """An error about an operator that contradicts itself."""
        return ModelError(f"{self.where}: {text}")

    def unsupported(self, text: str) -> UnsupportedError:
        """An error about what ONNX has here and Tinsmith does not."""
        return UnsupportedError(f"{self.where}: {text}")

    @cached_property
    def _attributes(self) -> Mapping[str, AttributeProto]:
        return {attribute.name: attribute for attribute in self.node.attribute}

    @cached_property
    def _schema(self) -> defs.OpSchema | None:
        return schema_of(self.node.op_type, self.version, domain_of(self.node))

    def _attribute(self, name: str, kind: AttributeProto.AttributeType) -> AttributeProto:
        attribute = self._attributes.get(name)
        if attribute is None:
            raise self.error(f"expected an attribute {name!r}, got none")
        if attribute.type != kind:
            expected, got = (
                AttributeProto.AttributeType.Name(each) for each in (kind, attribute.type)
            )
            raise self.error(f"expected attribute {name!r} of type {expected}, got {got}")
        return attribute

    def _value(self, name: str, kind: AttributeProto.AttributeType, default: object) -> object:
        if name in self._attributes:
            return onnx.helper.get_attribute_value(self._attribute(name, kind))
        if default is not _REQUIRED:
            return default
        if self._schema is None:
            raise self.error(
                f"expected attribute {name!r}, or an opset in which {self.node.op_type} has a default for it, got "
                f"opset {self.version}"
            )
        defined = self._schema.attributes.get(name)
        if defined is None or not defined.default_value.name:
            raise self.error(f"expected an attribute {name!r}, got none")
        return onnx.helper.get_attribute_value(defined.default_value)


def schema_of(kind: str, version: int, domain: str) -> defs.OpSchema | None:
    """The definition of an operator in that version of its set; None if the `onnx` package has none."""
    try:
        return defs.get_schema(kind, version, domain)
    except defs.SchemaError:
        return None


@dataclass(frozen=True)
class Definition:
    """What a node of an operator may have."""

    attributes: frozenset[str]
    most_operands: int


@cache
def definition_of(kind: str, version: int, domain: str) -> Definition | None:
    """Of an operator in that version of its set; None if the `onnx` package has none."""
    schema = schema_of(kind, version, domain)
    return schema and Definition(frozenset(schema.attributes), schema.max_input)


def describe(node: onnx.NodeProto) -> str:
    """An operator and its first result, for messages and locations."""
    domain = domain_of(node)
    kind = shown(f"{domain}.{node.op_type}" if domain else node.op_type)
    result = next((name for name in node.output if name), "")
    return f"{kind} {shown(result)!r}" if result else kind


def as_integers(array: Array) -> NDArray[np.int64]:
    """Known elements as int64."""
    return np.asarray(array, np.int64)
