"""What each rule says of a layer that it refuses, and who takes that layer then."""

from dataclasses import replace

import numpy as np
import pytest
from diana_networks import layer_calls
from tinsmith_diana import DianaDigitalBackend
from tinsmith_ir import Graph
from tinsmith_ir.operators import (
    Activation,
    Add,
    AveragePool2D,
    Conv2D,
    Convolution,
    DepthwiseConv2D,
    FullyConnected,
)
from tinsmith_ir.program import Call
from tinsmith_ir.rounding import Rounding
from tinsmith_ir.testing import GraphBuilder
from tinsmith_ir.types import DType, Quantization, TensorType
from tinsmith_lowering import Kernel, lower
from tinsmith_target import Target, target

NAME = "tinsmith_diana_digital"
SAME = Conv2D(rounding=Rounding.FLOOR, padding=(1, 1, 1, 1))
PLAIN = Conv2D(rounding=Rounding.FLOOR)
DEPTHWISE = DepthwiseConv2D(rounding=Rounding.FLOOR, padding=(1, 1, 1, 1))
DENSE = FullyConnected(rounding=Rounding.FLOOR)
SUM = Add(rounding=Rounding.FLOOR)


def _points(scale: float, point: int = 0) -> Quantization:
    return Quantization.per_tensor(scale, point)


def layer(
    operator: Convolution | FullyConnected = SAME,
    shape: tuple[int, ...] = (1, 9, 8, 5),
    weights: tuple[int, ...] = (4, 3, 3, 5),
    *,
    given: Quantization = _points(0.5),  # noqa: B008 - frozen
    own: Quantization = _points(0.25),  # noqa: B008 - frozen
    result: Quantization = _points(2.0),  # noqa: B008 - frozen
    bias: int = 7,
    constant: bool = True,
) -> Graph:
    """Weights of 1 to 5, shifted by 4 to the right. bias: of all channels. constant: whether weights are."""
    builder = GraphBuilder("layer")
    x = builder.input("x", TensorType(shape, DType.INT8, given))
    data = (np.arange(np.prod(weights)) % 5 + 1).astype(np.int8).reshape(weights)
    w = (
        builder.constant("w", data, own)
        if constant
        else builder.input("w", TensorType(weights, DType.INT8, own))
    )
    b = builder.constant("b", np.full(weights[operator.weights_axis], bias, np.int32))
    return builder.build(builder.add(operator, [x, w, b], "y", result))


def addition(
    operator: Add = SUM,
    shape: tuple[int, ...] = (1, 9, 8, 5),
    other: tuple[int, ...] | None = None,
    *,
    scales: tuple[float, float, float] = (0.5, 0.5, 2.0),
    point: int = 0,
) -> Graph:
    """point: the first operand's zero point."""
    builder = GraphBuilder("layer")
    a = builder.input("a", TensorType(shape, DType.INT8, _points(scales[0], point)))
    b = builder.input("b", TensorType(other or shape, DType.INT8, _points(scales[1])))
    return builder.build(builder.add(operator, [a, b], "y", _points(scales[2])))


def call_of(graph: Graph, host: Target, kernels: tuple[Kernel, ...]) -> Call:
    (call,) = layer_calls(lower(graph, host, kernels))
    return call


_PER_CHANNEL = Quantization((0.25, 0.25, 0.25, 0.5), (0, 0, 0, 0), 0)
_RELU_AT_END = replace(SAME, activation=Activation.RELU)


@pytest.mark.parametrize(
    "graph",
    [
        layer(),
        layer(DEPTHWISE, weights=(1, 3, 3, 5)),
        layer(DENSE, (1, 40), (33, 40)),
        addition(),
        addition(shape=(1, 40)),
        addition(replace(SUM, rounding=Rounding.NEAREST), scales=(0.5, 0.5, 0.5)),
        layer(replace(SAME, rounding=Rounding.NEAREST)),
        layer(_RELU_AT_END),
        layer(_RELU_AT_END, result=_points(2.0, -128)),
        layer(PLAIN, given=_points(0.5, -128)),
        layer(result=_points(2.0, 5)),
        # Even windows, and more padding on the right: zeros around the weights.
        layer(replace(PLAIN, padding=(0, 1, 0, 1)), weights=(4, 2, 4, 5)),
        layer(replace(PLAIN, stride=(2, 2), padding=(0, 1, 0, 1)), (1, 8, 8, 5)),
        # Its last columns reach no padding.
        layer(replace(PLAIN, stride=(2, 2), padding=(1, 1, 1, 1)), (1, 9, 9, 5)),
        # Two jobs of 16 outputs.
        layer(PLAIN, (1, 3, 3, 3000), (32, 1, 1, 3000), bias=0),
    ],
)
def test_what_obeys_the_rules_is_the_accelerators(
    graph: Graph, host: Target, kernels: tuple[Kernel, ...]
) -> None:
    call = call_of(graph, host, kernels)
    assert call.kernel.startswith((NAME, "diana_digital/")), call.reason


