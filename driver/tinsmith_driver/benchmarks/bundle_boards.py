"""Bundles built as others build them, by CMake and GCC or by the ziglang wheel's clang, and run on emulated boards.

What a bundle lacks on purpose, start-up, linker script and a `printf`, is the board's: here that of the test harness.
"""

from collections.abc import Sequence
from pathlib import Path

from tinsmith_boards import (
    harness_defines,
    harness_sources,
    include_directory,
    linker_script,
    runtime_include_directory,
    runtime_sources,
)
from tinsmith_emulators.machine import command
from tinsmith_emulators.process import run_process
from tinsmith_target import Target
from tinsmith_toolchains import Cache, compiler_for, find_program, flags
from tinsmith_toolchains.objects import CompileJob, compile_objects
from tinsmith_toolchains.tools import run_tool

from tinsmith_driver.plugins import registry

_TIMEOUT_SECONDS = 300
_WARNINGS = "-Wall -Wextra -Werror"

# As much of a C library as example/main.c asks for.
_STDIO = "int printf(const char *format, ...);\n"
_PRINTF = """\
#include <stdarg.h>
#include <stdint.h>

#include "port.h"

int printf(const char *format, ...);

static void print_integer(int32_t value) {
  char digits[12];
  char *first = digits + sizeof digits - 1u;
  uint32_t rest = value < 0 ? 0u - (uint32_t)value : (uint32_t)value;
  *first = '\\0';
  do {
    *--first = (char)('0' + rest % 10u);
    rest /= 10u;
  } while (rest != 0u);
  if (value < 0) {
    *--first = '-';
  }
  port_print(first);
}

int printf(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  for (; *format != '\\0'; ++format) {
    if (*format != '%') {
      const char one[2] = {*format, '\\0'};
      port_print(one);
    } else if (*++format == 's') {
      port_print(va_arg(arguments, const char *));
    } else {
      print_integer(va_arg(arguments, int));
    }
  }
  va_end(arguments);
  return 0;
}
"""


def built_by_clang(folders: Sequence[Path], main: Path, target: Target, place: Path) -> Path:
    """The program of bundles and a main file, all compiled with their `src/` as only folders of headers.

    place: a folder for what is made. Raises CompileError, also for warnings.
    """
    tool = compiler_for(target.cpu, "zig", Cache.at(None))
    includes = tuple(folder / "src" for folder in folders)
    own = (*flags().options("speed"), "-Wpedantic", "-Werror")
    sources = [path for folder in folders for path in sorted((folder / "src").glob("*.c"))]
    jobs = [CompileJob(path, own, False, includes) for path in (*sources, main)]
    if tool.bare:
        (place / "stdio.h").write_text(_STDIO, encoding="utf-8")
        jobs[-1] = CompileJob(main, own, False, (*includes, place))
        jobs += _board_jobs(target, place)
    cache = Cache.at(None)
    objects = [str(found.path) for found in compile_objects(jobs, tool, cache)]
    elf = place / "program.elf"
    archive = place / "bundles.a"
    count = len(sources)
    zig = tool.program[0]
    run_tool([zig, "ar", "rcsD", str(archive), *dict.fromkeys(objects[:count])], what="packing")
    script = ["-T", str(_script(target, place))] if tool.bare else []
    libraries = [str(archive), *tool.libraries]
    run_tool(
        [*tool.link_command, *objects[count:], *libraries, *script, "-o", str(elf)], what="linking"
    )
    return elf


def built_by_cmake(folder: Path, target: Target, place: Path, *, library: str) -> Path:
    """The check of a bundle by CMake, and GCC for the target: gcc, arm-none-eabi-gcc or riscv64-unknown-elf-gcc.

    library: its name in CMake. Raises MissingToolError, CompileError.
    """
    find_program("cmake", "cmake")
    arguments = [f"-DCMAKE_C_FLAGS={_WARNINGS}"]
    if target.cpu != "host":
        toolchain = place / "toolchain.cmake"
        toolchain.write_text(_toolchain(target, place), encoding="utf-8")
        arguments = [f"-DCMAKE_TOOLCHAIN_FILE={toolchain}"]
    made = place / "build"
    configure = ["cmake", "-S", str(folder), "-B", str(made), "-DCMAKE_BUILD_TYPE=Release"]
    run_tool([*configure, *arguments], what="configuring")
    run_tool(["cmake", "--build", str(made), "-j2"], what="building")
    return made / f"{library}_check"


