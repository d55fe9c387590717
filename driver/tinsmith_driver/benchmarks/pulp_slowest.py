"""`tinsmith bench pulp-slowest`: where the cycles of a PULP layer go.

Of those with a bound it is the one that does the fewest products per cycle.
With --json FILE.json also a trace of it for ui.perfetto.dev, FILE.trace.json.
"""

import json
from collections.abc import Mapping, Sequence

from tinsmith_toolchains import temporary_folder

from tinsmith_driver.benchmarks.pulp_checkout import (
    Row,
    build_layer,
    build_layers,
    checkout,
    expected_checksums,
    measure_layers,
    select_nothing,
    simulate,
)
from tinsmith_driver.benchmarks.pulp_kernels import BOUNDS
from tinsmith_driver.benchmarks.result import BenchmarkResult
from tinsmith_driver.table import table, thousands

# A core that runs nothing but its share: core 0 prepares the layer, too.
_CORE = 1
_FUNCTIONS = 6
_WITHOUT_WORK = ("dispatch", "event")


def run(models: str | None, targets: str | None) -> BenchmarkResult:
    """Find the layer, run it alone.

    Raises UsageError for a selection, and where the checkout or the simulator is absent; BenchmarkError
    if a program fails.
    """
    select_nothing("pulp-slowest", models, targets)
    root = checkout()
    with temporary_folder("tinsmith-bench-") as folder:
        build_layers(root, "cluster_main.c", folder / "layers.elf")
        row = slowest(measure_layers(folder / "layers.elf", expected_checksums(root)))
        build_layer(root, row, 1, folder / "layer.elf")
        counters, trace = folder / "counters.json", folder / "trace.json"
        simulate(folder / "layer.elf", "--json", str(counters), "--trace", str(trace))
        cores = json.loads(counters.read_text(encoding="utf-8"))["cores"][: row.cores]
        text = trace.read_text(encoding="utf-8")
    title = f"{row.kernel}, {row.shape}, {row.cores} cores: {row.macs_per_cycle} MAC/cycle"
    tables = [title, _core_table(cores), _function_table(cores[_CORE])]
    return BenchmarkResult(cores, "\n\n".join(tables), [], trace=text)


def slowest(rows: Sequence[Row]) -> Row:
    """Of the layers that have a bound the one with the fewest products per cycle."""
    bounded = [row for row in rows if (row.kernel, row.shape) in BOUNDS and row.cores > 1]
    return min(bounded, key=lambda row: row.macs_per_cycle)


def _core_table(cores: Sequence[Mapping[str, object]]) -> str:
    """Cycles of one run, the second, without fork and join."""
    regions = [json.loads(json.dumps(core["regions"]))[0] for core in cores]
    causes = list(dict.fromkeys(cause for region in regions for cause in region["stalls"]))
    header = ["core", "cycles", "instructions", *(cause.replace("_", " ") for cause in causes)]
    numbers = [
        [region["cycles"], region["instructions"], *(region["stalls"].get(c, 0) for c in causes)]
        for region in regions
    ]
    return table(header, [[str(i), *map(thousands, row)] for i, row in enumerate(numbers)])


def _function_table(core: Mapping[str, object]) -> str:
    """Cycles of both runs without those asleep, and of what their stalls are."""
    functions = json.loads(json.dumps(core["functions"]))
    for function in functions:
        for cause in _WITHOUT_WORK:
            function["cycles"] -= function["stalls"].pop(cause, 0)
    longest = sorted(functions, key=lambda function: -function["cycles"])[:_FUNCTIONS]
    header = [f"function on core {_CORE}, two runs", "cycles", "instructions", "stalls"]
    return table(header, [_function_cells(function) for function in longest])


def _function_cells(function: Mapping[str, object]) -> list[str]:
    parsed = json.loads(json.dumps(function))
    causes = [f"{c.replace('_', ' ')} {thousands(n)}" for c, n in parsed["stalls"].items()]
    counts = [thousands(parsed["cycles"]), thousands(parsed["instructions"])]
    return [parsed["name"], *counts, ", ".join(causes)]