@pytest.mark.parametrize(
    ("graph", "finding"),
    [
        (layer(constant=False), "known at compile time, and the input is not: weights is computed"),
        (layer(shape=(2, 9, 8, 5)), f"{NAME}: There is one image: there are 2"),
        (layer(replace(SAME, stride=(1, 2))), f"{NAME}: Strides are 1x1 or 2x2: they are 1x2"),
        (layer(replace(SAME, stride=(3, 3))), f"{NAME}: Strides are 1x1 or 2x2: they are 3x3"),
        (
            layer(replace(SAME, dilation=(2, 1))),
            f"{NAME}: The window is not dilated: it is dilated by 2x1",
        ),
        (layer(shape=(1, 9, 8, 10)), "on one, which has one output: there are 2 groups of them"),
        (layer(DEPTHWISE, weights=(1, 3, 3, 10)), "one output: a channel has 2 outputs"),
        (
            layer(weights=(4, 9, 3, 5)),
            "takes a column of zeros: it is 9x3, with 1 columns on the left and 1 on the right",
        ),
        (
            layer(replace(PLAIN, padding=(0, 0, 0, 3)), weights=(4, 1, 5, 5)),
            "takes a column of zeros: it is 1x5, with 0 columns on the left and 3 on the right",
        ),
        (
            layer(replace(SAME, padding=(3, 1, 1, 1))),
            "less columns on its sides: there are 3 and 1 rows and 1 columns, the window is 3x3",
        ),
        (
            # As a Pad in front of a pointwise layer is fused into it.
            layer(replace(PLAIN, stride=(2, 2), padding=(1, 0, 0, 2)), weights=(4, 1, 1, 5)),
            "there are 1 and 0 rows and 1 columns, the window is 1x3",
        ),
        (
            layer(replace(PLAIN, padding=(0, 0, 1, 1)), weights=(4, 1, 1, 5)),
            "there are 0 and 0 rows and 1 columns, the window is 1x1",
        ),
        (
            layer(given=_points(0.5, 3)),
            f"{NAME}: The input's zero point is 0 where there is padding, which is of zeros: it is 3",
        ),
        (
            layer(PLAIN, (1, 1, 1, 4093), (4, 1, 1, 4093)),
            f"{NAME}: The weights and biases of 16 outputs fit the accelerator's weight memory of 65,536 bytes: they "
            "take 65,552 bytes",
        ),
        (
            layer(DENSE, (1, 4081), (4, 4081)),
            "weight memory of 65,536 bytes: they take 65,792 bytes",
        ),
        (
            # Two rows of 10,000 bytes of 16 planes, as one is no multiple of 32, and four of 5 planes that they read.
            layer(shape=(1, 4, 10000, 5)),
            "fit the L1 memory of 262,144 bytes together with what they read and what is written behind them: they "
            "take 520,000 bytes",
        ),
        (
            layer(replace(SAME, activation=Activation.RELU6)),
            f"{NAME}: The result is clipped to [-128, 127] or [0, 127], the two clips of the array: it is clipped to 0 "
            "to 3",
        ),
        (
            layer(result=_points(3.0)),
            "set-rounding{mode=floor,bits=1} makes powers of two: some multipliers are no powers of two",
        ),
        (
            layer(own=_PER_CHANNEL),
            "makes powers of two: there are 2 shifts, as channels have scales of their own; weights quantized with "
            "per_channel=no have one",
        ),
        (layer(result=_points(0.0625)), "makes powers of two: it is -1"),
        (layer(result=_points(2.0**29)), "makes powers of two: it is 32"),
        (
            layer(bias=(1 << 31) - 1),
            f"{NAME}: Sums stay within 32 bits for every input, and biases with half a step and zero points do: those "
            "of channel",
        ),
        (
            layer(replace(SAME, rounding=Rounding.TFLITE)),
            "diana_digital has no kernel for conv2d of i8, i8, i32 -> i8; it has one rounded by nearest or floor, see "
            "set-rounding",
        ),
        (
            layer(DENSE, (2, 40), (33, 40)),
            f"{NAME}: There is one row, of one or two axes: there are 2",
        ),
        (
            layer(DENSE, (1, 2, 4, 5), (33, 40)),
            "There is one row, of one or two axes: shapes are (1, 2, 4, 5) and (1, 33)",
        ),
        (
            addition(shape=(2, 9, 8, 5)),
            "Tensors are one image, or one vector: they have shape (2, 9",
        ),
        (
            addition(other=(1, 1, 8, 5)),
            f"{NAME}: Both operands are computed, and have the result's shape: the second has shape (1, 1, 8, 5)",
        ),
        (addition(point=3), f"{NAME}: Zero points are 0, as there is no bias: they are 3, 0 and 0"),
        (
            addition(scales=(0.5, 0.25, 2.0)),
            "the result's divided by a power of two of 0 to 31: multipliers are ",
        ),
        (addition(scales=(0.5, 0.5, 3.0)), "is no power of two"),
        (
            addition(replace(SUM, rounding=Rounding.NEAREST)),
            f"{NAME}: The shift rounds down, or is 0, which rounds nothing: additions have no bias for half a step: it "
            "is 2, by nearest",
        ),
        (addition(scales=(0.5, 0.5, 0.25)), "the shift is -1"),
        (
            addition(replace(SUM, activation=Activation.RELU)),
            f"{NAME}: The result is clipped to all of int8: additions have no ReLU: it is clipped to 0 to 127",
        ),
        (addition(shape=(1, 2, 50000, 1)), "they take 300,000 bytes"),
    ],
)
def test_a_rule_says_why_a_layer_is_the_cores(
    graph: Graph, finding: str, host: Target, kernels: tuple[Kernel, ...]
) -> None:
    call = call_of(graph, host, kernels)
    assert finding in call.reason
    assert NAME not in call.kernel


