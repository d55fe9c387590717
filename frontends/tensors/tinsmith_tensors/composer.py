"""A graph while it is composed: tensors that are known or computed, and operators applied to them.

A tensor is known when its elements are: constants of the file and whatever follows from them, such as the shapes that
exporters compute. Known tensors are NumPy arrays of any element type, and become constants of the graph only where an
operator of the graph reads them. All others are values of the graph.
"""

import math
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir.builder import GraphBuilder
from tinsmith_ir.dtypes import DType
from tinsmith_ir.errors import UnsupportedError
from tinsmith_ir.evaluate import evaluate_node
from tinsmith_ir.graph import Array, Graph, Location, Node, Value
from tinsmith_ir.names import Names
from tinsmith_ir.operators import Cast, Dequantize, Mul, Operator, Reshape, Trait
from tinsmith_ir.types import Quantization, TensorType

from tinsmith_tensors.element_types import graph_dtype

LARGEST_TENSOR_BYTES = 1 << 28
"""Of one computed tensor: more than microcontrollers have."""
LARGEST_KNOWN_BYTES = 1 << 24
"""Of one known tensor that is made while composing, or of what helps to make one, unless a file is large."""
_MOST_KNOWN_BYTES = 1 << 27
"""Of all known tensors that are made, unless a file is large."""
_KNOWN_TO_FILE = 4
_MOST_KNOWN_TO_FILE = 32
"""How much larger than a large file the same may be: weights of 8 bits become float32 on a way of several steps."""
_MOST_OPERATORS = 1 << 16
_MOST_WORK = 1 << 27
"""Products of two known elements, in one sum of products; fewer than a second."""
LARGEST_FLOAT = float(np.finfo(np.float32).max)
"""Of the finite ones, of float32."""
_MOST_FOLDED_WORK = 1 << 22
"""Of one operator on known tensors; what costs more is left to the graph."""


@dataclass(frozen=True, eq=False)
class Integers:
    """Integers that stand for numbers of float32: scales * (array - zero_point).

    array: int8, or int16 around 0. scales: float32, of as many axes, each as long as there or 1.
    """

    array: Array
    scales: NDArray[np.float32]
    zero_point: int

    def moved(self, move: Callable[[Array], Array]) -> "Integers":
        """The same in other places. move: gives each place of its result an element of an array of that shape."""
        scales = np.broadcast_to(self.scales, self.array.shape)
        return Integers(
            np.asarray(move(self.array), order="C"), _shortened(move(scales)), self.zero_point
        )


def _shortened(scales: Array) -> NDArray[np.float32]:
    """Of length 1 along each axis on which they do not depend."""
    for axis in range(scales.ndim):
        first = scales.take([0], axis)
        if bool((scales == first).all()):
            scales = first
    return np.asarray(scales, np.float32)


@dataclass(frozen=True, eq=False)
class Tensor:
    """A tensor of fixed shape. array: its elements, if they are known; else value: what the graph calls it.

    hint: what a constant of the array is called. integers: of a known tensor of float32, what stands for the elements
    in the file. Functions that only move elements keep them; in the graph they are a constant of int8, dequantized.
    """

    array: Array | None = None
    value: Value | None = None
    hint: str = "constant"
    integers: Integers | None = None

    @property
    def is_known(self) -> bool:
        """Whether the elements are known while composing."""
        return self.array is not None

    @property
    def shape(self) -> tuple[int, ...]:
        """Sizes of all axes; a known tensor may have no elements, a computed one always has some."""
        return self.type.shape if self.array is None else self.array.shape

    @property
    def rank(self) -> int:
        """How many axes."""
        return len(self.shape)

    @property
    def elements(self) -> int:
        """How many elements."""
        return math.prod(self.shape)

    @property
    def dtype(self) -> np.dtype[np.generic]:
        """Of the elements, in NumPy's terms."""
        return self.type.dtype.numpy if self.array is None else self.array.dtype

    @property
    def type(self) -> TensorType:
        """Of a computed tensor; of a known one what it would have as a constant."""
        if self.value is not None:
            return self.value.type
        assert self.array is not None
        return TensorType(self.array.shape, _dtype(self.array))

    @property
    def quantization(self) -> Quantization | None:
        """Of a computed tensor; known ones are plain numbers."""
        return None if self.value is None else self.value.type.quantization

    @property
    def is_float(self) -> bool:
        """Whether elements are floating-point numbers."""
        return self.dtype.kind == "f" or (
            self.dtype.kind == "V" and graph_dtype(self.dtype) is DType.FLOAT32
        )


