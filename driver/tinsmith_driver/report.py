"""The report and the answer of `check`: JSON objects, as report.schema.json says; and the report's table."""

import json
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path

from tinsmith_c import layer_facts
from tinsmith_ir import TinsmithError

from tinsmith_driver.build import Build
from tinsmith_driver.cluster import cluster_run, cluster_share
from tinsmith_driver.compressed import compression_facts
from tinsmith_driver.held import held_facts
from tinsmith_driver.network import Layers, parameters
from tinsmith_driver.orders import order_facts
from tinsmith_driver.pipelines import Compilation, tool_version
from tinsmith_driver.placing import placement_facts
from tinsmith_driver.report_types import (
    CheckReport,
    Flash,
    LayerRow,
    Ram,
    Report,
    Run,
    TogetherReport,
)
from tinsmith_driver.rows import stream_facts
from tinsmith_driver.running import Measurement
from tinsmith_driver.staged import staged_facts
from tinsmith_driver.table import listed, table, thousands
from tinsmith_driver.targets import remarks
from tinsmith_driver.tiling import tiling_facts
from tinsmith_driver.writing import write_outputs


def schema() -> dict[str, object]:
    """The JSON Schema of the report."""
    return json.loads(files("tinsmith_driver").joinpath("report.schema.json").read_text())


def report(
    compilation: Compilation,
    build: Build | None = None,
    measurement: Measurement | None = None,
) -> Report:
    """All that is known; what was not built or run is null, and `run` is left out.

    Nothing in it depends on when, where or by whom it was made.
    """
    model = compilation.model
    result: Report = {
        "schema": "tinsmith.report/2",
        "tinsmith": tool_version(),
        "model": {
            "name": model.graph.name,
            "sha256": model.sha256,
            "format": model.format,
            "macs": compilation.graph.macs,
            "parameters": parameters(compilation.graph),
        },
        "target": {
            "name": compilation.target.name,
            "board": compilation.target.board.name,
            "toolchain": build.toolchain if build else None,
        },
        "ram": _ram(compilation, build, measurement),
        "flash": _flash(build),
        "layers": _layers(compilation, measurement),
        "placement": placement_facts(compilation),
        "tiling": tiling_facts(compilation, measurement),
        "streams": stream_facts(compilation),
        "compression": compression_facts(compilation),
        "held": held_facts(compilation),
        "staged": staged_facts(compilation, measurement),
        "order": order_facts(compilation),
        "passes": [
            {
                "name": record.name,
                "contract": str(record.contract),
                "verified": record.verified,
                "measured": record.measured,
                "found_by": record.found_by,
            }
            for record in compilation.records
        ],
        "warnings": warnings(compilation, build, measurement),
    }
    if measurement:
        result["run"] = _run(measurement)
    return result


def check_report(target_name: str, refusal: TinsmithError | None) -> CheckReport:
    """The answer of `tinsmith check`. refusal: why the target does not run the model; None if it does."""
    return {
        "schema": "tinsmith.check/1",
        "tinsmith": tool_version(),
        "target": target_name,
        "supported": refusal is None,
        "exit_status": 0 if refusal is None else refusal.exit_status,
        "problems": [] if refusal is None else list(refusal.problems),
    }


def together_report(
    arena_bytes: int, state_bytes: int, reports: Sequence[Report]
) -> TogetherReport:
    """The reports of networks that take turns in one arena, and what it and the states of all take."""
    return {
        "schema": "tinsmith.shared_arena/1",
        "tinsmith": tool_version(),
        "arena": arena_bytes,
        "states": state_bytes,
        "networks": list(reports),
    }


def warnings(
    compilation: Compilation, build: Build | None = None, measurement: Measurement | None = None
) -> list[str]:
    """What a user should know: of the model itself, layers that the preferred kernels could not run,
    what passes said, an unproven plan, what the compiler said, how samples were read.
    """
    fallbacks: dict[str, list[str]] = {}
    for call in compilation.program.calls:
        if call.reason:
            fallbacks.setdefault(f"{call.kernel} because {call.reason}", []).append(call.name)
    found = [*remarks(compilation.options), *compilation.model.warnings]
    found += [f"{listed(layers)}: {reason}" for reason, layers in fallbacks.items()]
    found += [warning for record in compilation.records for warning in record.warnings]
    for memory, plan in compilation.plans_for_size.items():
        if plan.gap > 0:
            found.append(f"{memory}: feasible, at most {plan.gap:.1%} above the optimum")
    if build is not None:
        found += [line for line in build.firmware.warnings.splitlines() if "warning:" in line]
    if measurement is not None:
        found += [warning for group in measurement.groups for warning in group.samples.warnings]
    return found


def write_json(path: Path, result: Mapping[str, object]) -> None:
    """Write `result`, readable, keys in the order given."""
    write_outputs({path: json_bytes(result)})


def json_bytes(result: Mapping[str, object]) -> bytes:
    """`result` as indented JSON."""
    return (json.dumps(result, indent=2) + "\n").encode()


