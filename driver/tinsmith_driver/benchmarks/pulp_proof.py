"""What else `tinsmith bench pulp-kernels` measures: the simulator's timing, arithmetic and speed, random shapes.

The measuring is in scripts of the rooms it belongs to; the amounts and the bounds are here.
"""

import json
import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from shutil import which

from tinsmith_toolchains import temporary_folder

from tinsmith_driver.benchmarks.pulp_checkout import (
    BenchmarkError,
    Row,
    build_layer,
    script_lines,
    simulate,
)
from tinsmith_driver.table import table, thousands

_SOC_TESTS = Path("platforms/simulators/soc/tests")
_KERNEL_TESTS = Path("kernels/pulp_nn/tests")

_TIMING_PERCENT = 5.0
_INSTRUCTIONS = 1_000_000
_OPERANDS = 100_000
_SPEED = 20_000_000  # core-cycles per second
_SPEED_REPEATS = 500
_SEEDS = (1, 2, 3, 4)
_CALLS = 100  # of every kernel, by each seed

Record = dict[str, object]
Step = Callable[[str], None]


@dataclass(frozen=True)
class Section:
    """One part of the benchmark. records: for programs; text: for people; failures: bounds missed."""

    name: str
    records: list[Record]
    text: str
    failures: list[str]


def timing(root: Path, step: Step) -> Section:
    """Micro-benchmarks of the cycle model against GVSoC and the manual."""
    records: list[Record] = []
    for line in script_lines(root / _SOC_TESTS / "proof.py", "timing"):
        records.append(json.loads(line))
        step(f"timing: {records[-1]['name']}")
    failures = [
        f"timing: {r['name']} takes {r['measured']} cycles, must be within 5 % of {r['expected']}"
        for r in records
        if abs(_number(r["difference_percent"])) > _TIMING_PERCENT
    ]
    header = ["timing", "expected", "measured", "difference %", "expected by"]
    keys = ["name", "expected", "measured", "difference_percent", "expected_by"]
    return Section("timing", records, _table(header, keys, records), failures)


def operands(root: Path, step: Step) -> Section:
    """Every CORE-V instruction on random operands against the table of semantics."""
    records: list[Record] = []
    for line in script_lines(root / _SOC_TESTS / "proof.py", "operands", "--each", str(_OPERANDS)):
        records.append(json.loads(line))
        step(f"operands of {records[-1]['instruction']}")
    failures = [
        f"{r['instruction']}: {r['differences']} of {r['count']} results differ; {r['example']}"
        for r in records
        if r["differences"] or _number(r["count"]) < _OPERANDS
    ]
    header = ["CORE-V extension", "instructions", "operands of each", "differences", "differing"]
    keys = ["extension", "instructions", "least_count", "differences", "differing"]
    text = _table(header, keys, _by_extension(records))
    return Section("operands", records, text, failures)


def _by_extension(records: Sequence[Record]) -> list[Record]:
    """A row for each extension; of its instructions only those are named whose results differ."""
    extensions: dict[str, list[Record]] = {}
    for record in records:
        extensions.setdefault(str(record["extension"]), []).append(record)
    return [
        {
            "extension": extension,
            "instructions": len(rows),
            "least_count": min(int(_number(row["count"])) for row in rows),
            "differences": sum(int(_number(row["differences"])) for row in rows),
            "differing": ", ".join(str(r["instruction"]) for r in rows if r["differences"]) or "-",
        }
        for extension, rows in extensions.items()
    ]


def instructions(root: Path, step: Step) -> Section:
    """Random programs of RV32IMC and F, instruction by instruction against QEMU."""
    step("random programs against QEMU")
    if which("qemu-system-riscv32") is None:
        failure = "random programs: not compared, qemu-system-riscv32 is not installed"
        return Section("instructions", [], failure, [failure])
    script = root / _SOC_TESTS / "lockstep.py"
    (line,) = script_lines(script, "--instructions", str(_INSTRUCTIONS))
    match = re.fullmatch(r"instructions (\d+) differences (\d+)", line)
    if match is None:
        raise BenchmarkError(f"{script.name} says '{line}'")
    record: Record = {"instructions": int(match[1]), "differences": int(match[2])}
    failures: list[str] = []
    if record["differences"] or int(match[1]) < _INSTRUCTIONS:
        failures = [f"random programs: {line}, must be {_INSTRUCTIONS} or more and 0"]
    header = ["random RV32IMC and F against QEMU: instructions", "differences"]
    text = _table(header, ["instructions", "differences"], [record])
    return Section("instructions", [record], text, failures)


