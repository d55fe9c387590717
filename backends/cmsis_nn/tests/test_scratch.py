"""Each scratch formula in Python against the C function it repeats."""

import ctypes
import itertools
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from tinsmith_c.testing import host_compiler
from tinsmith_cmsis_nn import scratch, scratch_mve
from tinsmith_cmsis_nn.geometry import Geometry
from tinsmith_cmsis_nn.packing import Implementation

KERNELS = Path(__file__).parents[3] / "kernels" / "cmsis_nn"
IMPLEMENTATIONS: tuple[Implementation, ...] = ("c", "dsp", "mve")
Pair = tuple[int, int]


class Dims(ctypes.Structure):
    _fields_ = tuple((name, ctypes.c_int32) for name in "nhwc")


class Convolution(ctypes.Structure):
    _fields_ = tuple(
        (name, ctypes.c_int32)
        for name in ["in_offset", "out_offset", "sw", "sh", "pw", "ph", "dw", "dh", "low", "high"]
    )


class Depthwise(ctypes.Structure):
    _fields_ = tuple(
        (name, ctypes.c_int32)
        for name in [
            "in_offset",
            "out_offset",
            "ch_mult",
            "sw",
            "sh",
            "pw",
            "ph",
            "dw",
            "dh",
            "low",
            "high",
        ]
    )


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    path = tmp_path_factory.mktemp("sizes") / "sizes.so"
    sources = sorted((KERNELS / "src" / "common").glob("buffer_sizes*.c"))
    includes = [f"-I{KERNELS}", f"-I{KERNELS / 'include'}"]
    compiler = host_compiler()
    if compiler is None:
        pytest.skip("no C compiler on this machine")
    subprocess.run([compiler, "-shared", "-fPIC", *includes, *sources, "-o", path], check=True)
    return ctypes.CDLL(str(path))


SIZES = [(1, 1), (3, 3), (4, 2), (10, 4), (1, 5)]
CHANNELS = [1, 3, 8, 17, 64, 256]


def output_size(size: Pair, window: Pair, stride: Pair, padding: Pair) -> Pair:
    height, width = (
        (size[axis] + 2 * padding[axis] - window[axis]) // stride[axis] + 1 for axis in (0, 1)
    )
    return height, width


def shapes() -> list[tuple[Pair, Pair, Pair, Pair, int]]:
    found = itertools.product(
        [(48, 48), (25, 5), (49, 10), (1, 30)], SIZES, [(1, 1), (2, 2)], [0, 1], CHANNELS
    )
    return [
        (size, window, stride, padding, channels)
        for size, window, stride, pad, channels in found
        if (padding := (pad if window[0] > 1 else 0, pad if window[1] > 1 else 0))
        and window[0] <= size[0] + 2 * padding[0]
        and window[1] <= size[1] + 2 * padding[1]
    ]


def geometries(*, depthwise: bool) -> list[Geometry]:
    found: list[Geometry] = []
    for size, window, stride, padding, channels in shapes():
        out = output_size(size, window, stride, padding)
        outputs = channels if depthwise else 7
        given, output = (1, *size, channels), (1, *out, outputs)
        weights = (1 if depthwise else 7, *window, channels)
        found.append(Geometry(given, weights, output, stride, padding, (1, 1)))
    return found


@pytest.mark.parametrize("implementation", IMPLEMENTATIONS)
@pytest.mark.parametrize(
    ("function", "formula", "depthwise"),
    [
        ("tinsmith_convolve_packed_s8", scratch.convolve_packed, False),
        ("arm_convolve_wrapper_s8", scratch.convolve_wrapper, False),
        ("tinsmith_depthwise_packed_s8", scratch.depthwise_packed, True),
        ("arm_depthwise_conv_wrapper_s8", scratch.depthwise_wrapper, True),
    ],
)
def test_formula_equals_the_c_function(
    library: ctypes.CDLL,
    implementation: Implementation,
    function: str,
    formula: Callable[[Implementation, Geometry], int],
    depthwise: bool,
) -> None:
    c_function = c_size(library, function, implementation)
    for geometry in geometries(depthwise=depthwise):
        numbers = (*geometry.stride[::-1], *geometry.padding[::-1], 1, 1, -128, 127)
        params = Depthwise(0, 0, 1, *numbers) if depthwise else Convolution(0, 0, *numbers)
        weights = geometry.weights
        if function == "tinsmith_depthwise_packed_s8" and implementation != "mve":
            weights = (scratch.usual_strip(implementation, geometry), *weights[1:])
        dims = [Dims(*sizes) for sizes in (geometry.input, weights, geometry.output)]
        expected = c_function(ctypes.byref(params), *map(ctypes.byref, dims))
        assert formula(implementation, geometry) == expected, geometry


def test_formula_of_pixels_equals_the_c_function(library: ctypes.CDLL) -> None:
    for geometry in geometries(depthwise=True):
        expected = library.tinsmith_depthwise_pixels_s8_get_buffer_size(
            ctypes.byref(Dims(*geometry.weights))
        )
        assert scratch.depthwise_pixels(geometry) == expected, geometry


