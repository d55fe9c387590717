"""What each rule says of a layer that it refuses, and who takes that layer then."""

from dataclasses import replace

import numpy as np
import pytest
from tinsmith_ir import Graph
from tinsmith_ir.operators import Activation, Conv2D, Convolution, DepthwiseConv2D
from tinsmith_ir.program import Call
from tinsmith_ir.rounding import Rounding
from tinsmith_ir.testing import GraphBuilder
from tinsmith_ir.types import DType, Quantization, TensorType
from tinsmith_lowering import Kernel, lower
from tinsmith_neureka import NeurekaBackend
from tinsmith_target import Target, target

CALL, STRIDED = "tinsmith_neureka_call", "tinsmith_neureka_call_strided"
FLOOR = Conv2D(rounding=Rounding.FLOOR, multiplier_bits=8)
DEPTHWISE = DepthwiseConv2D(rounding=Rounding.FLOOR, multiplier_bits=8)


def layer(
    operator: Convolution = FLOOR,
    shape: tuple[int, ...] = (1, 9, 8, 5),
    weights: tuple[int, ...] = (4, 3, 3, 5),
    *,
    scale: float = 0.004,
    constant: bool = True,
    bias: int = 7,
    result: Quantization = Quantization.per_tensor(0.05, -128),  # noqa: B008 - frozen
) -> Graph:
    """Weights of 1 to 5. scale: of weights. constant: whether they are. bias: of the last channel, 7 of others."""
    builder = GraphBuilder("layer")
    given = Quantization.per_tensor(0.05, -3)
    x = builder.input("x", TensorType(shape, DType.INT8, given))
    data = (np.arange(np.prod(weights)) % 5 + 1).astype(np.int8).reshape(weights)
    own = Quantization.per_tensor(scale, 0)
    w = (
        builder.constant("w", data, own)
        if constant
        else builder.input("w", TensorType(weights, DType.INT8, own))
    )
    channels = weights[3] if isinstance(operator, DepthwiseConv2D) else weights[0]
    biases = np.full(channels, 7, np.int32)
    biases[-1] = bias
    b = builder.constant("b", biases)
    return builder.build(builder.add(operator, [x, w, b], "y", result))


def call_of(graph: Graph, host: Target, kernels: tuple[Kernel, ...]) -> Call:
    (call,) = lower(graph, host, kernels).calls
    return call


@pytest.mark.parametrize(
    ("graph", "kernel"),
    [
        (layer(), CALL),
        (layer(weights=(4, 1, 1, 5)), CALL),
        (layer(replace(FLOOR, stride=(3, 2)), weights=(4, 1, 1, 5)), CALL),
        (layer(DEPTHWISE, weights=(1, 3, 3, 5)), CALL),
        (layer(replace(FLOOR, stride=(2, 2))), STRIDED),
        (layer(replace(DEPTHWISE, stride=(1, 2)), weights=(1, 3, 3, 5)), STRIDED),
        (layer(replace(FLOOR, padding=(2, 2, 2, 2))), CALL),
        (layer(replace(FLOOR, activation=Activation.RELU)), CALL),
        # A channel whose bias leaves it one value has no need of 32 bits.
        (layer(bias=1 << 30), CALL),
        (layer(bias=-(1 << 30)), CALL),
    ],
)
def test_what_obeys_the_rules_is_the_accelerators(
    graph: Graph, kernel: str, host: Target, kernels: tuple[Kernel, ...]
) -> None:
    assert call_of(graph, host, kernels).kernel == kernel


