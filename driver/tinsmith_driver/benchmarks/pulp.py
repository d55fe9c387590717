"""`tinsmith bench pulp`: whole networks of MLPerf Tiny on the simulated cluster of Siracusa.

Weights and input lie in second-level memory; what a network takes is counted from before its first copy to after its
last. Beside it stand what the cores wait for, the sum of its kernels alone, code, smaller first-level memories, what
the search for tiles gains over the greedy planner, the time that tiling takes, and how well the tiler's model of
cycles foresees the simulator's.
"""

import json
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from tinsmith_ir import DoesNotFitError, DType, Graph, Quantization, TensorType
from tinsmith_ir.builder import GraphBuilder
from tinsmith_ir.operators import Conv2D, Relu

from tinsmith_driver.benchmarks.pulp_alone import TILE, Alone, measure_alone, slow_calls
from tinsmith_driver.benchmarks.pulp_checkout import BenchmarkError, checkout, script_lines
from tinsmith_driver.benchmarks.pulp_plans import (
    EXACT,
    GREEDY,
    Planned,
    Waits,
    plan_section,
    wait_section,
)
from tinsmith_driver.benchmarks.pulp_proof import Section
from tinsmith_driver.benchmarks.result import BenchmarkResult
from tinsmith_driver.benchmarks.subjects import compared, made_model, tiny, wrong_bytes
from tinsmith_driver.cluster import cluster_share
from tinsmith_driver.compilation import Compilation
from tinsmith_driver.inputs import Samples
from tinsmith_driver.models import Model
from tinsmith_driver.options import CompileOptions, selection
from tinsmith_driver.passes import PassChoice
from tinsmith_driver.pipelines import compile_model
from tinsmith_driver.progress import progress
from tinsmith_driver.running import Measurement
from tinsmith_driver.table import table, thousands
from tinsmith_driver.targets import chosen_target
from tinsmith_driver.tiling import tile_plan

NETWORKS = ("kws", "vww", "ic", "ad")
TARGET = "siracusa"
TFLITE, FLOOR = "tflite", "floor"
ROUNDINGS: Mapping[str, tuple[str, ...]] = {
    TFLITE: (),
    FLOOR: ("set-rounding{mode=floor,narrow=yes}",),
}
L1_SIZES = tuple(kib * 1024 for kib in (128, 64, 32, 16, 8))
PLANNED_L1_SIZES = tuple(kib * 1024 for kib in (128, 16))
CHAIN_OPERATORS = 500

# What must be reached.
MOST_CYCLES: Mapping[tuple[str, str], int] = {
    ("kws", TFLITE): 320_000,
    ("vww", TFLITE): 1_060_000,
    ("ic", TFLITE): 1_070_000,
    ("ad", TFLITE): 42_000,
    ("kws", FLOOR): 240_000,
    ("vww", FLOOR): 800_000,
    ("ic", FLOOR): 900_000,
    ("ad", FLOOR): 42_000,
}
# ad has little work for its weights, and is left out of these two.
MOST_BY_ALONE: Mapping[str, float] = {"kws": 1.08, "vww": 1.08, "ic": 1.08}
MOST_DMA_WAIT: Mapping[str, float] = {"kws": 0.04, "vww": 0.04, "ic": 0.04}
MOST_CODE = 24 * 1024
MOST_OF_SMALL_L1: Mapping[tuple[str, int], float] = {("vww", 16 * 1024): 1.5}
MOST_TILING_SECONDS = 10.0
MOST_CHAIN_SECONDS = 60.0
MOST_MEAN_ERROR, MOST_ERROR = 0.08, 0.25

_TIMEOUT_SECONDS = 300
_ALLOCATE = "allocate-buffers"
_PLANNERS: Mapping[str, tuple[str, ...]] = {EXACT: (), GREEDY: (f"{TILE}{{exact=no}}",)}
_FIT = Path("backends/pulp_nn/tools/fit_costs.py")
_CHAIN_L1 = 64 * 1024

