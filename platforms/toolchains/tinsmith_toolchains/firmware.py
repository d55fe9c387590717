"""Builds a program: C files of a product, the harness around it, one board, one ELF file."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tinsmith_boards import (
    harness_defines,
    harness_sources,
    include_directory,
    linker_script,
    runtime_sources,
)
from tinsmith_target import Target

from tinsmith_toolchains.cache import Cache
from tinsmith_toolchains.compilers import Compiler, CompilerName, compiler_for
from tinsmith_toolchains.errors import CompileError, DoesNotFitError, OptionError, ToolchainError
from tinsmith_toolchains.flags import flags
from tinsmith_toolchains.objects import CompiledObject, CompileJob, compile_objects
from tinsmith_toolchains.sections import Sections, firmware_sections, object_sections
from tinsmith_toolchains.tools import run_tool

_OVERFLOW = re.compile(r"will not fit in region .(?P<memory>\w+).: overflowed by (?P<bytes>\d+)")
_GNU_OVERFLOW = re.compile(r"region .(?P<memory>\w+). overflowed by (?P<bytes>\d+)")


@dataclass(frozen=True)
class Firmware:
    """A linked program.

    elf: file in the output directory; firmware.map beside it is the linker's map (boards only).
    sections: its sizes. has_layer_hook: whether its model
    reports every layer. warnings: what the compiler said, file by file; "" if nothing. cluster: whether its board's
    cluster runs it.
    """

    target: Target
    elf: Path
    sections: Sections
    compiler: str
    has_layer_hook: bool
    warnings: str
    cluster: bool = False


def build_firmware(
    target: Target,
    sources: Sequence[Path],
    *,
    output_directory: Path,
    harness: Sequence[Path] = (),
    include_directories: Sequence[Path] = (),
    defines: Sequence[str] = (),
    define_files: Mapping[Path, Sequence[str]] | None = None,
    optimize: str | None = None,
    optimize_files: Mapping[Path, str] | None = None,
    compiler: CompilerName = "zig",
    layer_hook: bool = False,
    cluster: bool = False,
    sanitize: bool = False,
    extra_flags: Sequence[str] = (),
    cache_directory: Path | None = None,
) -> Firmware:
    """Compile and link `firmware.elf` (and `.map`, `.ld` for boards) into `output_directory`.

    sources: the product (model and kernels). harness: C files that belong to the test, such as the
    model's description `harness_model.c`; the harness itself, start-up code and runtime are added.
    defines: `NAME` or `NAME=value`, for sources and harness. define_files: more of them for single
    sources. optimize: a level of flags.bzl (`debug size speed fast`), by default its default.
    optimize_files: levels of single sources.
    layer_hook: compile with TINSMITH_LAYER_HOOK.
    cluster: have the board's cluster run it; the sources must define what tinsmith/cluster.h declares.
    sanitize: AddressSanitizer and UBSan, on the host only; needs gcc.
    extra_flags: for `sources` only.

    Raises OptionError, MissingToolError, CompileError, DoesNotFitError.
    """
    if sanitize and target.cpu != "host":
        raise OptionError(f"sanitizers run on the host only, not on {target.name}")
    if cluster and target.board.cluster is None:
        raise OptionError(f"board {target.board.name} has no cluster to run a program")
    cache = Cache.at(cache_directory)
    tool = compiler_for(target.cpu, "gcc" if sanitize else compiler, cache)
    level = optimize or flags().default_optimize
    common = flags().sanitize if sanitize else ()
    hook = ("TINSMITH_LAYER_HOOK=1",) if layer_hook else ()
    jobs = [
        CompileJob(
            path,
            (*_level(path, level, optimize_files), *common, *extra_flags),
            is_harness=False,
            include_directories=tuple(include_directories),
            defines=(*defines, *(define_files or {}).get(path, ()), *hook),
        )
        for path in sources
    ]
    jobs += [
        CompileJob(
            path,
            (*flags().options(level), *common),
            is_harness=True,
            include_directories=(*include_directories, include_directory()),
            defines=tuple(defines),
        )
        for path in harness
    ]
    jobs += board_jobs(target, cluster=cluster)
    objects = compile_objects(jobs, tool, cache)
    output_directory.mkdir(parents=True, exist_ok=True)
    script = linker_script(target.board, cluster=cluster) if tool.bare else ""
    extra = flags().sanitize if sanitize else ()
    elf = _link(target, tool, objects, output_directory, script, extra)
    return Firmware(
        target=target,
        elf=elf,
        sections=_sections(tool, elf, objects),
        compiler=tool.identity,
        has_layer_hook=layer_hook,
        warnings="".join(item.warnings for item in objects),
        cluster=cluster,
    )


def _level(path: Path, level: str, files: Mapping[Path, str] | None) -> tuple[str, ...]:
    return flags().options((files or {}).get(path, level))


def board_jobs(target: Target, *, cluster: bool = False) -> list[CompileJob]:
    """Harness, start-up code and runtime; always -O2, so that options do not change their cost.

    cluster: as of `build_firmware`.
    """
    common = flags().options("speed")
    harness = [
        CompileJob(
            source.path,
            (*common, *source.flags),
            is_harness=True,
            include_directories=(include_directory(),),
            defines=harness_defines(target.board, cluster=cluster),
        )
        for source in harness_sources(target.board, cluster=cluster)
    ]
    runtime = [
        CompileJob(source.path, (*common, *source.flags), is_harness=False)
        for source in runtime_sources(target.board)
    ]
    return harness + runtime


def _link(
    target: Target,
    tool: Compiler,
    objects: Sequence[CompiledObject],
    directory: Path,
    script_text: str,
    extra: tuple[str, ...],
) -> Path:
    elf = directory / "firmware.elf"
    files = [str(item.path) for item in objects]
    command = [*tool.link_command, *extra, *files, *tool.libraries, "-o", str(elf)]
    if tool.bare:
        script = directory / "firmware.ld"
        script.write_text(script_text, encoding="utf-8")
        command += ["-T", str(script)]
        direct = tool.link_command[1:2] == ("ld.lld",)
        command.append(("" if direct else "-Wl,") + f"-Map={elf.with_suffix('.map')}")
    try:
        run_tool(command, what=f"linking for {target.name}")
    except CompileError as error:
        raise _explained(target, error) from None
    return elf


def _explained(target: Target, error: CompileError) -> ToolchainError:
    """A memory that overflowed has an error of its own; the linker names it once per section."""
    found = list(_OVERFLOW.finditer(str(error))) or list(_GNU_OVERFLOW.finditer(str(error)))
    if not found:
        return error
    worst = max(found, key=lambda match: int(match["bytes"]))
    memory = target.board.memory(worst["memory"])
    missing = int(worst["bytes"])
    message = (
        f"the program does not fit {target.board.name}: memory '{memory.name}' has "
        f"{memory.size_bytes} bytes, {memory.size_bytes + missing} are needed ({missing} too many)"
    )
    return DoesNotFitError(message, memory.name, missing)


def _sections(tool: Compiler, elf: Path, objects: Sequence[CompiledObject]) -> Sections:
    if tool.bare:
        return firmware_sections(elf)
    product = [item.path for item in objects if not item.job.is_harness]
    return object_sections(product, [item.path for item in objects if item.job.is_harness])
