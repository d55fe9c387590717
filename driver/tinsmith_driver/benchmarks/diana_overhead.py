"""What of a layer on DIANA's arrays is not the array: layers by themselves, as figure 5 of HTVM's paper has them.

The array's own cycles are those of its jobs, with their loads of weights. The whole layer has besides our driver and
the copies of operands and result between L2 and L1, all from a trace of a simulated run. The core's turning between
dense tensors and the array's, which layers inside a network have not, is left out of both.

Beside it stands HTVM's: the same jobs and copies, and what its own code adds by counts and constants that were fitted
to its published latencies (`htvm_schedule`, `htvm_counts`). It takes the driver's call for a part of the peak, so its
loss is there twice: beside the array alone, as ours, and beside the array with its driver, as published.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass

from tinsmith_ir import Graph

from tinsmith_driver.benchmarks.diana_layers import ANALOG, BOTH, DIGITAL, TARGET, compiled
from tinsmith_driver.benchmarks.htvm_networks import (
    Image,
    one_convolution,
    one_depthwise,
    one_linear,
    one_sum,
)
from tinsmith_driver.benchmarks.htvm_schedule import (
    CALL_CYCLES,
    CORE,
    DRIVER,
    TILE_CYCLES,
    Simulated,
    cycles_of,
    jobs_and_copies,
    own_copying,
    stated,
)
from tinsmith_driver.benchmarks.overhead_picture import Bar, picture
from tinsmith_driver.benchmarks.result import BenchmarkResult
from tinsmith_driver.benchmarks.subjects import Subject, compared, made_model, wrong_bytes
from tinsmith_driver.build import built
from tinsmith_driver.compilation import Compilation
from tinsmith_driver.inputs import random_samples
from tinsmith_driver.options import selection
from tinsmith_driver.progress import progress
from tinsmith_driver.running import traced
from tinsmith_driver.table import table, thousands
from tinsmith_driver.traces import Span, tracks_of

ANALOG_TRIGGER_CYCLES = 600 - 70
"""Of an analog job, besides what the accelerator takes to begin one and to load, which is simulated."""

_FLOOR = "set-rounding{mode=floor}"
_PASSES = {
    DIGITAL: (_FLOOR,),
    # Layers of few inputs lose much of their signal, which changes no cycle.
    ANALOG: (_FLOOR, "map-analog{gain=16, least_db=6.1}"),
}
_ENGINES = {DIGITAL: DIGITAL, ANALOG: BOTH}
_OWN = (*DRIVER, "tinsmith_diana_analog", "copy_analog", "end_latest")
"""How functions of our drivers begin."""
MOST_OF_HTVM = 1.1
"""Of what HTVM's driver takes with the same jobs and copies."""
_TIMEOUT_SECONDS = 600


@dataclass(frozen=True)
class OverheadLayer:
    """kind: as the picture groups them. size: for people. work: multiply-accumulates, or elements of a sum."""

    kind: str
    size: str
    array: str
    work: int
    graph: Graph


@dataclass(frozen=True)
class OverheadRow:
    """jobs: cycles of the array alone; whole: with our driver and copies. htvm: with HTVM's; htvm_peak: the array with
    HTVM's driver, without copies.
    """

    kind: str
    size: str
    array: str
    work: int
    jobs: int
    whole: int
    htvm_peak: int
    htvm: int
    bit_exact: bool

    @property
    def loss(self) -> float:
        """What of the array's throughput is lost, as a part of 1."""
        return 1 - self.jobs / self.whole

    @property
    def htvm_loss(self) -> float:
        """The same with HTVM's driver and copies."""
        return 1 - self.jobs / self.htvm

    @property
    def htvm_published_loss(self) -> float:
        """As HTVM has it: the driver's call is no loss."""
        return 1 - self.htvm_peak / self.htvm


def run(models: str | None, targets: str | None) -> BenchmarkResult:
    """Measure the layers of the chosen kinds (comma-separated, None for all). Raises UsageError for other targets."""
    selection(targets, (TARGET,), "target")
    layers = [*overhead_layers()]
    kinds = selection(models, list(dict.fromkeys(layer.kind for layer in layers)), "kind of layers")
    chosen = [layer for layer in layers if layer.kind in kinds]
    rows: list[OverheadRow] = []
    with progress("diana-layers", len(chosen)) as bar:
        for layer in chosen:
            bar.step(f"{layer.kind}, {layer.size}")
            rows.append(_measured(layer))
    return BenchmarkResult(
        [_record(row) for row in rows],
        _text(rows),
        [*misses(rows)],
        picture=picture([Bar(row.kind, row.size, *_losses(row)) for row in rows]),
    )


