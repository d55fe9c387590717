"""The five MLPerf Tiny networks on every target, against TFLite Micro on the same emulators.

mlperf_tiny.json holds what TFLite Micro needs, and the bounds Tinsmith has set itself; reached.py knows what every row
was before. A row is one network on one target.
"""

import json
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from importlib.resources import files
from pathlib import Path

from tinsmith_ir import DoesNotFitError, UsageError
from tinsmith_ir.testing import mlperf_tiny_dir, mlperf_tiny_inputs_dir

from tinsmith_driver.benchmarks.reached import FIGURES, read_reached, risen
from tinsmith_driver.benchmarks.result import BenchmarkResult
from tinsmith_driver.build import Build, built
from tinsmith_driver.compilation import Compilation
from tinsmith_driver.inputs import load_samples
from tinsmith_driver.memory_limits import board_ram_bytes
from tinsmith_driver.models import read_model
from tinsmith_driver.options import CompileOptions, selection
from tinsmith_driver.pipelines import compile_model
from tinsmith_driver.progress import progress
from tinsmith_driver.running import Measurement, compare, run_samples
from tinsmith_driver.table import table, thousands

TARGETS = (
    "host",
    "cortex-m0",
    "cortex-m3",
    "cortex-m4",
    "cortex-m7",
    "cortex-m33",
    "cortex-m55",
    "riscv32",
)
FLOAT_MODELS = {
    "kws": "kws_ref_model_float32.tflite",
    "vww": "vww_96_float.tflite",
    "ic": "pretrainedResnet.tflite",
    "ad": "ad01_fp32.tflite",
}
"""Files of the networks of float32 that there are, beside those of integers."""
_TIMEOUT_SECONDS = 300


@dataclass(frozen=True)
class Network:
    """A network, and what TFLite Micro needs for it: by target, in bytes or instructions.

    reached: by target, what Tinsmith needed before.
    """

    name: str
    model: str
    inputs: str
    arena_optimum: int
    code_rodata: Mapping[str, int]
    ram: Mapping[str, int]
    ram_at_most: float
    instructions: Mapping[str, int]
    reached: Mapping[str, Mapping[str, int]]


@dataclass(frozen=True)
class Row:
    """Figures of one network on one target, and TFLite Micro's where they are known.

    bytes_different: of all outputs, from the evaluator and from TFLite's reference kernels.
    *_ratio: ours by TFLite Micro's. status: "ok", or why there are no figures.
    """

    network: str
    target: str
    status: str
    samples: int = 0
    bytes_different: int | None = None
    right: int | None = None
    instructions: int | None = None
    instructions_ratio: float | None = None
    arena: int | None = None
    arena_without_scratch: int | None = None
    code_rodata: int | None = None
    code_rodata_ratio: float | None = None
    ram: int | None = None
    ram_ratio: float | None = None
    compile_seconds: float | None = None
    verify_seconds: float | None = None


def run(models: str | None, targets: str | None) -> BenchmarkResult:
    """Measure the chosen networks and targets (comma-separated, None for all)."""
    networks, at_most = read_baseline()
    chosen = selection(models, list(networks), "network")
    chosen_targets = selection(targets, TARGETS, "target")
    rows: list[Row] = []
    with progress("mlperf-tiny", len(chosen) * len(chosen_targets)) as bar:
        for name in chosen:
            for target in chosen_targets:
                bar.step(f"{name} on {target}")
                rows.append(measure(networks[name], target))
    failures = [failure for row in rows for failure in misses(row, networks[row.network], at_most)]
    return BenchmarkResult([asdict(row) for row in rows], _table(rows), failures)


def read_baseline() -> tuple[dict[str, Network], dict[str, float]]:
    """The networks by name, and the largest ratio allowed by target (or "code_rodata")."""
    path = files("tinsmith_driver.benchmarks").joinpath("mlperf_tiny.json")
    data = json.loads(path.read_text())
    reached = read_reached()
    networks = {
        name: Network(
            name=name,
            model=entry["model"],
            inputs=entry["inputs"],
            arena_optimum=entry["arena_optimum"],
            code_rodata=entry["code_rodata"],
            ram={key: value for key, value in entry["ram"].items() if key != "at_most"},
            ram_at_most=entry["ram"]["at_most"],
            instructions=entry["instructions"],
            reached=reached.get(name, {}),
        )
        for name, entry in data["networks"].items()
    }
    return networks, data["at_most"]


