"""Words of jobs against those of encode.c; cycles against layers that were measured; what is prepared, byte by byte."""

import ctypes
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from tinsmith_c.testing import host_compiler
from tinsmith_ir.operators import Conv2D
from tinsmith_ir.rounding import Rounding
from tinsmith_ir.testing import GraphBuilder
from tinsmith_ir.types import DType, Quantization, TensorType
from tinsmith_lowering import Kernel, Prepared, layer_of_call, lower
from tinsmith_neureka import Mode, convolution, jobs, packed_weights
from tinsmith_target import Target

KERNELS = Path(__file__).parents[3] / "kernels"

_JOBS = 300
_PLACED = 6  # words of addresses
_ADDRESS = 0x1000


class _Places(ctypes.Structure):
    """tinsmith_neureka_places_t."""

    _fields_ = [
        (name, ctypes.c_void_p) for name in ("input", "weights", "scales", "biases", "output")
    ]


class _Layer(ctypes.Structure):
    """tinsmith_neureka_layer_t."""

    _fields_ = [
        *[(name, ctypes.c_uint32) for name in ("mode", "height", "width", "channels")],
        *[(f"output_{name}", ctypes.c_uint32) for name in ("height", "width", "channels")],
        *[(f"{name}_bytes", ctypes.c_uint32) for name in ("row", "pixel")],
        *[(f"output_{name}_bytes", ctypes.c_uint32) for name in ("row", "pixel")],
        *[(f"pad_{name}", ctypes.c_uint32) for name in ("top", "right", "bottom", "left")],
        ("pad_value", ctypes.c_int32),
        ("input_is_signed", ctypes.c_bool),
        ("weight_bits", ctypes.c_uint32),
        ("weight_offset", ctypes.c_int32),
        ("in_weight_memory", ctypes.c_bool),
        ("prefetches", ctypes.c_bool),
        ("scale_bits", ctypes.c_uint32),
        ("shift", ctypes.c_uint32),
        ("is_rectified", ctypes.c_bool),
        ("output_bits", ctypes.c_uint32),
        ("places", _Places),
    ]


