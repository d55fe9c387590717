"""Runs firmware on an emulator or on the host and measures it."""

from tinsmith_emulators.counters import CoreCounts
from tinsmith_emulators.errors import (
    EmulatorError,
    FirmwareCrashError,
    FirmwareTimeoutError,
    MissingEmulatorError,
    OutputError,
)
from tinsmith_emulators.machine import need_emulator, need_trace
from tinsmith_emulators.qemu import find_qemu
from tinsmith_emulators.runner import RunResult, count_layers, run, trace

__all__ = [
    "CoreCounts",
    "EmulatorError",
    "FirmwareCrashError",
    "FirmwareTimeoutError",
    "MissingEmulatorError",
    "OutputError",
    "RunResult",
    "count_layers",
    "find_qemu",
    "need_emulator",
    "need_trace",
    "run",
    "trace",
]
