"""Random calls of every kernel: plain C on the host under sanitizers, plain C and DSP on emulated boards."""

import shutil
import struct
import subprocess
from pathlib import Path

import numpy as np
import pytest
from kernel_cases import KERNELS, Call, Generator, kernels_of
from numpy.typing import NDArray
from tinsmith_c.testing import KernelObjects, compile_c
from tinsmith_cmsis_nn.packing import Implementation
from tinsmith_emulators import run
from tinsmith_target import target
from tinsmith_toolchains import Firmware, build_firmware

TESTS = Path(__file__).resolve().parent
LIBRARY = TESTS.parent

# As in board_model.c.
INPUT_BYTES = 12288
RESULT_BYTES = 4112

BOARDS: dict[str, Implementation] = {
    "cortex-m0": "c",
    "cortex-m4": "dsp",
    "cortex-m33": "dsp",
    "riscv32": "c",
}


def sources() -> list[Path]:
    return sorted((LIBRARY / "src").rglob("*.c"))


def host_compile(program: Path, files: list[Path], kernels: KernelObjects) -> Path:
    """`files` with the kernels in plain C, under sanitizers."""
    compile_c([*files, *kernels.include_flags(), kernels.archive(), "-o", program])
    return program


def host_build(directory: Path, text: str, kernels: KernelObjects) -> Path:
    source = directory / "program.c"
    source.write_text(text)
    return host_compile(directory / "program", [source], kernels)


@pytest.fixture(scope="session")
def host_program(tmp_path_factory: pytest.TempPathFactory, kernel_objects: KernelObjects) -> Path:
    program = tmp_path_factory.mktemp("host") / "calls"
    return host_compile(program, [TESTS / "call.c", TESTS / "host_main.c"], kernel_objects)


@pytest.mark.parametrize("kernel", kernels_of("c"))
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


def test_the_example_of_the_readme(tmp_path: Path, kernel_objects: KernelObjects) -> None:
    readme = (LIBRARY / "README.md").read_text(encoding="utf-8")
    example = readme.split("```c\n")[1].split("```")[0]
    main = "int main(void) { int8_t y[2]; example(y); return !(y[0] == 28 && y[1] == 82); }\n"
    program = host_build(tmp_path, example + main, kernel_objects)
    assert subprocess.run([program], check=False).returncode == 0


def test_softmax_where_no_difference_counts_is_least_everywhere(
    tmp_path: Path, kernel_objects: KernelObjects
) -> None:
    """Above 0, diff_min bars even the row's largest value, whose difference is 0."""
    program = host_build(
        tmp_path,
        """
#include "arm_nnfunctions.h"
int main(void) {
  const int8_t input[6] = {3, -128, 127, 0, 0, 0};
  int8_t output[6] = {0};
  arm_softmax_s8(input, 2, 3, 1077952640, 19, 1, output);
  for (int i = 0; i < 6; ++i) {
    if (output[i] != -128) return 1;
  }
  return 0;
}
""",
        kernel_objects,
    )
    assert subprocess.run([program], check=False).returncode == 0


