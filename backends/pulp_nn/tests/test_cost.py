"""Scratch sizes against the C functions; modelled cycles against recorded ones."""

import os
import random
import subprocess
from dataclasses import astuple
from pathlib import Path

import pytest
from tinsmith_pulp_nn.geometry import Image, conv2d_scratch_bytes, depthwise_scratch_bytes

KERNELS = Path(__file__).resolve().parents[3] / "kernels/pulp_nn"
IMAGES = 600

# Reads images and cores from its input, twelve numbers and one; writes two scratch sizes for each.
SCRATCH_C = r"""
#include <stdio.h>
#include "include/tinsmith_pulp_nn.h"

int main(void) {
  unsigned n[13];
  for (;;) {
    for (int i = 0; i < 13; ++i) {
      if (scanf("%u", &n[i]) != 1) {
        return i == 0 ? 0 : 1;
      }
    }
    const tinsmith_pulp_conv2d_t conv = {
        .input_height = n[0], .input_width = n[1], .input_channels = n[2], .output_height = n[3],
        .output_width = n[4], .output_channels = n[5], .kernel_height = n[6], .kernel_width = n[7],
        .stride_height = n[8], .stride_width = n[9], .pad_top = n[10], .pad_left = n[11],
        .input_is_signed = true, .weights_are_packed = true};
    const tinsmith_pulp_depthwise_t depthwise = {
        .input_height = n[0], .input_width = n[1], .channels = n[2], .output_height = n[3],
        .output_width = n[4], .kernel_height = n[6], .kernel_width = n[7],
        .stride_height = n[8], .stride_width = n[9], .pad_top = n[10], .pad_left = n[11],
        .input_is_signed = true};
    printf("%u %u\n", tinsmith_pulp_conv2d_scratch_bytes(&conv, n[12]),
           tinsmith_pulp_depthwise_scratch_bytes(&depthwise, n[12]));
  }
}
"""


def random_image(random_: random.Random) -> Image:
    """Any image, paddings and strides included, whose windows all reach into the input."""
    kernel_height, kernel_width = random_.choice(
        [(1, 1), (3, 3), (5, 5), (10, 4), (1, 7), (4, 1), (2, 9)]
    )
    stride_height, stride_width = random_.choice([(1, 1), (1, 1), (2, 2), (1, 2), (3, 1)])
    height, width = random_.randint(1, 49), random_.randint(1, 96)
    pad_top = random_.choice([0, kernel_height // 2])
    pad_left = random_.choice([0, kernel_width // 2])
    padded_height = height + pad_top + random_.choice([0, kernel_height // 2])
    padded_width = width + pad_left + random_.choice([0, kernel_width // 2])
    return Image(
        height,
        width,
        random_.choice([random_.randint(1, 64), 4 * random_.randint(1, 64)]),
        max(1, (padded_height - kernel_height) // stride_height + 1),
        max(1, (padded_width - kernel_width) // stride_width + 1),
        random_.randint(1, 256),
        kernel_height,
        kernel_width,
        stride_height,
        stride_width,
        pad_top,
        pad_left,
    )


@pytest.fixture(scope="module")
def scratch_program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("scratch")
    (folder / "scratch.c").write_text(SCRATCH_C)
    program = folder / "scratch"
    sources = [folder / "scratch.c", *sorted((KERNELS / "src").glob("*.c"))]
    compiler = os.environ.get("TINSMITH_HOST_CC", "cc")
    command = [compiler, "-std=c11", "-O0", f"-I{KERNELS}", *map(str, sources), "-o", str(program)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return program


def test_scratch_sizes_are_those_of_the_c_functions(scratch_program: Path) -> None:
    random_ = random.Random(1)
    cases = [(random_image(random_), random_.choice([1, 2, 3, 4, 8])) for _ in range(IMAGES)]
    text = "".join(f"{' '.join(map(str, (*astuple(i), cores)))}\n" for i, cores in cases)
    done = subprocess.run([scratch_program], input=text, capture_output=True, text=True, check=True)
    expected = [tuple(map(int, line.split())) for line in done.stdout.splitlines()]
    found = [
        (conv2d_scratch_bytes(image, cores), depthwise_scratch_bytes(image, cores))
        for image, cores in cases
    ]
    assert found == expected
    assert any(conv == 0 for conv, _ in found)
    assert any(conv != 0 for conv, _ in found)
