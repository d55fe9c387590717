# pyright: basic, reportMissingImports=false
"""Three networks for images of digits, in PyTorch: shaped as MobileNetV2, ResNet18 and ViT are, and smaller.

A development-time module: Bazel does not run it.
"""

import torch
from torch import Tensor, nn
from torch.nn import functional

CLASSES = 10


def _normed(
    inputs: int, outputs: int, kernel: int, stride: int = 1, groups: int = 1
) -> list[nn.Module]:
    convolution = nn.Conv2d(
        inputs, outputs, kernel, stride, padding=kernel // 2, groups=groups, bias=False
    )
    return [convolution, nn.BatchNorm2d(outputs)]


class InvertedResidual(nn.Module):
    """More channels, a depthwise convolution, fewer channels; added to what it read where shapes agree.

    As in MobileNetV2 (Sandler et al., 2018).
    """

    def __init__(self, inputs: int, outputs: int, stride: int, expansion: int) -> None:
        super().__init__()
        inner = inputs * expansion
        wider = [*_normed(inputs, inner, 1), nn.ReLU6()] if expansion != 1 else []
        self.layers = nn.Sequential(
            *wider,
            *(*_normed(inner, inner, 3, stride, groups=inner), nn.ReLU6()),
            *_normed(inner, outputs, 1),
        )
        self.adds = stride == 1 and inputs == outputs

    def forward(self, x: Tensor) -> Tensor:
        """(N, inputs, H, W) -> (N, outputs, H / stride, W / stride)."""
        return x + self.layers(x) if self.adds else self.layers(x)


_BLOCKS = ((1, 8, 1, 1), (6, 12, 2, 2), (6, 24, 2, 2), (6, 32, 2, 1))
"""Expansion, channels, repetitions, stride of the first: as the paper's table has them, fewer."""


def mobilenet_v2() -> nn.Module:
    """(N, 1, 16, 16) -> (N, 10)."""
    layers: list[nn.Module] = [*_normed(1, 16, 3), nn.ReLU6()]
    channels = 16
    for expansion, outputs, count, stride in _BLOCKS:
        for index in range(count):
            layers.append(InvertedResidual(channels, outputs, 1 if index else stride, expansion))
            channels = outputs
    layers += [*_normed(channels, 128, 1), nn.ReLU6(), nn.AdaptiveAvgPool2d(1), nn.Flatten()]
    return nn.Sequential(*layers, nn.Dropout(0.2), nn.Linear(128, CLASSES))


def small() -> nn.Module:
    """(N, 1, 8, 8) -> (N, 10): that of examples/digits."""
    return nn.Sequential(
        *(*_normed(1, 16, 3), nn.ReLU(), *_separable(16, 32), nn.MaxPool2d(2)),
        *(*_separable(32, 96), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(96, CLASSES)),
    )


def _separable(inputs: int, outputs: int) -> list[nn.Module]:
    depthwise = [*_normed(inputs, inputs, 3, groups=inputs), nn.ReLU()]
    return [*depthwise, *_normed(inputs, outputs, 1), nn.ReLU()]


class BasicBlock(nn.Module):
    """Two convolutions and what they read, added; as in ResNet18 (He et al., 2015)."""

    def __init__(self, inputs: int, outputs: int, stride: int) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            *(*_normed(inputs, outputs, 3, stride), nn.ReLU(), *_normed(outputs, outputs, 3))
        )
        same = stride == 1 and inputs == outputs
        self.shortcut = nn.Sequential(*([] if same else _normed(inputs, outputs, 1, stride)))

    def forward(self, x: Tensor) -> Tensor:
        """(N, inputs, H, W) -> (N, outputs, H / stride, W / stride)."""
        return functional.relu(self.layers(x) + self.shortcut(x))


def resnet18() -> nn.Module:
    """(N, 1, 16, 16) -> (N, 10): eight blocks, a quarter of the channels and no pool behind the first layer."""
    layers: list[nn.Module] = [*_normed(1, 16, 3), nn.ReLU()]
    channels = 16
    for outputs, stride in ((16, 1), (32, 2), (64, 2), (128, 2)):
        layers += [BasicBlock(channels, outputs, stride), BasicBlock(outputs, outputs, 1)]
        channels = outputs
    return nn.Sequential(
        *layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(channels, CLASSES)
    )


class Attention(nn.Module):
    """Of several heads, of all tokens to all."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.mixed = nn.Linear(width, 3 * width)
        self.merged = nn.Linear(width, width)

    def forward(self, x: Tensor) -> Tensor:
        """(N, tokens, width) -> the same."""
        count, tokens, width = x.shape
        mixed = self.mixed(x).reshape(count, tokens, 3, self.heads, width // self.heads)
        queries, keys, values = mixed.permute(2, 0, 3, 1, 4)
        found = functional.scaled_dot_product_attention(queries, keys, values)
        return self.merged(found.transpose(1, 2).reshape(count, tokens, width))


class Block(nn.Module):
    """Attention and two layers, each behind a norm and added to what it read; as in ViT (Dosovitskiy et al., 2020)."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attention = Attention(width, heads)
        self.layers = nn.Sequential(
            nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width)
        )

    def forward(self, x: Tensor) -> Tensor:
        """(N, tokens, width) -> the same."""
        x = x + self.attention(self.first(x))
        return x + self.layers(self.second(x))


class VisionTransformer(nn.Module):
    """Patches as tokens, a token for the class in front of them, learned positions, blocks, a layer."""

    def __init__(self, width: int = 48, heads: int = 3, blocks: int = 4) -> None:
        super().__init__()
        self.patches = nn.Conv2d(1, width, 4, 4)
        self.token = nn.Parameter(0.02 * torch.randn(1, 1, width))
        self.positions = nn.Parameter(0.02 * torch.randn(1, 17, width))
        self.blocks = nn.Sequential(*(Block(width, heads) for _ in range(blocks)))
        self.norm = nn.LayerNorm(width)
        self.classes = nn.Linear(width, CLASSES)

    def forward(self, x: Tensor) -> Tensor:
        """(N, 1, 16, 16) -> (N, 10)."""
        tokens = self.patches(x).flatten(2).transpose(1, 2)
        first = self.token.expand(x.shape[0], -1, -1)
        tokens = torch.cat([first, tokens], 1) + self.positions
        return self.classes(self.norm(self.blocks(tokens))[:, 0])


NETWORKS = {"mobilenet_v2": mobilenet_v2, "resnet18": resnet18, "vit": VisionTransformer}
