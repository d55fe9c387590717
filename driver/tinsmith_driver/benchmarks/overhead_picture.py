"""A drawing of what layers lose beside the accelerator's own throughput: a line a layer, marks in percent.

It is read in a page of 400 points, in light and in dark.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from tinsmith_driver.benchmarks.svg import TEXTS, framed

_WIDTH, _LEFT, _RIGHT = 480, 150, 462
"""Of the drawing; where 0 and 100 % are."""
_TOP, _LINE, _TITLE = 118, 21, 30
"""Above the first line; of a line, of a group's title."""
_SUBJECT = "Throughput that a layer loses beside the array by itself"
_STYLE = (
    """
  svg { --ground: #ffffff; --ink: #1f2328; --faint: #d1d9e0; --ours: #0969da; --htvm: #bc4c00; }
  @media (prefers-color-scheme: dark) {
    svg { --ground: #0d1117; --ink: #e6edf3; --faint: #3d444d; --ours: #4493f8; --htvm: #f0883e; }
  }
"""
    + TEXTS
    + """\
  .between { stroke: var(--faint); stroke-width: 3; }
  .ours { fill: var(--ours); }
  .htvm { fill: var(--ground); stroke: var(--htvm); stroke-width: 2; }
  .published { stroke: var(--htvm); stroke-width: 2; }
"""
)


@dataclass(frozen=True)
class Bar:
    """A layer: its group and size; losses as parts of 1: ours, HTVM's, and HTVM's as published."""

    group: str
    size: str
    ours: float
    htvm: float
    published: float


def picture(bars: Sequence[Bar]) -> str:
    """The same text for the same losses. bars: those of a group one after the other."""
    groups = [(name, [*found]) for name, found in groupby(bars, key=lambda bar: bar.group)]
    height = _TOP + len(groups) * _TITLE + len(bars) * _LINE + 12
    lines = [
        *_legend(),
        *_grid(height - 12),
    ]
    y = _TOP
    for name, found in groups:
        y += _TITLE
        lines.append(f'<text class="title" x="10" y="{y - 6}">{name}</text>')
        for bar in found:
            y += _LINE
            lines += _marks(bar, y - _LINE // 2)
    return framed(_SUBJECT, _STYLE, _WIDTH, height, lines)


def _legend() -> Iterator[str]:
    """Three marks and what they are."""
    texts = (
        "Tinsmith: driver and copies, simulated",
        "HTVM: driver and copies, by fitted constants",
        "HTVM: copies and calls alone, as in its paper",
    )
    for number, (text, mark) in enumerate(zip(texts, (_ours, _htvm, _published), strict=True)):
        y = 42 + 20 * number
        yield mark(18, y)
        yield f'<text x="32" y="{y + 4}">{text}</text>'


def _grid(bottom: int) -> Iterator[str]:
    """Lines at quarters, with their percent."""
    for percent in range(0, 101, 25):
        x = _place(percent / 100)
        yield f'<text class="middle" x="{x}" y="{_TOP - 4}">{percent}%</text>'
        yield f'<line class="grid" x1="{x}" x2="{x}" y1="{_TOP + 2}" y2="{bottom}"/>'


def _marks(bar: Bar, y: int) -> Iterator[str]:
    """The size, a line from our loss to HTVM's, the marks."""
    ours, htvm = _place(bar.ours), _place(bar.htvm)
    yield f'<text class="end" x="{_LEFT - 12}" y="{y + 4}">{bar.size}</text>'
    yield f'<line class="between" x1="{ours}" x2="{htvm}" y1="{y}" y2="{y}"/>'
    yield _published(_place(bar.published), y)
    yield _htvm(htvm, y)
    yield _ours(ours, y)


def _ours(x: float, y: int) -> str:
    return f'<circle class="ours" cx="{x}" cy="{y}" r="5"/>'


def _htvm(x: float, y: int) -> str:
    return f'<path class="htvm" d="M{x} {y - 6}l6 6l-6 6l-6 -6z"/>'


def _published(x: float, y: int) -> str:
    return f'<path class="published" d="M{x} {y - 7}v14"/>'


def _place(loss: float) -> float:
    return round(_LEFT + loss * (_RIGHT - _LEFT), 1)
