"""Ways to cut an accelerator's call into tiles that its scratchpad holds: boxes, kernels, copies, bytes, cycles.

A way is a grid: parts along the first axis of `Kernel.cuts` by parts along the second. What a tile reads and gives is
copied whole; the last part along an axis may begin within the one before where the copies of what is left would be too
short for the engine, and compute some of that again.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice, product

from tinsmith_ir.boxes import Box, Range
from tinsmith_ir.byte_places import Places, copied_places
from tinsmith_ir.layouts import layout_bytes
from tinsmith_ir.operators.base import Restriction
from tinsmith_ir.program import Call, Engine, Program, View
from tinsmith_lowering import Cuts, Kernel, Layer, Layouts, find_kernel, layer_of_part
from tinsmith_target import Scratchpad, Target

from tinsmith_tiling.model import TilingError

_PARTS = (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 56, 64)
"""Along an axis; and one for each least part."""


@dataclass(frozen=True, eq=False)
class Move:
    """A copy between a part of a tensor afar, `box` of `name`, and all of a view near.

    far, near: both, the latter's name and buffer being nobody's. near_bytes: of a buffer for it. far_end: one behind
    the last byte that the copy touches of the buffer afar.
    """

    name: str
    box: Box
    far: View
    near: View
    near_bytes: int
    cycles: int
    far_end: int


@dataclass(frozen=True, eq=False)
class JobTile:
    """A box of a call's result, and what computes it there. operands: by number, of those that are copied."""

    box: Box
    restriction: Restriction
    layer: Layer
    kernel: Kernel
    operands: Mapping[int, Move]
    result: Move
    cycles: int

    @property
    def read_bytes(self) -> int:
        """Of the scratchpad, of all operands."""
        return sum(move.near_bytes for move in self.operands.values())

    @property
    def bytes(self) -> int:
        """Of the scratchpad."""
        return self.read_bytes + self.result.near_bytes

    @cached_property
    def read_cycles(self) -> int:
        """Of the copies of all operands."""
        return sum(move.cycles for move in self.operands.values())

    @cached_property
    def reads(self) -> tuple[tuple[str, Box, str], ...]:
        """What is copied there, and how it lies."""
        return tuple((move.name, move.box, move.near.layout) for move in self.operands.values())


@dataclass(frozen=True, eq=False)
class JobWay:
    """tiles: in the order in which they are computed; of a way that was not chosen yet, tiles that are alike but for
    their place are one. sizes: of the largest along each axis. ranges: along each axis. keeps: a tile that reads what
    the one before did finds it there.
    """

    tiles: Sequence[JobTile]
    sizes: tuple[int, ...]
    ranges: Sequence[Sequence[Range]]
    keeps: bool

    @property
    def parts(self) -> tuple[int, ...]:
        """How many there are along each axis."""
        return tuple(map(len, self.ranges))

    @cached_property
    def read_bytes(self) -> int:
        """Of the scratchpad, of the tile that reads most."""
        return max(tile.read_bytes for tile in self.tiles)

    @cached_property
    def written_bytes(self) -> int:
        """Of the scratchpad, of the tile that gives most."""
        return max(tile.result.near_bytes for tile in self.tiles)

    @property
    def bytes(self) -> int:
        """Of the scratchpad, with one tile there at a time."""
        return self.read_bytes + self.written_bytes

    @cached_property
    def is_read_again(self) -> bool:
        """Whether all parts along the last axis read the same."""
        last = self.parts[-1]
        return last > 1 and self.tiles[0].reads == self.tiles[1].reads == self.tiles[last - 1].reads

    def is_kept(self, index: int) -> bool:
        """Whether a tile finds its operands in the scratchpad."""
        return self.keeps and index % self.parts[-1] > 0 and self.is_read_again

    def copy_in_cycles(self, index: int) -> int:
        """Of the operands of a tile; none if they are there."""
        return 0 if self.is_kept(index) else self.tiles[index].read_cycles

    @cached_property
    def cycles(self) -> int:
        """Of all copies and jobs, one after the other."""
        return sum(
            self.copy_in_cycles(index) + tile.cycles + tile.result.cycles
            for index, tile in enumerate(self.tiles)
        )

    @property
    def label(self) -> str:
        """`4 x 2 tiles of up to 16 x 32`: along each axis."""
        parts, sizes = (" x ".join(map(str, each)) for each in (self.parts, self.sizes))
        return f"{parts} tiles of up to {sizes}"


