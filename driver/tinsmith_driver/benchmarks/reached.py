"""What was reached: figures of every row of the benchmark, committed as data, which none may exceed by much.

    ./tinsmith bench mlperf-tiny --json rows.json && python -m tinsmith_driver.benchmarks.reached rows.json

takes what a run measured. A rise over one percent is a miss of the benchmark and of its tests; so is a fall of the file
that nobody looked at, as its change stands in the commit.
"""

import json
import sys
from collections.abc import Iterable, Mapping
from importlib.resources import files
from pathlib import Path

FIGURES = ("instructions", "arena", "code_rodata")
AT_MOST = 1.01
_FILE = "mlperf_tiny_reached.json"

Reached = Mapping[str, Mapping[str, Mapping[str, int]]]
"""Network -> target -> figure -> what it was."""


def read_reached() -> Reached:
    """The committed figures."""
    path = files("tinsmith_driver.benchmarks").joinpath(_FILE)
    return json.loads(path.read_text(encoding="utf-8"))


def risen(figures: Mapping[str, int | None], reached: Mapping[str, int]) -> list[str]:
    """The figures that are more than one percent above what was reached, each as a line for people."""
    return [
        f"{name} {got} > {AT_MOST} * {reached[name]}, what was reached before"
        for name, got in figures.items()
        if got is not None and name in reached and got > AT_MOST * reached[name]
    ]


def as_reached(rows: Iterable[Mapping[str, object]]) -> dict[str, dict[str, dict[str, int]]]:
    """The figures of the rows that ran; rows are those of `bench mlperf-tiny --json`."""
    found: dict[str, dict[str, dict[str, int]]] = {}
    for row in rows:
        known = {name: row[name] for name in FIGURES}
        figures = {name: value for name, value in known.items() if isinstance(value, int)}
        if row["status"] == "ok" and figures:
            found.setdefault(str(row["network"]), {})[str(row["target"])] = figures
    return found


def main(path: str) -> None:
    """Write the file anew from a run's JSON."""
    rows = json.loads(Path(path).read_text(encoding="utf-8"))["rows"]
    text = json.dumps(as_reached(rows), indent=2, sort_keys=True)
    (Path(__file__).parent / _FILE).write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
