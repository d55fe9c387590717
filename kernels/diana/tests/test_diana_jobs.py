"""Layers and copies, waited for in any order, as late or as early as may be."""

from pathlib import Path

import numpy as np
import pytest
from diana_layouts import Bytes
from diana_places import DRIVER, PLACES, TWINS, build, images_after
from diana_steps import (
    ADDITION,
    COPY_IN,
    COPY_OUT,
    COPY_OUT_OF_BANKS,
    IMAGE_BYTES,
    START,
    TOUCH,
    TRY_COPY_IN,
    TRY_COPY_OUT,
    WAIT,
    WAIT_FOR_COPY,
    Array,
    Step,
    given,
    layer,
)
from tinsmith_emulators import FirmwareCrashError

_BYTES = 1024
_SEEN = 0x6000
_NUMBERS = np.arange(_BYTES) % 31 - 15


def array(number: int) -> Array:
    return Array(_BYTES * number, _BYTES)


def doubled(source: int, to: int, slot: int = 0) -> Step:
    """Start a layer that adds an array to itself, by the record of slot 0 if the slot is 0."""
    return Step(START, slot, input=array(source), operand=array(source), output=array(to))


def record(slot: int = 0) -> Step:
    return layer(ADDITION, (1, _BYTES, 1), slot=slot)


def seen(slot: int, number: int, size: int = _BYTES) -> Step:
    """A copy of the begin of an array to where the core sees it."""
    return Step(COPY_OUT, slot, _SEEN + _BYTES * slot, input=Array(array(number).offset, size))


def start_image() -> Bytes:
    image = np.full(IMAGE_BYTES, 0x55, np.uint8)
    image[:_BYTES] = _NUMBERS.astype(np.int8).view(np.uint8)
    return image


def image_after(implementation: str, folder: Path, steps: list[Step]) -> Bytes:
    data = given(steps, np.zeros(0, np.uint8), start_image())
    (image,) = images_after(build(implementation, folder), [data])
    return image


def values(image: Bytes, number: int) -> list[int]:
    return image[array(number).offset :][:_BYTES].view(np.int8).tolist()


@pytest.mark.parametrize("implementation", PLACES)
def test_layers_run_in_the_order_of_their_starts(implementation: str, tmp_path: Path) -> None:
    """Each reads what the one before writes; the last one's wait is for all."""
    started = [doubled(0, 1), doubled(1, 2), doubled(2, 3)]
    image = image_after(implementation, tmp_path, [record(), *started, Step(WAIT)])
    assert values(image, 3) == (8 * _NUMBERS).tolist()


@pytest.mark.parametrize("implementation", PLACES)
def test_a_wait_is_for_the_layer_with_its_token(implementation: str, tmp_path: Path) -> None:
    """Waits for the first one behind the start of the second, and for the second much later, twice."""
    steps = [record(0), record(1), doubled(0, 1, 0), doubled(1, 2, 1)]
    waits = [Step(WAIT, 0), Step(WAIT, 1), Step(WAIT, 1), Step(WAIT, 0)]
    image = image_after(implementation, tmp_path, [*steps, *waits])
    assert values(image, 2) == (4 * _NUMBERS).tolist()


@pytest.mark.parametrize("implementation", PLACES)
def test_copies_wait_for_layers_and_layers_for_copies(implementation: str, tmp_path: Path) -> None:
    """Doubled, copied out, that copied in, doubled: the whole image comes back from the accelerators' memory, so that
    the copy out is seen where it was copied in only.
    """
    back = Step(COPY_IN, 1, _SEEN, input=array(4))
    steps = [record(), doubled(0, 1), seen(0, 1), back, doubled(4, 5), Step(WAIT)]
    image = image_after(implementation, tmp_path, steps)
    assert values(image, 4) == (2 * _NUMBERS).tolist()
    assert values(image, 5) == (4 * _NUMBERS).tolist()


