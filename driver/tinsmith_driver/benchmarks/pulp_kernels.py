"""Cycles of the PULP kernels on the simulated cluster: `tinsmith bench pulp-kernels`.

Programs are built from the checkout. The layers are those of
kernels/pulp_nn/benchmarks; the host computes by plain loops what each of them must give.
"""

import os
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from tinsmith_ir import UsageError
from tinsmith_soc import chip, simulator
from tinsmith_toolchains import build_cluster_program, find_program

from tinsmith_driver.benchmarks.result import BenchmarkResult
from tinsmith_driver.table import table, thousands

# Siracusa's first-level memory: the convolution does not fit PULP-open's.
_L1_BYTES = 256 * 1024

# What must be reached, in products per cycle, by kernel and shape; on 8 cores.
_BOUNDS: Mapping[tuple[str, str], float] = {
    ("loop-4x2", "k1024 16 channels"): 17.0,
    ("loop-4x4", "k1024 16 channels"): 20.0,
    ("conv-4x4-truncating", "16x16x64-64 3x3"): 15.5,
    ("conv-4x4-tflite", "16x16x64-64 3x3"): 14.5,
    ("pointwise-4x4-truncating", "25x5x64-64"): 14.0,
    ("pointwise-4x4-tflite", "25x5x64-64"): 10.0,
    ("pointwise-4x4-truncating", "6x6x128-128"): 15.5,
    ("pointwise-4x4-tflite", "6x6x128-128"): 13.0,
    ("depthwise-truncating", "25x5x64 3x3"): 5.0,
    ("depthwise-tflite", "25x5x64 3x3"): 2.5,
    ("depthwise-truncating", "48x48x8 3x3"): 5.0,
    ("depthwise-tflite", "48x48x8 3x3"): 2.5,
    ("linear-packed-truncating", "640-128"): 11.0,
}


@dataclass(frozen=True)
class Row:
    """One layer. bit_exact: its output has the checksum of the plain loops' output.

    macs_per_cycle: of sums and pools the elements of their inputs per cycle.
    """

    kernel: str
    shape: str
    cores: int
    cycles: int
    macs_per_cycle: float
    bit_exact: bool


def run(models: str | None, targets: str | None) -> BenchmarkResult:
    """Measure every layer once; the simulator gives the same cycles every time.

    Raises UsageError for a selection, and where the checkout is absent.
    """
    if models or targets:
        raise UsageError("pulp-kernels takes neither --models nor --targets")
    root = _checkout()
    with tempfile.TemporaryDirectory() as folder:
        expected = _expected(root, Path(folder) / "expected")
        lines = _measured(root, Path(folder) / "kernels.elf")
    rows = [_row(line, checksum) for line, checksum in zip(lines, expected, strict=True)]
    return BenchmarkResult([asdict(row) for row in rows], _table(rows), _failures(rows))


def _checkout() -> Path:
    """The sources, which no wheel holds."""
    workspace = os.environ.get("BUILD_WORKSPACE_DIRECTORY")
    folders = [Path(workspace)] if workspace else list(Path(__file__).resolve().parents)
    for folder in folders:
        if (folder / "kernels/pulp_nn/benchmarks").is_dir():
            return folder
    raise UsageError("pulp-kernels measures the kernels of a checkout, and this is none")


def _cases(library: Path) -> list[Path]:
    return sorted((library / "benchmarks").glob("*cases.c"))


def _expected(root: Path, program: Path) -> list[str]:
    """Checksums of the outputs by plain loops, compiled and run on the host."""
    library = root / "kernels/pulp_nn"
    sources = [*_cases(library), library / "benchmarks/host_main.c"]
    sources += [library / "tests/oracle.c", *sorted((library / "src").glob("*.c"))]
    compiler = str(find_program("gcc", "gcc"))
    options = ["-std=c11", "-O2", "-DTINSMITH_PULP_ORACLE", f"-I{library}", "-o", str(program)]
    subprocess.run([compiler, *options, *map(str, sources)], check=True)
    return _output([str(program)])


def _measured(root: Path, elf: Path) -> list[str]:
    library = root / "kernels/pulp_nn"
    sources = [*_cases(library), library / "benchmarks/cluster_main.c"]
    build_cluster_program(
        [*sources, *sorted((library / "src").glob("*.c"))],
        elf,
        runtime=root / "platforms/simulators/runtime",
        include_directories=[library],
        l1_bytes=_L1_BYTES,
    )
    options = ["--chip", str(chip("pulp-open")), "--set", f"l1_bytes={_L1_BYTES}"]
    return _output([str(simulator()), *options, str(elf)])


def _output(command: Sequence[str]) -> list[str]:
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return done.stdout.splitlines()


def _row(line: str, checksum: str) -> Row:
    kernel, shape, cores, cycles, macs, found = line.split(",")
    rate = round(int(macs) / int(cycles), 2)
    return Row(kernel, shape, int(cores), int(cycles), rate, found == checksum)


def _failures(rows: Sequence[Row]) -> list[str]:
    failures = [f"{row.kernel} {row.shape}: wrong bytes" for row in rows if not row.bit_exact]
    for row in rows:
        bound = _BOUNDS.get((row.kernel, row.shape), 0.0)
        if row.cores > 1 and row.macs_per_cycle < bound:
            rate = f"{row.macs_per_cycle} MAC/cycle"
            failures.append(f"{row.kernel} {row.shape}: {rate}, must be {bound} or more")
    return failures


def _table(rows: Sequence[Row]) -> str:
    header = ["kernel", "shape", "cores", "cycles", "MAC/cycle", "bit-exact"]
    return table(
        header,
        [
            [
                row.kernel,
                row.shape,
                str(row.cores),
                thousands(row.cycles),
                f"{row.macs_per_cycle:.2f}",
                "yes" if row.bit_exact else "NO",
            ]
            for row in rows
        ],
    )
