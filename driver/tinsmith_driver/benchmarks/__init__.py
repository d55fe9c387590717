"""Benchmarks that anyone can run: `tinsmith bench NAME`."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from tinsmith_ir import UsageError

from tinsmith_driver.benchmarks import (
    bundles,
    diana,
    diana_assumptions,
    diana_overhead,
    diana_tiles,
    flash,
    generated_c,
    imports,
    learned_ranges,
    libraries,
    memory,
    mlperf_tiny,
    neureka,
    pages,
    planner,
    pulp,
    pulp_kernels,
    pulp_sensitivity,
    pulp_slowest,
    quantization,
    scaling,
    spills,
    wait_states,
)
from tinsmith_driver.benchmarks.result import BenchmarkResult
from tinsmith_driver.messages import print_error
from tinsmith_driver.report import json_bytes
from tinsmith_driver.writing import STANDARD_OUTPUT, write_outputs

Benchmark = Callable[[str | None, str | None], BenchmarkResult]

BENCHMARKS: Mapping[str, Benchmark] = {
    "mlperf-tiny": mlperf_tiny.run,
    "bundles": bundles.run,
    "diana": diana.run,
    "diana-assumptions": diana_assumptions.run,
    "diana-layers": diana_overhead.run,
    "diana-tiles": diana_tiles.run,
    "flash": flash.run,
    "generated-c": generated_c.run,
    "import": imports.run,
    "learned-ranges": learned_ranges.run,
    "libraries": libraries.run,
    "memory": memory.run,
    "neureka": neureka.run,
    "pages": pages.run,
    "planner": planner.run,
    "pulp": pulp.run,
    "pulp-kernels": pulp_kernels.run,
    "pulp-sensitivity": pulp_sensitivity.run,
    "pulp-slowest": pulp_slowest.run,
    "quantization": quantization.run,
    "scaling": scaling.run,
    "spills": spills.run,
    "wait-states": wait_states.run,
}

_WITHOUT: Mapping[tuple[str, str], Benchmark] = {
    ("pulp", "sweep"): partial(pulp.run, sweep=False),
    ("diana", "layers"): partial(diana.run, layers=False),
    ("neureka", "layers"): partial(neureka.run, layers=False),
}
"""Benchmarks with a part left out, by name and part."""

__all__ = ["BENCHMARKS", "Benchmark", "BenchmarkResult", "run"]


def run(
    name: str,
    models: str | None,
    targets: str | None,
    json_path: Path | None,
    *,
    without: str | None = None,
) -> int:
    """Run the benchmark `name`; "list" lists them.

    models, targets: comma-separated selections, None for all. without: a part to leave out, of a benchmark that has
    it. Returns 0 if every bound holds, else 1. Raises UsageError for an unknown name, and where there is no such part.
    """
    if name == "list":
        print("\n".join(BENCHMARKS))
        if json_path:
            write_outputs({json_path: json_bytes({"benchmarks": [*BENCHMARKS]})})
        return 0
    if name not in BENCHMARKS:
        raise UsageError(f"unknown benchmark {name!r}: expected one of {', '.join(BENCHMARKS)}")
    if without is not None and (name, without) not in _WITHOUT:
        raise UsageError(f"{name} has no {without} to leave out")
    chosen = BENCHMARKS[name] if without is None else _WITHOUT[name, without]
    result = chosen(models, targets)
    print(result.text)
    if json_path:
        files = {json_path: json_bytes({"rows": result.rows, **result.sections})}
        beside = json_path != STANDARD_OUTPUT
        if result.trace and beside:
            trace_path = json_path.with_suffix(".trace.json")
            files[trace_path] = result.trace.encode()
            print(f"trace for ui.perfetto.dev: {trace_path}")
        if result.picture and beside:
            picture_path = json_path.with_suffix(".svg")
            files[picture_path] = result.picture.encode()
            print(f"picture: {picture_path}")
        write_outputs(files)
    for failure in result.failures:
        print_error(failure, "", "misses its bound:")
    return 1 if result.failures else 0
