"""Copies by both of DIANA's accelerators: what they move, and that they go on beside a layer and one another."""

from pathlib import Path

import numpy as np
import pytest
from tinsmith_emulators import MissingEmulatorError, need_emulator, run
from tinsmith_target import target
from tinsmith_toolchains import MissingToolError, build_firmware

ROOM = Path(__file__).parents[1]
DIANA = ROOM.parent / "diana"
_BYTES = 4096


@pytest.fixture(scope="module")
def given() -> bytes:
    return np.random.default_rng(0).integers(0, 256, _BYTES, np.uint8).tobytes()


@pytest.fixture(scope="module")
def outputs(given: bytes, tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, ...]:
    """What was seen, in words; then what was copied to L1 and back alone, beside a layer, and every other 64 bytes."""
    chip = target("diana")
    sources = ["diana.c", "analog.c", "encode.c"]
    try:
        need_emulator(chip.board)
        firmware = build_firmware(
            chip,
            [ROOM / "diana.c", *(DIANA / source for source in sources)],
            harness=[ROOM / "tests" / "beside.c"],
            include_directories=[ROOM.parent / "include", DIANA / "include"],
            output_directory=tmp_path_factory.mktemp("beside"),
            extra_flags=["-Werror"],
        )
    except (MissingEmulatorError, MissingToolError) as error:
        pytest.skip(str(error))
    found = b"".join(run(firmware, chip, [given]).outputs)
    words = len(found) - 3 * _BYTES
    return found[:words], *(found[words + i * _BYTES :][:_BYTES] for i in range(3))


def test_copies_come_back(given: bytes, outputs: tuple[bytes, ...]) -> None:
    _, alone, beside, rows = outputs
    assert alone == given
    assert beside == given
    lines = np.frombuffer(given, np.uint8).reshape(-1, 128).copy()
    lines[:, 64:] = 0
    assert rows == lines.tobytes()


def test_copies_go_to_the_accelerator_that_is_idle(outputs: tuple[bytes, ...]) -> None:
    """In the order of beside.c: the analog one has ended its copies while the layer is under way; the second of two is
    its own; both have ended behind the wait; both are busy; and the copy behind does not wait for the layer.
    """
    assert np.frombuffer(outputs[0], np.uint32).tolist() == [1, 1, 1, 1, 1, 1]