def test_dims_that_contradict_are_refused_by_every_function_alike(
    tmp_path: Path, kernel_objects: KernelObjects
) -> None:
    program = host_build(
        tmp_path,
        """
#include <stddef.h>
#include "arm_nnfunctions.h"
static int8_t x[64], w[64], y[64];
static int32_t multiplier[8], shift[8], scratch[64];
int main(void) {
  const cmsis_nn_context ctx = {scratch, sizeof scratch}, none = {NULL, 0};
  const cmsis_nn_per_channel_quant_params scale = {multiplier, shift};
  cmsis_nn_conv_params conv = {.stride = {1, 1}, .dilation = {1, 1}, .activation = {-128, 127}};
  cmsis_nn_dw_conv_params dw = {.ch_mult = 1, .stride = {1, 1}, .dilation = {1, 1}, .activation = {-128, 127}};
  const cmsis_nn_dims in = {1, 2, 2, 4}, filter = {4, 1, 1, 3}, whole = {4, 1, 1, 4}, out = {1, 2, 2, 4};
  const cmsis_nn_dims up = {1, 2, 1, 1}, other = {1, 2, 2, 5};
  int wrong = 0;
#define EXPECT(status, call) wrong += (call) != ARM_CMSIS_NN_##status
  EXPECT(ARG_ERROR, arm_convolve_s8(&ctx, &conv, &scale, &in, x, &filter, w, &out, NULL, NULL, &out, y));
  EXPECT(ARG_ERROR, arm_convolve_s8(&none, &conv, &scale, &in, x, &whole, w, &out, NULL, NULL, &out, y));
  EXPECT(NO_IMPL_ERROR, arm_convolve_s8(&ctx, &conv, &scale, &in, x, &whole, w, &out, NULL, &up, &out, y));
  EXPECT(SUCCESS, arm_convolve_s8(&ctx, &conv, &scale, &in, x, &whole, w, &out, NULL, &whole, &out, y));
  EXPECT(SUCCESS, arm_convolve_1x1_s8(&none, &conv, &scale, &in, x, &filter, w, &out, NULL, &out, y));
  EXPECT(SUCCESS, arm_convolve_1x1_s8_fast(&none, &conv, &scale, &in, x, &filter, w, &out, NULL, &out, y));
  EXPECT(ARG_ERROR, arm_convolve_1_x_n_s8(&ctx, &conv, &scale, &in, x, &whole, w, &out, NULL, &out, y));
  EXPECT(ARG_ERROR, arm_depthwise_conv_s8_opt(&ctx, &dw, &scale, &in, x, &filter, w, &out, NULL, &other, y));
  EXPECT(ARG_ERROR, arm_depthwise_conv_3x3_s8(&ctx, &dw, &scale, &in, x, &filter, w, &out, NULL, &out, y));
  conv.padding.w = 1;
  EXPECT(ARG_ERROR, arm_convolve_1x1_s8(&ctx, &conv, &scale, &in, x, &whole, w, &out, NULL, &out, y));
  conv = (cmsis_nn_conv_params){.stride = {2, 1}, .dilation = {1, 1}};
  EXPECT(ARG_ERROR, arm_convolve_1x1_s8_fast(&ctx, &conv, &scale, &in, x, &whole, w, &out, NULL, &out, y));
  dw.ch_mult = 0;
  EXPECT(ARG_ERROR, arm_depthwise_conv_s8(&ctx, &dw, &scale, &in, x, &filter, w, &out, NULL, &out, y));
  return wrong;
}
""",
        kernel_objects,
    )
    assert subprocess.run([program], check=False).returncode == 0


EXTENSIONS = {"cortex-m3": (), "cortex-m4": ("DSP",), "cortex-m55": ("DSP", "MVEI")}


@pytest.mark.parametrize("cpu", EXTENSIONS)
def test_header_names_the_extensions_as_arms_does(cpu: str, tmp_path: Path) -> None:
    lines = ['#include "arm_nnfunctions.h"']
    for name in ("DSP", "MVEI"):
        wrong = "defined" if name not in EXTENSIONS[cpu] else "!defined"
        lines += [f"#if {wrong}(ARM_MATH_{name})", f'#error "{name}"', "#endif"]
    source = tmp_path / "header.c"
    source.write_text("\n".join(lines) + "\n")
    model = [source, TESTS / "call.c", TESTS / "board_model.c"]
    build_firmware(
        target(cpu),
        [*sources(), *model],
        harness=[TESTS / "board_harness.c"],
        include_directories=[LIBRARY, LIBRARY / "include"],
        output_directory=tmp_path,
    )


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
    check_calls(board_program(cpu, tmp_path), kernels_of(BOARDS[cpu]) * 12)


def test_a_frame_pointer_leaves_registers_enough_for_the_assembly(tmp_path: Path) -> None:
    firmware = board_program("cortex-m4", tmp_path, "-fno-omit-frame-pointer")
    kernels = ("convolve_packed", "depthwise_packed", "fully_connected_packed")
    few_bits = ("convolve_packed_s4", "convolve_packed_s2_narrow", "fully_connected_packed_s2")
    blocks = "fully_connected_blockwise_packed_s4"
    check_calls(firmware, (*kernels, *few_bits, blocks) * 8)


@pytest.mark.parametrize("level", ["-O0", "-O1", "-O2", "-Os", "-Og"])
@pytest.mark.parametrize(("cpu", "folder"), [("cortex-m4", "dsp"), ("cortex-m55", "mve")])
def test_gcc_takes_the_assembly_at_every_level(
    cpu: str, folder: str, level: str, tmp_path: Path
) -> None:
    compiler = shutil.which("arm-none-eabi-gcc")
    if compiler is None:
        pytest.skip("no arm-none-eabi-gcc on this machine")
    files = [str(path) for path in sources() if path.parent.name == folder]
    includes = [f"-I{LIBRARY}", f"-I{LIBRARY / 'include'}", f"-I{LIBRARY.parent / 'include'}"]
    own = [f"-mcpu={cpu}", "-mthumb", "-mfloat-abi=hard", "-std=c11", level]
    # Not of those that hold nothing for this CPU.
    strict = ["-Wall", "-Wextra", "-Wpedantic", "-Wundef", "-Wshadow", "-Wcast-align", "-Werror"]
    loose = ["-Wno-error=pedantic"] if folder == "dsp" else []
    command = [compiler, *own, *includes, *strict, *loose, "-c", *files]
    assert subprocess.run(command, cwd=tmp_path, check=False).returncode == 0


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
