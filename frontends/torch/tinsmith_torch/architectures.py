"""Networks of the kinds that run on microcontrollers, small, of seeded random weights."""

import itertools
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional


@dataclass(frozen=True)
class Architecture:
    """make: the network. shape: of its input, a batch of one. tokens: how many there are, if inputs are their numbers.
    frames: runs that tests compare. transposes: how many its mathematics needs: heads of attention, tokens and
    channels exchanged, blocks that transposed convolutions lay out.
    """

    make: Callable[[], nn.Module]
    shape: tuple[int, ...]
    tokens: int = 0
    frames: int = 1
    transposes: int = 0

    def module(self) -> nn.Module:
        """The network in evaluation mode; its moments are not those of a new one."""
        _seed(7)
        module = self.make().eval()
        for part in module.modules():
            if isinstance(part, (nn.BatchNorm1d, nn.BatchNorm2d)):
                assert part.running_mean is not None
                assert part.running_var is not None
                part.running_mean.uniform_(-0.5, 0.5)
                part.running_var.uniform_(0.5, 2.0)
        return module

    def inputs(self) -> list[Tensor]:
        """One for each frame."""
        _seed(11)
        if self.tokens:
            return [torch.randint(0, self.tokens, self.shape) for _ in range(self.frames)]
        return [torch.randn(self.shape) for _ in range(self.frames)]


def _seed(number: int) -> None:
    torch.manual_seed(number)  # pyright: ignore[reportUnknownMemberType]


class Unit(nn.Sequential):
    """Convolution, batch normalization, and a curve unless it is the identity."""

    def __init__(
        self,
        inputs: int,
        outputs: int,
        kernel: int = 3,
        stride: int = 1,
        groups: int = 1,
        curve: nn.Module | None = None,
    ) -> None:
        super().__init__(
            nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, groups=groups, bias=False),
            nn.BatchNorm2d(outputs),
            nn.ReLU() if curve is None else curve,
        )


class Separable(nn.Sequential):
    """A depthwise unit and a pointwise one."""

    def __init__(self, inputs: int, outputs: int, stride: int = 1) -> None:
        super().__init__(
            Unit(inputs, inputs, 3, stride, groups=inputs), Unit(inputs, outputs, kernel=1)
        )


class Pooled(nn.Module):
    """Features, their mean over the image, and a linear layer."""

    def __init__(self, features: nn.Module, channels: int, classes: int) -> None:
        super().__init__()
        self.features = features
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.classifier = nn.Linear(channels, classes)

    def forward(self, x: Tensor) -> Tensor:
        """Scores."""
        return self.classifier(torch.flatten(self.pool(self.features(x)), 1))


def ds_cnn() -> nn.Module:
    """Keywords in 49 frames of 10 coefficients."""
    stem = nn.Sequential(
        nn.Conv2d(1, 64, (10, 4), 2, (5, 1), bias=False), nn.BatchNorm2d(64), nn.ReLU()
    )
    return Pooled(
        nn.Sequential(stem, nn.Dropout(0.2), *(Separable(64, 64) for _ in range(4))), 64, 12
    )


def mobilenet_v1() -> nn.Module:
    """Visual wake words, a quarter as wide as the original."""
    plan = [(8, 16, 1), (16, 32, 2), (32, 32, 1), (32, 64, 2), (64, 64, 1), (64, 128, 2)]
    plan += [(128, 128, 1)] * 5 + [(128, 256, 2), (256, 256, 1)]
    blocks = [Separable(*block) for block in plan]
    return nn.Sequential(
        Pooled(nn.Sequential(Unit(3, 8, stride=2), *blocks), 256, 2), nn.Softmax(1)
    )