def measure(network: Network, target: str, samples: int | None = None) -> Row:
    """Compile, run and compare one network on one target, on at most `samples` of each group."""
    path, inputs = network_files(network)
    start = time.perf_counter()
    try:
        options = CompileOptions(target, ram_bytes=board_ram_bytes(target))
        compilation = compile_model(read_model(path, network.name), options)
        compiled = time.perf_counter()
        groups = load_samples(inputs, compilation.graph, samples)
        with built(compilation) as build:
            measurement = run_samples(build, compilation.graph, groups, _TIMEOUT_SECONDS)
            measurement = compare(measurement, compilation.reference)
            seconds = (compiled - start, time.perf_counter() - start)
            return _row(network, compilation, build, measurement, seconds)
    except DoesNotFitError:
        return Row(network.name, target, "does not fit")


def network_files(network: Network) -> tuple[Path, Path]:
    """The model and its samples. Raises UsageError, saying where to get them, if they are absent."""
    model = _file(mlperf_tiny_dir(), network.model)
    return model, _file(mlperf_tiny_inputs_dir(), network.inputs)


def float_files(name: str) -> tuple[Path, Path]:
    """The float network of one of FLOAT_MODELS, and its real inputs. Raises as `network_files`."""
    official, inputs = network_files(read_baseline()[0][name])
    return official.parent / FLOAT_MODELS[name], inputs


def _file(directory: Path | None, name: str) -> Path:
    if directory is None or not (directory / name).exists():
        raise UsageError(
            f"{name} is not here: the networks are in github.com/mlcommons/tiny at commit 1afd2c9 under "
            "benchmark/training/<task>/trained_models; set TINSMITH_MLPERF_TINY_DIR (and "
            "TINSMITH_MLPERF_TINY_INPUTS_DIR for the samples) to a folder that has them"
        )
    return directory / name


def _row(
    network: Network,
    compilation: Compilation,
    build: Build,
    measurement: Measurement,
    seconds: tuple[float, float],
) -> Row:
    target = compilation.target.name
    arena = compilation.arena_bytes
    stack = measurement.stack_bytes
    ram = None if stack is None else arena + build.data_bss + stack
    code_rodata = None if stack is None else build.code + build.rodata
    right = [group.correct for group in measurement.groups if group.correct is not None]
    return Row(
        network=network.name,
        target=target,
        status="ok",
        samples=measurement.samples,
        bytes_different=measurement.mismatches,
        right=sum(right) if right else None,
        instructions=measurement.instructions,
        instructions_ratio=_ratio(measurement.instructions, network.instructions.get(target)),
        arena=arena,
        arena_without_scratch=compilation.arena_without_scratch,
        code_rodata=code_rodata,
        code_rodata_ratio=_ratio(code_rodata, network.code_rodata.get(target)),
        ram=ram,
        ram_ratio=_ratio(ram, network.ram.get(target)),
        compile_seconds=round(seconds[0], 3),
        verify_seconds=round(seconds[1], 3),
    )


def _ratio(ours: int | None, theirs: int | None) -> float | None:
    return None if ours is None or theirs is None else round(ours / theirs, 4)


def misses(row: Row, network: Network, at_most: Mapping[str, float]) -> list[str]:
    """The bounds that a row does not hold, each as a line for people."""
    if row.status != "ok":
        return []
    where = f"{row.network} on {row.target}"
    bounds = [
        ("output bytes different", row.bytes_different, 0),
        ("arena without scratch", row.arena_without_scratch, network.arena_optimum),
        ("instructions ratio", row.instructions_ratio, at_most.get(row.target)),
        ("code + rodata ratio", row.code_rodata_ratio, at_most["code_rodata"]),
        ("RAM ratio", row.ram_ratio, network.ram_at_most),
    ]
    figures = {name: getattr(row, name) for name in FIGURES}
    return [
        f"{where}: {what} {got} > {bound}"
        for what, got, bound in bounds
        if got is not None and bound is not None and got > bound
    ] + [f"{where}: {line}" for line in risen(figures, network.reached.get(row.target, {}))]


def _table(rows: list[Row]) -> str:
    header = [
        "network", "target", "status", "samples", "bytes different", "right", "instructions", "by TFLM",
        "arena", "w/o scratch", "code+rodata", "by TFLM", "RAM", "by TFLM", "compile s", "verify s",
    ]  # fmt: skip
    return table(header, [_cells(row) for row in rows])


def _cells(row: Row) -> list[str]:
    return [
        row.network,
        row.target,
        row.status,
        str(row.samples),
        thousands(row.bytes_different),
        thousands(row.right),
        thousands(row.instructions),
        _fixed(row.instructions_ratio, 3),
        thousands(row.arena),
        thousands(row.arena_without_scratch),
        thousands(row.code_rodata),
        _fixed(row.code_rodata_ratio, 3),
        thousands(row.ram),
        _fixed(row.ram_ratio, 3),
        _fixed(row.compile_seconds, 2),
        _fixed(row.verify_seconds, 2),
    ]


def _fixed(number: float | None, digits: int) -> str:
    return "-" if number is None else f"{number:.{digits}f}"
