"""What is prepared for the kernels, against the C: records by its structs, tables and exponentials by its functions."""

import ctypes
import os
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from random_layers import host, kernels_of, with_weights, without_weights
from tinsmith_c.testing import host_compiler
from tinsmith_ir import Graph
from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Array
from tinsmith_ir.operators import (
    Activation,
    Add,
    Conv2D,
    DepthwiseConv2D,
    FullyConnected,
    Softmax,
)
from tinsmith_ir.parameters import elementwise_add_parameters, softmax_parameters
from tinsmith_ir.types import Quantization, TensorType
from tinsmith_lowering import Layer, Prepared, find_kernel, layer_of_call, lower
from tinsmith_pulp_nn.sum_tables import sum_tables

KERNELS = Path(__file__).parents[3] / "kernels" / "pulp_nn"
HOST = host(8)

FUNCTIONS_C = r"""
#include "tinsmith_pulp_arranged.h"

void window_fields(const void *bytes, int32_t *fields) {
  const tinsmith_pulp_window_numbers_t *n = bytes;
  const int32_t found[] = {
      n->input_height,  n->input_width,  n->input_channels, n->output_height, n->output_width, n->output_channels,
      n->kernel_height, n->kernel_width, n->pad_top,        n->pad_left,      n->stride_height, n->stride_width,
      n->pad_value,     n->output.zero_point, n->output.min, n->output.max, (int32_t)sizeof *n,
  };
  for (unsigned i = 0; i < sizeof found / sizeof *found; ++i) {
    fields[i] = found[i];
  }
}

void linear_fields(const void *bytes, int32_t *fields) {
  const tinsmith_pulp_linear_numbers_t *n = bytes;
  const int32_t found[] = {n->inputs, n->outputs, n->output.zero_point, n->output.min, n->output.max,
                           (int32_t)sizeof *n};
  for (unsigned i = 0; i < sizeof found / sizeof *found; ++i) {
    fields[i] = found[i];
  }
}

// numbers: as in the record, from lhs_zero_point on without addends. Returns the shift, -1 without tables.
int32_t add_tables(const int32_t *numbers, int32_t *lhs, int32_t *rhs) {
  tinsmith_pulp_add_t layer = {
      .kind = TINSMITH_PULP_ADD_TFLITE,
      .lhs_zero_point = numbers[0],
      .lhs_multiplier = numbers[1],
      .lhs_shift = numbers[2],
      .rhs_zero_point = numbers[3],
      .rhs_multiplier = numbers[4],
      .rhs_shift = numbers[5],
      .output_zero_point = numbers[6],
      .output_multiplier = numbers[7],
      .output_shift = numbers[8],
      .min = numbers[9],
      .max = numbers[10],
  };
  return tinsmith_pulp_add_tables(&layer, lhs, rhs) ? layer.table_shift : -1;
}

void exponentials(int32_t multiplier, int32_t shift, int32_t smallest_difference, int32_t *found) {
  const tinsmith_pulp_softmax_t layer = {
      .multiplier = multiplier, .shift = shift, .smallest_difference = smallest_difference};
  tinsmith_pulp_softmax_exponentials(&layer, found);
}

void pack(const int8_t *rows, uint32_t count, uint32_t columns, int8_t *packed) {
  tinsmith_pulp_pack_weights(rows, count, columns, packed);
}
"""


