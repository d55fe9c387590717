"""Builds the test models; without compiler or emulator the tests that need it are skipped."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from tinsmith_emulators import MissingEmulatorError, need_emulator
from tinsmith_target import target
from tinsmith_toolchains import CompilerName, Firmware, MissingToolError, build_firmware

_C = Path(__file__).parent / "c"

BuildProgram = Callable[..., Firmware]


@pytest.fixture
def build_program(tmp_path: Path) -> BuildProgram:
    """`build_program(target_name, source, harness, **options)`: firmware of two files of c/."""

    def build(
        target_name: str,
        source: str,
        harness: str,
        *,
        defines: Sequence[str] = (),
        layer_hook: bool = False,
        sanitize: bool = False,
        compiler: CompilerName = "zig",
    ) -> Firmware:
        chosen = target(target_name)
        try:
            need_emulator(chosen.board)
            return build_firmware(
                chosen,
                [_C / source],
                harness=[_C / harness],
                output_directory=tmp_path / target_name / "_".join(defines),
                defines=defines,
                layer_hook=layer_hook,
                sanitize=sanitize,
                compiler=compiler,
                extra_flags=["-Werror"],
            )
        except (MissingEmulatorError, MissingToolError) as error:
            pytest.skip(str(error))

    return build


@pytest.fixture
def build_model(build_program: BuildProgram) -> BuildProgram:
    """`build_model(target_name, model_name, ...)`: firmware of one model of c/models.c."""

    def build(
        target_name: str,
        model: str,
        *,
        layers: int = 0,
        sanitize: bool = False,
        compiler: CompilerName = "zig",
    ) -> Firmware:
        return build_program(
            target_name,
            "models.c",
            "harness_model.c",
            defines=[f"MODEL_RUN={model}_run", f"MODEL_LAYERS={layers}u"],
            layer_hook=layers > 0,
            sanitize=sanitize,
            compiler=compiler,
        )

    return build
