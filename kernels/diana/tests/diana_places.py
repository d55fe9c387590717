"""Programs of this folder where the accelerator's twin is meant to run."""

from pathlib import Path

import pytest
from tinsmith_emulators import MissingEmulatorError, need_emulator
from tinsmith_target import target
from tinsmith_toolchains import Firmware, MissingToolError, build_firmware

ROOM = Path(__file__).parents[1]
TWINS = ["host", "host_early"]
"""Files of this room that have start and wait for a computer."""


def build(implementation: str, folder: Path) -> Firmware:
    """layers.c with a twin, under sanitizers."""
    sources = ["encode.c", f"{implementation}.c", "twin.c", "src/call.c"]
    try:
        need_emulator(target("host").board)
        return build_firmware(
            target("host"),
            [ROOM / source for source in sources],
            harness=[ROOM / "tests" / "layers.c"],
            include_directories=[ROOM.parent / "include", ROOM / "include"],
            output_directory=folder,
            sanitize=True,
            extra_flags=["-Werror"],
        )
    except (MissingEmulatorError, MissingToolError) as error:
        pytest.skip(str(error))
