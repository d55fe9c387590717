"""Which kernel takes a layer, and why not another one."""

import pytest
from random_layers import host, kernels_of, with_weights, without_weights
from tinsmith_ir import Graph
from tinsmith_ir.operators import (
    Add,
    AveragePool2D,
    Concat,
    Conv2D,
    DepthwiseConv2D,
    Mean,
    Mul,
)
from tinsmith_ir.operators.softmax import Softmax
from tinsmith_ir.types import Quantization
from tinsmith_lowering import find_kernel, layer_of_call, lower
from tinsmith_pulp_nn import PulpNnBackend
from tinsmith_target import target, targets

HOST = host(8)


@pytest.mark.parametrize("name", [found.name for found in targets()])
def test_no_two_kernels_have_the_same_key(name: str) -> None:
    keys = [kernel.key for kernel in kernels_of(target(name))]
    assert len(keys) == len(set(keys))


def test_every_kernel_is_the_clusters() -> None:
    for kernel in PulpNnBackend().kernels(HOST):
        assert kernel.backend == "pulp_nn"
        assert kernel.engine == "cluster"


def test_more_cores_take_less_time() -> None:
    graph = with_weights(Conv2D(), (1, 16, 16, 16), (16, 1, 1, 16), 0)
    cycles: list[int] = []
    for cores in (1, 2, 8):
        chosen = host(cores)
        kernels = kernels_of(chosen)
        program = lower(graph, chosen, kernels)
        layer = layer_of_call(program, program.calls[0], chosen)
        cost = find_kernel(program.calls[0].kernel, layer, kernels).cost(layer)
        assert cost is not None
        cycles.append(cost.cycles)
    assert cycles == sorted(cycles, reverse=True)
    assert cycles[0] > 4 * cycles[2]


@pytest.mark.parametrize("cores", [1, 5, 8])
def test_a_call_is_for_all_cores(cores: int) -> None:
    graph = with_weights(Conv2D(), (1, 5, 6, 16), (8, 1, 1, 16), 0)
    chosen = host(cores)
    (call,) = lower(graph, chosen, kernels_of(chosen)).calls
    assert [(option.name, option.value) for option in call.options] == [("cores", cores)]


@pytest.mark.parametrize(
    ("graph", "reason"),
    [
        (
            with_weights(Conv2D(dilation=(9, 9)), (1, 20, 20, 4), (4, 3, 3, 4), 0),
            "they are 5,776, and without 144",
        ),
        (
            with_weights(Conv2D(), (1, 9, 7, 128), (128, 3, 3, 1), 0),
            "they are 147,456, and without 1,152",
        ),
        (
            with_weights(DepthwiseConv2D(), (1, 9, 7, 64), (1, 3, 3, 128), 3),
            "they are 73,728, and without 1,152",
        ),
        (without_weights(Add(), (4, 5, 6), (4, 1, 6)), "they have three axes or more that differ"),
        (without_weights(Mul(), (4, 5, 6), (4, 1, 6)), "they have three axes or more that differ"),
        (without_weights(Mean(axes=(0, 2)), (4, 5, 6)), "they are [0, 2]"),
        (without_weights(Concat(axis=1), (4, 5), (4, 6)), "they do not"),
        (
            without_weights(AveragePool2D(window=(2, 2), halves_up=True), (1, 4, 4, 3), same=True),
            "they are rounded up",
        ),
        (
            without_weights(Softmax(), (1, 512), result=Quantization.per_tensor(1 / 256, -128)),
            "a row has 512",
        ),
    ],
)
def test_the_reference_kernel_gets_the_others(graph: Graph, reason: str) -> None:
    (call,) = lower(graph, HOST, kernels_of(HOST)).calls
    assert not call.kernel.startswith("tinsmith_pulp_")
    assert reason in call.reason