@pytest.mark.parametrize(
    ("graph", "finding"),
    [
        (
            layer(constant=False),
            f"{CALL}: Weights and bias are known at compile time, and the input is not: "
            "weights is computed at run time",
        ),
        (
            layer(shape=(2, 9, 8, 5)),
            f"{CALL}: There is one image, and no extent is above 65,535: there are 2",
        ),
        (
            layer(shape=(1, 70_000, 3, 1), weights=(2, 3, 3, 1)),
            f"{CALL}: There is one image, and no extent is above 65,535: an extent is 70,000",
        ),
        (
            layer(weights=(4, 5, 3, 5)),
            f"{CALL}: The window is 1x1 or 3x3, of a depthwise convolution 3x3: it is 5x3",
        ),
        (
            layer(DEPTHWISE, weights=(1, 1, 1, 5)),
            f"{CALL}: The window is 1x1 or 3x3, of a depthwise convolution 3x3: it is 1x1",
        ),
        (
            layer(replace(FLOOR, dilation=(2, 1))),
            f"{CALL}: The window is not dilated: it is dilated by (2, 1)",
        ),
        (
            layer(replace(FLOOR, stride=(3, 1))),
            f"{STRIDED}: The window is 3x3 and strides are up to 2: the accelerator computes all outputs, of which the "
            "cores keep some: it is 3x3 by (3, 1)",
        ),
        (
            layer(replace(FLOOR, stride=(3, 1))),
            f"{CALL}: Strides are 1, or the window is 1x1, so that the accelerator computes no output for nothing: "
            "they are (3, 1)",
        ),
        (
            layer(shape=(1, 9, 8, 10)),
            f"{CALL}: Each output depends on all input channels; of a depthwise convolution, on one, which has one "
            "output: there are 2 groups of them",
        ),
        (
            layer(DEPTHWISE, weights=(1, 3, 3, 10)),
            "of a depthwise convolution, on one, which has one output: a channel has 2 outputs",
        ),
        (
            layer(replace(FLOOR, padding=(3, 0, 0, 1))),
            f"{CALL}: At most two rows or columns lie around the input, of 1x1 none, and behind it no more than the "
            "last tile of six outputs has: there are 3, 0 rows and 0, 1 columns",
        ),
        (
            layer(replace(FLOOR, padding=(0, 0, 1, 0)), weights=(4, 1, 1, 5)),
            "than the last tile of six outputs has: there are 0, 0 rows and 1, 0 columns",
        ),
        (
            layer(replace(FLOOR, padding=(0, 2, 0, 0)), shape=(1, 7, 8, 5)),
            "than the last tile of six outputs has: there are 2 rows or 0 columns behind 7x6 outputs",
        ),
        (
            layer(
                replace(FLOOR, activation=Activation.RELU), result=Quantization.per_tensor(0.05, 2)
            ),
            f"{CALL}: The result is clipped to all of int8, as a ReLU does whose zero point is -128: it is "
            "clipped to 2 to 127",
        ),
        (
            layer(replace(FLOOR, multiplier_bits=24)),
            "with half a step and the zero point, stays within 32 bits; set-rounding{one_shift=yes} sees to it: "
            "those of channel 0 are",
        ),
        (
            # Two values: what is below 0 rounds down to -1.
            layer(scale=1e-9, result=Quantization.per_tensor(0.05, 0)),
            "stays within 32 bits; set-rounding{one_shift=yes} sees to it: shifts are 37 to 37",
        ),
        (
            layer(replace(FLOOR, rounding=Rounding.TFLITE, multiplier_bits=31)),
            "neureka has no kernel for conv2d of i8, i8, i32 -> i8; it has one rounded by nearest or floor, see "
            "set-rounding",
        ),
    ],
)
def test_a_rule_says_why_a_layer_is_the_clusters(
    graph: Graph, finding: str, host: Target, kernels: tuple[Kernel, ...]
) -> None:
    call = call_of(graph, host, kernels)
    assert finding in call.reason
    assert not call.kernel.startswith(CALL)


@pytest.mark.parametrize("name", ["pulp-open", "cortex-m4"])
def test_boards_without_the_accelerator_are_refused(name: str, kernels: tuple[Kernel, ...]) -> None:
    chosen = target(name)
    call = call_of(layer(), chosen, kernels)
    assert not call.kernel.startswith(CALL)
    expected = "The board has N-EUREKA, or is this computer, which has its twin: "
    assert f"{CALL}: {expected}{chosen.board.name} has none" in call.reason
    siracusa = call_of(layer(), target("siracusa"), kernels)
    assert siracusa.kernel == CALL


def test_every_kernel_is_of_a_core_of_the_cluster(host: Target) -> None:
    """The core that boots the chip does not reach the accelerator's events: who has a call runs on the cluster."""
    kernels = NeurekaBackend().kernels(host)
    assert {kernel.engine for kernel in kernels} == {"cluster"}
    assert all(kernel.of_cluster for kernel in kernels)
    assert len({kernel.key for kernel in kernels}) == len(kernels)
