"""Random calls of the kernels for other types than int8: on the host under sanitizers, and on emulated boards."""

import shutil
import struct
import subprocess
from pathlib import Path

import numpy as np
import pytest
from other_cases import OTHER_KERNELS, OtherGenerator
from test_kernels import INPUT_BYTES, LIBRARY, TESTS, check, fits, host_build, host_compile, sources
from tinsmith_c.testing import KernelObjects
from tinsmith_cmsis_nn.packing import Implementation
from tinsmith_emulators import run
from tinsmith_ir.fixed_point_16 import logistic_s16, tanh_s16
from tinsmith_target import target
from tinsmith_toolchains import build_firmware

BOARDS: dict[str, Implementation] = {"cortex-m0": "c", "cortex-m4": "dsp", "cortex-m55": "mve"}


@pytest.fixture(scope="session")
def host_program(tmp_path_factory: pytest.TempPathFactory, kernel_objects: KernelObjects) -> Path:
    program = tmp_path_factory.mktemp("host") / "calls"
    return host_compile(program, [TESTS / "other_call.c", TESTS / "host_main.c"], kernel_objects)


@pytest.mark.parametrize("kernel", OTHER_KERNELS)
def test_plain_c_equals_the_definition_and_reads_no_byte_too_far(
    kernel: str, host_program: Path
) -> None:
    generator = OtherGenerator(seed=OTHER_KERNELS.index(kernel), implementation="c")
    calls = [generator.call(kernel) for _ in range(80)]
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


@pytest.mark.parametrize("cpu", BOARDS)
def test_boards_give_the_same_and_write_nowhere_else(cpu: str, tmp_path: Path) -> None:
    if shutil.which("qemu-system-arm") is None:
        pytest.skip("qemu-system-arm is not installed")
    firmware = build_firmware(
        target(cpu),
        [*sources(), TESTS / "other_call.c", TESTS / "board_model.c"],
        harness=[TESTS / "board_harness.c"],
        include_directories=[LIBRARY],
        output_directory=tmp_path,
        extra_flags=["-Werror"],
    )
    generator = OtherGenerator(seed=7, implementation=BOARDS[cpu])
    made = (generator.call(kernel) for kernel in OTHER_KERNELS * 12)
    calls = [call for call in made if fits(call)]
    assert len(calls) > 200
    inputs = [call.encode().ljust(INPUT_BYTES, b"\0") for call in calls]
    result = run(firmware, target(cpu), inputs, layers=False, timeout_seconds=120)
    for call, output in zip(calls, result.outputs, strict=True):
        status, _, changed = struct.unpack_from("<3i", output)
        check(call, status, np.frombuffer(output, np.int8, call.expected.size, 16))
        assert changed == 0, call


def test_sums_of_64_bits_are_scaled_as_singly(
    tmp_path: Path, kernel_objects: KernelObjects
) -> None:
    """tinsmith_scale_sum_s64() for every shift, with sums up to those whose results just fit 32 bits."""
    program = host_build(
        tmp_path,
        """
#include "src/internal/requantize_s16.h"
int main(void) {
  const int32_t reduced[] = {0, 1 << 14, 12345 + (1 << 14), 0x7fff};
  uint64_t state = 1;
  for (int32_t shift = -31; shift <= 14; ++shift) {
    for (int i = 0; i < 4; ++i) {
      const tinsmith_scale_s64 scale = tinsmith_scale_of_s64(reduced[i], shift);
      const int32_t bits = 31 - shift < 47 ? 31 - shift : 47;
      for (int trial = 0; trial < 4000; ++trial) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        const int64_t most = (INT64_C(1) << bits) - 1;
        const int64_t acc = trial == 0 ? most : trial == 1 ? -most : (int64_t)state >> (63 - bits + trial % bits);
        if (tinsmith_scale_sum_s64(acc, &scale) != tinsmith_requantize_s64(acc, reduced[i], shift)) return 1;
      }
    }
  }
  return 0;
}
""",
        kernel_objects,
    )
    assert subprocess.run([program], check=False).returncode == 0


