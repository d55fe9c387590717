"""A drawing of layers in tiles: for each its cycles over a shrinking L1 memory, by each rule that chooses tiles, in
times of what the whole layer takes. It is read in a page of 400 points, in light and in dark.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tinsmith_driver.benchmarks.svg import TEXTS, framed

_WIDTH, _LEFT, _RIGHT = 480, 56, 452
"""Of the drawing; where the largest memory is and the smallest."""
_TOP, _PANEL, _HEIGHT = 112, 196, 132
"""Above the first panel; of a panel, and of the axes in it."""
_SUBJECT = "Cycles of a layer in tiles, as L1 shrinks (simulated)"
_STYLE = (
    """
  svg { --ground: #ffffff; --ink: #1f2328; --faint: #d1d9e0; --ours: #0969da; --htvm: #bc4c00; --any: #8c959f; }
  @media (prefers-color-scheme: dark) {
    svg { --ground: #0d1117; --ink: #e6edf3; --faint: #3d444d; --ours: #4493f8; --htvm: #f0883e; --any: #9198a1; }
  }
"""
    + TEXTS
    + """\
  .any { stroke: var(--any); stroke-width: 6; stroke-linecap: round; }
  .htvm { fill: var(--ground); stroke: var(--htvm); stroke-width: 2; }
  .ours { fill: var(--ours); }
"""
)


@dataclass(frozen=True)
class Point:
    """A memory of so many KiB, and cycles there: of the largest tiles; by HTVM's weights; ours, by fewest cycles."""

    kib: int
    largest: int
    htvm: int
    ours: int


@dataclass(frozen=True)
class Panel:
    """A layer. points: the largest memory first, at least two; whole: cycles that are one time."""

    title: str
    points: Sequence[Point]
    whole: int


def picture(panels: Sequence[Panel]) -> str:
    """The same text for the same cycles. All panels have one scale, a power of two a line."""
    height = _TOP + len(panels) * _PANEL
    times = (
        max(point.largest, point.htvm) / panel.whole for panel in panels for point in panel.points
    )
    doublings = math.ceil(math.log2(max(2.0, *times)))
    lines = [
        *_legend(),
    ]
    for number, panel in enumerate(panels):
        lines += _drawn(panel, _TOP + number * _PANEL, doublings)
    return framed(_SUBJECT, _STYLE, _WIDTH, height, lines)


def _legend() -> Iterator[str]:
    """Three marks and what they are."""
    texts = (
        "largest tiles, without heuristics",
        "HTVM's heuristics",
        "fewest cycles, input kept, copies beside jobs",
    )
    for number, (text, mark) in enumerate(zip(texts, (_any, _htvm, _ours), strict=True)):
        y = 42.0 + 20 * number
        yield mark(18, y)
        yield f'<text x="32" y="{y + 4:g}">{text}</text>'


def _drawn(panel: Panel, top: int, doublings: int) -> Iterator[str]:
    """Title, grid, marks, and the memories below."""
    bottom = top + 24 + _HEIGHT
    yield f'<text class="title" x="10" y="{top + 12}">{panel.title}</text>'
    for power in range(doublings + 1):
        y = _height_of(2.0**power, bottom, doublings)
        yield f'<text class="end" x="{_LEFT - 20}" y="{y + 4:g}">{1 << power}x</text>'
        yield f'<line class="grid" x1="{_LEFT - 14}" x2="{_RIGHT + 14}" y1="{y:g}" y2="{y:g}"/>'
    step = (_RIGHT - _LEFT) / (len(panel.points) - 1)
    for number, point in enumerate(panel.points):
        x = round(_LEFT + number * step, 1)
        largest, htvm, ours = (
            _height_of(cycles / panel.whole, bottom, doublings)
            for cycles in (point.largest, point.htvm, point.ours)
        )
        yield _any(x, largest)
        yield _htvm(x, htvm)
        yield _ours(x, ours)
        unit = " KiB" if number == 0 else ""
        yield f'<text class="middle" x="{x:g}" y="{bottom + 20}">{point.kib}{unit}</text>'


def _height_of(times: float, bottom: int, doublings: int) -> float:
    return round(bottom - math.log2(times) / doublings * _HEIGHT, 1)


def _any(x: float, y: float) -> str:
    return f'<line class="any" x1="{x:g}" x2="{x:g}" y1="{y - 5:g}" y2="{y + 5:g}"/>'


def _htvm(x: float, y: float) -> str:
    return f'<path class="htvm" d="M{x:g} {y - 6:g}l6 6l-6 6l-6 -6z"/>'


def _ours(x: float, y: float) -> str:
    return f'<circle class="ours" cx="{x:g}" cy="{y:g}" r="4"/>'
