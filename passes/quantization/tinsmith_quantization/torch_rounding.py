# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
"""Modules of PyTorch that compute with the numbers that integers stand for; `torch_qat.py` puts them into a network.

Rounding has the gradient of the identity (the straight-through estimator: Bengio et al., 2013), clipping its own. In
evaluation they are the operators of PT2E's integers, by which they are exported.
"""

import importlib
from typing import cast

import numpy as np
from tinsmith_ir.dtypes import DType
from tinsmith_ir.errors import UnsupportedError, UsageError
from tinsmith_ir.types import Quantization

from tinsmith_quantization.extras import needs
from tinsmith_quantization.ranges.ranges import Range, averaged, quantization_of, widened
from tinsmith_quantization.schemes import Scheme
from tinsmith_quantization.torch_ranges import LearnedRange
from tinsmith_quantization.weights import largest, scales_of

try:
    import torch
    from torch import Tensor, nn
    from torch.nn import functional
except ImportError as error:
    raise ImportError(needs(__name__, "torch", "torch"), name="torch") from error

importlib.import_module("torch.ao.quantization.fx._decomposed")  # which defines them
_PT2E = torch.ops.quantized_decomposed

_REFRESHED = 10
"""Steps of training with the same scales of weights: those of few bits are sought."""
_STORED = {DType.INT8: torch.int8, DType.INT16: torch.int16}


def _straight_through(real: Tensor, rounded: Tensor) -> Tensor:
    """`rounded`, with the gradient of `real`."""
    return real + (rounded - real).detach()


class RoundedTensor(nn.Module):
    """Numbers as those that integers stand for.

    Buffers: low, high, the averages of the ends of batches; seen, whether there was one. With the method `learned`,
    the range of the averages of the first batches is trained from there.
    """

    low: Tensor
    high: Tensor
    seen: Tensor

    def __init__(self, scheme: Scheme, fixed: Quantization | None) -> None:
        """fixed: scale and zero point, if they are given."""
        super().__init__()
        self._scheme, self._fixed = scheme, fixed
        self._held = fixed
        is_learned = scheme.method == "learned" and fixed is None
        self._learned = LearnedRange(scheme) if is_learned else None
        self.register_buffer("low", torch.zeros((), dtype=torch.float64))
        self.register_buffer("high", torch.zeros((), dtype=torch.float64))
        self.register_buffer("seen", torch.tensor(fixed is not None))

    def quantization(self) -> Quantization:
        """That of now. Raises UsageError if no batch was seen in training."""
        if self._held is not None:
            return self._held
        if not bool(self.seen):
            raise UsageError(
                "prepare_qat: expected a batch in training before evaluation, got none"
            )
        if self._learned is not None and self._learned.has_begun:
            return self._learned.quantization()
        return self._averages()

    def train(self, mode: bool = True) -> "RoundedTensor":
        """As for any module; for evaluation, the range stays what it is now."""
        super().train(mode)
        self._held = self._fixed  # or none, so that it is computed
        if not mode and bool(self.seen):
            self._held = self.quantization()
        return self

    def forward(self, x: object) -> object:
        """The same shape. What is no tensor of real numbers, such as a size, stays as it is."""
        if not isinstance(x, Tensor) or not x.is_floating_point():
            return x
        if self.training:
            if self._learned is not None and self._learned.has_begun:
                return self._learned.rounded(x)
            self._see(x.detach())
        found, (least, most) = self.quantization(), self._scheme.activations.integer_range
        scale, zero = found.scale, found.zero_point
        if not self.training:
            stored = _STORED[self._scheme.activations]
            integers = _PT2E.quantize_per_tensor(x, scale, zero, least, most, stored)
            return _PT2E.dequantize_per_tensor(integers, scale, zero, least, most, stored)
        inside = x.clamp(scale * (least - zero), scale * (most - zero))
        steps = torch.clamp(torch.round(x / scale) + zero, least, most)
        return _straight_through(inside, (steps - zero) * scale)

    def _see(self, x: Tensor) -> None:
        if self._fixed is not None:
            return
        ends: Range = (float(x.min()), float(x.max()))
        if bool(self.seen):
            ends = averaged((float(self.low), float(self.high)), ends)
        self.low.fill_(ends[0])
        self.high.fill_(ends[1])
        self.seen.fill_(True)
        if self._learned is not None:
            self._learned.see(self._averages())

    def _averages(self) -> Quantization:
        found = widened((float(self.low), float(self.high)), self._scheme)
        power_of_two = self._scheme.power_of_two
        return quantization_of(found, self._scheme.activations, power_of_two=power_of_two)


