"""Steps as a module of PyTorch; of integers, as PyTorch's export of quantized modules (PT2E) writes them."""

import importlib
from typing import assert_never

import numpy as np
import torch
from steps import (
    Binary,
    Conv,
    Flatten,
    GlobalAverage,
    Join,
    Linear,
    Normalized,
    Numbers,
    Padded,
    Pads,
    Pool,
    Scales,
    Step,
    Steps,
    Unary,
)
from tinsmith_ir.types import Quantization
from torch import Tensor, nn
from torch.nn import functional

importlib.import_module("torch.ao.quantization.fx._decomposed")  # which defines them
_PT2E = torch.ops.quantized_decomposed
_ALL = (-128, 127, torch.int8)
_SYMMETRIC = (-127, 127, torch.int8)
_UNARY = {
    "relu": nn.ReLU,
    "relu6": nn.ReLU6,
    "sigmoid": nn.Sigmoid,
    "hard_swish": nn.Hardswish,
    "tanh": nn.Tanh,
}


class Network(nn.Module):
    """Calls the layer of each step in order."""

    def __init__(self, steps: Steps) -> None:
        super().__init__()
        self._steps = steps
        self._layers = nn.ModuleDict(
            {name: _layer(step, steps) for name, step in steps.steps.items() if _has_layer(step)}
        )

    def forward(self, *inputs: Tensor) -> tuple[Tensor, ...]:
        quantized = self._steps.quantized
        tensors: dict[str, Tensor] = {}
        integers = dict(zip(self._steps.inputs, inputs, strict=True))
        for name, x in integers.items():
            tensors[name] = _real(x, quantized[name]) if name in quantized else x
        for name, step in self._steps.steps.items():
            tensors[name] = self._result(name, step, tensors)
            if name in quantized:
                integers[name] = _integers(tensors[name], quantized[name])
                tensors[name] = _real(integers[name], quantized[name])
        return tuple(
            (integers if name in quantized else tensors)[name] for name in self._steps.outputs
        )

    def _result(self, name: str, step: Step, tensors: dict[str, Tensor]) -> Tensor:
        match step:
            case Conv():
                return self._layers[name](_padded(tensors[step.x], _odd(step.pads)))
            case Linear(x) | GlobalAverage(x) | Unary(_, x) | Flatten(x) | Normalized(x):
                return self._layers[name](tensors[x])
            case Pool(_, x):
                return self._layers[name](tensors[x])
            case Binary("add", lhs, rhs):
                return tensors[lhs] + tensors[rhs]
            case Binary(_, lhs, rhs):
                return tensors[lhs] * tensors[rhs]
            case Join(parts):
                return torch.cat([tensors[part] for part in parts], dim=1)
            case Padded(x, pads):
                return _padded(tensors[x], pads)
            case _:
                assert_never(step)


def example_inputs(steps: Steps) -> tuple[Tensor, ...]:
    """Of the shapes and types that the network takes."""
    return tuple(
        torch.zeros(
            steps.shapes[name], dtype=torch.int8 if name in steps.quantized else torch.float32
        )
        for name in steps.inputs
    )


def _integers(x: Tensor, quantization: Quantization) -> Tensor:
    found: Tensor = _PT2E.quantize_per_tensor(x, quantization.scale, quantization.zero_point, *_ALL)
    return found


def _real(x: Tensor, quantization: Quantization) -> Tensor:
    found: Tensor = _PT2E.dequantize_per_tensor(
        x, quantization.scale, quantization.zero_point, *_ALL
    )
    return found


def _has_layer(step: Step) -> bool:
    return not isinstance(step, (Binary, Join, Padded))


def _layer(step: Step, steps: Steps) -> nn.Module:
    match step:
        case Conv():
            return _Convolution(step)
        case Linear():
            return _Linear(step)
        case Pool():
            return _pool(step)
        case GlobalAverage(x):
            is_image = len(steps.shapes[x]) == 4
            return nn.AdaptiveAvgPool2d(1) if is_image else nn.AdaptiveAvgPool1d(1)
        case Unary(kind):
            return _UNARY[kind]()
        case Flatten():
            return nn.Flatten()
        case Normalized():
            return nn.Softmax(dim=step.axis)
        case Binary() | Join() | Padded():
            raise ValueError(f"no layer for {step}")
        case _:
            assert_never(step)


class _Layer(nn.Module):
    """Weights and bias; of integers, the weights are these with their scales, and the bias is float32."""

    stored: Tensor
    scales: Tensor
    zeros: Tensor

    def __init__(self, weights: Numbers, bias: Numbers, scales: Scales | None) -> None:
        super().__init__()
        self._is_integer = scales is not None
        if scales is None:
            self.stored, self.bias = nn.Parameter(_tensor(weights)), nn.Parameter(_tensor(bias))
            return
        of_weights, of_bias = scales
        real = np.asarray(bias, np.float32) * of_bias
        self.bias = nn.Parameter(_tensor(real))
        self.register_buffer("stored", torch.tensor(weights.tolist(), dtype=torch.int8))
        self.register_buffer("scales", _tensor(of_weights))
        self.register_buffer("zeros", torch.zeros(of_weights.size, dtype=torch.int64))
        self._scale = float(of_weights.reshape(-1)[0]) if of_weights.size == 1 else 0.0

    @property
    def weight(self) -> Tensor:
        """As float32."""
        if not self._is_integer:
            return self.stored
        found: Tensor = (
            _PT2E.dequantize_per_tensor(self.stored, self._scale, 0, *_SYMMETRIC)
            if self._scale
            else _PT2E.dequantize_per_channel(self.stored, self.scales, self.zeros, 0, *_SYMMETRIC)
        )
        return found


class _Convolution(_Layer):
    """Over one axis or two, as `nn.Conv1d` and `nn.Conv2d` are."""

    def __init__(self, step: Conv) -> None:
        super().__init__(step.weights, step.bias, step.scales)
        is_even = not any(map(any, _odd(step.pads)))
        self._padding = [before if is_even else 0 for before, _ in step.pads]
        self._step = step

    def forward(self, x: Tensor) -> Tensor:
        step = self._step
        convolve = torch.conv2d if len(step.stride) == 2 else torch.conv1d
        return convolve(
            x,
            self.weight,
            self.bias,
            stride=list(step.stride),
            padding=self._padding,
            dilation=list(step.dilation),
            groups=step.groups,
        )


class _Linear(_Layer):
    def __init__(self, step: Linear) -> None:
        super().__init__(step.weights, step.bias, step.scales)

    def forward(self, x: Tensor) -> Tensor:
        return functional.linear(x, self.weight, self.bias)


def _pool(step: Pool) -> nn.Module:
    if any(map(any, _odd(step.pads))) or step.kind != "max":
        raise ValueError(f"no layer for {step}")
    make = nn.MaxPool2d if len(step.window) == 2 else nn.MaxPool1d
    return make(step.window, step.stride, tuple(before for before, _ in step.pads))


def _odd(pads: Pads) -> Pads:
    """Pads that are more on one side, which a layer does not have; else none."""
    is_odd = any(before != behind for before, behind in pads)
    return pads if is_odd else tuple((0, 0) for _ in pads)


def _padded(x: Tensor, pads: Pads) -> Tensor:
    widths = [width for pair in reversed(pads) for width in pair]
    return functional.pad(x, widths) if any(widths) else x


def _tensor(array: Numbers) -> Tensor:
    return torch.tensor(array.tolist(), dtype=torch.float32)
