"""The ways to compute a call in tiles: which boxes of its result, and what each of them reads.

A result is cut along its first axis of several indices (rows), along its last one (channels, by fours), or both. The
tiles of one part of the channels follow one another, so that the constants of that part are fetched once.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from tinsmith_ir.boxes import Box, cut_type
from tinsmith_ir.graph import Array
from tinsmith_ir.operators import Operator
from tinsmith_ir.program import Call, Option, Program
from tinsmith_ir.types import TensorType
from tinsmith_lowering import CORES, Cost, Kernel, Layer
from tinsmith_target import Target

CHANNEL_BLOCK = 4
"""Kernels take channels four at a time: parts of them are multiples."""

_SMALL = 12
"""A tile is small if that many have room in the near memory."""

_TIGHT = 4
"""Where fewer tiles than that have room, it may be for one at a time only."""

_PARTS = (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 20, 24, 32, 48, 64, 96, 128, 192, 256, 512, 1024)


@dataclass(frozen=True, eq=False)
class Tile:
    """A box of the result, the operator that computes it, and the box that it reads of each operand."""

    box: Box
    operator: Operator
    reads: tuple[Box | None, ...]


@dataclass(frozen=True, eq=False)
class Tiles:
    """The tiles of a cut: for each part of the channels those of the rows in order.

    layers: of each tile, as kernels see it, options aside; tiles of a part that are alike share one.
    """

    rows: tuple[tuple[Tile, ...], ...]
    layers: tuple[tuple[Layer, ...], ...]

    @cached_property
    def all(self) -> list[Tile]:
        """In the order in which they are computed."""
        return [tile for row in self.rows for tile in row]

    @cached_property
    def kinds_of_layers(self) -> dict[int, Layer]:
        """Those that differ, by identity."""
        return {id(layer): layer for row in self.layers for layer in row}

    @cached_property
    def kinds(self) -> int:
        """How many tiles differ in more than where they lie and which channels they are."""
        shapes = {
            (tile.operator, tile.box.shape, tuple(box and box.shape for box in tile.reads))
            for tile in self.all
        }
        return len(shapes)


@dataclass(frozen=True, eq=False)
class Cut:
    """A way to cut a call.

    options: of the call's, as they are taken. cycles: of all calls, when they find everything near, their instructions
    too; first_cycles: more where another kernel ran before. scratch_bytes: of the largest tile. tile_bytes: what the
    first one takes of the near memory: operands, result, scratch. slots: 2 if a tile is copied while another is
    computed, 1 where there is room for one at a time.
    """

    call: Call
    kernel: Kernel
    cut: Tiles
    options: tuple[Option, ...]
    cycles: int
    first_cycles: int
    scratch_bytes: int
    tile_bytes: int
    slots: int = 2

    @property
    def tiles(self) -> tuple[tuple[Tile, ...], ...]:
        """For each part of the channels those of the rows in order."""
        return self.cut.rows

    @cached_property
    def layers(self) -> tuple[tuple[Layer, ...], ...]:
        """Of each tile, with options; tiles of a part that are alike share one."""
        plain = self.cut.kinds_of_layers.items()
        chosen = {name: replace(layer, options=self.options) for name, layer in plain}
        return tuple(tuple(chosen[id(layer)] for layer in row) for row in self.cut.layers)

    @property
    def count(self) -> int:
        """How many tiles."""
        return len(self.cut.all)

    @property
    def cores(self) -> str:
        """How many cores, where that was chosen."""
        found = [o.value for o in self.options if o.name == CORES]
        return f" on {found[0]} cores" if found else ""

    @property
    def label(self) -> str:
        """`4 x 1 tiles on 8 cores`: parts of the rows by parts of the channels."""
        single = ", one at a time" if self.slots == 1 else ""
        return f"{len(self.tiles[0])} x {len(self.tiles)} tiles{self.cores}{single}"


@dataclass(frozen=True)
class _Needs:
    """What a call of a tile takes."""

    cost: Cost | None
    scratch_bytes: int


class Cutter:
    """Cuts one call; what several cuts have in common is found once."""

    def __init__(self, program: Program, target: Target, call: Call, kernel: Kernel) -> None:
        self._program = program
        self._target = target
        self._call = call
        self._kernel = kernel
        self._inputs, outputs = program.types_of(call)
        (self._output,) = outputs
        shape = self._output.shape
        self._rows, self._channels = _axes(shape)
        self._row_sizes = [1] if self._rows is None else _sizes(shape[self._rows], 1)
        self._channel_sizes = (
            [1] if self._channels is None else _sizes(shape[self._channels], CHANNEL_BLOCK)
        )
        self._needed: dict[object, _Needs] = {}
        self._cuts: dict[tuple[int, int], list[Cut]] = {}
        self._by_axis: dict[tuple[int, int], list[Tile] | None] = {}
        self._types: dict[tuple[int, Box], TensorType] = {}

    @property
    def has_cuts(self) -> bool:
        """Whether the operator says what its parts read, and the kernel takes them."""
        return bool(self._by_cores(self._row_sizes[0], self._channel_sizes[0]))

    def cuts(self, room_bytes: int) -> list[Cut]:
        """The whole, then smaller tiles, down to those that take a small part of the room. Both axes are cut where
        tiles of one are too large for two of them at a time.

        room_bytes: of the near memory.
        """
        rows, channels = self._row_sizes, self._channel_sizes
        found = self._until_small(rows, channels[:1], room_bytes)
        found += self._until_small(rows[:1], channels, room_bytes)
        if found and 2 * found[0].tile_bytes > room_bytes:
            for size in channels[1:]:
                found += self._until_small(rows[1:], [size], room_bytes)
        found += [
            replace(cut, slots=1)
            for cut in found
            if cut.count > 1 and _TIGHT * cut.tile_bytes > room_bytes
        ]
        return list(_different(found).values())

    def others(self, known: Sequence[Cut]) -> list[Cut]:
        """All that are not among the known ones, one tile at a time: no way takes less of the near memory than the
        least of both, whatever the room that the known ones are for.
        """
        found = [
            replace(cut, slots=1) if cut.count > 1 else cut
            for rows in self._row_sizes
            for channels in self._channel_sizes
            for cut in self._by_cores(rows, channels)
        ]
        named = _different(known)
        return [cut for name, cut in _different(found).items() if name not in named]

    def _until_small(
        self, row_sizes: Sequence[int], channel_sizes: Sequence[int], room_bytes: int
    ) -> list[Cut]:
        """Cuts with all these sizes, the largest first, up to the second that is small beside the room."""
        found: list[Cut] = []
        small = 0
        for rows in row_sizes:
            for channels in channel_sizes:
                cuts = self._by_cores(rows, channels)
                found += cuts
                small += any(_SMALL * cut.tile_bytes <= room_bytes for cut in cuts)
                if small > 1:
                    return found
        return found

    def _by_cores(self, rows: int, channels: int) -> list[Cut]:
        """The cut by all cores, and where that wants scratch, by fewer."""
        if (rows, channels) not in self._cuts:
            self._cuts[rows, channels] = self._made_by_cores(rows, channels)
        return self._cuts[rows, channels]

    def _made_by_cores(self, rows: int, channels: int) -> list[Cut]:
        tiles = self._tiles(rows, channels)
        if tiles is None:
            return []
        layers = tuple(map(tuple, self._layers(tiles)))
        made = Tiles(tuple(map(tuple, tiles)), layers)
        if not all(self._kernel.takes(layer.kind) for layer in made.kinds_of_layers.values()):
            return []
        whole = self._cut(made, self._call.options)
        if whole is None:
            return []
        found = [whole]
        most = next((o.value for o in self._call.options if o.name == CORES), 1)
        cores = int(most) // 2 if isinstance(most, int) and whole.scratch_bytes else 0
        while cores:
            options = tuple(
                Option(CORES, cores) if option.name == CORES else option
                for option in self._call.options
            )
            fewer = self._cut(made, options)
            found += [] if fewer is None else [fewer]
            cores //= 2
        return found

    def _tiles(self, rows: int, channels: int) -> list[list[Tile]] | None:
        """By parts of the channels. Where both axes are cut, a tile reads what both cuts read."""
        by_channels = self._along(self._channels, channels)
        by_rows = self._along(self._rows, rows)
        if by_channels is None or by_rows is None:
            return None
        if len(by_rows) == 1:
            return [[tile] for tile in by_channels]
        if len(by_channels) == 1:
            return [by_rows]
        if any(tile.operator != self._call.operator for tile in by_channels):
            return None
        return [[_both(row, part) for row in by_rows] for part in by_channels]

    def _along(self, axis: int | None, size: int) -> list[Tile] | None:
        """Cut along one axis alone; None where the operator is not cut there."""
        key = (-1 if axis is None else axis, size)
        if key not in self._by_axis:
            whole = Box.whole(self._output.shape)
            found = [self._restricted(box) for box in _parts(whole, axis, size)]
            tiles = [tile for tile in found if tile is not None]
            self._by_axis[key] = tiles if len(tiles) == len(found) else None
        return self._by_axis[key]

    def _restricted(self, box: Box) -> Tile | None:
        call = self._call
        restriction = call.operator.restrict(box, self._inputs, (self._output,))
        if restriction is None or len(restriction.taken(call.inputs)) < len(call.inputs):
            return None
        return Tile(box, restriction.operator, restriction.operands)

    def _cut(self, tiles: Tiles, options: tuple[Option, ...]) -> Cut | None:
        """None where the kernel knows no cost of a tile."""
        counts = Counter(id(layer) for row in tiles.layers for layer in row)
        kinds = tiles.kinds_of_layers.items()
        needs = {name: self._needs(layer, options) for name, layer in kinds}
        costs = {name: need.cost for name, need in needs.items() if need.cost is not None}
        if len(costs) < len(needs):
            return None
        first = tiles.layers[0][0]
        operands = sum(type_.size_bytes for type_ in first.inputs if type_ is not None)
        return Cut(
            self._call,
            self._kernel,
            tiles,
            options,
            cycles=sum(counts[name] * cost.cycles for name, cost in costs.items()),
            first_cycles=costs[id(first)].first,
            scratch_bytes=max(need.scratch_bytes for need in needs.values()),
            tile_bytes=operands + first.output.size_bytes + needs[id(first)].scratch_bytes,
        )

    def _needs(self, layer: Layer, options: tuple[Option, ...]) -> _Needs:
        """The same for parts of one shape, whichever channels they are."""
        shapes = tuple(type_ and type_.shape for type_ in layer.inputs)
        key = (layer.operator, shapes, layer.output.shape, options)
        if key not in self._needed:
            chosen = replace(layer, options=options)
            scratch = self._kernel.scratch_bytes(chosen)
            self._needed[key] = _Needs(self._kernel.cost(chosen), scratch)
        return self._needed[key]

    def _layers(self, tiles: list[list[Tile]]) -> list[list[Layer]]:
        """Of each tile; tiles of a part that are alike share one."""
        layers: list[list[Layer]] = []
        for part in tiles:
            kinds: dict[object, Layer] = {}
            row: list[Layer] = []
            for tile in part:
                key = self._kind(tile)
                if key not in kinds:
                    kinds[key] = self._layer(tile)
                row.append(kinds[key])
            layers.append(row)
        return layers

    def _kind(self, tile: Tile) -> object:
        """Tiles of one kind differ in where they lie alone; what is read of constants is the same."""
        boxes = tuple(
            box if name in self._program.constant else box and box.shape
            for name, box in zip(self._call.inputs, tile.reads, strict=True)
        )
        return tile.operator, boxes, tile.box.shape

    def _layer(self, tile: Tile) -> Layer:
        pairs = list(zip(self._call.inputs, self._inputs, tile.reads, strict=True))
        types = [
            None if type_ is None or box is None else self._type(index, type_, box)
            for index, (_, type_, box) in enumerate(pairs)
        ]
        data = [self._data(name, box) for name, _, box in pairs]
        output = self._type(-1, self._output, tile.box)
        return Layer(
            self._call.name, tile.operator, tuple(types), (output,), tuple(data), self._target
        )

    def _type(self, index: int, type_: TensorType, box: Box) -> TensorType:
        """Of a box of an operand, or of the result, -1."""
        if (index, box) not in self._types:
            self._types[index, box] = cut_type(type_, box)
        return self._types[index, box]

    def _data(self, name: str | None, box: Box | None) -> Array | None:
        """The part of a constant operand; None of another."""
        constant = self._program.constant.get(name or "")
        return None if constant is None or box is None else constant.data[box.slices]


def _different(cuts: Sequence[Cut]) -> dict[object, Cut]:
    """One of those that are the same, by what tells them apart."""
    found: dict[object, Cut] = {}
    for cut in cuts:
        found.setdefault((cut.label, cut.tiles[0][0].box.shape), cut)
    return found


def _both(row: Tile, part: Tile) -> Tile:
    """What a part of the rows and a part of the channels have in common."""
    reads = [
        None if one is None or other is None else one.intersect(other)
        for one, other in zip(row.reads, part.reads, strict=True)
    ]
    box = row.box.intersect(part.box)
    assert box is not None  # each is whole along the other's axis
    return Tile(box, row.operator, tuple(reads))


def _axes(shape: Sequence[int]) -> tuple[int | None, int | None]:
    """That of rows, and that of channels; None where there is none of its own."""
    large = [axis for axis, extent in enumerate(shape) if extent > 1]
    last = len(shape) - 1
    if not large:
        return None, None
    rows = large[0] if large[0] != last else None
    return rows, last if shape[last] > 1 else None


def _sizes(extent: int, block: int) -> list[int]:
    """Extents of tiles, the largest first."""
    found = {-(-extent // parts) for parts in _PARTS if parts <= extent}
    return sorted({min(extent, -(-size // block) * block) for size in found}, reverse=True)


def _parts(box: Box, axis: int | None, size: int) -> Iterator[Box]:
    if axis is None:
        yield box
        return
    begin, end = box.ranges[axis]
    for at in range(begin, end, size):
        yield box.with_range(axis, at, min(at + size, end))
