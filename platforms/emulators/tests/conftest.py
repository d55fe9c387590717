"""Builds the test models; a missing compiler or emulator skips the tests that need it and says so."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tinsmith_emulators import MissingEmulatorError, find_qemu
from tinsmith_target import Target, target
from tinsmith_toolchains import Firmware, MissingToolError, build_firmware

_C = Path(__file__).parent / "c"

BuildModel = Callable[..., Firmware]


@pytest.fixture
def build_model(tmp_path: Path) -> BuildModel:
    """`build_model(target_name, model_name, ...)`: firmware of one model of c/models.c."""

    def build(
        target_name: str,
        model: str,
        *,
        layers: int = 0,
        sources: tuple[str, ...] = ("models.c",),
        sanitize: bool = False,
    ) -> Firmware:
        chosen = target(target_name)
        require_emulator(chosen)
        try:
            return build_firmware(
                chosen,
                [_C / name for name in sources],
                harness=[_C / "harness_model.c"],
                output_directory=tmp_path / target_name / model,
                defines=[f"MODEL_RUN={model}_run", f"MODEL_LAYERS={layers}u"],
                layer_hook=layers > 0,
                sanitize=sanitize,
            )
        except MissingToolError as error:
            pytest.skip(str(error))

    return build


def require_emulator(chosen: Target) -> None:
    """Skip the test unless what runs `chosen` is installed."""
    if chosen.board.emulator is not None:
        try:
            find_qemu(chosen.board.emulator.program)
        except MissingEmulatorError as error:
            pytest.skip(str(error))
