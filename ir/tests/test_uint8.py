"""uint8, where networks begin and end: by hand, and what is refused."""

from collections.abc import Callable

import numpy as np
import pytest
from tinsmith_ir import DType, GraphError, TensorType, parse_graph, print_graph
from tinsmith_ir.operators import Conv2D, FullyConnected, Requantize
from tinsmith_ir.parameters import conv_parameters, fully_connected_parameters
from tinsmith_ir.tables import is_identity, value_table
from tinsmith_ir.types import Quantization

Run = Callable[..., list[object]]

U8 = TensorType((1,), DType.UINT8, Quantization.per_tensor(0.5, 140))


def test_integers_of_uint8_begin_at_zero() -> None:
    assert DType.UINT8.is_integer
    assert DType.UINT8.integer_range == (0, 255)
    assert DType.UINT8.size_bytes == 1


def test_float_to_uint8_and_back(run: Run) -> None:
    quantized = """
      input %x: f32[6]
      %y: u8[6]<0.5, 10> = quantize(%x)  {dtype=u8}
      output %y"""
    assert run(quantized, [-9.0, -5.0, -0.25, 0.25, 122.5, 999.0]) == [0, 0, 9, 11, 255, 255]
    back = """
      input %x: u8[3]<0.5, 10>
      %y: f32[3] = dequantize(%x)
      output %y"""
    assert run(back, [0, 10, 255]) == [-5.0, 0.0, 122.5]


def test_uint8_to_its_twin_of_int8_turns_the_highest_bit(run: Run) -> None:
    body = """
      input %x: u8[4]<0.5, 140>
      %y: i8[4]<0.5, 12> = requantize(%x)
      %z: u8[4]<0.5, 140> = requantize(%y) {{dtype=u8}}
      output %{}"""
    x = [0, 127, 128, 255]
    assert run(body.format("y"), x) == [-128, -1, 0, 127]
    assert run(body.format("z"), x) == x


def test_requantize_clamps_to_the_range_of_uint8(run: Run) -> None:
    body = """
      input %x: i16[4]<0.5, 0>
      %y: u8[4]<1.0, 100> = requantize(%x) {dtype=u8, activation=relu6}
      output %y"""
    assert run(body, [-400, -3, 9, 400]) == [100, 100, 105, 106]


def test_only_its_own_quantization_leaves_uint8_as_it_is() -> None:
    twin = TensorType((1,), DType.INT8, Quantization.per_tensor(0.5, 12))
    same = value_table([Requantize(DType.INT8), Requantize(DType.UINT8)], [U8, twin, U8])
    other = TensorType((1,), DType.UINT8, Quantization.per_tensor(0.5, 141))
    moved = value_table([Requantize(DType.UINT8)], [U8, other])
    assert is_identity(same)
    assert moved is not None
    assert not is_identity(moved)
    np.testing.assert_array_equal(moved[:3], [1, 2, 3])


def test_constants_of_uint8_are_printed_and_read() -> None:
    text = """
    graph 2 "g" {
      const %c: u8[3] = [0, 128, 255]
      input %x: u8[3]
      output %c
      output %x
    }"""
    graph = parse_graph(text)
    assert graph.constant_data["c"].tolist() == [0, 128, 255]
    assert print_graph(parse_graph(print_graph(graph))) == print_graph(graph)


@pytest.mark.parametrize(
    "call",
    ["add(%x, %x)", "relu(%x)", "max_pool2d(%x)", "mean(%x) {axes=[1]}", "softmax(%x)"],
)
def test_nothing_is_computed_with_uint8(call: str) -> None:
    shape = "1,1,2,1"
    text = f"""
      graph 2 "g" {{
        input %x: u8[{shape}]<0.5, 3>
        %y: u8[{"1,2,1" if "mean" in call else shape}]<0.5, 3> = {call}
        output %y
      }}"""
    with pytest.raises(GraphError, match=r"expected .* of dtype"):
        parse_graph(text)


