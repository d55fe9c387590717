"""Images to planes, to pixels and back, and means of both: those of numpy over random shapes, on the chip, and on a
computer under sanitizers.
"""

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from diana_places import ROOM, roomy_chip
from numpy.typing import NDArray
from tinsmith_emulators import MissingEmulatorError, need_emulator, run
from tinsmith_target import Target, target
from tinsmith_toolchains import Firmware, MissingToolError, build_firmware

Image = NDArray[np.int8]
_IMAGE_BYTES = 0x4000
(
    _TO_ROWS,
    _FROM_ROWS,
    _AVERAGE,
    _TO_PIXELS,
    _FROM_PIXELS,
    _ROWS_TO_PIXELS,
    _PIXELS_TO_ROWS,
    _AVERAGE_PIXELS,
) = range(8)
_ANYTHING = 0x5A
"""In results before, and between the elements of planes that are given."""
_SHAPES = [
    (1, 1, 1),
    (1, 1, 5),
    (1, 640, 1),
    (7, 33, 1),
    (10, 49, 1),
    (32, 32, 3),
    (5, 25, 8),
    (3, 3, 31),
    (8, 8, 9),
    (9, 7, 6),
    (16, 16, 5),
    (17, 15, 4),
    (23, 11, 3),
    (35, 2, 26),
    (2, 3, 64),
    (3, 2, 65),
    (1, 5, 130),
    *((height, width, 2) for height in (1, 3) for width in range(1, 21)),
]


@dataclass(frozen=True)
class Given:
    """What planes.c is told. image: (height, width, channels)."""

    operation: int
    image: Image
    given: bytes
    result_bytes: int
    ends: tuple[int, int] = (-128, 127)

    @property
    def bytes(self) -> bytes:
        fields = (self.operation, *self.image.shape, *self.ends, len(self.given), self.result_bytes)
        given = self.given.ljust(_IMAGE_BYTES, b"\0")
        return struct.pack("<4I2i2I", *fields) + given + bytes([_ANYTHING]) * _IMAGE_BYTES


