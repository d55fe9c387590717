"""Calibrated or learned ranges: those with which the network of integers gives more nearly what the float one gives.

That is measured of the network as it would be written, on the calibration samples; weights are rounded for what they
read, so each choice has its own.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from tinsmith_ir.types import Quantization

from tinsmith_quantization.calibration import Calibration
from tinsmith_quantization.judging import Judge, Made
from tinsmith_quantization.ranges import Range
from tinsmith_quantization.statistics import RangeChange, RangeLearning


def with_best_ranges(
    judge: Judge,
    make: Callable[[Calibration], Made],
    calibration: Calibration,
    learned: Callable[[Made], Sequence[Mapping[str, Quantization]]],
) -> Made:
    """The network with calibrated ranges, or with the best of the learned ones if these are better.

    learned: of the network with calibrated ranges, choices of quantizations by the name of the value.
    """
    first = make(calibration)
    choices = [replace(calibration, types=types) for types in learned(first)]
    made = [(choice, make(choice)) for choice in choices]
    types, best = max(made, key=lambda pair: judge.decibels(pair[1]))
    before, after = judge.decibels(first), judge.decibels(best)
    found = best if after > before else first
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
