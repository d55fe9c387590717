"""`tinsmith bench pulp-kernels`: cycles of the PULP kernels on the simulated cluster, how far to trust the simulator.

Programs are built from the checkout. The layers are those of kernels/pulp_nn/benchmarks; the host computes by plain
loops what each of them must give.
"""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict

from tinsmith_toolchains import temporary_folder

from tinsmith_driver.benchmarks import pulp_proof
from tinsmith_driver.benchmarks.pulp_checkout import (
    Row,
    build_layers,
    checkout,
    expected_checksums,
    measure_layers,
    select_nothing,
)
from tinsmith_driver.benchmarks.reached import on_cores, read_reached, risen
from tinsmith_driver.benchmarks.result import BenchmarkResult
from tinsmith_driver.progress import progress
from tinsmith_driver.table import table, thousands

# What must be reached, in products per cycle, by kernel and shape; on 8 cores.
BOUNDS: Mapping[tuple[str, str], float] = {
    ("loop-4x2", "k1024 16 channels"): 17.0,
    ("loop-4x4", "k1024 16 channels"): 20.0,
    ("conv-4x4-truncating", "16x16x64-64 3x3"): 15.5,
    ("conv-4x4-tflite", "16x16x64-64 3x3"): 14.5,
    ("pointwise-4x4-truncating", "25x5x64-64"): 14.0,
    ("pointwise-4x4-tflite", "25x5x64-64"): 10.0,
    ("pointwise-4x4-truncating", "6x6x128-128"): 15.5,
    ("pointwise-4x4-tflite", "6x6x128-128"): 13.0,
    # What PULP-NN's own loops reach here, had they the best compiler.
    ("conv-4x2-one-scale", "16x16x64-64 3x3"): 16.1,
    ("pointwise-4x2-one-scale", "16x16x64-64"): 12.5,
    ("depthwise-truncating", "25x5x64 3x3"): 5.0,
    ("depthwise-tflite", "25x5x64 3x3"): 2.5,
    ("depthwise-truncating", "48x48x8 3x3"): 5.0,
    ("depthwise-tflite", "48x48x8 3x3"): 2.5,
    ("linear-packed-truncating", "640-128"): 11.0,
}
_SPEEDUP = 7.6  # of 8 cores over 1

# About as many as rows come, for the bar.
_STEPS = 374


def run(models: str | None, targets: str | None) -> BenchmarkResult:
    """Measure every layer once, then the simulator itself; takes a few minutes.

    Raises UsageError for a selection, and where the checkout or the simulator is absent; BenchmarkError
    if a program that measures fails.
    """
    select_nothing("pulp-kernels", models, targets)
    root = checkout()
    with progress("pulp-kernels", _STEPS) as bar:
        _announce("layers")
        bar.step("layers")
        with temporary_folder("tinsmith-bench-") as folder:
            elf = folder / "layers.elf"
            build_layers(root, "cluster_main.c", elf)
            rows = measure_layers(elf, expected_checksums(root))
        records = [asdict(row) for row in rows]
        sections = [pulp_proof.scaling(records, _SPEEDUP)]
        _announce("random shapes")
        sections.append(pulp_proof.random_shapes(root, bar.step))
        _announce("speed of the simulator")
        sections.append(pulp_proof.speed(root, rows, bar.step))
        _announce("random programs against QEMU")
        sections.append(pulp_proof.instructions(root, bar.step))
        _announce("timing")
        sections.append(pulp_proof.timing(root, bar.step))
        _announce("CORE-V instructions on random operands")
        sections.append(pulp_proof.operands(root, bar.step))
    text = "\n\n".join([_table(rows), *(section.text for section in sections)])
    missed = [*failures(rows), *(line for section in sections for line in section.failures)]
    by_name = {section.name: section.records for section in sections}
    return BenchmarkResult(records, text, missed, by_name)


def _announce(part: str) -> None:
    """A line for who reads a log; a terminal has the bar."""
    if not sys.stderr.isatty():
        print(f"pulp-kernels: {part}", file=sys.stderr, flush=True)


def failures(rows: Sequence[Row]) -> list[str]:
    """Bounds that do not hold, wrong bytes, and cycles that rose over what was reached."""
    found = [f"{row.kernel} {row.shape}: wrong bytes" for row in rows if not row.bit_exact]
    rates = {(row.kernel, row.shape): row.macs_per_cycle for row in rows if row.cores > 1}
    for layer, bound in BOUNDS.items():
        rate = rates.get(layer)
        if rate is None:
            found.append(f"{' '.join(layer)}: not measured, must be {bound} or more")
        elif rate < bound:
            found.append(f"{' '.join(layer)}: {rate} MAC/cycle, must be {bound} or more")
    reached = read_reached("pulp-kernels")
    for row in rows:
        before = reached.get(row.kernel, {}).get(row.shape, {})
        rises = risen({on_cores(row.cores): row.cycles}, before)
        found += [f"{row.kernel} {row.shape}: {rise}" for rise in rises]
    return found


def _table(rows: Sequence[Row]) -> str:
    header = ["kernel", "shape", "cores", "cycles", "MAC/cycle", "must be", "bit-exact"]
    return table(header, [_cells(row) for row in rows])


def _cells(row: Row) -> list[str]:
    bound = BOUNDS.get((row.kernel, row.shape)) if row.cores > 1 else None
    return [
        row.kernel,
        row.shape,
        str(row.cores),
        thousands(row.cycles),
        f"{row.macs_per_cycle:.2f}",
        "-" if bound is None else f"{bound:g}",
        "yes" if row.bit_exact else "NO",
    ]
