"""Networks in less memory than whole tensors take: what fits, and what it costs in instructions and in flash.

A row is a network on a target with a budget for its arena, scratch included; its instructions are compared with those
of whole tensors of the same compiler. All outputs are compared with the evaluator's, and with those of TFLite's
reference kernels where there are any.
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace

from tinsmith_ir import DoesNotFitError

from tinsmith_driver.benchmarks.mobilenet_v2 import mobilenet_v2
from tinsmith_driver.benchmarks.result import BenchmarkResult
from tinsmith_driver.benchmarks.subjects import Subject, compared, made_model, tiny
from tinsmith_driver.compilation import Compilation
from tinsmith_driver.options import CompileOptions, selection
from tinsmith_driver.passes import PassChoice, shrinking_names
from tinsmith_driver.pipelines import compile_model
from tinsmith_driver.progress import progress
from tinsmith_driver.table import table, thousands

_TIMEOUT_SECONDS = 300
_SAMPLES, _RANDOM_SAMPLES = 8, 2
_ADDED_CODE = 4096
_MOBILENET = "mobilenet_v2"


@dataclass(frozen=True)
class Goal:
    """A budget in bytes, and how many times the instructions of whole tensors it may cost.

    streamed: inputs are asked for.
    """

    network: str
    target: str
    ram: int
    at_most: float
    streamed: bool = False


GOALS = (
    Goal("kws", "cortex-m4", 9_400, 1.02),
    Goal("kws", "cortex-m4", 6_500, 1.5),
    Goal("vww", "cortex-m4", 28_500, 1.05),
    Goal("vww", "cortex-m4", 20_500, 1.05, streamed=True),
    Goal("vww", "cortex-m4", 16_000, 1.10, streamed=True),
    Goal("ic", "cortex-m4", 18_000, 1.05),
    Goal("sww", "cortex-m4", 3_900, 1.05),
    Goal("ad", "cortex-m4", 768, 1.00),
    Goal("kws", "cortex-m55", 10_500, 1.05),
    Goal("kws", "cortex-m55", 9_000, 1.30),
    Goal("vww", "cortex-m55", 28_500, 1.05),
    Goal("vww", "cortex-m55", 20_500, 1.05, streamed=True),
    Goal("ic", "cortex-m55", 19_500, 1.05),
    Goal("sww", "cortex-m55", 5_300, 1.05),
    Goal("ad", "cortex-m55", 768, 1.00),
    Goal(_MOBILENET, "cortex-m4", 64_000, 1.05),
    Goal(_MOBILENET, "cortex-m4", 25_000, 1.05, streamed=True),
    Goal(_MOBILENET, "cortex-m4", 16_000, 1.30, streamed=True),
)


@dataclass(frozen=True)
class Row:
    """What came of a goal. status: `ok`, `differs`, or `does not fit`. added_bytes: code and constants beside weights
    that whole tensors do without.
    """

    network: str
    target: str
    streamed: bool
    budget: int
    status: str
    arena: int | None = None
    whole_arena: int | None = None
    instructions: int | None = None
    times: float | None = None
    at_most: float = 0.0
    added_bytes: int | None = None
    needed: int | None = None


@dataclass(frozen=True)
class _Figures:
    arena: int
    instructions: int
    code_rodata: int
    is_right: bool


def run(models: str | None, targets: str | None) -> BenchmarkResult:
    """Measure the chosen networks on the chosen targets (comma-separated, None for all)."""
    names = list(dict.fromkeys(goal.network for goal in GOALS))
    chosen = selection(models, names, "network")
    boards = selection(targets, list(dict.fromkeys(goal.target for goal in GOALS)), "target")
    goals = [goal for goal in GOALS if goal.network in chosen and goal.target in boards]
    rows: list[Row] = []
    whole: dict[tuple[str, str], _Figures] = {}
    with progress("memory", len(goals)) as bar:
        for goal in goals:
            bar.step(f"{goal.network} on {goal.target} in {thousands(goal.ram)} bytes")
            subject = _subject(goal.network)
            pair = goal.network, goal.target
            if pair not in whole:
                whole[pair] = _figures(subject, _whole(subject, goal))
            rows.append(_row(goal, subject, whole[pair]))
    failures = [failure for row in rows for failure in _misses(row)]
    return BenchmarkResult([asdict(row) for row in rows], _table(rows), failures)


def _subject(network: str) -> Subject:
    return Subject(made_model(mobilenet_v2(144, 0.35))) if network == _MOBILENET else tiny(network)


def _whole(subject: Subject, goal: Goal) -> Compilation:
    """In any memory, no tensor being cut."""
    options = CompileOptions(goal.target, without=tuple(shrinking_names()))
    return compile_model(subject.model, options)


def _fitted(subject: Subject, goal: Goal) -> Compilation:
    """Within the budget. Raises DoesNotFitError."""
    options = CompileOptions(goal.target, ram_bytes=goal.ram)
    if goal.streamed:
        options = replace(options, passes=(PassChoice("stream-inputs"),))
    return compile_model(subject.model, options)


def _figures(subject: Subject, compilation: Compilation) -> _Figures:
    """Run and compare."""
    count = _SAMPLES if subject.inputs else _RANDOM_SAMPLES
    samples = subject.samples(compilation.graph, count)
    measurement, build = compared(compilation, samples, _TIMEOUT_SECONDS)
    return _Figures(
        compilation.arena_bytes,
        measurement.instructions or 0,
        build.code + build.rodata,
        measurement.is_right,
    )


def _row(goal: Goal, subject: Subject, whole: _Figures) -> Row:
    row = Row(
        goal.network,
        goal.target,
        goal.streamed,
        goal.ram,
        "does not fit",
        whole_arena=whole.arena,
        at_most=goal.at_most,
    )
    try:
        found = _figures(subject, _fitted(subject, goal))
    except DoesNotFitError as error:
        return replace(row, needed=error.needed_bytes)
    return replace(
        row,
        status="ok" if found.is_right else "differs",
        arena=found.arena,
        instructions=found.instructions,
        times=found.instructions / whole.instructions,
        added_bytes=found.code_rodata - whole.code_rodata,
    )


def _misses(row: Row) -> Iterator[str]:
    where = f"{row.network} on {row.target} in {thousands(row.budget)} bytes"
    if row.status != "ok":
        needed = f": needed {thousands(row.needed)} bytes" if row.needed else ""
        yield f"{where}: {row.status}{needed}"
        return
    if row.times is not None and row.times > row.at_most + 5e-4:
        yield f"{where}: {row.times:.3f} times the instructions, at most {row.at_most:.2f}"
    if row.added_bytes is not None and row.added_bytes > _ADDED_CODE:
        yield f"{where}: {thousands(row.added_bytes)} bytes of code more, at most {thousands(_ADDED_CODE)}"


def _table(rows: list[Row]) -> str:
    header = [
        "network", "target", "input", "budget", "status", "arena", "whole", "instructions", "times",
        "at most", "code more",
    ]  # fmt: skip
    lines = [
        [
            row.network,
            row.target,
            "asked for" if row.streamed else "given",
            thousands(row.budget),
            row.status,
            thousands(row.arena),
            thousands(row.whole_arena),
            thousands(row.instructions),
            "-" if row.times is None else f"{row.times:.3f}",
            f"{row.at_most:.2f}",
            thousands(row.added_bytes),
        ]
        for row in rows
    ]
    return table(header, lines)