class RoundedLayer(nn.Module):
    """A convolution or linear layer whose weights are integers of `bits` by scales.

    The bias is one of integers of the scale of what is read by that of weights: coarse, if weights have few bits.
    Buffers: integers and bias, in evaluation; scales, one for each output channel, all the same if the layer has one.
    """

    integers: Tensor
    scales: Tensor
    zeros: Tensor
    bias: Tensor | None

    def __init__(self, layer: nn.Conv2d | nn.Linear, bits: int, scheme: Scheme) -> None:
        """layer: its parameters are shared."""
        super().__init__()
        if isinstance(layer, nn.Conv2d) and layer.padding_mode != "zeros":
            raise UnsupportedError(
                f"prepare_qat: expected convolutions padded with zeros, got {layer.padding_mode!r}"
            )
        self._bits, self._scheme, self._layer = bits, scheme.of_layer(bits), layer
        self._steps, self._scale = 0, 1.0
        # Not a module of this one: it has a place in the network already.
        self._sources: list[RoundedTensor] = []
        self.register_buffer("integers", torch.zeros(layer.weight.shape, dtype=torch.int8))
        self.register_buffer("scales", torch.ones(len(layer.weight)))
        self.register_buffer("bias", None)
        self.register_buffer("zeros", torch.zeros(len(layer.weight), dtype=torch.int64))
        self._refresh()

    def train(self, mode: bool = True) -> "RoundedLayer":
        """As for any module; for evaluation, weights become integers."""
        super().train(mode)
        if not mode:
            self._refresh()
            self.integers.copy_(self._rounded().detach())
            bias = self._rounded_bias()
            self.bias = None if bias is None else bias.detach()
            self._scale = float(self.scales[0])
        return self

    def read(self, source: RoundedTensor) -> None:
        """Take the scale of what is read from there."""
        self._sources = [source]

    def draw(self, share: float) -> None:
        """Weights of fewer than 8 bits a share of the way to the numbers of their integers."""
        if self._bits == 8:
            return
        weight = self._layer.weight
        with torch.no_grad():
            weight += share * (self._rounded() * self._spread() - weight)

    def forward(self, x: Tensor) -> Tensor:
        """What the layer gives."""
        weight, bias = self._layer.weight, self.bias
        if self.training:
            bias = self._rounded_bias()
            self._steps += 1
            if self._steps % _REFRESHED == 0:
                self._refresh()
            weight = _straight_through(weight, self._rounded() * self._spread())
        else:
            weight = self._stored()
        if isinstance(self._layer, nn.Linear):
            return functional.linear(x, weight, bias)
        stride, dilation = self._layer.stride, self._layer.dilation
        padding = cast(tuple[int, int], self._layer.padding)  # or "same", which is taken, too
        return functional.conv2d(x, weight, bias, stride, padding, dilation, self._layer.groups)

    def _stored(self) -> Tensor:
        """The weights as those of integers."""
        most = largest(self._bits)
        if not self._scheme.per_channel:
            scale = self._scale
            return _PT2E.dequantize_per_tensor(self.integers, scale, 0, -most, most, torch.int8)
        return _PT2E.dequantize_per_channel(
            self.integers, self.scales, self.zeros, 0, -most, most, torch.int8
        )

    def _rounded_bias(self) -> Tensor | None:
        bias = self._layer.bias
        if bias is None or not self._sources:
            return bias
        steps = self.scales.double() * self._sources[0].quantization().scale
        rounded = torch.round(bias.double() / steps) * steps
        return _straight_through(bias, rounded.to(bias.dtype))

    def _spread(self) -> Tensor:
        return self.scales.reshape(-1, *[1] * (self._layer.weight.dim() - 1))

    def _rounded(self) -> Tensor:
        most = largest(self._bits)
        return torch.clamp(torch.round(self._layer.weight / self._spread()), -most, most)

    def _refresh(self) -> None:
        """Scales for the weights of now."""
        weight = self._layer.weight.detach().to(torch.float64).numpy()
        scales = scales_of(
            weight.reshape(1, len(weight), -1),
            self._bits,
            per_channel=self._scheme.per_channel,
            power_of_two=self._scheme.power_of_two,
        )
        self.scales.copy_(torch.from_numpy(scales.reshape(-1).astype(np.float32)))