def test_weights_may_have_a_zero_point_beside_int8(run: Run) -> None:
    body = """
      const %w: i8[1,2]<0.5, -3> = [-2, 4]
      input %x: i8[1,2]<1.0, 10>
      %y: i8[1,1]<0.5, 0> = fully_connected(%x, %w, none)
      output %y"""
    # (12 - 10) * (-2 + 3) + (9 - 10) * (4 + 3) = -5
    assert run(body, [[12, 9]]) == [-5]


def test_no_others_have_one() -> None:
    text = """
      graph 2 "g" {
        const %w: i8[1,2]<0.5, -3> = [-2, 4]
        input %x: i16[1,2]<1.0, 0>
        %y: i16[1,1]<0.5, 0> = fully_connected(%x, %w, none)
        output %y
      }"""
    with pytest.raises(GraphError, match="expected weights with zero points 0"):
        parse_graph(text)


def test_halves_are_rounded_up_below_zero_too(run: Run) -> None:
    body = """
      input %x: i8[1,1,4,1]<1.0, 0>
      %y: i8[1,1,2,1]<1.0, 0> = average_pool2d(%x) {{window=[1,2], stride=[1,2]{}}}
      output %y"""
    x = [[[[1], [2], [-1], [-2]]]]
    assert run(body.format(""), x) == [2, -2]
    assert run(body.format(", halves_up=true"), x) == [2, -1]


def test_float_halves_are_not_rounded() -> None:
    text = """
      graph 2 "g" {
        input %x: f32[1,1,2,1]
        %y: f32[1,1,1,1] = average_pool2d(%x) {window=[1,2], halves_up=true}
        output %y
      }"""
    with pytest.raises(GraphError, match="expected halves_up of i8 alone, got f32"):
        parse_graph(text)


def test_the_product_of_scales_in_float32_gives_other_multipliers() -> None:
    x = TensorType((1, 1, 1, 1), DType.INT8, Quantization.per_tensor(0.1, 0))
    w = TensorType((1, 1, 1, 1), DType.INT8, Quantization.per_tensor(0.3, 7))
    y = TensorType((1, 1, 1, 1), DType.INT8, Quantization.per_tensor(0.7, 0))
    exact = conv_parameters(Conv2D(), [x, w, None], y)
    single = conv_parameters(Conv2D(float32_scale=True), [x, w, None], y)
    dense = fully_connected_parameters(FullyConnected(), [x, w, None], y)
    assert single.multipliers[0] == dense.multiplier != exact.multipliers[0]


def test_scales_per_channel_are_never_multiplied_in_float32() -> None:
    text = """
      graph 2 "g" {
        const %w: i8[1,1,1,1]<[0.5], [0], axis 0> = [1]
        input %x: i8[1,1,1,1]<1.0, 0>
        %y: i8[1,1,1,1]<1.0, 0> = conv2d(%x, %w, none) {float32_scale=true}
        output %y
      }"""
    with pytest.raises(GraphError, match="expected float32_scale of weights with one scale alone"):
        parse_graph(text)


def test_float_rescale_by_hand(run: Run) -> None:
    body = """
      input %x: i8[5]<1.0, -118>
      %y: i8[5]<0.5, -128> = float_rescale(%x)
      %z: i8[5]<2.0, 0> = float_rescale(%x)
      output %{}"""
    x = [-128, -118, -117, -116, 127]
    # Real numbers -10, 0, 1, 2, 245; halves away from zero.
    assert run(body.format("y"), x) == [-128, -128, -126, -124, 127]
    assert run(body.format("z"), x) == [-5, 0, 1, 1, 123]


def test_float_rescale_needs_a_ratio_that_float32_has() -> None:
    text = """
      graph 2 "g" {
        input %x: i8[1]<1e30, 0>
        %y: i8[1]<1e-30, 0> = float_rescale(%x)
        output %y
      }"""
    with pytest.raises(GraphError, match="expected scales whose ratio is finite in float32"):
        parse_graph(text)
