"""Masks of attention: numbers below all others, which hide elements from a softmax, made such that integers have them.

Minus infinity is in no range, and a range that reached to -1e9 would leave nothing of the scores.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Array, Constant, Graph, Node, Value
from tinsmith_ir.operators import Add, Select, Softmax
from tinsmith_ir.rewrite import erase_dead, fresh_name
from tinsmith_ir.types import TensorType
from tinsmith_ir.verify import verify_graph

from tinsmith_quantization.execution import Samples, evaluated

_HIDING = -1000.0
"""Numbers from here down hide elements: no score is so far above another."""
_BELOW = 8.0
"""How far below the least score hidden elements are: their share is exp(-8), a twelfth of the step of a softmax."""


@dataclass(frozen=True)
class _Mask:
    """scores: what is masked. condition: where, or the same as data, `where`. swapped: whether it says where not."""

    node: Node
    scores: Value
    condition: Value | None = None
    where: NDArray[np.bool_] | None = None
    swapped: bool = False


def with_near_masks(graph: Graph, samples: Samples) -> Graph:
    """The graph with numbers a little below the least score on the samples in the place of those that hide elements.

    Sums with a constant of such numbers and zeros become a choice. The graph itself if there are none.
    """
    masks = {mask.node.name: mask for mask in _masks(graph)}
    if not masks:
        return graph
    scores = {mask.scores.name for mask in masks.values()}
    least = {
        value.name: float(array.min())
        for value, array in evaluated(graph, samples)
        if value.name in scores
    }
    nodes: list[Node] = []
    constants = list(graph.constants)
    for node in graph.nodes:
        mask = masks.get(node.name)
        if mask is None:
            nodes.append(node)
            continue
        level = np.array(least[mask.scores.name] - _BELOW, np.float32)
        hidden = _constant(graph, constants, f"{node.name}_hidden", level, DType.FLOAT32)
        condition = mask.condition
        if mask.where is not None:
            condition = _constant(graph, constants, f"{node.name}_where", mask.where, DType.BOOL)
        chosen = (mask.scores, hidden) if mask.swapped else (hidden, mask.scores)
        nodes.append(Node(Select(), (condition, *chosen), node.outputs, node.location))
    found = erase_dead(graph.rebuilt(nodes=nodes, constants=constants))
    verify_graph(found)
    return found


def _constant(
    graph: Graph, constants: list[Constant], hint: str, data: Array, dtype: DType
) -> Value:
    value = Value(fresh_name(graph, hint), TensorType(data.shape, dtype))
    constants.append(Constant(value, data))
    return value


def _masks(graph: Graph) -> Iterator[_Mask]:
    for node in graph.nodes:
        result = node.outputs[0]
        readers = graph.readers(result)
        if graph.is_output(result) or not readers:
            continue
        if all(isinstance(reader.operator, Softmax) for reader in readers):
            mask = _mask(graph, node)
            if mask is not None and graph.constant(mask.scores) is None:
                yield mask


def _mask(graph: Graph, node: Node) -> _Mask | None:
    if isinstance(node.operator, Select):
        condition, first, second = node.present_inputs
        if _hides(graph, first):
            return _Mask(node, second, condition)
        return _Mask(node, first, condition, swapped=True) if _hides(graph, second) else None
    if not isinstance(node.operator, Add) or node.outputs[0].type.dtype is not DType.FLOAT32:
        return None
    for scores, other in (node.present_inputs, node.present_inputs[::-1]):
        data = _real(graph, other)
        if data is None:
            continue
        where = data <= _HIDING
        if bool(where.any()) and bool((where | (data == 0)).all()):
            return _Mask(node, scores, where=where)
    return None


def _hides(graph: Graph, value: Value) -> bool:
    data = _real(graph, value)
    return data is not None and bool((data <= _HIDING).all())


def _real(graph: Graph, value: Value) -> NDArray[np.float32] | None:
    """A constant of real numbers."""
    data = graph.constant(value)
    is_real = data is not None and value.type.dtype is DType.FLOAT32
    return np.asarray(data, np.float32) if is_real else None
