"""N-EUREKA, the accelerator beside the simulated Siracusa's cluster: its cycles against GVSoC's, networks with it and
without, weights of four bits, and layers at the borders of what it takes, every output byte compared with the
evaluator's.

Networks round once, by `set-rounding{mode=floor,narrow=yes,one_shift=yes}`; GAP9's figures are of its NE16 and cluster,
by NNTool [mlcommons/tiny_results_v1.0, closed division].
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from tinsmith_plugins import ImportChoices

from tinsmith_driver.benchmarks.mlperf_tiny import float_files
from tinsmith_driver.benchmarks.placement import (
    PlacementRow,
    placement_misses,
    placement_row,
    placement_text,
)
from tinsmith_driver.benchmarks.pulp_checkout import BenchmarkError, checkout, script_lines
from tinsmith_driver.benchmarks.random_layers import LayersRow, RandomLayers, layers_text
from tinsmith_driver.benchmarks.remote_weights import (
    NETWORKS,
    RemoteRow,
    remote_misses,
    remote_row,
    remote_text,
)
from tinsmith_driver.benchmarks.result import BenchmarkResult
from tinsmith_driver.benchmarks.subjects import Subject, byte_status, compared, tiny
from tinsmith_driver.compilation import Compilation
from tinsmith_driver.float_islands import FloatIslands
from tinsmith_driver.models import Model, read_model
from tinsmith_driver.options import CompileOptions, PassChoice, selection
from tinsmith_driver.pipelines import compile_model
from tinsmith_driver.progress import progress
from tinsmith_driver.quantizing import QuantizeChoice, quantized
from tinsmith_driver.table import table, thousands

TARGET = "siracusa"
_BACKEND = "neureka"
_PASS = "set-rounding{mode=floor,narrow=yes,one_shift=yes}"
_MOST_CYCLES = {"kws": 150_000, "vww": 350_000, "ic": 200_000, "ad": 50_000}
_GAP9 = {"kws": 175_900, "vww": 416_200, "ic": 228_000, "ad": 65_000}
_FOUR_BITS = "ic"
_PLACED = ("kws", "ic")
_MOST_OF_EIGHT_BITS = 0.85
_MOST_DIFFERENCE = 0.03
_LAYERS = 300
_SAMPLES = 2
_CALIBRATION = 10
_TIMEOUT_SECONDS = 600
_TABLE = Path("platforms/simulators/soc/tests/neureka_table.py")
_WRITER = Path("backends/neureka/tools/write_layers.py")

Step = Callable[[str], None]


@dataclass(frozen=True)
class DeviceRow:
    """Cycles of one job, on GVSoC and here."""

    layer: str
    gvsoc: int
    cycles: int

    @property
    def difference(self) -> float:
        """Ours by GVSoC's, less 1."""
        return self.cycles / self.gvsoc - 1


@dataclass(frozen=True)
class NetworkRow:
    """cluster: cycles of an inference without the accelerator; cycles: with it. jobs: calls that are its own."""

    network: str
    status: str
    jobs: int
    layers: int
    cluster: int
    cycles: int


@dataclass(frozen=True)
class BitsRow:
    """Cycles of a network that Tinsmith quantizes, with weights of eight and of four bits."""

    network: str
    status: str
    eight: int
    four: int

    @property
    def ratio(self) -> float:
        """Of four bits by eight."""
        return self.four / self.eight


@dataclass(frozen=True)
class _Measured:
    status: str
    jobs: int
    layers: int
    cycles: int


def _compiled_layer(model: Model) -> Compilation:
    return compile_model(model, CompileOptions(TARGET, backend=_BACKEND))


LAYERS = RandomLayers(_BACKEND, _WRITER, _LAYERS, _compiled_layer, _BACKEND)


def run(models: str | None, targets: str | None, *, layers: bool = True) -> BenchmarkResult:
    """Measure the chosen networks (comma-separated, None for all, and then the device, too, and layers at random).

    layers: whether those are wanted. Raises UsageError for other targets than Siracusa, and where the checkout or the
    networks are absent.
    """
    selection(targets, (TARGET,), "target")
    chosen = selection(models, list(_MOST_CYCLES), "network")
    root = checkout()
    with progress("neureka", len(chosen) + 3 + len(_PLACED) + len(NETWORKS)) as bar:
        rows = [_network(name, bar.step) for name in chosen]
        bits = [_bits(_FOUR_BITS, bar.step)] if _FOUR_BITS in chosen else []
        placed = [_placed(name, bar.step) for name in _PLACED if name in chosen]
        remote = [_remote(name, bar.step) for name in NETWORKS if not models or name in chosen]
        device = [] if models else [*_device(root, bar.step)]
        drawn = [_layers(bar.step)] if layers and not models else []
    failures = [
        *network_misses(rows),
        *bits_misses(bits),
        *placement_misses(placed),
        *remote_misses(remote),
        *device_misses(device),
        *LAYERS.misses(drawn),
    ]
    texts = [
        _network_text(rows),
        _bits_text(bits),
        placement_text(placed),
        remote_text(remote),
        _device_text(device),
        layers_text(drawn),
    ]
    sections = {
        "bits": [asdict(row) for row in bits],
        "placement": [asdict(row) for row in placed],
        "remote": [asdict(row) for row in remote],
        "device": [asdict(row) for row in device],
        "layers": [asdict(row) for row in drawn],
    }
    text = "\n\n".join(filter(None, texts))
    return BenchmarkResult([asdict(row) for row in rows], text, failures, sections)


