"""Ranges that are learned when the weights are integers already: of the quantized network as it would be written.

It learns to give what the float network gives on the calibration samples and inputs made of them (`synthesis`), as
`distillation` has it of weights.
"""

from collections.abc import Callable, Mapping

import numpy as np
from tinsmith_ir.graph import Array, Graph
from tinsmith_ir.types import Quantization

from tinsmith_quantization.ranges.calibration import Calibration
from tinsmith_quantization.training.adam import share_left
from tinsmith_quantization.training.exact import Reals
from tinsmith_quantization.training.goals import slopes, squares_of
from tinsmith_quantization.training.gradient_layers import LayerNumbers
from tinsmith_quantization.training.gradients import (
    Learning,
    computed,
    differentiable,
    layer_numbers,
)
from tinsmith_quantization.training.learned_ranges import LearnedRanges
from tinsmith_quantization.training.synthesis import Synthesis

_MADE, _REAL = 4, 4
"""Of a batch: inputs made of the samples, and samples as they are."""
_SEED = 1
_STOPS = 4
"""How often ranges are handed out: a few samples judge some better than those of the end."""


def learned_types(
    graph: Graph,
    samples: Mapping[str, Array],
    calibration: Calibration,
    layers: Mapping[str, LayerNumbers],
    on_step: Callable[[str], None],
) -> list[dict[str, Quantization]]:
    """Of each value that is quantized, how it is with its range learned: at _STOPS places on the way, the last at the
    end.

    samples: (samples, *shape) of each input and state. layers: what those with weights compute with in the quantized
    network, by the name of the result. on_step: is told of each step of the scheme's `range_steps`.
    Raises UnsupportedError for a network with operators whose derivative is not known here.
    """
    ranges, goals = LearnedRanges(calibration), squares_of(graph)
    learning = Learning(layers=False, ranges=ranges.names)
    network = differentiable(graph, [goal.value for goal in goals], learning)
    teacher = layer_numbers(network)
    data = Synthesis(samples, np.random.default_rng(_SEED))
    steps = calibration.scheme.range_steps
    stops = {-(-steps * stop // _STOPS) for stop in range(1, _STOPS + 1)}
    found: list[dict[str, Quantization]] = []
    for step in range(steps):
        on_step("learning ranges")
        inputs = _batch(data)
        wanted = computed(network, inputs, teacher).results
        done = computed(network, inputs, layers, ranges.roundings())
        gradients = done.gradients(slopes(goals, wanted, done.results))
        ranges.step(gradients.ranges, step + 1, share_left(step, steps))
        if step + 1 in stops:
            found.append(ranges.types())
    return found


def _batch(data: Synthesis) -> dict[str, Reals]:
    made = data.batch(_MADE)
    count = len(next(iter(data.samples.values())))
    places = data.random.integers(0, count, _REAL)
    return {
        name: np.concatenate([array, data.samples[name][places].astype(np.float64)])
        for name, array in made.items()
    }