Step = Callable[[str], None]


@dataclass(frozen=True)
class Whole:
    """A network under one rounding, or one size of first-level memory.

    status: "ok", or why nothing was measured. bytes_different: from the evaluator, and, of TFLite's rounding, from the
    file. dma_wait: shares of core 0's cycles, which is the one that waits, and of all cores'. seconds: of tiling and
    allocation. gap: how far below its cycles the best plan may be, as the tiler knows; modelled: the plan's cycles.
    work, waits: shares of all cores' cycles, with an instruction and without, by cause.
    """

    network: str
    rounding: str
    l1: int
    status: str
    samples: int = 0
    bytes_different: int | None = None
    cycles: int | None = None
    dma_wait_core_0: float | None = None
    dma_wait_all: float | None = None
    code: int | None = None
    seconds: float | None = None
    plan: str | None = None
    gap: float | None = None
    modelled: int | None = None
    work: float | None = None
    waits: Mapping[str, float] | None = None

    @property
    def where(self) -> str:
        """For a line that names a bound."""
        return f"{self.network}, {self.rounding}, L1 {self.l1:,}"


def run(models: str | None, targets: str | None, *, sweep: bool = True) -> BenchmarkResult:
    """Measure the chosen networks (comma-separated, None for all); takes a few minutes.

    sweep: with smaller memories, too. Raises UsageError for other targets than Siracusa, and where the checkout or the
    networks are absent.
    """
    selection(targets, (TARGET,), "target")
    chosen = selection(models, NETWORKS, "network")
    root = checkout()
    greedy = len(PLANNED_L1_SIZES) * (1 if sweep else 2)
    steps = len(chosen) * (3 + len(L1_SIZES) * sweep + greedy) + 2
    with progress("pulp", steps) as bar:
        rows = [
            measure(network, rounding, step=bar.step)
            for network in chosen
            for rounding in ROUNDINGS
        ]
        sections = [whole_section(rows), wait_section(_waits(rows))]
        alone = {name: alone_calls(name, step=bar.step) for name in chosen}
        sections += [ratio_section(rows, alone), layer_section(alone)]
        small: list[Whole] = []
        if sweep:
            small = [
                measure(network, TFLITE, l1_bytes, samples=1, step=bar.step)
                for network in chosen
                for l1_bytes in L1_SIZES
            ]
            sections.append(sweep_section(small))
        sections.append(plan_section(planned(chosen, small, bar.step)))
        bar.step("chain")
        sections.append(tiling_section([*rows, *small], chain_row()))
        bar.step("the model of cycles")
        sections.append(model_section(root))
    missed = [line for section in sections for line in section.failures]
    text = "\n\n".join(section.text for section in sections)
    by_name = {section.name: section.records for section in sections[1:]}
    return BenchmarkResult(sections[0].records, text, missed, by_name)


def measure(
    network: str,
    rounding: str = TFLITE,
    l1_bytes: int | None = None,
    samples: int | None = None,
    step: Step = lambda _: None,
    planner: str = EXACT,
) -> Whole:
    """Compile, run and compare one of NETWORKS. l1_bytes: None for all that Siracusa leaves to a network. samples: of
    each group at most.
    """
    where = f", L1 {l1_bytes:,}" if l1_bytes else ""
    step(f"{network}, {rounding}{where}" + (f", {planner}" if planner != EXACT else ""))
    subject, options = tiny(network), _options(rounding, l1_bytes, planner)
    return measure_model(
        subject.model, options, rounding, lambda graph: subject.samples(graph, samples)
    )


def _options(rounding: str, l1_bytes: int | None, planner: str) -> CompileOptions:
    texts = (*ROUNDINGS[rounding], *_PLANNERS[planner])
    passes = tuple(PassChoice.parse(text) for text in texts)
    return CompileOptions(TARGET, passes=passes, l1_bytes=l1_bytes)


