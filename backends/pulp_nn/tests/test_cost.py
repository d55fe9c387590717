"""Scratch sizes against the C functions; modelled cycles against recorded ones."""

import os
import random
import statistics
import subprocess
from collections.abc import Callable
from dataclasses import astuple, dataclass, replace
from pathlib import Path

import pytest
from tinsmith_pulp_nn import cost
from tinsmith_pulp_nn.coefficients import COEFFICIENTS, COLD_CYCLES
from tinsmith_pulp_nn.cost import Kernel, PairsKernel, Stage
from tinsmith_pulp_nn.geometry import (
    Box,
    Copy,
    Elements,
    Image,
    Linear,
    Mean,
    Rows,
    Softmax,
    Widened,
    conv2d_scratch_bytes,
    depthwise_scratch_bytes,
)

KERNELS = Path(__file__).resolve().parents[3] / "kernels/pulp_nn"
IMAGES = 600

# Reads images and cores from its input, twelve numbers and one; writes two scratch sizes for each.
SCRATCH_C = r"""
#include <stdio.h>
#include "tinsmith_pulp_nn.h"

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
    options = ["-std=c11", "-O0", f"-I{KERNELS / 'include'}"]
    command = [compiler, *options, *map(str, sources), "-o", str(program)]
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


@dataclass(frozen=True)
class Measured:
    """Cycles that the simulator counted."""

    kernel: Kernel
    geometry: Image | Linear | Softmax | Elements
    cores: int
    stage: Stage
    cycles: int


# Rows before the sum are those of docs/benchmarks.md, which another program measures, by the kernels of all kinds, than
# coefficients are fitted to.
MEASURED = [
    Measured("conv2d", Image(16, 16, 64, 16, 16, 64, 3, 3, 1, 1, 1, 1), 8, "truncate", 486418),
    Measured("conv2d", Image(16, 16, 64, 16, 16, 64, 3, 3, 1, 1, 1, 1), 1, "tflite", 3893463),
    Measured("conv2d", Image(25, 5, 64, 25, 5, 64, 1, 1), 8, "tflite", 42448),
    Measured("conv2d", Image(6, 6, 128, 6, 6, 128, 1, 1), 8, "truncate", 33943),
    Measured("conv2d", Image(49, 10, 1, 25, 5, 64, 10, 4, 2, 2, 4, 1), 8, "tflite", 37094),
    Measured("conv2d", Image(96, 96, 3, 48, 48, 8, 3, 3, 2, 2), 8, "truncate", 78506),
    Measured("conv2d", Image(1, 1024, 1, 1, 512, 16, 1, 10, 1, 2, 0, 4), 8, "tflite", 28173),
    Measured("depthwise", Image(25, 5, 64, 25, 5, 64, 3, 3, 1, 1, 1, 1), 8, "tflite", 20414),
    Measured("depthwise", Image(48, 48, 8, 48, 48, 8, 3, 3, 1, 1, 1, 1), 8, "truncate", 27767),
    Measured("depthwise", Image(24, 24, 32, 12, 12, 32, 3, 3, 2, 2), 8, "tflite", 15369),
    Measured("depthwise", Image(16, 16, 32, 16, 16, 32, 5, 5, 1, 1, 2, 2), 8, "truncate", 25890),
    Measured("linear", Linear(640, 128), 8, "tflite", 6785),
    Measured("add", Elements(16384), 8, "tflite", 15931),
    Measured("max_pool", Image(32, 32, 16, 15, 15, 16, 3, 3, 2, 2), 8, "tflite", 6866),
    Measured("average_pool", Image(25, 5, 64, 1, 1, 64, 25, 5), 8, "tflite", 2102),
    Measured("average_pool", Image(16, 16, 64, 8, 8, 64, 2, 2, 2, 2), 8, "tflite", 12873),
    Measured("softmax", Softmax(64, 12), 8, "tflite", 4945),
    # The last group has two pixels, and does each as a block of four.
    Measured("conv2d", Image(2, 15, 164, 2, 15, 251, 1, 1), 8, "tflite", 161538),
    # Three blocks of channels on four cores, the last of which fills no block.
    Measured("conv2d", Image(6, 3, 32, 3, 1, 10, 3, 3, 2, 2, 1, 1), 8, "truncate", 12261),
    Measured("conv2d", Image(9, 11, 6, 7, 9, 30, 3, 3), 4, "truncate", 20225),
    Measured("conv2d", Image(5, 20, 48, 5, 20, 32, 1, 1), 2, "tflite", 57170),
    Measured("depthwise", Image(1, 64, 40, 1, 60, 40, 1, 5), 8, "truncate", 54735),
    Measured("depthwise", Image(8, 8, 16, 8, 8, 16, 3, 3, 1, 1, 1, 1), 1, "tflite", 22498),
    Measured("linear", Linear(128, 10), 1, "truncate", 1658),
    Measured("average_pool", Image(7, 7, 96, 7, 7, 96, 3, 3, 1, 1, 1, 1), 4, "tflite", 33800),
    Measured("lookup", Elements(5000), 8, "tflite", 2410),
]

MEASURED_COPIES = [
    (Copy(5000), True, 663),
    (Copy(100), True, 51),
    (Copy(48, 30), True, 269),
    (Copy(3, 100), True, 293),
    (Copy(5000), False, 681),
    (Copy(48, 30), False, 269),
]


def modelled(
    kernel: Kernel, geometry: Image | Linear | Softmax | Elements, cores: int, stage: Stage
) -> int:
    match geometry:
        case Linear():
            return cost.linear_cycles(geometry, cores, stage)
        case Softmax():
            return cost.softmax_cycles(geometry, cores)
        case Elements():
            return (cost.add_cycles if kernel == "add" else cost.lookup_cycles)(geometry, cores)
        case Image() if kernel == "conv2d":
            return cost.conv2d_cycles(geometry, cores, stage)
        case Image() if kernel == "depthwise":
            return cost.depthwise_cycles(geometry, cores, stage)
        case Image():
            is_max = kernel == "max_pool"
            return (cost.max_pool_cycles if is_max else cost.average_pool_cycles)(geometry, cores)


def error(row: Measured) -> float:
    return modelled(row.kernel, row.geometry, row.cores, row.stage) / row.cycles - 1


@pytest.mark.parametrize("row", MEASURED, ids=lambda row: f"{row.kernel}-{row.cycles}")
def test_modelled_cycles_are_near_those_of_the_simulator(row: Measured) -> None:
    assert abs(error(row)) < 0.25


def test_the_mean_error_is_small() -> None:
    assert statistics.mean(abs(error(row)) for row in MEASURED) < 0.08


@pytest.mark.parametrize(
    ("kernel", "rows", "cores", "cycles"),
    [
        ("mul_tflite", Rows(164, 62), 2, 78809),
        ("mul_tflite", Rows(17, 2), 8, 424),
        ("sum", Rows(5, 155), 8, 2023),
        ("sum", Rows(71, 147), 8, 16156),
        ("extremum", Rows(18, 88), 8, 1769),
    ],
)
def test_pairs_take_what_the_simulator_counts(
    kernel: PairsKernel, rows: Rows, cores: int, cycles: int
) -> None:
    assert abs(cost.pairs_cycles(rows, cores, kernel) / cycles - 1) < 0.1


def test_means_and_moves_take_what_the_simulator_counts() -> None:
    assert abs(cost.mean_cycles(Mean(5, 4, 4), 8) / 420 - 1) < 0.1
    assert abs(cost.mean_cycles(Mean(5, 33, 2), 1) / 1763 - 1) < 0.1
    apart = Box((6, 4, 2, 44), (352, 88, 44, 1), (704, 176, 88, 1))
    assert abs(cost.move_cycles((apart,), 1) / 2763 - 1) < 0.1


@pytest.mark.parametrize(
    ("widened", "cores", "cycles"),
    [
        (Widened(192, 256), 8, 601),
        (Widened(192, 36), 8, 258),
        (Widened(30, 100), 1, 1397),
        (Widened(256, 2304), 4, 7233),
    ],
)
def test_widening_takes_what_the_simulator_counts(
    widened: Widened, cores: int, cycles: int
) -> None:
    assert abs(cost.widen_cycles(widened, cores) / cycles - 1) < 0.1


@pytest.mark.parametrize(("copy", "to_l1", "cycles"), MEASURED_COPIES)
def test_copies_take_what_the_simulator_counts(copy: Copy, to_l1: bool, cycles: int) -> None:
    assert abs(cost.dma_cycles(copy, to_l1=to_l1) / cycles - 1) < 0.1


def test_stores_of_many_bursts_take_longer_than_loads() -> None:
    assert cost.dma_cycles(Copy(8192), to_l1=False) > cost.dma_cycles(Copy(8192), to_l1=True)


IMAGE_KERNELS: list[Kernel] = ["conv2d", "depthwise", "max_pool", "average_pool"]


@pytest.mark.parametrize("kernel", IMAGE_KERNELS)
def test_random_images_have_coefficients_and_cycles(kernel: Kernel) -> None:
    random_ = random.Random(2)
    for _ in range(200):
        image = random_image(random_)
        for stage in ("tflite", "truncate"):
            assert modelled(kernel, image, random_.choice([1, 2, 4, 8]), stage) > 0


def taller(image: Image, times: int) -> Image:
    return replace(
        image, input_height=image.input_height * times, output_height=image.output_height * times
    )


def wider(image: Image, times: int) -> Image:
    return replace(
        image, input_width=image.input_width * times, output_width=image.output_width * times
    )


def deeper(image: Image, times: int) -> Image:
    return replace(
        image,
        input_channels=image.input_channels * times,
        output_channels=image.output_channels * times,
    )


@pytest.mark.parametrize("grow", [taller, wider, deeper])
@pytest.mark.parametrize("stage", ["tflite", "truncate"])
@pytest.mark.parametrize("kernel", IMAGE_KERNELS)
def test_larger_images_take_longer(
    kernel: Kernel, stage: Stage, grow: Callable[[Image, int], Image]
) -> None:
    image = Image(8, 8, 16, 8, 8, 16, 3, 3, 1, 1, 1, 1)
    cycles = [modelled(kernel, grow(image, times), 8, stage) for times in (1, 2, 4, 8)]
    assert cycles == sorted(set(cycles))


@pytest.mark.parametrize("kernel", IMAGE_KERNELS)
def test_more_cores_take_less_but_not_less_than_their_part(kernel: Kernel) -> None:
    image = Image(16, 16, 64, 16, 16, 64, 3, 3, 1, 1, 1, 1)
    one, two, eight = (modelled(kernel, image, cores, "tflite") for cores in (1, 2, 8))
    assert one > two > eight > one / 8.5


def test_more_inputs_outputs_elements_and_rows_take_longer() -> None:
    assert cost.linear_cycles(Linear(64, 64), 8, "tflite") < cost.linear_cycles(
        Linear(256, 64), 8, "tflite"
    )
    assert cost.linear_cycles(Linear(64, 64), 8, "truncate") < cost.linear_cycles(
        Linear(64, 128), 8, "truncate"
    )
    assert cost.add_cycles(Elements(1000), 8) < cost.add_cycles(Elements(4000), 8)
    assert cost.lookup_cycles(Elements(1000), 8) < cost.lookup_cycles(Elements(4000), 8)
    assert cost.softmax_cycles(Softmax(8, 10), 8) < cost.softmax_cycles(Softmax(9, 10), 8)


def test_tflites_stage_takes_longer_than_the_truncating_one() -> None:
    image = Image(16, 16, 16, 16, 16, 64, 1, 1)
    truncating = cost.conv2d_cycles(image, 8, "truncate")
    assert cost.conv2d_cycles(image, 8, "tflite") > truncating


def test_no_coefficient_is_below_0_and_no_cold_run_faster() -> None:
    assert all(value >= 0 for numbers in COEFFICIENTS.values() for value in numbers.values())
    assert all(value > 0 for value in COLD_CYCLES.values())


def test_a_cold_run_has_its_stage() -> None:
    assert cost.cold_cycles("conv2d", "truncate") == COLD_CYCLES["conv2d-truncate"]
    assert cost.cold_cycles("softmax") == COLD_CYCLES["softmax"]
