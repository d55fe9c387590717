"""Lists of tensors, which TensorFlow's recurrent layers collect their results in, followed during import.

A list is never a value: what is put into it and taken out of it are the tensors themselves. Where all
of it becomes one tensor, or comes from one, PACK or UNPACK do that.
"""

from collections.abc import Generator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from tinsmith_ir.errors import ModelError, UnsupportedError

from tinsmith_tflite.model_file import FileOperator, made_operator
from tinsmith_tflite.tensors import tensor_type
from tinsmith_tflite.values import Values

_RESERVE, _FROM, _GET, _SET, _STACK, _LENGTH = (
    f"CUSTOM 'FlexTensorList{name}'"
    for name in ("Reserve", "FromTensor", "GetItem", "SetItem", "Stack", "Length")
)
_OPERANDS = {_RESERVE: 2, _FROM: 2, _GET: 3, _SET: 3, _STACK: 2, _LENGTH: 1}
"""How many inputs; each has one output."""

LISTS = frozenset(_OPERANDS)
"""The operators that are understood here."""

_MOST_ELEMENTS = 1024  # which PACK and UNPACK take
_List = tuple[int | None, ...]
"""Of each element the tensor; None as long as nothing is in its place."""


@dataclass
class TensorLists:
    """The lists of a file, by the tensor that stands for each."""

    values: Values
    _lists: dict[int, _List] = field(default_factory=dict[int, _List])
    _shapes: dict[int, tuple[int, ...]] = field(default_factory=dict[int, tuple[int, ...]])

    def follow(self, operator: FileOperator) -> Generator[FileOperator, None, int | None]:
        """Give what is left to do of one of LISTS; return the tensor that is its result, if there is such a one.

        Raises ModelError for what contradicts itself, UnsupportedError for what only the run knows.
        """
        where = self._checked(operator)
        inputs, result = operator.inputs, operator.outputs[0]
        match operator.kind:
            case kind if kind == _RESERVE:
                count = _checked_count(self._integer(inputs[1]), where)
                self._define(result, (None,) * count, self.values.integers(inputs[0]))
            case kind if kind == _FROM:
                shape = self.values.shape(inputs[0])
                count = _checked_count(shape[0] if shape else 0, where)
                parts = [self._part(inputs[0], shape, number) for number in range(count)]
                yield made_operator(operator, "UNPACK", inputs[:1], tuple(parts))
                self._define(result, tuple(parts), shape[1:])
            case kind if kind == _SET:
                elements, at = self._place(operator, where)
                changed = (*elements[:at], inputs[2], *elements[at + 1 :])
                self._define(result, changed, self._shapes[inputs[0]])
            case kind if kind == _GET:
                elements, at = self._place(operator, where)
                return self._filled(operator, (elements[at],), inputs[2], where)[0]
            case kind if kind == _STACK:
                elements = self._filled(operator, self._list(inputs[0], where), inputs[1], where)
                yield made_operator(operator, "PACK", tuple(elements), (result,))
            case _:
                length = len(self._list(inputs[0], where))
                self.values.define_integers(result, np.array(length), str(operator))
        return None

    def _checked(self, operator: FileOperator) -> str:
        """How messages name an operator that has the operands which it must have."""
        where = f"{self.values.file.name}: {operator}"
        if operator.version != 1:
            raise UnsupportedError(f"{where}: expected version 1, got {operator.version}")
        count = _OPERANDS[operator.kind]
        if len(operator.inputs) != count or -1 in operator.inputs or len(operator.outputs) != 1:
            raise ModelError(
                f"{where}: expected {count} inputs and 1 output, got {len(operator.inputs)} and "
                f"{len(operator.outputs)}"
            )
        return where

    def _define(self, index: int, elements: _List, shape: tuple[int, ...]) -> None:
        """shape: of each element, with -1 for what is not known; () if nothing is."""
        self._lists[index] = elements
        self._shapes[index] = shape

    def _list(self, index: int, where: str) -> _List:
        if index not in self._lists:
            raise ModelError(
                f"{where}: expected a list that another operator gives, got {self.values.file.tensor(index)}"
            )
        return self._lists[index]

    def _integer(self, index: int) -> int:
        integers = self.values.integers(index)
        if len(integers) != 1:
            tensor = self.values.file.tensor(index)
            raise ModelError(f"{self.values.file.name}: {tensor}: expected one element")
        return integers[0]

    def _place(self, operator: FileOperator, where: str) -> tuple[_List, int]:
        """The list, and the index within it."""
        elements = self._list(operator.inputs[0], where)
        at = self._integer(operator.inputs[1])
        if not 0 <= at < len(elements):
            raise UnsupportedError(
                f"{where}: expected an index into a list of {len(elements)}, got {at} (lists do not grow)"
            )
        return elements, at

    def _part(self, index: int, shape: tuple[int, ...], number: int) -> int:
        """A new tensor for one row of tensor `index`."""
        tensor = self.values.file.tensor(index)
        part = replace(
            tensor,
            name=f"{tensor.name}_{number}",
            shape=shape[1:],
            signature=(),
            buffer=0,
            origin=f"row {number} of {tensor}",
        )
        return self.values.file.add_tensor(part)

    def _filled(
        self, operator: FileOperator, elements: _List, asked: int, where: str
    ) -> Sequence[int]:
        """`elements`, with zeros where nothing was put. asked: the shape that the operator has for an element."""
        if None not in elements:
            return [element for element in elements if element is not None]
        known = [self.values.shape(element) for element in elements if element is not None]
        shape = (*known, self.values.integers(asked), self._shapes[operator.inputs[0]])
        fixed = next((sizes for sizes in shape if sizes and min(sizes) > 0), None)
        if fixed is None:
            raise UnsupportedError(
                f"{where}: expected elements of known shape where nothing was put into the list"
            )
        tensor = self.values.file.tensor(operator.outputs[0])
        zeros = replace(tensor, name=f"{tensor.name}_zeros", shape=fixed, signature=(), buffer=0)
        type_ = tensor_type(zeros, self.values.file.name)
        place = self.values.file.add_tensor(zeros)
        data = np.zeros(fixed, type_.dtype.numpy)
        self.values.define(place, self.values.computed(zeros.name, type_, data))
        return [place if element is None else element for element in elements]


def _checked_count(count: int, where: str) -> int:
    if not 0 < count <= _MOST_ELEMENTS:
        raise UnsupportedError(
            f"{where}: expected a list of 1 to {_MOST_ELEMENTS:,} tensors, got {count:,}"
        )
    return count