def layer_table(compilation: Compilation, measurement: Measurement | None) -> str:
    """One line a layer: what runs where, and, if measured, its cost, in cycles where those are counted."""
    instructions = measurement.layer_instructions if measurement else ()
    cycles = measurement.layer_cycles if measurement else ()
    what, costs = ("cycles", cycles) if cycles else ("instructions", instructions)
    facts = layer_facts(compilation.program, compilation.target, compilation.kernels)
    header = ["layer", "op", "kernel", "MACs"]
    layers = Layers.of(compilation.program)
    macs = [fact.macs * layers.times(index) for index, fact in enumerate(facts)]
    rows = [
        [fact.name, fact.op, fact.kernel, thousands(number or None)]
        for fact, number in zip(facts, macs, strict=True)
    ]
    if any(fact.cores is not None for fact in facts):
        header.append("cores")
        rows = [[*row, thousands(fact.cores)] for row, fact in zip(rows, facts, strict=True)]
    if measurement:
        header += [what, "per MAC"]
        rows = [
            [*row, *_costs(number, _at(costs, index))]
            for index, (row, number) in enumerate(zip(rows, macs, strict=True))
        ]
    return table(header, rows)


def timing_table(compilation: Compilation) -> str:
    """How long each pass took here and now; no report holds it, as it is never the same twice."""
    rows = [[record.name, f"{record.seconds:.3f}"] for record in compilation.records]
    return table(["pass", "seconds"], rows)


def memory_table(compilation: Compilation, build: Build, measurement: Measurement | None) -> str:
    """RAM and flash by what they hold."""
    ram = _ram(compilation, build, measurement)
    flash = _flash(build)
    rows = [
        ["RAM", thousands(ram["total"])],
        ["  arena", thousands(ram["arena"])],
        ["  data + bss", thousands(ram["data_bss"])],
        ["  stack", thousands(ram["stack"])],
        ["flash", thousands(flash["total"])],
        ["  weights", thousands(flash["weights"])],
        ["  code", thousands(flash["code"])],
        ["  other constants", thousands(flash["rodata"])],
    ]
    return table(["memory", "bytes"], rows)


def _ram(compilation: Compilation, build: Build | None, measurement: Measurement | None) -> Ram:
    arena = compilation.arena_bytes
    data_bss = build.data_bss if build else None
    stack = measurement.stack_bytes if measurement else None
    return {
        "arena": arena,
        "arena_without_scratch": compilation.arena_without_scratch,
        "arena_lower_bound": compilation.arena_lower_bound,
        "arena_status": compilation.arena_status,
        "memories": [
            {
                "name": name,
                "bytes": plan.arena_bytes,
                "lower_bound": plan.lower_bound,
                "status": plan.status.value,
                "gap": round(plan.gap, 6),
            }
            for name, plan in compilation.plans.items()
        ],
        "moved": compilation.bytes_moved if compilation.options.memories else None,
        "data_bss": data_bss,
        "stack": stack,
        "total": None if data_bss is None or stack is None else arena + data_bss + stack,
    }


def _flash(build: Build | None) -> Flash:
    if build is None:
        return {"weights": None, "code": None, "rodata": None, "total": None}
    total = build.weights + build.code + build.rodata
    return {"weights": build.weights, "code": build.code, "rodata": build.rodata, "total": total}


def _run(measurement: Measurement) -> Run:
    return {
        "inputs": measurement.samples,
        "bit_exact": measurement.bit_exact,
        "mismatches": measurement.mismatches,
        "max_abs_diff": measurement.max_abs_diff,
        "file_float_share": measurement.file_share,
        "float_tolerance": None if measurement.file_share is None else measurement.float_tolerance,
        "instructions": measurement.instructions,
        "cycles": measurement.cycles,
        "cycles_source": measurement.cycles_source,
        "cluster": cluster_run(measurement.cores),
    }


def _layers(compilation: Compilation, measurement: Measurement | None) -> list[LayerRow]:
    instructions = measurement.layer_instructions if measurement else ()
    cycles = measurement.layer_cycles if measurement else ()
    cores = measurement.layer_cores if measurement else ()
    facts = layer_facts(compilation.program, compilation.target, compilation.kernels)
    layers = Layers.of(compilation.program)
    return [
        {
            "name": fact.name,
            "op": fact.op,
            "macs": fact.macs * layers.times(index),
            "instructions": _at(instructions, index),
            "cycles": _at(cycles, index),
            "arena_live": _live_bytes(compilation, layers.steps[index]),
            "in_offset": fact.in_offset,
            "out_offset": fact.out_offset,
            "kernel": fact.kernel,
            "engine": fact.engine,
            "cores": fact.cores,
            "cluster": cluster_share(cores[index]) if index < len(cores) else None,
        }
        for index, fact in enumerate(facts)
    ]


def _live_bytes(compilation: Compilation, step: int) -> int:
    """Of all memories while a step runs."""
    return sum(plan.live_bytes(step) for plan in compilation.plans.values())


def _costs(macs: int, cost: int | None) -> list[str]:
    return [thousands(cost), f"{cost / macs:.2f}" if cost and macs else "-"]


def _at(numbers: Sequence[int], index: int) -> int | None:
    return numbers[index] if index < len(numbers) else None
