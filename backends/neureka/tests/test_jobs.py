"""Cycles of jobs against layers that were measured; what is prepared, byte by byte."""

from dataclasses import replace

import numpy as np
import pytest
from tinsmith_ir.operators import Conv2D
from tinsmith_ir.rounding import Rounding
from tinsmith_ir.testing import GraphBuilder
from tinsmith_ir.types import DType, Quantization, TensorType
from tinsmith_lowering import Kernel, layer_of_call, lower
from tinsmith_neureka import Mode, convolution, jobs, packed_weights
from tinsmith_target import Target


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
    words, constants, weights = convolution.prepare(layer)
    assert words.data.view(np.uint32).tolist() == jobs.words(convolution.job_of(layer)).tolist()
    assert constants.data.view("<i4").tolist() == [4, 2, -68, -148]
    packed = packed_weights(data, Mode.CONV_1X1, 8, -128)
    assert weights.data.tobytes() == packed.tobytes()
    assert convolution.job_of(layer).shift == 4
    assert [each.memory for each in (words, constants, weights)] == ["", "", "weights"]


def test_weights_near_differ_in_one_bit_of_the_words() -> None:
    beside = jobs.Job(Mode.CONV_1X1, (9, 7, 5), (9, 7, 4), (1, 1), (0, 0, 0, 0), 3, 8, 9, True)
    near = replace(beside, in_weight_memory=False)
    assert (jobs.words(beside) ^ jobs.words(near)).tolist() == [0] * 23 + [1 << 9]
    assert jobs.cycles(beside) == jobs.cycles(near)
