"""The fetch engines for a computer: copies are there when they must be, the late one's no earlier."""

import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest
from tinsmith_c.testing import compile_c, host_compiler

ROOM = Path(__file__).parents[1]
_IMPLEMENTATIONS = {"late": "host.c", "early": "host_early.c"}


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Path]:
    """The program of the tests with either implementation."""
    if host_compiler() is None:
        pytest.skip("no C compiler on this machine")
    folder = tmp_path_factory.mktemp("programs")
    for name, file in _IMPLEMENTATIONS.items():
        includes = ["-I", ROOM.parent / "include"]
        compile_c([*includes, ROOM / file, ROOM / "tests" / "fetches.c", "-o", folder / name])
    return {name: folder / name for name in _IMPLEMENTATIONS}


def status(program: Path, case: str) -> int:
    """What the program exits with; below 0 if it aborts."""
    return subprocess.run([program, case], check=False).returncode


@pytest.mark.parametrize("implementation", ["late", "early"])
def test_copies_end_in_the_order_of_their_starts(
    implementation: str, programs: Mapping[str, Path]
) -> None:
    assert status(programs[implementation], implementation) == 0


@pytest.mark.parametrize("implementation", ["late", "early"])
def test_each_end_is_told_from_the_other(implementation: str, programs: Mapping[str, Path]) -> None:
    other = "early" if implementation == "late" else "late"
    assert status(programs[implementation], other) == 1


@pytest.mark.parametrize("case", ["misaligned", "empty", "unknown"])
@pytest.mark.parametrize("implementation", ["late", "early"])
def test_broken_promises_abort(
    implementation: str, case: str, programs: Mapping[str, Path]
) -> None:
    assert status(programs[implementation], case) < 0
