"""What a rule sees of a node that it writes, and how it writes it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Array, Node, Value
from tinsmith_ir.operators import Activation, Operator
from tinsmith_ir.types import TensorType

from tinsmith_tflite import operators
from tinsmith_tflite.export.records import Options, OptionValue
from tinsmith_tflite.export.refusal import RefusalError
from tinsmith_tflite.export.schema import activation_code
from tinsmith_tflite.export.writer import Writer

Write = Callable[["NodeContext"], None]
Rules = Mapping[type[Operator], Write]
_FUSED = {
    Activation.NONE: "NONE",
    Activation.RELU: "RELU",
    Activation.RELU6: "RELU6",
    Activation.RELU_N1_TO_1: "RELU_N1_TO_1",
}
_ALONE = {**_FUSED, Activation.RELU_0_TO_1: "RELU_0_TO_1"}


@dataclass(frozen=True)
class NodeContext:
    """A node, and the file that it is written to."""

    node: Node
    writer: Writer

    @property
    def result(self) -> Value:
        """Its first result."""
        return self.node.outputs[0]

    @property
    def dtype(self) -> DType:
        """Of its first operand."""
        return self.value(0).type.dtype

    @property
    def is_quantized(self) -> bool:
        """True if the first operand is of integers that stand for reals."""
        return self.value(0).type.quantization is not None

    def value(self, position: int) -> Value:
        """An operand that is there."""
        value = self.node.inputs[position]
        assert value is not None  # the graph is verified
        return value

    def optional(self, position: int) -> Value | None:
        """An operand, or None if it is absent."""
        return self.node.inputs[position] if position < len(self.node.inputs) else None

    def constant(self, position: int) -> Array | None:
        """The elements of an operand that is a constant."""
        return self.writer.graph.constant(self.optional(position))

    def operand(self, position: int) -> int:
        """The tensor of an operand; -1 if it is absent."""
        value = self.optional(position)
        return -1 if value is None else self.writer.tensor(value)

    @property
    def operands(self) -> tuple[int, ...]:
        """The tensors of all operands."""
        return tuple(self.operand(position) for position in range(len(self.node.inputs)))

    def integers(self, name: str, values: tuple[int, ...] | int) -> int:
        """A constant of int32: one dimension, or none for a number."""
        array = np.array(values, np.int32)
        return self.writer.constant(f"{self.node.name}_{name}", array)

    def step(self, name: str, type_: TensorType) -> int:
        """A tensor for what is computed on the way."""
        return self.writer.between(f"{self.node.name}_{name}", type_)

    def emit(
        self,
        kind: str,
        inputs: tuple[int, ...] | None = None,
        options: Options | None = None,
        *,
        version: int | None = None,
        output: int | None = None,
    ) -> None:
        """An operator that reads the node's operands and gives its result, where not told otherwise.

        version: if None, what such operators have for the dtype of the node's first operand.
        """
        if output is None:
            _check_dtype(kind, self.result.type)
        of_dtype = 2 if self.dtype in (DType.INT8, DType.UINT8) else 3
        if self.dtype not in (DType.INT8, DType.UINT8, DType.INT16):
            of_dtype = 1
        self.writer.operator(
            kind,
            of_dtype if version is None else version,
            self.operands if inputs is None else inputs,
            (self.writer.tensor(self.result) if output is None else output,),
            options,
        )

    def emit_clamped(
        self,
        kind: str,
        inputs: tuple[int, ...],
        table: str,
        fields: Mapping[str, OptionValue],
        *,
        version: int | None = None,
        activation: Activation,
        is_fused: bool = True,
    ) -> None:
        """An operator with a fused activation; one that TFLite does not fuse there becomes an operator of its own."""
        if is_fused and activation in _FUSED:
            code = activation_code(_FUSED[activation])
            options = Options(table, {**fields, "FusedActivationFunction": code})
            self.emit(kind, inputs, options, version=version)
            return
        if activation is Activation.NONE:
            self.emit(kind, inputs, Options(table, fields), version=version)
            return
        if activation is Activation.RELU_0_TO_1 and self.result.type.dtype is DType.INT16:
            raise RefusalError(
                "TFLite has no RELU_0_TO_1 of int16; use relu or relu6, or quantize to int8"
            )
        unclamped = self.step("unclamped", self.result.type)
        self.emit(kind, inputs, Options(table, fields), version=version, output=unclamped)
        kind = _ALONE[activation]
        self.emit(kind, (unclamped,), version=clamp_version(kind, self.result.type.dtype))


def _check_dtype(kind: str, result: TensorType) -> None:
    """Raise RefusalError for a result that the importer's table does not have, and so TFLite or we do not."""
    allowed = operators.RULES[kind].dtypes
    is_unsigned = result.dtype is DType.UINT8 and result.quantization is not None
    if is_unsigned or result.dtype in allowed:
        return
    names = ", ".join(dtype.value for dtype in allowed)
    raise RefusalError(
        f"TFLite's {kind} gives {names}, got {result.dtype.value}; convert what it reads in front"
    )


def clamp_version(kind: str, dtype: DType) -> int:
    """Of RELU and its like, the version that has this dtype; two of them have but one version."""
    if kind not in ("RELU", "RELU6"):
        return 1
    return {DType.INT8: 2, DType.INT16: 3}.get(dtype, 1)


def with_shape(value: Value, shape: tuple[int, ...]) -> TensorType:
    """The value's type in another shape."""
    return replace(value.type, shape=shape)
