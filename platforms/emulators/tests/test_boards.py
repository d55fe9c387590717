"""Every board: results, exact counting, stack depth, layers, timeouts, faults."""

import math
import re
import struct
from collections.abc import Callable
from pathlib import Path

import pytest
from tinsmith_emulators import (
    EmulatorError,
    FirmwareCrashError,
    FirmwareTimeoutError,
    OutputError,
    run,
)
from tinsmith_target import SocSimulator, target, targets
from tinsmith_toolchains import Firmware, flags, read_symbols

BuildModel = Callable[..., Firmware]

ALL = [item.name for item in targets()]
BOARDS = [name for name in ALL if name != "host"]
WITH_GCC = [name for name in ALL if flags().cpu(target(name).cpu).gcc is not None]
CHIPS = {
    item.name: item.board.emulator.chip
    for item in targets()
    if isinstance(item.board.emulator, SocSimulator)
}
SIMULATED = [*CHIPS]
INPUTS = [bytes(range(64)), bytes(range(192, 256))]
COUNTED = 2 * 65536 + 3
# lui; an addition and a branch a turn, the branch taken (3 cycles) but once; li; the return (2 cycles).
COUNTED_CYCLES = 1 + 65536 * 4 - 2 + 1 + 2


@pytest.mark.parametrize("name", ALL)
def test_outputs_come_back_for_every_input(name: str, build_model: BuildModel) -> None:
    table = [1, 2, 3, 4, 5, *[0] * 58, 255]
    expected = tuple(
        bytes((x + y) & 255 for x, y in zip(data, table, strict=True)) for data in INPUTS
    )

    result = run(build_model(name, "add"), target(name), INPUTS)

    assert result.outputs == expected


@pytest.mark.parametrize("name", ALL)
def test_floats_and_wide_integers_are_exact(name: str, build_model: BuildModel) -> None:
    result = run(build_model(name, "arithmetic"), target(name), INPUTS)

    for data, output in zip(INPUTS, result.outputs, strict=True):
        signed = [value - 256 if value > 127 else value for value in data]
        assert output == bytes(_arithmetic(x, i) & 255 for i, x in enumerate(signed))


@pytest.mark.parametrize("name", ALL)
def test_startup_code_prepares_data_and_bss(name: str, build_model: BuildModel) -> None:
    result = run(build_model(name, "zero_data"), target(name), INPUTS)

    assert result.outputs == (bytes([4]) * 64,) * 2


@pytest.mark.parametrize("name", BOARDS)
def test_counter_is_exact_to_two_instructions(name: str, build_model: BuildModel) -> None:
    result = run(build_model(name, "counted"), target(name), INPUTS * 3)

    assert all(abs(count - COUNTED) <= 2 for count in result.instructions), result.instructions


@pytest.mark.parametrize("name", SIMULATED)
def test_cycles_are_those_of_the_chips_constants(name: str, build_model: BuildModel) -> None:
    result = run(build_model(name, "counted"), target(name), INPUTS)

    assert result.cycles == (COUNTED_CYCLES, COUNTED_CYCLES)
    assert result.cycles_source == f"tinsmith_soc, chip {CHIPS[name]}: cycle-approximate"


@pytest.mark.parametrize("name", SIMULATED)
def test_layers_have_cycles_without_the_cost_of_the_hook(
    name: str, build_model: BuildModel
) -> None:
    plain = run(build_model(name, "layers"), target(name), INPUTS)
    hooked = run(build_model(name, "layers", layers=3), target(name), INPUTS)

    assert abs(hooked.layer_cycles[1] - COUNTED_CYCLES) <= 16, hooked.layer_cycles
    assert sum(hooked.layer_cycles) == pytest.approx(plain.cycles[0], abs=60)
    assert hooked.cycles[0] == pytest.approx(plain.cycles[0], abs=60)


@pytest.mark.parametrize("name", ["cortex-m4", "host"])
def test_cycles_are_not_guessed(name: str, build_model: BuildModel) -> None:
    result = run(build_model(name, "layers", layers=3), target(name), INPUTS)

    assert (result.cycles, result.layer_cycles) == ((), ())
    assert result.cycles_source.startswith("none: ")


@pytest.mark.parametrize("name", BOARDS)
def test_stack_is_measured_from_the_call(name: str, build_model: BuildModel) -> None:
    small = run(build_model(name, "counted"), target(name), INPUTS)
    large = run(build_model(name, "stack"), target(name), INPUTS)

    assert small.stack_bytes == 0
    assert large.stack_bytes is not None
    assert 1024 <= large.stack_bytes <= 1024 + 64


@pytest.mark.parametrize("name", BOARDS)
def test_layers_are_counted_without_the_cost_of_the_hook(
    name: str, build_model: BuildModel
) -> None:
    plain = run(build_model(name, "layers"), target(name), INPUTS)
    hooked = run(build_model(name, "layers", layers=3), target(name), INPUTS, layers=True)

    assert abs(hooked.layer_instructions[1] - COUNTED) <= 8, hooked.layer_instructions
    assert sum(hooked.layer_instructions) == pytest.approx(plain.instructions[0], abs=40)
    assert hooked.instructions[0] == pytest.approx(plain.instructions[0], abs=40)


@pytest.mark.parametrize("name", WITH_GCC)
def test_gcc_builds_programs_that_run_alike(name: str, build_model: BuildModel) -> None:
    zig = run(build_model(name, "layers"), target(name), INPUTS)
    gcc = run(build_model(name, "layers", compiler="gcc"), target(name), INPUTS)

    assert gcc.outputs == zig.outputs


