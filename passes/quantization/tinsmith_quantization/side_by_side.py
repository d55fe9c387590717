"""The float and the quantized network on all samples, node by node, and the quantized one as a graph."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from tinsmith_ir.dtypes import DType
from tinsmith_ir.evaluate import last_uses
from tinsmith_ir.graph import Array, Graph, Location, Node, Value
from tinsmith_ir.operators import Add, BatchMatmul, Mul, Prelu, Requantize, SquaredDifference, Sub
from tinsmith_ir.rewrite import erase_dead
from tinsmith_ir.types import Quantization, TensorType
from tinsmith_ir.verify import verify_graph

from tinsmith_quantization.calibration import Calibration
from tinsmith_quantization.execution import (
    Samples,
    is_real_layer,
    operand,
    run_node,
)
from tinsmith_quantization.groups import is_keeping
from tinsmith_quantization.layers import bits_of_layers, integer_layer
from tinsmith_quantization.products import Product, product_of
from tinsmith_quantization.ranges import symmetric_quantization
from tinsmith_quantization.schemes import Scheme
from tinsmith_quantization.statistics import Losses, tensor_loss
from tinsmith_quantization.weights import Rounded
from tinsmith_quantization.writing import Writer, fake_quantized

_PAIRS = (Add, BatchMatmul, Mul, Prelu, SquaredDifference, Sub)
"""Whose constants are integers, too."""
_UNSIGNED = 128


def _unsigned(type_: TensorType) -> TensorType:
    """Integers of uint8 that stand for the same numbers as those of int8."""
    assert type_.quantization is not None
    zero = type_.quantization.zero_point + _UNSIGNED
    return TensorType(
        type_.shape, DType.UINT8, Quantization.per_tensor(type_.quantization.scale, zero)
    )


class SideBySide:
    """Both networks. Of each value that is still read: what the float network computes, and what the quantized one."""

    def __init__(
        self,
        graph: Graph,
        scheme: Scheme,
        calibration: Calibration,
        samples: Samples,
        bits: Mapping[str, int],
        rounded: Mapping[str, Rounded] | None = None,
    ) -> None:
        """bits: of layers by the name of their result, where they differ from the scheme's. rounded: of layers whose
        weights are integers already.
        """
        self._graph, self._scheme, self._calibration = graph, scheme, calibration
        self._samples, self._count = samples, len(next(iter(samples.values())))
        self._bits, self._rounded = bits_of_layers(graph, scheme, bits), rounded or {}
        self._writer = Writer(graph)
        self._real: dict[str, Array] = {}
        self._got: dict[str, Array] = {}
        self._stored: dict[str, Value] = {}
        self.losses = Losses()

    def run(self, on_step: Callable[[str], None]) -> Graph:
        """The quantized graph: float operators between Dequantize and Quantize."""
        inputs = tuple(self._input(value) for value in self._graph.inputs)
        last = last_uses(self._graph)
        for index, node in enumerate(self._graph.nodes):
            on_step(node.name)
            self._node(node)
            for name in last.get(index, ()):
                self._real.pop(name, None)
                self._got.pop(name, None)
        outputs = (self._stored.get(value.name, value) for value in self._graph.outputs)
        constants = (*self._graph.constants, *self._writer.constants)
        graph = erase_dead(
            Graph(self._graph.name, inputs, tuple(outputs), tuple(self._writer.nodes), constants)
        )
        verify_graph(graph)
        return graph

    def _input(self, value: Value) -> Value:
        array = self._samples[value.name]
        self._real[value.name] = array
        if value.name not in self._calibration.types:
            self._got[value.name] = array
            return value
        self._keep(value, array, "")
        if not self._scheme.unsigned_ends:
            return self._dequantized(value, Value(value.name, self._type(value)))
        given = Value(value.name, _unsigned(self._type(value)))
        lower = Value(self._writer.fresh(f"{value.name}_int8"), self._type(value))
        self._dequantized(
            value, self._writer.add(Requantize(DType.INT8), (given,), lower, Location())
        )
        return given

    def _dequantized(self, value: Value, stored: Value) -> Value:
        """`stored`, whose real numbers are read in the place of `value` from here on."""
        self._stored[value.name] = stored
        self._writer.real[value.name] = self._writer.dequantized(stored, f"{value.name}_read")
        return stored

    def _type(self, value: Value) -> TensorType:
        quantization = self._calibration.types[value.name]
        return TensorType(value.type.shape, self._scheme.activations, quantization)

    def _keep(self, value: Value, computed: Array, layer: str) -> None:
        """What integers make of a result of the quantized network, and what that loses."""
        quantization, dtype = self._calibration.types[value.name], self._scheme.activations
        self._got[value.name] = fake_quantized(computed, quantization, dtype)
        real, histogram = self._real[value.name], self._calibration.histogram(value.name)
        own = fake_quantized(real, quantization, dtype)
        self.losses.tensors.append(
            tensor_loss(
                value.name,
                layer,
                TensorType(value.type.shape, dtype, quantization),
                real,
                self._got[value.name],
                own,
                histogram,
            )
        )

    def _node(self, node: Node) -> None:
        operands = [operand(self._graph, value, self._real) for value in node.inputs]
        results = run_node(self._graph, node, operands, self._count)
        for value, array in zip(node.outputs, results, strict=True):
            self._real[value.name] = array
        product = self._integer_product(node)
        if product is None:
            inputs, arrays = self._operands(node)
            self._write(node, inputs, run_node(self._graph, node, arrays, self._count))
        else:
            inputs, result = self._layer(node, product)
            self._write(node, inputs, (result,))

    def _integer_product(self, node: Node) -> Product | None:
        """Of a layer that reads integers and gives some."""
        source = node.inputs[0] if node.inputs else None
        if source is None or source.name not in self._calibration.types:
            return None
        return product_of(node) if is_real_layer(self._graph, node) else None

    def _write(self, node: Node, inputs: Sequence[Value | None], results: Sequence[Array]) -> None:
        """The node in the new graph, and behind it what quantizes its results."""
        outputs = tuple(
            Value(self._writer.fresh(f"{value.name}_real"), value.type)
            if value.name in self._calibration.types
            else value
            for value in node.outputs
        )
        self._writer.nodes.append(Node(node.operator, tuple(inputs), outputs, node.location))
        for value, output, array in zip(node.outputs, outputs, results, strict=True):
            if output is value:
                self._writer.real[value.name] = output
                self._got[value.name] = array
                continue
            self._keep(value, array, node.operator.title)
            self._quantized(value, output, node.location)

    def _quantized(self, value: Value, real: Value, location: Location) -> None:
        """Integers for the real numbers that a node gives, by the name of `value`; of uint8 where the network ends."""
        type_ = self._type(value)
        if not (self._scheme.unsigned_ends and self._graph.is_output(value)):
            self._dequantized(value, self._writer.quantized(value.name, real, type_, location))
            return
        name = self._writer.fresh(f"{value.name}_int8")
        lower = self._dequantized(value, self._writer.quantized(name, real, type_, location))
        given = Value(value.name, _unsigned(type_))
        self._stored[value.name] = self._writer.add(
            Requantize(DType.UINT8), (lower,), given, location
        )

    def _layer(self, node: Node, product: Product) -> tuple[list[Value | None], Array]:
        """A layer's operands in the new graph, and what it computes in the quantized network."""
        source, weights = node.present_inputs[:2]
        read, wanted = self._got[source.name], self._real[source.name]
        bits = self._bits[node.name]
        step = self._calibration.types[source.name].scale
        given = self._rounded.get(node.name)
        layer = integer_layer(self._graph, product, bits, self._scheme, read, wanted, step, given)
        self.losses.weights.append(layer.loss)
        axis = product.operator.weights_axis
        stored = self._writer.weights(weights.name, layer.integers, layer.scales, axis)
        bias: Value | None = None
        if layer.bias is not None:
            name = node.present_inputs[2].name if len(node.present_inputs) > 2 else node.name
            type_ = TensorType(layer.bias.shape, DType.FLOAT32)
            bias = self._writer.constant(f"{name}_fitted", layer.bias, type_)
        return [self._writer.real[source.name], stored, bias], layer.results(read)

    def _operands(self, node: Node) -> tuple[list[Value | None], list[Array | None]]:
        """What a node that is no layer reads in the new graph, and its arrays; None for constants that stay."""
        inputs: list[Value | None] = []
        arrays: list[Array | None] = []
        for value in node.inputs:
            data = self._graph.constant(value)
            if value is None or (data is not None and not self._is_stored(node, value, data)):
                inputs.append(value)
                arrays.append(None)
            elif data is None:
                inputs.append(self._writer.real.get(value.name, value))
                arrays.append(self._got[value.name])
            else:
                stored, fake = self._constant(node, value, data)
                inputs.append(stored)
                arrays.append(np.broadcast_to(fake, (self._count, *fake.shape)))
        return inputs, arrays

    def _is_stored(self, node: Node, value: Value, data: Array) -> bool:
        """Whether a constant becomes integers."""
        if value.type.dtype is not DType.FLOAT32:
            return False
        is_uniform = bool((data == data.reshape(-1)[0]).all())
        return is_keeping(node.operator) or (isinstance(node.operator, _PAIRS) and not is_uniform)

    def _constant(self, node: Node, value: Value, data: Array) -> tuple[Value, Array]:
        """Of the result's quantization where its elements are kept; else of one by its largest magnitude."""
        dtype = self._scheme.activations
        quantization = self._calibration.types.get(node.name)
        if quantization is None or not is_keeping(node.operator):
            largest = float(np.abs(data.astype(np.float64)).max())
            power_of_two = self._scheme.power_of_two
            quantization = symmetric_quantization(largest, dtype, power_of_two=power_of_two)
        type_ = TensorType(data.shape, dtype, quantization)
        stored = self._writer.number(value.name, data, type_)
        return stored, fake_quantized(data, quantization, dtype)
