"""The map of a memory on the page: steps to the right, addresses downwards, buffers in the colours of their kinds."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tinsmith_ir.escape import visible

from tinsmith_driver.buffers import KINDS
from tinsmith_driver.drawing import Rectangle, rectangle, room_for_text
from tinsmith_driver.labels import Labels
from tinsmith_driver.report_types import BufferKind, BufferRow, LayerRow, MemoryRow
from tinsmith_driver.table import thousands

_WIDTH, _LEFT, _RIGHT = 1100.0, 74.0, 8.0
_TOP, _HEIGHT, _BOTTOM = 20.0, 320.0, 40.0
_TICKS = 4
_CHARACTER_WIDTH, _TICK_WIDTH = 6.4, 26.0
_LINE, _LEAST_DRAWN = 16.0, 1.0


@dataclass(frozen=True)
class Peak:
    """The column of the step in which most is held, and what is written above it, from `anchor` on."""

    x: float
    width: float
    label: str
    label_x: float
    anchor: str


@dataclass(frozen=True)
class Name:
    """A label from `x` on, its base line at `y`. kind: of the box that it is on."""

    label: str
    kind: BufferKind
    x: float
    y: float


@dataclass(frozen=True)
class MemoryMap:
    """title: what it shows, in words. names: labels of boxes, which nothing is drawn over.

    across: middle of a step and number of its layer. up: place and address. kinds: those that are there, in the order
    of KINDS. rows: the buffers, each with its number.
    """

    name: str
    title: str
    width: float
    height: float
    left: float
    top: float
    bottom: float
    boxes: list[Rectangle]
    names: list[Name]
    across: list[tuple[float, str]]
    up: list[tuple[float, str]]
    peak: Peak
    kinds: list[BufferKind]
    rows: list[tuple[int, BufferRow]]


@dataclass(frozen=True)
class _Scale:
    """first: the first step. column: its width. unit: height of a byte."""

    first: int
    column: float
    unit: float

    def x(self, step: int) -> float:
        return _LEFT + (step - self.first) * self.column

    def y(self, address: int) -> float:
        return _TOP + address * self.unit


def memory_map(
    memory: MemoryRow, buffers: Sequence[BufferRow], layers: Sequence[LayerRow]
) -> MemoryMap:
    """buffers: those of the memory, in their order in the report. layers: all of the network."""
    first = min((buffer["first_step"] for buffer in buffers), default=0)
    last = max((buffer["last_step"] for buffer in buffers), default=0)
    scale = _Scale(
        first,
        (_WIDTH - _LEFT - _RIGHT) / (last - first + 1),
        (_HEIGHT - _TOP) / max(memory["bytes"], 1),
    )
    rows = [*enumerate(buffers, 1)]
    present = {buffer["kind"] for buffer in buffers}
    return MemoryMap(
        memory["name"],
        f"Memory {visible(memory['name'])}: {len(buffers)} buffers in {thousands(memory['bytes'])} bytes, "
        f"of which at most {thousands(memory['peak'])} hold something at once",
        _WIDTH,
        _HEIGHT + _BOTTOM,
        _LEFT,
        _TOP,
        _HEIGHT,
        [_box(number, buffer, scale) for number, buffer in rows],
        [*_names(rows, scale)],
        _across(layers, scale, last),
        _up(memory["bytes"], scale),
        _peak(memory, scale),
        [kind for kind in KINDS if kind in present],
        rows,
    )


def _box(number: int, buffer: BufferRow, scale: _Scale) -> Rectangle:
    first, last, offset = buffer["first_step"], buffer["last_step"], buffer["offset"]
    return rectangle(
        f"#{number} {visible(buffer['name'])}: {buffer['kind']}, bytes {offset:,} to {offset + buffer['size']:,}, "
        f"steps {first} to {last}",
        "",
        scale.x(first),
        scale.y(offset),
        (last - first + 1) * scale.column,
        max(buffer["size"] * scale.unit, _LEAST_DRAWN),
        kind=buffer["kind"],
    )


def _names(rows: Sequence[tuple[int, BufferRow]], scale: _Scale) -> Iterator[Name]:
    """Of the boxes that have room for a label, on the line of theirs where it is longest."""
    numbers = {visible(buffer["name"]): number for number, buffer in rows}
    labels = Labels(numbers, numbers)
    for index, (_, buffer) in enumerate(rows):
        lines = int(buffer["size"] * scale.unit / _LINE)
        if lines == 0:
            continue
        above = [other for _, other in rows[index + 1 :] if _overlap(buffer, other)]
        top = scale.y(buffer["offset"])
        widths = [_free_width(buffer, above, top + line * _LINE, scale) for line in range(lines)]
        width = max(widths)
        label = labels.of(visible(buffer["name"]), room_for_text(width, _CHARACTER_WIDTH))
        if label:
            x, y = scale.x(buffer["first_step"]) + 4, top + widths.index(width) * _LINE + 13
            yield Name(label, buffer["kind"], round(x, 2), round(y, 2))


def _overlap(one: BufferRow, other: BufferRow) -> bool:
    """Whether they share bytes in some step, as a result may with an operand that dies."""
    return (
        one["first_step"] <= other["last_step"]
        and other["first_step"] <= one["last_step"]
        and one["offset"] < other["offset"] + other["size"]
        and other["offset"] < one["offset"] + one["size"]
    )


def _free_width(buffer: BufferRow, above: Sequence[BufferRow], top: float, scale: _Scale) -> float:
    """Of a line of a box, from its left to the first box that is drawn over it."""
    ends = [buffer["last_step"] + 1]
    for other in above:
        begin = scale.y(other["offset"])
        end = begin + max(other["size"] * scale.unit, _LEAST_DRAWN)
        if begin < top + _LINE and top < end:
            ends.append(max(other["first_step"], buffer["first_step"]))
    return (min(ends) - buffer["first_step"]) * scale.column


def _across(layers: Sequence[LayerRow], scale: _Scale, last: int) -> list[tuple[float, str]]:
    """Numbers of layers, as many as there is room for, the first of several of one step."""
    found: list[tuple[float, str]] = []
    for number, layer in enumerate(layers, 1):
        if not scale.first <= layer["step"] <= last:
            continue
        middle = scale.x(layer["step"]) + scale.column / 2
        if not found or middle - found[-1][0] >= _TICK_WIDTH:
            found.append((round(middle, 2), str(number)))
    return found


def _up(size: int, scale: _Scale) -> list[tuple[float, str]]:
    addresses = sorted({i * size // _TICKS for i in range(_TICKS + 1)})
    return [(round(scale.y(address), 2), thousands(address)) for address in addresses]


def _peak(memory: MemoryRow, scale: _Scale) -> Peak:
    x = scale.x(max(memory["peak_step"], scale.first))
    is_right = x > _WIDTH / 2
    return Peak(
        round(x, 2),
        round(scale.column, 2),
        f"peak: {thousands(memory['peak'])} bytes",
        round(x + scale.column if is_right else x, 2),
        "end" if is_right else "start",
    )


def memory_maps(
    memories: Sequence[MemoryRow], buffers: Sequence[BufferRow], layers: Sequence[LayerRow]
) -> list[MemoryMap]:
    """Of all memories that hold something, in their order."""
    by_memory: Mapping[str, list[BufferRow]] = {memory["name"]: [] for memory in memories}
    for buffer in buffers:
        by_memory[buffer["memory"]].append(buffer)
    return [memory_map(memory, by_memory[memory["name"]], layers) for memory in memories]
