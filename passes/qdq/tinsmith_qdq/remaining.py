"""What stays float32 in a network of integers, and why."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tinsmith_ir.checked import Checked, checked
from tinsmith_ir.dtypes import DType
from tinsmith_ir.escape import visible
from tinsmith_ir.graph import Graph, Node
from tinsmith_ir.operators import Dequantize, Quantize, Reshape, Transpose

from tinsmith_qdq.folds import fold
from tinsmith_qdq.monotone import is_choosing

_SHOWN = 3


@dataclass(frozen=True)
class Remaining(Checked):
    """An operator that computes float32, and why."""

    node: Node
    reason: str


@checked
def remaining(graph: Graph) -> Sequence[Remaining]:
    """The operators that compute float32 of what a run gives, of a graph that has been folded; none of others."""
    if not any(isinstance(node.operator, Quantize | Dequantize) for node in graph.nodes):
        return ()
    computed = _computed(graph)
    return tuple(
        Remaining(node, _reason(graph, node))
        for node in graph.nodes
        if node.name in computed and _is_float(node)
    )


def listed(found: Sequence[Remaining]) -> Iterator[str]:
    """A line for each kind of operator and reason."""
    groups: dict[tuple[str, str], list[str]] = {}
    for each in found:
        key = each.node.operator.title, each.reason
        groups.setdefault(key, []).append(visible(each.node.name))
    for (title, reason), names in groups.items():
        more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
        yield f"{title} stays float32: {reason}: {', '.join(names[:_SHOWN])}{more}"


def _computed(graph: Graph) -> set[str]:
    """Names of the results that depend on inputs or states."""
    found = {value.name for value in graph.inputs} | {state.value.name for state in graph.states}
    for node in graph.nodes:
        if any(value.name in found for value in node.present_inputs):
            found |= {value.name for value in node.outputs}
    return found


def _is_float(node: Node) -> bool:
    # What only arranges elements goes with its neighbours, and other passes move it.
    if isinstance(node.operator, Quantize | Dequantize | Transpose | Reshape):
        return False
    return any(value.type.dtype is DType.FLOAT32 for value in (*node.outputs, *node.present_inputs))


def _reason(graph: Graph, node: Node) -> str:
    result = node.outputs[0]
    if result.type.dtype is not DType.FLOAT32:
        return "its operands are float32"
    readers = graph.readers(result)
    if graph.is_output(result):
        return "the network gives its result"
    quantizes = [reader for reader in readers if isinstance(reader.operator, Quantize)]
    if not quantizes:
        return "its result is not quantized"
    if len(readers) > 1:
        return "its result is read as float32, too, or quantized in several ways"
    if is_choosing(node.operator):
        return "its operands are float32"
    found = fold(graph, quantizes[0])
    return found if isinstance(found, str) else "its Quantize is not that of ONNX or PyTorch"
