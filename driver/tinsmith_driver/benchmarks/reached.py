"""What was reached: figures of every row of a benchmark, committed as data, which none may exceed by much.

    ./tinsmith bench mlperf-tiny --json rows.json && python -m tinsmith_driver.benchmarks.reached mlperf-tiny rows.json

takes what a run measured, and so for `pulp-kernels`. A rise over one percent is a miss of the benchmark and of its
tests; so is a fall of the file that nobody looked at, as its change stands in the commit.
"""

import json
import sys
from collections.abc import Callable, Iterable, Mapping
from importlib.resources import files
from pathlib import Path

FIGURES = ("instructions", "arena", "code_rodata")
AT_MOST = 1.01

Rows = Iterable[Mapping[str, object]]
"""Those that a benchmark's `--json` has."""
Reached = Mapping[str, Mapping[str, Mapping[str, int]]]
"""Network -> target -> figure, or kernel -> shape -> figure: what it was."""


def read_reached(benchmark: str = "mlperf-tiny") -> Reached:
    """The committed figures."""
    path = files("tinsmith_driver.benchmarks").joinpath(_file(benchmark))
    return json.loads(path.read_text(encoding="utf-8"))


def risen(figures: Mapping[str, int | None], reached: Mapping[str, int]) -> list[str]:
    """The figures that are more than one percent above what was reached, each as a line for people."""
    return [
        f"{name} {got} > {AT_MOST} * {reached[name]}, what was reached before"
        for name, got in figures.items()
        if got is not None and name in reached and got > AT_MOST * reached[name]
    ]


def as_reached(rows: Rows) -> dict[str, dict[str, dict[str, int]]]:
    """The figures of the rows of `mlperf-tiny` that ran."""
    found: dict[str, dict[str, dict[str, int]]] = {}
    for row in rows:
        known = {name: row[name] for name in FIGURES}
        figures = {name: value for name, value in known.items() if isinstance(value, int)}
        if row["status"] == "ok" and figures:
            found.setdefault(str(row["network"]), {})[str(row["target"])] = figures
    return found


def cycles_as_reached(rows: Rows) -> dict[str, dict[str, dict[str, int]]]:
    """The cycles of the rows of `pulp-kernels`, by number of cores."""
    found: dict[str, dict[str, dict[str, int]]] = {}
    for row in rows:
        figures = found.setdefault(str(row["kernel"]), {}).setdefault(str(row["shape"]), {})
        cycles = row["cycles"]
        if not isinstance(cycles, int):
            raise TypeError(f"expected cycles of {row['kernel']}, got {cycles!r}")
        figures[on_cores(row["cores"])] = cycles
    return found


def on_cores(cores: object) -> str:
    """The name of the cycles on so many cores."""
    return f"cycles on {cores}"


_BENCHMARKS: Mapping[str, Callable[[Rows], object]] = {
    "mlperf-tiny": as_reached,
    "pulp-kernels": cycles_as_reached,
}


def _file(benchmark: str) -> str:
    return f"{benchmark.replace('-', '_')}_reached.json"


def main(benchmark: str, path: str) -> None:
    """Write the file anew from a run's JSON."""
    rows = json.loads(Path(path).read_text(encoding="utf-8"))["rows"]
    text = json.dumps(_BENCHMARKS[benchmark](rows), indent=2, sort_keys=True)
    (Path(__file__).parent / _file(benchmark)).write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