def speed(root: Path, rows: Sequence[Row], step: Step) -> Section:
    """Core-cycles that a second of one core of this machine simulates, with 8 cores in a kernel's inner loop."""
    records: list[Record] = []
    for row in rows:
        if row.kernel.startswith("loop-"):
            step(f"speed: {row.kernel}")
            records.append(_speed_of(root, row))
    failures = [
        f"speed, {r['kernel']}: {r['core_cycles_per_second']} core-cycles per second, "
        f"must be {_SPEED} or more"
        for r in records
        if _number(r["core_cycles_per_second"]) < _SPEED
    ]
    header = ["speed: kernel on 8 cores", "core-cycles", "seconds", "core-cycles per second"]
    keys = ["kernel", "core_cycles", "seconds", "core_cycles_per_second"]
    return Section("speed", records, _table(header, keys, records), failures)


def _speed_of(root: Path, row: Row) -> Record:
    with temporary_folder("tinsmith-bench-") as folder:
        elf, counters = folder / "speed.elf", folder / "counters.json"
        build_layer(root, row, _SPEED_REPEATS, elf)
        before = os.times()
        simulate(elf, "--json", str(counters))
        after = os.times()
        cores = json.loads(counters.read_text(encoding="utf-8"))["cores"]
    user = after.children_user - before.children_user
    seconds = user + after.children_system - before.children_system
    # The region is the loop itself: nobody sleeps in it.
    cycles = sum(region["cycles"] for core in cores for region in core["regions"])
    return {
        "kernel": row.kernel,
        "core_cycles": cycles,
        "seconds": round(seconds, 2),
        "core_cycles_per_second": int(cycles / seconds),
    }


def random_shapes(root: Path, step: Step) -> Section:
    """Every kernel on random shapes, strides, paddings and channel counts, on the cluster with its race check."""
    totals: dict[str, list[int]] = {}
    for seed in _SEEDS:
        step(f"random shapes, seed {seed}")
        for kernel, calls, wrong in _random_calls(root, seed):
            total = totals.setdefault(kernel, [0, 0])
            total[0] += calls
            total[1] += wrong
    records: list[Record] = [
        {"kernel": kernel, "calls": calls, "differences": wrong}
        for kernel, (calls, wrong) in totals.items()
    ]
    failures = [
        f"random shapes: {r['kernel']}, {r['differences']} of {r['calls']} calls are wrong"
        for r in records
        if r["differences"]
    ]
    header = ["random shapes: kernel", "calls", "differences"]
    text = _table(header, ["kernel", "calls", "differences"], records)
    return Section("random_shapes", records, text, failures)


def _random_calls(root: Path, seed: int) -> list[tuple[str, int, int]]:
    with temporary_folder("tinsmith-bench-") as folder:
        elf = folder / "random.elf"
        build = root / _KERNEL_TESTS / "cluster_program.py"
        list(script_lines(build, str(elf), "--seed", str(seed), "--calls", str(_CALLS)))
        said = simulate(elf, "--race-check", statuses=(0, 1))  # 1: some call is wrong
    found = re.findall(r"^(.+) (\d+) calls, (\d+) wrong$", said, re.MULTILINE)
    if not found:
        raise BenchmarkError(f"random shapes: no kernel was called: {said}")
    return [(kernel, int(calls), int(wrong)) for kernel, calls, wrong in found]


def scaling(rows: Sequence[Record], bound: float) -> Section:
    """Cycles on one core by those on eight, of every layer that is measured on both."""
    cycles = {(r["kernel"], r["shape"], r["cores"]): _number(r["cycles"]) for r in rows}
    records: list[Record] = [
        {"kernel": kernel, "shape": shape, "speedup": round(one / cycles[kernel, shape, 8], 2)}
        for (kernel, shape, cores), one in cycles.items()
        if cores == 1 and (kernel, shape, 8) in cycles
    ]
    failures = [
        f"scaling: {r['kernel']} {r['shape']}: {r['speedup']}, must be {bound} or more"
        for r in records
        if _number(r["speedup"]) < bound
    ]
    header = ["1 to 8 cores: kernel", "shape", "speed-up"]
    text = _table(header, ["kernel", "shape", "speedup"], records)
    return Section("scaling", records, text, failures)


def _number(value: object) -> float:
    assert isinstance(value, int | float)
    return value


def _table(header: Sequence[str], keys: Sequence[str], records: Sequence[Record]) -> str:
    return table(header, [[_cell(record[key]) for key in keys] for record in records])


def _cell(value: object) -> str:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return thousands(value) if isinstance(value, int) else f"{value}"
