"""How nearly a network of integers gives what the float network gives, on the calibration samples."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Array, Graph, Value
from tinsmith_ir.operators import Softmax

from tinsmith_quantization.execution import Samples, evaluated
from tinsmith_quantization.statistics import Losses, sqnr
from tinsmith_quantization.training.gradient_layers import LayerNumbers

_FINE_DB = 40.0
"""Of a softmax of few samples: a step of one of its integers is as much."""


@dataclass(frozen=True)
class Made:
    """A network of integers, made. layers: numbers of those with weights, by the name of the result. got: what it gives
    on the calibration samples, by name: outputs, and what is kept for the next run.
    """

    graph: Graph
    losses: Losses
    layers: Mapping[str, LayerNumbers]
    got: Mapping[str, Array]


@dataclass(frozen=True)
class Judge:
    """wanted: what the float network gives on the samples. scores: names of what a softmax at the end reads."""

    wanted: Mapping[str, Array]
    scores: Sequence[str]

    @staticmethod
    def of(graph: Graph, samples: Samples) -> "Judge":
        """By a float network."""
        kept = {name for name, value in graph.kept.items() if value.type.dtype is DType.FLOAT32}
        values = evaluated(graph, samples)
        wanted = {value.name: array for value, array in values if value.name in kept}
        return Judge(wanted, [value.name for value in scores_of(graph)])

    def decibels(self, made: Made) -> tuple[float, float]:
        """Signal to noise of what a network gives; and of the scores alone, which tell more: many make the same
        integers of a softmax.
        """
        lost = {found.name: found.sqnr_db for found in made.losses.tensors}
        outputs = sqnr(list(self.wanted.values()), [made.got[name] for name in self.wanted])
        return outputs, min((lost[name] for name in self.scores if name in lost), default=outputs)


def scores_of(graph: Graph) -> Iterator[Value]:
    """What a softmax at the end reads."""
    for output in graph.outputs:
        node = graph.producer(output)
        if node is not None and isinstance(node.operator, Softmax):
            yield node.present_inputs[0]


def is_no_worse(before: tuple[float, float], after: tuple[float, float]) -> bool:
    """Of `Judge.decibels`: neither scores nor outputs lose, where outputs as good as a softmax's integers can tell are
    alike.
    """
    (outputs, scores), (new_outputs, new_scores) = before, after
    return new_scores >= scores and min(new_outputs, _FINE_DB) >= min(outputs, _FINE_DB)
