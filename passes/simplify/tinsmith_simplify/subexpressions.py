"""Computes once, and stores once, what is there several times."""

import hashlib
from collections.abc import Hashable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from tinsmith_ir.checked import checked
from tinsmith_ir.graph import Constant, Graph, Node, Value
from tinsmith_ir.passes import BIT_EXACT, Contract


@dataclass(frozen=True)
class MergeCommonSubexpressions:
    """Let readers of equal nodes and of equal constants read the first of them.

    Nodes are equal when operator, operands and result types are. A node that computes a graph
    output stays, but what reads it may read an equal one instead.
    """

    name: ClassVar[str] = "merge-common-subexpressions"
    # Equal nodes compute equal values.
    contract: ClassVar[Contract] = BIT_EXACT

    @checked
    def run(self, graph: Graph) -> Graph:
        """The graph without repetitions; `graph` itself if there are none."""
        merge = _Merge(graph)
        constants = [c for c in graph.constants if merge.keeps(_constant_key(c), (c.value,))]
        nodes: list[Node] = []
        for node in graph.nodes:
            renamed = merge.renamed(node)
            if merge.keeps(_node_key(renamed), node.outputs):
                nodes.append(renamed)
        if tuple(nodes) == graph.nodes and len(constants) == len(graph.constants):
            return graph
        return graph.rebuilt(nodes=nodes, constants=constants)


class _Merge:
    """The first of each kind, and what is read instead of the others."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._first: dict[Hashable, tuple[Value, ...]] = {}
        self._replaced: dict[str, Value] = {}

    def keeps(self, key: Hashable, values: tuple[Value, ...]) -> bool:
        """True if the definition of `values` has to stay; else they are replaced from now on."""
        first = self._first.setdefault(key, values)
        if first is values:
            return True
        self._replaced |= {value.name: old for value, old in zip(values, first, strict=True)}
        return any(self._graph.is_output(value) for value in values)

    def renamed(self, node: Node) -> Node:
        """`node` reading the first of each of its operands; the very node if it does."""
        if not any(value.name in self._replaced for value in node.present_inputs):
            return node
        inputs = [value and self._replaced.get(value.name, value) for value in node.inputs]
        return node.with_inputs(inputs)


def _constant_key(constant: Constant) -> Hashable:
    """A digest stands for the bytes, which need not be there twice."""
    return constant.value.type, hashlib.sha256(np.ascontiguousarray(constant.data).data).digest()


def _node_key(node: Node) -> Hashable:
    """The operator by its text: as an object, an attribute of -0.0 equals one of 0.0."""
    names = tuple(value and value.name for value in node.inputs)
    return repr(node.operator), names, tuple(value.type for value in node.outputs)
