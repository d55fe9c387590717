"""Builds a Graph node by node; importers and tests use it."""

from collections.abc import Sequence

import numpy as np

from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Array, Constant, Graph, Location, Node, State, Value
from tinsmith_ir.operators.base import Operator
from tinsmith_ir.types import Quantization, TensorType
from tinsmith_ir.verify import verify_graph


class GraphBuilder:
    """Builds a Graph step by step; every value gets a name that is unique in it."""

    def __init__(self, name: str = "graph") -> None:
        """An empty graph called `name`."""
        self._name = name
        self._inputs: list[Value] = []
        self._constants: list[Constant] = []
        self._nodes: list[Node] = []
        self._states: dict[Value, Array] = {}
        self._nexts: dict[Value, Value] = {}
        self._names: set[str] = set()
        # No lower number is free, so that a name that comes often is not sought from 1 each time.
        self._counts: dict[str, int] = {}

    def input(self, name: str, type_: TensorType) -> Value:
        """Add a graph input."""
        value = Value(self._unique(name), type_)
        self._inputs.append(value)
        return value

    def constant(
        self,
        name: str,
        array: Array,
        quantization: Quantization | None = None,
        dtype: DType | None = None,
    ) -> Value:
        """Add a constant of the array's shape and dtype; raises ValueError for a dtype without a
        DType. dtype: i4 or i2, if an array of int8 is that.
        """
        value = self._value(name, array, quantization, dtype)
        is_fixed = not array.flags.writeable and array.flags.c_contiguous
        data = np.asarray(array) if is_fixed else np.array(array, array.dtype, order="C")
        self._constants.append(Constant(value, data))
        return value

    def state(self, name: str, initial: Array, quantization: Quantization | None = None) -> Value:
        """Add a value that is `initial` in the first run, and later what `keep` says; raises as `constant`."""
        value = self._value(name, initial, quantization)
        self._states[value] = np.array(initial, initial.dtype, order="C")
        return value

    def keep(self, state: Value, value: Value) -> None:
        """Let `state` be `value` in the next run; without this it stays as it is."""
        self._nexts[state] = value

    def add(
        self,
        operator: Operator,
        inputs: Sequence[Value | None],
        name: str | None = None,
        quantization: Quantization | None = None,
        location: Location = Location(),  # noqa: B008 (frozen)
    ) -> Value:
        """Add a node and return its result.

        name: of the result; the operator's mnemonic if not given. A taken name gets a number.
        quantization: of the result; if not given, what the operator infers.
        Raises GraphError when the operands do not fit together.
        """
        (inferred,) = operator.infer([value.type if value else None for value in inputs])
        chosen = inferred.quantization if quantization is None else quantization
        type_ = TensorType(inferred.shape, inferred.dtype, chosen)
        result = Value(self._unique(name or operator.mnemonic), type_)
        self._nodes.append(Node(operator, tuple(inputs), (result,), location))
        return result

    def add_all(
        self,
        operator: Operator,
        inputs: Sequence[Value | None],
        name: str | None = None,
        location: Location = Location(),  # noqa: B008 (frozen)
    ) -> tuple[Value, ...]:
        """Add a node and return its results, quantized as the operator infers; see `add`."""
        inferred = operator.infer([value.type if value else None for value in inputs])
        chosen = name or operator.mnemonic
        results = tuple(Value(self._unique(chosen), type_) for type_ in inferred)
        self._nodes.append(Node(operator, tuple(inputs), results, location))
        return results

    def build(self, outputs: Sequence[Value] | Value) -> Graph:
        """The graph that returns `outputs`; raises GraphError if it breaks a rule."""
        chosen = (outputs,) if isinstance(outputs, Value) else tuple(outputs)
        graph = Graph(
            self._name,
            tuple(self._inputs),
            chosen,
            tuple(self._nodes),
            tuple(self._constants),
            tuple(
                State(value, initial, self._nexts.get(value, value))
                for value, initial in self._states.items()
            ),
        )
        verify_graph(graph)
        return graph

    def _value(
        self,
        name: str,
        array: Array,
        quantization: Quantization | None,
        dtype: DType | None = None,
    ) -> Value:
        type_ = TensorType(array.shape, dtype or dtype_of(array), quantization)
        return Value(self._unique(name), type_)

    def _unique(self, name: str) -> str:
        candidate, count = name, self._counts.get(name, 0)
        while candidate in self._names:
            count += 1
            candidate = f"{name}_{count}"
        self._names.add(candidate)
        self._counts[name] = count
        return candidate


def dtype_of(array: Array) -> DType:
    """The DType of a numpy array; raises ValueError if there is none."""
    for dtype in DType:
        if dtype.numpy == array.dtype:
            return dtype
    raise ValueError(f"expected a dtype of the IR, got {array.dtype}")
