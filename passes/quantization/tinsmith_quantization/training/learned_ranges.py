"""Ranges of tensors as numbers that are learned, a range for all tensors that have one quantization.

Of each the logarithm of its scale, which is that of its width, and the zero point as a share of all integers, which
says how far it reaches below 0; so 0 stays an integer. Ranges that end at 0 go on doing so, and symmetric ones stay
symmetric. Clipping levels that are learned are PACT's (Choi et al., 2018), scales that are those of "Learned Step Size
Quantization" (Esser et al., 2020); `gradient_rounding` says how either counts.
"""

import math
from collections.abc import Mapping, Sequence

import numpy as np
from tinsmith_ir.dtypes import DType
from tinsmith_ir.types import Quantization

from tinsmith_quantization.ranges.calibration import Calibration
from tinsmith_quantization.training.adam import Adam
from tinsmith_quantization.training.gradient_rounding import RangeSlopes, Rounding

_RATE, _ZERO_RATE = 0.003, 0.0006
"""Of natural logarithms, and of shares of the integers, at the start."""


class LearnedRanges:
    """names: of the values whose ranges are learned. What operators give a quantization of their own keeps it."""

    def __init__(self, calibration: Calibration) -> None:
        """Ranges as they were calibrated."""
        self._calibration = calibration
        members = calibration.groups.members
        learned = [name for name in calibration.types if members[name] not in calibration.given]
        self.names = frozenset(learned)
        self._groups = list(dict.fromkeys(members[name] for name in learned))
        first = {members[name]: name for name in reversed(learned)}
        self._dtypes = [calibration.dtype(first[group]) for group in self._groups]
        before = [calibration.types[first[group]] for group in self._groups]
        self._logarithms = np.log(np.array([each.scale for each in before]))
        self._moves = np.array(
            [self._moves_zero(*pair) for pair in zip(before, self._dtypes, strict=True)], bool
        )
        zeros = np.array([each.zero_point for each in before], np.float64)
        self._shares = zeros / self._steps()
        self._adam = Adam((self._logarithms, self._shares), (_RATE, _ZERO_RATE))

    def _moves_zero(self, before: Quantization, dtype: DType) -> bool:
        least, most = dtype.integer_range
        is_symmetric = self._calibration.scheme.symmetric or dtype is DType.INT16
        return not is_symmetric and least < before.zero_point < most

    def _steps(self) -> Sequence[int]:
        ends = [dtype.integer_range for dtype in self._dtypes]
        return [most - least for least, most in ends]

    def types(self) -> dict[str, Quantization]:
        """Of each value that is quantized, as ranges are now."""
        pairs = zip(self._groups, self._quantizations(), strict=True)
        by_group: Mapping[str, Quantization] = dict(pairs)
        members = self._calibration.groups.members
        return {
            name: by_group.get(members[name], before)
            for name, before in self._calibration.types.items()
        }

    def _quantizations(self) -> list[Quantization]:
        found: list[Quantization] = []
        zeros = np.rint(self._shares * self._steps())
        for logarithm, zero, dtype in zip(self._logarithms, zeros, self._dtypes, strict=True):
            least, most = dtype.integer_range
            scale = self._scale(float(logarithm))
            found.append(Quantization.per_tensor(scale, min(max(int(zero), least), most)))
        return found

    def _scale(self, logarithm: float) -> float:
        if self._calibration.scheme.power_of_two:
            return math.ldexp(1.0, round(logarithm / math.log(2)))
        return float(np.float32(math.exp(logarithm)))

    def roundings(self) -> dict[str, Rounding]:
        """Of each value that is quantized, as ranges are now."""
        return {
            name: Rounding(
                quantization.scale,
                quantization.zero_point,
                *self._calibration.dtype(name).integer_range,
            )
            for name, quantization in self.types().items()
        }

    def step(self, slopes: Mapping[str, RangeSlopes], count: int, share: float) -> None:
        """One step down. slopes: of the loss, by the value. count: of steps, with this one. share: of the rate."""
        by_logarithm, by_zero = np.zeros(len(self._groups)), np.zeros(len(self._groups))
        places = {group: place for place, group in enumerate(self._groups)}
        for name in sorted(slopes):
            place = places[self._calibration.groups.members[name]]
            by_logarithm[place] += slopes[name].logarithm
            by_zero[place] += slopes[name].zero
        by_share = np.where(self._moves, by_zero * self._steps(), 0.0)
        self._adam.step((by_logarithm, by_share), count, share)
