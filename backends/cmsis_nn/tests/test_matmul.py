"""Products of matrices: which ones are called, their scratch, and the compiled kernels."""

from pathlib import Path

import numpy as np
import pytest
from tinsmith_c.testing import HostModel, KernelObjects, host_compiler
from tinsmith_cmsis_nn import backend
from tinsmith_ir import DType, Graph
from tinsmith_ir.operators import BatchMatmul
from tinsmith_ir.rounding import Rounding
from tinsmith_ir.testing import GraphBuilder, random_inputs
from tinsmith_ir.types import Quantization, TensorType
from tinsmith_lowering import lower
from tinsmith_reference import backend as reference
from tinsmith_target import target

HOST = target("host")
Shape = tuple[int, ...]
SHAPES: list[tuple[Shape, Shape, bool, bool]] = [
    ((3, 19), (19, 5), False, False),
    ((3, 9), (5, 9), False, True),
    ((17, 3), (17, 5), True, False),
    ((2, 3, 21, 4), (2, 3, 5, 21), True, True),
    ((2, 1, 3, 17), (3, 17, 9), False, False),
    ((2, 1, 3, 17), (1, 3, 9, 17), False, True),
    ((3, 1, 1, 8), (3, 2, 8, 1), False, False),
    ((2, 4, 5, 16), (2, 1, 3, 16), False, True),
    ((4, 1, 40), (4, 33, 40), False, True),
    ((4, 2, 41), (4, 41, 33), False, False),
]


def quantization_of(dtype: DType, scale: float, zero_point: int) -> Quantization:
    if dtype is DType.INT8:
        return Quantization.per_tensor(scale, zero_point)
    return Quantization.per_tensor(scale / 256, 0)


def graph_of(
    lhs: Shape,
    rhs: Shape,
    operator: BatchMatmul,
    dtype: DType,
    *,
    constant: int | None = None,
    scale: float = 0.07,
) -> Graph:
    """constant: the operand that is known."""
    builder = GraphBuilder("g")
    generator = np.random.default_rng(5)
    low, high = dtype.integer_range
    operands = [
        builder.constant(name, generator.integers(low, high, shape, dtype.numpy), quantization)
        if index == constant
        else builder.input(name, TensorType(shape, dtype, quantization))
        for index, (name, shape, quantization) in enumerate(
            (
                ("x", lhs, quantization_of(dtype, 0.05, 11)),
                ("w", rhs, quantization_of(dtype, 0.03, -7)),
            )
        )
    ]
    result = quantization_of(dtype, scale, 3)
    return builder.build(builder.add(operator, operands, "y", result))


@pytest.mark.skipif(host_compiler() is None, reason="no C compiler on this machine")
@pytest.mark.parametrize("dtype", [DType.INT8, DType.INT16], ids=["i8", "i16"])
@pytest.mark.parametrize("constant", [None, 0, 1], ids=["computed", "known lhs", "known rhs"])
@pytest.mark.parametrize(("lhs", "rhs", "transpose_lhs", "transpose_rhs"), SHAPES)
def test_generated_c_equals_the_evaluator(
    lhs: Shape,
    rhs: Shape,
    transpose_lhs: bool,
    transpose_rhs: bool,
    constant: int | None,
    dtype: DType,
    kernel_objects: KernelObjects,
    tmp_path: Path,
) -> None:
    operator = BatchMatmul(transpose_lhs, transpose_rhs)
    graph = graph_of(lhs, rhs, operator, dtype, constant=constant)
    kernels = backend(packed=False).kernels(HOST)
    model = HostModel.of_graph(graph, HOST, kernels, kernel_objects, tmp_path)
    for seed in range(2):
        assert model.wrong_results(random_inputs(graph, seed), graph) == []


