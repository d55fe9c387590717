"""flags.bzl is read as Bazel reads it."""

import pytest
from tinsmith_target import targets
from tinsmith_toolchains import ToolchainError, flags


@pytest.mark.parametrize("name", [item.cpu for item in targets()])
def test_every_target_has_flags(name: str) -> None:
    assert flags().cpu(name).zig_target


def test_m4_is_compiled_with_hardware_floats() -> None:
    assert "-mfloat-abi=hard" in flags().cpu("cortex-m4").clang
    assert flags().cpu("cortex-m4").gcc is not None


def test_riscv_has_no_gcc() -> None:
    assert flags().cpu("riscv32").gcc is None


def test_corev_leaves_out_bit_manipulation_that_clang_miscompiles() -> None:
    march = next(flag for flag in flags().cpu("riscv32-corev").clang if flag.startswith("-march="))
    assert "xcvsimd" in march
    assert "xcvbitmanip" not in march


def test_unknown_cpu_lists_the_known_ones() -> None:
    with pytest.raises(ToolchainError, match=r"'z80'.*cortex-m0"):
        flags().cpu("z80")


def test_unknown_optimisation_level_lists_the_known_ones() -> None:
    with pytest.raises(ToolchainError, match=r"'-O9'.*size.*speed"):
        flags().optimization("-O9")


def test_default_level_exists() -> None:
    assert flags().optimization(flags().default_optimize)
