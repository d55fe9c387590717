"""Every implementation of tinsmith/dma.h where it is meant to run: copies do what they say, in the order of their
starts, and PULP's really go on while the core does something else.
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
from tinsmith_toolchains import Firmware, MissingToolError, build_firmware

ROOM = Path(__file__).parents[1]
FAR, NEAR = 0, 1
BYTES = 4096
_STEPS = 48
# A copy of 64 bytes, which the DMA needs 23 for, started and waited for by core 0 of a cluster: at once, and with
# another one under way.
_MOST_CYCLES_OF_A_PAIR = {0: 240, 1: 300}
_PAINT = 0x55
_PLACES = [
    ("pulp-open", "mchan", ""),
    ("pulp-open", "mchan", "TINSMITH_MCHAN_MOST=64u"),  # every larger copy is several commands
    ("siracusa", "mchan", ""),
    ("pulp-open", "mchan_cluster", ""),
    ("pulp-open", "mchan_cluster", "TINSMITH_MCHAN_MOST=64u"),
    ("siracusa", "mchan_cluster", ""),
    ("cortex-m4", "core", ""),
    ("host", "host", ""),
    ("host", "host_early", ""),
]


@dataclass(frozen=True)
class Step:
    """As in copies.c."""

    kind: int
    token: int = 0
    to_memory: int = 0
    to: int = 0
    from_memory: int = 0
    start: int = 0
    bytes: int = 1
    rows: int = 1
    to_stride: int = 0
    from_stride: int = 0

    @property
    def targets(self) -> NDArray[np.int64]:
        return self.to + self._places(self.to_stride)

    @property
    def sources(self) -> NDArray[np.int64]:
        return self.start + self._places(self.from_stride)

    def _places(self, stride: int) -> NDArray[np.int64]:
        rows = np.arange(self.rows)[:, None] * stride
        return (rows + np.arange(self.bytes)).reshape(-1)


def wait(token: int) -> Step:
    return Step(2, token)


class Build(Protocol):
    """Builds a program with an implementation."""

    def __call__(
        self, name: str, implementation: str, define: str, program: str = "copies.c"
    ) -> Firmware:
        """name: of the target; define: `NAME=value` or ""; program: in the folder of the tests."""
        ...


@pytest.fixture
def build(tmp_path: Path) -> Build:
    """`build(target, implementation, define)`."""

    def built(name: str, implementation: str, define: str, program: str = "copies.c") -> Firmware:
        try:
            need_emulator(target(name).board)
            on_cluster = implementation == "mchan_cluster"
            cluster = [ROOM.parent / "cluster" / "pulp.c"] if on_cluster else []
            return build_firmware(
                target(name),
                [ROOM / f"{implementation}.c", *cluster],
                harness=[ROOM / "tests" / program],
                include_directories=[ROOM.parent / "include"],
                output_directory=tmp_path,
                defines=define.split(),
                cluster=on_cluster,
                extra_flags=["-Werror"],
            )
        except (MissingEmulatorError, MissingToolError) as error:
            pytest.skip(str(error))

    return built


def given(steps: Sequence[Step], data: NDArray[np.uint8]) -> bytes:
    """The input of a run."""
    padded = [*steps, *[Step(0)] * (_STEPS - len(steps))]
    return b"".join(struct.pack("<10I", *astuple(step)) for step in padded) + data.tobytes()


def expected(steps: Sequence[Step], data: NDArray[np.uint8]) -> bytes:
    """Both memories after the copies, one after another."""
    memories = [data.copy(), np.full(BYTES, _PAINT, np.uint8)]
    for step in steps:
        if step.kind == 1:
            memories[step.to_memory][step.targets] = memories[step.from_memory][step.sources]
    return b"".join(memory.tobytes() for memory in memories)


def some_data(seed: int) -> NDArray[np.uint8]:
    return np.random.default_rng(seed).integers(0, 256, BYTES, np.uint8)


def random_steps(seed: int) -> list[Step]:
    """Copies of all kinds, several with one token, that touch what earlier ones touch; waits for all of them."""
    generator = random.Random(seed)
    steps: list[Step] = []
    under_way: set[int] = set()
    while len(steps) < 36:
        if under_way and generator.random() < 0.15:
            steps.append(wait(generator.choice(sorted(under_way))))
            under_way.remove(steps[-1].token)
            continue
        step = _random_copy(generator)
        is_apart = not set(step.sources.tolist()) & set(step.targets.tolist())
        if step.to_memory != step.from_memory or is_apart:
            steps.append(step)
            under_way.add(step.token)
    return [*steps, *map(wait, sorted(under_way))]


def _random_copy(generator: random.Random) -> Step:
    size, rows = generator.choice([1, 3, 4, 16, 61, 200]), generator.choice([1, 1, 2, 5])
    strides = [generator.choice([0, 1, 7, 64]) + size for _ in range(2)]
    places = [generator.randrange(BYTES - (rows - 1) * stride - size) for stride in strides]
    if generator.random() < 0.1:
        strides[1] = 0
    memories = generator.choice([(FAR, NEAR), (NEAR, FAR), (FAR, NEAR), (NEAR, FAR), (NEAR, NEAR)])
    return Step(
        1,
        generator.randrange(8),
        memories[0],
        places[0],
        memories[1],
        places[1],
        size,
        rows,
        *strides,
    )


@pytest.mark.parametrize(("name", "implementation", "define"), _PLACES)
def test_copies_do_the_same_as_one_after_another(
    name: str, implementation: str, define: str, build: Build
) -> None:
    firmware = build(name, implementation, define)
    runs = [(random_steps(seed), some_data(seed)) for seed in range(12)]
    result = run(firmware, target(name), [given(*item) for item in runs])
    assert [*result.outputs] == [expected(*item) for item in runs]


@pytest.mark.parametrize("implementation", ["mchan", "mchan_cluster"])
def test_more_copies_than_mchan_has_identifiers(implementation: str, build: Build) -> None:
    steps = [Step(1, 3, NEAR, 64 * i, FAR, 64 * i, 50) for i in range(40)]
    data = some_data(1)
    firmware = build("pulp-open", implementation, "")
    result = run(firmware, target("pulp-open"), [given([*steps, wait(3)], data)])
    assert result.outputs == (expected(steps, data),)


@pytest.mark.parametrize("implementation", ["mchan", "mchan_cluster"])
def test_a_wait_ends_what_mchan_was_given_before(implementation: str, build: Build) -> None:
    core_copy = Step(1, 6, FAR, 4080, FAR, 4090, 4)
    slow = Step(1, 5, NEAR, 0, FAR, 0, 1, 1900, 2, 2)
    steps = [slow, core_copy, wait(6), Step(3, 0, NEAR, 3798), wait(5)]
    data = some_data(3)
    result = run(build("pulp-open", implementation, ""), target("pulp-open"), [given(steps, data)])
    assert result.outputs == (expected(steps, data),)


@pytest.mark.parametrize("implementation", ["mchan", "mchan_cluster"])
@pytest.mark.parametrize(
    ("touch", "message"),
    [
        (Step(3, 0, NEAR, 3900), "read of L1 bytes .* that a running DMA transfer writes"),
        (Step(4, 0, FAR, 3900), "write of L2 bytes .* that a running DMA transfer reads"),
    ],
)
def test_mchan_is_still_at_work_when_the_start_returns(
    touch: Step, message: str, implementation: str, build: Build
) -> None:
    firmware = build("pulp-open", implementation, "")
    copy = Step(1, 5, NEAR, 0, FAR, 0, 4000)
    run(firmware, target("pulp-open"), [given([copy, wait(5), touch], some_data(2))])
    with pytest.raises(FirmwareCrashError, match=message):
        run(firmware, target("pulp-open"), [given([copy, touch, wait(5)], some_data(2))])


@pytest.mark.parametrize("ahead", [0, 1])
def test_short_copies_take_few_cycles(ahead: int, build: Build) -> None:
    firmware = build("pulp-open", "mchan_cluster", "", "pairs.c")
    counts = [struct.pack("<2I", pairs, ahead) for pairs in (8, 8, 108)]
    _, few, many = run(firmware, target("pulp-open"), counts).cycles
    assert 60 < (many - few) / 100 <= _MOST_CYCLES_OF_A_PAIR[ahead]


def random_places(seed: int) -> list[Step]:
    """Copies of all kinds that touch nothing of one another's, several with one token; waits for all of them."""
    generator = random.Random(seed)
    steps: list[Step] = []
    under_way: set[int] = set()
    for place in range(0, BYTES - 128, 128):
        if under_way and generator.random() < 0.2:
            steps.append(wait(generator.choice(sorted(under_way))))
            under_way.remove(steps[-1].token)
        size, rows = generator.choice([(1, 1), (3, 5), (16, 4), (125, 1), (128, 1)])
        strides = [generator.choice([0, 1, 5]) + size for _ in range(2)]
        memories = generator.choice([(FAR, NEAR), (NEAR, FAR)])
        token = generator.randrange(8)
        steps.append(Step(1, token, memories[0], place, memories[1], place, size, rows, *strides))
        under_way.add(token)
    return [*steps, *map(wait, sorted(under_way))]