@pytest.mark.skipif(host_compiler() is None, reason="no C compiler on this machine")
@pytest.mark.parametrize("constant", [None, 0, 1], ids=["computed", "known lhs", "known rhs"])
@pytest.mark.parametrize("bits", [31, 9])
@pytest.mark.parametrize(("lhs", "rhs", "transpose_lhs", "transpose_rhs"), SHAPES)
def test_products_that_round_once_equal_the_evaluator(
    lhs: Shape,
    rhs: Shape,
    transpose_lhs: bool,
    transpose_rhs: bool,
    bits: int,
    constant: int | None,
    kernel_objects: KernelObjects,
    tmp_path: Path,
) -> None:
    operator = BatchMatmul(
        transpose_lhs, transpose_rhs, rounding=Rounding.NEAREST, multiplier_bits=bits
    )
    graph = graph_of(lhs, rhs, operator, DType.INT8, constant=constant)
    (call,) = lower(graph, HOST, backend().kernels(HOST)).calls
    assert call.kernel == "arm_batch_matmul_s8_nearest"
    model = HostModel.of_graph(graph, HOST, backend().kernels(HOST), kernel_objects, tmp_path)
    for seed in range(2):
        assert model.wrong_results(random_inputs(graph, seed), graph) == []


@pytest.mark.parametrize(
    ("name", "dtype", "operator", "constant", "scratch"),
    [
        ("cortex-m4", DType.INT8, BatchMatmul(transpose_rhs=True), None, 0),
        ("cortex-m4", DType.INT8, BatchMatmul(), None, 2 * 16 * 16),
        ("cortex-m4", DType.INT8, BatchMatmul(), 1, 0),
        ("cortex-m4", DType.INT16, BatchMatmul(), None, 2 * 2 * 16 * 16),
        ("cortex-m4", DType.INT8, BatchMatmul(transpose_lhs=True), None, 2 * 2 * 16 * 16),
        ("cortex-m55", DType.INT8, BatchMatmul(transpose_rhs=True), None, 4 * 16),
        ("cortex-m55", DType.INT8, BatchMatmul(), None, 4 * 16 + 2 * 16 * 16),
        ("cortex-m55", DType.INT16, BatchMatmul(), None, 2 * 2 * 16 * 16),
    ],
)
def test_scratch_holds_sums_and_what_is_transposed(
    name: str, dtype: DType, operator: BatchMatmul, constant: int | None, scratch: int
) -> None:
    """Two matrices of 16 x 16; sums of 32 bits with MVE."""
    chosen = target(name)
    graph = graph_of((2, 16, 16), (2, 16, 16), operator, dtype, constant=constant)
    program = lower(graph, chosen, backend().kernels(chosen))
    (call,) = program.calls
    taken = 0 if call.scratch is None else program.type_of(call.scratch).size_bytes
    assert taken == scratch


@pytest.mark.parametrize(
    ("lhs", "rhs", "scale", "reason"),
    [
        (
            (2, 1, 2, 3, 4),
            (1, 3, 1, 4, 5),
            0.07,
            "the batches have at most 2 dimensions: they have 3",
        ),
        ((5, 7), (7, 5), 0.07, "Each sum has at least 8 products"),
        ((5, 15), (15, 5), 0.07, "rhs meets 5, in sums of 15"),
        ((4, 1, 40), (4, 40, 33), 0.07, "rhs meets 1, in sums of 40"),
        ((2, 34000), (34000, 2), 0.07, "fit 32 bits; of int16"),
        ((2, 4000), (4000, 2), 0.0001, "4000 products are summed, the shift is 4"),
    ],
)
def test_what_the_library_lacks_goes_to_the_reference_kernels(
    lhs: Shape, rhs: Shape, scale: float, reason: str
) -> None:
    kernels = (*backend().kernels(HOST), *reference().kernels(HOST))
    graph = graph_of(lhs, rhs, BatchMatmul(), DType.INT8, scale=scale)
    (call,) = lower(graph, HOST, kernels).calls
    assert call.kernel == "tinsmith_batch_matmul_s8"
    assert reason in call.reason
