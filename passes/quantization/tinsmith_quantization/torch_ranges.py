# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
"""Scale and zero point of a tensor as parameters that are trained with the weights (LSQ: Esser et al., "Learned Step
Size Quantization", 2020; its zero point: Bhalgat et al., "LSQ+", 2020).
"""

import math

from tinsmith_ir.dtypes import DType
from tinsmith_ir.types import Quantization

from tinsmith_quantization.extras import needs
from tinsmith_quantization.ranges.ranges import LEAST_SCALE
from tinsmith_quantization.schemes import Scheme

try:
    import torch
    from torch import Tensor, nn
except ImportError as error:
    raise ImportError(needs(__name__, "torch", "torch"), name="torch") from error

_BEGIN = 4
"""Batches whose averages the parameters begin as; the ends of one alone are too wide or too narrow."""


class LearnedRange(nn.Module):
    """Parameters, float32: log_scale; offset, how far the zero point is from the least integer towards the most, in
    [0, 1], or none where it is 0. So a step of an optimizer moves both ends of a range by like shares of it.

    Buffer: batches, how many were seen in training, up to those that are averaged.
    """

    log_scale: nn.Parameter
    offset: nn.Parameter | None
    batches: Tensor

    def __init__(self, scheme: Scheme) -> None:
        """scheme: of the activations."""
        super().__init__()
        self._power_of_two = scheme.power_of_two
        self._least, self._most = scheme.activations.integer_range
        is_symmetric = scheme.symmetric or scheme.activations is DType.INT16
        self.log_scale = nn.Parameter(torch.zeros(()))
        self.offset = None if is_symmetric else nn.Parameter(torch.zeros(()))
        self.register_buffer("batches", torch.zeros((), dtype=torch.int64))

    @property
    def has_begun(self) -> bool:
        """Whether the parameters count; else the averages do."""
        return int(self.batches) >= _BEGIN

    def see(self, averages: Quantization) -> None:
        """One batch more; averages: with it."""
        if self.has_begun:
            return
        self.batches += 1
        with torch.no_grad():
            self.log_scale.fill_(math.log(averages.scale))
            if self.offset is not None:
                self.offset.fill_((averages.zero_point - self._least) / self._levels)

    def quantization(self) -> Quantization:
        """That of now: a scale of float32, a zero point among the integers."""
        with torch.no_grad():
            scale, zero = self._numbers(1.0)
        return Quantization.per_tensor(float(scale), int(zero))

    def rounded(self, x: Tensor) -> Tensor:
        """The numbers of the integers of `x`, any shape. Rounding has the gradient of the identity, so what is inside
        tells the scale of its rounding, and what is clipped tells both of the end.
        """
        if self.offset is not None:
            with torch.no_grad():  # else it might go so far that it takes long to come back
                self.offset.clamp_(0.0, 1.0)
        scale, zero = self._numbers(1 / math.sqrt(max(x.numel(), 1) * self._levels))
        quotient = x / scale
        steps = _valued(torch.round(quotient), quotient) + zero
        return (torch.clamp(steps, self._least, self._most) - zero) * scale

    @property
    def _levels(self) -> int:
        return self._most - self._least

    def _numbers(self, share: float) -> tuple[Tensor, Tensor]:
        """Scale and zero point, whose parameters get that share of their gradients."""
        logarithm = _valued(self.log_scale, share * self.log_scale)
        if self._power_of_two:
            exponent = logarithm / math.log(2)
            scale = torch.exp2(_valued(torch.round(exponent), exponent))
        else:
            scale = torch.exp(logarithm)
        scale = scale.clamp(min=LEAST_SCALE)
        if self.offset is None:
            return scale, torch.zeros_like(scale)
        place = self.offset.clamp(0.0, 1.0) * self._levels
        zero = torch.round(place) + self._least
        return scale, _valued(zero, share * place)


def _valued(value: Tensor, slope: Tensor) -> Tensor:
    """`value` to the bit, with the gradient of `slope`."""
    return value.detach() + (slope - slope.detach())
