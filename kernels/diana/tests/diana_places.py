"""Programs of this folder where the accelerator, or its twin, is meant to run."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from diana_layouts import Bytes
from tinsmith_emulators import MissingEmulatorError, need_emulator, run
from tinsmith_target import Board, Memory, SocSimulator, Target, target
from tinsmith_toolchains import Firmware, MissingToolError, build_firmware

ROOM = Path(__file__).parents[1]
TWINS = ["host", "host_early"]
"""Files of this room that have start and wait for a computer."""

DRIVER = "diana"
"""That for the chip."""

PLACES = [*TWINS, DRIVER]

_KIB = 1024


def chip() -> Target:
    """DIANA's host, its programs in the part of L2 that accelerators reach."""
    board = Board(
        name="diana",
        description="DIANA's host, simulated with CORE-V: the shared 448 KB of L2",
        architecture="riscv",
        memories=(
            Memory("l2_data", 0x1C01_0000, 192 * _KIB, "ram"),
            Memory("l2_code", 0x1C04_0000, 256 * _KIB, "flash"),
        ),
        code_memory="l2_code",
        weight_memory="l2_code",
        data_memory="l2_data",
        stack_bytes=16 * _KIB,
        clock_hz=260_000_000,
        emulator=SocSimulator("diana"),
        source="platforms/simulators/soc/chips/diana.soc",
    )
    return replace(target("gap9"), name="diana", description=board.description, board=board)


def build(implementation: str, folder: Path, program: str = "layers.c") -> Firmware:
    """A program with a file of this room, named without its suffix. Twins run under sanitizers."""
    is_twin = implementation in TWINS
    sources = ["encode.c", f"{implementation}.c", "src/call.c", *(["twin.c"] if is_twin else [])]
    place = target("host") if is_twin else chip()
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


def images_after(firmware: Firmware, inputs: Sequence[bytes]) -> list[Bytes]:
    """What runs of layers.c leave."""
    result = run(firmware, firmware.target, inputs)
    return [np.frombuffer(output, np.uint8) for output in result.outputs]
