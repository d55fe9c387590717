"""How nearly a network of integers gives what the float network gives, on inputs that nothing was learned from.

They are made of the calibration samples, as those are that ranges learn from, by other random numbers.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Graph

from tinsmith_quantization.execution import Samples
from tinsmith_quantization.judging import Made, scores_of
from tinsmith_quantization.ranges.calibration import Calibration
from tinsmith_quantization.statistics import sqnr
from tinsmith_quantization.training.exact import Reals
from tinsmith_quantization.training.gradients import (
    Differentiable,
    Learning,
    computed,
    differentiable,
    layer_numbers,
)
from tinsmith_quantization.training.learned_ranges import LearnedRanges
from tinsmith_quantization.training.synthesis import Synthesis

_SEED = 2
"""Not that of the inputs that are learned from."""
_BATCHES, _MADE = 32, 8
"""Batches, which limit what is held, and inputs in each."""


@dataclass(frozen=True)
class FreshInputs:
    """wanted: of each of `inputs`, a batch, what the float network gives at the ends of `network`: its outputs and what
    it keeps, then `scores` scores.
    """

    network: Differentiable
    inputs: Sequence[Mapping[str, Reals]]
    wanted: Sequence[Sequence[Reals]]
    scores: int

    @staticmethod
    def of(graph: Graph, samples: Samples) -> "FreshInputs":
        """Made of samples of a float network.

        Raises UnsupportedError for a network with operators whose derivative is not known here.
        """
        kept = [
            value
            for value in graph.kept.values()
            if value.type.dtype is DType.FLOAT32 and graph.constant(value) is None
        ]
        scores = list(scores_of(graph))
        network = differentiable(graph, [*kept, *scores], Learning(layers=False))
        made = Synthesis(samples, np.random.default_rng(_SEED))
        inputs = [made.batch(_MADE) for _ in range(_BATCHES)]
        teacher = layer_numbers(network)
        wanted = [computed(network, batch, teacher).results for batch in inputs]
        return FreshInputs(network, inputs, wanted, len(scores))

    def decibels(self, made: Made, calibration: Calibration) -> float:
        """Signal to noise of the scores, or of the outputs if there are none. calibration: of `made`.

        A softmax of inputs that are no real ones is mostly near to no class: a few of them decide its decibels.
        """
        roundings = LearnedRanges(calibration).roundings()
        got = [
            computed(self.network, batch, made.layers, roundings).results for batch in self.inputs
        ]
        kept = len(self.network.ends) - self.scores
        by_score = [self._decibels(got, [end]) for end in range(kept, len(self.network.ends))]
        return min(by_score) if by_score else self._decibels(got, range(kept))

    def _decibels(self, got: Sequence[Sequence[Reals]], ends: Iterable[int]) -> float:
        places = [(batch, end) for end in ends for batch in range(len(got))]
        wanted = [self.wanted[batch][end] for batch, end in places]
        return sqnr(wanted, [got[batch][end] for batch, end in places])
