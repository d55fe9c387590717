"""`tinsmith bench diana-assumptions`: what is not known of DIANA, both ways.

HTVM's four networks on the simulated chip, with each constant of its description that is an assumption at other values,
and with features that its digital array may have or not, by code that uses them. Code is compiled once for each set of
features, and once more nothing: an image runs on all descriptions. Every output byte is the evaluator's.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace

import numpy as np

from tinsmith_driver.benchmarks.assumptions import (
    AS_IT_IS,
    BOUND,
    AssumptionRow,
    constants_text,
    features_text,
    settings,
)
from tinsmith_driver.benchmarks.diana import SETUPS, Setup, passes_of
from tinsmith_driver.benchmarks.diana_layers import (
    ANALOG,
    BOTH,
    DIGITAL,
    TARGET,
    compiled,
    with_chip,
)
from tinsmith_driver.benchmarks.diana_rows import OUR_SCHEDULE
from tinsmith_driver.benchmarks.htvm_networks import NETWORKS
from tinsmith_driver.benchmarks.htvm_schedule import cycles_of
from tinsmith_driver.benchmarks.result import BenchmarkResult
from tinsmith_driver.benchmarks.subjects import made_model, wrong_bytes
from tinsmith_driver.build import Build, built
from tinsmith_driver.compilation import Compilation
from tinsmith_driver.inputs import Samples, random_samples
from tinsmith_driver.options import selection
from tinsmith_driver.plugins import registry
from tinsmith_driver.progress import progress
from tinsmith_driver.running import Measurement, compare, run_samples, traced
from tinsmith_driver.traces import tracks_of

_SEED = 0
_TIMEOUT_SECONDS = 600

_LISTS, _LOOPS, _WHOLE = "instruction-lists", "channel-loops", "whole-vectors"
_ALL = (_WHOLE, _LISTS, _LOOPS)
_FEATURES: Mapping[str, Sequence[tuple[str, ...]]] = {
    DIGITAL: ((_WHOLE,), (_LISTS,), (_LOOPS,), (_WHOLE, _LISTS), _ALL),
    BOTH: (_ALL,),
}
"""Sets of them, by engines: each alone, and one after the other."""

_JOB_PARTS = ("weights ", "compute ")
"""How a trace calls what of a job is neither its set-up nor a copy."""


@dataclass(frozen=True)
class _Subject:
    name: str
    setup: Setup

    def compiled(self, features: Sequence[str]) -> Compilation:
        model = made_model(self.setup.networks[self.name](_SEED))
        target = "+".join((TARGET, *features))
        return compiled(model, self.setup.engines, passes_of(self.name, self.setup), target)


def run(models: str | None, targets: str | None) -> BenchmarkResult:
    """Measure the chosen networks (comma-separated, None for all). Raises UsageError for other targets than DIANA."""
    selection(targets, (TARGET,), "target")
    chosen = selection(models, list(NETWORKS), "network")
    subjects = [
        _Subject(name, setup)
        for setup in SETUPS
        for name in chosen
        if setup.schedule == OUR_SCHEDULE and setup.engines in _FEATURES
    ]
    steps = sum(1 + len(_FEATURES[subject.setup.engines]) for subject in subjects)
    constants: list[AssumptionRow] = []
    features: list[AssumptionRow] = []
    with progress("diana-assumptions", steps) as bar:
        for subject in subjects:
            bar.step(f"{subject.name}, {subject.setup.engines}")
            found = _with_constants(subject)
            constants += found
            features += [row for row in found if row.title in (AS_IT_IS, BOUND)]
            base = found[0] if found else None
            for chosen_features in _FEATURES[subject.setup.engines]:
                bar.step(f"{subject.name}, {subject.setup.engines}, {', '.join(chosen_features)}")
                if base is not None:
                    features.append(_with_features(subject, chosen_features, base))
    return _result(constants, features)


def _result(
    constants: Sequence[AssumptionRow], features: Sequence[AssumptionRow]
) -> BenchmarkResult:
    clock_hz = registry().target(TARGET).board.clock_hz
    simulated = [row for row in constants if row.title != BOUND]
    ordered = sorted(features, key=lambda row: (row.title == BOUND, len(row.features)))
    return BenchmarkResult(
        [asdict(row) for row in (*constants, *(row for row in features if row.features))],
        "\n\n".join([constants_text(simulated), features_text(ordered, clock_hz)]),
        list(_misses([*constants, *features])),
    )


def _misses(rows: Sequence[AssumptionRow]) -> Iterator[str]:
    """Wrong bytes; and features that cost what uses them."""
    for row in rows:
        if not row.bit_exact:
            yield f"{row.column}, {row.title}: outputs differ from the evaluator's"
        if row.features and row.percent > 0:
            yield f"{row.column}, {row.title}: {row.percent:.1f} % more than without"


def _with_constants(subject: _Subject) -> list[AssumptionRow]:
    """As it is, at each other value of a constant, and the bound; nothing where both engines are the digital one."""
    compilation = subject.compiled(())
    devices = _devices(compilation)
    if subject.setup.engines == BOTH and ANALOG not in devices:
        return []
    samples = random_samples(compilation.graph, 1)
    with built(compilation) as build:
        found = compare(_measured(build, compilation, samples, {}), compilation.reference)
        base = _row(subject, found, wrong_bytes(found) == 0)
        rows = [base]
        for title, why, constants in settings(devices):
            other = _measured(build, compilation, samples, constants)
            row = _row(subject, other, base.bit_exact and _same_outputs(found, other), base.cycles)
            rows.append(replace(row, title=title, why=why, constants=constants))
        trace = traced(build, samples, _TIMEOUT_SECONDS)
    cycles = _job_cycles(trace)
    bound = replace(base, title=BOUND, why="", cycles=cycles, percent=_percent(cycles, base.cycles))
    return [*rows, bound]


def _with_features(
    subject: _Subject, features: tuple[str, ...], base: AssumptionRow
) -> AssumptionRow:
    """By code that uses them, on a chip that has them."""
    compilation = subject.compiled(features)
    samples = random_samples(compilation.graph, 1)
    with built(compilation) as build:
        found = compare(_measured(build, compilation, samples, {}), compilation.reference)
    row = _row(subject, found, wrong_bytes(found) == 0, base.cycles)
    return replace(row, title=", ".join(features), features=features)


def _row(
    subject: _Subject, found: Measurement, bit_exact: bool, base: int | None = None
) -> AssumptionRow:
    cycles = found.cycles or 0
    return AssumptionRow(
        subject.name,
        subject.setup.engines,
        AS_IT_IS,
        "",
        {},
        (),
        cycles,
        _percent(cycles, base or cycles),
        bit_exact,
    )


def _percent(cycles: int, base: int) -> float:
    return round(100 * (cycles / base - 1), 2)


def _measured(
    build: Build, compilation: Compilation, samples: Samples, constants: Mapping[str, int]
) -> Measurement:
    """One inference on the chip with these constants of its description."""
    chip = with_chip(build, constants)
    return run_samples(chip, compilation.graph, [samples], _TIMEOUT_SECONDS)


def _same_outputs(one: Measurement, other: Measurement) -> bool:
    pairs = zip(one.groups, other.groups, strict=True)
    return all(
        np.array_equal(a, b)
        for first, second in pairs
        for a, b in zip(first.outputs, second.outputs, strict=True)
    )


def _devices(compilation: Compilation) -> list[str]:
    """Arrays that compute calls of the program."""
    kernels = {call.kernel for call in compilation.program.calls}
    return [
        array
        for array in (DIGITAL, ANALOG)
        if any(f"tinsmith_diana_{array}" in kernel for kernel in kernels)
    ]


def _job_cycles(trace: bytes) -> int:
    tracks = tracks_of(trace)
    return sum(
        cycles_of(span for span in tracks.get(array, []) if span.name.startswith(_JOB_PARTS))
        for array in (DIGITAL, ANALOG)
    )