class Residual(nn.Module):
    """Two convolutions, and the input, or its projection, added."""

    def __init__(self, inputs: int, outputs: int, stride: int = 1) -> None:
        super().__init__()
        self.body = nn.Sequential(
            Unit(inputs, outputs, stride=stride), Unit(outputs, outputs, curve=nn.Identity())
        )
        is_same = stride == 1 and inputs == outputs
        self.side = (
            nn.Identity() if is_same else Unit(inputs, outputs, 1, stride, curve=nn.Identity())
        )
        self.relu = nn.ReLU(inplace=True)

    def forward(self, x: Tensor) -> Tensor:
        """As wide as the second convolution."""
        y = self.body(x)
        y += self.side(x)
        return self.relu(y)


def resnet8() -> nn.Module:
    """Images of 32 x 32."""
    return Pooled(
        nn.Sequential(Unit(3, 16), Residual(16, 16), Residual(16, 32, 2), Residual(32, 64, 2)),
        64,
        10,
    )


def autoencoder() -> nn.Module:
    """Anomalies in sound."""
    widths = [640, 128, 128, 128, 128, 8, 128, 128, 128, 128]
    layers: list[nn.Module] = []
    for inputs, outputs in itertools.pairwise(widths):
        layers += [nn.Linear(inputs, outputs), nn.BatchNorm1d(outputs), nn.ReLU()]
    return nn.Sequential(*layers, nn.Linear(128, 640))


class WakeWord(nn.Module):
    """Each run gets a frame; what convolutions need of those before is kept."""

    before_first: Tensor
    before_second: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Conv1d(40, 32, 3)
        self.second = nn.Conv1d(32, 32, 5, groups=32)
        self.point = nn.Conv1d(32, 24, 1)
        self.score = nn.Linear(24, 3)
        self.register_buffer("before_first", torch.zeros(1, 40, 2))
        self.register_buffer("before_second", torch.zeros(1, 32, 4))

    def forward(self, x: Tensor) -> Tensor:
        """(1, 40, 1) to three scores."""
        seen = torch.cat([self.before_first, x], 2)
        self.before_first.copy_(seen[:, :, 1:])
        y = torch.relu(self.first(seen))
        seen = torch.cat([self.before_second, y], 2)
        self.before_second.copy_(seen[:, :, 1:])
        return self.score(torch.relu(self.point(self.second(seen)))[:, :, 0])


def resnet18() -> nn.Module:
    """The original, an eighth as wide."""
    blocks = [Residual(8, 8), Residual(8, 8)]
    for width in (8, 16, 32):
        blocks += [Residual(width, 2 * width, 2), Residual(2 * width, 2 * width)]
    stem = [Unit(3, 8, 7, 2), nn.MaxPool2d(3, 2, 1)]
    return Pooled(nn.Sequential(*stem, *blocks), 64, 10)


class SqueezeExcite(nn.Module):
    """Channels, each by a number that all of them give."""

    def __init__(self, channels: int, inner: int, gate: nn.Module) -> None:
        super().__init__()
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.down = nn.Conv2d(channels, inner, 1)
        self.up = nn.Conv2d(inner, channels, 1)
        self.gate = gate

    def forward(self, x: Tensor) -> Tensor:
        """In the shape of x."""
        return x * self.gate(self.up(functional.relu(self.down(self.pool(x)))))