class JobCutter:
    """Cuts one call. copies: the engine that copies."""

    def __init__(
        self,
        program: Program,
        call: Call,
        cuts: Cuts,
        target: Target,
        kernels: Sequence[Kernel],
        scratchpad: Scratchpad,
        copies: Engine,
    ) -> None:
        self._program = program
        self._call = call
        self._cuts = cuts
        self._target = target
        self._kernels = kernels
        self._scratchpad = scratchpad
        self._copies = copies
        self._inputs, (self._output,) = program.types_of(call)
        self._tiles: dict[Box, JobTile | None] = {}
        self._costs: dict[object, int] = {}
        self._kinds_of: dict[tuple[int, tuple[Range, ...]], list[Range]] = {}

    def ways(self, room: int, *, keeps: bool) -> Iterator[JobWay]:
        """Those of the extents that make different numbers of parts, whose first tile fits `room` bytes; if no way
        does, one of the fewest bytes.
        """
        extents = [
            [*_sizes(self._output.shape[axis], multiple)] for axis, multiple in self._cuts.axes
        ]
        firsts = [(sizes, self._first(sizes)) for sizes in product(*extents)]
        taken = [(tile.bytes, sizes) for sizes, tile in firsts if tile is not None]
        fits = False
        for size_bytes, sizes in taken:
            way = self.way(sizes, keeps=keeps) if size_bytes <= room else None
            if way is not None:
                fits = fits or way.bytes <= room
                yield way
        if not fits:
            others = (self.way(sizes, keeps=keeps) for _, sizes in sorted(taken))
            yield from islice((way for way in others if way is not None), 1)

    def way(self, sizes: Sequence[int], *, keeps: bool) -> JobWay | None:
        """The grid of that extent along each axis; None if one of its tiles cannot be."""
        ranges = [found for number in range(len(sizes)) if (found := self._ranges(number, sizes))]
        if len(ranges) < len(sizes):
            return None
        kinds = [self._kinds(number, tuple(each)) for number, each in enumerate(ranges)]
        known = {each: self._tile(self._box(each)) for each in product(*map(set, kinds))}
        tiles = [known[each] for each in product(*kinds)]
        found = [tile for tile in tiles if tile is not None]
        return JobWay(found, tuple(sizes), ranges, keeps) if len(found) == len(tiles) else None

    def exact(self, way: JobWay) -> JobWay:
        """The way with all of its tiles. Raises TilingError if one cannot be."""
        tiles = [self._tile(self._box(each)) for each in product(*way.ranges)]
        found = [tile for tile in tiles if tile is not None]
        if len(found) < len(tiles):
            raise TilingError(f"{self._call.name}: {way.label}: not all of them can be copied")
        return replace(way, tiles=found)

    def _kinds(self, number: int, ranges: tuple[Range, ...]) -> list[Range]:
        """For each part along an axis the first one that is like it; the first two, and the last, are like no other:
        where these can be copied, all between can, too, as they begin equally far apart.
        """
        if (number, ranges) not in self._kinds_of:
            first: dict[object, Range] = {}
            axis = self._cuts.axes[number][0]
            found: list[Range] = []
            for index, each in enumerate(ranges):
                box = Box.whole(self._output.shape).with_range(axis, *each)
                part = self._call.operator.restrict(box, self._inputs, (self._output,))
                shapes = None if part is None else [read and read.shape for read in part.operands]
                place = min(index, 2), index == len(ranges) - 1
                key = str((place, box.shape, part and part.operator, shapes))
                found.append(first.setdefault(key, each))
            self._kinds_of[number, ranges] = found
        return self._kinds_of[number, ranges]

    def _first(self, sizes: Sequence[int]) -> JobTile | None:
        return self._tile(self._box([(0, size) for size in sizes]))

    def _ranges(self, number: int, sizes: Sequence[int]) -> list[Range] | None:
        """Along an axis: the last one begins as late as its copies allow, the other axes' first parts taken for all."""
        extent, size = self._output.shape[self._cuts.axes[number][0]], sizes[number]
        ranges = [(begin, min(begin + size, extent)) for begin in range(0, extent, size)]
        begin, end = ranges[-1]
        firsts = [(0, each) for each in sizes]
        for again in range(min(begin, size - (end - begin)) + 1):
            firsts[number] = (begin - again, end)
            if self._tile(self._box(firsts)) is not None:
                return [*ranges[:-1], (begin - again, end)]
        return None

    def _box(self, ranges: Sequence[Range]) -> Box:
        box = Box.whole(self._output.shape)
        for (axis, _), (begin, end) in zip(self._cuts.axes, ranges, strict=True):
            box = box.with_range(axis, begin, end)
        return box

    def _tile(self, box: Box) -> JobTile | None:
        if box not in self._tiles:
            self._tiles[box] = self._made(box)
        return self._tiles[box]

    def _made(self, box: Box) -> JobTile | None:
        """By the first of the kernels for which all can be copied; None if there is none."""
        restriction = self._call.operator.restrict(box, self._inputs, (self._output,))
        if restriction is None:
            return None
        layer = layer_of_part(self._program, self._call, restriction, box, self._target)
        for name in self._cuts.tiles:
            kernel = find_kernel(name, layer, self._kernels)
            chosen = kernel.with_options(layer, self._call.options)
            layouts = kernel.layouts(chosen)
            operands = self._operands(restriction, chosen, layouts)
            result = self._result(box, chosen, layouts)
            if operands is not None and result is not None:
                cycles = self._cycles(kernel, chosen)
                return JobTile(box, restriction, chosen, kernel, operands, result, cycles)
        return None

    def _cycles(self, kernel: Kernel, layer: Layer) -> int:
        """Of a call: the same of all layers of one operator and shapes."""
        key = (
            kernel.key,
            layer.operator,
            tuple(t and t.shape for t in (*layer.inputs, layer.output)),
        )
        if key not in self._costs:
            cost = kernel.cost(layer)
            self._costs[key] = 0 if cost is None else cost.cycles
        return self._costs[key]

    def _operands(
        self, restriction: Restriction, layer: Layer, layouts: Layouts
    ) -> dict[int, Move] | None:
        """By number of the call's operand, those that are computed; None if one cannot be copied."""
        moves: dict[int, Move] = {}
        for index, (name, box) in enumerate(
            zip(self._call.inputs, restriction.operands, strict=True)
        ):
            if name is None or box is None or name not in self._program.view:
                continue
            near = View("near", layer.input(index), "near", layout=layouts.of_input(index))
            move = self._move(name, box, near, 0, is_result=False)
            if move is None:
                return None
            moves[index] = move
        return moves

    def _result(self, box: Box, layer: Layer, layouts: Layouts) -> Move | None:
        (name,) = self._call.outputs
        near = View("near", layer.output, "near", layout=layouts.of_output(0))
        return self._move(name, box, near, layouts.behind_output(0), is_result=True)

    def _move(
        self, name: str, box: Box, near: View, behind: int, *, is_result: bool
    ) -> Move | None:
        """None if the engine does not copy so."""
        view = self._program.view[name]
        far = view if box.is_whole(view.type.shape) else view.part(name, box)
        ends = (near, far) if is_result else (far, near)
        source, destination = copied_places(*ends)
        if not (self._is_copied(source) and self._is_copied(destination)):
            return None
        size = layout_bytes(near.layout, near.type) + behind
        alignment = self._scratchpad.alignment
        far_end = (destination if is_result else source).end
        aligned = -(-size // alignment) * alignment
        return Move(name, box, far, near, aligned, self._copy_cycles(source), far_end)

    def _is_copied(self, found: Places) -> bool:
        engine = self._copies
        is_aligned = not (found.starts % engine.alignment).any()
        return is_aligned and found.length % engine.alignment == found.length % engine.lengths == 0

    def _copy_cycles(self, found: Places) -> int:
        """Lines of bytes that lie together are moved one by one."""
        scratchpad, lines = self._scratchpad, len(found.starts)
        moved = lines * -(-found.length // scratchpad.copy_bytes_per_cycle)
        return scratchpad.copy_setup_cycles + (lines - 1) * scratchpad.copy_line_cycles + moved


def _sizes(extent: int, multiple: int) -> Iterator[int]:
    """Extents of parts, the largest first: for many numbers of parts the least that makes no more of them, and one
    more, as copies may ask for even ones.
    """
    found: set[int] = set()
    for parts in (*_PARTS, extent):
        least = -(-extent // parts)
        for size in (least, least + 1):
            found.add(min(extent, -(-size // multiple) * multiple))
    yield from sorted(found, reverse=True)
