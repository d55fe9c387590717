"""States for random networks: operands that come from the run before."""

from collections.abc import Iterator

import numpy as np

from tinsmith_ir.graph import Graph, Node, State, Value


def with_states(graph: Graph, seed: int, *, share: float = 0.3) -> Graph:
    """The graph with some operands put off by one run, or by two.

    share: how likely that is of an operand that is no constant. What such an operand is in the first run is random.
    """
    late = _Late(graph, np.random.default_rng(seed), share)
    nodes = [late.node(node) for node in graph.nodes]
    return graph.rebuilt(nodes=nodes, states=(*graph.states, *late.states.values()))


class _Late:
    """states: by the name of what is next."""

    def __init__(self, graph: Graph, random: np.random.Generator, share: float) -> None:
        self._graph = graph
        self._random = random
        self._share = share
        self.states: dict[str, State] = {}

    def node(self, node: Node) -> Node:
        return node.with_inputs([*self._operands(node)])

    def _operands(self, node: Node) -> Iterator[Value | None]:
        for value in node.inputs:
            is_late = value is not None and self._random.random() < self._share
            if value is None or self._graph.constant(value) is not None or not is_late:
                yield value
            else:
                late = self._before(value)
                yield self._before(late) if self._random.random() < self._share else late

    def _before(self, value: Value) -> Value:
        """What `value` was in the run before."""
        if value.name not in self.states:
            late = Value(f"{value.name}.before", value.type)
            # Small numbers, which every quantization and every float has.
            numbers = self._random.integers(-4, 5, value.type.shape)
            initial = numbers.astype(value.type.dtype.numpy)
            self.states[value.name] = State(late, initial, value)
        return self.states[value.name].value