def test_formula_of_3x3_taps_equals_the_c_function(library: ctypes.CDLL) -> None:
    function = library.tinsmith_depthwise_packed_3x3_s8_get_buffer_size_mve
    found = [it for it in geometries(depthwise=True) if it.weights[1:3] == (3, 3)]
    assert found
    for geometry in found:
        numbers = (*geometry.stride[::-1], *geometry.padding[::-1], 1, 1, -128, 127)
        params = Depthwise(0, 0, 1, *numbers)
        dims = [Dims(*it) for it in (geometry.input, geometry.weights, geometry.output)]
        expected = function(ctypes.byref(params), *map(ctypes.byref, dims))
        assert scratch_mve.depthwise_3x3(geometry) == expected, geometry


def test_formula_of_single_pixels_equals_the_c_function(library: ctypes.CDLL) -> None:
    for geometry in geometries(depthwise=False):
        params = Convolution(0, 0, *geometry.stride[::-1], *geometry.padding[::-1], 1, 1, -128, 127)
        expected = library.tinsmith_convolve_packed_single_s8_get_buffer_size_dsp(
            ctypes.byref(params), ctypes.byref(Dims(*geometry.weights))
        )
        assert scratch.convolve_columns(geometry, 1) == expected, geometry


def test_formula_of_weights_with_an_offset_equals_the_c_function(library: ctypes.CDLL) -> None:
    for geometry in geometries(depthwise=False):
        params = Convolution(0, 0, *geometry.stride[::-1], *geometry.padding[::-1], 1, 1, -128, 127)
        expected = library.tinsmith_convolve_packed_offset_s8_get_buffer_size_mve(
            ctypes.byref(params), ctypes.byref(Dims(*geometry.weights))
        )
        assert scratch.convolve_packed_offset("mve", geometry) == expected, geometry


def test_formula_of_four_bits_equals_the_c_functions(library: ctypes.CDLL) -> None:
    for geometry in geometries(depthwise=False):
        params = Convolution(0, 0, *geometry.stride[::-1], *geometry.padding[::-1], 1, 1, -128, 127)
        dims = [Dims(*sizes) for sizes in (geometry.input, geometry.weights, geometry.output)]
        for implementation in ("dsp", "mve"):
            function = c_size(library, "arm_convolve_wrapper_s4", implementation)
            expected = function(ctypes.byref(params), *map(ctypes.byref, dims))
            is_pixelwise = geometry.weights[1:3] == (1, 1)
            formula = scratch.convolve_four_bits(implementation, geometry)
            assert (0 if is_pixelwise else formula) == expected, geometry


def c_size(
    library: ctypes.CDLL, function: str, implementation: Implementation
) -> Callable[..., int]:
    """The size function of an implementation; the public names of plain C have no suffix."""
    public_c = implementation == "c" and function.startswith("arm_")
    suffix = "" if public_c else f"_{implementation}"
    return getattr(library, f"{function}_get_buffer_size{suffix}")


def test_formula_of_widened_weights_equals_the_c_function(library: ctypes.CDLL) -> None:
    for geometry in geometries(depthwise=True):
        dims = Dims(*geometry.weights)
        expected = library.tinsmith_packed_s4_get_weights_size(ctypes.byref(dims))
        assert scratch.widened_four_bits(geometry) == expected, geometry


@pytest.mark.parametrize("channels", [1, 4, 11, 12, 15, 16, 17, 40])
@pytest.mark.parametrize("depth", [1, 15, 16, 17, 128])
def test_formulas_of_two_bits_equal_the_c_functions(
    channels: int, depth: int, library: ctypes.CDLL
) -> None:
    assert library.tinsmith_packed_s2_get_weights_size(depth) == scratch.widened_two_bits(depth)
    dims = Dims(depth, 1, 1, channels)
    for implementation in ("c", "mve"):
        function = c_size(library, "tinsmith_fully_connected_packed_s2", implementation)
        formula = scratch.fully_connected_two_bits(implementation, channels, depth)
        assert formula == function(ctypes.byref(dims))
    assert scratch.fully_connected_two_bits("dsp", channels, depth) == 0


@pytest.mark.parametrize(("depth", "block"), [(1, 32), (32, 32), (33, 32), (70, 16), (96, 48)])
def test_formula_of_blocks_equals_the_c_function(
    depth: int, block: int, library: ctypes.CDLL
) -> None:
    dims = Dims(depth, 1, 1, 7)
    name = "tinsmith_blockwise_fully_connected_packed_s4_get_buffer_size"
    expected = getattr(library, name)(ctypes.byref(dims), block)
    for implementation in ("c", "dsp"):
        assert scratch.blockwise(implementation, depth, block) == expected
    assert scratch.blockwise("mve", depth, block) == 0


def test_formula_of_widened_convolutions_equals_the_c_function(library: ctypes.CDLL) -> None:
    for geometry in geometries(depthwise=False):
        params = Convolution(0, 0, *geometry.stride[::-1], *geometry.padding[::-1], 1, 1, -128, 127)
        dims = [Dims(*sizes) for sizes in (geometry.input, geometry.weights, geometry.output)]
        expected = library.tinsmith_convolve_packed_s4_get_buffer_size_mve(
            ctypes.byref(params), *map(ctypes.byref, dims)
        )
        assert scratch_mve.convolve_widened(geometry) == expected, geometry