def planes(image: Image) -> NDArray[np.uint8]:
    """As the accelerator has it: C planes of H rows of 16 * ceil(W / 16), bytes of each word from its end on."""
    height, width, channels = image.shape
    rows = np.full((channels, height, -(-width // 16) * 16), _ANYTHING, np.uint8)
    rows[:, :, :width] = image.view(np.uint8).transpose(2, 0, 1)
    return rows.reshape(-1, 4)[:, ::-1].reshape(-1)


def is_element(image: Image) -> NDArray[np.bool_]:
    """Which bytes of planes hold elements."""
    height, width, channels = image.shape
    found = np.zeros((channels, height, -(-width // 16) * 16), bool)
    found[:, :, :width] = True
    return found.reshape(-1, 4)[:, ::-1].reshape(-1)


def pixels(image: Image) -> NDArray[np.uint8]:
    """As the analog accelerator has it: of 16, 32, 48 or a multiple of 64 bytes, each word from its end on."""
    height, width, channels = image.shape
    size = -(-channels // 16) * 16 if channels <= 64 else -(-channels // 64) * 64
    padded = np.full((height, width, size), _ANYTHING, np.uint8)
    padded[:, :, :channels] = image.view(np.uint8)
    return padded.reshape(-1, 4)[:, ::-1].reshape(-1)


def averages(image: Image, ends: tuple[int, int]) -> Image:
    """Halves away from zero."""
    count = image.shape[0] * image.shape[1]
    sums = image.astype(np.int64).sum(axis=(0, 1))
    means = np.sign(sums) * ((np.abs(sums) + count // 2) // count)
    return np.clip(means, *ends).astype(np.int8)


def drawn(shape: tuple[int, int, int], seed: int) -> Image:
    return np.random.default_rng(seed).integers(-128, 128, shape).astype(np.int8)


@pytest.fixture(scope="module", params=["host", "diana"])
def firmware(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Firmware:
    place = roomy_chip() if request.param == "diana" else target("host")
    return built("planes.c", ["turn.c", "average.c"], place, tmp_path_factory.mktemp("planes"))


def built(program: str, sources: Sequence[str], place: Target, folder: Path) -> Firmware:
    """A program of this folder with files of `src`."""
    try:
        need_emulator(place.board)
        return build_firmware(
            place,
            [ROOM / "src" / source for source in sources],
            harness=[ROOM / "tests" / program],
            include_directories=[ROOM / "include", ROOM / "src"],
            output_directory=folder,
            sanitize=place.name == "host",
            extra_flags=["-Werror"],
        )
    except (MissingEmulatorError, MissingToolError) as error:
        pytest.skip(str(error))


def results(firmware: Firmware, given: list[Given]) -> list[NDArray[np.uint8]]:
    found = run(firmware, firmware.target, [each.bytes for each in given]).outputs
    return [np.frombuffer(output, np.uint8) for output in found]


IMAGES = [drawn(shape, seed) for seed, shape in enumerate(_SHAPES)]


def test_images_become_planes(firmware: Firmware) -> None:
    given = [Given(_TO_ROWS, it, it.tobytes(), planes(it).size) for it in IMAGES]
    for image, found in zip(IMAGES, results(firmware, given), strict=True):
        wanted, elements = planes(image), is_element(image)
        assert np.array_equal(found[: wanted.size][elements], wanted[elements]), image.shape
        assert (found[wanted.size :] == _ANYTHING).all()


def test_planes_become_images(firmware: Firmware) -> None:
    given = [Given(_FROM_ROWS, it, planes(it).tobytes(), it.size) for it in IMAGES]
    for image, found in zip(IMAGES, results(firmware, given), strict=True):
        assert found[: image.size].tobytes() == image.tobytes(), image.shape
        assert (found[image.size :] == _ANYTHING).all()


@pytest.mark.parametrize("operation", [_TO_PIXELS, _ROWS_TO_PIXELS])
def test_images_and_planes_become_pixels(operation: int, firmware: Firmware) -> None:
    """No element is what stands between them."""
    images = [np.where(it == _ANYTHING, 0, it).astype(np.int8) for it in IMAGES]
    sources = [it if operation == _TO_PIXELS else planes(it) for it in images]
    given = [
        Given(operation, it, source.tobytes(), pixels(it).size)
        for it, source in zip(images, sources, strict=True)
    ]
    for image, found in zip(images, results(firmware, given), strict=True):
        wanted = pixels(image)
        elements = wanted != _ANYTHING
        assert np.array_equal(found[: wanted.size][elements], wanted[elements]), image.shape
        assert (found[wanted.size :] == _ANYTHING).all()


def test_pixels_become_images(firmware: Firmware) -> None:
    given = [Given(_FROM_PIXELS, it, pixels(it).tobytes(), it.size) for it in IMAGES]
    for image, found in zip(IMAGES, results(firmware, given), strict=True):
        assert found[: image.size].tobytes() == image.tobytes(), image.shape
        assert (found[image.size :] == _ANYTHING).all()


def test_pixels_become_planes(firmware: Firmware) -> None:
    given = [Given(_PIXELS_TO_ROWS, it, pixels(it).tobytes(), planes(it).size) for it in IMAGES]
    for image, found in zip(IMAGES, results(firmware, given), strict=True):
        wanted, elements = planes(image), is_element(image)
        assert np.array_equal(found[: wanted.size][elements], wanted[elements]), image.shape
        assert (found[wanted.size :] == _ANYTHING).all()


@pytest.mark.parametrize("ends", [(-128, 127), (0, 127), (-3, 4)])
@pytest.mark.parametrize("operation", [_AVERAGE, _AVERAGE_PIXELS])
def test_planes_and_pixels_are_averaged(
    operation: int, firmware: Firmware, ends: tuple[int, int]
) -> None:
    of_ends = [np.full((4, 8, 3), value, np.int8) for value in (-128, 127)]
    halves = [np.array([1, 2, -1, -2], np.int8).reshape(1, 2, 2), np.array([[[1], [2]]], np.int8)]
    images = [*IMAGES, *of_ends, *halves, *(it // np.int8(16) for it in IMAGES)]
    lies = planes if operation == _AVERAGE else pixels
    make = partial(Given, operation, ends=ends)
    given = [make(it, lies(it).tobytes(), it.shape[2]) for it in images]
    for image, found in zip(images, results(firmware, given), strict=True):
        wanted = averages(image, ends)
        assert found[: wanted.size].view(np.int8).tolist() == wanted.tolist(), image.shape
        assert (found[wanted.size :] == _ANYTHING).all()


def test_means_are_those_of_a_division(tmp_path: Path) -> None:
    """Each sum that there is of up to 300 int8, by reciprocals of counts up to 256 and by divisions; then the ends of
    others.
    """
    firmware = built("means.c", [], target("host"), tmp_path)
    (output,) = run(firmware, firmware.target, [b""]).outputs
    wrong, compared = np.frombuffer(output, np.uint32).tolist()
    assert wrong == 0
    assert compared > sum(255 * count for count in range(1, 301))
