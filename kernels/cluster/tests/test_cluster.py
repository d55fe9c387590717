"""Both implementations of tinsmith/cluster.h where they are meant to run: who works when, and on which stack."""

import random
import struct
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tinsmith_emulators import FirmwareCrashError, MissingEmulatorError, need_emulator, run
from tinsmith_target import Target, target
from tinsmith_toolchains import Firmware, MissingToolError, OptionError, build_firmware

ROOM = Path(__file__).parents[1]
_STEPS, _ELEMENTS = 32, 64
_PAINT = 0x55555555
# Fork, work that does nothing, join: on all cores, from a warm instruction cache.
_MOST_CYCLES_OF_A_FORK = 60

Step = tuple[int, int, int]
"""Cores, elements, factor; as in forks.c."""


def build(chosen: Target, implementation: str, folder: Path, program: str = "forks.c") -> Firmware:
    try:
        need_emulator(chosen.board)
        return build_firmware(
            chosen,
            [ROOM / f"{implementation}.c"],
            harness=[ROOM / "tests" / program],
            include_directories=[ROOM.parent / "include"],
            output_directory=folder,
            cluster=implementation == "pulp",
            extra_flags=["-Werror"],
        )
    except (MissingEmulatorError, MissingToolError) as error:
        pytest.skip(str(error))


def with_cores(name: str, cores: int) -> Target:
    chosen = target(name)
    assert chosen.board.cluster is not None
    cluster = replace(chosen.board.cluster, cores=cores)
    return replace(chosen, board=replace(chosen.board, cluster=cluster))


def given(steps: Sequence[Step]) -> bytes:
    padded = [*steps, *[(0, 0, 0)] * (_STEPS - len(steps))]
    return b"".join(struct.pack("<3I", *step) for step in padded)


def random_steps(seed: int, cores: int) -> list[Step]:
    generator = random.Random(seed)
    return [
        (generator.randint(1, cores), generator.randint(0, _ELEMENTS), generator.randint(1, 999))
        for _ in range(generator.randint(1, _STEPS))
    ]


def expected(steps: Sequence[Step]) -> bytes:
    """Sums, then the products and owners that the forks left."""
    sums = np.zeros(_STEPS, np.uint32)
    products = np.full(_ELEMENTS, _PAINT, np.uint32)
    owners = products.copy()
    for index, (cores, elements, factor) in enumerate(steps):
        numbers = np.arange(elements, dtype=np.uint32)
        products[:elements] = factor * (numbers + 1)
        owners[:elements] = numbers % cores + 16 * cores
        sums[index] = products[:elements].sum()
    return sums.tobytes() + products.tobytes() + owners.tobytes()


@pytest.mark.parametrize(
    ("name", "implementation"),
    [
        ("pulp-open", "pulp"),
        ("siracusa", "pulp"),
        ("cortex-m4", "host"),
        ("host", "host"),
    ],
)
def test_every_core_works_once_between_fork_and_join(
    name: str, implementation: str, tmp_path: Path
) -> None:
    runs = [random_steps(seed, 8) for seed in range(8)]
    result = run(
        build(target(name), implementation, tmp_path),
        target(name),
        [given(steps) for steps in runs],
    )
    assert [*result.outputs] == [expected(steps) for steps in runs]


@pytest.mark.parametrize("cores", [1, 2, 5])
def test_a_cluster_may_be_started_in_part(cores: int, tmp_path: Path) -> None:
    chosen = with_cores("pulp-open", cores)
    steps = random_steps(1, cores)
    result = run(build(chosen, "pulp", tmp_path), chosen, [given(steps)])
    assert result.outputs == (expected(steps),)


def test_forks_and_joins_take_few_cycles(tmp_path: Path) -> None:
    firmware = build(target("pulp-open"), "pulp", tmp_path, "idle.c")
    counts = [struct.pack("<I", count) for count in (1, 1, 101)]
    _, one, many = run(firmware, target("pulp-open"), counts).cycles
    assert 20 < (many - one) / 100 <= _MOST_CYCLES_OF_A_FORK


def test_the_stack_of_core_0_is_measured(tmp_path: Path) -> None:
    firmware = build(target("pulp-open"), "pulp", tmp_path, "deep.c")
    depths = [(1, 5), (0, 5), (0, 15)]
    shallow, five, fifteen = (
        run(firmware, target("pulp-open"), [struct.pack("<2I", *depth)]).stack_bytes
        for depth in depths
    )
    assert shallow is not None
    assert five is not None
    assert fifteen is not None
    assert 0 < shallow < five
    assert 64 * 10 <= fifteen - five < 100 * 10


@pytest.mark.parametrize(
    ("core", "message"),
    [
        (0, "stack overflow: more than 3072 bytes"),
        (7, "stack of a core that serves forks is used up"),
    ],
)
def test_a_stack_that_overflows_is_told(core: int, message: str, tmp_path: Path) -> None:
    firmware = build(target("pulp-open"), "pulp", tmp_path, "deep.c")
    frames = 45 if core == 0 else 20
    with pytest.raises(FirmwareCrashError, match=message):
        run(firmware, target("pulp-open"), [struct.pack("<2I", core, frames)])


def test_a_board_without_a_cluster_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="board mps2-an386 has no cluster"):
        build(target("cortex-m4"), "pulp", tmp_path)
