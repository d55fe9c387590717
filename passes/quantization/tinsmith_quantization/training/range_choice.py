"""Calibrated or learned ranges: those with which the network of integers gives more nearly what the float one gives.

That is measured of the network as it would be written, on the calibration samples, and on inputs that nothing was
learned from; weights are rounded for what they read, so each choice has its own.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from tinsmith_ir.types import Quantization

from tinsmith_quantization.judging import Judge, Made
from tinsmith_quantization.ranges.calibration import Calibration
from tinsmith_quantization.ranges.ranges import Range
from tinsmith_quantization.statistics import RangeChange, RangeLearning


class Unlearned(Protocol):
    """Inputs that nothing was learned from."""

    def decibels(self, made: Made, calibration: Calibration) -> float:
        """Of scores, or else outputs, of a network with these ranges."""
        ...


def with_best_ranges(
    judge: Judge,
    make: Callable[[Calibration], Made],
    calibration: Calibration,
    learned: Callable[[Made], Sequence[Mapping[str, Quantization]]],
    fresh: Callable[[], Unlearned],
) -> Made:
    """The network with calibrated ranges, or with the best of the learned ones if these are better, and no worse at
    the scores, whose decibels a few samples decide less than those of a softmax; and so on `fresh` ones.

    learned: of the network with calibrated ranges, choices of quantizations by the name of the value. fresh: asked
    once, when there are choices.
    """
    first = make(calibration)
    choices = [replace(calibration, types=types) for types in learned(first)]
    made = [(choice, make(choice)) for choice in choices]
    unlearned, before = fresh(), judge.decibels(first)
    unlearned_before = unlearned.decibels(first, calibration)

    def rank(choice: Calibration, network: Made) -> tuple[bool, tuple[float, float]]:
        after, unlearned_after = judge.decibels(network), unlearned.decibels(network, choice)
        is_no_worse = after[0] >= before[0] and after[1] >= before[1]
        return is_no_worse and unlearned_after >= unlearned_before, after

    ranked = [(rank(*pair), pair) for pair in made]
    (is_no_worse, after), (types, best) = max(ranked, key=lambda each: each[0])
    found = best if is_no_worse and after > before else first
    found.losses.learning = RangeLearning(
        before[0], after[0], found is best, tuple(_changes(calibration, types))
    )
    return found


def _changes(before: Calibration, after: Calibration) -> Iterator[RangeChange]:
    for name in before.types:
        if before.groups.members[name] not in before.given:
            yield RangeChange(name, _ends(before, name), _ends(after, name))


def _ends(calibration: Calibration, name: str) -> Range:
    quantization = calibration.types[name]
    low, high = (
        quantization.scale * (end - quantization.zero_point)
        for end in calibration.dtype(name).integer_range
    )
    return low, high
