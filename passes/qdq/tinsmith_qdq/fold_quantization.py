"""The pass, and which graphs it is for."""

from dataclasses import dataclass
from typing import ClassVar

from tinsmith_ir.checked import checked
from tinsmith_ir.graph import Graph
from tinsmith_ir.operators import Quantize
from tinsmith_ir.passes import Contract, Metric, Outcome, Tolerance
from tinsmith_ir.rewrite import apply_patterns

from tinsmith_qdq.borders import moves_as_int8, turns_back
from tinsmith_qdq.folds import folds
from tinsmith_qdq.lookups import looks_up_twice
from tinsmith_qdq.monotone import rises, sinks
from tinsmith_qdq.remaining import listed, remaining

_MOST_SWEEPS = 64
"""Each of which is right; networks need a few."""


@dataclass(frozen=True)
class FoldQuantization:
    """Operators of integers in place of those of float32 between Dequantize and Quantize.

    For graphs that quantize with halves to even, as importers of ONNX and PyTorch say it; all others stay as they are.
    What has no form of integers that is within a step of what it was stays float32.
    """

    name: ClassVar[str] = "fold-quantization"
    # Scales, weights and bias are the same numbers, so each operator rounds the same real number, in another way.
    contract: ClassVar[Contract] = Tolerance(Metric.STEPS_OF_EACH, 1.0)

    @checked
    def run(self, graph: Graph) -> Graph:
        """The graph with more integers; `graph` itself if nothing can be folded."""
        if not any(is_foldable(node.operator) for node in graph.nodes):
            return graph
        for _ in range(_MOST_SWEEPS):
            # What a Quantize went in front of is read no more, but counts as read until it is erased.
            folded = apply_patterns(
                graph, [turns_back, moves_as_int8, sinks, rises, folds, looks_up_twice]
            )
            if folded is graph:
                break
            graph = folded
        return graph

    @checked
    def run_in_detail(self, graph: Graph) -> Outcome[Graph]:
        """As `run`, with a warning for each kind of operator that stays float32, and why; none of graphs of others."""
        if not any(is_foldable(node.operator) for node in graph.nodes):
            return Outcome(graph)
        result = self.run(graph)
        return Outcome(result, tuple(listed(remaining(result))))


def is_foldable(operator: object) -> bool:
    """Whether it is a Quantize that asks for integers in front of it."""
    return isinstance(operator, Quantize) and operator.halves_to_even
