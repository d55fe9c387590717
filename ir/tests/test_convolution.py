"""Conv2D, DepthwiseConv2D and FullyConnected by hand."""

from collections.abc import Callable

import numpy as np
import pytest
from tinsmith_ir import (
    Conv2D,
    DepthwiseConv2D,
    DType,
    FullyConnected,
    GraphError,
    Quantization,
    TensorType,
    parse_graph,
)
from tinsmith_ir.parameters import conv_parameters, fully_connected_parameters
from tinsmith_ir.testing import GraphBuilder

Run = Callable[..., list[object]]


def test_float_convolution_sums_the_window_and_adds_the_bias(run: Run) -> None:
    body = """
      input %x: f32[1,2,2,1]
      const %w: f32[1,2,2,1] = [1.0, 2.0, 3.0, 4.0]
      const %b: f32[1] = [0.5]
      %y: f32[1,1,1,1] = conv2d(%x, %w, %b)
      output %y"""
    assert run(body, [1, 10, 100, 1000]) == [1 + 20 + 300 + 4000 + 0.5]


def test_weights_are_output_rows_columns_input(run: Run) -> None:
    body = """
      input %x: f32[1,1,1,2]
      const %w: f32[3,1,1,2] = [1.0, 0.0, 0.0, 1.0, 1.0, 1.0]
      %y: f32[1,1,1,3] = conv2d(%x, %w)
      output %y"""
    assert run(body, [5, 7]) == [5, 7, 12]


def test_padding_is_real_zero_not_integer_zero(run: Run) -> None:
    body = """
      input %x: i8[1,1,1,1]<1.0, 10>
      const %w: i8[1,3,3,1]<1.0, 0> = [1, 1, 1, 1, 1, 1, 1, 1, 1]
      %y: i8[1,1,1,1]<1.0, 0> = conv2d(%x, %w) {padding=[1,1,1,1]}
      output %y"""
    assert run(body, [10]) == [0]
    assert run(body, [13]) == [3]


def test_stride_and_dilation_pick_elements(run: Run) -> None:
    body = """
      input %x: f32[1,1,7,1]
      const %w: f32[1,1,2,1] = [1.0, 100.0]
      %y: f32[1,1,3,1] = conv2d(%x, %w) {stride=[1,2], dilation=[1,2]}
      output %y"""
    assert run(body, [0, 1, 2, 3, 4, 5, 6]) == [200, 402, 604]


def test_groups_see_their_own_channels(run: Run) -> None:
    body = """
      input %x: f32[1,1,1,4]
      const %w: f32[2,1,1,2] = [1.0, 10.0, 100.0, 1000.0]
      %y: f32[1,1,1,2] = conv2d(%x, %w)
      output %y"""
    assert run(body, [1, 2, 3, 4]) == [21, 4300]


def test_depthwise_multiplier_repeats_each_channel(run: Run) -> None:
    body = """
      input %x: f32[1,1,1,2]
      const %w: f32[1,1,1,4] = [1.0, 10.0, 100.0, 1000.0]
      %y: f32[1,1,1,4] = depthwise_conv2d(%x, %w)
      output %y"""
    assert run(body, [3, 5]) == [3, 30, 500, 5000]


def test_scale_per_channel_rounds_and_clamps(run: Run) -> None:
    body = """
      input %x: i8[1,1,1,1]<1.0, 0>
      const %w: i8[4,1,1,1]<[0.5, 0.25, 4.0, 1.0], [0, 0, 0, 0], axis 0> = [1, 1, 1, -1]
      const %b: i32[4] = [0, 1, 0, 0]
      %y: i8[1,1,1,4]<1.0, -1> = conv2d(%x, %w, %b) {activation=relu}
      output %y"""
    # 3/2 -> 2, (3+1)/4 = 1, 12, -3 -> 0; each minus 1
    assert run(body, [3]) == [1, 0, 11, -1]
    assert run(body, [127]) == [63, 31, 127, -1]


def test_int16_activations_keep_their_range(run: Run) -> None:
    body = """
      input %x: i16[1,2]<1.0, 0>
      const %w: i8[1,2]<1.0, 0> = [100, 100]
      const %b: i32[1] = [-400]
      %y: i16[1,1]<1000.0, 0> = fully_connected(%x, %w, %b)
      output %y"""
    assert run(body, [30000, 20004]) == [5000]


def test_fully_connected_flattens_or_keeps_dimensions() -> None:
    x, w = TensorType((2, 3, 4), DType.FLOAT32), TensorType((5, 4), DType.FLOAT32)
    assert FullyConnected().infer([x, w, None])[0].shape == (6, 5)
    assert FullyConnected(keep_dims=True).infer([x, w, None])[0].shape == (2, 3, 5)
    with pytest.raises(GraphError, match="rows of 8"):
        FullyConnected(keep_dims=True).infer([x, TensorType((5, 8), DType.FLOAT32), None])


