"""Building: sizes by origin, the object cache, and errors a person can act on."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from tinsmith_target import target
from tinsmith_toolchains import (
    Cache,
    CompileError,
    DoesNotFitError,
    Firmware,
    MissingToolError,
    OptionError,
    build_firmware,
    compiler_for,
    find_zig,
    read_symbols,
)
from tinsmith_toolchains.objects import CompileJob, compile_objects

_MODEL = """\
#include <stdint.h>
#include "size.h"
int model_run(void *arena);
static const int8_t net_weights_dense[1000] = {1, 2, 3, [999] = 4};
const int16_t net_table[50] = {1, [49] = 2};
static uint32_t state[25];
static uint32_t seed = 7;
int model_unused(int x) { return x * 3; }
int model_run(void *arena) {
  uint8_t *const bytes = arena;
  const volatile int8_t *const weights = net_weights_dense;
  const volatile int16_t *const table = net_table;
  volatile uint32_t *const words = state;
  words[bytes[0] & 15] = *(volatile uint32_t *)&seed + SIZE;
  uint32_t sum = 0;
  for (int i = 0; i < bytes[0]; ++i) {
    sum += bytes[i] * 3u;
  }
  words[17] = sum;
  bytes[1] = (uint8_t)(weights[bytes[0]] + table[bytes[0] & 31] + (int)words[1]);
  return 0;
}
"""
_HARNESS = """\
#include "tinsmith_harness.h"
int model_run(void *arena);
static uint8_t arena[ARENA_BYTES] TINSMITH_HARNESS_ARENA;
static const tinsmith_harness_tensor_t tensors[] = {{.offset = 0u, .bytes = 4u}};
const tinsmith_harness_model_t tinsmith_harness_model = {
    .name = "test",
    .arena = arena,
    .arena_bytes = sizeof(arena),
    .input_count = 1u,
    .inputs = tensors,
    .output_count = 1u,
    .outputs = tensors,
    .layer_count = 0u,
    .run = model_run,
};
"""


@pytest.fixture(autouse=True)
def need_zig() -> None:
    try:
        find_zig()
    except MissingToolError as error:
        pytest.skip(str(error))


def _build(
    directory: Path,
    name: str = "cortex-m4",
    *,
    model: str = _MODEL,
    arena: int = 256,
    sanitize: bool = False,
    optimize: str | None = None,
    optimize_files: Mapping[Path, str] | None = None,
    define_files: Mapping[Path, Sequence[str]] | None = None,
) -> Firmware:
    (directory / "model.c").write_text(model)
    (directory / "harness_model.c").write_text(_HARNESS)
    if not (directory / "size.h").exists():
        (directory / "size.h").write_text("#define SIZE 1\n")
    return build_firmware(
        target(name),
        [directory / "model.c"],
        harness=[directory / "harness_model.c"],
        include_directories=[directory],
        defines=[f"ARENA_BYTES={arena}"],
        output_directory=directory / "out",
        sanitize=sanitize,
        optimize=optimize,
        optimize_files=optimize_files,
        define_files=define_files,
        extra_flags=["-Werror"],
    )


@pytest.mark.parametrize("name", ["cortex-m0", "cortex-m4", "cortex-m55", "riscv32"])
def test_sizes_tell_weights_constants_data_and_arena_apart(name: str, tmp_path: Path) -> None:
    sections = _build(tmp_path, name).sections

    assert sections.weights == 1000
    assert 100 <= sections.rodata <= 104
    assert sections.data == 4
    assert sections.bss == 100
    assert sections.arena == 256
    assert 20 < sections.code < 500
    assert sections.flash == sections.code + sections.rodata + 1000 + 4
    assert sections.ram == 256 + 100 + 4
    assert sections.stack == target(name).board.stack_bytes
    assert sections.harness_flash > 500


def test_unused_functions_are_dropped(tmp_path: Path) -> None:
    names = {symbol.name for symbol in read_symbols(_build(tmp_path).elf)}

    assert "model_run" in names
    assert "model_unused" not in names


def test_weights_of_the_m55_lie_in_its_sram(tmp_path: Path) -> None:
    symbols = {symbol.name: symbol for symbol in read_symbols(_build(tmp_path, "cortex-m55").elf)}

    assert 0x0100_0000 <= symbols["net_weights_dense"].address < 0x0120_0000


@pytest.mark.parametrize("name", ["siracusa", "host"])
def test_weights_of_an_accelerator_lie_in_its_memory(name: str, tmp_path: Path) -> None:
    section = '__attribute__((section(".rodata.tinsmith_in_weights")))'
    model = _MODEL.replace("net_weights_dense[1000]", f"net_weights_dense[1000] {section}")
    made = _build(tmp_path, name, model=model)
    assert made.sections.weights == 1000
    if name == "siracusa":
        symbols = {symbol.name: symbol for symbol in read_symbols(made.elf)}
        assert symbols["net_weights_dense"].address == 0x1040_0000


def test_second_build_compiles_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TINSMITH_CACHE_DIR", str(tmp_path / "cache"))
    _build(tmp_path)
    objects = {path: path.stat().st_mtime_ns for path in (tmp_path / "cache").rglob("*.o")}

    _build(tmp_path)

    assert len(objects) == 10
    assert {p: p.stat().st_mtime_ns for p in (tmp_path / "cache").rglob("*.o")} == objects


def test_changed_header_is_noticed(tmp_path: Path) -> None:
    before = _build(tmp_path).elf.read_bytes()
    (tmp_path / "size.h").write_text("#define SIZE 200\n")

    assert _build(tmp_path).elf.read_bytes() != before


def test_same_sources_make_the_same_bytes_in_any_directory(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()

    assert _build(tmp_path / "a").elf.read_bytes() == _build(tmp_path / "b").elf.read_bytes()


def test_compiler_rt_is_the_same_bytes_in_any_directory(tmp_path: Path) -> None:
    archives = [
        Path(compiler_for("cortex-m0", "zig", Cache(tmp_path / name)).libraries[0]).read_bytes()
        for name in ("a", "b")
    ]

    assert archives[0] == archives[1]


def test_equal_sources_of_two_names_are_two_objects(tmp_path: Path) -> None:
    """Each has its own name in it."""
    jobs = [CompileJob(tmp_path / name, (), is_harness=False) for name in ("a.c", "b.c")]
    for job in jobs:
        job.source.write_text("int same(void);\nint same(void) { return 1; }\n")
    cache = Cache(tmp_path / "cache")

    first, second = compile_objects(jobs, compiler_for("cortex-m4", "zig", cache), cache)

    assert b"a.c" in first.path.read_bytes()
    assert b"b.c" in second.path.read_bytes()


def test_macros_that_a_source_does_not_use_do_not_compile_it_again(tmp_path: Path) -> None:
    source = tmp_path / "a.c"
    source.write_text("int answer(void);\nint answer(void) { return SIZE; }\n")
    jobs = [
        CompileJob(source, (), is_harness=False, defines=defines)
        for defines in (("SIZE=1",), ("SIZE=1", "UNUSED=2"), ("SIZE=2",))
    ]
    cache = Cache(tmp_path / "cache")

    one, same, other = compile_objects(jobs, compiler_for("cortex-m4", "zig", cache), cache)

    assert one.path == same.path != other.path


def test_warnings_name_no_folder(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text('#include "a.h"\n')
    (tmp_path / "headers").mkdir()
    (tmp_path / "headers" / "a.h").write_text("static inline int f(void) { int y; return 1; }\n")
    cache = Cache(tmp_path / "cache")
    job = CompileJob(
        tmp_path / "a.c",
        ("-Wall",),
        is_harness=False,
        include_directories=(tmp_path / "headers",),
    )

    (built,) = compile_objects([job], compiler_for("cortex-m4", "zig", cache), cache)

    assert "a.h:1:33: warning: unused variable" in built.warnings
    assert str(tmp_path) not in built.warnings


def test_single_files_have_a_level_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    path = tmp_path / "b" / "model.c"

    whole = _build(tmp_path / "a", optimize="size").sections.code
    single = _build(tmp_path / "b", optimize_files={path: "size"}).sections.code

    assert whole == single < _build(tmp_path / "b").sections.code


def test_single_files_have_definitions_of_their_own(tmp_path: Path) -> None:
    """What the file has already, a compiler told to be strict does not take a second time."""
    again = ["ARENA_BYTES=1"]
    _build(tmp_path, define_files={tmp_path / "harness_model.c": again})
    with pytest.raises(CompileError, match="ARENA_BYTES"):
        _build(tmp_path, define_files={tmp_path / "model.c": again})


def test_too_large_an_arena_says_how_much_is_missing(tmp_path: Path) -> None:
    with pytest.raises(
        DoesNotFitError, match=r"nrf51822-qfac: memory 'ram' has 32768 bytes"
    ) as error:
        _build(tmp_path, "cortex-m0", arena=40_000)

    assert error.value.memory == "ram"
    assert 40_000 - 32_768 < error.value.overflow_bytes < 40_000 - 32_768 + 4096 + 400


def test_broken_source_shows_the_compilers_message(tmp_path: Path) -> None:
    (tmp_path / "size.h").write_text("#define SIZE unknown_name\n")

    with pytest.raises(CompileError, match=r"compiling model\.c failed:[\s\S]*unknown_name"):
        _build(tmp_path)


def test_missing_header_is_named_without_the_rest_of_the_program(tmp_path: Path) -> None:
    (tmp_path / "size.h").write_text('#define LINE_BEFORE 1\nint before;\n#include "absent.h"\n')

    with pytest.raises(CompileError, match=r"absent\.h.*not found") as error:
        _build(tmp_path)

    assert "int before;" not in str(error.value)


def test_sanitizers_are_for_the_host(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="on the host only") as error:
        _build(tmp_path, sanitize=True)

    assert error.value.exit_status == 2


def test_a_compiler_that_is_not_for_the_cpu_is_wrong_use(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="use the zig compiler"):
        compiler_for("riscv32", "gcc", Cache(tmp_path))


def test_sizes_of_a_host_program_are_those_of_its_objects(tmp_path: Path) -> None:
    sections = _build(tmp_path, "host").sections

    assert sections.weights == 1000
    assert sections.arena == 256
    assert sections.bss == 100
