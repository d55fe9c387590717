"""Benchmarks that anyone can run: `tinsmith bench NAME`."""

import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from tinsmith_ir import UsageError

from tinsmith_driver.benchmarks import (
    diana,
    flash,
    generated_c,
    imports,
    learned_ranges,
    memory,
    mlperf_tiny,
    neureka,
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
from tinsmith_driver.report import json_bytes
from tinsmith_driver.writing import write_outputs

Benchmark = Callable[[str | None, str | None], BenchmarkResult]

BENCHMARKS: Mapping[str, Benchmark] = {
    "mlperf-tiny": mlperf_tiny.run,
    "diana": diana.run,
    "flash": flash.run,
    "generated-c": generated_c.run,
    "import": imports.run,
    "learned-ranges": learned_ranges.run,
    "memory": memory.run,
    "neureka": neureka.run,
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

_WITHOUT_SWEEP: Mapping[str, Benchmark] = {"pulp": partial(pulp.run, sweep=False)}

__all__ = ["BENCHMARKS", "Benchmark", "BenchmarkResult", "run"]


def run(
    name: str,
    models: str | None,
    targets: str | None,
    json_path: Path | None,
    *,
    sweep: bool = True,
) -> int:
    """Run the benchmark `name`; "list" lists them.

    models, targets: comma-separated selections, None for all. sweep: false for less, of a benchmark that can. Returns
    0 if every bound holds, else 1. Raises UsageError for an unknown name, and where there is no less.
    """
    if name == "list":
        print("\n".join(BENCHMARKS))
        return 0
    if name not in BENCHMARKS:
        raise UsageError(f"unknown benchmark {name!r}: expected one of {', '.join(BENCHMARKS)}")
    if not sweep and name not in _WITHOUT_SWEEP:
        raise UsageError(f"{name} has no sweep to leave out")
    result = (BENCHMARKS if sweep else _WITHOUT_SWEEP)[name](models, targets)
    print(result.text)
    if json_path:
        files = {json_path: json_bytes({"rows": result.rows, **result.sections})}
        if result.trace:
            trace_path = json_path.with_suffix(".trace.json")
            files[trace_path] = result.trace.encode()
            print(f"trace for ui.perfetto.dev: {trace_path}")
        write_outputs(files)
    for failure in result.failures:
        print(f"misses its bound: {failure}", file=sys.stderr)
    return 1 if result.failures else 0