@pytest.mark.parametrize("implementation", PLACES)
@pytest.mark.parametrize(("size", "rounded"), [(1, 32), (32, 32), (33, 64)])
def test_a_copy_moves_whole_pieces_of_32_bytes(
    size: int, rounded: int, implementation: str, tmp_path: Path
) -> None:
    there = Array(array(1).offset, rounded)
    steps = [Step(COPY_IN, 0, 0, input=Array(there.offset, size)), Step(WAIT_FOR_COPY)]
    image = image_after(implementation, tmp_path, [*steps, Step(TOUCH, far=9, input=there)])
    expected = [*_NUMBERS[:rounded].tolist(), *[0x55] * (_BYTES - rounded)]
    assert values(image, 1) == expected


@pytest.mark.parametrize(("implementation", "first"), [("host", 14), ("host_early", -15)])
def test_the_twin_reads_as_late_or_as_early_as_it_may(
    implementation: str, first: int, tmp_path: Path
) -> None:
    """A program that writes what a copy under way reads has two results, a race: -15 becomes 14."""
    copy = Step(COPY_IN, 0, 0, input=array(1))
    image = image_after(implementation, tmp_path, [copy, Step(TOUCH, far=0), Step(WAIT_FOR_COPY)])
    assert values(image, 1)[0] == first


@pytest.mark.parametrize("implementation", PLACES)
@pytest.mark.parametrize(
    ("copy", "status"),
    [
        (Step(COPY_IN, input=Array(8, 32)), 7),
        (Step(COPY_OUT, far=2, input=Array(0, 32)), 7),
        (Step(COPY_IN, input=Array(0, 0)), 8),
        (Step(COPY_OUT, input=Array(0, 0x40001)), 8),
        (Step(COPY_OUT_OF_BANKS, input=Array(8, 16), rows=1, banks=2), 7),
        (Step(COPY_OUT_OF_BANKS, input=Array(0, 16), rows=0x1001, banks=2), 7),
        (Step(COPY_OUT_OF_BANKS, input=Array(0, 16), rows=0, banks=1), 8),
        (Step(COPY_OUT_OF_BANKS, input=Array(0, 16), rows=1, banks=5), 8),
    ],
)
def test_what_cannot_be_copied_is_refused(
    copy: Step, status: int, implementation: str, tmp_path: Path
) -> None:
    with pytest.raises(FirmwareCrashError, match=rf"\b{status}\b"):
        image_after(implementation, tmp_path, [copy])


@pytest.mark.parametrize("implementation", PLACES)
def test_a_copy_that_never_waits_is_made_when_all_has_ended(
    implementation: str, tmp_path: Path
) -> None:
    """Into the memory when nothing else is under way, and out of it behind a layer."""
    there = Step(TRY_COPY_IN, 1, 0, input=array(3))
    back = Step(TRY_COPY_OUT, 0, _SEEN, input=array(1))
    steps = [record(), there, Step(WAIT_FOR_COPY, 1), doubled(3, 1), Step(WAIT), back]
    again = Step(COPY_IN, 1, _SEEN, input=array(4))
    image = image_after(implementation, tmp_path, [*steps, again, Step(WAIT_FOR_COPY, 1)])
    assert values(image, 4) == (2 * _NUMBERS).tolist()


@pytest.mark.parametrize("kind", [TRY_COPY_IN, TRY_COPY_OUT])
@pytest.mark.parametrize("implementation", [TWINS[0], DRIVER])
def test_a_copy_that_never_waits_is_refused_beside_a_layer(
    implementation: str, kind: int, tmp_path: Path
) -> None:
    copy = Step(kind, 1, _SEEN, input=array(4))
    with pytest.raises(FirmwareCrashError, match=r"\b9\b"):
        image_after(implementation, tmp_path, [record(), doubled(0, 1), copy])


@pytest.mark.parametrize("implementation", TWINS)
@pytest.mark.parametrize(("ahead", "aborts"), [(0, False), (1, True)])
def test_a_wait_for_what_was_never_started_aborts(
    ahead: int, aborts: bool, implementation: str, tmp_path: Path
) -> None:
    steps = [Step(COPY_IN, input=array(0)), Step(WAIT_FOR_COPY, far=ahead)]
    if not aborts:
        image_after(implementation, tmp_path, steps)
        return
    with pytest.raises(FirmwareCrashError):
        image_after(implementation, tmp_path, steps)
