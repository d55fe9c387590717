"""The report's page of every MLPerf Tiny network on every target, as a browser shows it in narrow and wide windows,
light and dark.

Each is of a run of the first sample, layers compared. It is measured, not looked at: what overflows, text of too little
contrast or too small, a focus that is not seen, what the browser's console says (browser.py).
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from tinsmith_ir import DoesNotFitError, UnsupportedError, UsageError
from tinsmith_ir.escape import visible

from tinsmith_driver.benchmarks.browser import Look, find_browser, looks
from tinsmith_driver.benchmarks.mlperf_tiny import network_files, read_baseline
from tinsmith_driver.benchmarks.result import BenchmarkResult
from tinsmith_driver.build import built
from tinsmith_driver.html import html_report
from tinsmith_driver.inputs import load_samples
from tinsmith_driver.layers import with_layers
from tinsmith_driver.memory_limits import board_ram_bytes
from tinsmith_driver.models import read_model
from tinsmith_driver.options import CompileOptions, selection
from tinsmith_driver.pipelines import compile_model
from tinsmith_driver.plugins import registry
from tinsmith_driver.progress import progress
from tinsmith_driver.report import report
from tinsmith_driver.running import compare, run_samples
from tinsmith_driver.table import table, thousands

_TIMEOUT_SECONDS = 300
_AT_ONCE = 12
"""Pages for one start of the browser, which takes longer than a page."""


@dataclass(frozen=True)
class Row:
    """A page. status: "ok", "wrong", or why there is none. texts: elements with text of their own.

    contrast, smallest_text: the least of all windows, the latter in pixels and of drawings.
    """

    network: str
    target: str
    status: str
    bytes: int | None = None
    texts: int | None = None
    contrast: float | None = None
    smallest_text: float | None = None


def run(models: str | None, targets: str | None) -> BenchmarkResult:
    """Measure the pages of the chosen networks and targets (comma-separated, None for all).

    Raises UsageError where there is no browser, or no model.
    """
    if find_browser() is None:
        raise UsageError("pages: expected Chromium on the PATH, which shows them; got none")
    networks, _ = read_baseline()
    chosen = selection(models, list(networks), "network")
    chosen_targets = selection(targets, [*registry().targets], "target")
    pages: dict[tuple[str, str], str] = {}
    refused: dict[tuple[str, str], str] = {}
    with progress("pages", len(chosen) * len(chosen_targets) + 1) as bar:
        for name in chosen:
            files = network_files(networks[name])
            for target in chosen_targets:
                bar.step(f"{name} on {target}")
                try:
                    pages[name, target] = _page(name, target, *files)
                except (DoesNotFitError, UnsupportedError) as refusal:
                    is_small = isinstance(refusal, DoesNotFitError)
                    refused[name, target] = "does not fit" if is_small else "refused"
        bar.step("in the browser")
        found = dict(zip(pages, _looks([*pages.values()]), strict=True))
    rows = [_row(*key, pages[key], seen) for key, seen in found.items()]
    rows += [Row(*key, status) for key, status in refused.items()]
    failures = [line for key, seen in found.items() for line in _failures(*key, seen)]
    return BenchmarkResult([asdict(row) for row in rows], _table(rows), failures)


def _looks(pages: Sequence[str]) -> Iterator[list[Look]]:
    for start in range(0, len(pages), _AT_ONCE):
        yield from looks(pages[start : start + _AT_ONCE])


def _page(name: str, target: str, model: Path, inputs: Path) -> str:
    options = CompileOptions(target, ram_bytes=board_ram_bytes(target))
    compilation = compile_model(read_model(model, name), options)
    groups = load_samples(inputs, compilation.graph, 1)[:1]
    with built(compilation) as build:
        measurement = run_samples(build, compilation.graph, groups, _TIMEOUT_SECONDS)
        measurement = compare(measurement, compilation.reference)
        measurement = with_layers(compilation, measurement, _TIMEOUT_SECONDS, compare=True)
        return html_report(report(compilation, build, measurement))


def _row(network: str, target: str, page: str, seen: Sequence[Look]) -> Row:
    sizes = [look.smallest_text for look in seen if look.smallest_text is not None]
    return Row(
        network,
        target,
        "wrong" if any(look.problems for look in seen) else "ok",
        len(page.encode()),
        seen[0].texts,
        round(min(look.contrast for look in seen), 2),
        round(min(sizes), 1) if sizes else None,
    )


def _failures(network: str, target: str, seen: Sequence[Look]) -> Iterator[str]:
    for look in seen:
        where = f"{network} on {target}, {look.width} pixels, {look.scheme}"
        yield from (visible(f"{where}: {problem}") for problem in look.problems)


def _table(rows: Sequence[Row]) -> str:
    header = ["network", "target", "status", "bytes", "texts", "least contrast", "smallest text"]
    cells = [
        [
            row.network,
            row.target,
            row.status,
            thousands(row.bytes),
            thousands(row.texts),
            "-" if row.contrast is None else f"{row.contrast:.2f}",
            "-" if row.smallest_text is None else f"{row.smallest_text:.1f}",
        ]
        for row in rows
    ]
    return table(header, cells)
