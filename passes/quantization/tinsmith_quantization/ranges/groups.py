"""Which tensors have one quantization together, and which one is given by what computes them."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Graph, Node, Value
from tinsmith_ir.operators import (
    Add,
    AveragePool2D,
    Broadcast,
    Concat,
    Gather,
    L2Normalization,
    Logistic,
    LogSoftmax,
    Maximum,
    MaxPool2D,
    Minimum,
    Operator,
    Pad,
    ReduceMax,
    ReduceMin,
    Reshape,
    ResizeBilinear,
    Select,
    Slice,
    Softmax,
    Tanh,
    TopK,
    Transpose,
)
from tinsmith_ir.operators.base import Trait
from tinsmith_ir.types import Quantization

from tinsmith_quantization.execution import is_real_layer
from tinsmith_quantization.ranges.widths import Widths, widths_of
from tinsmith_quantization.schemes import Scheme

_KEEPING = (
    AveragePool2D,
    Broadcast,
    Concat,
    Gather,
    Maximum,
    MaxPool2D,
    Minimum,
    Pad,
    ReduceMax,
    ReduceMin,
    Reshape,
    ResizeBilinear,
    Select,
    Slice,
    TopK,
    Transpose,
)
"""The result is made of elements of the operands, or lies between such: integers of one scale stay what they are."""

FIXED: Mapping[DType, Mapping[type[Operator], Quantization]] = {
    DType.INT8: {
        Softmax: Quantization.per_tensor(1 / 256, -128),
        Logistic: Quantization.per_tensor(1 / 256, -128),
        Tanh: Quantization.per_tensor(1 / 128, 0),
        LogSoftmax: Quantization.per_tensor(16 / 256, 127),
        L2Normalization: Quantization.per_tensor(1 / 128, 0),
    },
    DType.INT16: {
        Softmax: Quantization.per_tensor(1 / 32768, 0),
        Logistic: Quantization.per_tensor(1 / 32768, 0),
        Tanh: Quantization.per_tensor(1 / 32768, 0),
    },
}
"""What TFLite's kernels give, whatever they are asked for (its quantization specification)."""


@dataclass(frozen=True)
class Groups:
    """members: name of a float value -> the name that stands for all with the same quantization.

    quantized: names of values that are quantized as soon as they are computed; the others are functions of one number
    on their way to another operator, and states of what stays float32. widths: which have 16 bits among 8.
    """

    members: Mapping[str, str]
    quantized: frozenset[str]
    widths: Widths

    def fixed(self, graph: Graph, usual: DType) -> dict[str, Quantization]:
        """Of the groups in which an operator gives the quantization itself: that. usual: element type of the scheme."""
        found: dict[str, Quantization] = {}
        for node in graph.nodes:
            given = FIXED[self.widths.dtype(node.name, usual)].get(type(node.operator))
            if given is not None and node.name in self.quantized:
                found.setdefault(self.members[node.name], given)
        return found


def is_keeping(operator: Operator) -> bool:
    """Whether operands and result have one quantization."""
    return isinstance(operator, _KEEPING)


def real_operands(node: Node) -> list[Value]:
    """Those of float32."""
    return [value for value in node.present_inputs if value.type.dtype is DType.FLOAT32]


def grouped(graph: Graph, scheme: Scheme, same: Iterable[tuple[str, str]] = ()) -> Groups:
    """The groups of a graph, as a scheme quantizes it. same: pairs of names of values that have one quantization
    besides.
    """
    widths = widths_of(graph, scheme)
    parents: dict[str, str] = {}

    def top(name: str) -> str:
        while parents.get(name, name) != name:
            name = parents[name]
        return name

    reals = [value for value in graph.values.values() if value.type.dtype is DType.FLOAT32]
    sums = _sums(graph) if scheme.alike_sums else ()
    for together in (*_together(graph, widths), *sums, *same):
        first, *others = map(top, together)
        for other in others:
            parents[top(other)] = top(first)
    # A table of int16 has 65536 entries, which nobody keeps.
    has_tables = scheme.tables and scheme.activations is DType.INT8
    inside = _inside_functions(graph) if has_tables else set[str]()
    quantized = {value.name for value in reals if graph.constant(value) is None}
    return Groups(
        {value.name: top(value.name) for value in reals},
        frozenset(quantized - (inside - widths.gated) - widths.floats),
        widths,
    )


