"""The compilers: how each one compiles a file for a CPU and links a program."""

import platform
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tinsmith_boards import runtime_include_directory

from tinsmith_toolchains.cache import Cache, content_key
from tinsmith_toolchains.errors import OptionError
from tinsmith_toolchains.flags import flags
from tinsmith_toolchains.tools import find_program, find_zig, run_tool

# Before any header of the compiler's own C library: string.h of the boards.
_RUNTIME_INCLUDE = ("-isystem", str(runtime_include_directory()))

CompilerName = Literal["zig", "gcc"]
"""`zig`: clang and lld of the ziglang wheel. `gcc`: arm-none-eabi-gcc, or gcc for the host."""


@dataclass(frozen=True)
class Compiler:
    """A compiler bound to a CPU.

    program: command without options. includes: options that say where its own headers are.
    flags: options for the CPU. link_command: what links objects. libraries: what is linked last.
    identity: name and version. bare: whether programs run without an operating system, with
    start-up code and linker script.
    """

    program: tuple[str, ...]
    includes: tuple[str, ...]
    flags: tuple[str, ...]
    link_command: tuple[str, ...]
    libraries: tuple[str, ...]
    identity: str
    bare: bool


def compiler_for(cpu: str, name: CompilerName, cache: Cache) -> Compiler:
    """The compiler `name` for `cpu`, a key of flags.bzl.

    Raises MissingToolError if it is not installed, OptionError if it does not know the CPU.
    """
    if cpu == "host":
        return _host_zig() if name == "zig" else _host_gcc()
    return _bare_zig(cpu, cache) if name == "zig" else _bare_gcc(cpu)


def _host_zig() -> Compiler:
    zig = find_zig()
    # Any computer's CPU: native would tie the cached objects to one machine. Zig has stubs of every
    # glibc and links against an old one in 4 s; musl it has to compile first, which takes 30 s.
    library = "gnu.2.28" if platform.libc_ver()[0] == "glibc" else "musl"
    target = f"{platform.machine()}-linux-{library}"
    options = ("-target", target, "-mcpu=baseline", "-fno-sanitize=undefined")
    program = (str(zig.executable), "cc")
    identity = f"zig {zig.version}"
    return Compiler(program, (), options, (*program, *options), (), identity, bare=False)


def _host_gcc() -> Compiler:
    gcc = str(find_program("gcc", "gcc"))
    return Compiler((gcc,), (), (), (gcc,), (), _gcc_identity(gcc), bare=False)


def _bare_zig(cpu: str, cache: Cache) -> Compiler:
    zig = find_zig()
    cpu_flags = flags().cpu(cpu)
    runtime = _compiler_rt(cpu_flags.zig_target, cpu_flags.zig_cpu, cache)
    return Compiler(
        program=(str(zig.executable), "clang"),
        includes=("-resource-dir", str(zig.library), "-nostdlibinc", *_RUNTIME_INCLUDE),
        flags=(*cpu_flags.clang, *flags().clang),
        link_command=(str(zig.executable), "ld.lld", *flags().link),
        libraries=(str(runtime),),
        identity=f"zig {zig.version}",
        bare=True,
    )


def _bare_gcc(cpu: str) -> Compiler:
    cpu_flags = flags().cpu(cpu).gcc
    if cpu_flags is None:
        raise OptionError(f"gcc is not supported for '{cpu}'; use the zig compiler")
    gcc = str(find_program("arm-none-eabi-gcc", "gcc-arm-none-eabi"))
    link_flags = tuple(f"-Wl,{option}" for option in _joined(flags().link))
    return Compiler(
        program=(gcc,),
        includes=_RUNTIME_INCLUDE,
        flags=cpu_flags,
        link_command=(gcc, *cpu_flags, "-nostdlib", "-static", *link_flags),
        libraries=("-lgcc",),
        identity=_gcc_identity(gcc),
        bare=True,
    )


def _gcc_identity(gcc: str) -> str:
    return run_tool([gcc, "--version"]).splitlines()[0]


def _joined(options: Sequence[str]) -> list[str]:
    """Linker options as gcc passes them on: `-z name` has to stay one `-Wl,` argument."""
    joined: list[str] = []
    for option in options:
        if joined and joined[-1] == "-z":
            joined[-1] = f"-z,{option}"
        else:
            joined.append(option)
    return joined


def _compiler_rt(zig_target: str, zig_cpu: str, cache: Cache) -> Path:
    """compiler-rt (64-bit arithmetic, divisions, soft float) of the wheel, built once per CPU."""
    zig = find_zig()
    options = ("-target", zig_target, f"-mcpu={zig_cpu}", "-O", "ReleaseSmall", "-fstrip")
    separate = ("-ffunction-sections", "-fdata-sections")
    key = content_key([zig.version, *options, *separate])

    def build(path: Path) -> None:
        source = zig.library / "compiler_rt.zig"
        # In two steps: in the archives of build-lib stand the names of temporary folders.
        object_file = path.with_suffix(".o")
        command = [str(zig.executable), "build-obj", *options, *separate, str(source)]
        run_tool([*command, f"-femit-bin={object_file}"], what="building compiler-rt")
        archive = [str(zig.executable), "ar", "rcsD", str(path), str(object_file)]
        run_tool(archive, what="packing compiler-rt")

    return cache.get_or_create(f"compiler-rt/{key}.a", build)
