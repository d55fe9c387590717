"""Networks on the simulated DIANA: the four on which HTVM was measured, also by its schedule and with layers of its
analog array, and MLPerf Tiny's, and layers at the borders of what its digital array takes, every output byte compared
with the evaluator's.

HTVM's networks round down, by `set-rounding{mode=floor}`, as the chip's accelerators do. Milliseconds are cycles at the
clock of HTVM's measurements; its own figures are those of DAC 2023 (arXiv 2406.07453), table 1.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field

from tinsmith_ir import Graph, Program, UsageError
from tinsmith_ir.operators import Reshape

from tinsmith_driver.benchmarks.diana_layers import (
    BOTH,
    DIGITAL,
    LAYERS,
    TARGET,
    compiled,
    layers_misses,
)
from tinsmith_driver.benchmarks.diana_official import (
    OfficialRow,
    official_misses,
    official_networks,
    official_row,
    official_text,
)
from tinsmith_driver.benchmarks.htvm_networks import FREE, MIXED, NETWORKS
from tinsmith_driver.benchmarks.htvm_schedule import (
    SCHEDULE,
    HtvmRow,
    Simulated,
    htvm_misses,
    htvm_record,
    htvm_row,
    htvm_text,
    simulated,
)
from tinsmith_driver.benchmarks.mlperf_tiny import network_files, read_baseline
from tinsmith_driver.benchmarks.random_layers import LayersRow, layers_text
from tinsmith_driver.benchmarks.result import BenchmarkResult
from tinsmith_driver.benchmarks.subjects import Subject, compared, made_model, tiny, wrong_bytes
from tinsmith_driver.build import built
from tinsmith_driver.inputs import random_samples
from tinsmith_driver.layers import with_layers
from tinsmith_driver.options import selection
from tinsmith_driver.pipelines import Compilation
from tinsmith_driver.plugins import registry
from tinsmith_driver.progress import progress
from tinsmith_driver.running import Measurement, traced
from tinsmith_driver.table import table, thousands

_FLOOR = "set-rounding{mode=floor}"
_SEED = 0
_SAMPLES = 2
_TIMEOUT_SECONDS = 600
_BY_RULE = "map-analog{gain=16}"
_BY_COST = "map-analog{gain=16,by=cost}"
_OUR_SCHEDULE, _HTVM_SCHEDULE, _HTVM_MAPPING = "tinsmith", "htvm", "htvm's mapping"
_OUT_OF_MEMORY = "out of memory"

_HTVM_MS: Mapping[tuple[str, str], float | None] = {
    ("dscnn", "cpu"): 48.24,
    ("mobilenet", "cpu"): None,
    ("resnet", "cpu"): 134.11,
    ("toyadmos", "cpu"): 4.70,
    ("dscnn", "digital"): 1.75,
    ("mobilenet", "digital"): 5.68,
    ("resnet", "digital"): 1.19,
    ("toyadmos", "digital"): 0.36,
}
"""By network and engines; None where it ran out of memory."""

_LEAST_TIMES: Mapping[str, float] = {"cpu": 4.0}
"""How many times faster than HTVM with the same engines."""

_MOST_MS: Mapping[tuple[str, str], float] = {
    ("dscnn", "digital"): 0.95,
    ("mobilenet", "digital"): 3.75,
    ("resnet", "digital"): 0.60,
    ("toyadmos", "digital"): 0.20,
    ("dscnn", "both"): 0.88,
    ("mobilenet", "both"): 3.50,
    ("resnet", "both"): 0.50,
    ("toyadmos", "both"): 0.20,
}
"""What else is bound, by network and engines."""

_MOST_MAPPED_MS: Mapping[str, float] = {
    "dscnn": 1.40,
    "mobilenet": 6.00,
    "resnet": 0.85,
    "toyadmos": 0.25,
}
"""By network, with the layers analog that were so in HTVM's mixed networks: what was reached."""


@dataclass(frozen=True)
class Setup:
    """How networks are compiled. engines: what computes layers, as `--engines` has it. schedule: whose; it says where
    tensors lie between layers, or which layers are analog. passes: choices that make it. official: whether MLPerf
    Tiny's networks have rows, too. networks: HTVM's, by name.
    """

    engines: str
    schedule: str
    passes: tuple[str, ...] = ()
    official: bool = True
    networks: Mapping[str, Callable[[int], Graph]] = field(default_factory=lambda: NETWORKS)