@pytest.mark.parametrize(("name", "implementation", "define"), _PLACES)
def test_copies_without_an_order_are_there_after_their_waits(
    name: str, implementation: str, define: str, build: Build
) -> None:
    firmware = build(name, implementation, f"{define} UNORDERED")
    there, back = Step(1, 2, NEAR, 0, FAR, 0, 3000), Step(1, 3, FAR, 3100, NEAR, 100, 900)
    runs = [(random_places(seed), some_data(seed)) for seed in range(8)]
    runs.append(([there, wait(2), back, wait(3)], some_data(9)))
    result = run(firmware, target(name), [given(*item) for item in runs])
    assert [*result.outputs] == [expected(*item) for item in runs]


@pytest.mark.parametrize("implementation", ["mchan", "mchan_cluster"])
def test_more_copies_without_an_order_than_mchan_has_identifiers(
    implementation: str, build: Build
) -> None:
    """None is waited for before all are started."""
    steps = [Step(1, i % 3, NEAR, 64 * i, FAR, 64 * i, 50) for i in range(40)]
    data = some_data(1)
    firmware = build("pulp-open", implementation, "UNORDERED")
    result = run(firmware, target("pulp-open"), [given([*steps, wait(2), wait(0), wait(1)], data)])
    assert result.outputs == (expected(steps, data),)


@pytest.mark.parametrize("implementation", ["mchan", "mchan_cluster"])
def test_a_wait_without_an_order_ends_its_own_copies_alone(
    implementation: str, build: Build
) -> None:
    """The slow copy is still under way when what came before it has arrived, and behind its own wait no more."""
    short = Step(1, 6, NEAR, 3000, FAR, 3000, 4)
    slow = Step(1, 5, NEAR, 0, FAR, 0, 1, 1000, 2, 2)
    started = [short, slow, wait(6), Step(3, 0, NEAR, 3000)]
    firmware = build("pulp-open", implementation, "UNORDERED")
    of_slow = Step(3, 0, NEAR, 1998)
    run(firmware, target("pulp-open"), [given([*started, wait(5), of_slow], some_data(3))])
    with pytest.raises(FirmwareCrashError, match=r"read of L1 bytes .* that a running DMA"):
        run(firmware, target("pulp-open"), [given([*started, of_slow, wait(5)], some_data(3))])