class Composer:
    """Composes one graph. Functions of this library take it as their first argument."""

    def __init__(self, name: str, file_bytes: int = 0) -> None:
        """An empty graph called `name`. file_bytes: of the file that it comes from; a known tensor made of a large one
        may take four times as much.
        """
        self._largest_known_bytes = max(LARGEST_KNOWN_BYTES, _KNOWN_TO_FILE * file_bytes)
        self._most_known_bytes = max(_MOST_KNOWN_BYTES, _MOST_KNOWN_TO_FILE * file_bytes)
        self._builder = GraphBuilder(name)
        self._names = Names()
        self._constants: dict[int, tuple[Array, Value]] = {}
        self._data: dict[str, Array] = {}
        self._computed: set[str] = set()
        self._bounded: dict[int, tuple[Array | None, Array]] = {}
        self._known_bytes = 0
        self._moved_bytes = 0
        self._operators = 0
        self._remarks: dict[str, int] = {}
        self._location = Location()
        self._hint = "value"

    @property
    def remarks(self) -> Sequence[str]:
        """What a user should know of the graph, and how often it came to pass."""
        return [f"{text} ({count} times)" for text, count in self._remarks.items()]

    def remark(self, text: str) -> None:
        """Let `remarks` tell of this."""
        self._remarks[text] = self._remarks.get(text, 0) + 1

    @contextmanager
    def at(self, location: Location, hint: str) -> Generator[None]:
        """Let nodes made inside come from `location`, and be called after `hint`."""
        before = self._location, self._hint
        self._location, self._hint = location, hint
        try:
            yield
        finally:
            self._location, self._hint = before

    def input(self, name: str, type_: TensorType) -> Tensor:
        """An input of the graph. name: as a source calls it."""
        _check_size(type_)
        return Tensor(value=self._builder.input(self._names.unique(name), type_))

    def state(self, name: str, initial: Array, quantization: Quantization | None = None) -> Tensor:
        """A value kept from run to run; `keep` says what it is next."""
        return Tensor(value=self._builder.state(self._names.unique(name), initial, quantization))

    def keep(self, state: Tensor, tensor: Tensor) -> None:
        """Let `state` be `tensor` in the next run."""
        assert state.value is not None
        self._builder.keep(state.value, self.value(tensor))

    def known(self, array: Array, hint: str = "") -> Tensor:
        """A tensor whose elements are known. hint: its name as a constant.

        Raises UnsupportedError if known tensors take too much memory in all; what a file holds does not count. And for
        one without elements whose axes are too long.
        """
        self._known_bytes = self._more_bytes(self._known_bytes, array)
        return Tensor(array=np.asarray(array), hint=hint or self._hint)

    def moved(self, array: Array, hint: str) -> Tensor:
        """Elements of a known tensor in other places, as known ones; raises as `known`.

        They are counted by themselves: weights are there as operators read them beside those in the order of the file.
        """
        self._moved_bytes = self._more_bytes(self._moved_bytes, array)
        return Tensor(array=array, hint=hint)

    def _more_bytes(self, before: int, array: Array) -> int:
        if array.size == 0:
            self.check_known_size(array.shape, array.dtype.itemsize)
        if before + array.nbytes > self._most_known_bytes:
            raise UnsupportedError(
                f"expected known tensors of at most {self._most_known_bytes:,} bytes in all, got one more of "
                f"{array.nbytes:,}; let the file hold what they become"
            )
        return before + array.nbytes

    def check_known_size(self, shape: Sequence[int], itemsize: int = 8) -> None:
        """Raise UnsupportedError before an array is made whose size a file merely claims: elements, indices, masks.

        All that allocates by such sizes asks here first. itemsize: bytes of all that is made at once for one element.
        An axis without elements counts as 1, since the others may still be walked.
        """
        size_bytes = math.prod(max(size, 1) for size in shape) * itemsize
        if size_bytes > self._largest_known_bytes:
            raise UnsupportedError(
                f"expected a known tensor of at most {self._largest_known_bytes:,} bytes, got shape "
                f"{list(shape)[:16]} of {size_bytes:,}; let the model work on less at once"
            )

    def check_broadcast_size(self, *arrays: Array) -> None:
        """The same for what an operator of arrays that broadcast makes."""
        shape = np.broadcast_shapes(*(array.shape for array in arrays))
        self.check_known_size(shape, max(array.dtype.itemsize for array in arrays))

    def check_work(self, products: int) -> None:
        """Raise UnsupportedError before so many products of known elements are summed up that it takes long."""
        if products > _MOST_WORK:
            raise UnsupportedError(
                f"expected sums of at most {_MOST_WORK:,} products of elements that are known, got {products:,}; let "
                "the file hold what they give"
            )

    def check_operators(self, count: int) -> None:
        """Raise UnsupportedError before that many more operators than a graph may have."""
        if self._operators + count > _MOST_OPERATORS:
            raise UnsupportedError(
                f"expected a network for a microcontroller of at most {_MOST_OPERATORS:,} operators, got "
                f"{self._operators + count:,}; let the model work on less at once"
            )

    def numbers(self, count: int) -> NDArray[np.int64]:
        """The numbers from 0 to below `count`, if they are not too many for a known tensor."""
        self.check_known_size([count])
        return np.arange(count, dtype=np.int64)

    def number(self, number: float, like: Tensor) -> Tensor:
        """A known scalar of the element type of `like`."""
        return self.known(np.array(number, like.dtype))

    def value(self, tensor: Tensor, *, is_moved: bool = True) -> Value:
        """What the graph calls it; a known tensor becomes a constant, once.

        is_moved: by all that reads it; else infinities of a known tensor are the largest floats, see `_finite`.
        """
        if tensor.value is not None:
            return tensor.value
        array = tensor.array
        assert array is not None
        stored = _storable(array)
        if not is_moved and _has_infinities(stored):
            return self.value(self._finite(tensor, stored))
        if id(array) in self._constants:
            return self._constants[id(array)][1]
        if tensor.integers is None:
            name = self._names.unique(tensor.hint)
            value = self._builder.constant(name, stored, dtype=_dtype(stored))
        else:
            value = self._dequantized(tensor.integers, tensor.hint)
        self._constants[id(array)] = array, value  # holds the array, whose id stays its own
        self._data[value.name] = stored
        return value

    def _dequantized(self, integers: Integers, hint: str) -> Value:
        """A scale is either the only one, or a factor behind."""
        has_one = integers.scales.size == 1
        scale = float(integers.scales.reshape(-1)[0]) if has_one else 1.0
        quantization = Quantization.per_tensor(scale, integers.zero_point)
        source = self._builder.constant(self._names.unique(hint), integers.array, quantization)
        name = self._names.unique(f"{hint}_dequantized")
        value = self._builder.add(Dequantize(), [source], name, location=self._location)
        if has_one:
            return value
        scales = self._builder.constant(self._names.unique(f"{hint}_scales"), integers.scales)
        name = self._names.unique(f"{hint}_scaled")
        return self._builder.add(Mul(), [value, scales], name, location=self._location)

    def _finite(self, tensor: Tensor, array: Array) -> Tensor:
        """Infinities as the largest floats: sums and such end there, as TFLite's do, so that a mask of minus infinity
        is the same before and behind a sum.
        """
        bounded = np.asarray(np.clip(array, -LARGEST_FLOAT, LARGEST_FLOAT), array.dtype)
        kept = self._bounded.setdefault(id(tensor.array), (tensor.array, bounded))
        return Tensor(kept[1], hint=tensor.hint)

    def constant(
        self, array: Array, quantization: Quantization, hint: str = "", dtype: DType | None = None
    ) -> Tensor:
        """A constant of integers that stand for real numbers. dtype: i4 or i2, if an array of int8 is that."""
        name = self._names.unique(hint or self._hint)
        value = self._builder.constant(name, array, quantization, dtype)
        self._data[value.name] = array
        return Tensor(value=value)

    def data(self, tensor: Tensor) -> Array | None:
        """The elements of a known tensor, or of a constant of the graph; None for what is computed."""
        if tensor.array is not None or tensor.value is None:
            return tensor.array
        return self._data.get(tensor.value.name)

    def emit(
        self,
        operator: Operator,
        *operands: Tensor | None,
        quantization: Quantization | None = None,
    ) -> Tensor:
        """The only result of an operator; known, if all operands are and it is little work.

        quantization: of the result; if not given, what the operator infers.
        Raises GraphError for operands that the operator does not take.
        """
        folded = None if quantization is not None else self._folded(operator, operands)
        if folded is not None:
            return self.known(folded[0])
        values = self._values(operator, operands)
        types = [value and value.type for value in values]
        (inferred,) = operator.infer(types)
        chosen = inferred if quantization is None else replace(inferred, quantization=quantization)
        _check_size(chosen)
        operator.verify(types, [chosen])
        name = self._names.unique(self._hint)
        value = self._builder.add(operator, values, name, chosen.quantization, self._location)
        self._computed.add(value.name)
        return Tensor(value=value)

    def emit_all(self, operator: Operator, *operands: Tensor | None) -> tuple[Tensor, ...]:
        """All results of an operator; as `emit`."""
        folded = self._folded(operator, operands)
        if folded is not None:
            return tuple(self.known(array) for array in folded)
        values = self._values(operator, operands)
        types = [value and value.type for value in values]
        inferred = operator.infer(types)
        for type_ in inferred:
            _check_size(type_)
        operator.verify(types, inferred)
        name = self._names.unique(self._hint)
        results = self._builder.add_all(operator, values, name, self._location)
        self._computed |= {result.name for result in results}
        return tuple(Tensor(value=result) for result in results)

    def _values(self, operator: Operator, operands: Sequence[Tensor | None]) -> list[Value | None]:
        """What one more operator of the graph reads."""
        self.check_operators(1)
        self._operators += 1
        is_moved = Trait.MOVES in operator.traits
        return [operand and self.value(operand, is_moved=is_moved) for operand in operands]

    def reinterpreted(self, tensor: Tensor, quantization: Quantization | None) -> Tensor:
        """The same integers, standing for other real numbers: a cast that moves nothing."""
        type_ = tensor.type
        if type_.quantization == quantization:
            return tensor
        return self.emit(Cast(type_.dtype), tensor, quantization=quantization)

    def reserve(self, name: str) -> str:
        """Let nothing but an output of the graph be called so: `name` as an identifier."""
        return self._names.unique(name)

    def build(self, outputs: Mapping[str, Tensor]) -> Graph:
        """The graph that returns `outputs`, each by its name, given out by `reserve`.

        Raises GraphError if it breaks a rule of the IR.
        """
        renamed: dict[str, str] = {}
        values: list[Value] = []
        for name, tensor in outputs.items():
            value = self._own_value(tensor, renamed)
            renamed[value.name] = name
            values.append(value)
        return _with_names(self._builder.build(values), renamed)

    def _own_value(self, tensor: Tensor, taken: Mapping[str, str]) -> Value:
        """What computes an output and no other: a copy of an input, a constant, or an output before it."""
        value = self.value(tensor)
        if value.name in self._computed and value.name not in taken:
            return value
        return self._builder.add(
            Reshape(value.type.shape),
            [value],
            self._names.unique(self._hint),
            value.type.quantization,
        )

    def _folded(
        self, operator: Operator, operands: Sequence[Tensor | None]
    ) -> tuple[Array, ...] | None:
        """The results, if all operands are known and they are little work."""
        arrays: list[Array | None] = []
        for operand in operands:
            if operand is not None and (operand.array is None or operand.array.size == 0):
                return None
            arrays.append(
                None if operand is None or operand.array is None else _storable(operand.array)
            )
        types = [
            None if array is None else TensorType(array.shape, _dtype(array)) for array in arrays
        ]
        if not any(types):
            return None
        results = operator.infer(types)
        if operator.work(types, results) > _MOST_FOLDED_WORK:
            return None
        operator.verify(types, results)
        inputs = tuple(
            type_ and Value(f"operand_{index}", type_) for index, type_ in enumerate(types)
        )
        outputs = tuple(Value(f"result_{index}", type_) for index, type_ in enumerate(results))
        given = {
            value.name: array
            for value, array in zip(inputs, arrays, strict=True)
            if value is not None and array is not None
        }
        return evaluate_node(Node(operator, inputs, outputs, self._location), given)


