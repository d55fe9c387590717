"""C generated for one target and compiled for the CPU of another: refused by the compiler, or right. Kernels of
another implementation: refused by the linker.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

import pytest
from tinsmith_driver.build import build
from tinsmith_driver.inputs import Samples, load_samples
from tinsmith_driver.kernel_sources import kernel_include_directories, kernel_sources
from tinsmith_driver.options import CompileOptions
from tinsmith_driver.pipelines import Compilation, compile_model, read_model
from tinsmith_driver.running import compare, run_samples
from tinsmith_target import Target, target, targets
from tinsmith_toolchains import CompileError, build_firmware

_DIGITS = Path(__file__).parents[2] / "examples" / "digits"
_SAMPLES = 4
_TIMEOUT_SECONDS = 100.0
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


@dataclass
class _Outcomes:
    """What became of each text of C on each board: several targets are given the same one."""

    folder: Path
    known: dict[tuple[str, str], str | int] = field(
        default_factory=dict[tuple[str, str], str | int]
    )

    def of(self, compilation: Compilation, board: str) -> str | int:
        """What the compiler said when it refused; else how many output bytes were wrong."""
        source = compilation.files["digits_int8.c"].decode()
        key = (source.replace(compilation.target.name, "any"), board)
        if key not in self.known:
            self.known[key] = self._try(replace(compilation, target=target(board)))
        return self.known[key]

    def _try(self, compilation: Compilation) -> str | int:
        folder = self.folder / str(len(self.known))
        folder.mkdir()
        try:
            built = build(compilation, folder)
        except CompileError as error:
            return str(error)
        ran = run_samples(built, compilation.reference, _samples(), _TIMEOUT_SECONDS)
        wrong = compare(ran, compilation.reference).mismatches
        assert wrong is not None
        return wrong


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> _Outcomes:
    return _Outcomes(tmp_path_factory.mktemp("outcomes"))


@pytest.mark.parametrize("packed", [True, False], ids=["packed", "public"])
@pytest.mark.parametrize("board", _BOARDS)
@pytest.mark.parametrize("name", _TARGETS)
def test_c_for_a_target_on_a_board_is_refused_or_right(
    name: str, board: str, packed: bool, outcomes: _Outcomes
) -> None:
    compilation = _compiled(name, packed=packed)
    outcome = outcomes.of(compilation, board)
    wanted, found = _kernels(name), _kernels(board)
    if wanted == found or compilation.target.backend == "reference":
        assert outcome == 0
    else:
        refusal = f"for {name} ({wanted} kernels), but compiled for a CPU of {found} kernels"
        assert refusal.split(maxsplit=2)[2] in str(outcome)


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
    for file, content in compilation.files.items():
        (tmp_path / file).write_bytes(content)
    harness = tmp_path / "harness_model.c"
    harness.write_bytes(compilation.harness)
    kernels = _built_as_plain_c(kernel_sources(compilation), tmp_path)
    wanted = _kernels(name).lower()
    with pytest.raises(CompileError, match=rf"tinsmith_convolve_packed_s8_{wanted}_v\d+"):
        build_firmware(
            target(name),
            [tmp_path / "digits_int8.c", *kernels],
            harness=[harness],
            include_directories=[tmp_path, *kernel_include_directories()],
            output_directory=tmp_path / "out",
        )