@pytest.mark.parametrize("name", ALL)
def test_harness_and_runtime_compile_without_warnings(name: str, build_model: BuildModel) -> None:
    assert build_model(name, "add").warnings == ""
    if name in WITH_GCC:
        assert build_model(name, "add", compiler="gcc").warnings == ""


@pytest.mark.parametrize("name", ALL)
def test_layer_outputs_come_back_for_every_run(name: str, build_model: BuildModel) -> None:
    result = run(build_model(name, "layers", layers=3), target(name), INPUTS, layers=True)

    for data, layers in zip(INPUTS, result.layer_outputs, strict=True):
        plus_one = bytes((value + 1) & 255 for value in data)
        assert layers == (plus_one, plus_one[:32], plus_one)


@pytest.mark.parametrize("name", ["cortex-m4", "riscv32", "pulp-open", "host"])
def test_endless_program_is_killed_in_time(name: str, build_model: BuildModel) -> None:
    firmware = build_model(name, "endless")

    with pytest.raises(FirmwareTimeoutError, match=r"1 s"):
        run(firmware, target(name), INPUTS, timeout_seconds=1)


@pytest.mark.parametrize("name", BOARDS)
def test_fault_is_reported_with_its_place(name: str, build_model: BuildModel) -> None:
    firmware = build_model(name, "fault")

    with pytest.raises(FirmwareCrashError, match="fault") as error:
        run(firmware, target(name), INPUTS)

    found = re.search(r"(?:pc=|fabric controller at )0x([0-9a-f]{8})", str(error.value))
    assert found is not None
    (function,) = [s for s in read_symbols(firmware.elf) if s.name == "fault_run"]
    start = function.address & ~1
    assert start <= int(found[1], 16) < start + function.size_bytes


@pytest.mark.parametrize("name", SIMULATED)
def test_fault_of_the_simulator_names_core_function_and_reason(
    name: str, build_model: BuildModel
) -> None:
    with pytest.raises(FirmwareCrashError) as error:
        run(build_model(name, "fault"), target(name), INPUTS)

    assert re.search(
        r"load of 4 bytes at 0xffffff00: nothing is there\nfabric controller at 0x\w+ in fault_run: ",
        str(error.value),
    )


def test_float_instruction_traps_on_rv32imc(build_model: BuildModel) -> None:
    with pytest.raises(FirmwareCrashError, match="mcause=0x00000002"):
        run(build_model("riscv32", "foreign"), target("riscv32"), INPUTS)


def test_fault_on_the_host_names_the_signal(build_model: BuildModel) -> None:
    with pytest.raises(FirmwareCrashError, match="signal 11"):
        run(build_model("host", "fault"), target("host"), INPUTS)


@pytest.mark.parametrize("name", BOARDS)
def test_stack_overflow_is_a_fault_of_its_own(name: str, build_model: BuildModel) -> None:
    with pytest.raises(FirmwareCrashError, match=r"stack overflow|Lockup"):
        run(build_model(name, "overflow"), target(name), INPUTS)


@pytest.mark.parametrize("name", ["cortex-m4", "host", *SIMULATED])
def test_error_status_of_a_run_is_an_error(name: str, build_model: BuildModel) -> None:
    with pytest.raises(FirmwareCrashError, match="run 0 returned 7"):
        run(build_model(name, "failing"), target(name), INPUTS)


@pytest.mark.parametrize("name", ["cortex-m4", "host", *SIMULATED])
def test_program_that_ends_early_is_missing_its_outputs(name: str, build_model: BuildModel) -> None:
    with pytest.raises(OutputError, match=r"output\.bin ends after 0 of 2 runs"):
        run(build_model(name, "quitting"), target(name), INPUTS)


@pytest.mark.parametrize("name", ["cortex-m4", *SIMULATED])
def test_input_that_is_too_short_is_an_error(name: str, build_model: BuildModel) -> None:
    with pytest.raises(FirmwareCrashError, match=r"input\.bin ends too early"):
        run(build_model(name, "add"), target(name), [bytes(10)])


def test_layer_outputs_need_the_hook(build_model: BuildModel) -> None:
    with pytest.raises(EmulatorError, match="layer_hook=True"):
        run(build_model("cortex-m4", "add"), target("cortex-m4"), INPUTS, layers=True)


def test_more_runs_than_one_start_takes(build_model: BuildModel) -> None:
    inputs = [bytes([value & 255]) * 64 for value in range(300)]

    result = run(build_model("cortex-m4", "add"), target("cortex-m4"), inputs)

    assert [output[10] for output in result.outputs] == [value & 255 for value in range(300)]


def test_no_files_are_left_behind(
    build_model: BuildModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    firmware = build_model("cortex-m4", "add")
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))

    run(firmware, target("cortex-m4"), INPUTS)

    assert list(scratch.iterdir()) == []


def test_host_program_is_clean_under_sanitizers(build_model: BuildModel) -> None:
    result = run(build_model("host", "layers", layers=3, sanitize=True), target("host"), INPUTS)

    assert len(result.outputs) == 2


def _arithmetic(x: int, index: int) -> int:
    """arithmetic_run of models.c in Python: C rounds floats to 32 bits and divides towards zero."""
    third = _float32(x / 3.0)
    wide = int(math.copysign(abs(x * 1_000_000_007) // (x + 300), x))
    return int(_float32(third * 2.5)) + int(math.fmod(wide, 17)) + (x >> (index & 7))


def _float32(value: float) -> float:
    return float(struct.unpack("<f", struct.pack("<f", value))[0])
