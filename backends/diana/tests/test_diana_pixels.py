"""Rows that the digital accelerator turns to the analog one's pixels: words, cycles, rules, and bytes on the twin."""

from dataclasses import replace
from pathlib import Path

import pytest
from pixel_networks import CHANNELS, turned_images, turned_inputs
from tinsmith_c.testing import HostModel, KernelObjects
from tinsmith_diana.layouts import DianaPixels, DianaRows
from tinsmith_diana.pixels import NAME, Turning, cost_of, record
from tinsmith_ir import Program
from tinsmith_ir.operators import Reshape
from tinsmith_ir.program import Call
from tinsmith_lowering import Kernel, layer_of_call, lower
from tinsmith_target import Target, target

_BANK = 0x10000
_CORE = "tinsmith_diana_rows_to_pixels"
Image = tuple[int, int, int]


def turns(program: Program) -> dict[str, Call]:
    """Calls that turn rows to pixels, by what they turn."""
    return {
        str(call.inputs[0]): call
        for call in program.calls
        if program.view[call.outputs[0]].layout == DianaPixels.name
        and program.view[call.inputs[0] or ""].layout == DianaRows.name
    }


def kernel_of(image: Image, host: Target, both: tuple[Kernel, ...]) -> tuple[str, str]:
    """What turns an image, and why not a better one."""
    program = lower(turned_images(*image[:2], (image[2],)), host, both)
    (call,) = turns(program).values()
    return call.kernel, call.reason


def words_of(work: Turning) -> dict[int, int]:
    """Those that are not zero, of the jobs and of the copies."""
    words = (*record(work), *work.copy_words)
    return {index: int(word) for index, word in enumerate(words) if word}


def test_channels_of_up_to_all_banks_are_a_job_for_each() -> None:
    """32 rows of pixels, of which 16 channels go to each of three banks, in one copy."""
    expected = {0: 1, 4: 16, 5: 1, 6: 16, 7: 32, 8: 16, 9: 512, 10: 1, 11: 1, 12: 1, 13: 32}
    expected |= {15: 1, 16: 512, 17: 1, 18: 1, 32: 3, 33: 16 * 20, 34: 1, 37: 16 * 512, 38: _BANK}
    assert words_of(Turning((32, 16, 48))) == expected | {40: 1, 41: 512, 42: 3, 43: 256}


def test_channels_of_several_words_are_one_job_and_rows_are_copied_one_by_one() -> None:
    """80 channels are two words of all banks; a row has 7 of 16 pixels."""
    expected = {0: 1, 4: 80, 5: 5, 6: 7, 7: 5, 8: 16, 9: 80, 10: 1, 11: 1, 12: 1, 13: 5}
    expected |= {15: 1, 16: 80, 17: 1, 18: 1, 32: 1, 33: 80 * 84, 34: 1, 37: 80 * 80, 38: 5 * _BANK}
    expected |= {40: 5, 41: 14, 42: 4, 43: 512}
    assert words_of(Turning((5, 7, 80))) == expected


@pytest.mark.parametrize(
    ("image", "scratch_bytes"),
    [
        ((32, 32, 16), 16_384),
        ((32, 20, 3), 16_384),
        ((4, 16, 17), 3 * _BANK + 1024),
        ((4, 16, 64), 3 * _BANK + 1024),
        ((4, 16, 65), 3 * _BANK + 2048),
    ],
)
def test_pixels_of_several_banks_reach_from_the_first_to_the_last(
    image: Image, scratch_bytes: int
) -> None:
    assert Turning(image).scratch_bytes == scratch_bytes


@pytest.mark.parametrize(
    ("image", "measured"),
    [
        ((32, 32, 16), 5_981),
        ((16, 16, 32), 3_360),
        ((8, 8, 64), 4_308),
        ((5, 25, 64), 4_567),
        ((6, 7, 16), 1_669),
        ((9, 9, 20), 3_253),
        ((16, 16, 96), 32_904),
        ((8, 8, 128), 28_688),
        ((1, 1, 64), 1_191),
    ],
)
def test_cycles_are_about_those_of_the_simulated_chip(image: Image, measured: int) -> None:
    assert abs(cost_of(Turning(image)).cycles / measured - 1) < 0.15


@pytest.mark.parametrize(
    ("image", "kernel", "reason"),
    [
        ((32, 32, 16), NAME, ""),
        ((16, 16, 32), NAME, ""),
        ((8, 8, 64), NAME, ""),
        ((8, 8, 128), NAME, ""),
        # Copies of many rows, for few elements.
        (
            (8, 8, 3),
            _CORE,
            "takes less cycles than the core, which turns it element by element: it takes 1,7",
        ),
        # Rows behind what reaches over three banks and 8 KiB.
        ((32, 32, 48), NAME, ""),
        ((32, 32, 64), _CORE, "from the first of its banks to the last: they take 278,528 bytes"),
        ((4, 16, 240), NAME, ""),
        (
            (4, 16, 256),
            _CORE,
            "fit the accelerator's weight memory of 65,536 bytes: they take 66,560 bytes",
        ),
    ],
)
def test_the_array_turns_what_it_can_and_the_core_the_rest(
    image: Image, kernel: str, reason: str, host: Target, both: tuple[Kernel, ...]
) -> None:
    found, why = kernel_of(image, host, both)
    assert found == kernel
    assert reason in why


def test_a_board_without_the_array_has_its_core(host: Target, both: tuple[Kernel, ...]) -> None:
    """Kernels of the analog array alone, and of both for another chip."""
    alone = tuple(kernel for kernel in both if kernel.name != NAME)
    assert kernel_of((16, 16, 32), host, alone)[0] == _CORE
    (kernel,) = (found for found in both if found.name == NAME and found.operator is Reshape)
    program = lower(turned_images(16, 16, (32,)), host, both)
    (call,) = turns(program).values()
    layer = layer_of_call(program, call, target("cortex-m4"))
    assert "has the digital accelerator" in (kernel.broken_rule(layer) or "")


@pytest.mark.parametrize("image", [(5, 7), (3, 16), (2, 33), (1, 1)])
def test_turned_images_are_the_evaluators(
    image: tuple[int, int],
    host: Target,
    both: tuple[Kernel, ...],
    both_objects: KernelObjects,
    tmp_path: Path,
) -> None:
    """By the array, whether that pays or not, under sanitizers."""
    kernels = [replace(kernel, pays=()) if kernel.name == NAME else kernel for kernel in both]
    graph = turned_images(*image)
    program = lower(graph, host, kernels)
    assert [call.kernel for call in turns(program).values()] == [NAME] * len(CHANNELS)
    model = HostModel.of_graph(graph, host, kernels, both_objects, tmp_path)
    for seed in range(2):
        assert model.wrong_results(turned_inputs(graph, seed), graph) == []
