"""Runs firmware on an emulator or on the host and measures it."""

from tinsmith_emulators.errors import (
    EmulatorError,
    FirmwareCrashError,
    FirmwareTimeoutError,
    MissingEmulatorError,
    OutputError,
)
from tinsmith_emulators.machine import need_emulator
from tinsmith_emulators.qemu import find_qemu
from tinsmith_emulators.runner import RunResult, run

__all__ = [
    "EmulatorError",
    "FirmwareCrashError",
    "FirmwareTimeoutError",
    "MissingEmulatorError",
    "OutputError",
    "RunResult",
    "find_qemu",
    "need_emulator",
    "run",
]