def measure_model(
    model: Model,
    options: CompileOptions,
    rounding: str,
    samples_of: Callable[[Graph], Sequence[Samples]],
) -> Whole:
    """The row of a model. samples_of: given the graph as it was compiled."""
    name, l1_bytes = model.graph.name, options.l1_bytes or _whole_l1(options)
    try:
        compilation = compile_model(model, options)
    except DoesNotFitError as error:
        return Whole(name, rounding, l1_bytes, f"does not fit: {error}")
    slow = slow_calls(compilation)
    if slow:
        count, first = len(compilation.program.calls), slow[0]
        reason = (
            f"not measured: {len(slow)} of {count} calls run on one core, the first one by {first}"
        )
        return Whole(name, rounding, l1_bytes, reason)
    graph = compilation.graph
    assert isinstance(graph, Graph)  # no plan was read
    measurement, build = compared(compilation, samples_of(graph), _TIMEOUT_SECONDS)
    core_0, of_all = dma_waits(measurement)
    plan, shares = tile_plan(compilation), cluster_share(measurement.cores)
    return Whole(
        network=name,
        rounding=rounding,
        l1=l1_bytes,
        status="ok",
        samples=measurement.samples,
        bytes_different=_different(measurement, rounding),
        cycles=measurement.cycles,
        dma_wait_core_0=core_0,
        dma_wait_all=of_all,
        code=build.code,
        seconds=tiling_seconds(compilation),
        plan=None if plan is None else plan.status,
        gap=None if plan is None else round(plan.gap, 4),
        modelled=None if plan is None else plan.cycles,
        work=None if shares is None else shares["utilisation"],
        waits=None if shares is None else shares["waits"],
    )


def planned(
    networks: Iterable[str], searched: Sequence[Whole], step: Step = lambda _: None
) -> list[Planned]:
    """Each network by the search and by the greedy planner. searched: rows of it that are known."""
    known = {(row.network, row.l1): row for row in searched}
    found: list[Planned] = []
    for network in networks:
        for l1_bytes in PLANNED_L1_SIZES:
            for planner in _PLANNERS:
                row = known.get((network, l1_bytes)) if planner == EXACT else None
                row = row or measure(network, TFLITE, l1_bytes, 1, step, planner)
                found.append(_planned(row, planner))
    return found


def _planned(row: Whole, planner: str) -> Planned:
    return Planned(
        row.network,
        row.l1,
        planner,
        f"{row.bytes_different:,} output bytes differ" if row.bytes_different else row.status,
        row.modelled,
        row.cycles,
        row.seconds,
        row.plan,
        row.gap,
    )


def _waits(rows: Iterable[Whole]) -> list[Waits]:
    """Of those that ran."""
    return [
        Waits(row.network, row.rounding, row.work, row.waits)
        for row in rows
        if row.work is not None and row.waits is not None
    ]


def _whole_l1(options: CompileOptions) -> int:
    cluster = chosen_target(options).board.cluster
    assert cluster is not None  # Siracusa has one
    return cluster.network_bytes


def _different(measurement: Measurement, rounding: str) -> int:
    """The file holds what TFLite's rounding gives."""
    if rounding == TFLITE:
        return measurement.mismatches or 0
    return wrong_bytes(measurement)


def dma_waits(measurement: Measurement) -> tuple[float | None, float | None]:
    """Shares of core 0's cycles, and of all cores', in which they wait for the DMA or ask whether it is done."""
    waits = [
        core.stalls.get("dma_wait", 0) + core.classes.get("dma_poll", 0)
        for core in measurement.cores
    ]
    cycles = [core.cycles for core in measurement.cores]
    if not cycles:
        return None, None
    return round(waits[0] / cycles[0], 5), round(sum(waits) / sum(cycles), 5)


def tiling_seconds(compilation: Compilation) -> float:
    """Of tiling and allocation."""
    records = compilation.pass_records
    return round(sum(r.seconds for r in records if r.name in (TILE, _ALLOCATE)), 3)


