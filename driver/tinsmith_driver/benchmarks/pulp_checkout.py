"""What the PULP benchmarks take from a checkout.

The layers of kernels/pulp_nn/benchmarks, built and run on the simulator; scripts of its rooms, run by this interpreter.
"""

import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tinsmith_ir import TinsmithError, UsageError
from tinsmith_soc import chip, simulator
from tinsmith_toolchains import Children, build_cluster_program, find_program, temporary_folder

# The convolution does not fit the first-level memory of PULP-open.
CHIP = "siracusa"
_L1_BYTES = 256 * 1024


class BenchmarkError(TinsmithError):
    """A program or script that measures failed; the message holds what it said."""


def checkout() -> Path:
    """The sources, which no wheel holds. Raises UsageError where there are none."""
    workspace = os.environ.get("BUILD_WORKSPACE_DIRECTORY")
    folders = [Path(workspace)] if workspace else list(Path(__file__).resolve().parents)
    for folder in folders:
        if (folder / "kernels/pulp_nn/benchmarks").is_dir():
            return folder
    raise UsageError("the kernels of a checkout are measured, and this is none")


def select_nothing(name: str, models: str | None, targets: str | None) -> None:
    """Raise UsageError if a selection is given."""
    if models or targets:
        raise UsageError(f"{name} takes neither --models nor --targets")


@dataclass(frozen=True)
class Row:
    """One layer. bit_exact: its output has the checksum of the plain loops' output.

    macs_per_cycle: of sums, pools and softmax the elements of their inputs per cycle.
    """

    kernel: str
    shape: str
    cores: int
    cycles: int
    macs_per_cycle: float
    bit_exact: bool


def _cases(library: Path) -> list[Path]:
    return sorted((library / "benchmarks").glob("*cases.c"))


def build_layers(root: Path, main: str, elf: Path, defines: Sequence[str] = ()) -> None:
    """Compile the layers with a main file of kernels/pulp_nn/benchmarks for the cluster. Raises CompileError."""
    library = root / "kernels/pulp_nn"
    sources = [*_cases(library), library / "benchmarks" / main]
    build_cluster_program(
        [*sources, *sorted((library / "src").glob("*.c"))],
        elf,
        runtime=root / "platforms/simulators/runtime",
        include_directories=[library, library / "include"],
        defines=defines,
        l1_bytes=_L1_BYTES,
    )


def build_layer(root: Path, row: Row, repeats: int, elf: Path) -> None:
    """Compile a program that runs one layer alone, once and then `repeats` times as region 1. Raises CompileError."""
    defines = [f'KERNEL="{row.kernel}"', f'SHAPE="{row.shape}"', f"CORES={row.cores}u"]
    build_layers(root, "one_main.c", elf, [*defines, f"REPEATS={repeats}u"])


def simulate(elf: Path, *options: str, statuses: Sequence[int] = (0,)) -> str:
    """Standard output of a program on the simulated chip. Raises BenchmarkError for another exit status."""
    return output([str(simulator()), "--chip", str(chip(CHIP)), *options, str(elf)], statuses)


def expected_checksums(root: Path) -> list[str]:
    """Of every layer's output, computed by plain loops compiled for the host."""
    library = root / "kernels/pulp_nn"
    sources = [*_cases(library), library / "benchmarks/host_main.c"]
    sources += [library / "tests/oracle.c", *sorted((library / "src").glob("*.c"))]
    # What there is no oracle for has the reference kernels.
    sources.append(root / "kernels/reference/softmax_s8.c")
    compiler = str(find_program("gcc", "gcc"))
    with temporary_folder("tinsmith-bench-") as folder:
        program = str(folder / "expected")
        options = ["-std=c11", "-O2", "-DTINSMITH_PULP_ORACLE", "-o", program]
        folders = (library, library / "include", root / "kernels/include")
        includes = [f"-I{folder}" for folder in folders]
        output([compiler, *options, *includes, *map(str, sources)])
        return output([program]).splitlines()


def measure_layers(elf: Path, checksums: Sequence[str], *options: str) -> list[Row]:
    """A row for every layer; the simulator gives the same cycles every time. options: of the simulator."""
    lines = simulate(elf, *options).splitlines()
    return [_row(line, checksum) for line, checksum in zip(lines, checksums, strict=True)]


def _row(line: str, checksum: str) -> Row:
    kernel, shape, cores, cycles, macs, found = line.split(",")
    rate = round(int(macs) / int(cycles), 2)
    return Row(kernel, shape, int(cores), int(cycles), rate, found == checksum)


def output(command: Sequence[str], statuses: Sequence[int] = (0,)) -> str:
    """Standard output of a command. Raises BenchmarkError for another exit status."""
    done = Children().run(command)
    if done.status not in statuses:
        said = (done.errors or done.output).decode("utf-8", "replace")
        raise BenchmarkError(f"{Path(command[0]).name} failed: {said}")
    return done.output.decode("utf-8", "replace")


def script_lines(script: Path, *arguments: str) -> Iterator[str]:
    """Lines that a Python script of the checkout prints, as they come; it imports what this interpreter can.

    Raises BenchmarkError if it ends with a status other than 0 and 1, the latter for bounds missed.
    """
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, str(script), *arguments]
    with tempfile.TemporaryFile() as messages:
        with Children().started(command, environment=environment, errors_to=messages) as process:
            assert process.stdout is not None
            yield from (line.decode("utf-8", "replace").rstrip("\n") for line in process.stdout)
            process.wait()
        messages.seek(0)
        said = messages.read().decode("utf-8", "replace")
    # An uncaught exception ends with 1, too, but with a traceback.
    if process.returncode not in (0, 1) or "Traceback" in said:
        raise BenchmarkError(f"{script.name} failed: {said}")
