"""The report of `tinsmith quantize` as a page: tables, schemes beside one another, signal to noise from layer to layer,
histograms.
"""

import math
from dataclasses import dataclass
from importlib.resources import files

import jinja2
from tinsmith_ir.escape import visible

from tinsmith_driver.budget_report import budget_sentence, sensitivity_cells, sensitivity_header
from tinsmith_driver.comparison import (
    Comparison,
    comparison_cells,
    comparison_header,
    comparison_notes,
)
from tinsmith_driver.comparison_plot import SchemePlot, scheme_plot
from tinsmith_driver.decibels import decibels_text
from tinsmith_driver.quantization_report import QuantizationReport, TensorRow
from tinsmith_driver.range_report import ranges_cells, ranges_sentence
from tinsmith_driver.split_report import ADDED_HEADER, added_cells, splitting_sentence
from tinsmith_driver.table import thousands

_BAR_WIDTH = 3
_HISTOGRAM_HEIGHT = 36.0
_WIDTH, _HEIGHT, _LEFT, _BOTTOM = 760.0, 260.0, 50.0, 24.0
_LEAST_TOP_DB = 40.0


@dataclass(frozen=True)
class _Bar:
    x: float
    y: float
    height: float


@dataclass(frozen=True)
class _Histogram:
    """Of the logarithm of counts, so that few numbers can be seen beside many."""

    width: float
    height: float
    bars: list[_Bar]


@dataclass(frozen=True)
class _Tensor:
    row: TensorRow
    name: str
    range: str
    clipped: str
    total: str
    own: str
    histogram: _Histogram


@dataclass(frozen=True)
class _Point:
    x: float
    y: float
    title: str


@dataclass(frozen=True)
class _Plot:
    """Signal to noise of each tensor in the order of the network; ticks: (y, decibels)."""

    width: float
    height: float
    left: float
    bottom: float
    total: list[_Point]
    own: list[_Point]
    ticks: list[tuple[float, str]]


@dataclass(frozen=True)
class _Compared:
    """Schemes beside one another, as on a terminal."""

    header: list[str]
    rows: list[list[str]]
    notes: list[str]
    plot: SchemePlot | None


def quantization_html(report: QuantizationReport) -> str:
    """One page with nothing to load."""
    source = files("tinsmith_driver").joinpath("quantization.html.jinja")
    environment = jinja2.Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined
    )
    return environment.from_string(source.read_text(encoding="utf-8")).render(
        report=report,
        network=visible(report["network"]),
        visible=visible,
        thousands=thousands,
        ranges_cells=ranges_cells,
        ranges_sentence=ranges_sentence,
        decibels=decibels_text,
        plot=_plot(report["tensors"]),
        compared=_compared(report["comparison"]),
        tensors=[_tensor(row) for row in report["tensors"]],
        splitting_sentence=splitting_sentence,
        added_header=ADDED_HEADER,
        added_cells=added_cells,
        budget=budget_sentence(report["budget"]),
        layers_header=sensitivity_header(report["budget"]),
        layers=sensitivity_cells(report["sensitivities"], report["budget"]),
    )


def _compared(comparison: Comparison | None) -> _Compared | None:
    if comparison is None:
        return None
    return _Compared(
        comparison_header(comparison),
        comparison_cells(comparison),
        comparison_notes(comparison),
        scheme_plot(comparison),
    )


def _tensor(row: TensorRow) -> _Tensor:
    return _Tensor(
        row,
        visible(row["name"]),
        f"{row['low']:.4g} to {row['high']:.4g}",
        f"{100 * row['clipped']:.2g} %" if row["clipped"] else "-",
        decibels_text(row["sqnr_db"]),
        decibels_text(row["own_sqnr_db"]),
        _histogram(row["counts"]),
    )


def _histogram(counts: list[int]) -> _Histogram:
    most = math.log1p(max([*counts, 1]))
    heights = [round(_HISTOGRAM_HEIGHT * math.log1p(count) / most, 1) for count in counts]
    bars = [
        _Bar(_BAR_WIDTH * at, round(_HISTOGRAM_HEIGHT - height, 1), height)
        for at, height in enumerate(heights)
    ]
    return _Histogram(_BAR_WIDTH * len(counts), _HISTOGRAM_HEIGHT, bars)


def _plot(rows: list[TensorRow]) -> _Plot:
    known = [value for row in rows for value in (row["sqnr_db"], row["own_sqnr_db"]) if value]
    top = max([*known, _LEAST_TOP_DB])
    inner_width, inner_height = _WIDTH - _LEFT - 20, _HEIGHT - _BOTTOM - 20

    def point(at: int, row: TensorRow, value: float | None) -> _Point:
        shown = top if value is None else min(max(value, 0.0), top)
        x = _LEFT + inner_width * at / max(len(rows) - 1, 1)
        y = 20 + inner_height * (top - shown) / top
        return _Point(round(x, 1), round(y, 1), f"{visible(row['name'])}: {decibels_text(value)}")

    ticks = [
        (round(20 + inner_height * (top - db) / top, 1), f"{db}")
        for db in range(0, int(top) + 1, 10)
    ]
    return _Plot(
        _WIDTH,
        _HEIGHT,
        _LEFT,
        _HEIGHT - _BOTTOM,
        [point(at, row, row["sqnr_db"]) for at, row in enumerate(rows)],
        [point(at, row, row["own_sqnr_db"]) for at, row in enumerate(rows)],
        ticks,
    )
