"""Steps as a module of PyTorch."""

from typing import assert_never

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
    Step,
    Steps,
    Unary,
)
from torch import Tensor, nn
from torch.nn import functional

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
        tensors = dict(zip(self._steps.inputs, inputs, strict=True))
        for name, step in self._steps.steps.items():
            tensors[name] = self._result(name, step, tensors)
        return tuple(tensors[name] for name in self._steps.outputs)

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
    """Of the shapes that the network takes."""
    return tuple(torch.zeros(steps.shapes[name]) for name in steps.inputs)


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


class _Convolution(nn.Module):
    """Over one axis or two, as `nn.Conv1d` and `nn.Conv2d` are."""

    def __init__(self, step: Conv) -> None:
        super().__init__()
        self.weight = nn.Parameter(_tensor(step.weights))
        self.bias = nn.Parameter(_tensor(step.bias))
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


class _Linear(nn.Module):
    def __init__(self, step: Linear) -> None:
        super().__init__()
        self.weight = nn.Parameter(_tensor(step.weights))
        self.bias = nn.Parameter(_tensor(step.bias))

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
