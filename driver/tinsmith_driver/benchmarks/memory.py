"""Networks in less memory than whole tensors take: what fits, and what it costs in instructions and in flash.

A row is a network on a target with a budget for its arena, scratch included; its instructions are compared with those
of whole tensors of the same compiler. All outputs are compared with the evaluator's, and with those of TFLite's
reference kernels where there are any.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from tinsmith_ir import DoesNotFitError

from tinsmith_driver.benchmarks.mlperf_tiny import Network, network_files, read_baseline
from tinsmith_driver.benchmarks.mobilenet_v2 import mobilenet_v2
from tinsmith_driver.benchmarks.result import BenchmarkResult
from tinsmith_driver.build import built
from tinsmith_driver.inputs import Samples, load_samples, random_samples
from tinsmith_driver.options import CompileOptions, selection
from tinsmith_driver.passes import PassChoice, shrinking_names
from tinsmith_driver.pipelines import Compilation, Model, compile_model, read_model
from tinsmith_driver.progress import progress
from tinsmith_driver.running import compare, run_samples
from tinsmith_driver.table import table, thousands

_TIMEOUT_SECONDS = 300
_SAMPLES = 8
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
            subject = _Subject(goal)
            pair = goal.network, goal.target
            if pair not in whole:
                whole[pair] = subject.figures(subject.whole())
            rows.append(_row(goal, subject, whole[pair]))
    failures = [failure for row in rows for failure in _misses(row)]
    return BenchmarkResult([asdict(row) for row in rows], _table(rows), failures)


class _Subject:
    """A network on a target."""

    def __init__(self, goal: Goal) -> None:
        self._goal = goal
        if goal.network == _MOBILENET:
            graph = mobilenet_v2(144, 0.35)
            sha256 = hashlib.sha256(graph.name.encode()).hexdigest()
            self._model = Model(Path(f"{graph.name}.tsm"), "tsm", sha256, graph)
            self._inputs: Path | None = None
        else:
            network: Network = read_baseline()[0][goal.network]
            path, self._inputs = network_files(network)
            self._model = read_model(path, network.name)

    def whole(self) -> Compilation:
        """In any memory, no tensor being cut."""
        return compile_model(
            self._model, CompileOptions(self._goal.target, without=tuple(shrinking_names()))
        )

    def fitted(self) -> Compilation:
        """Within the budget. Raises DoesNotFitError."""
        options = CompileOptions(self._goal.target, ram_bytes=self._goal.ram)
        if self._goal.streamed:
            options = replace(options, passes=(PassChoice("stream-inputs"),))
        return compile_model(self._model, options)

    def figures(self, compilation: Compilation) -> _Figures:
        """Run and compare."""
        with built(compilation) as build:
            measurement = run_samples(
                build, compilation.graph, self._samples(compilation), _TIMEOUT_SECONDS
            )
            measurement = compare(measurement, compilation.reference)
            return _Figures(
                compilation.arena_bytes,
                measurement.instructions or 0,
                build.code + build.rodata,
                measurement.is_right,
            )

    def _samples(self, compilation: Compilation) -> list[Samples]:
        if self._inputs is None:
            return [random_samples(compilation.graph, 2)]
        return load_samples(self._inputs, compilation.graph, _SAMPLES)


def _row(goal: Goal, subject: _Subject, whole: _Figures) -> Row:
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
        found = subject.figures(subject.fitted())
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
            "-" if row.arena is None else thousands(row.arena),
            "-" if row.whole_arena is None else thousands(row.whole_arena),
            "-" if row.instructions is None else thousands(row.instructions),
            "-" if row.times is None else f"{row.times:.3f}",
            f"{row.at_most:.2f}",
            "-" if row.added_bytes is None else thousands(row.added_bytes),
        ]
        for row in rows
    ]
    return table(header, lines)