def whole_section(rows: Sequence[Whole]) -> Section:
    """Whole networks: right, and fast enough."""
    header = [
        "network", "rounding", "samples", "bytes different", "cycles", "at most", "DMA wait, core 0",
        "of all", "code", "status",
    ]  # fmt: skip
    cells = [
        [
            row.network,
            row.rounding,
            str(row.samples),
            thousands(row.bytes_different),
            thousands(row.cycles),
            thousands(MOST_CYCLES.get((row.network, row.rounding))),
            _percent(row.dma_wait_core_0, 2),
            _percent(row.dma_wait_all, 2),
            thousands(row.code),
            row.status,
        ]
        for row in rows
    ]
    failures = [line for row in rows for line in misses(row)]
    return Section("rows", [asdict(row) for row in rows], table(header, cells), failures)


def misses(row: Whole) -> list[str]:
    """The bounds that a whole network does not hold, each as a line for people."""
    if row.status != "ok":
        return [f"{row.where}: {row.status}"]
    found: list[str] = []
    if row.bytes_different:
        found.append(f"{row.where}: {row.bytes_different:,} output bytes differ")
    most = MOST_CYCLES.get((row.network, row.rounding))
    if most is not None and (row.cycles is None or row.cycles > most):
        found.append(f"{row.where}: {thousands(row.cycles)} cycles, must be {most:,} or less")
    waits = MOST_DMA_WAIT.get(row.network)
    if waits is not None and (row.dma_wait_core_0 is None or row.dma_wait_core_0 >= waits):
        share = _percent(row.dma_wait_core_0, 2)
        found.append(
            f"{row.where}: {share} of the cycles wait for the DMA, must be below {waits:.0%}"
        )
    return [*found, *_too_much_code(row)]


def _too_much_code(row: Whole) -> list[str]:
    if row.code is None or row.code < MOST_CODE:
        return []
    return [f"{row.where}: {row.code:,} bytes of code, must be below {MOST_CODE:,}"]


def alone_calls(network: str, step: Step = lambda _: None) -> tuple[Sequence[Alone], int]:
    """The kernels of a network alone, and how many bytes of the result differ."""
    step(f"{network}: kernels alone")
    subject = tiny(network)
    return alone_of_model(subject.model, lambda graph: subject.samples(graph, 1))


def alone_of_model(
    model: Model, samples_of: Callable[[Graph], Sequence[Samples]]
) -> tuple[Sequence[Alone], int]:
    """The same of a model."""
    compilation = compile_model(model, CompileOptions(TARGET, without=(TILE,)))
    graph = compilation.graph
    assert isinstance(graph, Graph)  # no plan was read
    return measure_alone(compilation, samples_of(graph)[0], _TIMEOUT_SECONDS)


def ratio_section(
    rows: Iterable[Whole], alone: Mapping[str, tuple[Sequence[Alone], int]]
) -> Section:
    """Whole networks by the sums of their kernels alone."""
    cycles = {row.network: row.cycles for row in rows if row.rounding == TFLITE}
    records: list[dict[str, object]] = []
    failures: list[str] = []
    for name, (calls, different) in alone.items():
        total, whole = sum(call.cycles for call in calls), cycles.get(name)
        ratio = None if whole is None else round(whole / total, 4)
        records.append({"network": name, "alone": total, "whole": whole, "ratio": ratio})
        most = MOST_BY_ALONE.get(name)
        if most is not None and (ratio is None or ratio > most):
            failures.append(f"{name}: {ratio} times its kernels alone, must be {most} or less")
        if different:
            failures.append(f"{name}: {different:,} output bytes of its kernels alone differ")
    header = ["network", "kernels alone", "whole", "ratio"]
    cells = [
        [str(r["network"]), _thousands(r["alone"]), _thousands(r["whole"]), _fixed(r["ratio"], 3)]
        for r in records
    ]
    return Section("alone", records, table(header, cells), failures)


