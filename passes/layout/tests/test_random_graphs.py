"""Random networks, as they are and with rearrangements between their nodes that undo each other."""

import numpy as np
import pytest
from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Graph, Node, Value
from tinsmith_ir.operators import Operator, Reshape, Transpose
from tinsmith_ir.testing import assert_same_bits, random_graph
from tinsmith_layout import MoveTransposes

DTYPES = [DType.INT8, DType.INT16, DType.FLOAT32]


def transposes(graph: Graph) -> int:
    return sum(isinstance(node.operator, Transpose) for node in graph.nodes)


class Shuffled:
    """A graph, some of whose values are rearranged and put back before they are read.

    in_parts: axes are taken apart before.
    """

    def __init__(self, graph: Graph, seed: int, *, in_parts: bool) -> None:
        self._random = np.random.default_rng(seed)
        self._in_parts = in_parts
        self._nodes: list[Node] = []
        read: dict[str, Value] = {}
        for node in graph.nodes:
            inputs = [value and read.get(value.name, value) for value in node.inputs]
            self._nodes.append(node.with_inputs(inputs))
            for value in node.outputs:
                if not graph.is_output(value) and _is_plain(value) and self._random.random() < 0.4:
                    read[value.name] = self._there_and_back(value)
        self.graph = graph.rebuilt(nodes=self._nodes)

    def _there_and_back(self, value: Value) -> Value:
        shape = value.type.shape
        sizes = [size for axis in shape for size in self._apart(axis)]
        permutation = tuple(int(axis) for axis in self._random.permutation(len(sizes)))
        back = tuple(permutation.index(axis) for axis in range(len(sizes)))
        between = tuple(sizes[axis] for axis in permutation)
        steps = [
            Reshape(tuple(sizes)),
            Transpose(permutation),
            Reshape((value.type.elements,)),
            Reshape(between),
            Transpose(back),
            Reshape(shape),
        ]
        for step in steps:
            value = self._add(step, value)
        return value

    def _apart(self, size: int) -> tuple[int, ...]:
        inner = int(self._random.choice([2, 3, 5]))
        is_whole = not self._in_parts or size % inner or size == inner
        return (size,) if is_whole else (size // inner, inner)

    def _add(self, operator: Operator, operand: Value) -> Value:
        (type_,) = operator.infer([operand.type])
        value = Value(f"moved_{len(self._nodes)}", type_)
        self._nodes.append(Node(operator, (operand,), (value,)))
        return value


def _is_plain(value: Value) -> bool:
    return value.type.quantization is None or value.type.quantization.axis is None


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("seed", range(60))
def test_random_graphs_keep_their_bits(seed: int, dtype: DType) -> None:
    graph = random_graph(seed, dtype=dtype, nodes=14)
    result = MoveTransposes().run(graph)
    assert transposes(result) <= transposes(graph)
    assert_same_bits(graph, result)
    assert MoveTransposes().run(result) is result


@pytest.mark.parametrize("in_parts", [False, True])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("seed", range(25))
def test_what_undoes_itself_is_gone(seed: int, dtype: DType, in_parts: bool) -> None:
    graph = random_graph(seed, dtype=dtype, nodes=14)
    shuffled = Shuffled(graph, seed, in_parts=in_parts).graph
    result = MoveTransposes().run(shuffled)
    assert transposes(result) <= transposes(graph)
    assert_same_bits(shuffled, result)
    assert MoveTransposes().run(result) is result


def test_random_graphs_do_give_the_pass_something_to_do() -> None:
    """Else the tests above would prove little."""
    graphs = [random_graph(seed, nodes=14) for seed in range(60)]
    assert sum(MoveTransposes().run(graph) is not graph for graph in graphs) > 3
    shuffled = [Shuffled(graph, 1, in_parts=True).graph for graph in graphs]
    assert sum(map(transposes, shuffled)) > 100