def printed(target: Target, elf: Path, place: Path) -> str:
    """What a program prints on its board; with its status behind it if that is not 0."""
    finished = run_process(
        command(target.board, elf.resolve(), registry().runners), place, _TIMEOUT_SECONDS
    )
    return finished.text + (f"status {finished.status}" if finished.status else "")


def _board_jobs(target: Target, place: Path) -> list[CompileJob]:
    """Start-up, a `printf`, and what stands in for a C library."""
    common = flags().options("speed")
    board = [
        CompileJob(path, (*common, *more), True, (include_directory(),), defines)
        for path, more, defines in _board_sources(target, place)
    ]
    runtime = [
        CompileJob(source.path, (*common, *source.flags), False)
        for source in runtime_sources(target.board)
    ]
    return [*board, *runtime]


def _board_sources(
    target: Target, place: Path
) -> list[tuple[Path, tuple[str, ...], tuple[str, ...]]]:
    """Files, flags and definitions of what is around main()."""
    shim = place / "printf.c"
    shim.write_text(_PRINTF, encoding="utf-8")
    defines = harness_defines(target.board)
    harness = harness_sources(target.board)
    around = [source for source in harness if source.path.name != "harness.c"]
    return [(shim, ("-ffreestanding",), ()), *((s.path, s.flags, defines) for s in around)]


def _script(target: Target, place: Path) -> Path:
    script = place / "board.ld"
    script.write_text(linker_script(target.board), encoding="utf-8")
    return script


def _toolchain(target: Target, place: Path) -> str:
    """A toolchain file for CMake. The board's own files are compiled here: no bundle has them."""
    cpu = flags().cpu(target.cpu)
    if cpu.gcc is None:
        # Without a C library, GCC has headers of its own for freestanding programs alone.
        gcc, own = "riscv64-unknown-elf-gcc", ["-ffreestanding", *cpu.clang[1:]]
    else:
        gcc, own = "arm-none-eabi-gcc", list(cpu.gcc)
    program = str(find_program(gcc, gcc.removesuffix("-gcc")))
    (place / "stdio.h").write_text(_STDIO, encoding="utf-8")
    headers = [f"-isystem{folder}" for folder in (place, runtime_include_directory())]
    objects = [
        _compiled([program, *own, *headers], path, (*more, *defines), place)
        for path, more, defines in (*_board_sources(target, place), *_runtime(target))
    ]
    link = ["-nostdlib", "-Wl,--gc-sections", f"-Wl,-T,{_script(target, place)}", *objects]
    return f"""\
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_C_COMPILER {program})
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(CMAKE_C_FLAGS "{" ".join([*own, *headers, _WARNINGS])}")
set(CMAKE_EXE_LINKER_FLAGS_INIT "{" ".join(link)}")
set(CMAKE_C_STANDARD_LIBRARIES "-lgcc")
"""


def _compiled(command: Sequence[str], path: Path, options: Sequence[str], place: Path) -> str:
    """The object of a file of the board's, under a name by which linker scripts know it."""
    made = str(place / f"{path.stem}.tinsmith_harness.o")
    # GNU's assembler counts instructions for control registers apart.
    own = [f"{flag}_zicsr" if flag.startswith("-march=") else flag for flag in command]
    defines = [option if option.startswith("-") else f"-D{option}" for option in options]
    arguments = [*own, "-O2", *defines, f"-I{include_directory()}", "-c", str(path), "-o", made]
    run_tool(arguments, what=f"compiling {path.name}")
    return made


def _runtime(target: Target) -> list[tuple[Path, tuple[str, ...], tuple[str, ...]]]:
    return [(source.path, source.flags, ()) for source in runtime_sources(target.board)]
