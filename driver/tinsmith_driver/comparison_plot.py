"""The plot of a comparison of schemes: accuracy upwards, flash, or what weights take, to the right."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from tinsmith_ir.escape import visible

from tinsmith_driver.comparison import ComparedRow, Comparison
from tinsmith_driver.table import thousands

# Small, so that a telephone shows it without making its text much smaller.
_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 480.0, 300.0, 52.0, 14.0, 26.0, 42.0
_CHARACTER_WIDTH, _LINE_HEIGHT, _GAP = 7.0, 14.0, 8.0
_MOST_CHARACTERS = 30
_STEPS = 4


@dataclass(frozen=True)
class SchemePoint:
    """x, y: of the point; text_x, text_y: where its label begins."""

    x: float
    y: float
    label: str
    title: str
    text_x: float
    text_y: float


@dataclass(frozen=True)
class SchemePlot:
    """left, right, top, bottom: of the field. up, across: (place, label) of lines. accuracy, cost: what they are."""

    width: float
    height: float
    left: float
    right: float
    top: float
    bottom: float
    points: list[SchemePoint]
    up: list[tuple[float, str]]
    across: list[tuple[float, str]]
    accuracy: str
    cost: str


@dataclass(frozen=True)
class _Named:
    name: str
    cost: int
    accuracy: float


def scheme_plot(comparison: Comparison) -> SchemePlot | None:
    """None where fewer than two networks have both numbers.

    Accuracy is right answers if there are labels, else decibels, of which the float network has none: it is left out.
    """
    has_labels = any(row["right"] is not None for row in comparison["rows"])
    is_measured = any(row["flash_bytes"] is not None for row in comparison["rows"])
    named = [
        found
        for row in comparison["rows"]
        if (found := _named(row, comparison["samples"], has_labels, is_measured)) is not None
    ]
    if len(named) < 2:
        return None
    widest = max(found.cost for found in named) * 1.08
    low, high = _ends([found.accuracy for found in named], 100.0 if has_labels else None)
    right, bottom = _WIDTH - _RIGHT, _HEIGHT - _BOTTOM

    def x(cost: float) -> float:
        return round(_LEFT + (right - _LEFT) * cost / widest, 1)

    def y(accuracy: float) -> float:
        return round(_TOP + (bottom - _TOP) * (high - accuracy) / (high - low), 1)

    unit = "%" if has_labels else "dB"
    places = _labels([(x(found.cost), y(found.accuracy), _label(found.name)) for found in named])
    points = [
        SchemePoint(
            x(found.cost),
            y(found.accuracy),
            _label(found.name),
            f"{found.name}: {found.accuracy:.2f} {unit}, {thousands(found.cost)} bytes",
            *place,
        )
        for found, place in zip(named, places, strict=True)
    ]
    return SchemePlot(
        _WIDTH,
        _HEIGHT,
        _LEFT,
        right,
        _TOP,
        bottom,
        points,
        [(y(at), f"{at:g}") for at in _ticks(low, high)],
        [(x(at), thousands(round(at))) for at in _ticks(0.0, widest)],
        "right, %" if has_labels else "SQNR, dB",
        "bytes of flash" if is_measured else "bytes of weights",
    )


def _named(row: ComparedRow, samples: int, has_labels: bool, is_measured: bool) -> _Named | None:
    cost = row["flash_bytes"] if is_measured else row["weight_bytes"]
    right = row["right"]
    accuracy = row["sqnr_db"]
    if has_labels:
        accuracy = None if right is None else 100 * right / samples
    if cost is None or accuracy is None:
        return None
    return _Named(visible(row["scheme"]), cost, accuracy)


def _label(name: str) -> str:
    """As much of a name as there is room for."""
    return name if len(name) <= _MOST_CHARACTERS else name[: _MOST_CHARACTERS - 1] + "…"


def _ends(numbers: Sequence[float], most: float | None) -> tuple[float, float]:
    """A tenth more than the numbers take, at least one, and no more than there is."""
    low, high = min(numbers), max(numbers)
    margin = max((high - low) / 10, 0.5)
    return low - margin, high + margin if most is None else min(high + margin, most)


def _ticks(low: float, high: float) -> list[float]:
    """Some four round numbers within."""
    rough = (high - low) / _STEPS
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * times for times in (1, 2, 5, 10) if power * times >= rough)
    first, last = math.ceil(low / step), math.floor(high / step)
    return [step * at for at in range(first, last + 1)]


def _labels(points: Sequence[tuple[float, float, str]]) -> list[tuple[float, float]]:
    """Where the labels of (x, y, label) begin: beside their points, where they lie over no other label and no point."""
    taken = [(x - 4, y - 4, x + 4, y + 4) for x, y, _ in points]
    found: list[tuple[float, float]] = []
    for x, y, label in points:
        boxes = _boxes(x, y, _CHARACTER_WIDTH * len(label))
        box = min(boxes, key=lambda box: (_overlap(box, taken), boxes.index(box)))
        taken.append(box)
        found.append((round(box[0], 1), round(box[3] - 3, 1)))
    return found


_Box = tuple[float, float, float, float]


def _boxes(x: float, y: float, width: float) -> list[_Box]:
    """Of a label at the right of its point, at the left, above and below, further away last; all within the plot."""
    half = _LINE_HEIGHT / 2
    found: list[_Box] = []
    for rise in (0.0, -_LINE_HEIGHT, _LINE_HEIGHT, -2 * _LINE_HEIGHT, 2 * _LINE_HEIGHT):
        for begin in (x + _GAP, x - _GAP - width, x - width / 2):
            inside = max(_LEFT, min(begin, _WIDTH - width))
            found.append((inside, y + rise - half, inside + width, y + rise + half))
    low, high = _TOP - half, _HEIGHT - _BOTTOM
    return [box for box in found if box[1] >= low and box[3] <= high] or found[:1]


def _overlap(box: _Box, taken: Sequence[_Box]) -> float:
    """The area that a box shares with others."""
    return sum(
        max(0.0, min(box[2], other[2]) - max(box[0], other[0]))
        * max(0.0, min(box[3], other[3]) - max(box[1], other[1]))
        for other in taken
    )
