"""How the generated C and the kernels fare with each compiler, and under sanitizers, for the five MLPerf Tiny
networks: warnings (-Wall -Wextra), output bytes, and whether compiling twice gives the same bytes.
"""

from dataclasses import asdict, dataclass

from tinsmith_toolchains import CompilerName

from tinsmith_driver.benchmarks.mlperf_tiny import read_baseline
from tinsmith_driver.benchmarks.result import BenchmarkResult
from tinsmith_driver.benchmarks.subjects import compared, tiny
from tinsmith_driver.options import CompileOptions, selection
from tinsmith_driver.pipelines import compile_model
from tinsmith_driver.progress import progress
from tinsmith_driver.table import table, thousands

_TIMEOUT_SECONDS = 300
# Enough to go through every kernel; sanitizers are slow.
_SAMPLES = 4


@dataclass(frozen=True)
class Setting:
    """A way to build. backend None is the target's own."""

    target: str
    compiler: CompilerName
    sanitize: bool = False
    backend: str | None = None


_SETTINGS = (
    Setting("cortex-m4", "zig"),
    Setting("cortex-m4", "gcc"),
    Setting("cortex-m55", "zig"),
    Setting("cortex-m55", "gcc"),
    Setting("riscv32", "zig"),
    Setting("host", "zig"),
    Setting("host", "gcc"),
    Setting("host", "gcc", sanitize=True),
    Setting("host", "gcc", sanitize=True, backend="cmsis_nn"),
)


@dataclass(frozen=True)
class Row:
    """warnings: lines of the compiler. same_twice: compiled again, the files had the same bytes."""

    network: str
    target: str
    compiler: str
    sanitize: bool
    backend: str
    warnings: int
    bytes_different: int | None
    instructions: int | None
    same_twice: bool


def run(models: str | None, targets: str | None) -> BenchmarkResult:
    """Build and run the chosen networks in every setting of the chosen targets."""
    networks, _ = read_baseline()
    chosen = selection(models, list(networks), "network")
    known = list(dict.fromkeys(setting.target for setting in _SETTINGS))
    wanted = selection(targets, known, "target")
    settings = [setting for setting in _SETTINGS if setting.target in wanted]
    rows: list[Row] = []
    with progress("generated-c", len(chosen) * len(settings)) as bar:
        for name in chosen:
            for setting in settings:
                bar.step(f"{name}: {setting.compiler} for {setting.target}")
                rows.append(measure(name, setting))
    failures = [
        f"{row.network}, {row.compiler} for {row.target}: {row.warnings} warnings, "
        f"{row.bytes_different} bytes different, same bytes twice: {row.same_twice}"
        for row in rows
        if row.warnings or row.bytes_different or not row.same_twice
    ]
    return BenchmarkResult([asdict(row) for row in rows], _table(rows), failures)


def measure(network: str, setting: Setting) -> Row:
    """Compile one of MLPerf Tiny's networks twice, build, run a few samples."""
    subject = tiny(network)
    options = CompileOptions(
        setting.target,
        backend=setting.backend,
        compiler=setting.compiler,
        sanitize=setting.sanitize,
    )
    compilation, again = (compile_model(subject.model, options) for _ in range(2))
    samples = subject.samples(compilation.graph, _SAMPLES)
    measurement, build = compared(compilation, samples, _TIMEOUT_SECONDS)
    return Row(
        network=network,
        target=setting.target,
        compiler=setting.compiler,
        sanitize=setting.sanitize,
        backend=setting.backend or compilation.target.backend,
        warnings=sum("warning:" in line for line in build.firmware.warnings.splitlines()),
        bytes_different=measurement.mismatches,
        instructions=measurement.instructions,
        same_twice=compilation.files == again.files,
    )


def _table(rows: list[Row]) -> str:
    header = ["network", "target", "compiler", "sanitizers", "kernels", "warnings", "bytes different",
              "instructions", "same bytes twice"]  # fmt: skip
    return table(header, [_cells(row) for row in rows])


def _cells(row: Row) -> list[str]:
    return [
        row.network,
        row.target,
        row.compiler,
        "address, undefined" if row.sanitize else "none",
        row.backend,
        str(row.warnings),
        thousands(row.bytes_different),
        thousands(row.instructions),
        "yes" if row.same_twice else "no",
    ]
