"""What a rule sees of one node of the graph: its operands as tensors of the file, and how its result is written."""

from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np
from tinsmith_ir.activation import Activation
from tinsmith_ir.dtypes import DType
from tinsmith_ir.errors import UnsupportedError
from tinsmith_ir.graph import Array, Node, Value
from tinsmith_ir.operators import Operator
from tinsmith_ir.operators.base import activation_of

from tinsmith_onnx.export.forms import (
    CHANNELS_FIRST,
    Form,
    is_natural,
    natural,
)
from tinsmith_onnx.export.model import Attribute, Model
from tinsmith_onnx.export.values import Values, quantization_of

_Kind = TypeVar("_Kind", bound=Operator)


class Site:
    """One node on its way. Operands are told by their number; forms are those of `forms.py`."""

    def __init__(self, node: Node, model: Model, values: Values) -> None:
        self.node = node
        self._model = model
        self.values = values
        self._emitted: set[str] = set()

    # What there is

    def of(self, kind: type[_Kind]) -> _Kind:
        """The operator, which is of that kind by the table of rules."""
        assert isinstance(self.node.operator, kind)
        return self.node.operator

    @property
    def output(self) -> Value:
        """The first result."""
        return self.node.outputs[0]

    def has(self, index: int) -> bool:
        """Whether the operand is there."""
        return index < len(self.node.inputs) and self.node.inputs[index] is not None

    def operand(self, index: int) -> Value:
        """An operand that is there."""
        value = self.node.inputs[index]
        assert value is not None
        return value

    def shape(self, index: int) -> tuple[int, ...]:
        """Of an operand, in the graph's order."""
        return self.operand(index).type.shape

    def array(self, index: int) -> Array | None:
        """The elements of an operand that is a constant."""
        return self.values.array(self.operand(index))

    @property
    def is_plain(self) -> bool:
        """Whether all numbers are integers or bools that stand for themselves."""
        types = [value.type for value in (*self.node.present_inputs, *self.node.outputs)]
        return all(t.dtype is not DType.FLOAT32 and t.quantization is None for t in types)

    def form(self) -> Form:
        """That in which most of the operands are there, of the result's rank; of equally many not the graph's own,
        which is that of the ends of the network.
        """
        rank = len(self.output.type.shape)
        counts: dict[Form, int] = {}
        operands = [
            value
            for value in dict.fromkeys(self.node.present_inputs)
            if len(value.type.shape) == rank and not self.values.is_constant(value)
        ]
        if len(operands) == 1 and self.values.is_turned(self.output):
            return CHANNELS_FIRST
        for form in (each for value in operands for each in self.values.forms(value)):
            if len(form) == rank:
                counts[form] = counts.get(form, 0) + 1
        best = max(counts, key=lambda form: (counts[form], not is_natural(form)), default=None)
        return natural(rank) if best is None else best

    def form_of(self, index: int) -> Form:
        """One in which the operand is there, rather not the graph's own; that, if it is a constant."""
        value = self.operand(index)
        rank = len(value.type.shape)
        forms = [] if self.values.is_constant(value) else self.values.forms(value)
        fitting = [form for form in forms if len(form) == rank]
        return next((form for form in fitting if not is_natural(form)), natural(rank))

    # Operands

    def stored(self, index: int, form: Form) -> str:
        """The operand in `form`, of its own element type."""
        value = self.operand(index)
        return self.values.stored(value, _fitting(value, form))

    def real(self, index: int, form: Form) -> str:
        """The real numbers of the operand in `form`."""
        value = self.operand(index)
        return self.values.real(value, _fitting(value, form))

    def flattened(self, index: int, shape: tuple[int, ...]) -> str:
        """The real numbers of the operand in another shape."""
        value, order = self.operand(index), natural(len(shape))
        if value.type.shape == shape:
            return self.values.real(value, order)
        hint = self._model.fresh(f"{value.name}_flat")
        source = self.values.flattened(value, self.output) or self.values.in_order(value)
        flat = self.values.reshaped(source, shape, hint)
        is_real = value.type.dtype is DType.FLOAT32
        return flat if is_real else self.values.dequantized(flat, value, order)

    def known(self, array: Array, hint: str, dtype: DType | None = None) -> str:
        """A tensor of the file whose elements are these. dtype: int4 or int2, if int8 holds that."""
        return self._model.known(array, hint, dtype)

    def number(self, number: float, hint: str, dtype: DType = DType.FLOAT32) -> str:
        """One number."""
        return self.known(np.array(number, dtype.numpy), hint)

    def axes(self, axes: Sequence[int]) -> str:
        """Axes, sizes or places, as operators take them."""
        return self.known(np.array(axes, np.int64), "axes")

    # Results

    def emit(self, kind: str, inputs: Sequence[str], **attributes: Attribute) -> str:
        """An operator more; its only result."""
        return self.emit_all(kind, inputs, 1, **attributes)[0]

    def emit_all(
        self, kind: str, inputs: Sequence[str], count: int, **attributes: Attribute
    ) -> list[str]:
        """An operator more; its results."""
        hint = f"{self.output.name}_{kind.lower()}"
        results = [self._model.fresh(hint) for _ in range(count)]
        self._model.node(kind, inputs, results, attributes)
        self._emitted.update(results)
        return results

    def reshape(self, name: str, shape: Sequence[int]) -> str:
        """The elements of a tensor in another shape."""
        return self.emit("Reshape", [name, self.known(np.array(shape, np.int64), "shape")])

    def clamp(self, name: str, activation: Activation, dtype: DType = DType.FLOAT32) -> str:
        """What an activation leaves of a tensor."""
        if activation is Activation.NONE:
            return name
        if activation is Activation.RELU and dtype is DType.FLOAT32:
            return self.emit("Relu", [name])
        low, high = activation.real_range
        bounds = [self.number(low, "low", dtype)]
        bounds += [] if high == float("inf") else [self.number(high, "high", dtype)]
        return self.emit("Clip", [name, *bounds])

    def finish(
        self, name: str, form: Form, index: int = 0, activation: Activation | None = None
    ) -> None:
        """The result is these real numbers, within the operator's activation, and as integers if it is of such."""
        value = self.node.outputs[index]
        chosen = activation_of(self.node.operator) if activation is None else activation
        real = self.clamp(name, chosen)
        if value.type.dtype is not DType.FLOAT32:
            real = self._quantized(real, value, form)
        self.finish_stored(real, form, index)

    def finish_stored(self, name: str, form: Form, index: int = 0) -> None:
        """The result is this tensor, which has its element type."""
        value = self.node.outputs[index]
        result = self.values.name_for(value, form)
        if name not in self._emitted or not self._model.rename_last(name, result):
            self._model.node("Identity", [name], [result], {})
        self.values.put(value, form, result)

    def _quantized(self, real: str, value: Value, form: Form) -> str:
        quantization, dtype = quantization_of(value), value.type.dtype
        if dtype in (DType.INT32, DType.INT64):
            raise UnsupportedError(
                f"expected a result of up to 16 bits, got {dtype.value}: QuantizeLinear makes no wider integers; "
                "export the network before its layers are cut into sums"
            )
        axis = {} if quantization.axis is None else {"axis": form.index(quantization.axis)}
        return self.emit(
            "QuantizeLinear", [real, *self.values.scale(value.name, quantization, dtype)], **axis
        )


Rule = Callable[[Site], None]
"""Writes one node. Raises UnsupportedError if ONNX has nothing for it, which says what to do."""


def _fitting(value: Value, form: Form) -> Form:
    """`form`, but a tensor of fewer axes stays as it is where numpy's broadcasting puts it right."""
    rank = len(value.type.shape)
    return natural(rank) if rank < len(form) and is_natural(form) else form
