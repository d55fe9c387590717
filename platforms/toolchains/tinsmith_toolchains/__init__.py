"""Compilers, flags, an object cache and the linking of firmware."""

from tinsmith_toolchains.cache import Cache, content_key, default_cache_directory
from tinsmith_toolchains.cluster import build_cluster_program
from tinsmith_toolchains.compilers import Compiler, CompilerName, compiler_for
from tinsmith_toolchains.elf import Section, Symbol, read_sections, read_symbols
from tinsmith_toolchains.errors import (
    CompileError,
    DoesNotFitError,
    FullDiskError,
    MissingToolError,
    OptionError,
    ToolchainError,
    UnwritableCacheError,
)
from tinsmith_toolchains.firmware import Firmware, build_firmware
from tinsmith_toolchains.flags import CpuFlags, Flags, flags
from tinsmith_toolchains.guard import temporary_folder
from tinsmith_toolchains.processes import Children, Finished
from tinsmith_toolchains.sections import Sections, firmware_sections, object_sections
from tinsmith_toolchains.tools import Zig, find_program, find_zig

__all__ = [
    "Cache",
    "Children",
    "CompileError",
    "Compiler",
    "CompilerName",
    "CpuFlags",
    "DoesNotFitError",
    "Finished",
    "Firmware",
    "Flags",
    "FullDiskError",
    "MissingToolError",
    "OptionError",
    "Section",
    "Sections",
    "Symbol",
    "ToolchainError",
    "UnwritableCacheError",
    "Zig",
    "build_cluster_program",
    "build_firmware",
    "compiler_for",
    "content_key",
    "default_cache_directory",
    "find_program",
    "find_zig",
    "firmware_sections",
    "flags",
    "object_sections",
    "read_sections",
    "read_symbols",
    "temporary_folder",
]