def layer_section(alone: Mapping[str, tuple[Sequence[Alone], int]]) -> Section:
    """Every layer as the tiler's model has it, against the simulator."""
    records: list[dict[str, object]] = [
        {"network": name, **asdict(call), "error": _error(call)}
        for name, (calls, _) in alone.items()
        for call in calls
    ]
    header = ["network", "layer", "kernel", "simulated", "modelled", "error"]
    cells = [
        [name, call.name, call.kernel, thousands(call.cycles), thousands(call.modelled),
         f"{_error(call):+.1%}"]
        for name, (calls, _) in alone.items()
        for call in calls
    ]  # fmt: skip
    errors = [_error(call) for calls, _ in alone.values() for call in calls]
    text, failures = _judged("layers of the networks", errors)
    return Section("layers", records, f"{table(header, cells)}\n{text}", failures)


def _error(call: Alone) -> float:
    return round(call.modelled / call.cycles - 1, 4)


def _judged(what: str, errors: Sequence[float]) -> tuple[str, list[str]]:
    """A line with mean and worst error, and the bounds that they miss."""
    amounts = [abs(error) for error in errors]
    mean, worst = statistics.mean(amounts), max(amounts)
    failures: list[str] = []
    if mean > MOST_MEAN_ERROR:
        failures.append(f"{what}: mean error {mean:.1%}, must be {MOST_MEAN_ERROR:.0%} or less")
    if worst > MOST_ERROR:
        failures.append(f"{what}: worst error {worst:.1%}, must be {MOST_ERROR:.0%} or less")
    return f"{what}: {len(amounts)}, mean error {mean:.1%}, worst {worst:.1%}", failures


def sweep_section(rows: Sequence[Whole]) -> Section:
    """Smaller first-level memories."""
    largest = {row.network: row.cycles for row in rows if row.l1 == max(L1_SIZES)}
    failures = [line for row in rows for line in sweep_misses(row, largest.get(row.network))]
    header = [
        "network", "L1", "bytes different", "cycles", "by the largest", "DMA wait, core 0", "code",
        "status",
    ]  # fmt: skip
    cells = [
        [
            row.network,
            thousands(row.l1),
            thousands(row.bytes_different),
            thousands(row.cycles),
            _fixed(_ratio(row.cycles, largest.get(row.network)), 2),
            _percent(row.dma_wait_core_0, 1),
            thousands(row.code),
            row.status,
        ]
        for row in rows
    ]
    return Section("sweep", [asdict(row) for row in rows], table(header, cells), failures)


def sweep_misses(row: Whole, largest: int | None) -> list[str]:
    """The bounds that a network in a smaller memory does not hold. largest: its cycles in the largest one."""
    if row.status != "ok":
        return [f"{row.where}: {row.status}"]
    found: list[str] = []
    if row.bytes_different:
        found.append(f"{row.where}: {row.bytes_different:,} output bytes differ")
    most, ratio = MOST_OF_SMALL_L1.get((row.network, row.l1)), _ratio(row.cycles, largest)
    if most is not None and (ratio is None or ratio > most):
        found.append(
            f"{row.where}: {ratio} times the cycles of the largest L1, must be {most} or less"
        )
    if row.l1 == min(L1_SIZES):
        found += _too_much_code(row)
    return found


def _ratio(part: int | None, whole: int | None) -> float | None:
    return None if part is None or not whole else round(part / whole, 3)


def chain(operators: int) -> Graph:
    """Convolutions of 3 x 3 over 24 x 24 x 16, each with a clamp behind it."""
    quantization = Quantization.per_tensor(0.05, 0)
    builder = GraphBuilder("chain")
    random = np.random.default_rng(operators)
    value = builder.input("x", TensorType((1, 24, 24, 16), DType.INT8, quantization))
    for index in range(operators):
        if index % 2:
            value = builder.add(Relu(), [value], quantization=quantization)
            continue
        weights = random.integers(-127, 128, (16, 3, 3, 16)).astype(np.int8)
        constant = builder.constant("weights", weights, Quantization.per_tensor(0.01, 0))
        value = builder.add(
            Conv2D(padding=(1, 1, 1, 1)), [value, constant, None], quantization=quantization
        )
    return builder.build(value)


