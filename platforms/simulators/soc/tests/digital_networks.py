"""The four networks of HTVM's Table I as layers of DIANA's digital accelerator, and what models give them.

Layers: from HTVM's networks (DAC 2023; the classifiers' outputs padded to a multiple of 4). Cycles: MATCH's model, and
for fully connected layers and additions TinyVers' state machine. Bytes of weights: as DORY packs them, biases inside.
"""

from dataclasses import dataclass

from digital_model import Connected, Convolution


@dataclass(frozen=True)
class Row:
    """layer: None is an addition of `elements`, with what pads rows. jobs: HTVM's triggers. cycles: of the array."""

    layer: Convolution | Connected | None
    cycles: int
    jobs: int
    weight_bytes: int
    elements: int = 0


def _conv(
    inputs: int, outputs: int, height: int, width: int, kernel: tuple[int, int], stride: int = 1
) -> Convolution:
    """Padded by half of the kernel on each side."""
    rows, columns = kernel[0] // 2, kernel[1] // 2
    return Convolution(inputs, outputs, height, width, kernel, stride, rows, rows, columns)


def _depthwise(channels: int, side: tuple[int, int], stride: int = 1) -> Convolution:
    return Convolution(channels, channels, *side, (3, 3), stride, depthwise=True)


def _pointwise(inputs: int, outputs: int, height: int, width: int, stride: int = 1) -> Convolution:
    return _conv(inputs, outputs, height, width, (1, 1), stride)


def _mobilenet_pair(
    channels: int,
    outputs: int,
    side: int,
    stride: int,
    depthwise: tuple[int, int],
    pointwise: tuple[int, int],
) -> tuple[Row, Row]:
    """cycles and bytes of weights of both."""
    after = -(-side // stride)
    return (
        Row(_depthwise(channels, (side, side), stride), depthwise[0], channels, depthwise[1]),
        Row(
            _pointwise(channels, outputs, after, after),
            pointwise[0],
            2 if pointwise[1] > 65536 else 1,
            pointwise[1],
        ),
    )


_DSCNN_PAIR = (
    Row(_depthwise(64, (5, 25)), 23040, 64, 13312),
    Row(_pointwise(64, 64, 5, 25), 8600, 1, 4352),
)
_MOBILENET_6X6 = _mobilenet_pair(128, 128, 6, 1, (27904, 26624), (19536, 16896))

NETWORKS: dict[str, tuple[Row, ...]] = {
    "dscnn": (
        Row(Convolution(1, 64, 10, 49, (5, 7), 2, 2, 2, 3), 2504, 1, 2496),
        *_DSCNN_PAIR * 4,
        Row(Connected(64, 12), 24, 1, 1280),
    ),
    "mobilenet": (
        Row(_conv(3, 8, 96, 96, (3, 3), 2), 9747, 1, 496),
        *_mobilenet_pair(8, 16, 48, 1, (43536, 1664), (6768, 192)),
        *_mobilenet_pair(16, 32, 48, 2, (29024, 3328), (6816, 640)),
        *_mobilenet_pair(32, 32, 24, 1, (57728, 6656), (11424, 1152)),
        *_mobilenet_pair(32, 64, 24, 2, (14432, 6656), (5712, 2304)),
        *_mobilenet_pair(64, 64, 12, 1, (28544, 13312), (10320, 4352)),
        *_mobilenet_pair(64, 128, 12, 2, (14272, 13312), (10320, 8704)),
        *_MOBILENET_6X6 * 5,
        *_mobilenet_pair(128, 256, 6, 2, (13952, 26624), (19536, 33792)),
        *_mobilenet_pair(256, 256, 3, 1, (26624, 53248), (37968, 66560)),
        Row(Connected(256, 4), 36, 1, 4352),
    ),
    "resnet": (
        Row(_conv(3, 16, 32, 32, (3, 3)), 4292, 1, 496),
        *(Row(_conv(16, 16, 32, 32, (3, 3)), 16512, 1, 2368),) * 2,
        Row(None, 4096, 1, 0, elements=16 * 32 * 32),
        Row(_conv(16, 32, 32, 32, (3, 3), 2), 8256, 1, 4736),
        Row(_conv(32, 32, 16, 16, (3, 3)), 15456, 1, 9344),
        Row(_pointwise(16, 32, 32, 32, 2), 2272, 1, 640),
        Row(None, 2048, 1, 0, elements=32 * 16 * 16),
        Row(_conv(32, 64, 16, 16, (3, 3), 2), 15456, 1, 18688),
        Row(_conv(64, 64, 8, 8, (3, 3)), 28896, 1, 37120),
        Row(_pointwise(32, 64, 16, 16, 2), 3808, 1, 2304),
        Row(None, 2048, 1, 0, elements=64 * 8 * 16),
        Row(Connected(64, 12), 24, 1, 1280),
    ),
    "toyadmos": (
        Row(Connected(640, 128), 480, 8, 83968),
        *(Row(Connected(128, 128), 224, 8, 18432),) * 3,
        Row(Connected(128, 8), 28, 1, 2304),
        Row(Connected(8, 128), 168, 8, 4096),
        *(Row(Connected(128, 128), 224, 8, 18432),) * 3,
        Row(Connected(128, 640), 1120, 40, 92160),
    ),
}
