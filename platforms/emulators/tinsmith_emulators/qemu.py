"""Finds QEMU and says how it is called for a board."""

import functools
import re
import shutil
from pathlib import Path

from tinsmith_plugins import Runner
from tinsmith_target import Board, Qemu
from tinsmith_toolchains import Children

from tinsmith_emulators.errors import MissingEmulatorError

_OLDEST = (7, 0)
_PACKAGES = {
    "qemu-system-arm": "qemu-system-arm",
    "qemu-system-riscv32": "qemu-system-misc",
}


@functools.cache
def find_qemu(program: str) -> Path:
    """The QEMU program on PATH, checked to be 7.0 or newer.

    Raises MissingEmulatorError if it is absent or older; the message says what to install.
    """
    found = shutil.which(program)
    if found is None:
        package = _PACKAGES.get(program, program)
        raise MissingEmulatorError(
            f"{program} is not installed; on Debian: apt-get install {package}"
        )
    said = Children().run([found, "--version"]).output
    check_version(program, said.decode("utf-8", "replace"))
    return Path(found)


def check_version(program: str, text: str) -> None:
    """Raise MissingEmulatorError unless `text`, QEMU's answer to --version, names 7.0 or newer."""
    match = re.search(r"version (\d+)\.(\d+)", text)
    if match is None:
        raise MissingEmulatorError(f"{program} --version says '{text.strip()}': not a QEMU?")
    version = (int(match[1]), int(match[2]))
    if version < _OLDEST:
        raise MissingEmulatorError(
            f"{program} is version {version[0]}.{version[1]}; 7.0 or newer is needed"
        )


def qemu_command(emulator: Qemu, elf: Path) -> list[str]:
    """The command line: no display, no monitor, semihosting files in the current directory, and a
    virtual clock that advances by instructions, so that counting is exact and repeatable.
    """
    return [
        str(find_qemu(emulator.program)),
        *emulator.arguments,
        *("-display", "none", "-monitor", "none", "-serial", "none", "-no-user-config"),
        *("-semihosting-config", "enable=on,target=native"),
        # With sleep, the clock follows the computer's while QEMU starts: one run in eight counted one instruction less.
        *("-icount", f"sleep=off,shift={emulator.icount_shift}"),
        *("-kernel", str(elf)),
    ]


def _qemu(board: Board) -> Qemu:
    assert isinstance(board.emulator, Qemu)
    return board.emulator


QEMU = Runner(
    Qemu,
    find=lambda board: find_qemu(_qemu(board).program),
    command=lambda board, elf: qemu_command(_qemu(board), elf),
    cycles_source=lambda _: "none: QEMU counts instructions, not cycles",
)
"""Runs boards whose emulator is a `Qemu`."""