def chain_row(operators: int = CHAIN_OPERATORS) -> dict[str, object]:
    """What tiling and allocation take of a chain, in a memory that holds two of its tensors and not four."""
    model = made_model(chain(operators))
    compilation = compile_model(model, CompileOptions(TARGET, l1_bytes=_CHAIN_L1))
    plan = tile_plan(compilation)
    return {
        "network": f"chain of {operators}",
        "rounding": TFLITE,
        "l1": _CHAIN_L1,
        "seconds": tiling_seconds(compilation),
        "plan": None if plan is None else plan.status,
        "gap": None if plan is None else round(plan.gap, 4),
    }


def tiling_section(rows: Iterable[Whole], of_chain: Mapping[str, object]) -> Section:
    """Seconds of tiling and allocation, and what is known of the plans."""
    keys = ("network", "rounding", "l1", "seconds", "plan", "gap")
    records = [{key: getattr(row, key) for key in keys} for row in rows if row.seconds is not None]
    failures = [
        f"{r['network']}, {r['rounding']}, L1 {r['l1']:,}: tiling took {r['seconds']} s, "
        f"must be {MOST_TILING_SECONDS:g} or less"
        for r in records
        if r["seconds"] > MOST_TILING_SECONDS
    ]
    seconds = of_chain["seconds"]
    assert isinstance(seconds, float)
    if seconds > MOST_CHAIN_SECONDS:
        failures.append(
            f"{of_chain['network']}: tiling took {seconds} s, must be {MOST_CHAIN_SECONDS:g} or less"
        )
    records.append(dict(of_chain))
    header = ["network", "rounding", "L1", "tiling s", "plan", "gap"]
    cells = [
        [
            str(r["network"]),
            str(r["rounding"]),
            _thousands(r["l1"]),
            _fixed(r["seconds"], 2),
            str(r["plan"] or "-"),
            "-" if r["gap"] is None else f"{r['gap']:.1%}",
        ]
        for r in records
    ]
    return Section("tiling", records, table(header, cells), failures)


def model_section(root: Path) -> Section:
    """Layers that the model of cycles was not fitted to, by the tool that fits it."""
    records = [json.loads(line) for line in script_lines(root / _FIT, "--check", "--json")]
    if not records:
        raise BenchmarkError(f"{_FIT.name} measured nothing: run it with --check to see why")
    header = ["kernel", "layers", "mean error", "worst", "of"]
    kernels: dict[str, list[dict[str, object]]] = {}
    for record in records:
        kernels.setdefault(str(record["kernel"]), []).append(record)
    cells: list[list[str]] = []
    for kernel, found in kernels.items():
        worst = max(found, key=lambda record: abs(_number(record["error"])))
        mean = statistics.mean(abs(_number(record["error"])) for record in found)
        error = _number(worst["error"])
        cells.append([kernel, str(len(found)), f"{mean:.1%}", f"{error:+.1%}", str(worst["layer"])])
    line, failures = _judged("layers out of the fit", [_number(r["error"]) for r in records])
    return Section("model", records, f"{table(header, cells)}\n{line}", failures)


def _number(value: object) -> float:
    if not isinstance(value, int | float):
        raise TypeError(f"expected a number, got {value!r}")
    return float(value)


def _thousands(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else "-"


def _fixed(value: object, digits: int) -> str:
    return f"{value:.{digits}f}" if isinstance(value, int | float) else "-"


def _percent(share: float | None, digits: int) -> str:
    return "-" if share is None else f"{share:.{digits}%}"
