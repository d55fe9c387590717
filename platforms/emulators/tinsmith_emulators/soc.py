"""Finds the simulator of PULP-class chips and says how it is called for a board."""

from pathlib import Path

from tinsmith_soc import MissingSimulatorError, chip, simulator
from tinsmith_target import SocSimulator

from tinsmith_emulators.errors import MissingEmulatorError


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