def test_curves_of_lstms_are_gemmlowps(tmp_path: Path, kernel_objects: KernelObjects) -> None:
    """For every number of int16; of tanh with each count of integer bits."""
    program = host_build(
        tmp_path,
        """
#include <stdio.h>
#include "src/internal/curves_q15.h"
static void write(int32_t value) {
  const int16_t result = (int16_t)value;
  fwrite(&result, sizeof result, 1, stdout);
}
int main(void) {
  for (int32_t value = INT16_MIN; value <= INT16_MAX; ++value) write(tinsmith_logistic_q15(value));
  for (int32_t bits = 0; bits <= 6; ++bits) {
    for (int32_t value = INT16_MIN; value <= INT16_MAX; ++value) write(tinsmith_tanh_q15(value, bits, kPowers));
  }
  return 0;
}
""",
        kernel_objects,
    )
    done = subprocess.run([program], capture_output=True, check=True)
    found = np.frombuffer(done.stdout, np.int16).reshape(8, 1 << 16)
    numbers = np.arange(-(1 << 15), 1 << 15).astype(np.int16)
    assert np.array_equal(found[0], logistic_s16(numbers))
    for bits in range(7):
        assert np.array_equal(found[1 + bits], tanh_s16(numbers, bits)), bits


def test_softmax_of_other_results_follows_that_of_int8(
    tmp_path: Path, kernel_objects: KernelObjects
) -> None:
    """uint8: 128 higher. int16: the eight bits above, but for the rounding."""
    program = host_build(
        tmp_path,
        """
#include <stdlib.h>
#include "arm_nnfunctions.h"
enum { kRows = 40, kSize = 9 };
int main(void) {
  int8_t input[kRows * kSize], bytes[kRows * kSize];
  uint8_t raised[kRows * kSize], positive[kRows * kSize];
  int16_t words[kRows * kSize];
  srand(1);
  for (int i = 0; i < kRows * kSize; ++i) {
    input[i] = (int8_t)(rand() >> 8);
    raised[i] = (uint8_t)(input[i] + 128);
  }
  arm_softmax_s8(input, kRows, kSize, 1077952640, 23, -248, bytes);
  arm_softmax_u8(raised, kRows, kSize, 1077952640, 23, -248, positive);
  arm_softmax_s8_s16(input, kRows, kSize, 1077952640, 23, -248, words);
  for (int i = 0; i < kRows * kSize; ++i) {
    if (positive[i] != bytes[i] + 128) return 1;
    if (abs(words[i] - 256 * bytes[i]) > 129 && bytes[i] != 127) return 2;
  }
  return 0;
}
""",
        kernel_objects,
    )
    assert subprocess.run([program], check=False).returncode == 0


def test_transposed_convolution_asks_for_scratch(
    tmp_path: Path, kernel_objects: KernelObjects
) -> None:
    """No more with strides than without, which the sizes for other builds do not know; none is an error."""
    program = host_build(
        tmp_path,
        """
#include <stddef.h>
#include "arm_nnfunctions.h"
int main(void) {
  const cmsis_nn_dims in = {1, 3, 4, 5}, out = {1, 9, 11, 70};
  cmsis_nn_transpose_conv_params params = {.stride = {1, 1}};
  for (int32_t taps = 1; taps < 40; ++taps) {
    const cmsis_nn_dims filter = {70, taps % 7 + 1, taps, 5};
    const int32_t most = arm_transpose_conv_s8_get_buffer_size_dsp(&in, &filter, &out);
    for (int32_t stride = 1; stride < 100; ++stride) {
      params.stride = (cmsis_nn_tile){stride % 10 + 1, stride / 10 + 1};
      const int32_t size = arm_transpose_conv_s8_get_buffer_size(&params, &in, &filter, &out);
      if (size < 1 || size > most) return 1;
    }
  }
  const cmsis_nn_context none = {NULL, 0};
  const cmsis_nn_per_channel_quant_params scales = {NULL, NULL};
  return arm_transpose_conv_s8(&none, &none, &params, &scales, &in, NULL, &in, NULL, &in, NULL, &out, NULL) !=
         ARM_CMSIS_NN_ARG_ERROR;
}
""",
        kernel_objects,
    )
    assert subprocess.run([program], check=False).returncode == 0
