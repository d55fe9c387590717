"""What a converter sees of one operator: its tensors as values, its options, its constants."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir.dtypes import DType
from tinsmith_ir.errors import GraphError, ModelError, UnsupportedError
from tinsmith_ir.escape import print_name
from tinsmith_ir.graph import Array, Location, Node, Value
from tinsmith_ir.operators import Activation, Operator
from tinsmith_ir.types import Quantization, TensorType

from tinsmith_tflite import builtin, flexbuffer
from tinsmith_tflite.flatbuffer import Table
from tinsmith_tflite.model_file import FileOperator, FileQuantization, FileTensor, ModelFile
from tinsmith_tflite.tensors import may_be
from tinsmith_tflite.unsigned import is_unsigned
from tinsmith_tflite.values import Values

Conversion = tuple[Operator, Sequence[Value | None]]

_ACTIVATIONS = {
    "NONE": Activation.NONE,
    "RELU": Activation.RELU,
    "RELU6": Activation.RELU6,
    "RELU_N1_TO_1": Activation.RELU_N1_TO_1,
}


def options_of(file: ModelFile, operator: FileOperator, kind: str) -> Table:
    """The options of `operator` if they are of `kind`. TFLite reads a table that is missing, or of
    another kind (NONE too), as zeros: not as the schema's defaults, such as a dilation of 1.
    """
    if operator.options is None or operator.options_kind != kind:
        return file.absent_table(kind, str(operator))
    return operator.options


@dataclass(frozen=True)
class OperatorContext:
    """One operator of the file, ready to be converted to what gives one of its results.

    output: the result. options_kind: name of the options table that belongs to it, "" for none. number: which of
    the operator's results. before: nodes in front of the conversion's, see `step`.
    beside: further results of the conversion's, see `result`. given: those of the file's results among them.
    """

    operator: FileOperator
    output: Value
    options_kind: str
    values: Values
    number: int = 0
    before: list[Node] = field(default_factory=list[Node])
    beside: list[Value] = field(default_factory=list[Value])
    given: set[int] = field(default_factory=set[int])

    @cached_property
    def options(self) -> Table:
        """Its options, see `options_of`."""
        return options_of(self.values.file, self.operator, self.options_kind)

    @property
    def custom_options(self) -> bytes:
        """Of a custom operator: its attributes as the file has them, in most files a FlexBuffer."""
        stored = self.operator.custom_options
        if stored is None:
            return b""
        self.values.file.spend(len(stored))
        return stored.tobytes()

    def custom_numbers(self) -> dict[str, int | float]:
        """The same of a FlexBuffer that is a map: its numbers by name, bool as 0 and 1."""
        try:
            return flexbuffer.scalars(self.custom_options)
        except ValueError as error:
            raise self.error(f"expected options that are a map of numbers, got {error}") from error

    @property
    def where(self) -> str:
        """Model, operator and its result, for messages."""
        return f"{self.values.file.name}: {self.operator} -> {print_name(self.output.name)}"

    @property
    def tensor(self) -> FileTensor:
        """The result as the file has it."""
        return self.values.file.tensor(self.operator.outputs[self.number])

    @property
    def location(self) -> Location:
        """What nodes say of where they came from."""
        return Location(self.values.file.name, f"{self.operator} '{self.tensor.name}'")

    def step(
        self,
        operator: Operator,
        operands: Sequence[Value | None],
        quantization: Quantization | None = None,
    ) -> Value:
        """The result of a node that the conversion needs in front of its own.

        quantization: of the result, if the operator does not keep that of its operand.
        """
        types = [None if value is None else value.type for value in operands]
        try:
            (type_,) = operator.infer(types)
        except GraphError as error:
            raise self.error(str(error)) from error
        chosen = type_ if quantization is None else replace(type_, quantization=quantization)
        (value,) = self._steps(operator, operands, [chosen])
        return value

    def steps(self, operator: Operator, operands: Sequence[Value | None]) -> tuple[Value, ...]:
        """The same for an operator with several results, which keep the quantizations that it infers."""
        types = [None if value is None else value.type for value in operands]
        try:
            inferred = operator.infer(types)
        except GraphError as error:
            raise self.error(str(error)) from error
        return self._steps(operator, operands, inferred)

    def _steps(
        self, operator: Operator, operands: Sequence[Value | None], results: Sequence[TensorType]
    ) -> tuple[Value, ...]:
        try:
            operator.verify([None if value is None else value.type for value in operands], results)
        except GraphError as error:
            raise self.error(str(error)) from error
        name = f"{self.output.name}_{operator.mnemonic}"
        values = tuple(self.values.step(name, type_) for type_ in results)
        self.before.append(Node(operator, tuple(operands), values, self.location))
        return values

    def further_results(self, operator: Operator, operands: Sequence[Value | None]) -> None:
        """From here on all further results of the file's operator can be read; they are those of `operator`, whose
        first is the conversion's own.
        """
        try:
            types = operator.infer([None if value is None else value.type for value in operands])
        except GraphError as error:
            raise self.error(str(error)) from error
        for index, type_ in zip(self.operator.outputs[1:], types[1:], strict=True):
            value = self.values.new(index, str(self.operator))
            if not self.may_have(type_.shape, self.values.file.tensor(index)):
                value_shape = list(value.type.shape)
                raise self.error(
                    f"expected a result {list(type_.shape)}, the file says {value_shape}"
                )
            value = Value(value.name, type_)
            self.values.define(index, value)
            self.beside.append(value)
            self.given.add(index)

    def may_have(self, shape: tuple[int, ...], tensor: FileTensor) -> bool:
        """Whether `tensor`, a result, may have this shape. Of results of custom operators, which size them when they
        run, TensorFlow's converter writes that they are scalars.
        """
        is_unsized = self.operator.kind.startswith("CUSTOM") and not tensor.shape
        return is_unsized or shape == tensor.shape or may_be(shape, tensor)

    def result(self, name: str, type_: TensorType) -> Value:
        """One more result of the conversion's node, behind its own; named after that."""
        value = self.values.step(f"{self.output.name}_{name}", type_)
        self.beside.append(value)
        return value

    def constant(self, name: str, array: Array, quantization: Quantization | None = None) -> Value:
        """A constant that the conversion needs and the file does not have; named after the result."""
        dtype = next(dtype for dtype in DType if dtype.numpy == array.dtype)
        type_ = TensorType(array.shape, dtype, quantization)
        return self.values.computed(f"{self.output.name}_{name}", type_, array)

    def indices(self, position: int, count: int) -> Value:
        """Input `position`, indices of `count` elements: of int32, or constants, of which each must be one."""
        index = self._tensor(position)
        if not self.values.is_constant(index):
            return self.value(position)
        return self.constant("indices", self.known_indices(position, count).astype(np.int32))

    def known_indices(self, position: int, count: int) -> NDArray[np.int64]:
        """Input `position`, constant indices of `count` elements, in its shape."""
        array = self.values.index_array(self._tensor(position))
        if not 0 <= array.min() <= array.max() < count:
            raise self.error(
                f"expected indices within 0 and {count - 1}, got {array.min()} to {array.max()}"
            )
        return array

    def has(self, position: int) -> bool:
        """True if input `position` is there."""
        inputs = self.operator.inputs
        return position < len(inputs) and inputs[position] != -1

    def is_constant(self, position: int) -> bool:
        """True if the elements of input `position` are known while importing."""
        return self.values.is_constant(self._tensor(position))

    def shape(self, position: int) -> tuple[int, ...]:
        """The shape of input `position`, of which no value is made."""
        return self.values.shape(self._tensor(position))

    def value(self, position: int) -> Value:
        """Input `position`, of quantized uint8 as int8; raises ModelError if it is absent."""
        value = self.stored_value(position)
        if not is_unsigned(value.type):
            return value
        twin, nodes = self.values.recentring(value)
        self.before.extend(nodes)
        return twin

    def original(self, position: int) -> Value:
        """Input `position` with the integers of the file, uint8 inside too."""
        index = self._tensor(position)
        value, nodes = self.values.as_stored(index, self.values.value(index))
        self.before.extend(nodes)
        return value

    def is_unsigned(self, position: int) -> bool:
        """True if input `position` is uint8 in the file, and so one of TFLite's uint8 kernels meant."""
        return self.values.file.tensor(self._tensor(position)).type_name == "UINT8"

    def stored_value(self, position: int) -> Value:
        """Input `position` as it is, for conversions: uint8 at the network's begin, int8 inside."""
        return self.values.value(self._tensor(position))

    def ranked_value(self, position: int, rank: int) -> Value:
        """Input `position`, which must have `rank` dimensions."""
        return self._ranked(self.value(position), position, rank)

    def _ranked(self, value: Value, position: int, rank: int) -> Value:
        if len(value.type.shape) != rank:
            raise self.error(
                f"expected input {position} with {rank} dimensions, got {list(value.type.shape)}"
            )
        return value

    def kept(self, position: int) -> Value:
        """Input `position`, a variable tensor: what it holds when this operator runs."""
        return self.values.kept(self._tensor(position), self.where)

    def keep(self, position: int, value: Value) -> None:
        """Let variable tensor `position`, asked for by `kept`, hold `value` from this operator on."""
        self.values.keep(self._tensor(position), value, self.where)

    def weights(
        self, source: Value, rank: int, position: int = 1, *, may_be_int4: bool = False
    ) -> Value:
        """Input `position` of `rank` dimensions, in the dtype of the activations, or of four bits beside int8.

        "Dynamic range" models store int8 weights beside float32 activations. TFLite then quantizes
        the activations anew on every run; here the weights become float32, which is more exact.
        """
        is_int8 = source.type.dtype is DType.INT8 and not self.is_unsigned(0)
        if may_be_int4 and is_int8 and self.values.is_int4(self._tensor(position)):
            return self._ranked(self.values.int4_weights(self._tensor(position)), position, rank)
        value = self.ranked_value(position, rank)
        if source.type.dtype is DType.FLOAT32 and value.type.dtype is DType.INT8:
            return self.values.float_weights(self._tensor(position))
        return value

    def bias(
        self, source: Value, position: int = 2, *, may_be_narrow: bool = False
    ) -> Value | None:
        """Input `position`, or None if it is absent. Beside int16 activations it must be TFLite's default,
        int64, unless it may be narrow: with int32 TFLite rounds in another way.
        """
        if not self.has(position):
            return None
        index = self._tensor(position)
        kind = self.values.file.tensor(index).type_name
        allowed = ("INT32", "INT64") if may_be_narrow else ("INT64",)
        if source.type.dtype is DType.INT16 and kind not in allowed:
            raise self.unsupported(
                f"expected an INT64 bias beside int16 activations, got {kind}; quantize the model again "
                "with TensorFlow's default bias type"
            )
        return self.values.bias(index)

    def has_bias_of(self, type_name: str, position: int = 2) -> bool:
        """Whether input `position` is there, and of that type in the file."""
        return (
            self.has(position)
            and self.values.file.tensor(self._tensor(position)).type_name == type_name
        )

    def stored_quantization(self, position: int) -> FileQuantization | None:
        """What the file says of the scales of input `position`, unchecked."""
        return self.values.file.tensor(self._tensor(position)).quantization

    def integers(self, position: int) -> tuple[int, ...]:
        """Elements of input `position`, a constant that stands for an attribute (axes, shape)."""
        return self.values.integers(self._tensor(position))

    def paddings(self, position: int, rank: int) -> tuple[int, ...]:
        """(before, after) of each of `rank` axes, one after the other: constant input `position`."""
        paddings = self.integers(position)
        if len(paddings) != 2 * rank or any(width < 0 for width in paddings):
            raise self.error(
                f"expected {2 * rank} paddings of at least 0, got {list(paddings)[: 4 * rank]}"
            )
        return paddings

    def scalar(self, position: int) -> int | float:
        """The only element of input `position`, a constant that stands for an attribute."""
        return self.values.scalar(self._tensor(position))

    def activation(self) -> Activation:
        """The fused activation that the options ask for."""
        name = builtin.activation_name(self.options.integer("FusedActivationFunction"))
        if name not in _ACTIVATIONS:
            raise self.unsupported(f"expected a fused {', '.join(_ACTIVATIONS)}, got {name}")
        return _ACTIVATIONS[name]

    def padding(self) -> str:
        """SAME or VALID, whichever the options ask for."""
        name = builtin.padding_name(self.options.integer("Padding"))
        if name not in ("SAME", "VALID"):
            raise self.error(f"expected SAME or VALID padding, got {name}")
        return name

    def axis(self, axis: int, rank: int, what: str = "an axis") -> int:
        """`axis` counted from the front. what: it is, if it counts something else."""
        if not -rank <= axis < rank:
            raise self.error(f"expected {what} in [{-rank}, {rank - 1}], got {axis}")
        return axis % rank

    def error(self, text: str) -> ModelError:
        """An error about this operator as the file has it."""
        return ModelError(f"{self.where}: {text}{self._about_options()}")

    def unsupported(self, text: str) -> UnsupportedError:
        """An error about what TFLite has here and Tinsmith does not."""
        return UnsupportedError(f"{self.where}: {text}")

    def _about_options(self) -> str:
        if not self.options_kind or self.options.has_defaults:
            return ""
        found = self.operator.options_kind if self.operator.options else "no options"
        return f" (expected {self.options_kind}, got {found}, which counts as all zeros)"

    def _tensor(self, position: int) -> int:
        if not self.has(position):
            raise self.error(f"expected an input {position}, got none")
        return self.operator.inputs[position]
