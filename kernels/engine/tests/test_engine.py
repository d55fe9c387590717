"""Every implementation of tinsmith/engine.h where it is meant to run: when jobs run, and in which order."""

import random
import struct
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from tinsmith_emulators import FirmwareCrashError, MissingEmulatorError, need_emulator, run
from tinsmith_target import target
from tinsmith_toolchains import Firmware, MissingToolError, build_firmware

ROOM = Path(__file__).parents[1]
_STEPS, _JOBS = 48, 16
_START, _WAIT, _WAITED = 1, 2, 100

Step = tuple[int, int, int]
"""Kind, engine, job; as in jobs.c."""


def build(name: str, implementation: str, folder: Path) -> Firmware:
    is_cluster = implementation == "cluster"
    beside = [ROOM.parent / "cluster" / "pulp.c"] if is_cluster else []
    try:
        need_emulator(target(name).board)
        return build_firmware(
            target(name),
            [ROOM / f"{implementation}.c", *beside],
            harness=[ROOM / "tests" / ("beside.c" if is_cluster else "jobs.c")],
            include_directories=[ROOM.parent / "include"],
            output_directory=folder,
            cluster=is_cluster,
            extra_flags=["-Werror"],
        )
    except (MissingEmulatorError, MissingToolError) as error:
        pytest.skip(str(error))


def given(steps: Sequence[Step]) -> bytes:
    padded = [*steps, *[(0, 0, 0)] * (_STEPS - len(steps))]
    return b"".join(struct.pack("<3I", *step) for step in padded)


def random_steps(seed: int) -> list[Step]:
    """Jobs for three engines; each is waited for, not in the order of the starts, and started again perhaps."""
    generator = random.Random(seed)
    steps: list[Step] = []
    under_way: dict[int, int] = {}
    while len(steps) + len(under_way) < _STEPS - 1:
        if under_way and generator.random() < 0.4:
            job = generator.choice([*under_way])
            steps.append((_WAIT, under_way.pop(job), job))
            continue
        job = generator.randrange(_JOBS)
        if job not in under_way:
            under_way[job] = generator.randrange(3)
            steps.append((_START, under_way[job], job))
    return [*steps, *((_WAIT, engine, job) for job, engine in under_way.items())]


def early(steps: Sequence[Step]) -> list[int]:
    return [job + 1 + (_WAITED if kind == _WAIT else 0) for kind, _, job in steps]


def late(steps: Sequence[Step]) -> list[int]:
    """What an engine was given before goes first."""
    queues: dict[int, list[int]] = {}
    written: list[int] = []
    for kind, engine, job in steps:
        queue = queues.setdefault(engine, [])
        if kind == _START:
            queue.append(job)
            continue
        while job in queue:
            written.append(queue.pop(0) + 1)
        written.append(_WAITED + job + 1)
    return written


@pytest.mark.parametrize(
    ("name", "implementation"),
    [("host", "host"), ("host", "host_early"), ("cortex-m4", "core")],
)
def test_jobs_run_when_the_implementation_says(
    name: str, implementation: str, tmp_path: Path
) -> None:
    firmware = build(name, implementation, tmp_path)
    runs = [random_steps(seed) for seed in range(8)]
    expected = late if implementation == "host" else early
    result = run(firmware, target(name), [given(steps) for steps in runs])
    for steps, output in zip(runs, result.outputs, strict=True):
        written = np.frombuffer(output, np.uint32)
        assert written[: len(steps)].tolist() == expected(steps)


@pytest.mark.parametrize("implementation", ["host", "host_early"])
@pytest.mark.parametrize(
    "steps",
    [
        [(_WAIT, 0, 3)],
        [(_START, 0, 3), (_WAIT, 0, 3), (_WAIT, 0, 3)],
        [(_START, 64, 3)],
    ],
)
def test_engines_for_tests_refuse_what_no_program_does(
    implementation: str, steps: list[Step], tmp_path: Path
) -> None:
    firmware = build("host", implementation, tmp_path)
    with pytest.raises(FirmwareCrashError):
        run(firmware, target("host"), [given(steps)])


def at_waits(steps: Sequence[Step], output: bytes) -> list[tuple[int, int]]:
    """How often the job had run by each wait, and on which core."""
    written = np.frombuffer(output, np.uint32).reshape(-1, 2).tolist()
    return [
        (runs, core)
        for (kind, _, _), (runs, core) in zip(steps, written, strict=False)
        if kind == _WAIT
    ]


@pytest.mark.parametrize("name", ["pulp-open", "siracusa"])
def test_cores_of_a_cluster_run_each_job_once_before_its_wait_returns(
    name: str, tmp_path: Path
) -> None:
    runs = [random_steps(seed) for seed in range(8)]
    firmware = build(name, "cluster", tmp_path)
    result = run(firmware, target(name), [given(steps) for steps in runs])
    for steps, output in zip(runs, result.outputs, strict=True):
        starts: dict[int, int] = {}
        wanted: list[int] = []
        for kind, _, job in steps:
            if kind == _START:
                starts[job] = starts.get(job, 0) + 1
            else:
                wanted.append(starts[job])
        assert [count for count, _ in at_waits(steps, output)] == wanted


@pytest.mark.parametrize("jobs", [1, 3, 8, 13, 16])
def test_cores_of_a_cluster_have_equal_shares_of_the_jobs(jobs: int, tmp_path: Path) -> None:
    steps = [(_START, 0, job) for job in range(jobs)]
    steps += [(_WAIT, 0, job) for job in reversed(range(jobs))]
    firmware = build("pulp-open", "cluster", tmp_path)
    (output,) = run(firmware, target("pulp-open"), [given(steps)]).outputs
    shares = np.bincount([core for _, core in at_waits(steps, output)], minlength=8)
    assert len(shares) == 8
    assert sorted(shares) == sorted(jobs // 8 + (core < jobs % 8) for core in range(8))
