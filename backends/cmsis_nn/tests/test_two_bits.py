"""Weights of two bits: how they are arranged, what is refused, and which kernel a layer gets on which target."""

import numpy as np
import pytest
from numpy.typing import NDArray
from tinsmith_cmsis_nn import backend
from tinsmith_cmsis_nn.packing import (
    Implementation,
    PackingError,
    pack_convolution,
    pack_depthwise,
    pack_fully_connected,
)
from tinsmith_cmsis_nn.packing_two_bits import (
    pack_convolution_two_bits,
    pack_depthwise_two_bits,
    pack_fully_connected_two_bits,
)
from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Graph
from tinsmith_ir.operators import Conv2D, DepthwiseConv2D, FullyConnected
from tinsmith_ir.rounding import Rounding
from tinsmith_ir.testing import GraphBuilder
from tinsmith_ir.types import Quantization, TensorType
from tinsmith_lowering import lower
from tinsmith_reference import backend as reference
from tinsmith_target import target

Layer = Conv2D | DepthwiseConv2D | FullyConnected
Q = Quantization.per_tensor(0.5, 3)


def stage(channels: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    return np.full(channels, 1 << 30, np.int32), np.full(channels, -7, np.int32)


def random_rows(*shape: int) -> NDArray[np.int8]:
    return np.random.default_rng(len(shape)).integers(-2, 2, shape).astype(np.int8)


@pytest.mark.parametrize("lowest", [-1, -2])
def test_a_word_holds_four_channels_at_the_ends_of_turned_lanes(lowest: int) -> None:
    """What the kernel does to a word: turned by 0, 4, 8, 12 bits, the ends of lanes are two channels at two k."""
    weights = random_rows(4, 4).clip(lowest)
    packed = pack_fully_connected_two_bits("dsp", weights, None, *stage(1), input_zero_point=0)
    (word,) = packed.weights.view("<u4").tolist()
    added = -lowest
    assert packed.bias.tolist() == [0, 0, 0, 0, added]
    for step in range(4):
        pair, half = step % 2, step // 2
        turned = (word >> 4 * step | word << (32 - 4 * step)) & 0xC003C003
        for lane, value in enumerate(np.array([turned], "<u4").view("<i2").tolist()):
            bottom, top = weights[2 * pair : 2 * pair + 2, half + 2 * lane].tolist()
            assert value == bottom + added + (top << 14)


def test_what_is_missing_to_groups_and_blocks_is_no_weight() -> None:
    packed = pack_convolution_two_bits(
        "dsp", np.ones((5, 1, 1, 6), np.int8), None, *stage(5), input_zero_point=0
    )
    assert len(packed.bias) == 9
    # By hand: of the first group all, then of k two; of the second the first channel. Even numbers are of channels to
    # which 1 is added, so that a missing weight is 1 there.
    words = [0x66666666, 0x15556222, 0x12121212, 0x11111212]
    assert packed.weights.view("<u4").tolist() == words


def test_words_of_a_fully_connected_layer_are_those_of_a_convolution() -> None:
    weights = random_rows(6, 9)
    image = pack_convolution_two_bits(
        "dsp", weights.reshape(6, 1, 1, 9), None, *stage(6), input_zero_point=3
    )
    packed = pack_fully_connected_two_bits("dsp", weights, None, *stage(6), input_zero_point=3)
    assert np.array_equal(packed.weights, image.weights)
    assert np.array_equal(packed.bias, image.bias)


def widened(implementation: Implementation, packed: NDArray[np.int8], count: int) -> list[int]:
    """As the kernels make bytes of them: each quarter of a word, or of a vector of MVE."""
    together, added = (16, 0) if implementation == "mve" else (4, 2)
    found = packed.view(np.uint8).reshape(-1, together)
    quarters = np.concatenate([(found >> place) & 3 for place in range(0, 8, 2)], axis=1)
    signed = quarters.astype(np.int8) - added if added else (quarters.view(np.int8) ^ 2) - 2
    return signed.reshape(-1)[:count].tolist()


@pytest.mark.parametrize("implementation", ["c", "mve"])
def test_widened_weights_are_those_on_bytes(implementation: Implementation) -> None:
    rows = random_rows(7, 19)
    image = rows.reshape(7, 1, 1, 19)
    for wide, packed in (
        (
            pack_convolution(implementation, image, None, *stage(7), input_zero_point=3),
            pack_convolution_two_bits(implementation, image, None, *stage(7), input_zero_point=3),
        ),
        (
            pack_fully_connected(implementation, rows, None, *stage(7), input_zero_point=3),
            pack_fully_connected_two_bits(
                implementation, rows, None, *stage(7), input_zero_point=3
            ),
        ),
    ):
        assert widened(implementation, packed.weights, len(wide.weights)) == wide.weights.tolist()
        assert packed.bias.tolist() == wide.bias.tolist()


def test_depthwise_weights_are_those_of_bytes_sixteen_in_a_word() -> None:
    given = (random_rows(1, 3, 3, 5), None, *stage(5))
    wide = pack_depthwise("dsp", *given, input_zero_point=3, input_size=(5, 5))
    packed = pack_depthwise_two_bits("dsp", *given, input_zero_point=3, input_size=(5, 5))
    assert len(packed.weights) == 12
    assert widened("dsp", packed.weights, 45) == wide.weights.tolist()


def test_a_sum_that_leaves_the_upper_part_of_a_word_is_refused() -> None:
    weights = np.ones((2, 1024), np.int8)
    weights[1, 0] = 0
    pack_fully_connected_two_bits("dsp", weights, None, *stage(1), input_zero_point=0)
    weights[1, 0] = -1
    with pytest.raises(
        PackingError, match=r"channel 1: sum of .weights. is 1024, .* less than 1024"
    ):
        pack_fully_connected_two_bits("dsp", weights, None, *stage(1), input_zero_point=0)


def of_two_bits(operator: Layer, weights: tuple[int, ...]) -> Graph:
    """All weights are 1, all scales below 0.5."""
    builder = GraphBuilder("g")
    x = builder.input("x", TensorType((1, 6, 6, 5), DType.INT8, Q))
    data = np.ones(weights, np.int8)
    w = builder.constant("w", data, Quantization.per_tensor(0.01, 0), DType.INT2)
    return builder.build(builder.add(operator, [x, w], "y", Q))


@pytest.mark.parametrize("name", ["cortex-m3", "cortex-m4", "cortex-m55"])
@pytest.mark.parametrize(
    ("operator", "weights", "kernel"),
    [
        (Conv2D(), (3, 3, 3, 5), "convolve_packed"),
        (Conv2D(rounding=Rounding.NEAREST), (3, 1, 1, 5), "convolve_packed"),
        (Conv2D(rounding=Rounding.NEAREST, multiplier_bits=12), (4, 1, 1, 5), "convolve_packed"),
        (DepthwiseConv2D(), (1, 3, 3, 5), "depthwise_packed"),
        (DepthwiseConv2D(), (1, 3, 3, 10), "depthwise_packed_any"),
        (FullyConnected(), (4, 180), "fully_connected_packed"),
    ],
    ids=["windows", "rounded once", "narrow", "depthwise", "two channels of one", "dense"],
)
def test_layers_have_kernels(
    name: str, operator: Layer, weights: tuple[int, ...], kernel: str
) -> None:
    chosen = target(name)
    kernels = (*backend().kernels(chosen), *reference().kernels(chosen))
    (call,) = lower(of_two_bits(operator, weights), chosen, kernels).calls
    is_mve = name == "cortex-m55"
    if is_mve and kernel.endswith("_any"):
        assert call.kernel == "tinsmith_depthwise_conv2d_s2"
        return
    end = ""
    if operator.rounding is Rounding.NEAREST:
        end = "_nearest" if is_mve or operator.multiplier_bits == 31 else "_narrow"
    assert call.kernel == f"tinsmith_{kernel}_s2{end}"
