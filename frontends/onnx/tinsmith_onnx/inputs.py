"""Inputs of a network: their sizes, of which files leave some open, and what a user says of them."""

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import onnx
from tinsmith_ir.errors import ModelError, UnsupportedError, UsageError
from tinsmith_ir.graph import Array
from tinsmith_ir.names import identifier
from tinsmith_ir.problems import Problems
from tinsmith_ir.types import TensorType
from tinsmith_tensors import Composer, Tensor
from tinsmith_tensors.images import Turned

from tinsmith_onnx import elements
from tinsmith_onnx.context import Item
from tinsmith_onnx.model_file import shown


@dataclass(frozen=True)
class Choices:
    """What a user says of a model, see `import_onnx`."""

    input_shapes: Mapping[str, Sequence[int]]
    input_values: Mapping[str, Array]
    states: Mapping[str, str]
    channels_last: bool
    on_warning: Callable[[str], None]
    on_turned: Callable[[Turned], None]


class Inputs:
    """The inputs of one graph of a file."""

    def __init__(self, c: Composer, source: str, graph: onnx.GraphProto, choices: Choices) -> None:
        """source: the file's name, for messages."""
        self._c = c
        self._source = source
        self._graph = graph
        self._choices = choices
        self._sizes: dict[str, int] = {}
        self._given: dict[str, tuple[int, int, str]] = {}
        self._batches: set[str] = set()

    def define(self, tensors: dict[str, Item], refused: set[str], problems: Problems) -> None:
        """Add all that are no initializers to `tensors`, or to `refused` with their problems."""
        inputs = [value for value in self._graph.input if value.name not in tensors]
        names = {value.name for value in inputs}
        if len(names) < len(inputs):
            raise ModelError(f"{self._source}: expected inputs of different names, got one twice")
        self._check_choices(names)
        for value in inputs:
            self._bind_sizes(value)
        self._batches = {
            value.type.tensor_type.shape.dim[0].dim_param for value in inputs if _has_axes(value)
        } - {""}
        for value in inputs:
            with problems.gathered():
                tensors[value.name] = self._input(value)
                continue
            refused.add(value.name)

    def _check_choices(self, inputs: set[str]) -> None:
        symbols = {
            dimension.dim_param
            for value in self._graph.input
            for dimension in value.type.tensor_type.shape.dim
            if dimension.dim_param
        }
        outputs = {output.name for output in self._graph.output}
        chosen = {
            "input_shapes": (set(self._choices.input_shapes), inputs | symbols),
            "input_values": (set(self._choices.input_values), inputs),
            "states": (set(self._choices.states), inputs),
            "states' outputs": (set(self._choices.states.values()), outputs),
        }
        for what, (given, there) in chosen.items():
            if given - there:
                names = ", ".join(map(shown, sorted(there))) or "none"
                unknown = ", ".join(map(shown, sorted(given - there)))
                raise UsageError(
                    f"{self._source}: {what}: expected names among {names}, got {unknown}"
                )

        for symbol in symbols - inputs:
            size = self._choices.input_shapes.get(symbol, (1,))
            if len(size) != 1:
                raise UsageError(
                    f"{self._source}: dimension {shown(symbol)!r}: expected one size, got {list(size)}"
                )

    def _bind_sizes(self, value: onnx.ValueInfoProto) -> None:
        """Dimensions that a given shape gives a size to, by their names."""
        dimensions = value.type.tensor_type.shape.dim
        shape = self._choices.input_shapes.get(value.name)
        array = self._choices.input_values.get(value.name)
        sizes = array.shape if array is not None else shape
        for axis, (dimension, size) in enumerate(zip(dimensions, sizes or (), strict=False)):
            if not dimension.dim_param:
                continue
            self._sizes.setdefault(dimension.dim_param, int(size))
            if array is None:
                self._check_same(dimension.dim_param, int(size), axis, value.name)

    def _check_same(self, symbol: str, size: int, axis: int, name: str) -> None:
        """Raise UsageError where the shapes that a user gives say different sizes of one dimension."""
        before = self._given.setdefault(symbol, (size, axis, name))
        if before[0] != size:
            first, second = (
                f"{size} along axis {axis} of input {shown(name)!r}"
                for size, axis, name in (before, (size, axis, name))
            )
            raise UsageError(
                f"{self._source}: dimension {shown(symbol)!r}: expected one size, got {first} and {second}"
            )

    def _input(self, value: onnx.ValueInfoProto) -> Tensor:
        where = f"{self._source}: input {shown(value.name)!r}"
        try:
            return self._made(value, where)
        except UnsupportedError as error:
            text = str(error).removeprefix(f"{where}: ")
            raise UnsupportedError(f"{where}: {text}") from error

    def _made(self, value: onnx.ValueInfoProto, where: str) -> Tensor:
        if not elements.is_tensor(value.type):
            raise UnsupportedError(
                f"{where}: expected a tensor, got {value.type.WhichOneof('value') or 'no type'}"
            )
        if value.name in self._choices.input_values:
            array = self._choices.input_values[value.name]
            return Tensor(array=array, hint=identifier(value.name))
        kind = value.type.tensor_type.elem_type
        shape = self._shape(value, where)
        if 0 in shape:  # nothing of it is unknown
            self._c.check_known_size(shape)
            empty = np.empty(shape, elements.numpy_dtype(kind))
            return self._c.known(empty, identifier(value.name))
        dtype = elements.graph_dtype(kind)
        if elements.remark(kind):
            self._choices.on_warning(f"input {shown(value.name)!r}: {elements.remark(kind)}")
        type_ = TensorType(shape, dtype)
        if value.name in self._choices.states:
            self._c.check_known_size(shape, dtype.numpy.itemsize)
            return self._c.state(value.name, np.zeros(shape, dtype.numpy))
        return self._c.input(value.name, type_)

    def _shape(self, value: onnx.ValueInfoProto, where: str) -> tuple[int, ...]:
        """Of an input, every size of which is said by the file or by the user; of a batch it is 1."""
        given = self._choices.input_shapes.get(value.name)
        tensor = value.type.tensor_type
        if not tensor.HasField("shape"):
            if given is None:
                raise UnsupportedError(f"{where}: {_open('the shape', value.name, [])}")
            return tuple(int(size) for size in given)
        dimensions = tensor.shape.dim
        if given is not None and len(given) != len(dimensions):
            raise UsageError(
                f"{where}: expected a shape of {len(dimensions)} sizes, got {list(given)}"
            )
        sizes = [
            self._size(dimension, axis, value.name, where)
            for axis, dimension in enumerate(dimensions)
        ]
        left_open = [axis for axis, size in enumerate(sizes) if size is None]
        if left_open:
            called = [_called(axis, dimensions[axis].dim_param) for axis in left_open]
            symbols = [dimensions[axis].dim_param for axis in left_open]
            raise UnsupportedError(f"{where}: {_open(' and '.join(called), value.name, symbols)}")
        return tuple(size for size in sizes if size is not None)

    def _size(
        self, dimension: onnx.TensorShapeProto.Dimension, axis: int, name: str, where: str
    ) -> int | None:
        """Of one axis; None if nobody says it."""
        given = self._choices.input_shapes.get(name)
        if dimension.HasField("dim_value") and dimension.dim_value >= 0:
            if given is not None and int(given[axis]) != dimension.dim_value:
                raise UsageError(
                    f"{where}: expected {dimension.dim_value} along axis {axis}, as the file says, got {given[axis]}"
                )
            return dimension.dim_value
        symbol = dimension.dim_param
        if given is not None:
            (size,) = self._choices.input_shapes.get(symbol, (given[axis],))
            if size != given[axis]:
                raise UsageError(
                    f"{where}: expected {size} along axis {axis}, as given for {shown(symbol)!r}, got {given[axis]}"
                )
            return int(given[axis])
        if symbol in self._choices.input_shapes:
            (size,) = self._choices.input_shapes[symbol]
            return int(size)
        if symbol in self._sizes:
            return self._sizes[symbol]
        if axis == 0:
            self._choices.on_warning(
                f"input {shown(name)!r}: its first dimension is open in the file, and 1 here"
            )
            return 1
        if symbol in self._batches:  # the same name is the same size
            return 1
        return None


def _has_axes(value: onnx.ValueInfoProto) -> bool:
    return bool(value.type.tensor_type.shape.dim)


def _called(axis: int, symbol: str) -> str:
    return f"axis {axis} ({shown(symbol)!r})" if symbol else f"axis {axis}"


def _open(what: str, name: str, symbols: Sequence[str]) -> str:
    """What is open, with arguments as a shell takes them. symbols: of the open axes, "" for those without a name."""
    by_name = [f"--input-shape {_quoted(symbol)}=8" for symbol in dict.fromkeys(symbols)]
    also = f", or each by its name, such as {' '.join(by_name)}" if all(symbols) and symbols else ""
    return (
        f"expected sizes that are fixed, but the file leaves {what} open; give all of them: "
        f"--input-shape {_quoted(name)}=...{also}"
    )


def _quoted(name: str) -> str:
    return shlex.quote(shown(name))
