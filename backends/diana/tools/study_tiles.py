"""A study: what a convolution of the digital array takes in tiles, where its L1 memory is smaller, as figure 4 of
HTVM's paper asks. All cycles are modelled (`tinsmith_diana.jobs`), none is simulated, and nothing of it is compiled.

python backends/diana/tools/study_tiles.py

A tile is some output channels and rows; input channels and columns stay whole. As HTVM's loop has it, each tile copies
its part of the input, runs its jobs and copies its part of the result. Tiles are chosen by three rules: the largest one
(`largest`); HTVM's weights of its solver, as its code has them (`htvm`); the fewest modelled cycles (`fewest`). `kept`
is the last one where tiles of the same rows copy the input once.
"""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from tinsmith_diana import jobs
from tinsmith_diana.layouts import COPIED_BYTES, LANES, padded
from tinsmith_diana.packing import convolution_bytes

TILE_CYCLES = 16
"""Of a round of HTVM's loop: fitted to its latencies, as those of jobs and copies."""
_BUDGETS = tuple(kib * 1024 for kib in (256, 128, 96, 64, 48, 32, 24, 16))
_BYTES_A_CYCLE = 16

# HTVM's solver: what channels that fill the array, 16 pixels or more, and channels weigh beside bytes.
_FILL, _PIXELS, _CHANNEL = 10**6, 10**6, 10**5
_LEAST_PIXELS = 16


@dataclass(frozen=True)
class Layer:
    """A convolution whose result is as large as its input; side: of its window, odd."""

    inputs: int
    outputs: int
    height: int
    width: int
    side: int

    def __str__(self) -> str:
        """For the table."""
        sizes = f"{self.inputs} to {self.outputs}, {self.height}x{self.width}"
        return f"{self.side}x{self.side}, {sizes}"


@dataclass(frozen=True)
class Tile:
    """Output channels and rows; those at the end may have fewer."""

    channels: int
    rows: int


@dataclass(frozen=True)
class _Rows:
    """What a tile's rows of outputs read: input rows inside the image, rows of zeros above and below."""

    outputs: int
    inputs: int
    above: int
    below: int


LAYERS = (
    Layer(64, 64, 32, 32, 3),
    Layer(32, 128, 32, 32, 3),
    Layer(128, 128, 16, 16, 1),
)

Rule = Callable[[Layer, int], Tile | None]
"""The tile for so many bytes of L1; None where not one row of one channel has room."""


def largest(layer: Layer, budget: int) -> Tile | None:
    """Of most bytes; of these the most channels."""
    tiles = [*_tiles(layer, budget)]
    return max(tiles, key=lambda tile: (_bytes(layer, tile), tile.channels), default=None)


def htvm(layer: Layer, budget: int) -> Tile | None:
    """By HTVM's weights: first with all rows, then with any."""
    tiles = [*_tiles(layer, budget)]
    whole = [tile for tile in tiles if tile.rows == layer.height]
    return max(whole or tiles, key=lambda tile: (_weight(layer, tile), tile.rows), default=None)


def fewest(layer: Layer, budget: int, *, kept: bool = False) -> Tile | None:
    """Of fewest cycles, of all tiles there are. kept: as of `cycles`."""
    tiles = [*_tiles(layer, budget)]
    return min(tiles, key=lambda tile: cycles(layer, tile, kept=kept), default=None)


RULES: Mapping[str, Rule] = {"largest": largest, "htvm": htvm, "fewest": fewest}


def cycles(layer: Layer, tile: Tile, *, kept: bool = False) -> int:
    """Modelled, of the layer in such tiles. kept: the input of tiles of the same rows is copied once."""
    groups = [*_parts(layer.outputs, tile.channels)]
    total = 0
    for rows in _row_parts(layer, tile.rows):
        total += _copy(layer.inputs, rows.inputs, layer) * (1 if kept else len(groups))
        total += sum(_job(layer, rows, channels) for channels in groups)
    return total


@cache
def _job(layer: Layer, rows: _Rows, channels: int) -> int:
    """Of a tile without its input's copy."""
    work = jobs.Convolution(
        (rows.inputs, layer.width, layer.inputs),
        (rows.outputs, layer.width, channels),
        (layer.side, layer.side),
        1,
        (rows.above, rows.below, layer.side // 2),
        0,
        relu=False,
    )
    return TILE_CYCLES + jobs.cycles(work) + _copy(channels, rows.outputs, layer)


def _copy(channels: int, rows: int, layer: Layer) -> int:
    """Of rows of planes: one run of bytes where they are all rows of their planes, else one for each plane."""
    plane = rows * padded(layer.width)
    runs, size = (1, channels * plane) if rows == layer.height else (channels, plane)
    whole = -(-size // COPIED_BYTES) * COPIED_BYTES
    return runs * (jobs.COPY_CYCLES + whole // _BYTES_A_CYCLE)


def _tiles(layer: Layer, budget: int) -> Iterator[Tile]:
    """Those that L1 and the weight memory have room for, with the planes behind a result that jobs write, too."""
    for channels in range(1, layer.outputs + 1):
        weights = convolution_bytes(padded(channels), layer.side**2 * layer.inputs)
        if weights > jobs.WEIGHT_MEMORY_BYTES:
            return
        for rows in range(1, layer.height + 1):
            if _bytes(layer, Tile(padded(channels), rows)) <= budget:
                yield Tile(channels, rows)


def _bytes(layer: Layer, tile: Tile) -> int:
    """Of the largest part of the input, and of the result."""
    inputs = max(rows.inputs for rows in _row_parts(layer, tile.rows))
    return padded(layer.width) * (layer.inputs * inputs + tile.channels * tile.rows)


def _weight(layer: Layer, tile: Tile) -> int:
    has_pixels = tile.rows * layer.width >= _LEAST_PIXELS
    fill = _FILL * ((tile.channels - 1) % LANES)
    return _bytes(layer, tile) + fill + _PIXELS * has_pixels + _CHANNEL * tile.channels


@cache
def _row_parts(layer: Layer, most: int) -> tuple[_Rows, ...]:
    """most: rows of outputs of a tile."""
    half, first = layer.side // 2, 0
    parts: list[_Rows] = []
    for outputs in _parts(layer.height, most):
        begin, end = first - half, first + outputs + half
        above, below = max(0, -begin), max(0, end - layer.height)
        parts.append(_Rows(outputs, end - begin - above - below, above, below))
        first += outputs
    return tuple(parts)


def _parts(whole: int, part: int) -> Iterator[int]:
    """As many whole parts as there are, and what is left."""
    for first in range(0, whole, part):
        yield min(part, whole - first)


def lines(layers: Sequence[Layer], budgets: Sequence[int]) -> Iterator[list[str]]:
    """Of the table: for each layer and budget the cycles of each rule, and its tile as channels x rows."""
    for layer in layers:
        for budget in budgets:
            found = {name: rule(layer, budget) for name, rule in RULES.items()}
            kept = fewest(layer, budget, kept=True)
            if kept is None:
                continue
            taken = [
                f"{cycles(layer, tile):,} ({tile.channels} x {tile.rows})"
                for tile in found.values()
                if tile is not None
            ]
            taken.append(f"{cycles(layer, kept, kept=True):,} ({kept.channels} x {kept.rows})")
            yield [str(layer), f"{budget // 1024}", *taken]


def main() -> int:
    """Print the table."""
    rows = [["layer", "L1, KiB", *RULES, "kept"], *lines(LAYERS, _BUDGETS)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    rows.insert(1, ["-" * width for width in widths])
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        print("  ".join(cells).rstrip())
    return 0


if __name__ == "__main__":
    sys.exit(main())