class _Job(ctypes.Structure):
    """tinsmith_neureka_job_t of computers whose addresses have 64 bits."""

    _fields_ = [("words", ctypes.c_uint32 * 24), ("upper", ctypes.c_uint32 * 6)]


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    """encode.c, compiled for this machine."""
    if host_compiler() is None:
        pytest.skip("no C compiler on this machine")
    library = tmp_path_factory.mktemp("encode") / "encode.so"
    source = KERNELS / "neureka" / "encode.c"
    command = [os.environ.get("TINSMITH_HOST_CC", "cc"), "-std=c11", "-Werror", "-shared", "-fPIC"]
    command += [f"-I{KERNELS / 'include'}", str(source), "-o", str(library)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return ctypes.CDLL(str(library))


def drawn_job(seed: int) -> jobs.Job:
    """One that encode.c knows: with steps of 1, and padding that the last tile has."""
    random = np.random.default_rng(seed)
    mode = Mode(int(random.integers(3)))
    height, top, bottom = _extent(random, mode)
    width, left, right = _extent(random, mode)
    inputs, outputs = (int(count) for count in random.integers(1, 100, 2))
    margin = mode.side - 1
    return jobs.Job(
        mode,
        (height + margin - top - bottom, width + margin - left - right, inputs),
        (height, width, inputs if mode is Mode.DEPTHWISE_3X3 else outputs),
        (1, 1),
        (top, right, bottom, left),
        int(random.integers(-128, 128)),
        int(random.integers(2, 9)),
        int(random.integers(32)),
    )


def _extent(random: np.random.Generator, mode: Mode) -> tuple[int, int, int]:
    """Outputs, padding before and behind."""
    output = int(random.integers(1, 20))
    if mode is Mode.CONV_1X1:
        return output, 0, 0
    before, behind = (int(pad) for pad in random.integers(0, 3, 2))
    fits = jobs.padding_is_known(output, behind) and before + behind < output + 2
    return (output, before, behind) if fits else (output, 0, 0)


def encoded(encoder: ctypes.CDLL, job: jobs.Job) -> NDArray[np.uint32]:
    """The words of encode.c, those of addresses 0."""
    (height, width, channels), output = job.input, job.output
    layer = _Layer(
        int(job.mode),
        *job.input,
        *output,
        width * channels,
        channels,
        output[1] * output[2],
        output[2],
        *job.padding,
        job.pad_value,
        True,
        job.bits,
        job.offset,
        False,
        True,
        32,
        job.shift,
        False,
        8,
        _Places(*[_ADDRESS] * 5),
    )
    assert height == layer.height
    written = _Job()
    assert encoder.tinsmith_neureka_encode(ctypes.byref(layer), ctypes.byref(written)) == 0
    words = np.array(list(written.words), np.uint32)
    words[:_PLACED] = 0
    return words


def test_words_are_those_of_the_driver(encoder: ctypes.CDLL) -> None:
    drawn = [drawn_job(seed) for seed in range(_JOBS)]
    wrong = [job for job in drawn if (jobs.words(job) != encoded(encoder, job)).any()]
    assert wrong == []
    assert {job.mode for job in drawn} == {*Mode}
    assert {pad for job in drawn for pad in job.padding} == {0, 1, 2}


def test_a_1x1_job_with_steps_reads_other_pixels() -> None:
    dense = jobs.Job(Mode.CONV_1X1, (9, 7, 5), (5, 3, 4), (1, 1), (0, 0, 0, 0), 3, 8, 9)
    strided = jobs.Job(Mode.CONV_1X1, (9, 7, 5), (5, 3, 4), (2, 3), (0, 0, 0, 0), 3, 8, 9)
    same = np.delete(jobs.words(dense) == jobs.words(strided), [6, 7])
    assert same.all()
    assert jobs.words(dense)[6:8].tolist() == [5, 7 * 5]
    assert jobs.words(strided)[6:8].tolist() == [3 * 5, 2 * 7 * 5]


@pytest.mark.parametrize(
    ("mode", "side", "inputs", "outputs", "measured"),
    [
        # By GVSoC's model of the accelerator, 6 to 12 cycles from these.
        (Mode.CONV_1X1, 12, 64, 64, 1695),
        (Mode.CONV_1X1, 18, 64, 64, 3715),
        (Mode.CONV_3X3, 12, 56, 64, 5311),
    ],
)
def test_cycles_are_those_that_were_measured(
    mode: Mode, side: int, inputs: int, outputs: int, measured: int
) -> None:
    margin = mode.side - 1
    image = side + margin, side + margin, inputs
    job = jobs.Job(mode, image, (side, side, outputs), (1, 1), (0, 0, 0, 0), 0, 8, 0)
    assert abs(jobs.cycles(job) - measured) < 0.02 * measured


@pytest.mark.parametrize(
    ("output", "behind", "is_known"),
    [(6, 2, True), (7, 1, True), (7, 2, False), (8, 2, True), (1, 2, True), (13, 2, False)],
)
def test_padding_behind_is_the_last_tiles_alone(
    output: int, behind: int, *, is_known: bool
) -> None:
    assert jobs.padding_is_known(output, behind) is is_known


def test_prepared_are_words_scales_biases_and_weights(
    host: Target, kernels: tuple[Kernel, ...]
) -> None:
    """Worked out by hand. Channel 0: 0.5 * 0.5 / 1 is 2**-2, channel 1: half of it; with multipliers of 2 bits 2 and a
    shift of 3, and 2 of 4. The shared shift is 4, so the first multiplier is 4. Zero points of 3 and -5: the biases are
    (10 - 3 * (1 + 2)) * 4 + 8 - 5 * 16, and (-20 - 3 * (-1 + 7)) * 2 + 8 - 5 * 16.
    """
    builder = GraphBuilder("layer")
    given = Quantization.per_tensor(0.5, 3)
    x = builder.input("x", TensorType((1, 2, 3, 2), DType.INT8, given))
    data = np.array([1, 2, -1, 7], np.int8).reshape(2, 1, 1, 2)
    w = builder.constant("w", data, Quantization((0.5, 0.25), (0, 0), 0))
    b = builder.constant("b", np.array([10, -20], np.int32))
    operator = Conv2D(rounding=Rounding.NEAREST, multiplier_bits=2)
    result = Quantization.per_tensor(1.0, -5)
    graph = builder.build(builder.add(operator, [x, w, b], "y", result))
    program = lower(graph, host, kernels)
    layer = layer_of_call(program, program.calls[0], host)
    words, constants = convolution.prepare(layer)
    assert isinstance(words, Prepared)
    assert isinstance(constants, Prepared)
    assert words.data.view(np.uint32).tolist() == jobs.words(convolution.job_of(layer)).tolist()
    assert constants.data[:16].view("<i4").tolist() == [4, 2, -68, -148]
    packed = packed_weights(data, Mode.CONV_1X1, 8, -128)
    assert constants.data[16:].tobytes() == packed.tobytes()
    assert convolution.job_of(layer).shift == 4
