"""Programs of this folder where the accelerator, or its twin, is meant to run."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from diana_layouts import Bytes
from tinsmith_emulators import MissingEmulatorError, need_emulator, run
from tinsmith_target import Target, target
from tinsmith_toolchains import Firmware, MissingToolError, build_firmware

ROOM = Path(__file__).parents[1]
TWINS = ["host", "host_early"]
"""Files of this room that have start and wait for a computer."""

DRIVER = "diana"
"""That for the chip."""

PLACES = [*TWINS, DRIVER]

ANALOG_TWIN = "analog_host"
ANALOG_DRIVER = "analog"
"""Likewise for the analog accelerator."""

_ENCODED = {DRIVER: ["encode.c", "src/call.c"], ANALOG_DRIVER: ["analog_encode.c"]}
_SOURCES = {
    **{twin: [*_ENCODED[DRIVER], "twin.c"] for twin in TWINS},
    ANALOG_TWIN: [*_ENCODED[ANALOG_DRIVER], "analog_twin.c"],
    **_ENCODED,
}
"""What goes with each."""

_MOVED_BYTES = 64 * 1024


def build(
    implementation: str,
    folder: Path,
    program: str = "layers.c",
    also: str | None = None,
    chip: str = "diana",
) -> Firmware:
    """A program with a file of this room, named without its suffix, or two. Twins run under sanitizers. chip: target
    of what is no twin.
    """
    is_twin = implementation in (*TWINS, ANALOG_TWIN)
    sources = [
        source
        for each in (implementation, also)
        if each is not None
        for source in (f"{each}.c", *_SOURCES[each])
    ]
    place = target("host") if is_twin else roomy_chip(chip)
    try:
        need_emulator(place.board)
        return build_firmware(
            place,
            [ROOM / source for source in sources],
            harness=[ROOM / "tests" / program],
            include_directories=[ROOM.parent / "include", ROOM / "include"],
            output_directory=folder,
            sanitize=is_twin,
            extra_flags=["-Werror"],
        )
    except (MissingEmulatorError, MissingToolError) as error:
        pytest.skip(str(error))


def roomy_chip(name: str = "diana") -> Target:
    """The chip of that name with more of its L2 for arrays than networks want, and less for weights: programs hold
    images of L1.
    """
    chip = target(name)
    board = chip.board
    weights, arena = (board.memory(name) for name in (board.weight_memory, board.arena_home))
    changed = {
        weights.name: replace(weights, size_bytes=weights.size_bytes - _MOVED_BYTES),
        arena.name: replace(
            arena, origin=arena.origin - _MOVED_BYTES, size_bytes=arena.size_bytes + _MOVED_BYTES
        ),
    }
    memories = tuple(changed.get(memory.name, memory) for memory in board.memories)
    return replace(chip, board=replace(board, memories=memories))


def images_after(firmware: Firmware, inputs: Sequence[bytes]) -> list[Bytes]:
    """What runs of layers.c leave."""
    result = run(firmware, firmware.target, inputs)
    return [np.frombuffer(output, np.uint8) for output in result.outputs]
