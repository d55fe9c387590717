"""The rules of a Graph and of a Program, as tables: what must hold, the test, what was found.

`verify_graph` and `verify_program` raise GraphError for the first broken rule, with the text of the
node and where it came from.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tinsmith_ir.errors import GraphError
from tinsmith_ir.graph import Graph, Node, Value
from tinsmith_ir.operators.base import Operator
from tinsmith_ir.printer import print_name, print_node, print_type
from tinsmith_ir.types import TensorType

MAX_TENSOR_BYTES = (1 << 31) - 1


@dataclass(frozen=True)
class TypeRule:
    """What must hold of a tensor's type, and what to say when it does not."""

    what: str
    holds: Callable[[TensorType], bool]
    found: Callable[[TensorType], object]


TYPE_RULES: tuple[TypeRule, ...] = (
    TypeRule(
        "every dimension is at least 1",
        lambda t: min(t.shape, default=1) >= 1,
        lambda t: f"shape {t.shape}",
    ),
    TypeRule(
        "a tensor is smaller than 2 GiB",
        lambda t: t.size_bytes <= MAX_TENSOR_BYTES,
        lambda t: f"shape {t.shape}",
    ),
    TypeRule(
        "only integers are quantized",
        lambda t: t.quantization is None or t.dtype.is_integer,
        lambda t: t.dtype.value,
    ),
    TypeRule(
        "a quantization has one scale, or one for each index of its axis",
        lambda t: t.quantization is None or len(t.quantization.scales) == _slices(t),
        lambda t: t.quantization and f"{len(t.quantization.scales)} scales for shape {t.shape}",
    ),
    TypeRule(
        "a quantization has as many zero points as scales",
        lambda t: (
            t.quantization is None or len(t.quantization.scales) == len(t.quantization.zero_points)
        ),
        lambda t: t.quantization and f"{len(t.quantization.zero_points)} zero points",
    ),
    TypeRule(
        "scales are finite and above 0",
        lambda t: (
            t.quantization is None
            or all(math.isfinite(scale) and scale > 0 for scale in t.quantization.scales)
        ),
        lambda t: t.quantization and t.quantization.scales,
    ),
    TypeRule(
        "zero points lie within the dtype",
        lambda t: t.quantization is None or _zero_points_fit(t),
        lambda t: t.quantization and t.quantization.zero_points,
    ),
)


def _slices(type_: TensorType) -> int:
    """How many scales the quantization must have; -1 for an axis that is not there."""
    axis = type_.quantization.axis if type_.quantization else None
    if axis is None:
        return 1
    return type_.shape[axis] if 0 <= axis < len(type_.shape) else -1


def _zero_points_fit(type_: TensorType) -> bool:
    low, high = type_.dtype.integer_range
    quantization = type_.quantization
    return quantization is None or all(low <= zero <= high for zero in quantization.zero_points)


def verify_type(type_: TensorType) -> None:
    """Raise GraphError for the first rule of TYPE_RULES that `type_` breaks."""
    for rule in TYPE_RULES:
        if not rule.holds(type_):
            raise GraphError(f"{rule.what}: got {rule.found(type_)}")


@dataclass(frozen=True)
class GraphRule:
    """What must hold of a whole graph, and the findings where it does not."""

    what: str
    findings: Callable[[Graph], Iterator[str]]


@dataclass(frozen=True)
class NodeRule:
    """What must hold of a node by itself, and the findings where it does not."""

    what: str
    findings: Callable[[Node], Iterator[str]]


def verify_graph(graph: Graph) -> None:
    """Raise GraphError unless every rule holds, naming the node, its location and the tensor."""
    for graph_rule in GRAPH_RULES:
        for finding in graph_rule.findings(graph):
            raise GraphError(f"graph {graph.name!r}: {graph_rule.what}: {finding}")
    for node in graph.nodes:
        for node_rule in NODE_RULES:
            for finding in node_rule.findings(node):
                raise GraphError(f"{_where(graph, node)}: {node_rule.what}: {finding}")


def _where(graph: Graph, node: Node) -> str:
    return f"graph {graph.name!r}, {node.location}, in\n  {print_node(node)}\n"


