"""Programs for PULP clusters, around a runtime of a few lines."""

from pathlib import Path

import pytest
from tinsmith_toolchains import (
    CompileError,
    MissingToolError,
    build_cluster_program,
    find_zig,
    read_sections,
    read_symbols,
)

_LINKER_SCRIPT = """\
ENTRY(_start)
SECTIONS {
  . = 0x1c008000;
  .text : { *(.text .text.*) }
  .rodata : { *(.rodata .rodata.*) }
  .l1 0x10000000 (NOLOAD) : { *(.l1 .l1.*) }
}
stacks = 0x10000000 + __l1_bytes - 8 * __core_stack_bytes;
ASSERT(SIZEOF(.l1) <= __l1_bytes, "the .l1 variables do not fit")
"""
_START = """\
#include "runtime.h"
void _start(void);
void _start(void) { runtime_exit(main()); }
"""
_HEADER = """\
int main(void);
void runtime_exit(int status);
#define L1 __attribute__((section(".l1")))
"""


@pytest.fixture(autouse=True)
def need_zig() -> None:
    try:
        find_zig()
    except MissingToolError as error:
        pytest.skip(str(error))


@pytest.fixture
def runtime(tmp_path: Path) -> Path:
    folder = tmp_path / "runtime"
    for name, text in {
        "pulp_open.ld": _LINKER_SCRIPT,
        "src/start.c": _START,
        "src/exit.c": '#include "runtime.h"\nvoid runtime_exit(int status) { for (;;) (void)status; }\n',
        "include/runtime.h": _HEADER,
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def _build(
    source: str, runtime: Path, *, l1_bytes: int = 65536, core_stack_bytes: int = 2048
) -> tuple[Path, str]:
    """The program of one file, and what the compiler said."""
    path, elf = runtime.parent / "program.c", runtime.parent / "program.elf"
    path.write_text(f'#include "runtime.h"\n{source}', encoding="utf-8")
    warnings = build_cluster_program(
        [path],
        elf,
        runtime=runtime,
        defines=["SIZE=24"],
        l1_bytes=l1_bytes,
        core_stack_bytes=core_stack_bytes,
    )
    return elf, warnings


def test_program_is_linked_with_the_runtime_by_its_script(runtime: Path) -> None:
    elf, warnings = _build("L1 char near[SIZE];\nint main(void) { return near[0]; }\n", runtime)

    symbols = {symbol.name: symbol for symbol in read_symbols(elf)}
    assert warnings == ""
    assert {"_start", "main", "runtime_exit"} <= set(symbols)
    assert (symbols["near"].address, symbols["near"].size_bytes) == (0x1000_0000, 24)
    assert [s.address for s in read_sections(elf) if s.name == ".text"] == [0x1C00_8000]


def test_sizes_of_memory_and_stacks_reach_the_script(runtime: Path) -> None:
    source = "int main(void) { return 0; }\n"
    for l1_bytes, core_stack_bytes in ((65536, 2048), (262144, 1024)):
        elf, _ = _build(source, runtime, l1_bytes=l1_bytes, core_stack_bytes=core_stack_bytes)
        (stacks,) = [symbol.address for symbol in read_symbols(elf) if symbol.name == "stacks"]
        assert stacks == 0x1000_0000 + l1_bytes - 8 * core_stack_bytes


def test_code_may_use_what_the_cores_know_but_not_bit_manipulation(runtime: Path) -> None:
    use = 'int main(void) {{ int a = 1; __asm__("{}" : "+r"(a)); return a; }}\n'
    _build(use.format("cv.mac %0, %0, %0"), runtime)
    _build(use.format("cv.sdotsp.b %0, %0, %0"), runtime)
    with pytest.raises(CompileError, match="CORE-V Bit Manipulation"):
        _build(use.format("cv.fl1 %0, %0"), runtime)


def test_memory_functions_and_divisions_are_there(runtime: Path) -> None:
    source = """
#include <stdint.h>
#include <string.h>
L1 char a[SIZE], b[SIZE];
L1 volatile int64_t wide;
int main(void) {
  memcpy(a, b, (unsigned)wide);
  return (int)(wide / (wide + 3));
}
"""
    elf, _ = _build(source, runtime)
    assert {"memcpy", "__divdi3"} <= {symbol.name for symbol in read_symbols(elf)}


def test_warnings_are_returned(runtime: Path) -> None:
    _, warnings = _build("int main(void) { int unused; return 0; }\n", runtime)
    assert "unused variable" in warnings


def test_errors_say_which_step_failed(runtime: Path) -> None:
    with pytest.raises(CompileError, match=r"compiling program\.c failed"):
        _build("int main(void) { return x; }\n", runtime)
    with pytest.raises(CompileError, match=r"linking for the cluster failed[\s\S]*absent"):
        _build("int absent(void);\nint main(void) { return absent(); }\n", runtime)
    with pytest.raises(CompileError, match=r"the \.l1 variables do not fit"):
        _build("L1 char near[2048];\nint main(void) { return near[0]; }\n", runtime, l1_bytes=1024)
