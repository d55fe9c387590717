"""What networks give on groups of samples, beside one another and beside labels."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from tinsmith_ir import Array, Graph
from tinsmith_quantization import sqnr, top1_agreement

from tinsmith_driver.inputs import Samples, is_classifier
from tinsmith_driver.network import evaluate
from tinsmith_driver.quantizing import as_integers, real_numbers

Outputs = Sequence[Sequence[Array]]
"""Of each sample of a group the outputs, as real numbers."""


@dataclass(frozen=True)
class OutputLosses:
    """sqnr: in decibels, infinite without a difference. agree: samples with their largest output at the same place,
    None of what is no classifier.
    """

    sqnr: float
    agree: int | None


def network_outputs(graph: Graph, samples: Samples) -> list[list[Array]]:
    """The outputs of each sample, as real numbers. samples: as the graph takes them."""
    return [
        [real_numbers(found[value.name], value.type) for value in graph.outputs]
        for found in evaluate(graph, samples.frames)
    ]


def losses_of(
    real: Graph, groups: Sequence[Samples], wanted: Sequence[Outputs], got: Sequence[Outputs]
) -> OutputLosses:
    """What a network gives beside what the float network `real` does, by group.

    It is a classifier if it ends in a softmax, or if the samples have labels.
    """
    decibels_ = sqnr(
        [array for group in wanted for row in group for array in row],
        [array for group in got for row in group for array in row],
    )
    is_judged = is_classifier(real) or _have_labels(groups)
    agree = top1_agreement(_rows(wanted), _rows(got))[0] if is_judged else None
    return OutputLosses(decibels_, agree)


def integer_losses(real: Graph, integers: Graph, samples: Samples) -> OutputLosses:
    """What a network of integers gives beside the float network that it stands for. samples: as that one takes them."""
    given = as_integers(samples, [value.type for value in integers.inputs])
    wanted, got = network_outputs(real, samples), network_outputs(integers, given)
    return losses_of(real, [samples], [wanted], [got])


def right_answers(groups: Sequence[Samples], outputs: Sequence[Outputs]) -> int | None:
    """How many samples have their largest output at the place of their label; None without labels."""
    if not _have_labels(groups):
        return None
    labels = np.concatenate([group.labels for group in groups if group.labels is not None])
    return int(np.count_nonzero(_rows(outputs).argmax(axis=1) == labels))


def _have_labels(groups: Sequence[Samples]) -> bool:
    return all(group.labels is not None for group in groups)


def _rows(groups: Sequence[Outputs]) -> NDArray[np.float64]:
    """(samples, elements): the first output of the samples of all groups."""
    return np.stack([row[0].astype(np.float64).reshape(-1) for group in groups for row in group])
