"""Layers that round once with multipliers of few bits, by the kernels that do so in words."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from tinsmith_c.testing import CASES
from tinsmith_cmsis_nn import backend
from tinsmith_cmsis_nn.packing import Implementation, PackedLayer, PackingError
from tinsmith_cmsis_nn.packing_narrow import pack_narrow_convolution, pack_narrow_depthwise
from tinsmith_ir.arithmetic import rescale
from tinsmith_ir.parameters import ConvParameters
from tinsmith_ir.parser import parse_graph
from tinsmith_ir.rounding import Rounding
from tinsmith_lowering import lower
from tinsmith_reference import backend as reference
from tinsmith_target import target


def parameters(bits: int, shifts: list[int], zero_points: tuple[int, int]) -> ConvParameters:
    """Multipliers of `bits` bits, as large as these can be. shifts: s of each channel."""
    multipliers = np.full(len(shifts), (1 << bits) - 1, np.int32)
    down = (31 - np.array(shifts)).astype(np.int32)
    zero, out_zero = zero_points
    return ConvParameters(multipliers, down, -zero, out_zero, -128, 127, Rounding.NEAREST)


def in_words(layer: PackedLayer, sums: NDArray[np.int64]) -> NDArray[np.int64]:
    """floor((sum * multiplier + bias) / 2**shift), all in 32 bits. sums: (M, N)."""
    product = sums * layer.multiplier.astype(np.int64) + layer.bias
    words = (product & 0xFFFFFFFF).astype(np.uint32).view(np.int32)
    return np.clip(words >> layer.shift, -128, 127)


def by_halves(layer: PackedLayer, sums: NDArray[np.int64]) -> NDArray[np.int64]:
    """What two sums of a pair become by `smlawt` and a shift. sums: (M, N), N a multiple of 4."""
    starts = layer.bias.astype(np.int64)
    bottom = starts[0::2] + sums[:, 0::2]
    both = starts[1::2] + sums[:, 0::2] + 256 * sums[:, 1::2]
    values = np.empty(sums.shape, np.int64)
    values[:, 0::2] = bottom
    values[:, 1::2] = both - bottom
    word = ((values & 0xFFFFFFFF).astype(np.uint32).view(np.int32)).astype(np.int64)
    multiplier, right = layer.multiplier >> 16, layer.multiplier & 0xFF
    return np.clip((((word * multiplier) >> 16) + layer.shift) >> right, -128, 127)


@pytest.mark.parametrize("implementation", ["c", "dsp"])
@pytest.mark.parametrize("zero_points", [(-128, -128), (3, 127), (127, -5)])
def test_constants_give_what_one_rounding_gives(
    implementation: Implementation, zero_points: tuple[int, int]
) -> None:
    random = np.random.default_rng(1)
    weights = random.integers(-127, 128, (4, 1, 1, 30)).astype(np.int8)
    bias = random.integers(-9000, 9000, 4).astype(np.int32)
    p = parameters(9, [12, 14, 17, 19], zero_points)
    layer = pack_narrow_convolution(implementation, weights, bias, p)
    rows = weights.reshape(4, -1).astype(np.int64)
    ends = np.where(rows > 0, 127, -128), np.where(rows > 0, -128, 127)
    x = np.concatenate([*ends, random.integers(-128, 128, (400, 30))])
    accumulators = (x + p.input_offset) @ rows.T + bias
    scaled = rescale(accumulators, p.multipliers, p.shifts, Rounding.NEAREST)
    expected = np.clip(scaled + p.output_offset, -128, 127)
    computed = in_words if implementation == "c" else by_halves
    assert np.array_equal(computed(layer, x @ rows.T), expected)


def test_a_product_that_leaves_32_bits_is_refused() -> None:
    weights = np.full((1, 1, 1, 16), 127, np.int8)  # sums from -260,096 to 258,064
    for bits, fits in ((12, True), (13, True), (14, False)):
        p = parameters(bits, [20], (0, 0))
        if fits:
            pack_narrow_convolution("c", weights, None, p)
            continue
        with pytest.raises(PackingError, match="channel 0: a product, half and zero point added"):
            pack_narrow_convolution("c", weights, None, p)


def test_the_zero_point_may_be_what_does_not_fit() -> None:
    weights = np.full((1, 3, 3, 1), 127, np.int8)  # sums from -146,304 to 145,161
    for zero_point, fits in ((0, True), (100, True), (127, False), (-128, False)):
        p = parameters(13, [23], (0, zero_point))
        given = "c", weights, None, p
        if fits:
            pack_narrow_depthwise(*given, input_size=(9, 9))
            continue
        with pytest.raises(PackingError, match="which is no int32"):
            pack_narrow_depthwise(*given, input_size=(9, 9))


def test_halves_of_words_take_multipliers_of_15_bits_and_scales_below_a_quarter() -> None:
    weights = np.full((2, 1, 1, 4), 127, np.int8)
    for bits, shift, reason in (
        (15, 17, None),
        (16, 20, "a multiplier is 65535, not of 15 bits"),
        (15, 16, "is not from 0.5 to 1"),
        (8, 10, None),
        (8, 9, "is not from 0.5 to 1"),
        (8, 23, None),
        (8, 24, "is not from 0.5 to 1"),
    ):
        p = parameters(bits, [shift, shift], (0, 0))
        if reason is None:
            pack_narrow_convolution("dsp", weights, None, p)
            continue
        with pytest.raises(PackingError, match=reason):
            pack_narrow_convolution("dsp", weights, None, p)


@pytest.mark.parametrize("implementation", ["c", "dsp"])
@pytest.mark.parametrize("zero_points", [(-128, -128), (3, 127), (127, -5)])
def test_constants_of_four_bits_are_words_with_either_implementation(
    implementation: Implementation, zero_points: tuple[int, int]
) -> None:
    random = np.random.default_rng(2)
    weights = random.integers(-8, 8, (4, 1, 1, 8)).astype(np.int8)
    bias = random.integers(-900, 900, 4).astype(np.int32)
    p = parameters(16, [20, 19, 22, 22], zero_points)
    layer = pack_narrow_convolution(implementation, weights, bias, p, four_bits=True)
    rows = weights.reshape(4, -1).astype(np.int64)
    x = random.integers(-128, 128, (400, 8))
    accumulators = (x + p.input_offset) @ rows.T + bias
    scaled = rescale(accumulators, p.multipliers, p.shifts, Rounding.NEAREST)
    expected = np.clip(scaled + p.output_offset, -128, 127)
    assert np.array_equal(in_words(layer, x @ rows.T), expected)
    bytes_ = pack_narrow_convolution("c", weights, bias, p)
    assert layer.weights.size == bytes_.weights.size // 2


@pytest.mark.parametrize("implementation", ["c", "dsp"])
def test_a_channel_of_one_value_has_no_multiplier(implementation: Implementation) -> None:
    weights = np.array([[[[1, -1]]], [[[0, 0]]]], np.int8)
    bias = np.array([0, 1 << 30], np.int32)
    p = parameters(9, [17, 17], (0, 5))
    layer = pack_narrow_convolution(implementation, weights, bias, p)
    computed = in_words if implementation == "c" else by_halves
    assert computed(layer, np.zeros((1, 4), np.int64))[0, 1] == 127
    high = replace(p, clamp_max=20)
    layer = pack_narrow_convolution(implementation, weights, bias, high)
    assert computed(layer, np.zeros((1, 4), np.int64))[0, 1] == 20


@pytest.mark.parametrize(
    ("name", "end"), [("cortex-m4", "_narrow"), ("riscv32", "_narrow"), ("cortex-m55", "_nearest")]
)
def test_a_network_of_narrow_multipliers_has_their_kernels(name: str, end: str) -> None:
    graph = next(case for case in CASES if case.name == "network_narrow").build()
    chosen = target(name)
    kernels = (*backend().kernels(chosen), *reference().kernels(chosen))
    found = {call.operator.mnemonic: call.kernel for call in lower(graph, chosen, kernels).calls}
    assert found["conv2d"] == f"tinsmith_convolve_packed_s8{end}"
    assert found["depthwise_conv2d"] == f"tinsmith_depthwise_packed_s8{end}"


@pytest.mark.parametrize(
    ("attributes", "end"),
    [
        ("rounding=nearest, multiplier_bits=9", "_narrow"),
        ("rounding=nearest", "_nearest"),
        ("rounding=nearest, multiplier_bits=30", "_nearest"),
    ],
)
def test_wider_multipliers_have_the_other_kernel(attributes: str, end: str) -> None:
    graph = parse_graph(f"""graph 2 "g" {{
      input %x: i8[1,3,4,2]<0.5, 3>
      const %w: i8[4,1,1,2]<0.25, 0> = [1, -2, 3, 4, 5, 6, 7, -8]
      %y: i8[1,3,4,4]<4.0, -3> = conv2d(%x, %w) {{{attributes}}}
      output %y
    }}""")
    m4 = target("cortex-m4")
    (call,) = lower(graph, m4, backend().kernels(m4)).calls
    assert call.kernel == f"tinsmith_convolve_packed_s8{end}"


def test_fewer_channels_than_a_group_have_the_other_kernel() -> None:
    graph = parse_graph("""graph 2 "g" {
      input %x: i8[1,3,4,2]<0.5, 3>
      const %w: i8[3,1,1,2]<0.25, 0> = [1, -2, 3, 4, 5, 6]
      %y: i8[1,3,4,3]<4.0, -3> = conv2d(%x, %w) {rounding=nearest, multiplier_bits=9}
      output %y
    }""")
    m4 = target("cortex-m4")
    (call,) = lower(graph, m4, backend().kernels(m4)).calls
    assert call.kernel == "tinsmith_convolve_packed_s8_nearest"
    assert "at least 4 output channels" in call.reason
