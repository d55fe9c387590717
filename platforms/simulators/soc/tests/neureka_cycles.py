"""What N-EUREKA takes without conflicts: the sum of terms that was fitted to GVSoC's model of it, written anew here."""

import itertools
from collections.abc import Iterator

from neureka_model import TILE, Layer


def _sizes(total: int, tile: int) -> list[int]:
    return [min(tile, total - start) for start in range(0, total, tile)]


def _parts(layer: Layer) -> int:
    """Of the input channels, for one tile of outputs."""
    return 1 if layer.mode == "depthwise" else len(_sizes(layer.inputs, layer.input_tile))


def _load(layer: Layer, height: int, width: int) -> int:
    return 6 + (36 + 6 if layer.mode == "1x1" else (height + 2) * (width + 2))


def _prepare(layer: Layer) -> int:
    return {"1x1": 7 if layer.prefetch else 10, "3x3": 6, "depthwise": 34}[layer.mode]


def _compute(layer: Layer, channels: int) -> int:
    words = channels * (1 if layer.mode == "1x1" else layer.weight_bits)
    return words + (8 if layer.mode == "3x3" else 0)


def _finish(layer: Layer, channels: int, pixels: int) -> int:
    """Normalization and the way out."""
    scales = channels if layer.norm_bits == 32 else -(-channels // 4)
    normalization = scales + 9 + 4 + 8 if layer.norm_bits else 0
    words = -(-4 * channels // 32) if layer.output_bits == 32 else 1
    return normalization + pixels * words + (3 if layer.mode == "1x1" else 0)


def _spatial_tiles(layer: Layer) -> Iterator[tuple[int, int]]:
    yield from itertools.product(_sizes(layer.height, TILE), _sizes(layer.width, TILE))


def cycles(layer: Layer) -> int:
    """From the trigger of a job to its event."""
    total = 0
    for channels in _sizes(layer.outputs, layer.output_tile):
        tiles = list(_spatial_tiles(layer))
        for height, width in tiles:
            total += _finish(layer, channels, height * width)
        inputs = [tile for tile in tiles for _ in range(_parts(layer))]
        total += _inputs_without_prefetch(layer, channels, inputs)
        if layer.prefetch:
            total -= _hidden(layer, channels, inputs)
    return total


def _inputs_without_prefetch(layer: Layer, channels: int, inputs: list[tuple[int, int]]) -> int:
    each = _prepare(layer) + _compute(layer, channels)
    return sum(_load(layer, *tile) + each for tile in inputs)


def _hidden(layer: Layer, channels: int, inputs: list[tuple[int, int]]) -> int:
    """What is saved by loads in the shadow of the computation before, which hands over 9 cycles later."""
    computation = _compute(layer, channels)
    loads = [_load(layer, *tile) for tile in inputs[1:]]
    return sum(computation + load - max(computation + 9, load) for load in loads)
