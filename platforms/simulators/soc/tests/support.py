"""Assembles small programs and runs the simulator on them."""

import json
import os
import random
import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from unittest import SkipTest

from tinsmith_soc import chip, simulator
from tinsmith_toolchains import find_zig

_HERE = Path(__file__).parent
CHIP = chip("pulp-open")
SIRACUSA = chip("siracusa")
GAP9 = chip("gap9")
DIANA = chip("diana")
TOY = ("--part", "device toy toy base=0x10201000")

# The C compiler of kernels never gets xcvbitmanip (its ctlz is wrong); assembly may have it.
MARCH = "rv32imfc_zicsr_zifencei_xcvalu_xcvbi_xcvbitmanip_xcvelw_xcvmac_xcvmem_xcvsimd"

EXIT_OUT_OF_CYCLES = 124
EXIT_FAULT = 125
EXIT_USE = 126


def program(name: str) -> Path:
    """A binary of this package, beside the simulator. Raises SkipTest, which pytest knows, too, if it is not there."""
    found = simulator().parent / name
    if not found.is_file():
        raise SkipTest(f"not built: bazel build //platforms/simulators/soc:{name}")
    return found


def count(name: str, default: int) -> int:
    """How much of a random test to run: $TINSMITH_SOC_<name>, or what fits a quick test."""
    return int(os.environ.get(f"TINSMITH_SOC_{name}", default))


def seeded() -> random.Random:
    return random.Random(int(os.environ.get("TINSMITH_SOC_SEED", "20")))


def assemble(source: str, folder: Path) -> Path:
    """An object file of assembly text."""
    text = folder / "program.S"
    text.write_text(source, encoding="utf-8")
    target = folder / "program.o"
    options = ["--target=riscv32-unknown-elf", f"-march={MARCH}", "-mabi=ilp32f", "-c"]
    _run_zig("clang", *options, "-I", str(_HERE), "-o", str(target), str(text))
    return target


def link(
    source: str,
    folder: Path,
    *,
    text: int = 0x1C008000,
    symbols: dict[str, int],
    sections: str = "",
) -> Path:
    """An executable with its code, from `_start` on, at `text`, its data behind; `symbols` are defined.

    sections: further output sections in the language of linker scripts.
    """
    script = folder / "program.ld"
    script.write_text(
        "ENTRY(_start)\nSECTIONS {\n"
        f"  . = {text:#x};\n"
        "  .text : { *(.text .text.*) }\n"
        "  .data : { *(.data .data.* .rodata .rodata.*) }\n"
        "  .bss : { *(.bss .bss.* COMMON) }\n"
        f"  {sections}\n"
        "  /DISCARD/ : { *(.riscv.attributes .comment) }\n}\n",
        encoding="utf-8",
    )
    target = folder / "program.elf"
    defined = [f"--defsym={name}={value:#x}" for name, value in symbols.items()]
    object_file = str(assemble(source, folder))
    _run_zig("ld.lld", "-T", str(script), *defined, "-o", str(target), object_file)
    return target


def _run_zig(tool: str, *arguments: str) -> None:
    result = subprocess.run(
        [find_zig().executable, tool, *arguments], capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr


def disassemble(elf: Path) -> list[str]:
    """The text of each instruction, in order."""
    command = [program("soc"), "--disassemble", elf]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    return re.findall(r"^[0-9a-f]{8}: +[0-9a-f]+  (.*)$", result.stdout, re.MULTILINE)


@dataclass(frozen=True)
class Counters:
    cycles: int
    instructions: int
    classes: dict[str, int]
    stalls: dict[str, int]


@dataclass(frozen=True)
class Core:
    total: Counters
    functions: dict[str, Counters]
    regions: dict[int, Counters]
    stages: dict[int, Counters]


@dataclass(frozen=True)
class Run:
    status: int
    output: str
    messages: str
    cores: list[Core] = field(default_factory=list[Core])
    bytes_out: bytes = b""


def simulate(elf: Path, *options: str) -> Run:
    """Runs a program; its exit status, output, messages and counters."""
    report = elf.with_suffix(".json")
    report.unlink(missing_ok=True)
    command = [program("soc"), "--chip", CHIP, "--json", report, *options, elf]
    result = subprocess.run(command, capture_output=True, check=False, timeout=600)
    cores: list[Core] = []
    if report.exists():
        cores = [_core(core) for core in json.loads(report.read_text(encoding="utf-8"))["cores"]]
    output, messages = result.stdout.decode(errors="replace"), result.stderr.decode()
    return Run(result.returncode, output, messages, cores, result.stdout)


HEAD = '#include "cluster.inc"\n.globl _start\n_start:\n'
_FAIL = "\nfail:\n li t0, EXIT\n li t1, 1 << 31\n or t1, t1, s10\n sw t1, 0(t0)\n"


def check(register: str, value: str, number: int) -> str:
    """Ends the program with exit status `number` unless the register holds the value."""
    return f" li s10, {number}\n li s9, {value}\n bne {register}, s9, fail\n"


def checks(*expected: tuple[str, str]) -> str:
    """Checks of registers, numbered from 1."""
    return "".join(check(register, value, i + 1) for i, (register, value) in enumerate(expected))


def run_checked(body: str, folder: Path, *options: str, cores: int = 1) -> None:
    """Runs a program with `check`s on so many cores of the cluster, or (0) on the fabric controller."""
    source = f"{HEAD}{body}\n exit_with 0\n{_FAIL}"
    flags = ("--start-cluster", "--set", f"cluster_cores={cores}") if cores else ()
    limit = ("--most-cycles", "1000000")
    run = simulate(link(source, folder, symbols={}), *flags, *limit, *options)
    assert run.status == 0, f"check {run.status}: {run.messages}"


def _core(record: dict[str, object]) -> Core:
    parsed = json.loads(json.dumps(record))
    return Core(
        _counters(parsed),
        {function["name"]: _counters(function) for function in parsed["functions"]},
        {region["region"]: _counters(region) for region in parsed["regions"]},
        {stage["stage"]: _counters(stage) for stage in parsed["stages"]},
    )


def _counters(record: dict[str, object]) -> Counters:
    parsed = json.loads(json.dumps(record))
    return Counters(parsed["cycles"], parsed["instructions"], parsed["classes"], parsed["stalls"])


@dataclass(frozen=True)
class Slice:
    """Of a trace. began, ended: cycles."""

    name: str
    began: int
    ended: int
    details: dict[str, str]


def read_trace(path: Path) -> dict[str, list[Slice]]:
    """The slices of each track by the track's name, in the file's order."""
    events = json.loads(path.read_text(encoding="utf-8"))["traceEvents"]
    names = {e["tid"]: e["args"]["name"] for e in events if e["name"] == "thread_name"}
    tracks: dict[str, list[Slice]] = {name: [] for name in names.values()}
    for e in events:
        if e["ph"] == "X":
            track = tracks[names[e["tid"]]]
            track.append(Slice(e["name"], e["ts"], e["ts"] + e["dur"], e["args"]))
    return tracks
