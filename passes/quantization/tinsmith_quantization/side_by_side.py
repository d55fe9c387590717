"""The float and the quantized network on all samples, node by node, and the quantized one as a graph."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from tinsmith_ir.dtypes import DType
from tinsmith_ir.evaluate import last_uses
from tinsmith_ir.graph import Array, Graph, Node, Value
from tinsmith_ir.operators import Add, BatchMatmul, Dequantize, Mul, Prelu, SquaredDifference, Sub
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
from tinsmith_quantization.layers import IntegerLayer, bits_of_layers, integer_layer
from tinsmith_quantization.lstm import IntegerLstm, LstmTypes
from tinsmith_quantization.products import Product, product_of
from tinsmith_quantization.ranges import symmetric_quantization
from tinsmith_quantization.schemes import Scheme
from tinsmith_quantization.tensors import Tensors
from tinsmith_quantization.weights import Rounded
from tinsmith_quantization.writing import Writer, fake_quantized

_PAIRS = (Add, BatchMatmul, Mul, Prelu, SquaredDifference, Sub)
"""Whose constants are integers, too."""


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
        self._tensors = Tensors(graph, calibration, self._writer)
        self._shared: dict[tuple[str, int], Value] = {}
        self.losses = self._tensors.losses

    def run(self, on_step: Callable[[str], None]) -> Graph:
        """The quantized graph: float operators between Dequantize and Quantize, and LSTMs of integers."""
        tensors, graph = self._tensors, self._graph
        inputs = tuple(tensors.input(value, self._samples[value.name]) for value in graph.inputs)
        for state in graph.states:
            tensors.input(state.value, self._samples[state.value.name])
        last = last_uses(graph)
        for index, node in enumerate(graph.nodes):
            on_step(node.name)
            self._node(node)
            tensors.forget(last.get(index, ()))
        constants = (*graph.constants, *self._writer.constants)
        nodes, states = tuple(self._writer.nodes), tensors.states()
        made = Graph(graph.name, inputs, tensors.outputs(), nodes, constants, states)
        found = erase_dead(made)
        verify_graph(found)
        return found

    def _node(self, node: Node) -> None:
        operands = [operand(self._graph, value, self._tensors.real) for value in node.inputs]
        results = run_node(self._graph, node, operands, self._count)
        for value, array in zip(node.outputs, results, strict=True):
            self._tensors.real[value.name] = array
        product = self._integer_product(node)
        if node.name in self._calibration.widths.lstms:
            self._lstm(node)
        elif product is None:
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
        tensors, writer = self._tensors, self._writer
        outputs = tuple(
            Value(writer.fresh(f"{value.name}_real"), value.type)
            if tensors.is_quantized(value)
            else value
            for value in node.outputs
        )
        writer.nodes.append(Node(node.operator, tuple(inputs), outputs, node.location))
        for value, output, array in zip(node.outputs, outputs, results, strict=True):
            if output is value:
                writer.real[value.name] = output
                tensors.got[value.name] = array
                continue
            tensors.keep(value, array, node.operator.title)
            type_, name = tensors.type_of(value), tensors.name(value)
            integers = writer.quantized(name, output, type_, node.location)
            tensors.computed(value, integers, node.location)

    def _lstm(self, node: Node) -> None:
        """A layer that reads and gives the integers themselves."""
        tensors = self._tensors
        of_hidden, of_cells = (tensors.type_of(value) for value in node.outputs[1:])
        wanted = (None, of_hidden.quantization, of_cells.quantization)
        dtypes = (DType.INT8, DType.INT8, DType.INT16)
        reads = [
            tensors.read_integers(value, dtype, quantization)
            for value, dtype, quantization in zip(
                node.present_inputs[:3], dtypes, wanted, strict=True
            )
        ]
        inputs = tuple(value for value, _ in reads)
        types = LstmTypes(inputs[0].type, of_hidden, of_cells)
        made = IntegerLstm(
            self._graph, node, types, self._writer, power_of_two=self._scheme.power_of_two
        )
        self.losses.weights.append(made.loss)
        results = made.results(inputs, [array for _, array in reads])
        outputs = tuple(
            Value(tensors.name(value), tensors.type_of(value)) for value in node.outputs
        )
        operands = (*inputs, *made.constants)
        self._writer.nodes.append(Node(made.operator, operands, outputs, node.location))
        for value, output, array in zip(node.outputs, outputs, results, strict=True):
            (real,) = Dequantize().evaluate([array], [output.type], [])
            tensors.keep(value, real, node.operator.title)
            tensors.computed(value, output, node.location)

    def _layer(self, node: Node, product: Product) -> tuple[list[Value | None], Array]:
        """A layer's operands in the new graph, and what it computes in the quantized network."""
        source = node.present_inputs[0]
        given, read = self._tensors.read(source, self._dtype(node))
        layer = self._integer_layer(node, product, read)
        bias: Value | None = None
        if layer.bias is not None:
            name = node.present_inputs[2].name if len(node.present_inputs) > 2 else node.name
            type_ = TensorType(layer.bias.shape, DType.FLOAT32)
            bias = self._writer.constant(f"{name}_fitted", layer.bias, type_)
        return [given, self._weights(node, product, layer), bias], layer.results(read)

    def _integer_layer(self, node: Node, product: Product, read: Array) -> IntegerLayer:
        """read: its input in the quantized network. Weights that several layers share have one form for all."""
        source, weights = node.present_inputs[:2]
        scheme, step = self._scheme, self._step(node)
        if len(self._graph.readers(weights)) > 1:
            scheme = replace(scheme, weights="nearest")
        if self._dtype(node) is not DType.INT8:
            scheme = replace(scheme, block=0)
        bits, wanted = self._bits[node.name], self._tensors.real[source.name]
        given = self._rounded.get(node.name)
        return integer_layer(self._graph, product, bits, scheme, read, wanted, step, given)

    def _step(self, node: Node) -> float:
        """The scale of what a layer reads."""
        source, dtype = node.present_inputs[0], self._dtype(node)
        if self._calibration.dtype(source.name) is dtype:
            return self._calibration.types[source.name].scale
        return self._calibration.copy(source.name, dtype).scale

    def _weights(self, node: Node, product: Product, layer: IntegerLayer) -> Value:
        """The real numbers that the weights of a layer stand for."""
        weights = node.present_inputs[1]
        key = weights.name, self._bits[node.name]
        if key not in self._shared:
            self.losses.weights.append(layer.loss)
            axis = product.operator.weights_axis
            self._shared[key] = self._writer.weights(
                weights.name, layer.integers, layer.scales, axis
            )
        return self._shared[key]

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
                read, array = self._tensors.read(value, self._dtype(node), self._wanted(node))
                inputs.append(read)
                arrays.append(array)
            else:
                stored, fake = self._constant(node, value, data)
                inputs.append(stored)
                arrays.append(np.broadcast_to(fake, (self._count, *fake.shape)))
        return inputs, arrays

    def _dtype(self, node: Node) -> DType:
        """Of what a node computes with."""
        return self._calibration.dtype(node.name)

    def _wanted(self, node: Node) -> Quantization | None:
        """The quantization of all operands of a node that keeps it."""
        return self._calibration.types.get(node.name) if is_keeping(node.operator) else None

    def _is_stored(self, node: Node, value: Value, data: Array) -> bool:
        """Whether a constant becomes integers."""
        if value.type.dtype is not DType.FLOAT32:
            return False
        is_uniform = bool((data == data.reshape(-1)[0]).all())
        return is_keeping(node.operator) or (isinstance(node.operator, _PAIRS) and not is_uniform)

    def _constant(self, node: Node, value: Value, data: Array) -> tuple[Value, Array]:
        """Of the result's quantization where its elements are kept; else of one by its largest magnitude."""
        dtype, quantization = self._dtype(node), self._wanted(node)
        if quantization is None:
            largest = float(np.abs(data.astype(np.float64)).max())
            power_of_two = self._scheme.power_of_two
            quantization = symmetric_quantization(largest, dtype, power_of_two=power_of_two)
        type_ = TensorType(data.shape, dtype, quantization)
        stored = self._writer.number(value.name, data, type_)
        return stored, fake_quantized(data, quantization, dtype)
