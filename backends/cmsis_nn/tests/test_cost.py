"""The cost model: which kernels it covers, and what it says of few rows and of many."""

import numpy as np
import pytest
from tinsmith_cmsis_nn import backend
from tinsmith_cmsis_nn.coefficients import COEFFICIENTS
from tinsmith_ir.dtypes import DType
from tinsmith_ir.operators import Conv2D, DepthwiseConv2D
from tinsmith_ir.testing import GraphBuilder
from tinsmith_ir.types import Quantization, TensorType
from tinsmith_lowering import lower
from tinsmith_lowering.lower import find_kernel, layer_of_call
from tinsmith_target import target

Q = Quantization.per_tensor(0.05, 3)
MEASURED = [
    # operator, target, input, weights, padding, instructions by `tinsmith verify` of the layer alone
    ("conv", "cortex-m4", (1, 25, 5, 64), (64, 1, 1, 64), 0, 587_676),
    ("conv", "cortex-m55", (1, 25, 5, 64), (64, 1, 1, 64), 0, 146_825),
    ("depthwise", "cortex-m4", (1, 25, 5, 64), (1, 3, 3, 64), 1, 223_442),
    ("depthwise", "cortex-m55", (1, 25, 5, 64), (1, 3, 3, 64), 1, 81_290),
    ("depthwise", "cortex-m55", (1, 48, 48, 8), (1, 3, 3, 8), 1, 180_567),
]


def modelled(
    kind: str,
    name: str,
    shape: tuple[int, ...],
    taps: tuple[int, ...],
    padding: int,
    stride: tuple[int, int] = (1, 1),
) -> int | None:
    """Instructions of a layer."""
    builder = GraphBuilder("layer")
    x = builder.input("x", TensorType(shape, DType.INT8, Q))
    w = builder.constant("w", np.ones(taps, np.int8), Quantization.per_tensor(0.004, 0))
    operator = (Conv2D if kind == "conv" else DepthwiseConv2D)(
        padding=(padding, padding, padding, padding), stride=stride
    )
    graph = builder.build(builder.add(operator, [x, w], "y", Q))
    chosen = target(name)
    kernels = backend().kernels(chosen)
    program = lower(graph, chosen, kernels)
    layer = layer_of_call(program, program.calls[0], chosen)
    cost = find_kernel(program.calls[0].kernel, layer, kernels).cost(layer)
    return None if cost is None else cost.cycles


@pytest.mark.parametrize(("kind", "name", "shape", "taps", "padding", "instructions"), MEASURED)
def test_layers_of_mlperf_tiny_take_about_what_was_measured(
    kind: str,
    name: str,
    shape: tuple[int, ...],
    taps: tuple[int, ...],
    padding: int,
    instructions: int,
) -> None:
    found = modelled(kind, name, shape, taps, padding)
    assert found is not None
    assert abs(found / instructions - 1) < 0.1


@pytest.mark.parametrize("name", ["cortex-m4", "cortex-m55"])
@pytest.mark.parametrize("kind", ["conv", "depthwise"])
def test_a_call_of_one_row_costs_more_than_its_share_of_many(kind: str, name: str) -> None:
    taps = (16, 3, 3, 16) if kind == "conv" else (1, 3, 3, 16)
    one, many = (modelled(kind, name, (1, rows + 2, 26, 16), taps, padding=0) for rows in (1, 24))
    assert one is not None
    assert many is not None
    assert many < 24 * one < 3 * many


def test_nobody_has_measured_plain_c() -> None:
    assert modelled("conv", "cortex-m3", (1, 8, 8, 8), (8, 1, 1, 8), 0) is None


@pytest.mark.parametrize("name", ["cortex-m4", "cortex-m55"])
@pytest.mark.parametrize("kind", ["conv", "depthwise"])
@pytest.mark.parametrize("stride", [(1, 1), (1, 2), (2, 2), (3, 3), (4, 1)])
@pytest.mark.parametrize("taps", [(1, 1), (1, 5), (2, 2), (3, 3), (5, 5), (9, 1)])
def test_any_layer_has_a_cost_or_none(
    kind: str, name: str, stride: tuple[int, int], taps: tuple[int, int]
) -> None:
    weights = (8, *taps, 8) if kind == "conv" else (1, *taps, 8)
    found = modelled(kind, name, (1, 12, 12, 8), weights, padding=0, stride=stride)
    assert found is None or found > 0


def test_no_coefficient_is_negative_or_idle() -> None:
    assert all(value > 0 for weights in COEFFICIENTS.values() for value in weights.values())
