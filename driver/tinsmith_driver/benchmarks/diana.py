"""Networks on the simulated DIANA: the four on which HTVM was measured, and MLPerf Tiny's, every output byte compared
with the evaluator's.

HTVM's networks round down, by `set-rounding{mode=floor}`, as the chip's accelerators do. Milliseconds are cycles at the
clock of HTVM's measurements; its own figures are those of DAC 2023 (arXiv 2406.07453), table 1.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass

from tinsmith_ir import Graph, Program, UsageError
from tinsmith_ir.operators import Reshape

from tinsmith_driver.benchmarks.htvm_networks import NETWORKS
from tinsmith_driver.benchmarks.mlperf_tiny import network_files, read_baseline
from tinsmith_driver.benchmarks.result import BenchmarkResult
from tinsmith_driver.benchmarks.subjects import Subject, compared, made_model, tiny, wrong_bytes
from tinsmith_driver.engines import engines_for
from tinsmith_driver.layers import with_layers
from tinsmith_driver.options import CompileOptions, PassChoice, selection
from tinsmith_driver.pipelines import Compilation, Model, compile_model
from tinsmith_driver.plugins import registry
from tinsmith_driver.progress import progress
from tinsmith_driver.running import Measurement
from tinsmith_driver.table import table, thousands

TARGET = "diana"
_FLOOR = "set-rounding{mode=floor}"
_SEED = 0
_SAMPLES = 2
_TIMEOUT_SECONDS = 600
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
}
"""What else is bound, by network and engines."""


@dataclass(frozen=True)
class Setup:
    """How networks are compiled. engines: what computes layers, as `--engines` has it. schedule: in which order, and
    where tensors lie between layers. official: whether MLPerf Tiny's networks have rows, too.
    """

    engines: str
    schedule: str
    official: bool = True


SETUPS = (
    Setup("cpu", "layer by layer in L2"),
    # The official networks' multipliers are no powers of two, so that their layers are the core's here, too.
    Setup("digital", "from layer to layer in L1", official=False),
)
"""Each makes a row of every network."""


@dataclass(frozen=True)
class DianaRow:
    """macs: multiply-accumulates that passes have left, as they drop channels that change no output. ms: of an
    inference, of `cycles` at the board's clock. htvm_ms: HTVM's with these engines; None if there is no such figure.
    turned: cycles, among all, of calls that turn inputs into what an accelerator reads; None if there is no such call.
    """

    network: str
    engines: str
    schedule: str
    macs: int
    cycles: int
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
        """What it may take; None if there is no bound."""
        least = _LEAST_TIMES.get(self.engines)
        if least is not None and self.htvm_ms is not None:
            return self.htvm_ms / least
        return _MOST_MS.get((self.network, self.engines))


def run(models: str | None, targets: str | None) -> BenchmarkResult:
    """Measure the chosen networks (comma-separated, None for all): HTVM's, and MLPerf Tiny's where they are.

    Raises UsageError for other targets than DIANA, and for chosen networks that are absent.
    """
    selection(targets, (TARGET,), "target")
    official = [name for name in read_baseline()[0] if _is_here(name)]
    chosen = selection(models, [*NETWORKS, *official], "network")
    planned = [
        (setup, name) for setup in SETUPS for name in chosen if setup.official or name in NETWORKS
    ]
    with progress("diana", len(planned)) as bar:
        rows: list[DianaRow] = []
        for setup, name in planned:
            bar.step(f"{name}, {setup.engines}")
            rows.append(_row(name, setup))
    return BenchmarkResult([_record(row) for row in rows], _text(rows), [*misses(rows)])


def htvm_model(name: str) -> Model:
    """One of HTVM's networks, as if read from a file."""
    return made_model(NETWORKS[name](_SEED))


def _is_here(name: str) -> bool:
    try:
        network_files(read_baseline()[0][name])
    except UsageError:
        return False
    return True


def _row(name: str, setup: Setup) -> DianaRow:
    is_made = name in NETWORKS
    subject = Subject(htvm_model(name)) if is_made else tiny(name)
    passes = (PassChoice.parse(_FLOOR),) if is_made else ()
    engines = engines_for(TARGET, None, setup.engines)
    options = CompileOptions(TARGET, backend=engines.backend, passes=(*passes, *engines.passes))
    compilation = compile_model(subject.model, options)
    graph = compilation.graph
    assert isinstance(graph, Graph)  # no plan was read
    found, _ = compared(compilation, subject.samples(graph, _SAMPLES), _TIMEOUT_SECONDS)
    cycles = found.cycles or 0
    return DianaRow(
        name,
        setup.engines,
        setup.schedule,
        macs_of(graph),
        cycles,
        round(1e3 * cycles / registry().target(TARGET).board.clock_hz, 3),
        _HTVM_MS.get((name, setup.engines)),
        wrong_bytes(found) == 0,
        _turned_cycles(compilation, found),
    )


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
        what = f"{row.network}, {row.engines}"
        if not row.bit_exact:
            yield f"{what}: outputs differ from the evaluator's"
        if row.most_ms is not None and row.ms > row.most_ms:
            yield f"{what}: {row.ms:.3f} ms, must be {row.most_ms:.3f} or less (HTVM: {row.htvm_ms} ms)"


def _record(row: DianaRow) -> dict[str, object]:
    return {**asdict(row), "times": row.times, "most_ms": row.most_ms}


def _text(rows: list[DianaRow]) -> str:
    header = [
        "network",
        "engines",
        "schedule",
        "MACs",
        "cycles",
        "inputs turned",
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
        f"{row.ms:.3f}",
        f"{row.htvm_ms:.2f}" if row.htvm_ms is not None else _OUT_OF_MEMORY if is_known else "-",
        "-" if row.times is None else f"{row.times:.1f}",
        "-" if row.most_ms is None else f"{row.most_ms:.2f}",
        "yes" if row.bit_exact else "NO",
    ]
