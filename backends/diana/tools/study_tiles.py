"""A study: what a convolution of the digital array takes in tiles, where its L1 memory is smaller, as figure 4 of
HTVM's paper asks, with tiles of columns, too, as the pass `tile-jobs` has none. All cycles are modelled
(`tinsmith_diana.jobs`), none is simulated, and nothing of it is compiled; `tinsmith bench diana-tiles` is simulated.

python backends/diana/tools/study_tiles.py

A tile is some output channels, rows and columns; input channels stay whole. As HTVM's loop has it, each tile copies its
part of the input, runs its jobs and copies its part of the result. Tiles are chosen by three rules: the largest one
(`largest`, of which there are several); HTVM's weights of its solver, as its code has them (`htvm`); the fewest
modelled cycles, of tiles with whole columns, as copies of parts of rows cost most of all (`fewest`). `kept` is the last
one where tiles of the same rows copy the input once.
"""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial

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
    """Output channels, rows and columns; those at the end may have fewer."""

    channels: int
    rows: int
    columns: int

    def __str__(self) -> str:
        """For the table."""
        return f"{self.channels} x {self.rows} x {self.columns}"


@dataclass(frozen=True)
class _Part:
    """Rows or columns of a tile's result, and what they read: those inside the image, zeros before and behind."""

    outputs: int
    inputs: int
    before: int
    behind: int


LAYERS = (
    Layer(64, 64, 32, 32, 3),
    Layer(32, 128, 32, 32, 3),
    Layer(128, 128, 16, 16, 1),
)

Rule = Callable[[Layer, int], Tile | None]
"""The tile for so many bytes of L1; None where not one row of one channel has room."""


def largest(layer: Layer, budget: int, *, worst: bool = False) -> Tile | None:
    """Of most bytes, without what pads rows to words, as HTVM's solver counts them. Several often have as many, and
    nothing says which one a solver finds: the one of fewest cycles, or of most.
    """
    tiles = [*_largest_of_each_extent(layer, budget)]
    most = max((_bytes(layer, tile) for tile in tiles), default=0)
    equals = (tile for tile in tiles if _bytes(layer, tile) == most)
    choose = max if worst else min
    return choose(equals, key=lambda tile: cycles(layer, tile), default=None)


def htvm(layer: Layer, budget: int) -> Tile | None:
    """By HTVM's weights: first with all rows and columns, then with any rows; its third try has no more to do."""
    tiles = [*_tiles(layer, budget)]
    whole = [tile for tile in tiles if tile.rows == layer.height]
    return max(whole or tiles, key=lambda tile: (_weight(layer, tile), tile.rows), default=None)


def fewest(layer: Layer, budget: int, *, kept: bool = False) -> Tile | None:
    """Of fewest cycles, of all tiles of whole columns. kept: as of `cycles`."""
    tiles = [*_tiles(layer, budget)]
    return min(tiles, key=lambda tile: cycles(layer, tile, kept=kept), default=None)


RULES: Mapping[str, Rule] = {
    "largest, worst": partial(largest, worst=True),
    "largest, best": largest,
    "htvm": htvm,
    "fewest": fewest,
}


def cycles(layer: Layer, tile: Tile, *, kept: bool = False) -> int:
    """Modelled, of the layer in such tiles. kept: the input of tiles of the same rows and columns is copied once."""
    groups = [*_parts(layer.outputs, tile.channels)]
    total = 0
    for rows in _windows(layer.height, layer.side, tile.rows):
        for columns in _windows(layer.width, layer.side, tile.columns):
            copy = _copy(layer, layer.inputs, rows.inputs, columns.inputs)
            total += copy * (1 if kept else len(groups))
            total += sum(_job(layer, rows, columns, channels) for channels in groups)
    return total


@cache
def _job(layer: Layer, rows: _Part, columns: _Part, channels: int) -> int:
    """Of a tile without its input's copy."""
    work = jobs.Convolution(
        (rows.inputs, columns.inputs, layer.inputs),
        (rows.outputs, columns.outputs, channels),
        (layer.side, layer.side),
        1,
        (rows.before, rows.behind, columns.before),
        0,
        relu=False,
    )
    copy = _copy(layer, channels, rows.outputs, columns.outputs)
    return TILE_CYCLES + jobs.cycles(work) + copy


