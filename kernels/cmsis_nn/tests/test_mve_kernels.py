"""The MVE kernels on the emulated Cortex-M55: random layers against plain loops in C, and test_kernels.py's calls."""

import shutil
import struct
from pathlib import Path

import numpy as np
import pytest
from kernel_cases import Generator, kernels_of
from test_kernels import INPUT_BYTES, LIBRARY, TESTS, check, fits, sources
from tinsmith_emulators import run
from tinsmith_target import target
from tinsmith_toolchains import Firmware, build_firmware

CASES = 250
GROUPS = ("convolve", "depthwise", "fully_connected", "elementwise", "pooling")
"""In the order of `results` in test_mve_kernels.c."""


def build(directory: Path, model: list[Path], harness: Path) -> Firmware:
    if shutil.which("qemu-system-arm") is None:
        pytest.skip("qemu-system-arm is not installed")
    return build_firmware(
        target("cortex-m55"),
        [*sources(), *model],
        harness=[harness],
        include_directories=[LIBRARY],
        output_directory=directory,
        extra_flags=["-Werror"],
    )


def test_random_layers_equal_plain_loops(tmp_path: Path) -> None:
    directory = TESTS / "mve"
    firmware = build(tmp_path, [directory / "test_mve_kernels.c"], directory / "board_harness.c")
    seeds = (1, 20260921, 0xC0FFEE)
    inputs = [struct.pack("<2I", seed, CASES) for seed in seeds]
    result = run(firmware, target("cortex-m55"), inputs, layers=False, timeout_seconds=120)
    for output in result.outputs:
        for group, (cases, failures, state) in zip(
            GROUPS, struct.iter_unpack("<3I", output), strict=True
        ):
            assert cases == CASES
            assert failures == 0, f"{group}: {failures} of {cases}, the first with seed {state}"


def test_calls_equal_the_definition_and_write_nowhere_else(tmp_path: Path) -> None:
    model = [TESTS / "call.c", TESTS / "board_model.c"]
    firmware = build(tmp_path, model, TESTS / "board_harness.c")
    generator = Generator(seed=55, implementation="mve")
    calls = [call for call in (generator.call(k) for k in kernels_of("mve") * 12) if fits(call)]
    assert len(calls) > 100
    inputs = [call.encode().ljust(INPUT_BYTES, b"\0") for call in calls]
    result = run(firmware, target("cortex-m55"), inputs, layers=False, timeout_seconds=120)
    for call, output in zip(calls, result.outputs, strict=True):
        status, _, changed = struct.unpack_from("<3i", output)
        check(call, status, np.frombuffer(output, np.int8, call.expected.size, 16))
        assert changed == 0, call
