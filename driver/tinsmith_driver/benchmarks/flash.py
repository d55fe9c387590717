"""Flash of weights: networks without dead channels, and with compressed constants, and what that costs.

The first row of a network is as its file has it: channels that change no output are computed, and constants are as
kernels read them. `of the file's` and `times` are ratios to it. Then without dead channels, which is the default, and
with codes for the constants of the file: `flash` is what `--flash` says. Outputs are compared with the evaluator's.
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace

from tinsmith_ir import DoesNotFitError

from tinsmith_driver.benchmarks.result import BenchmarkResult
from tinsmith_driver.benchmarks.subjects import compared, tiny
from tinsmith_driver.options import CompileOptions, selection
from tinsmith_driver.pipelines import compile_model
from tinsmith_driver.progress import progress
from tinsmith_driver.table import table, thousands

_TIMEOUT_SECONDS = 300
_SAMPLES = 4
_TARGETS = ("cortex-m4", "cortex-m55")
_CHANNELS = ("fold-constant-channels", "remove-unused-channels")


@dataclass(frozen=True)
class Goal:
    """channels: whether dead ones are computed. flash: bytes that constants may take, None for any number.

    least, most: parts of the file's flash and instructions that it may take; None where nothing is demanded.
    """

    network: str
    channels: bool
    flash: int | None = None
    least: float | None = None
    most: float | None = None


GOALS = (
    Goal("vww", channels=True),
    Goal("vww", channels=False, least=0.45, most=1.10),
    Goal("vww", channels=True, flash=108_000, least=0.45, most=1.10),
    Goal("vww", channels=True, flash=92_000),
    Goal("ad", channels=True),
    Goal("ad", channels=True, flash=240_000),
    Goal("ad", channels=True, flash=200_000),
    Goal("sww", channels=True),
    Goal("sww", channels=True, flash=55_500),
    Goal("kws", channels=True),
    Goal("kws", channels=True, flash=28_700),
    Goal("ic", channels=True),
    Goal("ic", channels=True, flash=80_000),
)


@dataclass(frozen=True)
class Row:
    """What came of a goal. status: `ok`, `differs`, or `does not fit`. weights, code: bytes, the latter with other
    constants.
    """

    network: str
    target: str
    channels: bool
    flash: int | None
    least: float | None
    most: float | None
    status: str
    weights: int | None = None
    code: int | None = None
    arena: int | None = None
    instructions: int | None = None


def run(models: str | None, targets: str | None) -> BenchmarkResult:
    """Measure the chosen networks and targets (comma-separated, None for all)."""
    chosen_targets = selection(targets, _TARGETS, "target")
    chosen = selection(models, list(dict.fromkeys(goal.network for goal in GOALS)), "network")
    goals = [(goal, name) for name in chosen_targets for goal in GOALS if goal.network in chosen]
    rows: list[Row] = []
    with progress("flash", len(goals)) as bar:
        for goal, target in goals:
            bar.step(f"{goal.network} on {target}")
            rows.append(_row(goal, target))
    failures = [failure for row in rows for failure in _misses(row, _whole(rows, row))]
    return BenchmarkResult([asdict(row) for row in rows], _table(rows), failures)


def _row(goal: Goal, target: str) -> Row:
    row = Row(
        goal.network, target, goal.channels, goal.flash, goal.least, goal.most, "does not fit"
    )
    subject = tiny(goal.network)
    options = CompileOptions(
        target, without=_CHANNELS if goal.channels else (), flash_bytes=goal.flash
    )
    try:
        compilation = compile_model(subject.model, options)
    except DoesNotFitError:
        return row
    samples = subject.samples(compilation.graph, _SAMPLES)
    measured, build = compared(compilation, samples, _TIMEOUT_SECONDS)
    return replace(
        row,
        status="ok" if measured.is_right else "differs",
        weights=build.weights,
        code=build.code + build.rodata,
        arena=compilation.arena_bytes,
        instructions=measured.instructions,
    )


def _whole(rows: list[Row], row: Row) -> Row:
    """The network as its file has it."""
    return next(one for one in rows if (one.network, one.target) == (row.network, row.target))


def _ratios(row: Row, whole: Row) -> tuple[float, float] | None:
    """Flash and instructions as parts of the file's."""
    if None in (row.weights, row.instructions, whole.weights, whole.instructions):
        return None
    pairs = (row.weights, whole.weights), (row.instructions, whole.instructions)
    flash, times = ((got or 0) / (had or 1) for got, had in pairs)
    return flash, times


def _misses(row: Row, whole: Row) -> Iterator[str]:
    where = f"{row.network} on {row.target} in {_flash(row)}"
    ratios = _ratios(row, whole)
    if row.status != "ok":
        yield f"{where}: {row.status}"
    if row.flash is not None and row.weights is not None and row.weights > row.flash:
        yield f"{where}: {row.weights:,} bytes"
    if ratios is None:
        return
    for got, at_most, what in zip(
        ratios, (row.least, row.most), ("of the flash", "times the instructions"), strict=True
    ):
        if at_most is not None and got > at_most:
            yield f"{where}: {got:.3f} {what}, at most {at_most}"


def _flash(row: Row) -> str:
    return "any flash" if row.flash is None else f"{row.flash:,} bytes"


def _table(rows: list[Row]) -> str:
    header = [
        *(
            "network",
            "target",
            "channels",
            "flash",
            "status",
            "weights",
            "of the file's",
            "at most",
        ),
        *("code", "arena", "instructions", "times", "at most"),
    ]
    return table(header, [_line(row, _whole(rows, row)) for row in rows])


def _line(row: Row, whole: Row) -> list[str]:
    ratios = _ratios(row, whole)
    flash, times = ("-", "-") if ratios is None else (f"{ratio:.3f}" for ratio in ratios)
    least, most = ("-" if one is None else f"{one:.2f}" for one in (row.least, row.most))
    weights, code, arena, instructions = (
        thousands(size) for size in (row.weights, row.code, row.arena, row.instructions)
    )
    return [
        row.network,
        row.target,
        "all" if row.channels else "live",
        "any" if row.flash is None else thousands(row.flash),
        row.status,
        weights,
        flash,
        least,
        code,
        arena,
        instructions,
        times,
        most,
    ]
