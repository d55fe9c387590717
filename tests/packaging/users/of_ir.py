"""Graphs: read, walked through, evaluated, rewritten by a pass of one's own."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir import (
    BIT_EXACT,
    Contract,
    DType,
    Graph,
    GraphError,
    Node,
    Pipeline,
    Quantization,
    Relu,
    TensorType,
    evaluate_graph,
    parse_graph,
    print_graph,
    verify_graph,
)

TEXT = """graph 2 "g" {
  input %x: i8[1,4]<0.5, 0>
  %y: i8[1,4]<0.5, 0> = relu(%x)
  output %y
}
"""


@dataclass(frozen=True)
class Unchanged:
    """A pass that does nothing."""

    name: ClassVar[str] = "unchanged"
    contract: ClassVar[Contract] = BIT_EXACT

    def run(self, graph: Graph) -> Graph:
        return graph


def mnemonics(graph: Graph) -> list[str]:
    nodes: tuple[Node, ...] = graph.nodes
    return [node.operator.mnemonic for node in nodes if isinstance(node.operator, Relu)]


def outputs(graph: Graph, x: NDArray[np.int8]) -> Mapping[str, NDArray[np.generic]]:
    return dict(evaluate_graph(graph, {"x": x}))


def type_of_input(graph: Graph) -> tuple[DType, tuple[int, ...], Quantization | None]:
    found: TensorType = graph.inputs[0].type
    return found.dtype, found.shape, found.quantization


def main() -> None:
    graph = parse_graph(TEXT)
    try:
        verify_graph(graph)
    except GraphError as error:
        print(error.exit_status, error.problems)
    ran = Pipeline([Unchanged()]).run(graph).graph
    text: str = print_graph(ran)
    print(text, mnemonics(ran), type_of_input(ran))
    print(outputs(ran, np.zeros((1, 4), np.int8))["y"].tolist())


if __name__ == "__main__":
    main()
