"""Layers that round once, by the kernels that are compiled for it."""

import numpy as np
import pytest
from tinsmith_c.testing import CASES
from tinsmith_cmsis_nn import backend
from tinsmith_cmsis_nn.nearest import full_width, widened
from tinsmith_cmsis_nn.packing import (
    Implementation,
    PackingError,
    pack_convolution,
    pack_fully_connected,
)
from tinsmith_ir.arithmetic import quantize_scale, rescale
from tinsmith_ir.graph import Graph
from tinsmith_ir.parameters import ConvParameters
from tinsmith_ir.parser import parse_graph
from tinsmith_ir.rounding import Rounding
from tinsmith_lowering import lower
from tinsmith_reference import backend as reference
from tinsmith_target import target, targets


def network() -> Graph:
    return next(case for case in CASES if case.name == "network_nearest").build()


@pytest.mark.parametrize("name", [found.name for found in targets()])
def test_layers_with_weights_have_packed_kernels_on_every_target(name: str) -> None:
    chosen = target(name)
    kernels = (*backend().kernels(chosen), *reference().kernels(chosen))
    calls = lower(network(), chosen, kernels).calls
    found = {call.operator.mnemonic: call for call in calls}
    dense = "small" if name == "cortex-m55" else "packed"
    for operator, kernel in (
        ("conv2d", "convolve_packed"),
        ("depthwise_conv2d", "depthwise_packed"),
        ("fully_connected", f"fully_connected_{dense}"),
    ):
        assert found[operator].kernel == f"tinsmith_{kernel}_s8_nearest"
        assert not found[operator].reason


def test_the_public_api_rounds_as_tflite_alone() -> None:
    chosen = target("cortex-m4")
    plain = reference().kernels(chosen)
    calls = lower(network(), chosen, (*backend(packed=False).kernels(chosen), *plain)).calls
    found = {call.kernel for call in calls if call.kernel.endswith("_nearest")}
    assert found
    assert found <= {kernel.name for kernel in plain}


def test_constants_are_those_of_the_kernel_that_rounds_twice() -> None:
    weights = np.random.default_rng(1).integers(-127, 128, (5, 3, 3, 4)).astype(np.int8)
    stage = np.full(5, 5 << 28, np.int32), np.array([-1, -4, -9, -22, -28], np.int32)
    twice = pack_convolution("dsp", weights, None, *stage, input_zero_point=3)
    once = pack_convolution("dsp", weights, None, *stage, input_zero_point=3, nearest=True)
    assert np.array_equal(once.weights, twice.weights)
    assert np.array_equal(once.bias, twice.bias)
    assert np.array_equal(once.multiplier, twice.multiplier)
    assert np.array_equal(once.shift, twice.shift)


@pytest.mark.parametrize("implementation", ["c", "dsp", "mve"])
def test_a_sum_that_is_shifted_to_the_left_has_one_bit_less(implementation: Implementation) -> None:
    weights = np.full((1, 1, 1, 64), 127, np.int8)  # sums of up to 2**20 - 2**13
    for shift, fits in ((8, True), (9, True), (10, False)):
        stage = np.full(1, 1 << 30, np.int32), np.full(1, shift, np.int32)
        given = (implementation, weights, None, *stage)
        if fits:
            pack_convolution(*given, input_zero_point=0, any_shift=True, nearest=True)
            continue
        with pytest.raises(PackingError, match="accumulators may reach 2130706432"):
            pack_convolution(*given, input_zero_point=0, any_shift=True, nearest=True)


def test_with_mve_sums_that_are_shifted_to_the_right_may_be_of_any_size() -> None:
    weights = np.full((2, 4), 1, np.int8)
    bias = np.array([(1 << 31) - 1, 0], np.int32)
    multipliers = np.full(2, 1 << 30, np.int32)
    right, left = np.array([-1, 3], np.int32), np.array([0, 3], np.int32)
    given = ("mve", weights, bias, multipliers)
    pack_fully_connected(*given, right, input_zero_point=0, nearest=True)
    with pytest.raises(PackingError, match="need less than"):
        pack_fully_connected(*given, left, input_zero_point=0, nearest=True)
    pack_fully_connected(*given, left, input_zero_point=0)


@pytest.mark.parametrize("bits", [1, 7, 15, 30, 31])
def test_wider_multipliers_round_alike(bits: int) -> None:
    random = np.random.default_rng(bits)
    accumulators = random.integers(-(1 << 20), 1 << 20, 500)
    for real in (3.7e-9, 0.0004, 0.3, 0.5, 0.99, 1.0):
        multiplier, shift = quantize_scale(real, Rounding.NEAREST, bits)
        wide, moved = widened(np.array([multiplier], np.int32), np.array([shift], np.int32))
        assert 1 << 30 <= wide[0] < 1 << 31
        expected = rescale(accumulators, multiplier, shift, Rounding.NEAREST)
        total = 31 - int(moved[0])
        found = [(int(acc) * int(wide[0]) + (1 << total >> 1)) >> total for acc in accumulators]
        assert found == expected.tolist()


def test_no_scale_stays_none() -> None:
    wide, shifts = widened(np.array([0, 1], np.int32), np.array([0, -31], np.int32))
    assert wide.tolist() == [0, 1 << 30]
    assert shifts.tolist() == [0, -61]


def test_a_scale_too_small_to_count_is_none() -> None:
    given = np.array([1 << 30, 1 << 30, 5], np.int32), np.array([-31, -32, -31], np.int32)
    found = full_width(ConvParameters(*given, 0, 0, -128, 127, Rounding.NEAREST))
    assert found.multipliers.tolist() == [1 << 30, 0, 0]
    assert found.shifts.tolist() == [-31, -1, -1]


def dense(weights: str, scale: str, attributes: str) -> Graph:
    return parse_graph(f"""graph 2 "g" {{
      input %x: i8[1,4]<0.5, 3>
      const %w: i8[2,4]<{scale}, 0> = {weights}
      %y: i8[1,2]<4.0, -3> = fully_connected(%x, %w) {{{attributes}}}
      output %y
    }}""")


@pytest.mark.parametrize(
    ("weights", "scale", "name"),
    [
        ("[1, -2, 3, 4, 1, -2, 3, -4]", "0.25", "tinsmith_fully_connected_packed_s8_nearest"),
        ("[1, -2, 3, 4, 1, -2, 3, -128]", "0.25", "arm_fully_connected_s8_nearest"),
        ("[1, -2, 3, 4, 1, -2, 3, -4]", "25.0", "arm_fully_connected_s8_nearest"),
        ("[1, -2, 3, 4, 1, -2, 3, -4]", "4e6", "tinsmith_fully_connected_s8_nearest"),
    ],
    ids=["packs", "weight of -128", "scale of 3", "scale of 500 000"],
)
def test_what_does_not_pack_has_a_kernel_unless_its_sums_are_too_large(
    weights: str, scale: str, name: str
) -> None:
    graph = dense(weights, scale, "rounding=nearest")
    m4 = target("cortex-m4")
    (call,) = lower(graph, m4, (*backend().kernels(m4), *reference().kernels(m4))).calls
    assert call.kernel == name


def test_narrow_multipliers_are_no_reason_for_the_reference_kernels() -> None:
    weights = "[1, -2, 3, 4, 1, -2, 3, -4]"
    graph = dense(weights, "0.25", "rounding=nearest, multiplier_bits=8")
    m4 = target("cortex-m4")
    (call,) = lower(graph, m4, backend().kernels(m4)).calls
    assert call.kernel == "tinsmith_fully_connected_packed_s8_nearest"
