"""Tensors without elements, which stand at the borders of loops: what comes before the first row, or behind the last.

No value is made of them; where they are joined with others, they are left out.
"""

from collections.abc import Sequence
from dataclasses import replace

from tinsmith_tflite.model_file import FileOperator
from tinsmith_tflite.values import Values

_SLICE, _JOIN = "SLICE", "CONCATENATION"


class EmptyTensors:
    """Which tensors are empty, followed operator by operator."""

    def __init__(self, values: Values) -> None:
        self._values = values
        self._empty: set[int] = set()

    def without(self, operator: FileOperator) -> FileOperator | None:
        """`operator` without operands that add nothing; None if its result is empty and nothing is left to do."""
        if operator.kind == _SLICE and self._takes_nothing(operator.inputs):
            self._empty.update(operator.outputs)
            return None
        if operator.kind != _JOIN or self._empty.isdisjoint(operator.inputs):
            return operator
        kept = tuple(index for index in operator.inputs if index not in self._empty)
        if not kept:
            self._empty.update(operator.outputs)
            return None
        return replace(operator, inputs=kept)

    def _takes_nothing(self, inputs: Sequence[int]) -> bool:
        """Whether a SLICE by constants takes no element."""
        values = self._values
        if len(inputs) != 3 or -1 in inputs or not all(map(values.is_constant, inputs[1:])):
            return False
        begins, sizes = (values.integers(index) for index in inputs[1:])
        if 0 in sizes:
            return True
        lengths = values.shape(inputs[0]) if -1 in sizes else ()
        return any(
            size == -1 and begin == length
            for begin, size, length in zip(begins, sizes, lengths, strict=False)
        )
