"""What convolutions of DIANA's digital array take in tiles, where its L1 memory is smaller, as figure 4 of HTVM's paper
asks: each layer in each memory with tiles chosen by each rule of the pass `tile-jobs`, simulated, every byte compared;
those of the rule by cost once more with copies beside jobs, by the pass `overlap`.

A layer's cycles are those of jobs, copies of operands and results and our driver; the core's turning between dense
tensors and the array's is left out. HTVM's own code would add more for each call, job, copy and tile than our driver
does, which is the same for all rules here.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass

from tinsmith_ir import Graph
from tinsmith_ir.operators import Conv2D

from tinsmith_driver.benchmarks.diana_layers import DIGITAL, compiled
from tinsmith_driver.benchmarks.diana_overhead import layer_cycles
from tinsmith_driver.benchmarks.htvm_networks import one_convolution
from tinsmith_driver.benchmarks.htvm_schedule import cycles_of
from tinsmith_driver.benchmarks.result import BenchmarkResult
from tinsmith_driver.benchmarks.subjects import Subject, compared, made_model, wrong_bytes
from tinsmith_driver.benchmarks.tiles_picture import Panel, Point, picture
from tinsmith_driver.build import built
from tinsmith_driver.inputs import random_samples
from tinsmith_driver.options import selection
from tinsmith_driver.progress import progress
from tinsmith_driver.running import traced
from tinsmith_driver.table import table, thousands

TARGET = "diana-images"
"""Of DIANA's memory splits the one with room for these layers' tensors."""
BESIDE = "beside"
"""Tiles by cost, and a copy of the next while one is computed, where the memory has room for both."""
RULES = ("largest", "htvm", "cost", BESIDE)
BUDGETS_KIB = (256, 64, 32, 16)

_SIZES = ((3, 64, 64, 32), (3, 32, 128, 32), (1, 128, 128, 16))
"""Of a window, input and output channels, rows and columns."""
_FLOOR = "set-rounding{mode=floor}"
_TIMEOUT_SECONDS = 600


@dataclass(frozen=True)
class TilesLayer:
    """A convolution by itself."""

    name: str
    graph: Graph


@dataclass(frozen=True)
class TilesRow:
    """A layer in so many KiB of L1 by a rule. tiles: of the layer. jobs, copies, whole: cycles of the array, of its
    copies, and of the layer with our driver.
    """

    layer: str
    kib: int
    rule: str
    tiles: int
    jobs: int
    copies: int
    whole: int
    bit_exact: bool


def run(models: str | None, targets: str | None) -> BenchmarkResult:
    """Measure the chosen layers (comma-separated, None for all). Raises UsageError for other targets."""
    selection(targets, (TARGET,), "target")
    layers = [*tiles_layers()]
    names = selection(models, [layer.name for layer in layers], "layer")
    cases = [
        (layer, kib, rule)
        for layer in layers
        if layer.name in names
        for kib in BUDGETS_KIB
        for rule in RULES
    ]
    rows: list[TilesRow] = []
    with progress("diana-tiles", len(cases)) as bar:
        for layer, kib, rule in cases:
            bar.step(f"{layer.name}, {kib} KiB, {rule}")
            rows.append(tiles_row(layer, kib, rule))
    return BenchmarkResult(
        [asdict(row) for row in rows],
        _text(rows),
        [*misses(rows)],
        picture=picture([*panels(rows)]),
    )


def tiles_layers() -> Iterator[TilesLayer]:
    """Those that fit L1 as a whole."""
    for side, inputs, outputs, extent in _SIZES:
        graph = one_convolution((extent, extent, inputs), outputs, side)
        yield TilesLayer(f"conv{side}x{side}-{inputs}-{outputs}-{extent}", graph)


def tiles_row(layer: TilesLayer, kib: int, rule: str) -> TilesRow:
    """Simulated twice: outputs of two inputs, and a trace of a run."""
    subject = Subject(made_model(layer.graph))
    is_beside = rule == BESIDE
    tiles = f"tile-jobs{{tiles={'cost' if is_beside else rule}}}"
    passes = (_FLOOR, f"use-scratchpad{{bytes={kib * 1024}}}", tiles)
    without = () if is_beside else ("overlap",)
    compilation = compiled(subject.model, DIGITAL, passes, target=TARGET, without=without)
    found, _ = compared(compilation, subject.samples(compilation.graph, 2), _TIMEOUT_SECONDS)
    with built(compilation) as build:
        trace = traced(build, random_samples(compilation.graph, 1), _TIMEOUT_SECONDS)
    cycles = layer_cycles(trace, f"{compilation.program.name}_run", DIGITAL)
    count = sum(isinstance(call.operator, Conv2D) for call in compilation.program.calls)
    return TilesRow(
        layer.name,
        kib,
        rule,
        count,
        cycles_of(cycles.jobs),
        cycles_of(cycles.copies),
        cycles.whole,
        wrong_bytes(found) == 0,
    )


def misses(rows: Iterable[TilesRow]) -> Iterator[str]:
    """Wrong bytes, and tiles by cost, copied beside jobs, that take longer than those of another rule."""
    taken = {(row.layer, row.kib, row.rule): row for row in rows}
    for row in taken.values():
        what = f"{row.layer}, {row.kib} KiB, {row.rule}"
        if not row.bit_exact:
            yield f"{what}: outputs differ from the evaluator's"
        ours = taken[row.layer, row.kib, BESIDE].whole
        if row.whole < ours:
            yield f"{what}: {row.whole:,} cycles, fewer than the {ours:,} of tiles of least cost that are copied beside jobs"


def panels(rows: Sequence[TilesRow]) -> Iterator[Panel]:
    """A panel for each layer, in times of the whole layer."""
    for name in dict.fromkeys(row.layer for row in rows):
        mine = {(row.kib, row.rule): row.whole for row in rows if row.layer == name}
        points = [
            Point(kib, *(mine[kib, rule] for rule in ("largest", "htvm", BESIDE)))
            for kib in dict.fromkeys(kib for kib, _ in mine)
        ]
        yield Panel(name, points, points[0].ours)


def _text(rows: Sequence[TilesRow]) -> str:
    header = ["layer", "L1, KiB", "tiles by", "tiles", "array", "copies", "whole", "bit-exact"]
    lines = (
        [
            row.layer,
            str(row.kib),
            row.rule,
            str(row.tiles),
            *map(thousands, (row.jobs, row.copies, row.whole)),
            "yes" if row.bit_exact else "NO",
        ]
        for row in rows
    )
    return table(header, [*lines])
