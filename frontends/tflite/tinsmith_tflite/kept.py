"""Variable tensors, which an operator reads as operands and changes, as states of a graph.

TFLite begins them as their zero point, whatever the file holds, and keeps what the last operator left in them.
"""

from dataclasses import dataclass

import numpy as np
from tinsmith_ir.errors import ModelError, UnsupportedError
from tinsmith_ir.graph import State, Value
from tinsmith_ir.printer import print_type
from tinsmith_ir.types import TensorType

from tinsmith_tflite.model_file import FileTensor


@dataclass
class _KeptTensor:
    """state: what the tensor holds when a run begins. now: what it holds after the operators so far."""

    state: Value
    now: Value


class KeptTensors:
    """The variable tensors of a file, operator after operator."""

    def __init__(self) -> None:
        self._tensors: dict[int, _KeptTensor] = {}

    def known(self, index: int) -> Value | None:
        """What a tensor holds by now; None before `begin`."""
        tensor = self._tensors.get(index)
        return None if tensor is None else tensor.now

    def begin(self, index: int, state: Value) -> None:
        """Let a tensor be a state that nothing has changed yet."""
        self._tensors[index] = _KeptTensor(state, state)

    def change(self, index: int, value: Value, where: str) -> None:
        """From here on a tensor that was begun holds `value`; raises UnsupportedError if that is of another type."""
        tensor = self._tensors[index]
        if value.type != tensor.state.type:
            raise UnsupportedError(
                f"{where}: expected a variable tensor to hold one type, {print_type(tensor.state.type)}, got "
                f"{print_type(value.type)}"
            )
        tensor.now = value

    def states(self) -> tuple[State, ...]:
        """All of them, in the order of their first use."""
        return tuple(
            State(tensor.state, _zeros(tensor.state.type), tensor.now)
            for tensor in self._tensors.values()
        )


def check_variable(tensor: FileTensor, where: str, *, has_data: bool) -> None:
    """Raise ModelError for a tensor that no operator may change."""
    if not tensor.is_variable:
        raise ModelError(f"{where}: expected a variable tensor, got {tensor}, which is none")
    if has_data:
        raise UnsupportedError(
            f"{where}: expected a variable tensor without data, which TFLite does not read, got {tensor}"
        )


def _zeros(type_: TensorType) -> np.ndarray[tuple[int, ...], np.dtype[np.generic]]:
    zero_point = 0 if type_.quantization is None else type_.quantization.zero_point
    return np.full(type_.shape, zero_point, type_.dtype.numpy)
