"""The graph's values in a file: each in the forms that somebody asked for, as it is stored and as a real number."""

import numpy as np
from tinsmith_ir.dtypes import DType
from tinsmith_ir.errors import UnsupportedError
from tinsmith_ir.graph import Array, Graph, Value
from tinsmith_ir.types import Quantization

from tinsmith_onnx.export.flattenings import flattenings
from tinsmith_onnx.export.forms import (
    CHANNELS_FIRST,
    Form,
    between,
    has_same_order,
    is_natural,
    natural,
    permuted,
    suffix,
)
from tinsmith_onnx.export.model import Model
from tinsmith_onnx.export.turned import turned

SUMS_OF_64_BITS = (
    "expected sums of 32 bits, got i64, which layers of ONNX do not have; export the network before its layers are cut "
    "into sums"
)
"""The problem of integers that DequantizeLinear does not take."""


class Values:
    """Names of tensors of the file. A form that is not there is made when it is asked for, and then kept."""

    def __init__(self, graph: Graph, model: Model) -> None:
        self.graph = graph
        self._model = model
        self._forms: dict[str, dict[Form, str]] = {}
        self._reals: dict[tuple[Value, Form], str] = {}
        # Results of Dequantize of a constant, which are there in whatever form the constant is written.
        self._of_constants: dict[str, Value] = {}
        self._named: set[str] = set()
        self._turned = turned(graph)
        self._constants = dict(graph.constant_data)
        self._flattenings = flattenings(graph)
        # Results of Reshape whose elements lie channels first.
        self._flat: set[str] = set()
        for value in (*graph.inputs, *(state.value for state in graph.states)):
            self.put(value, natural(len(value.type.shape)), self.name_for(value))

    def name_for(self, value: Value, form: Form | None = None) -> str:
        """A new name for `value` in `form`: its own, if nothing has that and no output of the file needs it."""
        is_own = form is None or is_natural(form) or not self.graph.is_output(value)
        if is_own and value.name not in self._named:
            self._named.add(value.name)
            return value.name
        return self._model.fresh(value.name + suffix(form or natural(len(value.type.shape))))

    def put(self, value: Value, form: Form, name: str) -> None:
        """Say which tensor of the file is `value` in `form`."""
        self._forms.setdefault(value.name, {})[form] = name

    def put_dequantized(self, value: Value, constant: Value) -> None:
        """Say that `value` are the real numbers of a constant, which has the quantization that it is written with."""
        self._of_constants[value.name] = constant

    def integers(self, value: Value) -> Value | None:
        """The constant whose real numbers `value` are, None if they are of none."""
        return self._of_constants.get(value.name)

    def is_constant(self, value: Value) -> bool:
        """Whether it is there in any form without a node that moves elements."""
        return value.name in self._of_constants or value.name in self._constants

    def array(self, value: Value) -> Array | None:
        """The elements of a constant, else None."""
        return self._constants.get(value.name)

    def is_turned(self, value: Value) -> bool:
        """Whether it is to be channels first before anything is computed of it."""
        return value.name in self._turned

    def forms(self, value: Value) -> list[Form]:
        """Those that are there."""
        return list(self._forms.get(value.name, {}))

    def named(self, value: Value, form: Form) -> str:
        """The tensor of a form that is there."""
        return self._forms[value.name][form]

    def stored(self, value: Value, form: Form) -> str:
        """The tensor in `form`, of the graph's element type."""
        found = self._forms.get(value.name, {}).get(form)
        if found is not None:
            return found
        if value.name in self._of_constants:
            name = self.real(self._of_constants[value.name], form, self.name_for(value, form))
        elif value.name in self._constants:
            name = self._constant(value, form)
        elif len(form) > len(value.type.shape):
            name = self._raised(value, form)
        else:
            name = self._moved(value, form)
        self.put(value, form, name)
        return name

    def real(self, value: Value, form: Form, name: str | None = None) -> str:
        """The real numbers that `value` stands for, in `form`: itself if it is of floats, else of DequantizeLinear.

        name: of the result, if it is not there yet. Raises UnsupportedError for integers that stand for themselves.
        """
        if value.type.dtype is DType.FLOAT32:
            return self.stored(value, form)
        key = value, form
        if key not in self._reals:
            raised = len(form) - len(value.type.shape)
            source = self.stored(value, form)
            self._reals[key] = self.dequantized(source, value, form, raised, name)
        return self._reals[key]

    def dequantized(
        self, source: str, value: Value, form: Form, raised: int = 0, name: str | None = None
    ) -> str:
        """The real numbers of a tensor of the file that has the type of `value`, but for its shape.

        raised: how many axes it has in front of those of `value`.
        """
        quantization = quantization_of(value)
        if value.type.dtype is DType.INT64:
            raise UnsupportedError(SUMS_OF_64_BITS)
        axis = None if quantization.axis is None else form.index(quantization.axis + raised)
        result = name or self._model.fresh(f"{value.name}_real")
        self._model.node(
            "DequantizeLinear",
            [source, *self.scale(value.name, quantization, value.type.dtype)],
            [result],
            {} if axis is None else {"axis": axis},
        )
        return result

    def scale(self, hint: str, quantization: Quantization, dtype: DType) -> list[str]:
        """Scale and zero point, one or along an axis; of int32 no zero point, which is 0 there."""
        scales = np.array(quantization.scales, np.float32)
        zeros = np.array(quantization.zero_points, dtype.numpy)
        if quantization.axis is None:
            scales, zeros = scales.reshape(()), zeros.reshape(())
        names = [self._model.known(scales, f"{hint}_scale")]
        if dtype is DType.INT32:
            return names
        is_packed = dtype if dtype.is_packed else None
        return [*names, self._model.known(zeros, f"{hint}_zero_point", is_packed)]

    def in_order(self, value: Value) -> str:
        """The tensor in any form whose elements lie as in the graph, for who reshapes it."""
        order = natural(len(value.type.shape))
        return self._ordered(value, order) or self.stored(value, order)

    def _ordered(self, value: Value, order: Form) -> str | None:
        for form, name in self._forms.get(value.name, {}).items():
            if len(form) == len(order) and has_same_order(value.type.shape, form, order):
                return name
        return None

    def flattened(self, image: Value, result: Value) -> str | None:
        """The tensor that a layer's rows may be reshaped from, channels first, if that saves a Transpose.

        result: of the Reshape, or of the layer itself.
        """
        is_known = self._flattenings.is_start(result.name)
        first = self._forms.get(image.name, {}).get(CHANNELS_FIRST)
        order = natural(len(image.type.shape))
        if not is_known or first is None or self._ordered(image, order) is not None:
            return None
        self._flat.add(result.name)
        return first

    def image_shape(self, layer: Value) -> tuple[int, ...] | None:
        """The shape of the image that a layer's rows are, channels first; None if they are none, or in order."""
        start = self._flattenings.start_of(layer.name)
        return None if start is None or start.result not in self._flat else start.shape

    def columns_first(self, weights: Value, shape: tuple[int, ...]) -> str:
        """The real numbers of a layer's weights for rows that are images of `shape`, channels first."""
        source = self._of_constants.get(weights.name, weights)
        _, height, width, channels = shape
        unfolded = (-1, height, width, channels)
        data = self._constants.get(source.name)
        if data is None:
            wide = self._model.fresh(f"{weights.name}_image")
            first = self._model.fresh(f"{weights.name}_image")
            flat = self._model.fresh(f"{weights.name}_image")
            self.reshaped(self.real(weights, natural(2)), unfolded, wide)
            self._model.node("Transpose", [wide], [first], {"perm": CHANNELS_FIRST})
            return self.reshaped(first, weights.type.shape, flat)
        moved = Value(self._model.fresh(f"{source.name}_nchw"), source.type)
        turned_data = data.reshape(unfolded).transpose(CHANNELS_FIRST)
        self._constants[moved.name] = turned_data.reshape(data.shape)
        return self.real(moved, natural(2))

    def reshaped(self, source: str, shape: tuple[int, ...], name: str) -> str:
        """The elements of a tensor in another shape."""
        wanted = self._model.known(np.array(shape, np.int64), "shape")
        self._model.node("Reshape", [source, wanted], [name], {})
        return name

    def _constant(self, value: Value, form: Form) -> str:
        data = self._constants[value.name]
        shape = (1,) * (len(form) - data.ndim) + data.shape
        name = self.name_for(value, form)
        self._model.store(name, data.reshape(shape).transpose(form), value.type.dtype)
        return name

    def _raised(self, value: Value, form: Form) -> str:
        shape = (1,) * (len(form) - len(value.type.shape)) + value.type.shape
        order = natural(len(form))
        target = form if has_same_order(shape, order, form) else order
        hint = f"{value.name}{suffix(form)}"
        source = self.reshaped(
            self.in_order(value), permuted(shape, target), self._model.fresh(hint)
        )
        if target == form:
            return source
        result = self._model.fresh(hint)
        self._model.node("Transpose", [source], [result], {"perm": form})
        return result

    def _moved(self, value: Value, form: Form) -> str:
        """From a form that is there, by a reshape where that does it."""
        there = [pair for pair in self._forms[value.name].items() if len(pair[0]) == len(form)]
        result = self.name_for(value, form)
        for source, name in there:
            if has_same_order(value.type.shape, source, form):
                return self.reshaped(name, permuted(value.type.shape, form), result)
        source, name = there[0]
        self._model.node("Transpose", [name], [result], {"perm": between(source, form)})
        return result


def quantization_of(value: Value) -> Quantization:
    """What its integers stand for; raises UnsupportedError if they stand for themselves."""
    quantization = value.type.quantization
    if quantization is None:
        raise UnsupportedError(
            f"expected integers with a scale, got {value.type.dtype.value} without; ONNX has this operator of "
            "real numbers, so dequantize in front of it"
        )
    return quantization
