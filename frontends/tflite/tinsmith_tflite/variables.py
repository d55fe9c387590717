"""Variables of TFLite, which operators read and write in their order, as states of a graph, which all change at once.

What an operator reads is the state, or what was assigned before it in the same run. What was assigned last is next.
"""

from dataclasses import dataclass, field

import numpy as np
from tinsmith_ir.errors import ModelError, UnsupportedError
from tinsmith_ir.graph import Array, State, Value
from tinsmith_ir.printer import print_type

from tinsmith_tflite.context import options_of
from tinsmith_tflite.model_file import FileOperator, FileTensor, ModelFile, printable
from tinsmith_tflite.tensors import tensor_type
from tinsmith_tflite.unsigned import is_unsigned, recentred_data
from tinsmith_tflite.values import Values

_ONCE, _HANDLE, _READ, _ASSIGN = "CALL_ONCE", "VAR_HANDLE", "READ_VARIABLE", "ASSIGN_VARIABLE"

KINDS = frozenset({_ONCE, _HANDLE, _READ, _ASSIGN})
"""The operators that are understood here; they become no nodes."""

_HIGHEST_VERSION = 1
_OPERANDS = {_ONCE: (0, 0), _HANDLE: (0, 1), _READ: (1, 1), _ASSIGN: (2, 0)}
"""How many inputs and outputs."""

_Key = tuple[str, str]
"""Container and name of a variable, by which handles in all subgraphs find it."""


@dataclass
class _Variable:
    """initial: what it is at first; None before anything said so. state: of the graph, once it is read.

    now: what it holds in the run at this operator; None as long as that is the state.
    """

    name: str
    initial: tuple[FileTensor, Array] | None = None
    state: Value | None = None
    now: Value | None = None


@dataclass
class Variables:
    """The variables of a file, operator after operator of its first subgraph."""

    values: Values
    _variables: dict[_Key, _Variable] = field(default_factory=dict[_Key, _Variable])
    _handles: dict[int, _Variable] = field(default_factory=dict[int, _Variable])

    def add(self, operator: FileOperator) -> None:
        """Follow one of KINDS; what a READ_VARIABLE gives is defined then.

        Raises ModelError for what contradicts itself, UnsupportedError for what a state cannot be.
        """
        file = self.values.file
        where = _checked(file, operator)
        match operator.kind:
            case "CALL_ONCE":
                self._begin(operator, where)
            case "VAR_HANDLE":
                self._handles[operator.outputs[0]] = self._variable(file, operator)
            case "READ_VARIABLE":
                self._read(operator, where)
            case _:
                variable = self._of(self._handles, operator, where)
                variable.now = self.values.value(operator.inputs[1])

    def states(self) -> tuple[State, ...]:
        """Of the variables that are read, in the order of their first mention."""
        found: list[State] = []
        for variable in self._variables.values():
            if variable.state is not None:
                assert variable.initial is not None  # or it could not be read
                now = variable.now or variable.state
                self._check_type(variable, now)
                found.append(State(variable.state, variable.initial[1], now))
        return tuple(found)

    def _begin(self, operator: FileOperator, where: str) -> None:
        """Take what a subgraph assigns to variables when the network is begun."""
        file = self.values.file
        if any(variable.state or variable.now for variable in self._variables.values()):
            raise UnsupportedError(f"{where}: expected it before variables are read and assigned")
        index = options_of(file, operator, "CallOnceOptions").integer("InitSubgraphIndex")
        if not 0 < index < file.subgraph_count:
            raise ModelError(
                f"{where}: expected a subgraph from 1 to {file.subgraph_count - 1}, got {index}"
            )
        subgraph = file.subgraph(index)
        handles: dict[int, _Variable] = {}
        for inner in subgraph.operators():
            place = f"{file.name}: subgraph {index}: {inner}"
            if inner.kind not in (_HANDLE, _ASSIGN):
                raise UnsupportedError(
                    f"{place}: expected variables to begin as constants, got {inner.kind}"
                )
            _checked(subgraph, inner)
            if inner.kind == _HANDLE:
                handles[inner.outputs[0]] = self._variable(subgraph, inner)
                continue
            tensor = subgraph.tensor(inner.inputs[1])
            self._of(handles, inner, place).initial = tensor, _constant(subgraph, tensor, place)

    def _variable(self, file: ModelFile, handle: FileOperator) -> _Variable:
        options = options_of(file, handle, "VarHandleOptions")
        name = options.text("SharedName")
        return self._variables.setdefault(
            (options.text("Container"), name), _Variable(printable(name))
        )

    def _of(self, handles: dict[int, _Variable], operator: FileOperator, where: str) -> _Variable:
        if operator.inputs[0] not in handles:
            raise ModelError(
                f"{where}: expected a variable that a VAR_HANDLE gives, got tensor {operator.inputs[0]}"
            )
        return handles[operator.inputs[0]]

    def _read(self, operator: FileOperator, where: str) -> None:
        variable = self._of(self._handles, operator, where)
        (index,) = operator.outputs
        given = self.values.new(index, str(operator))
        if variable.now is None and variable.state is None:
            if variable.initial is None:
                raise ModelError(
                    f"{where}: expected variable '{variable.name}' to hold something, got one that no CALL_ONCE begins"
                )
            tensor, data = variable.initial
            if (data.shape, data.dtype) != (given.type.shape, given.type.dtype.numpy):
                raise ModelError(
                    f"{where}: expected {print_type(given.type)}, got a variable that begins as {tensor}"
                )
            variable.state = given
        held = variable.now or variable.state
        assert held is not None  # one of the two is by now
        if held.type != given.type:
            raise UnsupportedError(_differing(where, variable, given, held))
        self.values.define(index, held)

    def _check_type(self, variable: _Variable, now: Value) -> None:
        assert variable.state is not None  # the caller asked
        if now.type != variable.state.type:
            where = self.values.file.name
            raise UnsupportedError(_differing(where, variable, variable.state, now))


def _differing(where: str, variable: _Variable, wanted: Value, got: Value) -> str:
    return (
        f"{where}: expected variable '{variable.name}' to hold one type, read as {print_type(wanted.type)}, "
        f"got {print_type(got.type)}"
    )


def _checked(file: ModelFile, operator: FileOperator) -> str:
    """How messages name an operator, whose version and operands are what they must be."""
    where = f"{file.name}: {operator}"
    if operator.version != _HIGHEST_VERSION:
        raise UnsupportedError(f"{where}: expected version 1, got {operator.version}")
    inputs, outputs = _OPERANDS[operator.kind]
    if (len(operator.inputs), len(operator.outputs)) != (inputs, outputs):
        raise ModelError(
            f"{where}: expected {inputs} inputs and {outputs} outputs, got {len(operator.inputs)} and "
            f"{len(operator.outputs)}"
        )
    return where


def _constant(file: ModelFile, tensor: FileTensor, where: str) -> Array:
    type_ = tensor_type(tensor, file.name)
    data = file.buffer(tensor.buffer)
    if len(data) != type_.size_bytes:
        raise UnsupportedError(
            f"{where}: expected variables to begin as constants, got {tensor}, of which the file has "
            f"{len(data)} of {type_.size_bytes} bytes"
        )
    array = np.frombuffer(data, type_.dtype.numpy).reshape(type_.shape)
    return recentred_data(array) if is_unsigned(type_) else array
