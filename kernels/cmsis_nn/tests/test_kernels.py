"""Random calls of every kernel: plain C on the host under sanitizers, plain C and DSP on emulated boards."""

import os
import shutil
import struct
import subprocess
from pathlib import Path

import numpy as np
import pytest
from kernel_cases import KERNELS, Call, Generator
from numpy.typing import NDArray
from tinsmith_cmsis_nn.packing import Implementation
from tinsmith_emulators import run
from tinsmith_target import target
from tinsmith_toolchains import Firmware, build_firmware

TESTS = Path(__file__).resolve().parent
LIBRARY = TESTS.parent
# Softmax is compared with the evaluator, graph by graph, in backends/cmsis_nn/tests/test_cmsis_nn_on_host.py.
RANDOM_KERNELS = tuple(kernel for kernel in KERNELS if kernel != "softmax")

# As in board_model.c.
INPUT_BYTES = 12288
RESULT_BYTES = 4112

BOARDS: dict[str, Implementation] = {
    "cortex-m0": "c",
    "cortex-m3": "c",
    "cortex-m4": "dsp",
    "cortex-m7": "dsp",
    "cortex-m33": "dsp",
    "riscv32": "c",
}


def sources() -> list[Path]:
    return sorted((LIBRARY / "src").rglob("*.c"))


@pytest.fixture(scope="session")
def host_program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    program = tmp_path_factory.mktemp("host") / "calls"
    compiler = os.environ.get("TINSMITH_HOST_CC", "cc")
    flags = ["-std=c11", "-O1", "-g", "-Wall", "-Wextra", "-Werror"]
    sanitizers = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    files = [*sources(), TESTS / "call.c", TESTS / "host_main.c"]
    command = [
        compiler,
        *flags,
        *sanitizers,
        "-I",
        str(LIBRARY),
        "-o",
        str(program),
        *map(str, files),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return program


@pytest.mark.parametrize("kernel", RANDOM_KERNELS)
def test_plain_c_equals_the_definition_and_reads_no_byte_too_far(
    kernel: str, host_program: Path
) -> None:
    generator = Generator(seed=KERNELS.index(kernel), implementation="c")
    calls = [generator.call(kernel) for _ in range(150)]
    data = b"".join(call.encode() for call in calls)
    done = subprocess.run([host_program], input=data, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    results = done.stdout
    for call in calls:
        status, _ = struct.unpack_from("<2i", results)
        output = np.frombuffer(results, np.int8, call.expected.size, 8)
        results = results[8 + call.expected.size :]
        check(call, status, output)
    assert not results


def test_the_example_of_the_readme(tmp_path: Path) -> None:
    readme = (LIBRARY / "README.md").read_text(encoding="utf-8")
    example = readme.split("```c\n")[1].split("```")[0]
    main = "int main(void) { int8_t y[2]; example(y); return !(y[0] == 28 && y[1] == 82); }\n"
    (tmp_path / "example.c").write_text(example + main)
    compiler = os.environ.get("TINSMITH_HOST_CC", "cc")
    includes = ["-I", str(LIBRARY), "-I", str(LIBRARY / "include")]
    files = [str(tmp_path / "example.c"), *map(str, sources())]
    program = tmp_path / "example"
    subprocess.run([compiler, "-std=c11", *includes, "-o", program, *files], check=True)
    assert subprocess.run([program], check=False).returncode == 0


def check(call: Call, status: int, output: NDArray[np.int8]) -> None:
    assert status == 0, call
    expected = call.expected.reshape(-1)
    wrong = np.flatnonzero(output != expected)
    assert wrong.size == 0, _difference(call, wrong, output)


def board_program(cpu: str, directory: Path, *flags: str) -> Firmware:
    if shutil.which("qemu-system-arm") is None:
        pytest.skip("qemu-system-arm is not installed")
    return build_firmware(
        target(cpu),
        [*sources(), TESTS / "call.c", TESTS / "board_model.c"],
        harness=[TESTS / "board_harness.c"],
        include_directories=[LIBRARY],
        output_directory=directory,
        extra_flags=["-Werror", *flags],
    )


def check_calls(firmware: Firmware, kernels: tuple[str, ...]) -> None:
    cpu = firmware.target.name
    generator = Generator(seed=1, implementation=BOARDS[cpu])
    calls = [call for call in (generator.call(k) for k in kernels) if fits(call)]
    assert len(calls) > len(kernels) // 2
    inputs = [call.encode().ljust(INPUT_BYTES, b"\0") for call in calls]
    result = run(firmware, target(cpu), inputs, layers=False, timeout_seconds=120)
    for call, output in zip(calls, result.outputs, strict=True):
        status, _, changed = struct.unpack_from("<3i", output)
        check(call, status, np.frombuffer(output, np.int8, call.expected.size, 16))
        assert changed == 0, call


@pytest.mark.parametrize("cpu", BOARDS)
def test_boards_give_the_same_and_write_nowhere_else(cpu: str, tmp_path: Path) -> None:
    check_calls(board_program(cpu, tmp_path), RANDOM_KERNELS * 12)


def test_a_frame_pointer_leaves_registers_enough_for_the_assembly(tmp_path: Path) -> None:
    firmware = board_program("cortex-m4", tmp_path, "-fno-omit-frame-pointer")
    check_calls(firmware, ("convolve_packed", "depthwise_packed", "fully_connected_packed") * 8)


def fits(call: Call) -> bool:
    return len(call.encode()) <= INPUT_BYTES and call.expected.size + 16 + 64 <= RESULT_BYTES


def _difference(call: Call, wrong: NDArray[np.intp], output: NDArray[np.int8]) -> str:
    """The first wrong values, and the call without its arrays."""
    first = wrong[:5]
    shape = {
        name: value for name, value in vars(call).items() if name not in ("arrays", "expected")
    }
    got, expected = output[first], call.expected.reshape(-1)[first]
    return f"{wrong.size} wrong, at {first}: {got}, expected {expected}; {shape}"