@pytest.fixture(scope="module")
def functions(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    compiler = host_compiler()
    if compiler is None:
        pytest.skip("no C compiler on this machine")
    folder = tmp_path_factory.mktemp("functions")
    (folder / "functions.c").write_text(FUNCTIONS_C)
    library = folder / "functions.so"
    sources = [folder / "functions.c", *sorted((KERNELS / "src").glob("*.c"))]
    flags = ["-std=c11", "-O1", "-fPIC", "-shared", f"-I{KERNELS}", f"-I{KERNELS / 'include'}"]
    command = [compiler, *flags, *map(str, sources), "-o", str(library)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ)
    assert done.returncode == 0, done.stderr
    return ctypes.CDLL(str(library))


def layer_of(graph: Graph) -> tuple[Layer, dict[str, Array]]:
    """The only call of a graph, and what its kernel prepares, by layout."""
    kernels = kernels_of(HOST)
    program = lower(graph, HOST, kernels)
    (call,) = program.calls
    layer = layer_of_call(program, call, HOST)
    prepared = find_kernel(call.kernel, layer, kernels).prepare(layer)
    return layer, {found.layout: found.data for found in prepared if isinstance(found, Prepared)}


def pointer(array: Array) -> ctypes.c_void_p:
    return array.ctypes.data_as(ctypes.c_void_p)


@pytest.mark.parametrize(
    ("operator", "weights", "axis"),
    [
        (Conv2D(stride=(2, 1), padding=(1, 0, 2, 1)), (6, 3, 4, 5), 0),
        (DepthwiseConv2D(stride=(2, 1), padding=(1, 0, 2, 1)), (1, 3, 4, 5), 3),
    ],
    ids=["conv2d", "depthwise"],
)
def test_the_record_of_windows_is_that_of_the_c(
    operator: Conv2D | DepthwiseConv2D,
    weights: tuple[int, ...],
    axis: int,
    functions: ctypes.CDLL,
) -> None:
    layer, prepared = layer_of(with_weights(operator, (1, 9, 8, 5), weights, axis))
    numbers = np.ascontiguousarray(prepared["numbers"])
    fields = np.zeros(17, np.int32)
    functions.window_fields(pointer(numbers), pointer(fields))
    _, height, width, channels = layer.output.shape
    zero_points = [type_.quantization for type_ in (layer.input(0), layer.output)]
    assert zero_points[0] is not None
    assert zero_points[1] is not None
    assert fields.tolist() == [
        *(9, 8, 5, height, width, channels, 3, 4, 1, 2, 2, 1),
        *(zero_points[0].zero_point, zero_points[1].zero_point, -128, 127),
        numbers.nbytes,
    ]


def test_the_record_of_a_matrix_is_that_of_the_c(functions: ctypes.CDLL) -> None:
    operator = FullyConnected(activation=Activation.RELU)
    layer, prepared = layer_of(with_weights(operator, (1, 12), (7, 12), 0))
    numbers = np.ascontiguousarray(prepared["numbers"])
    fields = np.zeros(6, np.int32)
    functions.linear_fields(pointer(numbers), pointer(fields))
    assert layer.output.quantization is not None
    zero = layer.output.quantization.zero_point
    assert fields.tolist() == [12, 7, zero, max(zero, -128), 127, numbers.nbytes]


@pytest.mark.parametrize("inputs", [8, 12])
@pytest.mark.parametrize("outputs", [1, 4, 7])
def test_packed_weights_are_those_of_the_c(
    outputs: int, inputs: int, functions: ctypes.CDLL
) -> None:
    graph = with_weights(FullyConnected(), (1, inputs), (outputs, inputs), 0)
    layer, prepared = layer_of(graph)
    rows = layer.constant(1)
    assert rows is not None
    blocks = -(-outputs // 4)
    expected = np.zeros(blocks * 4 * inputs, np.int8)
    functions.pack(pointer(np.ascontiguousarray(rows)), outputs, inputs, pointer(expected))
    constants = prepared["constants"]
    words = constants[: 12 * outputs].view(np.int32).reshape(3, outputs)
    assert np.array_equal(constants[12 * outputs :], expected)
    bias, zero = layer.constant(2), layer.input(0).quantization
    assert bias is not None
    assert zero is not None
    folded = bias - zero.zero_point * rows.astype(np.int32).sum(axis=1)
    assert np.array_equal(words[0], folded)


def test_a_channel_that_has_one_value_is_that_value() -> None:
    """Weights near 0 and a bias near 2**30, as trained networks have; no sum of it would fit."""
    graph = with_weights(Conv2D(), (1, 3, 3, 4), (2, 1, 1, 4), 0)
    constants = tuple(
        replace(one, data=np.array([1 << 30, 5], np.int32)) if one.data.shape == (2,) else one
        for one in graph.constants
    )
    layer, prepared = layer_of(replace(graph, constants=constants))
    words = prepared["constants"][:24].view(np.int32).reshape(3, 2)
    assert layer.output.quantization is not None
    assert words[0, 0] == (127 - layer.output.quantization.zero_point) << 8
    assert words[1:, 0].tolist() == [1 << 30, 7]
    assert words[1, 1] != 1 << 30 or words[2, 1] != 7


def int8(scale: float, zero_point: int) -> TensorType:
    return TensorType((), DType.INT8, Quantization.per_tensor(float(np.float32(scale)), zero_point))


SUMS = {
    "near": (Add(), int8(0.05, 3), int8(0.04, -7), int8(0.07, 11)),
    "equal": (Add(), int8(0.5, 0), int8(0.5, 0), int8(0.5, 0)),
    "powers_of_two": (Add(), int8(0.25, 1), int8(0.5, -2), int8(1.0, 0)),
    "far": (Add(), int8(0.9, 100), int8(0.01, -128), int8(0.9, -100)),
    "clamped": (Add(activation=Activation.RELU), int8(0.05, 3), int8(0.04, -7), int8(0.07, 11)),
}
# Halves that both signs meet.
NO_TABLES = (Add(), int8(0.02, 127), int8(0.03, -128), int8(0.2, 0))


def values() -> NDArray[np.int8]:
    """By a byte taken as uint8."""
    return np.arange(256, dtype=np.uint8).view(np.int8)


@pytest.mark.parametrize("name", SUMS)
def test_sums_by_tables_are_those_of_the_operator(name: str) -> None:
    operator, lhs, rhs, result = SUMS[name]
    tables = sum_tables(operator, (lhs, rhs), result)
    assert tables is not None
    p = elementwise_add_parameters(operator, (lhs, rhs), result)
    shape = (256, 256)
    first, second = (np.broadcast_to(v, shape).copy() for v in (values()[:, None], values()))
    whole = [replace(type_, shape=shape) for type_ in (lhs, rhs, result)]
    (expected,) = operator.evaluate([first, second], whole[:2], whole[2:])
    sums = (tables.lhs.astype(np.int64)[:, None] + tables.rhs) >> tables.shift
    assert np.array_equal(np.clip(sums, p.clamp_min, p.clamp_max), expected)


def tables_of_the_c(
    functions: ctypes.CDLL, operator: Add, lhs: TensorType, rhs: TensorType, result: TensorType
) -> tuple[int, NDArray[np.int32]]:
    """The shift, -1 without tables, and both."""
    p = elementwise_add_parameters(operator, (lhs, rhs), result)
    numbers = np.array(
        [
            *(-p.input1_offset, p.input1_multiplier, -p.input1_shift),
            *(-p.input2_offset, p.input2_multiplier, -p.input2_shift),
            *(p.output_offset, p.output_multiplier, -p.output_shift),
            *(p.clamp_min, p.clamp_max),
        ],
        np.int32,
    )
    found = np.zeros((2, 256), np.int32)
    return functions.add_tables(pointer(numbers), pointer(found[0]), pointer(found[1])), found


@pytest.mark.parametrize("name", SUMS)
def test_tables_are_those_of_the_c(name: str, functions: ctypes.CDLL) -> None:
    operator, lhs, rhs, result = SUMS[name]
    tables = sum_tables(operator, (lhs, rhs), result)
    assert tables is not None
    shift, found = tables_of_the_c(functions, *SUMS[name])
    assert shift == tables.shift
    assert np.array_equal(found, [tables.lhs, tables.rhs])


def test_where_no_tables_are_found_the_c_finds_none(functions: ctypes.CDLL) -> None:
    operator, lhs, rhs, result = NO_TABLES
    assert sum_tables(operator, (lhs, rhs), result) is None
    assert tables_of_the_c(functions, *NO_TABLES)[0] == -1


@pytest.mark.parametrize("beta", [1.0, 0.3, 4.0])
def test_exponentials_are_those_of_the_c(beta: float, functions: ctypes.CDLL) -> None:
    result = Quantization.per_tensor(1 / 256, -128)
    layer, prepared = layer_of(without_weights(Softmax(beta=beta), (3, 12), result=result))
    p = softmax_parameters(layer.operator_as(Softmax), layer.inputs, layer.output)
    expected = np.zeros(256, np.int32)
    functions.exponentials(p.input_multiplier, p.input_left_shift, p.diff_min, pointer(expected))
    assert np.array_equal(prepared["constants"], expected)
    assert expected[0] > expected[1] > 0
