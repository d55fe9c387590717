"""What a network that is trained is to give as the float network does: its outputs, and what leads to them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from tinsmith_ir.graph import Graph, Node, Value
from tinsmith_ir.operators import Softmax

from tinsmith_quantization.execution import is_real_layer
from tinsmith_quantization.training.exact import Reals, total
from tinsmith_quantization.training.gradient_operators import softmax

_TEMPERATURE = 2.0
_SQUARES = 0.05
"""How much squared differences of scores count beside the divergence."""
_FEATURES, _MAPS = 2.0, 1.0
"""How much what the last layer reads counts, relative to its mean square, and what the layer before it gives."""
_SCORES = 4.0
"""The same of scores, where squares alone count."""
_TINY = 1e-12


@dataclass(frozen=True)
class Goal:
    """A value of the float network that the trained one is to give, too. is_score: whether a softmax reads it at the
    end. weight: how much it counts, if none does.
    """

    value: Value
    is_score: bool = False
    weight: float = 1.0

    def slope(self, wanted: Reals, got: Reals) -> Reals:
        """Derivative of the loss by the value, of the mean over the samples of a batch.

        Scores: the divergence of the softmax of both, each over the temperature, by its square, and squared
        differences. Else: squared differences over the mean square of what is wanted.
        """
        if not self.is_score:
            power = float(total(wanted**2, tuple(range(wanted.ndim))))
            return 2 * self.weight * (got - wanted) / max(power, _TINY)
        difference = softmax(got / _TEMPERATURE) - softmax(wanted / _TEMPERATURE)
        return _TEMPERATURE * difference / len(wanted) + 2 * _SQUARES * (got - wanted) / wanted.size


def goals_of(graph: Graph) -> list[Goal]:
    """What softmax reads at the end of the network, which says more than its result, or the output itself; what is
    kept for the next run; and what the last layers work with, which says more than the few numbers that become of it.
    """
    found: dict[str, Goal] = {}
    for output in (*graph.outputs, *(state.next for state in graph.states)):
        node = graph.producer(output)
        is_score = node is not None and isinstance(node.operator, Softmax)
        end = node.present_inputs[0] if node and is_score else output
        found[end.name] = Goal(end, is_score)
        for value, weight in _features(graph, end):
            found.setdefault(value.name, Goal(value, weight=weight))
    return list(found.values())


def _features(graph: Graph, end: Value) -> Iterator[tuple[Value, float]]:
    """What the last layer with weights before a value reads, and the result of the layer before that, with how much
    they count; as far as they are in sight.
    """
    last = _last_layer(graph, end)
    if last is None:
        return
    read = last.present_inputs[0]
    before = _last_layer(graph, read)
    if before is not None:
        yield read, _FEATURES
        yield before.outputs[0], _MAPS


def _last_layer(graph: Graph, value: Value) -> Node | None:
    """The last layer with weights before a value, if there are only operators of one operand between."""
    node = graph.producer(value)
    while node is not None and not is_real_layer(graph, node):
        node = graph.producer(node.present_inputs[0]) if len(node.present_inputs) == 1 else None
    return node


def slopes(goals: Sequence[Goal], wanted: Sequence[Reals], got: Sequence[Reals]) -> list[Reals]:
    """Of all goals the derivatives of the loss by what the trained network gives."""
    return [goal.slope(*pair) for goal, *pair in zip(goals, wanted, got, strict=True)]


def squares_of(graph: Graph) -> list[Goal]:
    """The same, of which squared differences alone count, those of scores most: what a softmax makes of large ones is
    nearly the same for all, so by its divergence ranges would clip them.
    """
    return [
        replace(goal, is_score=False, weight=_SCORES) if goal.is_score else goal
        for goal in goals_of(graph)
    ]