SETUPS = (
    Setup("cpu", _OUR_SCHEDULE),
    # The official networks' multipliers are no powers of two, so that their layers are the core's here, too; what the
    # array does of their files of floats, `diana_official` measures.
    Setup(DIGITAL, _OUR_SCHEDULE, official=False),
    Setup(DIGITAL, _HTVM_SCHEDULE, (SCHEDULE,), official=False),
    Setup(BOTH, _OUR_SCHEDULE, (_BY_COST,), official=False, networks=FREE),
    Setup(BOTH, _HTVM_MAPPING, (_BY_RULE,), official=False, networks=MIXED),
)
"""Each makes a row of every network."""


@dataclass(frozen=True)
class DianaRow:
    """macs: multiply-accumulates that passes have left, as they drop channels that change no output. cycles: of an
    inference, as simulated; stated: further ones of HTVM's schedule (`HtvmRow`). ms: of both at the board's clock.
    htvm_ms: HTVM's with these engines; None if there is no such figure. turned: cycles, among those simulated, of
    calls that turn inputs into what an accelerator reads; None if there is no such call, or HTVM's way is stated.
    """

    network: str
    engines: str
    schedule: str
    macs: int
    cycles: int
    stated: int
    ms: float
    htvm_ms: float | None
    bit_exact: bool
    turned: int | None = None

    @property
    def times(self) -> float | None:
        """HTVM's time by ours."""
        return None if self.htvm_ms is None or self.ms == 0 else self.htvm_ms / self.ms

    @property
    def most_ms(self) -> float | None:
        """What it may take; None if there is no bound. HTVM's schedule has another one (`htvm_misses`)."""
        if self.schedule == _HTVM_SCHEDULE:
            return None
        if self.schedule == _HTVM_MAPPING:
            return _MOST_MAPPED_MS[self.network]
        least = _LEAST_TIMES.get(self.engines)
        if least is not None and self.htvm_ms is not None:
            return self.htvm_ms / least
        return _MOST_MS.get((self.network, self.engines))


def run(models: str | None, targets: str | None, *, layers: bool = True) -> BenchmarkResult:
    """Measure the chosen networks (comma-separated, None for all, and layers at random): HTVM's, and MLPerf Tiny's
    where they are.

    layers: whether those are wanted. Raises UsageError for other targets than DIANA, for chosen networks that are
    absent, and for layers without a checkout.
    """
    selection(targets, (TARGET,), "target")
    official = [name for name in read_baseline()[0] if _is_here(name)]
    chosen = selection(models, [*NETWORKS, *official], "network")
    planned = [
        (setup, name) for setup in SETUPS for name in chosen if setup.official or name in NETWORKS
    ]
    has_layers = layers and not models
    from_floats = official_networks([name for name in chosen if name in official])
    steps = len(planned) + len(from_floats) + has_layers * len(LAYERS)
    with progress("diana", steps) as bar:
        rows: list[DianaRow] = []
        by_htvm: list[HtvmRow] = []
        for setup, name in planned:
            bar.step(f"{name}, {setup.engines}, {setup.schedule}")
            row, htvm = _measured(name, setup)
            rows.append(row)
            by_htvm += [] if htvm is None else [htvm]
        quantized: list[OfficialRow] = []
        for name in from_floats:
            bar.step(f"{name}, quantized")
            quantized.append(official_row(name))
        drawn: list[LayersRow] = []
        for layers_of in LAYERS if has_layers else ():
            bar.step(f"{layers_of.count} random layers, {layers_of.accelerator}")
            drawn.append(layers_of.row())
    texts = [_text(rows), htvm_text(by_htvm), official_text(quantized), layers_text(drawn)]
    return BenchmarkResult(
        [_record(row) for row in rows],
        "\n\n".join(filter(None, texts)),
        [
            *misses(rows),
            *htvm_misses(by_htvm),
            *official_misses(quantized),
            *layers_misses(drawn),
        ],
        {
            "official": [asdict(row) for row in quantized],
            "htvm": [htvm_record(row) for row in by_htvm],
            "layers": [asdict(row) for row in drawn],
        },
    )


def _subject(name: str, setup: Setup) -> Subject:
    return Subject(made_model(setup.networks[name](_SEED))) if name in NETWORKS else tiny(name)


def _is_here(name: str) -> bool:
    try:
        network_files(read_baseline()[0][name])
    except UsageError:
        return False
    return True


