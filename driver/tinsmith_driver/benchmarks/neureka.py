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
from tinsmith_toolchains import temporary_folder

from tinsmith_driver.benchmarks.mlperf_tiny import float_files
from tinsmith_driver.benchmarks.placement import (
    PlacementRow,
    placement_misses,
    placement_row,
    placement_text,
)
from tinsmith_driver.benchmarks.pulp_checkout import BenchmarkError, checkout, script_lines
from tinsmith_driver.benchmarks.remote_weights import (
    NETWORKS,
    RemoteRow,
    remote_misses,
    remote_row,
    remote_text,
)
from tinsmith_driver.benchmarks.result import BenchmarkResult
from tinsmith_driver.benchmarks.subjects import Subject, byte_status, compared, tiny
from tinsmith_driver.float_islands import FloatIslands
from tinsmith_driver.options import CompileOptions, PassChoice, selection
from tinsmith_driver.pipelines import Compilation, Model, compile_model, read_model
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
_LEAST_TAKEN = 0.3
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
class LayersRow:
    """Random layers: those that the accelerator takes, those that a rule refuses; seeds of those with wrong bytes."""

    layers: int
    taken: int
    refused: int
    wrong: tuple[str, ...]


@dataclass(frozen=True)
class _Measured:
    status: str
    jobs: int
    layers: int
    cycles: int


def run(models: str | None, targets: str | None) -> BenchmarkResult:
    """Measure the chosen networks (comma-separated, None for all, and then layers and the device, too).

    Raises UsageError for other targets than Siracusa, and where the checkout or the networks are absent.
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
        layers = [] if models else [_layers(root, bar.step)]
    failures = [
        *network_misses(rows),
        *bits_misses(bits),
        *placement_misses(placed),
        *remote_misses(remote),
        *device_misses(device),
        *layer_misses(layers),
    ]
    texts = [
        _network_text(rows),
        _bits_text(bits),
        placement_text(placed),
        remote_text(remote),
        _device_text(device),
        _layers_text(layers),
    ]
    sections = {
        "bits": [asdict(row) for row in bits],
        "placement": [asdict(row) for row in placed],
        "remote": [asdict(row) for row in remote],
        "device": [asdict(row) for row in device],
        "layers": [asdict(row) for row in layers],
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
    return _Measured(byte_status(found), _jobs(compilation), calls, found.cycles or 0)


def _jobs(compilation: Compilation) -> int:
    """Calls that the accelerator computes."""
    return sum(_BACKEND in call.kernel for call in compilation.program.calls)


def _device(root: Path, step: Step) -> Iterator[DeviceRow]:
    step("the device")
    for line in script_lines(root / _TABLE):
        *layer, there, here = line.split()
        if not (there.isdigit() and here.isdigit()):
            raise BenchmarkError(f"{_TABLE.name} says '{line}'")
        yield DeviceRow(" ".join(layer), int(there), int(here))


def _layers(root: Path, step: Step) -> LayersRow:
    step(f"{_LAYERS} random layers")
    taken, wrong = 0, list[str]()
    with temporary_folder("tinsmith-bench-") as folder:
        for _ in script_lines(root / _WRITER, str(folder), str(_LAYERS)):
            pass
        paths = sorted(folder.glob("*.tsm"), key=lambda path: int(path.stem.split("_")[1]))
        for path in paths:
            model = read_model(path)
            compilation = compile_model(model, CompileOptions(TARGET, backend=_BACKEND))
            if _jobs(compilation) == 0:
                continue
            taken += 1
            if _measured(Subject(model), compilation, 1).status != "ok":
                wrong.append(path.stem)
    return LayersRow(len(paths), taken, len(paths) - taken, tuple(wrong))


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


def layer_misses(rows: Iterable[LayersRow]) -> Iterator[str]:
    """Of random layers."""
    for row in rows:
        if row.wrong:
            yield f"random layers: {len(row.wrong)} differ from the evaluator: {', '.join(row.wrong)}"
        if row.taken < _LEAST_TAKEN * row.layers or row.layers != _LAYERS:
            yield f"random layers: {row.taken} of {row.layers} are the accelerator's, which says little"


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


def _layers_text(rows: list[LayersRow]) -> str:
    if not rows:
        return ""
    lines = [[str(r.layers), str(r.taken), str(r.refused), str(len(r.wrong))] for r in rows]
    return table(["random layers", "taken", "refused", "wrong"], lines)