@pytest.mark.parametrize("name", ["pulp-open", "cortex-m4", "siracusa"])
def test_other_boards_are_refused(name: str, kernels: tuple[Kernel, ...]) -> None:
    chosen = target(name)
    call = call_of(layer(), chosen, kernels)
    assert NAME not in call.kernel
    assert f"or is a computer, which has its twin: {chosen.board.name} has not" in call.reason


def test_kernels_have_keys_of_their_own(host: Target) -> None:
    kernels = DianaDigitalBackend().kernels(host)
    assert len({kernel.key for kernel in kernels}) == len(kernels) == 19
    of_core = {kernel.name for kernel in kernels if kernel.unit != "digital"}
    assert of_core == {
        "tinsmith_diana_average",
        "tinsmith_diana_to_rows",
        "tinsmith_diana_from_rows",
    }


@pytest.mark.parametrize(
    ("pool", "shape", "reason"),
    [
        (AveragePool2D((3, 4)), (2, 3, 4, 5), "there are 2 images"),
        (AveragePool2D((3, 3)), (1, 3, 4, 5), "the window is (3, 3), the image (3, 4)"),
        (AveragePool2D((3, 4), halves_up=True), (1, 3, 4, 5), "they are rounded up"),
        (AveragePool2D((3, 4), halves_to_even=True), (1, 3, 4, 5), "they are rounded to even"),
    ],
)
def test_averages_of_other_windows_are_not_of_planes(
    pool: AveragePool2D,
    shape: tuple[int, ...],
    reason: str,
    host: Target,
    kernels: tuple[Kernel, ...],
) -> None:
    builder = GraphBuilder("pool")
    x = builder.input("x", TensorType(shape, DType.INT8, _points(0.5)))
    call = call_of(builder.build(builder.add(pool, [x], "y", _points(0.5))), host, kernels)
    assert call.kernel != "tinsmith_diana_average"
    assert reason in call.reason


def test_an_average_of_a_dense_image_is_not_of_planes(
    host: Target, kernels: tuple[Kernel, ...]
) -> None:
    """Behind a layer of the core: to turn the image costs more than an average of planes saves."""
    builder = GraphBuilder("pool")
    x = builder.input("x", TensorType((1, 3, 4, 5), DType.INT8, _points(0.5)))
    graph = builder.build(builder.add(AveragePool2D((3, 4)), [x], "y", _points(0.5)))
    (call,) = lower(graph, host, kernels).calls
    assert call.kernel != "tinsmith_diana_average"
    assert call.reason == (
        "tinsmith_diana_average: Operands lie in its layouts already: operand 0 is not diana_rows"
    )
