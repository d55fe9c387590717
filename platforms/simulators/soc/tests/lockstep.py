"""Runs random programs on the simulator and on QEMU, and compares them instruction by instruction.

    python lockstep.py --instructions 1000000 --seed 20

prints `instructions N differences D` and what differs first in each program; its exit status is 1 if anything does.
Before every instruction, its address and all x and f registers must be the same. The flags and the rounding mode
show in x registers, as the programs read them after every instruction that may change them: not every QEMU
prints them. A program that differs is not followed any further, and counts as one difference.
"""

import argparse
import fcntl
import functools
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from random_blocks import program as random_program
from support import CHIP, link, program

_RAM = 0x80000000
_QEMU_EXIT = {"finish": 0x100000, "finish_value": 0x5555}
_SOC_EXIT = {"finish": 0x1A1040A0, "finish_value": 0x80000000}
_PIPE_BYTES = 1 << 20
_BLOCKS, _LENGTH, _REPEATS = 40, 100, 4  # of a program: some 30000 instructions

# QEMU's account of a state begins here, with the pc behind as many blanks as its version wants; registers follow
# as `x10/a0   0000002a`, those of floating point with 16 digits, of which the first are ffffffff.
_DUMP = b"\n pc "
_REGISTER = re.compile(rb"[xf]\d+/(\w+) +((?:ffffffff)?[0-9a-f]{8})\b")
_EFFECT = re.compile(rb" ([a-z]+\d*)=([0-9a-f]{8})\b")

# Columns of the simulator's log.
_PC = slice(14, 22)
_EFFECTS = 22
_BEGIN, _DONE = b"# fc begin\n", b"# fc done\n"


class ComparisonError(Exception):
    """A simulator did not run as it should have."""


@dataclass(frozen=True)
class Comparison:
    instructions: int
    differences: int
    report: str = ""


@functools.cache
def find_qemu() -> tuple[str, ...] | None:
    """QEMU with the options to run one instruction at a time; None if it is not installed."""
    qemu = shutil.which("qemu-system-riscv32")
    if qemu is None:
        return None
    text = subprocess.run([qemu, "--version"], capture_output=True, text=True, check=True).stdout
    version = re.search(r"version (\d+)\.(\d+)", text)
    if version is None:
        raise ComparisonError(f"{qemu} --version says '{text.strip()}': not a QEMU?")
    is_new = (int(version[1]), int(version[2])) >= (8, 1)
    return (qemu, *(("-accel", "tcg,one-insn-per-tb=on") if is_new else ("-singlestep",)))


@contextmanager
def _running(command: list[str], log_option: str) -> Generator[BinaryIO]:
    """What a command writes to the file that its option `log_option` names; ended when it is not wanted any more."""
    reader, writer = os.pipe()
    fcntl.fcntl(reader, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)
    with tempfile.TemporaryFile() as messages:
        process = subprocess.Popen(
            [*command, log_option, f"/dev/fd/{writer}"],
            pass_fds=(writer,),
            stdin=subprocess.DEVNULL,
            stdout=messages,
            stderr=messages,
        )
        os.close(writer)
        try:
            with os.fdopen(reader, "rb") as stream:
                yield stream
        finally:
            process.kill()
            process.wait()
            messages.seek(0)
            sys.stderr.write(messages.read().decode(errors="replace"))


def dumps(stream: BinaryIO) -> Iterator[bytes]:
    """QEMU's states, from the digits of the pc on."""
    rest, is_first = b"", True
    while block := os.read(stream.fileno(), _PIPE_BYTES):
        parts = (rest + block).split(_DUMP)
        rest = parts.pop()
        yield from (part.lstrip() for part in (parts[1:] if is_first and parts else parts))
        is_first = is_first and not parts
    yield rest.lstrip()


class _State:
    """The simulator's registers, written into the place of QEMU's."""

    def __init__(self, dump: bytes, lines: list[bytes]) -> None:
        """dump: QEMU's at the same place. lines: of all that the simulator has executed so far."""
        places = {match[1]: match.span(2) for match in _REGISTER.finditer(dump)}
        if len(places) != 64:
            raise ComparisonError(f"QEMU does not print registers as expected:\n{dump.decode()}")
        self._start = dump.rindex(b"\n", 0, min(start for start, _ in places.values())) + 1
        self._end = max(end for _, end in places.values())
        # Between the two kinds of registers QEMU 11 prints fflags, frm and fcsr: programs read them into registers.
        spans = sorted(places.values())
        self._below, self._above = spans[31][1] - self._start, spans[32][0] - self._start
        self._bytes = bytearray(dump[self._start : self._end])
        self._places = {
            name: slice(end - 8 - self._start, end - self._start)
            for name, (_, end) in places.items()
        }
        for line in lines:
            self.apply(line)

    def equals(self, dump: bytes) -> bool:
        theirs = dump[self._start : self._end]
        ours, below, above = bytes(self._bytes), self._below, self._above
        return theirs[:below] == ours[:below] and theirs[above:] == ours[above:]

    def is_repeated(self, dump: bytes, before: bytes) -> bool:
        """True if two states of QEMU have the same pc and registers."""
        now, then = dump[self._start : self._end], before[self._start : self._end]
        below, above = self._below, self._above
        return dump[:8] == before[:8] and (now[:below], now[above:]) == (then[:below], then[above:])

    def apply(self, line: bytes) -> None:
        for name, value in _EFFECT.findall(line, _EFFECTS):
            if name in self._places:
                self._bytes[self._places[name]] = value

    def difference(self, dump: bytes) -> str:
        theirs = dump[self._start : self._end]
        names = [
            f"{name.decode()} is {self._bytes[place].decode()}, on QEMU {theirs[place].decode()}"
            for name, place in self._places.items()
            if bytes(self._bytes[place]) != theirs[place]
        ]
        return "\n".join(
            [*names, "the simulator's registers:", self._bytes.decode(), "QEMU's:", theirs.decode()]
        )


