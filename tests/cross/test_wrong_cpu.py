"""C generated for one target and compiled for the CPU of another: refused by the compiler, or right. Kernels of
another implementation: refused by the linker.
"""

from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from tinsmith_driver.build import build
from tinsmith_driver.compilation import Compilation
from tinsmith_driver.inputs import Samples, load_samples
from tinsmith_driver.kernel_sources import kernel_include_directories, kernel_sources
from tinsmith_driver.models import read_model
from tinsmith_driver.options import CompileOptions
from tinsmith_driver.pipelines import compile_model
from tinsmith_driver.running import compare, run_samples
from tinsmith_target import Target, target, targets
from tinsmith_toolchains import Cache, CompileError, build_firmware, compiler_for
from tinsmith_toolchains.tools import run_tool

_DIGITS = Path(__file__).parents[2] / "examples" / "digits"
_SAMPLES = 4
_SECONDS = 100.0
_TARGETS = [found.name for found in targets()]


def _kernels(name: str) -> str:
    """What the kernels of a target are built as, in the words of the refusal."""
    features = target(name).features
    return "MVE" if "mve" in features else "DSP" if "dsp" in features else "plain C"


def _first_of_each_cpu() -> Iterable[Target]:
    return {found.cpu: found for found in reversed(targets())}.values()


_BOARDS = sorted(found.name for found in _first_of_each_cpu())


@cache
def _compiled(name: str, *, packed: bool) -> Compilation:
    options = CompileOptions(target=name, packed=packed)
    return compile_model(read_model(_DIGITS / "digits_int8.tflite"), options)


@cache
def _samples() -> list[Samples]:
    graph = _compiled("host", packed=True).reference
    return [group.first(_SAMPLES) for group in load_samples(_DIGITS / "digits_test.npz", graph)]


def _write(compilation: Compilation, folder: Path) -> list[Path]:
    """The generated files, and the harness's beside them."""
    for file, content in compilation.files.items():
        (folder / file).write_bytes(content)
    harness = folder / "harness_model.c"
    harness.write_bytes(compilation.harness)
    return [folder / "digits_int8.c", harness]


@cache
def _refusal(header: str, source: str, board: str) -> str:
    """What the compiler of a board says of the generated C; "" if it takes it. Several targets share a text."""
    tool = compiler_for(target(board).cpu, "zig", Cache.at(None))
    includes = [f"-I{folder}" for folder in kernel_include_directories()]
    command = [*tool.program, *tool.includes, *tool.flags, "-std=c99", "-O0", *includes]
    with TemporaryDirectory() as folder:
        (Path(folder) / "digits_int8.h").write_text(header, encoding="utf-8")
        model = Path(folder) / "digits_int8.c"
        model.write_text(source, encoding="utf-8")
        try:
            run_tool([*command, "-c", str(model), "-o", str(model.with_suffix(".o"))], what="")
        except CompileError as error:
            return str(error)
    return ""


@pytest.mark.parametrize("packed", [True, False], ids=["packed", "public"])
@pytest.mark.parametrize("board", _BOARDS)
@pytest.mark.parametrize("name", _TARGETS)
def test_c_for_other_kernels_is_refused_and_only_that(name: str, board: str, packed: bool) -> None:
    files = _compiled(name, packed=packed).files
    header, source = (
        files[file].decode().replace(name, "ANY") for file in ("digits_int8.h", "digits_int8.c")
    )
    refusal = _refusal(header, source, board)
    wanted, found = _kernels(name), _kernels(board)
    if wanted == found or target(name).backend != "cmsis_nn":  # the others are plain C for any CPU
        assert refusal == ""
    else:
        assert f"for ANY ({wanted} kernels), but compiled for {found} kernels" in refusal


@pytest.mark.parametrize(
    ("name", "board"),
    [
        *(("host", board) for board in _BOARDS if board != "host"),
        *(("cortex-m0", board) for board in _BOARDS if _kernels(board) == "plain C"),
        *(("cortex-m4", board) for board in _BOARDS if _kernels(board) == "DSP"),
    ],
)
def test_c_that_another_cpu_takes_is_right_there(name: str, board: str, tmp_path: Path) -> None:
    compilation = replace(_compiled(name, packed=True), target=target(board))
    ran = run_samples(build(compilation, tmp_path), compilation.reference, _samples(), _SECONDS)
    assert compare(ran, compilation.reference).bit_exact


def _built_as_plain_c(kernels: Iterable[Path], folder: Path) -> list[Path]:
    """The same kernels as files that choose plain C, whatever the CPU."""
    sources: list[Path] = []
    for number, path in enumerate(kernels):
        source = folder / f"{number}_{path.name}"
        source.write_text(f'#define TINSMITH_NN_FORCE_C\n#include "{path}"\n', encoding="utf-8")
        sources.append(source)
    return sources


@pytest.mark.parametrize("name", ["cortex-m4", "cortex-m55"])
def test_kernels_of_another_implementation_do_not_link(name: str, tmp_path: Path) -> None:
    compilation = _compiled(name, packed=True)
    model, harness = _write(compilation, tmp_path)
    kernels = _built_as_plain_c(kernel_sources(compilation), tmp_path)
    wanted = _kernels(name).lower()
    with pytest.raises(CompileError, match=rf"tinsmith_convolve_packed_s8_{wanted}_v\d+"):
        build_firmware(
            target(name),
            [model, *kernels],
            harness=[harness],
            include_directories=[tmp_path, *kernel_include_directories()],
            output_directory=tmp_path / "out",
        )
