"""Finds the simulator of PULP-class chips and says how it is called for a board."""

import re
from pathlib import Path

from tinsmith_plugins import Runner
from tinsmith_soc import MissingSimulatorError, chip, simulator
from tinsmith_target import Board, SocSimulator

from tinsmith_emulators.errors import MissingEmulatorError

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
    return [str(find_simulator()), "--chip", str(chip(emulator.chip)), "--semihosting", str(elf)]


def is_stack_overflow(board: Board, report: str) -> bool:
    """Whether the simulator's report of a fault is of an access right below the stack, which lies at
    the lower end of the data memory. Right below: less than the stack's size.
    """
    found = _NOWHERE.search(report)
    if found is None:
        return False
    below = board.memory(board.data_memory).origin - int(found["address"], 16)
    return 0 < below <= board.stack_bytes


def _simulator(board: Board) -> SocSimulator:
    assert isinstance(board.emulator, SocSimulator)
    return board.emulator


def _crash_reason(board: Board, report: str) -> str:
    if is_stack_overflow(board, report):
        return f"stack overflow: more than {board.stack_bytes} bytes"
    return ""


SIMULATOR = Runner(
    SocSimulator,
    find=lambda _: find_simulator(),
    command=lambda board, elf: soc_command(_simulator(board), elf),
    cycles_source=lambda board: f"tinsmith_soc, chip {_simulator(board).chip}: cycle-approximate",
    crash_reason=_crash_reason,
)
"""Runs boards whose emulator is a `SocSimulator`."""