def overhead_layers() -> Iterator[OverheadLayer]:
    """Of sizes of HTVM's networks, and larger ones."""
    sizes = {
        3: ((32, 32, 16), (16, 16, 32), (8, 8, 64), (16, 16, 64)),
        1: ((24, 24, 32), (5, 25, 64), (6, 6, 128), (16, 16, 128)),
    }
    for array, side in ((DIGITAL, 3), (DIGITAL, 1), (ANALOG, 3), (ANALOG, 1)):
        for height, width, channels in sizes[side]:
            graph = one_convolution(
                (height, width, channels), channels, side, ternary=array == ANALOG
            )
            size = f"{channels} to {channels}, {height}x{width}"
            macs = height * width * channels**2 * side**2
            kind = f"{'analog ' if array == ANALOG else ''}conv {side}x{side}"
            yield OverheadLayer(kind, size, array, macs, graph)
    for image in ((48, 48, 8), (32, 32, 32), (5, 25, 64), (6, 6, 128)):
        yield _of_image("depthwise 3x3", image, 9, one_depthwise(image))
    for inputs, outputs in ((640, 128), (128, 128), (64, 12), (128, 640)):
        graph = one_linear(inputs, outputs)
        yield OverheadLayer(
            "fully connected", f"{inputs} to {outputs}", DIGITAL, inputs * outputs, graph
        )
    for image in ((32, 32, 16), (16, 16, 32), (8, 8, 64)):
        yield _of_image("add", image, 1, one_sum(image))


def _of_image(kind: str, image: Image, work: int, graph: Graph) -> OverheadLayer:
    """work: of an element."""
    height, width, channels = image
    size = f"{channels}, {height}x{width}"
    return OverheadLayer(kind, size, DIGITAL, work * height * width * channels, graph)


def _measured(layer: OverheadLayer) -> OverheadRow:
    subject = Subject(made_model(layer.graph))
    compilation = compiled(subject.model, _ENGINES[layer.array], _PASSES[layer.array])
    found, _ = compared(compilation, subject.samples(compilation.graph, 2), _TIMEOUT_SECONDS)
    with built(compilation) as build:
        trace = traced(build, random_samples(compilation.graph, 1), _TIMEOUT_SECONDS)
    return overhead_row(layer, trace, _function(compilation), bit_exact=wrong_bytes(found) == 0)


def _function(compilation: Compilation) -> str:
    return f"{compilation.program.name}_run"


@dataclass(frozen=True)
class LayerCycles:
    """Of a layer by itself. jobs, copies: of the array; whole: cycles of both with our driver."""

    jobs: Sequence[Span]
    copies: Sequence[Span]
    whole: int


def layer_cycles(trace: bytes, run_function: str, array: str) -> LayerCycles:
    """trace: of DIANA, of one inference by that function."""
    tracks = tracks_of(trace)
    mine = [span for span in tracks[CORE] if span.name == run_function]
    begin, end = mine[0].begin, mine[-1].end
    jobs, copies = jobs_and_copies(tracks[array], begin, end)
    within = (span for span in tracks[CORE] if begin <= span.begin < end)
    whole = cycles_of(span for span in within if span.name.startswith((run_function, *_OWN)))
    return LayerCycles(jobs, copies, whole)


def overhead_row(
    layer: OverheadLayer, trace: bytes, run_function: str, *, bit_exact: bool
) -> OverheadRow:
    """trace: of DIANA, of one inference by that function."""
    found = layer_cycles(trace, run_function, layer.array)
    jobs, copies = found.jobs, found.copies
    simulated = Simulated(cycles_of(jobs), cycles_of(copies), len(copies), 0)
    triggers, others = _of_htvm(layer, simulated)
    return OverheadRow(
        layer.kind,
        layer.size,
        layer.array,
        layer.work,
        simulated.array,
        found.whole,
        simulated.array + triggers,
        simulated.cycles + triggers + others,
        bit_exact,
    )


def _of_htvm(layer: OverheadLayer, simulated: Simulated) -> tuple[int, int]:
    """Cycles that its driver adds, and its copies and calls. An analog layer is one job, its copies are two."""
    if layer.array == ANALOG:
        copying = own_copying(simulated, simulated.copied)
        return ANALOG_TRIGGER_CYCLES, copying + CALL_CYCLES + TILE_CYCLES
    made = stated(layer.graph, simulated)
    return made.triggers, made.copies + made.calls


def misses(rows: Iterable[OverheadRow]) -> Iterator[str]:
    """Wrong bytes, and layers that take more than with HTVM's driver, beyond what is allowed."""
    for row in rows:
        what = f"{row.kind}, {row.size}"
        if not row.bit_exact:
            yield f"{what}: outputs differ from the evaluator's"
        most = int(MOST_OF_HTVM * row.htvm)
        if row.whole > most:
            yield f"{what}: {row.whole:,} cycles, must be {most:,} or less (with HTVM's driver: {row.htvm:,})"


def _losses(row: OverheadRow) -> tuple[float, float, float]:
    return row.loss, row.htvm_loss, row.htvm_published_loss


def _record(row: OverheadRow) -> dict[str, object]:
    loss, htvm, published = _losses(row)
    return {**asdict(row), "loss": loss, "htvm_loss": htvm, "htvm_published_loss": published}


def _text(rows: Sequence[OverheadRow]) -> str:
    header = [
        "layer",
        "size",
        "work",
        "array",
        "whole",
        "by HTVM",
        "peak",
        "ours",
        "HTVM",
        "lost, %",
        "HTVM lost, %",
        "as published, %",
        "bit-exact",
    ]
    return table(header, [_line(row) for row in rows])


def _line(row: OverheadRow) -> list[str]:
    cycles = (row.jobs, row.whole, row.htvm)
    return [
        row.kind,
        row.size,
        *map(thousands, (row.work, *cycles)),
        *(f"{row.work / each:.1f}" for each in cycles),
        *(f"{100 * loss:.1f}" for loss in _losses(row)),
        "yes" if row.bit_exact else "NO",
    ]
