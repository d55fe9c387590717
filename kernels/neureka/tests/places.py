"""Programs of layers.c where the accelerator, or its twin, is meant to run."""

from pathlib import Path

import pytest
from tinsmith_emulators import MissingEmulatorError, need_emulator
from tinsmith_target import target
from tinsmith_toolchains import Firmware, MissingToolError, build_firmware

ROOM = Path(__file__).parents[1]
TWINS = [("host", "host"), ("host", "host_early")]
"""Targets, and the files of this room that have start and wait for them."""

PLACES = [*TWINS, ("siracusa", "neureka")]
_NAMES_OF_TWINS = {implementation for _, implementation in TWINS}


def build(name: str, implementation: str, folder: Path, program: str = "layers.c") -> Firmware:
    """The program for a target; implementation: a file of this room, without its suffix. Twins run under sanitizers."""
    is_twin = implementation in _NAMES_OF_TWINS
    sources = [ROOM / "encode.c", ROOM / f"{implementation}.c"]
    sources += [ROOM / "twin.c"] if is_twin else [ROOM.parent / "cluster" / "pulp.c"]
    try:
        need_emulator(target(name).board)
        return build_firmware(
            target(name),
            sources,
            harness=[ROOM / "tests" / program],
            include_directories=[ROOM.parent / "include"],
            output_directory=folder,
            cluster=not is_twin,
            sanitize=is_twin,
            extra_flags=["-Werror"],
        )
    except (MissingEmulatorError, MissingToolError) as error:
        pytest.skip(str(error))