def _definitions(graph: Graph) -> Iterator[Value]:
    yield from graph.inputs
    yield from (constant.value for constant in graph.constants)
    yield from (value for node in graph.nodes for value in node.outputs)


def _broken_types(graph: Graph) -> Iterator[str]:
    for value in _definitions(graph):
        try:
            verify_type(value.type)
        except GraphError as error:
            yield f"{print_name(value.name)}: {print_type(value.type)}: {error}"


def _repeated_names(graph: Graph) -> Iterator[str]:
    seen: set[str] = set()
    for value in _definitions(graph):
        if value.name in seen:
            yield f"{print_name(value.name)} is defined twice"
        seen.add(value.name)


def _unknown_reads(graph: Graph) -> Iterator[str]:
    defined = {value.name: value for value in graph.inputs}
    defined |= {constant.value.name: constant.value for constant in graph.constants}
    for node in graph.nodes:
        for value in node.present_inputs:
            yield from _misread(defined, value, print_node(node))
        defined |= {value.name: value for value in node.outputs}
    for value in graph.outputs:
        yield from _misread(defined, value, "the graph's outputs")


def _misread(defined: dict[str, Value], value: Value, reader: str) -> Iterator[str]:
    known = defined.get(value.name)
    if known is None:
        yield f"{print_name(value.name)} in {reader}"
    elif known.type != value.type:
        yield (
            f"{print_name(value.name)} is {print_type(known.type)} "
            f"but read as {print_type(value.type)} in {reader}"
        )


def _wrong_constants(graph: Graph) -> Iterator[str]:
    for constant in graph.constants:
        expected = constant.value.type
        if constant.data.shape != expected.shape or constant.data.dtype != expected.dtype.numpy:
            yield f"{print_name(constant.value.name)} holds {constant.data.dtype}{constant.data.shape}"


def _no_outputs(graph: Graph) -> Iterator[str]:
    if not graph.outputs:
        yield "it has none"


GRAPH_RULES: tuple[GraphRule, ...] = (
    GraphRule("each type is well formed", _broken_types),
    GraphRule("each value has one definition", _repeated_names),
    GraphRule("a value is defined before it is read, with the same type", _unknown_reads),
    GraphRule("a constant's data have its shape and dtype", _wrong_constants),
    GraphRule("a graph has outputs", _no_outputs),
)


def _wrong_operands(node: Node) -> Iterator[str]:
    yield from operand_findings(node.operator, [value is not None for value in node.inputs])


def operand_findings(operator: Operator, given: list[bool]) -> Iterator[str]:
    """What is wrong with operands of which `given` says whether each is there."""
    operands = operator.operands
    variadic = bool(operands) and operands[-1].variadic
    if len(given) > len(operands) and not variadic:
        yield f"expected {len(operands)} operands, got {len(given)}"
    for index, operand in enumerate(operands):
        if not operand.optional and (index >= len(given) or not given[index]):
            yield f"expected operand '{operand.name}', got none"
    if variadic and not all(given):
        yield f"expected no gap in '{operands[-1].name}'"


def _wrong_results(node: Node) -> Iterator[str]:
    types = [value.type if value else None for value in node.inputs]
    yield from operator_findings(node.operator, types, [value.type for value in node.outputs])


def operator_findings(
    operator: Operator, inputs: list[TensorType | None], outputs: list[TensorType]
) -> Iterator[str]:
    """What is wrong with an operator on these types: its own rules, and results that differ from
    what it infers.
    """
    try:
        inferred = operator.infer(inputs)
        if len(inferred) != len(outputs):
            yield f"expected {len(inferred)} results, got {len(outputs)}"
            return
        for expected, got in zip(inferred, outputs, strict=True):
            if (expected.shape, expected.dtype) != (got.shape, got.dtype):
                yield f"expected a result {print_type(expected)}, got {print_type(got)}"
        operator.verify(inputs, outputs)
    except GraphError as error:
        yield str(error)


NODE_RULES: tuple[NodeRule, ...] = (
    NodeRule("operands are those of the operator", _wrong_operands),
    NodeRule("types are those the operator takes", _wrong_results),
)
