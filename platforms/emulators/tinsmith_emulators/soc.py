"""Finds the simulator of PULP-class chips and says how it is called for a board."""

import re
from pathlib import Path

from tinsmith_plugins import Runner
from tinsmith_soc import MissingSimulatorError, chip, simulator
from tinsmith_target import Board, SocSimulator

from tinsmith_emulators.counters import COUNTERS_FILE
from tinsmith_emulators.errors import MissingEmulatorError

TRACE_FILE = "trace.json"
_NOWHERE = re.compile(r"at 0x(?P<address>[0-9a-f]{8}): nothing is there")


def find_simulator() -> Path:
    """The simulator's program; compiled here, once, if nobody has.

    Raises MissingEmulatorError if that cannot be; the message says what to do.
    """
    try:
        return simulator()
    except MissingSimulatorError as error:
        raise MissingEmulatorError(str(error)) from None


def soc_command(emulator: SocSimulator, elf: Path) -> list[str]:
    """The command line: semihosting files in the current directory, on the fabric controller."""
    changes = [word for it in emulator.constants for word in ("--set", f"{it.name}={it.value}")]
    described = ["--chip", str(chip(emulator.chip)), *changes]
    return [str(find_simulator()), *described, "--semihosting", str(elf)]


def is_stack_overflow(board: Board, report: str) -> bool:
    """Whether the simulator's report of a fault is of an access right below a stack, which lies at the lower end of
    the data memory, that of a cluster's core 0 at that of its memory. Right below: less than the stack's size.
    """
    return bool(_full_stack(board, report))


def _full_stack(board: Board, report: str) -> int:
    """The size of the stack that the report is about, in bytes; 0 if it is about something else."""
    found = _NOWHERE.search(report)
    if found is None:
        return 0
    stacks = {board.data_memory: board.stack_bytes}
    if board.cluster is not None:
        stacks[board.cluster.memory] = board.cluster.stack_bytes
    address = int(found["address"], 16)
    return next(
        (size for name, size in stacks.items() if 0 < board.memory(name).origin - address <= size),
        0,
    )


def _simulator(board: Board) -> SocSimulator:
    assert isinstance(board.emulator, SocSimulator)
    return board.emulator


def _crash_reason(board: Board, report: str) -> str:
    size = _full_stack(board, report)
    return f"stack overflow: more than {size} bytes" if size else ""


SIMULATOR = Runner(
    SocSimulator,
    find=lambda _: find_simulator(),
    command=lambda board, elf: soc_command(_simulator(board), elf),
    cycles_source=lambda board: f"tinsmith_soc, chip {_simulator(board).chip}: cycle-approximate",
    crash_reason=_crash_reason,
    counting=("--race-check", "--json", COUNTERS_FILE),
    tracing=("--trace", TRACE_FILE),
)
"""Runs boards whose emulator is a `SocSimulator`."""
