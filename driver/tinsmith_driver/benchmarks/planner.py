"""How good orders of execution are, and how long plans take: of generated families of networks, MLPerf Tiny's,
MobileNetV2 and chains.

An order is judged by the bound that its pass proves. A plan is a whole compilation, from the graph to C, with the
tightest budget of RAM that `bench memory` asks for, and without one.
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import cast

from tinsmith_ir import DoesNotFitError, Graph, Program, UsageError
from tinsmith_ir.passes import DetailedPass, Ordered
from tinsmith_plugins import Setting

from tinsmith_driver.benchmarks.memory import GOALS
from tinsmith_driver.benchmarks.mobilenet_v2 import mobilenet_v2
from tinsmith_driver.benchmarks.order_graphs import FAMILIES
from tinsmith_driver.benchmarks.result import BenchmarkResult
from tinsmith_driver.benchmarks.scaling import chain
from tinsmith_driver.benchmarks.subjects import made_model, tiny
from tinsmith_driver.models import Model
from tinsmith_driver.options import CompileOptions, selection
from tinsmith_driver.passes import chosen_passes
from tinsmith_driver.pipelines import compile_model
from tinsmith_driver.plugins import registry
from tinsmith_driver.progress import progress
from tinsmith_driver.table import table, thousands

SIZES = (50, 100, 200, 500)
SEEDS = 5
UNPROVEN = ("series-parallel", "unstructured")
"""Families of which not all orders need to be proven."""

CHAINS = (125, 250, 500, 1000)
_TARGET = "cortex-m4"
_TINY = ("kws", "vww", "ic", "sww", "ad")
_MOBILENET = "mobilenet_v2"
_MOBILENET_BUDGET = 256_000
_MOST_SECONDS = {**dict.fromkeys(_TINY, 5.0), _MOBILENET: 60.0}


@dataclass(frozen=True)
class OrderRow:
    """Networks of one family and size, one for each seed. optimal: how many orders are proven to be the best. gap: the
    largest, how far the best may be below, as a part. saved: the mean part by which peaks are lower than in the order
    given. seconds: of a network, at most.
    """

    family: str
    operators: int
    networks: int
    optimal: int
    gap: float
    saved: float
    seconds: float


@dataclass(frozen=True)
class PlanRow:
    """One compilation. budget: of RAM, None for any. status: of the arena, or `does not fit`."""

    network: str
    operators: int
    budget: int | None
    arena: int | None
    status: str
    seconds: float
    longest: str


def run(models: str | None, targets: str | None) -> BenchmarkResult:
    """Order the chosen families and plan the chosen networks (`chain` among them), None for all.

    Raises UsageError for targets: it is for one alone.
    """
    if targets is not None and targets != _TARGET:
        raise UsageError(f"bench planner plans for {_TARGET} alone, got targets {targets}")
    chosen = selection(models, [*FAMILIES, *_TINY, _MOBILENET, "chain"], "network")
    families = [name for name in chosen if name in FAMILIES]
    plans = list(_compilations([name for name in chosen if name not in FAMILIES]))
    orders: list[OrderRow] = []
    rows: list[PlanRow] = []
    with progress("planner", len(families) * len(SIZES) + len(plans)) as bar:
        for family in families:
            for operators in SIZES:
                bar.step(f"{family} of {operators}")
                orders.append(order_row(family, operators, SEEDS))
        for name, model, budget in plans:
            bar.step(name if budget is None else f"{name} in {thousands(budget)} bytes")
            rows.append(plan_row(name, model, budget))
    return BenchmarkResult(
        [asdict(row) for row in orders],
        "\n\n".join(text for text in (_order_table(orders), _plan_table(rows)) if text),
        [*order_misses(orders), *plan_misses(rows)],
        sections={"plans": [asdict(row) for row in rows]},
    )


def order_row(family: str, operators: int, seeds: int) -> OrderRow:
    """Let the pass that chooses orders choose those of some networks."""
    gaps: list[float] = []
    saved: list[float] = []
    seconds = 0.0
    for seed in range(seeds):
        program = FAMILIES[family](operators, seed)
        start = time.perf_counter()
        found = _ordered(program)
        seconds = max(seconds, time.perf_counter() - start)
        gaps.append(1 - found.lower_bound / found.peak_bytes)
        saved.append(1 - found.peak_bytes / given_peak(program))
    optimal = sum(gap == 0 for gap in gaps)
    return OrderRow(family, operators, seeds, optimal, max(gaps), sum(saved) / seeds, seconds)


def _ordered(program: Program) -> Ordered:
    setting = Setting(registry().target("host"), ())
    for pass_ in chosen_passes(setting):
        if pass_.name == "schedule-calls" and isinstance(pass_, DetailedPass):
            facts = cast("DetailedPass[Program, Program]", pass_).run_in_detail(program).facts
            if isinstance(facts, Ordered):
                return facts
    raise UsageError("no pass schedule-calls that says how good an order is: expected its plug-in")


def given_peak(program: Program) -> int:
    """The most bytes that are live while a step of a plain network runs, in the order as it stands."""
    sizes = {buffer.name: buffer.size_bytes for buffer in program.buffers}
    last = dict.fromkeys(program.inputs, -1)
    for step, call in enumerate(program.calls):
        last |= dict.fromkeys((*call.outputs, *(name for name in call.inputs if name)), step)
    last |= dict.fromkeys(program.outputs, len(program.calls))
    live = sum(sizes[name] for name in program.inputs)
    peak = 0
    for step, call in enumerate(program.calls):
        live += sum(sizes[name] for name in call.outputs)
        peak = max(peak, live)
        used = {*call.outputs, *(name for name in call.inputs if name)}
        live -= sum(sizes[name] for name in used if last[name] == step)
    return peak


def _compilations(names: Sequence[str]) -> Iterator[tuple[str, Model, int | None]]:
    for name in names:
        if name in _TINY:
            model = tiny(name).model
            yield name, model, None
            yield name, model, _least_budget(name)
        elif name == _MOBILENET:
            model = made_model(mobilenet_v2(224, 0.35))
            yield name, model, None
            yield name, model, _MOBILENET_BUDGET
        else:
            for operators in CHAINS:
                yield name, made_model(chain(operators)), None


def _least_budget(name: str) -> int:
    """The least that `bench memory` asks for where inputs are given."""
    goals = [goal for goal in GOALS if (goal.network, goal.target) == (name, _TARGET)]
    return min(goal.ram for goal in goals if not goal.streamed)


def plan_row(name: str, model: Model, budget: int | None) -> PlanRow:
    """Compile once; a budget that nothing fits takes as long as it takes to find out."""
    operators = len(model.graph.nodes) if isinstance(model.graph, Graph) else 0
    start = time.perf_counter()
    try:
        compilation = compile_model(model, CompileOptions(_TARGET, ram_bytes=budget))
    except DoesNotFitError:
        seconds = time.perf_counter() - start
        return PlanRow(name, operators, budget, None, "does not fit", seconds, "-")
    seconds = time.perf_counter() - start
    longest = max(compilation.records, key=lambda record: record.seconds)
    return PlanRow(
        name,
        operators,
        budget,
        compilation.arena_bytes,
        compilation.arena_status.replace("_", " "),
        seconds,
        f"{longest.name} {longest.seconds:.2f}",
    )


def order_misses(rows: Sequence[OrderRow]) -> Iterator[str]:
    """Families with structure of which an order is not proven."""
    for row in rows:
        if row.optimal < row.networks and row.family not in UNPROVEN:
            yield f"{row.family} of {row.operators}: {row.optimal} of {row.networks} orders proven"


def plan_misses(rows: Sequence[PlanRow]) -> Iterator[str]:
    """Compilations that take too long."""
    for row in rows:
        most = _MOST_SECONDS.get(row.network)
        if most is not None and row.seconds > most:
            yield f"{row.network}: {row.seconds:.1f} s > {most:.0f} s"


def _order_table(rows: Sequence[OrderRow]) -> str:
    header = ["family", "operators", "networks", "optimal", "largest gap", "saved", "seconds"]
    lines = [
        [
            row.family,
            thousands(row.operators),
            thousands(row.networks),
            f"{row.optimal / row.networks:.0%}",
            f"{row.gap:.1%}",
            f"{row.saved:.0%}",
            f"{row.seconds:.2f}",
        ]
        for row in rows
    ]
    return table(header, lines) if rows else ""


def _plan_table(rows: Sequence[PlanRow]) -> str:
    header = ["network", "operators", "budget", "arena", "status", "seconds", "longest"]
    lines = [
        [
            row.network,
            thousands(row.operators),
            "any" if row.budget is None else thousands(row.budget),
            thousands(row.arena),
            row.status,
            f"{row.seconds:.2f}",
            row.longest,
        ]
        for row in rows
    ]
    return table(header, lines) if rows else ""
