"""Fully connected layers as jobs: the twin's bytes are the evaluator's."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tinsmith_c.testing import HostModel, KernelObjects
from tinsmith_ir import Graph
from tinsmith_ir.builder import GraphBuilder
from tinsmith_ir.dtypes import DType
from tinsmith_ir.operators import FullyConnected
from tinsmith_ir.program import Option
from tinsmith_ir.rounding import Rounding
from tinsmith_ir.testing import random_inputs
from tinsmith_ir.types import Quantization, TensorType
from tinsmith_lowering import Kernel, layer_of_call, lower
from tinsmith_neureka import Mode, fully_connected, jobs
from tinsmith_target import Target

_NAME = "tinsmith_neureka_call"
_RANGES = {DType.INT8: 127, DType.INT4: 7, DType.INT2: 1}


def layer(rows: int, inputs: int, outputs: int, dtype: DType, seed: int) -> Graph:
    """Of random weights, with scales of each output, and multipliers of eight bits."""
    random = np.random.default_rng(seed)
    builder = GraphBuilder("layer")
    zero_point = int(random.integers(-128, 128))
    x = builder.input(
        "x", TensorType((rows, inputs), DType.INT8, Quantization.per_tensor(0.05, zero_point))
    )
    most = _RANGES[dtype]
    scales = tuple(float(np.float32(s)) for s in random.uniform(0.5, 1.0, outputs) / most)
    weights = random.integers(-most, most + 1, (outputs, inputs)).astype(np.int8)
    w = builder.constant("w", weights, Quantization(scales, (0,) * outputs, 0), dtype=dtype)
    b = builder.constant("b", random.integers(-500, 501, outputs).astype(np.int32))
    rounding = Rounding.NEAREST if seed % 2 else Rounding.FLOOR
    operator = FullyConnected(rounding=rounding, multiplier_bits=8)
    result = Quantization.per_tensor(float(np.float32(0.02 * inputs**0.5)), 5)
    return builder.build(builder.add(operator, [x, w, b], "y", result))


@pytest.mark.parametrize("dtype", _RANGES)
@pytest.mark.parametrize(
    ("rows", "inputs", "outputs"),
    [
        (1, 8, 9),
        (1, 64, 12),
        (1, 33, 1),
        (1, 128, 64),
        (1, 250, 33),
        (1, 252, 7),
        (1, 320, 66),
        (7, 31, 65),
        (13, 96, 96),
    ],
)
def test_results_are_those_of_the_evaluator(
    rows: int,
    inputs: int,
    outputs: int,
    dtype: DType,
    host: Target,
    kernels: tuple[Kernel, ...],
    kernel_objects: KernelObjects,
    tmp_path: Path,
) -> None:
    graph = layer(rows, inputs, outputs, dtype, rows * inputs + outputs)
    (call,) = lower(graph, host, kernels).calls
    assert call.kernel == _NAME or call.kernel.startswith(f"neureka/{_NAME}"), call.reason
    model = HostModel.of_graph(graph, host, kernels, kernel_objects, tmp_path)
    for seed in range(3):
        assert model.wrong_results(random_inputs(graph, seed), graph) == []


@pytest.mark.parametrize(
    ("rows", "inputs", "outputs", "dtype", "expected"),
    [
        (1, 128, 64, DType.INT8, Mode.CONV_1X1),
        (1, 128, 64, DType.INT4, Mode.CONV_3X3),
        (1, 640, 64, DType.INT8, Mode.CONV_3X3),
        (1, 8, 64, DType.INT2, Mode.CONV_1X1),
        (2, 640, 64, DType.INT2, Mode.CONV_1X1),
    ],
)
def test_one_row_is_a_window_where_that_takes_less_time(
    rows: int,
    inputs: int,
    outputs: int,
    dtype: DType,
    expected: Mode,
    host: Target,
    kernels: tuple[Kernel, ...],
) -> None:
    program = lower(layer(rows, inputs, outputs, dtype, 2), host, kernels)
    seen = layer_of_call(program, program.calls[0], host)
    job = fully_connected.job_of(seen)
    assert job.mode is expected
    if expected is Mode.CONV_3X3:
        # The last pixel ends with the row, and no input lies between two pixels.
        assert 8 * job.pixel_bytes + job.input[2] == inputs
        assert job.pixel_bytes <= job.input[2]
        assert jobs.words(job)[6:8].tolist() == [job.pixel_bytes, 3 * job.pixel_bytes]


def test_weights_that_are_copied_cost_time(host: Target, kernels: tuple[Kernel, ...]) -> None:
    """130 inputs are five words of 1x1, and eight of a window, which takes a little less time otherwise."""
    graph = layer(1, 130, 64, DType.INT8, 2)
    program = lower(graph, host, kernels)
    seen = layer_of_call(program, program.calls[0], host)
    assert fully_connected.job_of(seen).mode is Mode.CONV_3X3
    near = replace(seen, options=(Option("weights", "near"),))
    assert fully_connected.job_of(near).mode is Mode.CONV_1X1