def _together(graph: Graph, widths: Widths) -> Iterator[list[str]]:
    """Names of values that have one quantization."""

    def alike(name: str, *others: Value | None) -> list[str]:
        """With those of the others that are computed, and of the same width."""
        return [
            name,
            *(
                value.name
                for value in others
                if value is not None
                and graph.constant(value) is None
                and widths.is_wide(value.name) == widths.is_wide(name)
            ),
        ]

    for node in graph.nodes:
        if node.name in widths.lstms:
            given, hidden, cells = node.outputs
            yield [given.name, *alike(hidden.name, node.inputs[1])]
            yield alike(cells.name, node.inputs[2])
        elif is_keeping(node.operator) and node.outputs[0].type.dtype is DType.FLOAT32:
            yield alike(node.name, *real_operands(node))
    for state in graph.states:
        if state.value.type.dtype is DType.FLOAT32:
            yield alike(state.value.name, state.next)
    for name in graph.constant_data:
        layers = [node for node in graph.users.get(name, ()) if _multiplies(graph, node, name)]
        if len(layers) > 1:
            yield alike(layers[0].name, *(node.outputs[0] for node in layers))
            sources = [node.present_inputs[0] for node in layers]
            is_wide = [widths.is_wide(value.name) for value in sources]
            for first in sorted({is_wide.index(wide) for wide in is_wide}):
                yield alike(sources[first].name, *sources)


def _sums(graph: Graph) -> Iterator[list[str]]:
    """Names of results of sums and of what is added, where both operands are computed and have the result's shape."""
    for node in graph.nodes:
        values = [*node.present_inputs, *node.outputs]
        is_real = all(value.type.dtype is DType.FLOAT32 for value in values)
        is_alike = len({value.type.shape for value in values}) == 1
        if not isinstance(node.operator, Add) or not (is_real and is_alike):
            continue
        if all(graph.constant(value) is None for value in node.present_inputs):
            yield [value.name for value in values]


def _multiplies(graph: Graph, node: Node, weights: str) -> bool:
    """Whether a layer has these weights. Steps of a recurrent layer share them, and have one form of all constants."""
    return is_real_layer(graph, node) and node.present_inputs[1].name == weights


def _inside_functions(graph: Graph) -> set[str]:
    """Values on the way from one number to a function of it, which need no integers of their own."""
    roots: dict[str, str] = {}
    for node in graph.nodes:
        root = _root(graph, node, roots)
        roots |= {value.name: root or value.name for value in node.outputs}
    found: set[str] = set()
    for node in graph.nodes:
        value, readers = node.outputs[0], graph.readers(node.outputs[0])
        root = roots[value.name]
        if root == value.name or graph.is_output(value) or not readers:
            continue
        if all(roots[reader.name] == root for reader in readers):
            found.add(value.name)
    return found


def _root(graph: Graph, node: Node, roots: Mapping[str, str]) -> str | None:
    """The value whose numbers decide those of a node's result, one each; None if there are several."""
    if Trait.ELEMENTWISE not in node.operator.traits or is_keeping(node.operator):
        return None
    found: set[str] = set()
    for value in node.present_inputs:
        data = graph.constant(value)
        if data is None:
            if value.type.shape != node.outputs[0].type.shape:
                return None
            found.add(roots.get(value.name, value.name))
        elif data.size > 1 and not bool((data == data.reshape(-1)[0]).all()):
            return None
    return found.pop() if len(found) == 1 else None