def _measured(name: str, setup: Setup) -> tuple[DianaRow, HtvmRow | None]:
    """The row of a network, and what it is made of if the schedule is HTVM's."""
    htvm_ms = _HTVM_MS.get((name, setup.engines))
    clock_hz = registry().target(TARGET).board.clock_hz
    subject = _subject(name, setup)
    compilation = compiled(subject.model, setup.engines, (*_passes(name), *setup.passes))
    graph = compilation.graph
    assert isinstance(graph, Graph)  # no plan was read
    found, _ = compared(compilation, subject.samples(graph, _SAMPLES), _TIMEOUT_SECONDS)
    cycles, stated, turned, htvm = found.cycles or 0, 0, None, None
    if setup.schedule == _HTVM_SCHEDULE:
        assert htvm_ms is not None  # of the array there are all
        source = subject.model.graph
        assert isinstance(source, Graph)
        htvm = htvm_row(source, cycles, _simulated(compilation), clock_hz, htvm_ms)
        cycles, stated = htvm.simulated.cycles, htvm.stated
    else:
        turned = _turned_cycles(compilation, found)
    row = DianaRow(
        name,
        setup.engines,
        setup.schedule,
        macs_of(graph),
        cycles,
        stated,
        round(1e3 * (cycles + stated) / clock_hz, 3),
        htvm_ms,
        wrong_bytes(found) == 0,
        turned,
    )
    return row, htvm


def _simulated(compilation: Compilation) -> Simulated:
    """From a trace of an inference."""
    with built(compilation) as build:
        trace = traced(build, random_samples(compilation.graph, 1), _TIMEOUT_SECONDS)
    return simulated(trace, f"{compilation.program.name}_run")


def _passes(name: str) -> tuple[str, ...]:
    return (_FLOOR,) if name in NETWORKS else ()


def _turned_cycles(compilation: Compilation, found: Measurement) -> int | None:
    """By firmware that counts each call, of one sample. found: what it did without."""
    turned = turned_inputs(compilation.program)
    if not turned:
        return None
    cycles = with_layers(compilation, found, _TIMEOUT_SECONDS, compare=False).layer_cycles
    return sum(cycles[index] for index in turned)


def turned_inputs(program: Program) -> list[int]:
    """Which calls turn an input of the network into another layout, by index among all calls."""
    return [
        index
        for index, call in enumerate(program.calls)
        if isinstance(call.operator, Reshape)
        and call.inputs[0] in program.inputs
        and program.view[call.outputs[0]].layout
    ]


def macs_of(graph: Graph) -> int:
    """Multiply-accumulates of all layers with weights."""
    return sum(
        node.operator.macs(
            [value.type if value else None for value in node.inputs],
            [value.type for value in node.outputs],
        )
        for node in graph.nodes
    )


def misses(rows: Iterable[DianaRow]) -> Iterator[str]:
    """Bounds that are missed: bytes, and milliseconds, some by how much faster than HTVM a network is."""
    for row in rows:
        what = f"{row.network}, {row.engines}, {row.schedule}"
        if not row.bit_exact:
            yield f"{what}: outputs differ from the evaluator's"
        if row.most_ms is not None and row.ms > row.most_ms:
            beside = "" if row.htvm_ms is None else f" (HTVM: {row.htvm_ms} ms)"
            yield f"{what}: {row.ms:.3f} ms, must be {row.most_ms:.3f} or less{beside}"


def _record(row: DianaRow) -> dict[str, object]:
    return {**asdict(row), "times": row.times, "most_ms": row.most_ms}


def _text(rows: list[DianaRow]) -> str:
    header = [
        "network",
        "engines",
        "schedule",
        "MACs",
        "simulated",
        "inputs turned",
        "stated",
        "ms",
        "HTVM ms",
        "times",
        "at most, ms",
        "bit-exact",
    ]
    return table(header, [_line(row) for row in rows])


def _line(row: DianaRow) -> list[str]:
    is_known = (row.network, row.engines) in _HTVM_MS
    return [
        row.network,
        row.engines,
        row.schedule,
        thousands(row.macs),
        thousands(row.cycles),
        thousands(row.turned),
        thousands(row.stated),
        f"{row.ms:.3f}",
        f"{row.htvm_ms:.2f}" if row.htvm_ms is not None else _OUT_OF_MEMORY if is_known else "-",
        "-" if row.times is None else f"{row.times:.1f}",
        "-" if row.most_ms is None else f"{row.most_ms:.2f}",
        "yes" if row.bit_exact else "NO",
    ]
