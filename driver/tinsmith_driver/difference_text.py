"""`tinsmith diff`: two reports beside one another, as tables for terminals and as a page."""

import sys
from pathlib import Path

from tinsmith_ir.escape import visible

from tinsmith_driver.differing import Difference, Figure, LayerChange, difference
from tinsmith_driver.page import rendered
from tinsmith_driver.report_reading import read_report
from tinsmith_driver.report_types import LayerRow
from tinsmith_driver.table import fitted_table, thousands
from tinsmith_driver.terminal import fitted_prose
from tinsmith_driver.writing import write_outputs

FIGURE_HEADER = ("figure", "before", "after", "change", "")


def run(
    before: Path, after: Path, page: Path | None, tolerance: float, *, fails_on_regression: bool
) -> int:
    """Print what differs, and write it to `page`. Returns 1 if a figure is worse and that is to fail, else 0."""
    found = difference(read_report(before), read_report(after))
    if page is not None:
        write_outputs({page: difference_html(found, tolerance).encode()})
    print(difference_text(found, tolerance))
    return 1 if fails_on_regression and found.worse(tolerance) else 0


def difference_text(found: Difference, tolerance: float) -> str:
    """What people read on a terminal."""
    lines = [fitted_prose(visible(line), sys.stdout) for line in (_title(found), *found.notes)]
    blocks = ["\n".join(lines), fitted_table(FIGURE_HEADER, figure_cells(found, tolerance))]
    if found.layers:
        blocks.append(
            fitted_table(
                layer_header(found), [layer_cells(row, found.cost) for row in found.layers]
            )
        )
    blocks.append(fitted_prose(_summary(found, tolerance), sys.stdout))
    return "\n\n".join(blocks)


def difference_html(found: Difference, tolerance: float) -> str:
    """A page with nothing to load."""
    return rendered(
        "difference.html.jinja",
        title=_title(found),
        notes=found.notes,
        figure_header=FIGURE_HEADER,
        figures=figure_cells(found, tolerance),
        layer_header=layer_header(found),
        layers=[layer_cells(row, found.cost) for row in found.layers],
        summary=_summary(found, tolerance),
        is_worse=bool(found.worse(tolerance)),
    )


def _title(found: Difference) -> str:
    before, after = (
        f"{report['model']['name']} on {report['target']['name']}"
        for report in (found.before, found.after)
    )
    return before if before == after else f"{before}, then {after}"


def _summary(found: Difference, tolerance: float) -> str:
    worse = [figure.title.strip() for figure in found.worse(tolerance)]
    layers = f"{len(found.layers)} of {found.layer_count} layers changed"
    return f"{layers}; worse: {', '.join(worse) if worse else 'nothing'}"


def figure_cells(found: Difference, tolerance: float) -> list[list[str]]:
    """A row for each figure."""
    return [
        [
            figure.title,
            _value(figure, figure.before),
            _value(figure, figure.after),
            _percent(figure),
            figure.answer(tolerance).replace("same", ""),
        ]
        for figure in found.figures
    ]


def layer_header(found: Difference) -> list[str]:
    """Of the table of layers that changed."""
    return [
        "layer",
        f"{found.cost} before",
        "after",
        "change",
        "weights before",
        "after",
        "what changed",
    ]


def layer_cells(row: LayerChange, cost: str) -> list[str]:
    """A row of it."""
    costs = Figure(cost, _of(row.before, cost), _of(row.after, cost))
    weights = (_of(row.before, "weights"), _of(row.after, "weights"))
    return [
        row.name,
        _value(costs, costs.before),
        _value(costs, costs.after),
        _percent(costs),
        *(thousands(number) for number in weights),
        row.what,
    ]


def _of(row: LayerRow | None, name: str) -> int | None:
    found = None if row is None else row.get(name)
    return found if isinstance(found, int) else None


def _value(figure: Figure, value: float | None) -> str:
    if value is None:
        return "-"
    if figure.is_share:
        return f"{value:.2%}"
    return thousands(value) if isinstance(value, int) else f"{value:.3g}"


def _percent(figure: Figure) -> str:
    if figure.change is None:
        return "-"
    if figure.is_share:
        return f"{100 * figure.change:+.2f} points" if figure.change else "0.00 points"
    return f"{figure.change:+.1%}" if figure.change else "0.0%"
