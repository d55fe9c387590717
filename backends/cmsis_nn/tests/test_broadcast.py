"""Sums, differences and products of which one operand repeats: how it does, its scratch, and the compiled kernels."""

import ctypes
import subprocess
from pathlib import Path

import numpy as np
import pytest
from tinsmith_c.testing import HostModel, KernelObjects, host_compiler, tight_program
from tinsmith_cmsis_nn import backend
from tinsmith_cmsis_nn.broadcast import PIECE_ELEMENTS, Loop, plan, scratch_bytes
from tinsmith_ir import DType, Graph
from tinsmith_ir.errors import UnsupportedError
from tinsmith_ir.operators import Add, Mul, Sub
from tinsmith_ir.testing import GraphBuilder, random_array
from tinsmith_ir.types import Quantization, TensorType
from tinsmith_lowering import Layer, lower, prepare
from tinsmith_target import target

HOST = target("host")
KERNELS = Path(__file__).parents[3] / "kernels" / "cmsis_nn"
SHAPES = [
    ((2, 9, 7, 3), (3,)),
    ((1, 30, 20, 1), (30, 1, 1)),
    ((5, 2, 150, 2), (2, 150, 2)),
    ((3, 40, 10), (40, 1)),
    ((7,), (1, 1)),
    ((3, 40, 10), (3, 1, 10)),
    ((5, 1, 11), (1, 7, 11)),
    ((2, 1, 3, 1), (1, 5, 1, 300)),
]


def sizes(layer: Layer) -> tuple[int, int, int]:
    found = plan(layer).repetition
    return found.outer, found.count, found.inner


def graph_of(operator: Add | Mul | Sub, lhs: tuple[int, ...], rhs: tuple[int, ...]) -> Graph:
    builder = GraphBuilder("g")
    x = builder.input("x", TensorType(lhs, DType.INT8, Quantization.per_tensor(0.05, 11)))
    y = builder.input("y", TensorType(rhs, DType.INT8, Quantization.per_tensor(0.03, -5)))
    return builder.build(builder.add(operator, [x, y], "z", Quantization.per_tensor(0.07, 3)))


def layer_of(lhs: tuple[int, ...], rhs: tuple[int, ...]) -> Layer:
    types = tuple(TensorType(shape, DType.INT8) for shape in (lhs, rhs))
    result = TensorType(np.broadcast_shapes(lhs, rhs), DType.INT8)
    return Layer("sum", Add(), types, (result,), (None, None), HOST)


@pytest.mark.parametrize(
    ("lhs", "rhs", "expected"),
    [
        ((1, 6, 5, 4), (4,), (30, 4, 1)),
        ((1, 6, 5, 4), (1, 6, 1, 1), (1, 6, 20)),
        ((2, 6, 5, 4), (6, 1, 1), (2, 6, 20)),
        ((1, 1), (2, 6), (1, 1, 12)),
        ((2, 3), (1, 1, 2, 3), (1, 6, 1)),
    ],
)
def test_axes_become_three(
    lhs: tuple[int, ...], rhs: tuple[int, ...], expected: tuple[int, int, int]
) -> None:
    assert sizes(layer_of(lhs, rhs)) == expected
    assert sizes(layer_of(rhs, lhs)) == expected


@pytest.mark.parametrize(
    ("lhs", "rhs", "loops", "expected"),
    [
        ((2, 3, 4), (2, 1, 4), (Loop(2, (12, 4, 12)),), (3, 4, 1)),
        ((3, 1), (4,), (Loop(3, (1, 0, 4)),), (1, 1, 4)),
        ((5, 1, 6), (1, 7, 6), (Loop(5, (6, 0, 42)),), (7, 6, 1)),
        (
            (2, 1, 3, 1),
            (1, 5, 1, 7),
            (Loop(2, (3, 0, 105)), Loop(5, (0, 7, 21)), Loop(3, (1, 0, 7))),
            (1, 1, 7),
        ),
    ],
)
def test_loops_go_around_what_repeats_in_one_way(
    lhs: tuple[int, ...],
    rhs: tuple[int, ...],
    loops: tuple[Loop, ...],
    expected: tuple[int, int, int],
) -> None:
    layer = layer_of(lhs, rhs)
    assert plan(layer).loops == loops
    assert sizes(layer) == expected


def test_short_calls_in_loops_are_refused() -> None:
    kernels = backend().kernels(HOST)
    with pytest.raises(UnsupportedError, match="it spans 7"):
        lower(graph_of(Add(), (30, 1), (7,)), HOST, kernels)


@pytest.mark.skipif(host_compiler() is None, reason="no C compiler on this machine")
def test_scratch_equals_the_c_function(tmp_path: Path) -> None:
    path = tmp_path / "sizes.so"
    source = KERNELS / "src" / "common" / "buffer_sizes.c"
    includes = [f"-I{KERNELS}", f"-I{KERNELS / 'include'}"]
    subprocess.run(
        [host_compiler() or "", "-shared", "-fPIC", *includes, source, "-o", path], check=True
    )
    function = ctypes.CDLL(str(path)).tinsmith_broadcast_s8_get_buffer_size
    wide = PIECE_ELEMENTS + 1
    shapes = [*SHAPES, ((3, wide), (wide,)), ((wide, 2), (wide, 1)), ((2, PIECE_ELEMENTS), (1,))]
    for lhs, rhs in shapes:
        layer = layer_of(lhs, rhs)
        assert scratch_bytes(layer) == function((ctypes.c_int32 * 3)(*sizes(layer)))


@pytest.mark.parametrize("operator", [Add(), Mul(), Sub()], ids=["add", "mul", "sub"])
@pytest.mark.parametrize(("lhs", "rhs"), SHAPES)
def test_results_at_their_tightest_are_right(
    operator: Add | Mul | Sub,
    lhs: tuple[int, ...],
    rhs: tuple[int, ...],
    kernel_objects: KernelObjects,
    tmp_path: Path,
) -> None:
    kernels = backend().kernels(HOST)
    for order, (first, second) in enumerate([(lhs, rhs), (rhs, lhs)]):
        program = lower(graph_of(operator, first, second), HOST, kernels)
        tight = tight_program(prepare(program, HOST, kernels))
        folder = tmp_path / str(order)
        folder.mkdir()
        model = HostModel.build(tight, HOST, kernels, kernel_objects, folder)
        generator = np.random.default_rng(3)
        inputs = {name: random_array(generator, tight.type_of(name)) for name in tight.inputs}
        assert model.wrong_results(inputs) == []
