"""A pass: thresholds of fewer elements."""

from dataclasses import dataclass, replace
from typing import ClassVar

from tinsmith_ir import BIT_EXACT, Contract, Graph
from tinsmith_ir.graph import GraphView, Node, Value
from tinsmith_ir.operators import Activation, MaxPool2D
from tinsmith_ir.rewrite import Rewrite, apply_patterns

from .operator import ThresholdedRelu


def is_pooled(graph: GraphView, node: Node) -> Rewrite | None:
    """A max pool behind a threshold from 0 on, which is monotonic: pooled first, the result is the same."""
    operand, (result,) = node.present_inputs[0], node.outputs
    producer = graph.producer(operand)
    if not isinstance(node.operator, MaxPool2D) or producer is None:
        return None
    if not isinstance(producer.operator, ThresholdedRelu) or producer.operator.theta < 0:
        return None
    if node.operator.activation is not Activation.NONE or graph.only_user(operand) is not node:
        return None
    if operand.type.quantization != result.type.quantization:
        return None
    pooled = Value(f"{result.name}.pooled", result.type)
    pool = replace(node, inputs=producer.inputs, outputs=(pooled,))
    return Rewrite(node.outputs, (pool, replace(producer, inputs=(pooled,), outputs=node.outputs)))


@dataclass(frozen=True)
class PoolBeforeThresholds:
    """Let a max pool come before the threshold in front of it."""

    name: ClassVar[str] = "pool-before-thresholds"
    contract: ClassVar[Contract] = BIT_EXACT

    def run(self, graph: Graph) -> Graph:
        """The graph; the same object if no threshold moves."""
        return apply_patterns(graph, [is_pooled])
