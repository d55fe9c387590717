"""`tinsmith bench pulp-sensitivity`: which constant of the timing model each number of the PULP kernels leans on most.

Every layer is run again with one constant changed: a time by one cycle more, a size or a number of banks doubled.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from tinsmith_soc import chip
from tinsmith_toolchains import temporary_folder

from tinsmith_driver.benchmarks.pulp_checkout import (
    CHIP,
    Row,
    build_layers,
    checkout,
    expected_checksums,
    measure_layers,
    select_nothing,
)
from tinsmith_driver.benchmarks.result import BenchmarkResult
from tinsmith_driver.progress import progress
from tinsmith_driver.table import table, thousands

_TIMES = (
    "branch_taken",
    "jump",
    "multiply",
    "multiply_high",
    "divide_base",
    "load_use",
    "misaligned",
    "csr_slow",
    "event_load",
    "l2_cluster",
    "peripheral",
    "icache_l0_miss",
    "icache_l1_miss",
    "barrier",
    "event_wake",
    "dispatch_wake",
)
_SIZES = ("l1_banks", "icache_l0_sets", "icache_l0_ways", "icache_l1_sets", "icache_l1_ways")
_SHOWN = 3


@dataclass(frozen=True)
class Change:
    """percent: how much more cycles a layer takes with the constant's other value."""

    kernel: str
    shape: str
    cores: int
    constant: str
    value: int
    changed_to: int
    percent: float

    @property
    def text(self) -> str:
        return f"{self.constant} {self.value} -> {self.changed_to}: {self.percent:+.1f} %"


def run(models: str | None, targets: str | None) -> BenchmarkResult:
    """Measure every layer with each constant changed in turn.

    Raises UsageError for a selection, and where the checkout or the simulator is absent; BenchmarkError
    if a program fails.
    """
    select_nothing("pulp-sensitivity", models, targets)
    root = checkout()
    values = constants(chip(CHIP))
    changed = {name: values[name] + 1 for name in _TIMES}
    changed |= {name: values[name] * 2 for name in _SIZES}
    with temporary_folder("tinsmith-bench-") as folder, progress("pulp-sensitivity", 22) as bar:
        elf = folder / "layers.elf"
        build_layers(root, "cluster_main.c", elf)
        checksums = expected_checksums(root)
        bar.step("as they are")
        rows = measure_layers(elf, checksums)
        changes: list[Change] = []
        for name, value in changed.items():
            bar.step(name)
            others = measure_layers(elf, checksums, "--set", f"{name}={value}")
            changes += _changes(rows, others, name, values[name], value)
    wrong = [f"{row.kernel} {row.shape}: wrong bytes" for row in rows if not row.bit_exact]
    return BenchmarkResult([asdict(change) for change in changes], _table(rows, changes), wrong)


def constants(path: Path) -> Mapping[str, int]:
    """The numbers of a chip's description, with those of the one that it is based on."""
    text = path.read_text(encoding="utf-8")
    base = re.search(r"^base (\S+)", text, re.MULTILINE)
    values = dict(constants(path.parent / base[1])) if base else {}
    own = re.findall(r"^(\w+) = (\w+)", text, re.MULTILINE)
    return values | {name: int(value, 0) for name, value in own}


def _changes(
    rows: Sequence[Row], others: Sequence[Row], constant: str, value: int, changed_to: int
) -> list[Change]:
    pairs = zip(rows, others, strict=True)
    return [
        Change(
            row.kernel,
            row.shape,
            row.cores,
            constant,
            value,
            changed_to,
            round(100 * (other.cycles / row.cycles - 1), 2),
        )
        for row, other in pairs
    ]


def _table(rows: Sequence[Row], changes: Sequence[Change]) -> str:
    """Of each layer the constants that change it most."""
    header = ["kernel", "shape", "cores", "cycles", "most", "then", "and"]
    return table(header, [_cells(row, changes) for row in rows])


def _cells(row: Row, changes: Sequence[Change]) -> list[str]:
    key = (row.kernel, row.shape, row.cores)
    own = [change for change in changes if (change.kernel, change.shape, change.cores) == key]
    most = sorted(own, key=lambda change: -abs(change.percent))[:_SHOWN]
    return [row.kernel, row.shape, str(row.cores), thousands(row.cycles), *(c.text for c in most)]
