"""Start-up code, runtime, linker scripts and test harness of the boards."""

from tinsmith_boards.linker_script import linker_script
from tinsmith_boards.sources import (
    HarnessSource,
    harness_defines,
    harness_sources,
    include_directory,
    runtime_include_directory,
    runtime_sources,
)

__all__ = [
    "HarnessSource",
    "harness_defines",
    "harness_sources",
    "include_directory",
    "linker_script",
    "runtime_include_directory",
    "runtime_sources",
]