def _check_size(type_: TensorType) -> None:
    if type_.size_bytes > LARGEST_TENSOR_BYTES:
        raise UnsupportedError(
            f"expected tensors of at most {LARGEST_TENSOR_BYTES:,} bytes in a network for microcontrollers, got one of "
            f"shape {list(type_.shape)[:16]}"
        )


def _dtype(array: Array) -> DType:
    """Raises UnsupportedError for elements that a graph cannot hold."""
    return graph_dtype(array.dtype)


def _storable(array: Array) -> Array:
    return array.astype(graph_dtype(array.dtype).numpy, copy=False)


def _has_infinities(array: Array) -> bool:
    return array.dtype.kind == "f" and bool(np.isinf(array).any())


def _with_names(graph: Graph, names: Mapping[str, str]) -> Graph:
    """The graph with other names for some of its computed values."""

    def renamed(value: Value) -> Value:
        return Value(names[value.name], value.type) if value.name in names else value

    nodes = [
        replace(
            node,
            inputs=tuple(value and renamed(value) for value in node.inputs),
            outputs=tuple(map(renamed, node.outputs)),
        )
        for node in graph.nodes
    ]
    return graph.rebuilt(
        nodes=nodes,
        outputs=map(renamed, graph.outputs),
        states=[replace(state, next=renamed(state.next)) for state in graph.states],
    )