def _instructions(log: BinaryIO, end: bytes) -> Iterator[bytes]:
    """The lines of instructions before line `end`, which must come."""
    last = b""
    for line in log:
        if line == end:
            return
        if not line.startswith(b"#"):
            yield line
            last = line
    raise ComparisonError(f"the simulator stopped early, after\n{last.decode()}")


def _follow(log: BinaryIO, dumps: Iterator[bytes]) -> Comparison:
    """Compares from `begin` to `done`, or to the first difference."""
    preparation = list(_instructions(log, _BEGIN))
    state: _State | None = None
    last, count, before = b"(none)\n", 0, b""
    for line in _instructions(log, _DONE):
        dump = next((dump for dump in dumps if state or dump.startswith(line[_PC])), None)
        # QEMU 11 says a state once more when it has to begin an instruction again, if need be with other control
        # registers: a load that begins for the second time has made floating point dirty.
        while (
            dump is not None and state and dump[:8] != line[_PC] and state.is_repeated(dump, before)
        ):
            dump = next(dumps, None)
        if dump is None:
            raise ComparisonError(f"QEMU stopped early, after\n{last.decode()}")
        state = state or _State(dump, preparation)
        if dump[:8] != line[_PC] or not state.equals(dump):
            pcs = f"next pc {line[_PC].decode()}, on QEMU {dump[:8].decode()}"
            report = f"after instruction {count}:\n{last.decode()}{pcs}\n{state.difference(dump)}\n"
            return Comparison(count, 1, report)
        state.apply(line)
        last, count, before = line, count + 1, dump
    return Comparison(count, 0)


def compare(
    source: str,
    folder: Path,
    *,
    qemu: dict[str, int] | None = None,
    soc: dict[str, int] | None = None,
) -> Comparison:
    """Follows a program as `random_blocks.program` makes them.

    qemu, soc: further symbols, for the one and for the other.
    Raises ComparisonError if one of the two does not run, or ends early.
    """
    command = find_qemu()
    if command is None:
        raise ComparisonError("qemu-system-riscv32 is not installed")
    folders = {name: folder / name for name in ("qemu", "soc")}
    for path in folders.values():
        path.mkdir(exist_ok=True)
    elf = link(source, folders["qemu"], text=_RAM, symbols=_QEMU_EXIT | (qemu or {}))
    machine = ["-M", "virt", "-m", "32M", "-bios", "none", "-display", "none", "-monitor", "none"]
    on_qemu = [*command, *machine, "-serial", "null", "-d", "nochain,cpu,fpu", "-kernel", str(elf)]
    elf = link(source, folders["soc"], text=_RAM, symbols=_SOC_EXIT | (soc or {}))
    ram = ["--set", f"l2_base={_RAM}", "--set", f"l2_bytes={32 << 20}", "--set", "cluster_cores=1"]
    on_soc = [str(program("soc")), "--chip", str(CHIP), *ram, str(elf)]
    with _running(on_soc, "--log") as log, _running(on_qemu, "-D") as stream:
        return _follow(log, dumps(stream))


def compare_random(instructions: int, seed: int, folder: Path) -> Comparison:
    """Follows random programs until so many instructions, or a few more, are compared."""
    compared, differences, reports = 0, 0, ""
    while compared < instructions:
        text = random_program(random.Random(seed), _BLOCKS, _LENGTH, _REPEATS)
        result = compare(text, folder)
        compared += result.instructions
        differences += result.differences
        if result.report:
            reports += f"seed {seed}, {result.report}"
        seed += 1
    return Comparison(compared, differences, reports)


def main() -> int:
    parser = argparse.ArgumentParser(description="Compares the simulator with QEMU.")
    parser.add_argument("--instructions", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=20, help="of the first program")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        result = compare_random(arguments.instructions, arguments.seed, Path(folder))
    print(f"instructions {result.instructions} differences {result.differences}")
    sys.stderr.write(result.report)
    return 1 if result.differences else 0


if __name__ == "__main__":
    sys.exit(main())
