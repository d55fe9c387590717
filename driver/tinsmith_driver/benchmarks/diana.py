"""Networks on the simulated DIANA: the four on which HTVM was measured, also by its schedule and with layers of its
analog array, and MLPerf Tiny's, and layers at the borders of what its digital array takes, every output byte compared
with the evaluator's.

HTVM's networks round down, by `set-rounding{mode=floor}`, as the chip's accelerators do. Milliseconds are cycles at the
clock of HTVM's measurements; its own figures are those of DAC 2023 (arXiv 2406.07453), table 1.
"""

from collections.abc import Callable, Mapping
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
from tinsmith_driver.benchmarks.diana_mixed import (
    MixedRow,
    mixed_misses,
    mixed_row,
    mixed_text,
    mixes_of,
)
from tinsmith_driver.benchmarks.diana_official import (
    OfficialRow,
    official_misses,
    official_networks,
    official_row,
    official_text,
)
from tinsmith_driver.benchmarks.diana_rows import (
    HTVM_MAPPING,
    HTVM_MS,
    HTVM_SCHEDULE,
    OUR_SCHEDULE,
    DianaRow,
    diana_misses,
    diana_record,
    diana_text,
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
from tinsmith_driver.compilation import Compilation
from tinsmith_driver.inputs import random_samples
from tinsmith_driver.layers import with_layers
from tinsmith_driver.options import selection
from tinsmith_driver.plugins import registry
from tinsmith_driver.progress import progress
from tinsmith_driver.running import Measurement, traced

_FLOOR = "set-rounding{mode=floor}"
_SEED = 0
_SAMPLES = 2
_TIMEOUT_SECONDS = 600
_BY_RULE = "map-analog{gain=16}"
_BY_COST = "map-analog{gain=16,by=cost}"


@dataclass(frozen=True)
class Setup:
    """How networks are compiled. engines: what computes layers, as `--engines` has it. schedule: whose; it says where
    tensors lie between layers, or which layers are analog. passes: choices that make it; without: those left out.
    official: whether MLPerf Tiny's networks have rows, too. networks: HTVM's, by name.
    """

    engines: str
    schedule: str
    passes: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    official: bool = True
    networks: Mapping[str, Callable[[int], Graph]] = field(default_factory=lambda: NETWORKS)


SETUPS = (
    Setup("cpu", OUR_SCHEDULE),
    # The official networks' multipliers are no powers of two, so that their layers are the core's here, too; what the
    # array does of their files of floats, `diana_official` measures.
    Setup(DIGITAL, OUR_SCHEDULE, official=False),
    # Who makes code layer by layer waits for each step.
    Setup(DIGITAL, HTVM_SCHEDULE, (SCHEDULE,), ("overlap",), official=False),
    Setup(BOTH, OUR_SCHEDULE, (_BY_COST,), official=False, networks=FREE),
    Setup(BOTH, HTVM_MAPPING, (_BY_RULE,), official=False, networks=MIXED),
)
"""Each makes a row of every network."""


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
    mixes = mixes_of(from_floats)
    steps = len(planned) + len(from_floats) + len(mixes) + has_layers * len(LAYERS)
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
        mixed: list[MixedRow] = []
        for mix in mixes:
            bar.step(f"{mix.network}, quantized, both arrays")
            mixed.append(mixed_row(mix))
        drawn: list[LayersRow] = []
        for layers_of in LAYERS if has_layers else ():
            bar.step(f"{layers_of.count} random layers, {layers_of.accelerator}")
            drawn.append(layers_of.row())
    texts = [
        diana_text(rows),
        htvm_text(by_htvm),
        official_text(quantized),
        mixed_text(mixed),
        layers_text(drawn),
    ]
    return BenchmarkResult(
        [diana_record(row) for row in rows],
        "\n\n".join(filter(None, texts)),
        [
            *diana_misses(rows),
            *htvm_misses(by_htvm),
            *official_misses(quantized),
            *mixed_misses(mixed),
            *layers_misses(drawn),
        ],
        {
            "official": [asdict(row) for row in quantized],
            "mixed": [asdict(row) for row in mixed],
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
    htvm_ms = HTVM_MS.get((name, setup.engines))
    clock_hz = registry().target(TARGET).board.clock_hz
    subject = _subject(name, setup)
    compilation = compiled(
        subject.model, setup.engines, passes_of(name, setup), without=setup.without
    )
    graph = compilation.graph
    assert isinstance(graph, Graph)  # no plan was read
    found, _ = compared(compilation, subject.samples(graph, _SAMPLES), _TIMEOUT_SECONDS)
    cycles, stated, turned, htvm = found.cycles or 0, 0, None, None
    if setup.schedule == HTVM_SCHEDULE:
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


def passes_of(name: str, setup: Setup) -> tuple[str, ...]:
    """Choices with which that network is compiled."""
    return (*((_FLOOR,) if name in NETWORKS else ()), *setup.passes)


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
