"""`check` and the memories of a board: its yes means that `verify` links."""

import base64
from pathlib import Path

import pytest
from tinsmith_driver import commands, room
from tinsmith_driver.build import built
from tinsmith_driver.cli import main
from tinsmith_driver.compilation import Compilation
from tinsmith_driver.kernel_sources import kernel_include_directories, library_sources
from tinsmith_driver.models import read_model
from tinsmith_driver.options import CompileOptions
from tinsmith_driver.pipelines import compile_model
from tinsmith_target import target
from tinsmith_toolchains import (
    Cache,
    DoesNotFitError,
    MissingToolError,
    Symbol,
    compiler_for,
    flags,
    object_sections,
    read_sections,
    read_symbols,
)
from tinsmith_toolchains.objects import CompileJob, compile_objects
from tinsmith_toolchains.tools import run_tool


def test_check_counts_the_code_beside_the_constants(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--target", "cortex-m0"]
    # Of 262,144 bytes of flash; weights, and a bias, a multiplier and a shift as the kernel reads them.
    fits, does_not_fit = _network(tmp_path, 3_800), _network(tmp_path, 3_850)

    assert main(["check", fits, *options]) == 0
    assert "258,432 bytes of constants; " in capsys.readouterr().out
    assert main(["check", does_not_fit, *options]) == 1
    assert "memory 'flash' has 262144 bytes, " in capsys.readouterr().err


def test_check_links_nothing_where_there_is_ample_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: object) -> None:
        raise AssertionError("linked")

    monkeypatch.setattr(room, "built", fail)

    assert main(["check", _network(tmp_path, 100), "--target", "cortex-m0"]) == 0
    assert main(["check", _network(tmp_path, 4_040), "--target", "cortex-m4"]) == 0


def test_check_says_that_it_could_not_count_code_without_a_compiler(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(_: object) -> None:
        raise MissingToolError("the C compiler is absent")

    monkeypatch.setattr(commands, "linked", fail)

    assert main(["check", _network(tmp_path, 10), "--target", "cortex-m0"]) == 0
    assert "is unknown: the C compiler is absent" in capsys.readouterr().err


def test_verify_does_without_counts_by_layer_where_only_they_do_not_fit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object, compare: bool) -> None:
        raise DoesNotFitError("the program does not fit", "flash", 1)

    monkeypatch.setattr(commands, "with_layers", fail)
    arguments = ["verify", _network(tmp_path, 10), "--target", "host"]

    assert main(arguments) == 0
    assert "no counts by layer: " in capsys.readouterr().err
    assert main([*arguments, "--layers"]) == 1


def test_functions_of_kernels_are_found_in_the_product(tmp_path: Path) -> None:
    compilation = _compilation(tmp_path, 10, CompileOptions("cortex-m0", backend="reference"))
    library = {"tinsmith_fully_connected_s8"}

    found = room.called_functions(compilation)

    assert found >= library
    # Besides, words that stand before a parenthesis: of the language, and of the hook for layers.
    assert {name for name in found if name.startswith("tinsmith_")} == library
    assert len(found) <= 6


@pytest.mark.parametrize(
    "options",
    [CompileOptions("cortex-m4", optimize="fast"), CompileOptions("cortex-m4", compiler="gcc")],
    ids=["fast", "gcc"],
)
def test_what_is_compiled_otherwise_than_measured_is_linked(
    tmp_path: Path, options: CompileOptions
) -> None:
    assert room.has_ample_room(_compilation(tmp_path, 10, CompileOptions("cortex-m4")))
    assert not room.has_ample_room(_compilation(tmp_path, 10, options))


def test_what_calls_a_library_that_is_not_measured_is_linked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compilation = _compilation(tmp_path, 10, CompileOptions("cortex-m4", backend="reference"))
    monkeypatch.setattr(room, "MEASURED_LIBRARIES", frozenset({"cmsis_nn"}))

    assert not room.has_ample_room(compilation)


@pytest.mark.parametrize("name", ["cortex-m0", "cortex-m55", "riscv32"])
def test_every_function_of_the_libraries_stays_below_its_bound(name: str, tmp_path: Path) -> None:
    cache = Cache.at(None)
    tool = compiler_for(target(name).cpu, "zig", cache)
    options = flags().options(flags().default_optimize)
    folders = tuple(kernel_include_directories())
    jobs = [
        CompileJob(path, options, is_harness=False, include_directories=folders)
        for path in library_sources(room.MEASURED_LIBRARIES)
    ]
    objects = [item.path for item in compile_objects(jobs, tool, cache)]
    names = sorted(
        {symbol.name for path in objects for symbol in read_symbols(path) if _is_function(symbol)}
    )
    output = tmp_path / "functions.elf"

    def flash(functions: list[str]) -> int:
        """Of a program of these functions and of what they call, bytes of code and constants."""
        roots = [option for function in functions for option in ("-u", function)]
        files = [str(path) for path in objects]
        command = [*tool.link_command, *files, *tool.libraries, *roots, "-e", functions[0]]
        run_tool([*command, "-o", str(output)], what="linking functions")
        sections = read_sections(output)
        return sum(item.size_bytes for item in sections if item.is_allocated and item.has_content)

    def largest(functions: list[str]) -> tuple[int, list[str]]:
        """As many bytes as one of the functions has at most; what is small together needs no look at each."""
        size = flash(functions)
        if size <= room.FUNCTION_AT_MOST or len(functions) == 1:
            return size, functions
        half = len(functions) // 2
        return max(largest(functions[:half]), largest(functions[half:]))

    assert flash(names) > room.FUNCTION_AT_MOST  # they are all there
    size, functions = largest(names)
    assert size <= room.FUNCTION_AT_MOST, functions
    assert object_sections(objects, []).ram == 0


@pytest.mark.parametrize("name", ["cortex-m0", "cortex-m55", "riscv32", "pulp-open"])
def test_what_is_there_without_kernels_stays_below_its_bounds(name: str, tmp_path: Path) -> None:
    options = CompileOptions(name, backend="reference")
    with built(_compilation(tmp_path, 10, options)) as build:
        sections = build.firmware.sections

    assert sections.harness_flash > 0
    assert sections.flash + sections.harness_flash <= room.REST_AT_MOST
    assert sections.ram - sections.arena + sections.harness_ram <= room.STATIC_RAM_AT_MOST


def _is_function(symbol: Symbol) -> bool:
    return symbol.section == f".text.{symbol.name}"


def _compilation(directory: Path, outputs: int, options: CompileOptions) -> Compilation:
    return compile_model(read_model(Path(_network(directory, outputs))), options)


def _network(directory: Path, outputs: int) -> str:
    """A model file of one layer with 64 * outputs bytes of weights, no two rows the same."""
    rows = (
        bytes((row * 7 + i * (row // 256 + 1)) % 256 for i in range(64)) for row in range(outputs)
    )
    weights = base64.b64encode(b"".join(rows)).decode()
    path = directory / f"{outputs}.tsm"
    path.write_text(
        f"""graph 2 "network" {{
  input %x: i8[1,64]<0.5, 0>
  const %w: i8[{outputs},64]<0.25, 0> = base64 "{weights}"
  %y: i8[1,{outputs}]<1.0, 0> = fully_connected(%x, %w)
  output %y
}}
"""
    )
    return str(path)
