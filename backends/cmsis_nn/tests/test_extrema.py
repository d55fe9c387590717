"""Minimum and Maximum: the shapes that the calls give, and the compiled kernels."""

from pathlib import Path

import numpy as np
import pytest
from tinsmith_c.testing import HostModel, KernelObjects, host_compiler, tight_program
from tinsmith_cmsis_nn import backend
from tinsmith_cmsis_nn.extrema import merged_operands
from tinsmith_ir import DType, Graph
from tinsmith_ir.operators import Maximum, Minimum
from tinsmith_ir.testing import GraphBuilder, random_array
from tinsmith_ir.types import Quantization, TensorType
from tinsmith_lowering import Layer, lower, prepare
from tinsmith_reference import backend as reference
from tinsmith_target import target

HOST = target("host")
M4 = target("cortex-m4")
Q = Quantization.per_tensor(0.05, 3)
SHAPES = [
    ((3, 5, 7, 13), (3, 5, 7, 13)),
    ((2, 9, 7, 3), (3,)),
    ((2, 9, 7, 13), (13,)),
    ((1, 30, 20, 1), (30, 1, 1)),
    ((3, 1, 5, 1), (7, 1, 11)),
    ((3, 7, 1, 13), (7, 9, 1)),
    ((2, 3, 1, 1), (2, 3, 4, 5)),
    ((300, 2), (300, 1)),
    ((7,), (1, 1)),
    ((1,), (1, 1, 1)),
    ((2, 3, 2, 1, 3, 9), (2, 3, 1, 5, 3, 9)),
]


def graph_of(
    operator: Minimum | Maximum, lhs: tuple[int, ...], rhs: tuple[int, ...], dtype: DType
) -> Graph:
    builder = GraphBuilder("g")
    quantization = Q if dtype is DType.INT8 else Quantization.per_tensor(0.05, 0)
    x = builder.input("x", TensorType(lhs, dtype, quantization))
    y = builder.input("y", TensorType(rhs, dtype, quantization))
    return builder.build(builder.add(operator, [x, y], "z", quantization))


@pytest.mark.parametrize(
    ("lhs", "rhs", "expected"),
    [
        ((3, 5, 7, 13), (3, 5, 7, 13), ((1365,), (1365,), (1365,))),
        ((2, 9, 7, 3), (3,), ((126, 3), (1, 3), (126, 3))),
        ((2, 3, 1, 1), (2, 3, 4, 5), ((6, 1), (6, 20), (6, 20))),
        ((3, 1, 5, 1), (7, 1, 11), ((3, 1, 5, 1), (1, 7, 1, 11), (3, 7, 5, 11))),
        ((1, 1), (1,), ((1,), (1,), (1,))),
    ],
)
def test_neighbours_that_repeat_alike_become_one(
    lhs: tuple[int, ...], rhs: tuple[int, ...], expected: tuple[tuple[int, ...], ...]
) -> None:
    graph = graph_of(Minimum(), lhs, rhs, DType.INT8)
    (node,) = graph.nodes
    types = tuple(value.type for value in graph.inputs)
    layer = Layer("z", Minimum(), types, (node.outputs[0].type,), (None, None), HOST)
    assert merged_operands(layer) == expected


@pytest.mark.parametrize(
    ("lhs", "rhs", "dtype", "reason"),
    [
        (
            (2, 1, 4, 1, 6),
            (1, 3, 1, 5, 1),
            DType.INT8,
            "After merging, the broadcast has at most 4 dimensions: it has 5",
        ),
        ((4,), (4,), DType.INT16, "cmsis_nn has no kernel for minimum of i16, i16 -> i16"),
    ],
)
def test_what_the_library_lacks_goes_to_the_reference_kernels(
    lhs: tuple[int, ...], rhs: tuple[int, ...], dtype: DType, reason: str
) -> None:
    kernels = (*backend().kernels(M4), *reference().kernels(M4))
    (call,) = lower(graph_of(Minimum(), lhs, rhs, dtype), M4, kernels).calls
    assert call.kernel.startswith("tinsmith_minimum_")
    assert reason in call.reason


@pytest.mark.skipif(host_compiler() is None, reason="no C compiler on this machine")
@pytest.mark.parametrize("operator", [Minimum(), Maximum()], ids=["minimum", "maximum"])
@pytest.mark.parametrize(("lhs", "rhs"), SHAPES)
def test_results_are_right_also_over_the_operands(
    operator: Minimum | Maximum,
    lhs: tuple[int, ...],
    rhs: tuple[int, ...],
    kernel_objects: KernelObjects,
    tmp_path: Path,
) -> None:
    kernels = backend().kernels(HOST)
    for order, (first, second) in enumerate([(lhs, rhs), (rhs, lhs)]):
        graph = graph_of(operator, first, second, DType.INT8)
        tight = tight_program(prepare(lower(graph, HOST, kernels), HOST, kernels))
        assert {call.kernel for call in tight.calls} == {f"arm_{operator.mnemonic}_s8"}
        folder = tmp_path / str(order)
        folder.mkdir()
        model = HostModel.build(tight, HOST, kernels, kernel_objects, folder)
        generator = np.random.default_rng(3)
        inputs = {name: random_array(generator, tight.type_of(name)) for name in tight.inputs}
        assert model.wrong_results(inputs) == []
