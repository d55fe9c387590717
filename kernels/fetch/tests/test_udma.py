"""The uDMA's fetches on the simulated chip, from a cluster and from the fabric controller: what they bring, in which
order, and that they really go on while the core does something else.
"""

import random
import struct
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
import pytest
from numpy.typing import NDArray
from tinsmith_emulators import FirmwareCrashError, MissingEmulatorError, need_emulator, run
from tinsmith_target import target
from tinsmith_toolchains import Firmware, MissingToolError, build_firmware, read_sections

ROOM = Path(__file__).parents[1]
GAP9 = target("gap9")
FAR = np.random.default_rng(3).integers(0, 256, 65536, np.uint8)
_NEAR_BYTES, _STEPS = 16384, 64
_PAINT = 0x55
# With 60 to 80 of the test's own steps, which lie in L2.
_MOST_CYCLES_OF_A_START = 195
_MOST_CYCLES_OF_A_PAIR = 295
_WHO = pytest.mark.parametrize("on_cluster", [True, False], ids=["cluster", "fabric-controller"])


@dataclass(frozen=True)
class Step:
    """As in steps.c."""

    kind: int
    number: int = 0
    to: int = 0
    start: int = 0
    bytes: int = 0


def fetch(to: int, start: int, size: int) -> Step:
    return Step(1, 0, to, start, size)


def wait(number: int) -> Step:
    return Step(2, number)


def read(at: int) -> Step:
    return Step(3, to=at)


class Build(Protocol):
    """Builds the program of the tests."""

    def __call__(self, *, on_cluster: bool) -> Firmware:
        """on_cluster: core 0 runs it, not the fabric controller."""
        ...


@pytest.fixture
def build(tmp_path: Path) -> Build:
    """Its far memory holds FAR."""
    numbers = ", ".join(map(str, FAR.tolist()))
    place = '__attribute__((section(".rodata.tinsmith_in_l3"), aligned(16)))'
    far = tmp_path / "far.c"
    far.write_text(
        "#include <stdint.h>\nextern const uint8_t far_bytes[];\n"
        f"const uint8_t far_bytes[] {place} = {{{numbers}}};\n",
        encoding="utf-8",
    )

    def built(*, on_cluster: bool) -> Firmware:
        try:
            need_emulator(GAP9.board)
            cluster = [ROOM.parent / "cluster" / "pulp.c"] if on_cluster else []
            return build_firmware(
                GAP9,
                [ROOM / "udma.c", *cluster],
                harness=[ROOM / "tests" / "steps.c", far],
                include_directories=[ROOM.parent / "include"],
                output_directory=tmp_path,
                cluster=on_cluster,
                extra_flags=["-Werror"],
            )
        except (MissingEmulatorError, MissingToolError) as error:
            pytest.skip(str(error))

    return built


def given(steps: Sequence[Step]) -> bytes:
    padded = [*steps, *[Step(0)] * (_STEPS - len(steps))]
    return b"".join(struct.pack("<5I", *astuple(step)) for step in padded)


def expected(steps: Sequence[Step]) -> bytes:
    """The near memory after the fetches, one after another."""
    near: NDArray[np.uint8] = np.full(_NEAR_BYTES, _PAINT, np.uint8)
    for step in steps:
        if step.kind == 1:
            near[step.to : step.to + step.bytes] = FAR[step.start : step.start + step.bytes]
    return near.tobytes()


def random_steps(seed: int) -> list[Step]:
    """Fetches of all lengths, which may write what earlier ones write; waits in any order, the last one for all."""
    generator = random.Random(seed)
    steps: list[Step] = []
    fetches = 0
    while len(steps) < _STEPS - 1:
        if fetches and generator.random() < 0.2:
            steps.append(wait(generator.randrange(fetches)))
            continue
        size = generator.choice([1, 2, 3, 4, 17, 1023, 1024, 1025, 4000])
        to = 4 * generator.randrange((_NEAR_BYTES - size) // 4)
        steps.append(fetch(to, 4 * generator.randrange((len(FAR) - size) // 4), size))
        fetches += 1
    return [*steps, wait(fetches - 1)]


@_WHO
def test_fetches_bring_the_same_as_copies_one_after_another(on_cluster: bool, build: Build) -> None:
    runs = [random_steps(seed) for seed in range(6)]
    result = run(build(on_cluster=on_cluster), GAP9, [given(steps) for steps in runs])
    assert [*result.outputs] == [expected(steps) for steps in runs]


def test_what_is_fetched_lies_in_the_remote_memory_and_counts_as_weights(build: Build) -> None:
    firmware = build(on_cluster=True)
    assert firmware.sections.weights == len(FAR)
    (remote,) = (it for it in read_sections(firmware.elf) if it.name == ".in_l3")
    assert remote.address == GAP9.board.memory("l3").origin


@_WHO
def test_more_fetches_than_the_queue_holds_wait_for_none(on_cluster: bool, build: Build) -> None:
    steps = [fetch(256 * i, 512 * i, 200) for i in range(40)]
    result = run(build(on_cluster=on_cluster), GAP9, [given([*steps, wait(39)])])
    assert result.outputs == (expected(steps),)


@_WHO
def test_a_wait_ends_what_was_started_before_and_nothing_else(
    on_cluster: bool, build: Build
) -> None:
    firmware = build(on_cluster=on_cluster)
    first, second, third = fetch(0, 0, 3000), fetch(4000, 8, 64), fetch(8000, 4, 3000)
    steps = [first, second, third, wait(1), read(2999), read(4063)]
    result = run(firmware, GAP9, [given([*steps, wait(0), wait(2), read(8000)])])
    assert result.outputs == (expected(steps),)
    message = (
        r"read of L2 bytes .* that a copy of udma under way writes: 3000 bytes from 0x80000004"
    )
    with pytest.raises(FirmwareCrashError, match=message):
        run(firmware, GAP9, [given([*steps, read(8000), wait(2)])])


def test_a_core_of_the_cluster_sleeps_meanwhile(build: Build) -> None:
    """Instructions are as many for a long fetch as for a short one, cycles those of the uDMA."""
    firmware = build(on_cluster=True)
    sizes = [64, 64, 16064]
    result = run(firmware, GAP9, [given([fetch(0, 0, size), wait(0)]) for size in sizes])
    _, short, long = result.cycles
    assert long - short == pytest.approx(16000 / GAP9.board.fetch_bytes_per_cycle, rel=0.02)
    _, few, many = result.instructions
    assert many == few


def test_a_fetch_takes_the_core_few_cycles(build: Build) -> None:
    """To start one, and to start one and wait for it, beside what the uDMA takes for its four bytes."""
    firmware = build(on_cluster=True)
    starts = [fetch(4 * i, 0, 4) for i in range(8)]
    pairs = [step for i in range(8) for step in (fetch(4 * i, 0, 4), wait(i))]
    inputs = [[], [*starts, wait(7)], pairs, [], starts[:1], [*starts, wait(7)], pairs]
    *_, none, one, all_at_once, in_turn = run(firmware, GAP9, [given(it) for it in inputs]).cycles
    assert one - none < _MOST_CYCLES_OF_A_START
    assert all_at_once - none < 8 * _MOST_CYCLES_OF_A_START
    at_least = GAP9.board.fetch_setup_cycles + 4
    assert at_least < (in_turn - none) / 8 < _MOST_CYCLES_OF_A_PAIR