def _copy(layer: Layer, channels: int, rows: int, columns: int) -> int:
    """Of rows of planes: one run of bytes where rows and planes are whole, one for each plane where rows are, else one
    for each row.
    """
    runs, size = channels * rows, padded(columns)
    if columns == layer.width:
        runs, size = channels, rows * padded(columns)
        if rows == layer.height:
            runs, size = 1, channels * size
    whole = -(-size // COPIED_BYTES) * COPIED_BYTES
    return runs * (jobs.COPY_CYCLES + whole // _BYTES_A_CYCLE)


def _tiles(layer: Layer, budget: int) -> Iterator[Tile]:
    """Of whole columns, that L1 has room for, with the planes behind a result that jobs write, too."""
    for channels in range(1, _most_channels(layer) + 1):
        for rows in range(1, layer.height + 1):
            tile = Tile(padded(channels), rows, layer.width)
            if _bytes(layer, tile, word=LANES) <= budget:
                yield Tile(channels, rows, layer.width)


def _largest_of_each_extent(layer: Layer, budget: int) -> Iterator[Tile]:
    """Of each number of rows and columns the tile of most channels."""
    for rows in range(1, layer.height + 1):
        for columns in range(1, layer.width + 1):
            room = budget - _bytes(layer, Tile(0, rows, columns))
            channels = min(_most_channels(layer), room // (rows * columns))
            if channels > 0:
                yield Tile(channels, rows, columns)


def _most_channels(layer: Layer) -> int:
    """Whose weights the weight memory has room for."""
    of_block = convolution_bytes(LANES, layer.side**2 * layer.inputs)
    return min(layer.outputs, jobs.WEIGHT_MEMORY_BYTES // of_block * LANES)


def _bytes(layer: Layer, tile: Tile, *, word: int = 1) -> int:
    """Of the largest part of the input, and of the result. word: of bytes, to which rows are padded."""
    rows = max(part.inputs for part in _windows(layer.height, layer.side, tile.rows))
    columns = max(part.inputs for part in _windows(layer.width, layer.side, tile.columns))
    source, result = (-(-extent // word) * word for extent in (columns, tile.columns))
    return layer.inputs * rows * source + tile.channels * tile.rows * result


def _weight(layer: Layer, tile: Tile) -> int:
    has_pixels = tile.rows * tile.columns >= _LEAST_PIXELS
    fill = _FILL * ((tile.channels - 1) % LANES)
    return _bytes(layer, tile) + fill + _PIXELS * has_pixels + _CHANNEL * tile.channels


@cache
def _windows(extent: int, side: int, most: int) -> tuple[_Part, ...]:
    """Of an image's rows or columns. most: of outputs in a part."""
    half, first = side // 2, 0
    parts: list[_Part] = []
    for outputs in _parts(extent, most):
        begin, end = first - half, first + outputs + half
        before, behind = max(0, -begin), max(0, end - extent)
        parts.append(_Part(outputs, end - begin - before - behind, before, behind))
        first += outputs
    return tuple(parts)


def _parts(whole: int, part: int) -> Iterator[int]:
    """As many whole parts as there are, and what is left."""
    for first in range(0, whole, part):
        yield min(part, whole - first)


def lines(layers: Sequence[Layer], budgets: Sequence[int]) -> Iterator[list[str]]:
    """Of the table: for each layer and budget the cycles of each rule, and its tile: channels x rows x columns."""
    for layer in layers:
        for budget in budgets:
            found = {name: rule(layer, budget) for name, rule in RULES.items()}
            kept = fewest(layer, budget, kept=True)
            if kept is None:
                continue
            taken = [
                f"{cycles(layer, tile):,} ({tile})" for tile in found.values() if tile is not None
            ]
            taken.append(f"{cycles(layer, kept, kept=True):,} ({kept})")
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
