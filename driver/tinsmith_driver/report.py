"""The report and the answer of `check`: JSON objects, as report.schema.json says; and the report's table."""

import json
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path

from tinsmith_c import layer_facts
from tinsmith_ir import Call, Program, TinsmithError

from tinsmith_driver.buffers import Occupied, buffer_rows, weight_bytes
from tinsmith_driver.build import Build
from tinsmith_driver.cluster import cluster_run, cluster_share
from tinsmith_driver.compilation import Compilation, tool_version
from tinsmith_driver.compressed import compression_facts
from tinsmith_driver.held import held_facts
from tinsmith_driver.memory_report import flash_facts, ram_facts
from tinsmith_driver.network import Layers, parameters
from tinsmith_driver.orders import order_facts
from tinsmith_driver.placing import placement_facts
from tinsmith_driver.report_types import (
    Accuracy,
    CheckReport,
    GroupRow,
    LayerRow,
    Report,
    Run,
    TogetherReport,
)
from tinsmith_driver.rows import stream_facts
from tinsmith_driver.running import GroupResult, Measurement
from tinsmith_driver.staged import staged_facts
from tinsmith_driver.table import fitted_table, listed, thousands
from tinsmith_driver.targets import remarks
from tinsmith_driver.tiling import tiling_facts
from tinsmith_driver.writing import write_outputs

REPORT_SCHEMA = "tinsmith.report/3"


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
        "schema": REPORT_SCHEMA,
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
        "ram": ram_facts(compilation, build, measurement),
        "flash": flash_facts(compilation, build),
        "layers": _layers(compilation, measurement),
        "buffers": buffer_rows(compilation.program, compilation.plans),
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
    return fitted_table(header, rows)


def timing_table(compilation: Compilation) -> str:
    """How long each pass took here and now; no report holds it, as it is never the same twice."""
    rows = [[record.name, f"{record.seconds:.3f}"] for record in compilation.records]
    return fitted_table(["pass", "seconds"], rows)


def _run(measurement: Measurement) -> Run:
    return {
        "inputs": measurement.samples,
        "groups": [_group(group) for group in measurement.groups],
        "accuracy": _accuracy(measurement),
        "bit_exact": measurement.bit_exact,
        "layer_samples": measurement.layer_samples,
        "layers_equal": measurement.layer_difference is None
        if measurement.layers_compared
        else None,
        "mismatches": measurement.mismatches,
        "max_abs_diff": measurement.max_abs_diff,
        "file_float_share": measurement.file_share,
        "float_tolerance": None if measurement.file_share is None else measurement.float_tolerance,
        "instructions": measurement.instructions,
        "cycles": measurement.cycles,
        "cycles_source": measurement.cycles_source,
        "cluster": cluster_run(measurement.cores),
    }


def _group(group: GroupResult) -> GroupRow:
    return {
        "name": group.samples.group,
        "samples": len(group.samples),
        "right": group.correct,
        "mismatches": group.mismatches,
        "file_mismatches": group.file_mismatches,
    }


def _accuracy(measurement: Measurement) -> Accuracy | None:
    labelled = [
        (group.correct, len(group.samples))
        for group in measurement.groups
        if group.correct is not None
    ]
    if not labelled:
        return None
    return {
        "right": sum(right for right, _ in labelled),
        "labelled": sum(count for _, count in labelled),
    }


def _layers(compilation: Compilation, measurement: Measurement | None) -> list[LayerRow]:
    instructions = measurement.layer_instructions if measurement else ()
    cycles = measurement.layer_cycles if measurement else ()
    cores = measurement.layer_cores if measurement else ()
    facts = layer_facts(compilation.program, compilation.target, compilation.kernels)
    layers = Layers.of(compilation.program)
    weights = weight_bytes(compilation.program)
    occupied = [Occupied(plan) for plan in compilation.plans.values()]
    return [
        {
            "name": fact.name,
            "op": fact.op,
            "step": layers.steps[index],
            "in_shape": _in_shape(compilation.program, call),
            "out_shape": [*compilation.program.type_of(call.outputs[0]).shape],
            "weights": weights[index],
            "scratch": fact.scratch_bytes,
            "macs": fact.macs * layers.times(index),
            "instructions": _at(instructions, index),
            "cycles": _at(cycles, index),
            "arena_live": sum(memory.at(layers.steps[index]) for memory in occupied),
            "in_offset": fact.in_offset,
            "out_offset": fact.out_offset,
            "kernel": fact.kernel,
            "engine": fact.engine,
            "cores": fact.cores,
            "cluster": cluster_share(cores[index]) if index < len(cores) else None,
        }
        for index, (fact, call) in enumerate(zip(facts, compilation.program.calls, strict=True))
    ]


def _in_shape(program: Program, call: Call) -> list[int] | None:
    views = (name for name in call.inputs if name is not None and name in program.view)
    first = next(views, None)
    return None if first is None else [*program.type_of(first).shape]


def _costs(macs: int, cost: int | None) -> list[str]:
    return [thousands(cost), f"{cost / macs:.2f}" if cost and macs else "-"]


def _at(numbers: Sequence[int], index: int) -> int | None:
    return numbers[index] if index < len(numbers) else None