class Inverted(nn.Module):
    """Wider, depthwise, narrower, and the input added where it fits."""

    def __init__(
        self,
        inputs: int,
        outputs: int,
        *,
        grow: int = 4,
        kernel: int = 3,
        stride: int = 1,
        curve: Callable[[], nn.Module] = nn.ReLU6,
        excites: bool = False,
    ) -> None:
        super().__init__()
        wide = inputs * grow
        side = [SqueezeExcite(wide, max(wide // 4, 4), nn.Hardsigmoid())] if excites else []
        self.body = nn.Sequential(
            Unit(inputs, wide, 1, curve=curve()),
            Unit(wide, wide, kernel, stride, groups=wide, curve=curve()),
            *side,
            Unit(wide, outputs, 1, curve=nn.Identity()),
        )
        self.adds = stride == 1 and inputs == outputs

    def forward(self, x: Tensor) -> Tensor:
        """As the body gives."""
        return x + self.body(x) if self.adds else self.body(x)


def mobilenet_v2() -> nn.Module:
    """Inverted residuals with relu6."""
    blocks = [
        Inverted(8, 8),
        Inverted(8, 12, stride=2),
        Inverted(12, 12),
        Inverted(12, 24, stride=2),
    ]
    return Pooled(
        nn.Sequential(Unit(3, 8, stride=2, curve=nn.ReLU6()), *blocks, Unit(24, 48, 1)), 48, 10
    )


def mobilenet_v3() -> nn.Module:
    """The small one: squeeze and excite, hard swish, kernels of 5."""
    blocks = [
        Inverted(8, 8, stride=2, curve=nn.ReLU, excites=True),
        Inverted(8, 12, stride=2, curve=nn.ReLU),
        Inverted(12, 12, curve=nn.ReLU),
        Inverted(12, 16, kernel=5, stride=2, curve=nn.Hardswish, excites=True),
        Inverted(16, 16, kernel=5, curve=nn.Hardswish, excites=True),
    ]
    features = nn.Sequential(Unit(3, 8, stride=2, curve=nn.Hardswish()), *blocks)
    head = nn.Sequential(nn.Linear(16, 32), nn.Hardswish(), nn.Dropout(0.2), nn.Linear(32, 10))
    return nn.Sequential(features, nn.AdaptiveAvgPool2d(1), nn.Flatten(1), head)


def efficientnet_lite() -> nn.Module:
    """Inverted residuals with kernels of 3 and 5, no squeeze."""
    blocks = [
        Inverted(8, 8, grow=1),
        Inverted(8, 12, grow=6, stride=2),
        Inverted(12, 12, grow=6),
        Inverted(12, 16, grow=6, kernel=5, stride=2),
        Inverted(16, 16, grow=6, kernel=5),
    ]
    stem = Unit(3, 8, stride=2, curve=nn.ReLU6())
    return Pooled(nn.Sequential(stem, *blocks, Unit(16, 64, 1, curve=nn.ReLU6())), 64, 10)


class Recurrent(nn.Module):
    """A recurrent layer over frames, and scores of its last result."""

    def __init__(self, layer: nn.RNNBase, width: int) -> None:
        super().__init__()
        self.layer = layer
        self.score = nn.Linear(width, 12)

    def forward(self, x: Tensor) -> Tensor:
        """(1, frames, features) to scores."""
        return self.score(self.layer(x)[0][:, -1])


def lstm_kws() -> nn.Module:
    """Two layers of LSTM."""
    return Recurrent(nn.LSTM(10, 16, num_layers=2, batch_first=True), 16)


def gru_kws() -> nn.Module:
    """GRU in both directions."""
    return Recurrent(nn.GRU(10, 12, bidirectional=True, batch_first=True), 24)


class Crnn(nn.Module):
    """Convolutions over a spectrum, then GRU over what they give for each frame."""

    def __init__(self) -> None:
        super().__init__()
        self.features = nn.Sequential(Unit(1, 8), nn.MaxPool2d((1, 2)), Unit(8, 8, stride=2))
        self.layer = nn.GRU(8 * 5, 16, batch_first=True)
        self.score = nn.Linear(16, 6)

    def forward(self, x: Tensor) -> Tensor:
        """(1, 1, frames, 20) to scores of each frame."""
        y = self.features(x).permute(0, 2, 1, 3).flatten(2)
        return functional.log_softmax(self.score(self.layer(y)[0]), -1)


class CausalBlock(nn.Module):
    """Two dilated convolutions that see no later frames, and the input added."""

    def __init__(self, inputs: int, outputs: int, dilation: int) -> None:
        super().__init__()
        self.reach = 2 * dilation
        self.first = nn.Conv1d(inputs, outputs, 3, dilation=dilation)
        self.second = nn.Conv1d(outputs, outputs, 3, dilation=dilation)
        self.side = nn.Identity() if inputs == outputs else nn.Conv1d(inputs, outputs, 1)

    def forward(self, x: Tensor) -> Tensor:
        """As many frames as x has."""
        y = torch.relu(self.first(functional.pad(x, (self.reach, 0))))
        y = torch.relu(self.second(functional.pad(y, (self.reach, 0))))
        return torch.relu(y + self.side(x))


def tcn() -> nn.Module:
    """Temporal convolutions, and scores of the mean over time."""
    blocks = [CausalBlock(8, 16, 1), CausalBlock(16, 16, 2), CausalBlock(16, 16, 4)]
    return nn.Sequential(*blocks, nn.AdaptiveAvgPool1d(1), nn.Flatten(1), nn.Linear(16, 4))


class StreamingDsCnn(nn.Module):
    """Each run gets one frame of a spectrum; rows that convolutions need are kept."""

    frames: Tensor
    rows: Tensor
    average: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Conv2d(1, 16, (4, 3), padding=(0, 1))
        self.depth = nn.Conv2d(16, 16, 3, padding=(0, 1), groups=16)
        self.point = nn.Conv2d(16, 16, 1)
        self.score = nn.Linear(16, 4)
        self.register_buffer("frames", torch.zeros(1, 1, 3, 10))
        self.register_buffer("rows", torch.zeros(1, 16, 2, 10))
        self.register_buffer("average", torch.zeros(1, 16))

    def forward(self, x: Tensor) -> Tensor:
        """(1, 1, 1, 10) to scores."""
        seen = torch.cat([self.frames, x], 2)
        self.frames = seen[:, :, 1:]
        y = torch.relu(self.stem(seen))
        seen = torch.cat([self.rows, y], 2)
        self.rows = seen[:, :, 1:]
        y = torch.relu(self.point(torch.relu(self.depth(seen))))
        self.average = 0.9 * self.average + 0.1 * y.mean((2, 3))
        return self.score(self.average)


class UNet(nn.Module):
    """Down and up again, by resizing and by transposed convolution, with what was there before."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second, self.deep = Unit(1, 8), Unit(8, 16), Unit(16, 32)
        self.widen = nn.ConvTranspose2d(32, 16, 2, stride=2)
        self.third, self.fourth = Unit(32, 16), Unit(24, 8)
        self.mask = nn.Conv2d(8, 1, 1)

    def forward(self, x: Tensor) -> Tensor:
        """A mask of the image's size."""
        first = self.first(x)
        second = self.second(functional.max_pool2d(first, 2))
        deep = self.deep(functional.max_pool2d(second, 2))
        up = self.third(torch.cat([self.widen(deep), second], 1))
        large = functional.interpolate(up, scale_factor=2, mode="bilinear", align_corners=False)
        return torch.sigmoid(self.mask(self.fourth(torch.cat([large, first], 1))))


def conv_autoencoder() -> nn.Module:
    """Strided convolutions, and transposed ones back to the image."""
    down = [
        nn.Conv2d(3, 8, 3, 2, 1),
        nn.LeakyReLU(0.1),
        nn.Conv2d(8, 16, 3, 2, 1),
        nn.LeakyReLU(0.1),
    ]
    up = [nn.ConvTranspose2d(16, 8, 3, 2, 1, 1), nn.ELU(), nn.ConvTranspose2d(8, 3, 4, 2, 1)]
    return nn.Sequential(*down, *up, nn.Tanh())


def encoder_layer(width: int, heads: int) -> nn.TransformerEncoderLayer:
    """Attention and two linear layers, normalized in front."""
    return nn.TransformerEncoderLayer(
        width, heads, 2 * width, activation="gelu", batch_first=True, norm_first=True
    )


class VisionTransformer(nn.Module):
    """Patches as tokens, with one more for the class."""

    def __init__(self) -> None:
        super().__init__()
        self.patches = nn.Conv2d(3, 24, 8, 8)
        self.token = nn.Parameter(torch.randn(1, 1, 24))
        self.places = nn.Parameter(torch.randn(1, 17, 24))
        self.blocks = nn.Sequential(encoder_layer(24, 3), encoder_layer(24, 3))
        self.norm = nn.LayerNorm(24)
        self.score = nn.Linear(24, 10)

    def forward(self, x: Tensor) -> Tensor:
        """Scores."""
        y = self.patches(x).flatten(2).transpose(1, 2)
        y = torch.cat([self.token.expand(x.shape[0], -1, -1), y], 1) + self.places
        return self.score(self.norm(self.blocks(y))[:, 0])


class MobileVit(nn.Module):
    """Convolutions, attention among pixels at one place of their patches, and both joined."""

    def __init__(self) -> None:
        super().__init__()
        self.local = nn.Sequential(Unit(8, 8), nn.Conv2d(8, 16, 1, bias=False))
        self.attention = encoder_layer(16, 2)
        self.back = Unit(16, 8, 1, curve=nn.SiLU())
        self.join = Unit(16, 8, curve=nn.SiLU())

    def forward(self, x: Tensor) -> Tensor:
        """In the shape of x (1, 8, H, W)."""
        y = self.local(x)
        batch, channels, height, width = y.shape
        y = y.reshape(batch * channels * height // 2, 2, width // 2, 2).transpose(1, 2)
        y = y.reshape(batch, channels, height * width // 4, 4).transpose(1, 3)
        y = self.attention(y.reshape(batch * 4, height * width // 4, channels))
        y = y.reshape(batch, 4, height * width // 4, channels).transpose(1, 3)
        y = y.reshape(batch * channels * height // 2, width // 2, 2, 2).transpose(1, 2)
        y = self.back(y.reshape(batch, channels, height, width))
        return self.join(torch.cat([x, y], 1))


class CachedAttention(nn.Module):
    """One token attends to all before it, whose keys and values are kept."""

    keys: Tensor
    values: Tensor

    def __init__(self, width: int, heads: int, steps: int) -> None:
        super().__init__()
        self.heads, self.steps = heads, steps
        self.project = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.register_buffer("keys", torch.zeros(1, heads, steps, width // heads))
        self.register_buffer("values", torch.zeros(1, heads, steps, width // heads))

    def forward(self, x: Tensor, step: Tensor) -> Tensor:
        """x (1, 1, width), step: (1,), how many tokens there were before."""
        query, key, value = self.project(x).view(1, 1, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        self.keys[:, :, step] = key
        self.values[:, :, step] = value
        seen = torch.arange(self.steps) <= step
        y = functional.scaled_dot_product_attention(
            query, self.keys, self.values, seen[None, None, None]
        )
        return self.out(y.transpose(1, 2).flatten(2))


class DecoderLayer(nn.Module):
    """Attention and two linear layers, normalized in front."""

    def __init__(self, width: int, heads: int, steps: int) -> None:
        super().__init__()
        self.attention = CachedAttention(width, heads, steps)
        self.first, self.second = nn.RMSNorm(width), nn.RMSNorm(width)
        self.up, self.down = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)

    def forward(self, x: Tensor, step: Tensor) -> Tensor:
        """In the shape of x."""
        x = x + self.attention(self.first(x), step)
        return x + self.down(functional.silu(self.up(self.second(x))))


class Decoder(nn.Module):
    """Two layers; each run gets a token and gives scores of the next."""

    step: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.tokens = nn.Embedding(20, 16)
        self.places = nn.Embedding(6, 16)
        self.layers = nn.ModuleList(DecoderLayer(16, 2, 6) for _ in range(2))
        self.score = nn.Linear(16, 20, bias=False)
        self.register_buffer("step", torch.zeros(1, dtype=torch.long))

    def forward(self, token: Tensor) -> Tensor:
        """(1, 1) to (1, 1, 20)."""
        x = self.tokens(token) + self.places(self.step)
        for layer in self.layers:
            x = layer(x, self.step)
        self.step += 1
        return self.score(x)


class MixerLayer(nn.Module):
    """Linear layers across tokens, then across channels."""

    def __init__(self, tokens: int, width: int) -> None:
        super().__init__()
        self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)
        self.across = nn.Sequential(nn.Linear(tokens, 24), nn.GELU(), nn.Linear(24, tokens))
        self.within = nn.Sequential(nn.Linear(width, 32), nn.GELU(), nn.Linear(32, width))

    def forward(self, x: Tensor) -> Tensor:
        """In the shape of x (1, tokens, width)."""
        x = x + self.across(self.first(x).transpose(1, 2)).transpose(1, 2)
        return x + self.within(self.second(x))


class Mixer(nn.Module):
    """Patches as tokens, mixed."""

    def __init__(self) -> None:
        super().__init__()
        self.patches = nn.Conv2d(3, 16, 8, 8)
        self.layers = nn.Sequential(MixerLayer(16, 16), MixerLayer(16, 16))
        self.norm = nn.LayerNorm(16)
        self.score = nn.Linear(16, 10)

    def forward(self, x: Tensor) -> Tensor:
        """Scores."""
        y = self.layers(self.patches(x).flatten(2).transpose(1, 2))
        return self.score(self.norm(y).mean(1))


def squeeze_excite() -> nn.Module:
    """Residual blocks whose channels are weighed."""
    gates = [SqueezeExcite(8, 4, nn.Sigmoid()), SqueezeExcite(16, 4, nn.Sigmoid())]
    blocks = [Unit(3, 8), gates[0], Unit(8, 16, stride=2), gates[1], Unit(16, 16)]
    return Pooled(nn.Sequential(*blocks), 16, 5)


ARCHITECTURES = {
    "autoencoder": Architecture(autoencoder, (1, 640)),
    "conv_autoencoder": Architecture(conv_autoencoder, (1, 3, 16, 16), transposes=2),
    "crnn": Architecture(Crnn, (1, 1, 12, 20)),
    "decoder": Architecture(Decoder, (1, 1), tokens=20, frames=5),
    "ds_cnn": Architecture(ds_cnn, (1, 1, 49, 10)),
    "efficientnet_lite": Architecture(efficientnet_lite, (1, 3, 32, 32)),
    "gru_kws": Architecture(gru_kws, (1, 12, 10)),
    "lstm_kws": Architecture(lstm_kws, (1, 12, 10)),
    "mixer": Architecture(Mixer, (1, 3, 32, 32), transposes=4),
    "mobilenet_v1": Architecture(mobilenet_v1, (1, 3, 96, 96)),
    "mobilenet_v2": Architecture(mobilenet_v2, (1, 3, 32, 32)),
    "mobilenet_v3": Architecture(mobilenet_v3, (1, 3, 64, 64)),
    "mobilevit": Architecture(MobileVit, (1, 8, 8, 8), transposes=4),
    "resnet18": Architecture(resnet18, (1, 3, 64, 64)),
    "resnet8": Architecture(resnet8, (1, 3, 32, 32)),
    "squeeze_excite": Architecture(squeeze_excite, (1, 3, 16, 16)),
    "streaming_ds_cnn": Architecture(StreamingDsCnn, (1, 1, 1, 10), frames=6),
    "tcn": Architecture(tcn, (1, 8, 20)),
    "unet": Architecture(UNet, (1, 1, 16, 16), transposes=1),
    "vision_transformer": Architecture(VisionTransformer, (1, 3, 32, 32), transposes=4),
    "wake_word": Architecture(WakeWord, (1, 40, 1), frames=7),
}
