"""Networks in fast and slow memory: bytes that an inference moves to and from the slow one.

A row is a network on Cortex-M4 with a budget of fast memory, kernels' scratch included, beside a slow memory that holds
anything. `at most` is half of what TiGrIS (PyPI `tigris-ml` 0.12.1, `analyze -m FAST+8M`) moves with as much fast
memory, without scratch, and 0 where a plan whose rows stream fits fast memory alone. All outputs are compared with the
evaluator's.
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace

from tinsmith_ir import DoesNotFitError

from tinsmith_driver.benchmarks.result import BenchmarkResult
from tinsmith_driver.benchmarks.subjects import compared, tiny
from tinsmith_driver.options import CompileOptions, selection
from tinsmith_driver.passes import PassChoice
from tinsmith_driver.pipelines import compile_model
from tinsmith_driver.progress import progress
from tinsmith_driver.table import table, thousands

_TIMEOUT_SECONDS = 300
_SAMPLES = 4
_KIB = 1024
_TARGET = "cortex-m4"
_FAST, _SLOW = "fast", "slow"
_SLOW_BYTES = 8 * _KIB * _KIB


@dataclass(frozen=True)
class Goal:
    """KiB of fast memory, and KiB that may be moved. streamed: inputs are asked for."""

    network: str
    fast: int
    at_most: float
    streamed: bool = False


GOALS = (
    Goal("kws", 4, 63.5 / 2),
    Goal("kws", 8, 0),
    Goal("kws", 16, 0),
    Goal("vww", 4, 431.4 / 2),
    Goal("vww", 8, 345.9 / 2),
    Goal("vww", 16, 0, streamed=True),
    Goal("vww", 32, 0),
    Goal("ic", 4, 295.8 / 2),
    Goal("ic", 8, 253.4 / 2),
    Goal("ic", 16, 0),
    Goal("ic", 32, 0),
)


@dataclass(frozen=True)
class Row:
    """What came of a goal. status: `ok`, `differs`, or `does not fit`. moved: bytes."""

    network: str
    streamed: bool
    fast: int
    at_most: float
    status: str
    moved: int | None = None
    fast_arena: int | None = None
    slow_arena: int | None = None
    instructions: int | None = None


def run(models: str | None, targets: str | None) -> BenchmarkResult:
    """Measure the chosen networks (comma-separated, None for all)."""
    selection(targets, [_TARGET], "target")
    chosen = selection(models, list(dict.fromkeys(goal.network for goal in GOALS)), "network")
    goals = [goal for goal in GOALS if goal.network in chosen]
    rows: list[Row] = []
    with progress("spills", len(goals)) as bar:
        for goal in goals:
            bar.step(f"{goal.network} in {goal.fast} KiB")
            rows.append(_row(goal))
    failures = [failure for row in rows for failure in _misses(row)]
    return BenchmarkResult([asdict(row) for row in rows], _table(rows), failures)


def _row(goal: Goal) -> Row:
    row = Row(goal.network, goal.streamed, goal.fast, goal.at_most, "does not fit")
    subject = tiny(goal.network)
    memories = ((_FAST, goal.fast * _KIB), (_SLOW, _SLOW_BYTES))
    passes = (PassChoice("stream-inputs"),) if goal.streamed else ()
    options = CompileOptions(_TARGET, memories=memories, passes=passes)
    try:
        compilation = compile_model(subject.model, options)
    except DoesNotFitError:
        return row
    sizes = {name: plan.arena_bytes for name, plan in compilation.plans.items()}
    samples = subject.samples(compilation.graph, _SAMPLES)
    measured, _ = compared(compilation, samples, _TIMEOUT_SECONDS)
    return replace(
        row,
        status="ok" if measured.is_right else "differs",
        moved=compilation.bytes_moved,
        fast_arena=sizes.get(_FAST, 0),
        slow_arena=sizes.get(_SLOW, 0),
        instructions=measured.instructions,
    )


def _misses(row: Row) -> Iterator[str]:
    where = f"{row.network} in {row.fast} KiB of fast memory"
    if row.status != "ok":
        yield f"{where}: {row.status}"
    elif row.moved is not None and row.moved > row.at_most * _KIB:
        yield f"{where}: {row.moved / _KIB:.1f} KiB moved, at most {row.at_most:.1f}"


def _table(rows: list[Row]) -> str:
    header = [
        "network", "input", "fast KiB", "status", "moved KiB", "at most", "fast", "slow", "instructions",
    ]  # fmt: skip
    lines = [
        [
            row.network,
            "asked for" if row.streamed else "given",
            str(row.fast),
            row.status,
            "-" if row.moved is None else f"{row.moved / _KIB:.1f}",
            f"{row.at_most:.1f}",
            thousands(row.fast_arena),
            thousands(row.slow_arena),
            thousands(row.instructions),
        ]
        for row in rows
    ]
    return table(header, lines)