def _network(name: str, step: Step) -> NetworkRow:
    step(name)
    subject = tiny(name)
    alone, both = (
        _measured(subject, _compiled(subject.model, backend)) for backend in (None, _BACKEND)
    )
    status = both.status if alone.status == "ok" else f"the cluster alone: {alone.status}"
    return NetworkRow(name, status, both.jobs, both.layers, alone.cycles, both.cycles)


def _bits(name: str, step: Step) -> BitsRow:
    step(f"{name}, weights of four bits")
    path, inputs = float_files(name)
    found: list[_Measured] = []
    for scheme in ("int8", "int4"):
        model = read_model(path, name, choices=ImportChoices(real_weights=True))
        choice = QuantizeChoice.parse(scheme, inputs, _CALIBRATION, FloatIslands(all=True))
        made = quantized(model, choice).model
        found.append(_measured(Subject(made), _compiled(made, _BACKEND)))
    status = next((each.status for each in found if each.status != "ok"), "ok")
    return BitsRow(name, status, found[0].cycles, found[1].cycles)


def _remote(name: str, step: Step) -> RemoteRow:
    step(f"{name} with weights in L3")
    return remote_row(name)


def _placed(name: str, step: Step) -> PlacementRow:
    step(f"{name}, changes of its placement")
    return placement_row(name, _Placing(tiny(name)))


@dataclass(frozen=True, eq=False)
class _Placing:
    """A network on both engines; see `placement.Meter`."""

    subject: Subject

    def compiled(self, more: tuple[PassChoice, ...]) -> Compilation:
        return _compiled(self.subject.model, _BACKEND, more)

    def cycles(self, compilation: Compilation) -> int:
        found = _measured(self.subject, compilation, 1)
        if found.status != "ok":
            raise BenchmarkError(f"{self.subject.model.graph.name}: {found.status}")
        return found.cycles


def _compiled(model: Model, backend: str | None, more: tuple[PassChoice, ...] = ()) -> Compilation:
    """A network that is to round once."""
    options = CompileOptions(TARGET, backend=backend, passes=(PassChoice.parse(_PASS), *more))
    return compile_model(model, options)


def _measured(subject: Subject, compilation: Compilation, count: int = _SAMPLES) -> _Measured:
    samples = subject.samples(compilation.graph, count)
    found, _ = compared(compilation, samples, _TIMEOUT_SECONDS)
    calls = len(compilation.program.calls)
    return _Measured(byte_status(found), LAYERS.jobs(compilation), calls, found.cycles or 0)


def _device(root: Path, step: Step) -> Iterator[DeviceRow]:
    step("the device")
    for line in script_lines(root / _TABLE):
        *layer, there, here = line.split()
        if not (there.isdigit() and here.isdigit()):
            raise BenchmarkError(f"{_TABLE.name} says '{line}'")
        yield DeviceRow(" ".join(layer), int(there), int(here))


def _layers(step: Step) -> LayersRow:
    step(f"{_LAYERS} random layers")
    return LAYERS.row()


def network_misses(rows: Iterable[NetworkRow]) -> Iterator[str]:
    """Bounds of networks that are missed."""
    for row in rows:
        most = _MOST_CYCLES[row.network]
        if row.status != "ok":
            yield f"{row.network}: {row.status}"
        if row.cycles > most:
            yield f"{row.network}: {row.cycles:,} cycles, must be {most:,} at most"


def bits_misses(rows: Iterable[BitsRow]) -> Iterator[str]:
    """Of weights of few bits."""
    for row in rows:
        if row.status != "ok":
            yield f"{row.network}, weights of four bits: {row.status}"
        if row.ratio > _MOST_OF_EIGHT_BITS:
            yield (
                f"{row.network}: {row.ratio:.3f} of the cycles with eight bits, "
                f"must be {_MOST_OF_EIGHT_BITS} at most"
            )


def device_misses(rows: Iterable[DeviceRow]) -> Iterator[str]:
    """Of single jobs."""
    for row in rows:
        if abs(row.difference) > _MOST_DIFFERENCE:
            yield f"{row.layer}: {row.cycles:,} cycles, GVSoC has {row.gvsoc:,}"


def _network_text(rows: list[NetworkRow]) -> str:
    header = [
        "network",
        "jobs",
        "calls",
        "cluster",
        "with N-EUREKA",
        "times",
        "at most",
        "GAP9",
        "status",
    ]
    return table(header, [_network_line(row) for row in rows])


def _network_line(row: NetworkRow) -> list[str]:
    numbers = (row.cluster, row.cycles)
    return [
        row.network,
        str(row.jobs),
        str(row.layers),
        *map(thousands, numbers),
        f"{row.cluster / row.cycles:.1f}",
        thousands(_MOST_CYCLES[row.network]),
        thousands(_GAP9[row.network]),
        row.status,
    ]


def _bits_text(rows: list[BitsRow]) -> str:
    if not rows:
        return ""
    header = ["network", "8 bits", "4 bits", "ratio", "at most", "status"]
    lines = [
        [
            row.network,
            thousands(row.eight),
            thousands(row.four),
            f"{row.ratio:.3f}",
            f"{_MOST_OF_EIGHT_BITS}",
            row.status,
        ]
        for row in rows
    ]
    return table(header, lines)


def _device_text(rows: list[DeviceRow]) -> str:
    if not rows:
        return ""
    lines = [
        [row.layer, thousands(row.gvsoc), thousands(row.cycles), f"{row.difference:+.1%}"]
        for row in rows
    ]
    return table(["job: window, pixels, channels, bits", "GVSoC", "here", "difference"], lines)