def test_fully_connected_multiplies_scales_in_float32() -> None:
    quantized = [Quantization.per_tensor(float(np.float32(s)), 0) for s in (0.1, 0.3, 0.7)]
    x = TensorType((1, 4), DType.INT8, quantized[0])
    w = TensorType((2, 4), DType.INT8, quantized[1])
    y = TensorType((1, 2), DType.INT8, quantized[2])
    product = float(np.float32(quantized[0].scale) * np.float32(quantized[1].scale))
    one = fully_connected_parameters(FullyConnected(), [x, w, None], y)
    assert one.multiplier == round(product / quantized[2].scale * 2 ** (31 - one.shift))
    exact = conv_parameters(FullyConnected(), [x, w, None], y)
    assert exact.multipliers[0] != one.multiplier


def test_macs_count_each_weight_for_each_output() -> None:
    builder = GraphBuilder()
    x = builder.input("x", TensorType((1, 8, 8, 4), DType.FLOAT32))
    w = builder.constant("w", np.zeros((6, 3, 3, 4), np.float32))
    d = builder.constant("d", np.zeros((1, 3, 3, 6), np.float32))
    y = builder.add(Conv2D(padding=(1, 1, 1, 1)), [x, w])
    y = builder.add(DepthwiseConv2D(stride=(2, 2), padding=(0, 1, 0, 1)), [y, d])
    assert builder.build(y).macs == 8 * 8 * 6 * 3 * 3 * 4 + 4 * 4 * 6 * 3 * 3


def test_float_sums_run_over_rows_columns_channels_in_order(run: Run) -> None:
    # 1e8 - 1e8 + 1 is 1, but 1 + 1e8 - 1e8 is 0 in float32.
    body = """
      input %x: f32[1,1,1,3]
      const %w: f32[1,1,1,3] = [1.0, 1.0, 1.0]
      %y: f32[1,1,1,1] = conv2d(%x, %w)
      output %y"""
    assert run(body, [1e8, -1e8, 1]) == [1]
    assert run(body, [1, 1e8, -1e8]) == [0]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("%y: f32[1,2,2,1] = conv2d(%x, %w) {stride=[0,1]}", "stride"),
        ("%y: f32[1,2,2,1] = conv2d(%x, %w) {padding=[0,0,-1,0]}", "padding"),
        ("%y: f32[1,9,9,1] = conv2d(%x, %w)", r"expected a result f32\[1,2,2,1\]"),
        ("%y: f32[1,2,2,1] = conv2d(%x, %w) {dilation=[5,5]}", "within the padded input"),
        ("%y: f32[1,2,2,1] = conv2d(%x, %w, %w)", "bias of shape"),
        ("%y: f32[1,2,2,1] = conv2d(%x)", "expected operand 'weights'"),
    ],
)
def test_what_does_not_fit_is_named(line: str, message: str) -> None:
    text = 'graph 2 "g" { input %x: f32[1,3,3,1] const %w: f32[1,2,2,1] = [1.0, 1.0, 1.0, 1.0] '
    with pytest.raises(GraphError, match=message):
        parse_graph(text + line + " output %y }")


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ("i8[2,1,1,1]", "weights with a quantization"),
        ("i8[2,1,1,1]<[1.0, 1.0], [3, 3], axis 0>", "zero points 0"),
        ("i8[2,1,1,1]<[1.0], [0], axis 3>", "per axis 0"),
        ("i16[2,1,1,1]<1.0, 0>", "weights of dtype i8"),
    ],
)
def test_weights_that_the_arithmetic_cannot_take_are_refused(weights: str, message: str) -> None:
    text = 'graph 2 "g" { input %x: i8[1,1,1,1]<1.0, 0> const %w: ' + weights + " = [1, 1] "
    with pytest.raises(GraphError, match=message):
        parse_graph(text + "%y: i8[1,1,1,2]<1.0, 0> = conv2d(%x, %w) output %y }")


def test_one_output_may_be_quantized_per_axis(run: Run) -> None:
    body = """
      input %x: i8[1,2]<1.0, 0>
      const %w: i8[1,2]<[0.5], [0], axis 0> = [1, 3]
      %y: i8[1,1]<1.0, 0> = fully_connected(%x, %w)
      output %y"""
    assert run(body, [2, 4]) == [7]


def test_a_padded_input_may_not_ask_for_gigabytes() -> None:
    text = """graph 2 "g" {
      const %x: f32[1,1,1,1] = [1.0]
      const %w: f32[1,1,1,1] = [1.0]
      %y: f32[1,2,2,1] = conv2d(%x, %w) {stride=[32767,32767], padding=[20000,20000,20000,20000]}
      output %y
    }"""
    with pytest.raises(GraphError, match="padded pixels"):
        parse_graph(text)
