"""Evaluates nodes of float32 on all samples, for calibration: near the evaluator's results, and faster.

Layers with weights are products of doubles, which NumPy's library multiplies; all else is what the operator itself
says. An array of several samples has them along an axis in front of the value's own.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import numpy as np
from tinsmith_ir.activation import Activation
from tinsmith_ir.dtypes import DType
from tinsmith_ir.evaluate import evaluate_node, last_uses
from tinsmith_ir.graph import Array, Graph, Node, Value
from tinsmith_ir.operators.base import activation_of

from tinsmith_quantization.products import Matrix, Product, product_of

_BOUNDS = {
    Activation.NONE: (-np.inf, np.inf),
    Activation.RELU: (0.0, np.inf),
    Activation.RELU6: (0.0, 6.0),
    Activation.RELU_N1_TO_1: (-1.0, 1.0),
    Activation.RELU_0_TO_1: (0.0, 1.0),
}

Samples = Mapping[str, Array]
"""Inputs and states by name, each of shape (samples, *shape of the value)."""
OnNode = Callable[[Node, Sequence[Array | None]], None]
"""Is told a node and what it reads, of all samples; None for constants and what is absent."""


def _tells_nobody(node: Node, operands: Sequence[Array | None]) -> None:
    del node, operands


def evaluated(
    graph: Graph, samples: Samples, on_node: OnNode = _tells_nobody
) -> Iterator[tuple[Value, Array]]:
    """Each input, each state and each result of the graph with its arrays of all samples, in order."""
    values: dict[str, Array] = {}
    last = last_uses(graph)
    for value in (*graph.inputs, *(state.value for state in graph.states)):
        values[value.name] = samples[value.name]
        yield value, samples[value.name]
    count = len(next(iter(samples.values())))
    for index, node in enumerate(graph.nodes):
        operands = [operand(graph, value, values) for value in node.inputs]
        on_node(node, operands)
        for value, array in zip(node.outputs, run_node(graph, node, operands, count), strict=True):
            values[value.name] = array
            yield value, array
        for name in last.get(index, ()):
            values.pop(name, None)


def in_turn(
    samples: Iterable[Mapping[str, Array]],
    first: Mapping[str, Array],
    left: Callable[[Mapping[str, Array]], Mapping[str, Array]],
) -> Iterator[dict[str, Array]]:
    """Samples as runs one after another, each with what the one before left; `first` is in front of all.

    left: what a run leaves, of its sample with what it found; asked when the next sample is.
    """
    found = first
    for sample in samples:
        whole = {**sample, **found}
        yield whole
        found = left(whole)


def with_states(graph: Graph, inputs: Samples) -> Samples:
    """Inputs of all samples, and what states are in front of each: samples are runs one after another."""
    if not graph.states:
        return inputs
    count = len(next(iter(inputs.values())))
    samples = ({name: array[index] for name, array in inputs.items()} for index in range(count))
    first = {state.value.name: state.initial for state in graph.states}
    runs = list(in_turn(samples, first, lambda run: _left(graph, run)))
    return {**inputs, **{name: np.stack([run[name] for run in runs]) for name in first}}


def _left(graph: Graph, run: Mapping[str, Array]) -> dict[str, Array]:
    """What states are behind a run. run: its inputs, and the states in front of it."""
    values = {name: array[np.newaxis] for name, array in run.items()}
    for node in graph.nodes:
        operands = [operand(graph, value, values) for value in node.inputs]
        results = run_node(graph, node, operands, 1)
        values |= {value.name: array for value, array in zip(node.outputs, results, strict=True)}
    constants = graph.constant_data
    return {
        state.value.name: constants[state.next.name]
        if state.next.name in constants
        else values[state.next.name][0]
        for state in graph.states
    }


def operand(graph: Graph, value: Value | None, values: Mapping[str, Array]) -> Array | None:
    """What a node reads of all samples; None for constants and what is absent."""
    return None if value is None or graph.constant(value) is not None else values[value.name]


def run_node(
    graph: Graph, node: Node, operands: Sequence[Array | None], count: int
) -> tuple[Array, ...]:
    """The results of a node for `count` samples. operands: None for constants, which the graph has."""
    product = product_of(node)
    if product is not None and is_real_layer(graph, node):
        weights = graph.constant(node.inputs[1])
        bias = graph.constant(node.inputs[2]) if len(node.inputs) > 2 else None
        assert weights is not None
        assert operands[0] is not None
        matrix = product.matrix(weights)
        return (layer_results(product, matrix, bias, operands[0]),)
    found = [_run_one(graph, node, operands, index) for index in range(count)]
    return tuple(np.stack(arrays) for arrays in zip(*found, strict=True))


def is_real_layer(graph: Graph, node: Node) -> bool:
    """Whether a node multiplies float32 by constant weights, with a constant bias if any."""
    if product_of(node) is None or node.outputs[0].type.dtype is not DType.FLOAT32:
        return False
    if graph.constant(node.inputs[0]) is not None:
        return False
    constants = (value for value in node.inputs[1:] if value is not None)
    return all(graph.constant(value) is not None for value in constants)


def layer_results(product: Product, matrix: Matrix, bias: Array | None, samples: Array) -> Array:
    """What a layer gives for all samples. matrix: its weights, (G, O, K); bias: for each output channel."""
    low, high = _BOUNDS[activation_of(product.operator)]
    results: list[Array] = []
    for sample in samples:
        real = sums(product, matrix, bias, sample)
        results.append(np.clip(product.result(real), low, high).astype(np.float32))
    return np.stack(results)


def sums(product: Product, matrix: Matrix, bias: Array | None, sample: Array) -> Matrix:
    """(G, P, O): products and bias of one sample, before the activation."""
    found = product.rows(sample) @ matrix.transpose(0, 2, 1)
    if bias is not None:
        found += product.per_channel(bias)[:, None, :]
    return found


def _run_one(
    graph: Graph, node: Node, operands: Sequence[Array | None], index: int
) -> tuple[Array, ...]:
    values = {
        value.name: array[index]
        for value, array in zip(node.inputs, operands, strict=True)
        if value is not None and array is not None
    }
    return evaluate_node(node, {**graph.constant_data, **values})
