"""Which files a program for a board is made of."""

import pytest
from tinsmith_boards import (
    harness_defines,
    harness_sources,
    include_directory,
    runtime_include_directory,
    runtime_sources,
)
from tinsmith_target import target, targets

_NAMES = [item.name for item in targets()]


@pytest.mark.parametrize("name", _NAMES)
def test_all_named_files_exist(name: str) -> None:
    board = target(name).board
    for source in (*harness_sources(board), *runtime_sources(board)):
        assert source.path.is_file()
    assert (include_directory() / "tinsmith_harness.h").is_file()
    assert (runtime_include_directory() / "string.h").is_file()


def test_startup_code_is_that_of_the_architecture() -> None:
    def files(name: str) -> set[str]:
        return {source.path.name for source in harness_sources(target(name).board)}

    assert files("cortex-m7") == {"harness.c", "port_semihosting.c", "startup_arm.c"}
    assert files("riscv32") == {
        "harness.c",
        "port_semihosting.c",
        "startup_riscv.c",
        "traps_riscv.c",
    }
    assert files("pulp-open") == files("riscv32")
    assert files("host") == {"harness.c", "port_host.c"}


def test_a_cluster_has_its_own_startup_code() -> None:
    board = target("pulp-open").board
    files = {source.path.name for source in harness_sources(board, cluster=True)}
    assert files == {"harness.c", "port_semihosting.c", "startup_pulp_cluster.c", "traps_riscv.c"}
    assert "TINSMITH_CLUSTER_CORES=8u" in harness_defines(board, cluster=True)
    with pytest.raises(ValueError, match="riscv-virt has no cluster"):
        harness_defines(target("riscv32").board, cluster=True)


def test_host_uses_its_own_c_library() -> None:
    assert runtime_sources(target("host").board) == ()


@pytest.mark.parametrize(
    ("name", "defines"),
    [
        ("cortex-m4", {"TINSMITH_COUNTER_MEMORY=0x40028018u"}),
        ("cortex-m0", {"TINSMITH_COUNTER_NRF51_TIMER=0x40008000u"}),
        ("riscv32", {"TINSMITH_COUNTER_MINSTRET=0x00000000u", "TINSMITH_HAS_PMP=1"}),
        ("pulp-open", {"TINSMITH_COUNTER_MINSTRET=0x00000000u", "TINSMITH_COUNTER_MCYCLE=1"}),
    ],
)
def test_counters_and_protection_are_told_by_definitions(name: str, defines: set[str]) -> None:
    assert set(harness_defines(target(name).board)) == defines


def test_host_has_no_counter() -> None:
    assert harness_defines(target("host").board) == ()
