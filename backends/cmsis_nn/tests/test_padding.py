"""Pad of int8 by arm_pad_s8: how axes are merged, and compiled C."""

from pathlib import Path

import numpy as np
import pytest
from tinsmith_c.testing import HostModel, KernelObjects, place
from tinsmith_cmsis_nn import backend
from tinsmith_cmsis_nn.padding import merged_axes
from tinsmith_ir import DType, Graph
from tinsmith_ir.operators import Pad
from tinsmith_ir.testing import GraphBuilder, random_array
from tinsmith_ir.types import Quantization, TensorType
from tinsmith_lowering import Layer, lower, prepare
from tinsmith_reference import backend as reference
from tinsmith_target import target

HOST = target("host")
Shape = tuple[int, ...]


def network(shape: Shape, padding: Shape, value: int | None = None) -> Graph:
    builder = GraphBuilder("g")
    x = builder.input("x", TensorType(shape, DType.INT8, Quantization.per_tensor(0.05, 11)))
    return builder.build(builder.add(Pad(padding=padding, value=value), [x], "y"))


def layer_of(shape: Shape, padding: Shape) -> Layer:
    sizes = zip(shape, padding[::2], padding[1::2], strict=True)
    result = TensorType(tuple(map(sum, sizes)), DType.INT8)
    return Layer(
        "pad", Pad(padding=padding), (TensorType(shape, DType.INT8),), (result,), (None,), HOST
    )


@pytest.mark.parametrize(
    ("shape", "padding", "expected"),
    [
        ((1, 4, 5, 3), (0, 0, 1, 2, 3, 4, 0, 0), ((1, 4, 2), (9, 15, 12))),
        ((2, 4, 5, 3), (0, 0, 1, 2, 3, 4, 0, 0), ((0, 2, 0), (1, 4, 2), (9, 15, 12))),
        ((2, 4, 5, 3), (0, 0, 0, 0, 0, 0, 1, 0), ((0, 40, 0), (1, 3, 0))),
        ((2, 4, 5, 3), (0, 0, 2, 0, 0, 0, 0, 0), ((0, 2, 0), (30, 60, 0))),
        ((1, 1, 5), (0, 0, 1, 0, 0, 0), ((5, 5, 0),)),
        ((1, 1), (0, 0, 0, 0), ((0, 1, 0),)),
    ],
)
def test_axes_are_merged(shape: Shape, padding: Shape, expected: tuple[Shape, ...]) -> None:
    assert merged_axes(layer_of(shape, padding)) == expected


@pytest.mark.parametrize("packed", [True, False], ids=["packed", "public"])
@pytest.mark.parametrize(
    ("shape", "padding", "value"),
    [
        ((1, 4, 5, 3), (0, 0, 1, 2, 3, 4, 0, 0), None),
        ((2, 4, 5, 3), (1, 2, 0, 1, 3, 0, 2, 5), -128),
        ((2, 4, 5, 3), (0, 0, 0, 0, 0, 0, 0, 4), 127),
        ((3, 1, 2, 4, 5), (0, 0, 1, 0, 0, 1, 0, 0, 2, 2), None),
        ((7,), (3, 0), None),
    ],
)
def test_c_gives_what_the_evaluator_does(
    shape: Shape,
    padding: Shape,
    value: int | None,
    packed: bool,
    kernel_objects: KernelObjects,
    tmp_path: Path,
) -> None:
    kernels = backend(packed=packed).kernels(HOST)
    program = place(prepare(lower(network(shape, padding, value), HOST, kernels), HOST, kernels))
    assert [call.kernel for call in program.calls] == ["arm_pad_s8"]
    model = HostModel.build(program, HOST, kernels, kernel_objects, tmp_path)
    inputs = {"x": random_array(np.random.default_rng(3), program.type_of("x"))}
    assert model.wrong_results(inputs) == []


def test_five_padded_axes_go_to_the_reference_kernel() -> None:
    kernels = (*backend().kernels(HOST), *reference().kernels(HOST))
    (call,) = lower(network((2, 2, 2, 2, 2), (1,) * 10), HOST, kernels).calls
    assert call.kernel == "tinsmith_pad"
    assert "it has 5" in call.reason
