"""Add, Sub, Mul, Minimum, Maximum, Relu, Relu6, Quantize, Dequantize and Requantize by hand."""

from collections.abc import Callable

import numpy as np
import pytest
from tinsmith_ir import Add, DType, GraphError, Mul, Quantization, TensorType, parse_graph
from tinsmith_ir.parameters import elementwise_add_parameters, mul_parameters

Run = Callable[..., list[object]]


def test_add_of_equal_scales_is_plain(run: Run) -> None:
    body = """
      input %x: i8[4]<0.5, 0>
      input %y: i8[4]<0.5, 0>
      %z: i8[4]<0.5, 0> = add(%x, %y)
      output %z"""
    assert run(body, [1, -2, 100, -100], [2, 5, 100, -100]) == [3, 3, 127, -128]


def test_add_rescales_and_rounds_half_away_from_zero(run: Run) -> None:
    body = """
      input %x: i8[4]<1.0, 3>
      input %y: i8[4]<0.5, -1>
      %z: i8[4]<2.0, 10> = add(%x, %y)
      output %z"""
    # ((x - 3) + (y + 1) / 2) / 2 + 10
    assert run(body, [4, 5, 2, 3], [-1, 1, -1, -1]) == [11, 12, 9, 10]


def test_sub_is_not_add_of_the_negative_in_its_rounding(run: Run) -> None:
    body = """
      input %x: i8[3]<1.0, 0>
      input %y: i8[3]<1.0, 0>
      %z: i8[3]<2.0, 0> = sub(%x, %y)
      output %z"""
    assert run(body, [0, 1, 5], [1, 0, 2]) == [-1, 1, 2]


def test_mul_scales_the_product(run: Run) -> None:
    body = """
      input %x: i8[3]<0.5, 1>
      input %y: i8[3]<0.5, -1>
      %z: i8[3]<1.0, 2> = mul(%x, %y) {activation=relu6}
      output %z"""
    # (x - 1) * (y + 1) / 4 + 2, clamped to 2..8
    assert run(body, [5, 9, -3], [1, 3, 7]) == [4, 8, 2]


def test_last_dimension_broadcasts(run: Run) -> None:
    body = """
      input %x: f32[1,2,2]
      const %c: f32[2] = [10.0, 20.0]
      %z: f32[1,2,2] = sub(%x, %c)
      output %z"""
    assert run(body, [1, 2, 3, 4]) == [-9, -18, -7, -16]


def test_plain_int32_wraps(run: Run) -> None:
    body = """
      input %x: i32[2]
      const %c: i32[2] = [1, -1]
      %z: i32[2] = add(%x, %c)
      output %z"""
    assert run(body, [2**31 - 1, 0]) == [-(2**31), -1]


def test_int16_add_shifts_by_15_and_int8_by_20() -> None:
    for dtype, shift in ((DType.INT8, 20), (DType.INT16, 15)):
        type_ = TensorType((1,), dtype, Quantization.per_tensor(0.5, 0))
        assert elementwise_add_parameters(Add(), [type_, type_], type_).left_shift == shift


def test_mul_parameters_divide_in_float32() -> None:
    a, b, c = (
        TensorType((1,), DType.INT8, Quantization.per_tensor(float(np.float32(s)), z))
        for s, z in ((0.1, 1), (0.3, 2), (0.7, 3))
    )
    p = mul_parameters(Mul(), [a, b], c)
    real = float(np.float32(0.1) * np.float32(0.3) / np.float32(0.7))
    assert p.output_multiplier == round(real * 2 ** (31 - p.output_shift))
    assert (p.input1_offset, p.input2_offset, p.output_offset) == (-1, -2, 3)


def test_add_refuses_an_output_scale_that_its_shift_cannot_reach() -> None:
    big = TensorType((1,), DType.INT8, Quantization.per_tensor(1.0, 0))
    tiny = TensorType((1,), DType.INT8, Quantization.per_tensor(1e-7, 0))
    with pytest.raises(GraphError, match="output scale"):
        elementwise_add_parameters(Add(), [big, big], tiny)


def test_relu_clamps_at_the_zero_point_and_rescales(run: Run) -> None:
    body = """
      input %x: i8[4]<0.5, 10>
      %y: i8[4]<1.0, -20> = relu(%x)
      output %y"""
    assert run(body, [0, 10, 13, 127]) == [-20, -20, -18, 39]


def test_relu6_stops_at_six(run: Run) -> None:
    body = """
      input %x: i8[3]<0.5, 0>
      %y: i8[3]<0.5, 0> = relu6(%x)
      output %y"""
    assert run(body, [-1, 11, 13]) == [0, 11, 12]
    float_body = "input %x: f32[3] %y: f32[3] = relu6(%x) output %y"
    assert run(float_body, [-1, 5.5, 7]) == [0, 5.5, 6]


def test_quantize_rounds_halves_away_and_saturates(run: Run) -> None:
    body = """
      input %x: f32[8]
      %y: i8[8]<0.5, 1> = quantize(%x)
      output %y"""
    values = [0.25, -0.25, 0.24, 1e30, -1e30, float("nan"), float("inf"), 0.75]
    assert run(body, values) == [2, 0, 1, 127, -128, 1, 127, 3]


def test_quantize_rounds_halves_to_even_where_it_says_so(run: Run) -> None:
    body = """
      input %x: f32[9]
      %y: i8[9]<0.5, 1> = quantize(%x) {halves_to_even=true}
      output %y"""
    values = [0.25, -0.25, 0.75, -0.75, 0.26, 0.74, 1e30, -1e30, float("nan")]
    assert run(body, values) == [1, 1, 3, -1, 2, 2, 127, -128, 1]


def test_dequantize_inverts_quantize_on_every_int8(run: Run) -> None:
    body = """
      input %x: i8[256]<0.1, 5>
      %r: f32[256] = dequantize(%x)
      %y: i8[256]<0.1, 5> = quantize(%r)
      output %y"""
    everything = list(range(-128, 128))
    assert run(body, everything) == everything


def test_requantize_between_widths(run: Run) -> None:
    body = """
      input %x: i16[3]<0.25, 0>
      %y: i8[3]<1.0, -3> = requantize(%x)
      output %y"""
    assert run(body, [6, -6, 32767]) == [-1, -5, 127]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("input %x: i8[1] %y: i8[1] = relu(%x)", "quantization"),
        ("input %x: i8[1]<1.0, 0> %y: i8[1]<[1.0], [0], axis 0> = relu(%x)", "per tensor"),
        ("input %x: i16[1]<1.0, 7> %y: i16[1]<1.0, 0> = relu(%x)", "zero point 0"),
        ("input %x: bool[1] %y: bool[1] = relu(%x)", "dtype f32, i8, i16"),
        ("input %x: f32[1] %y: f32[1] = dequantize(%x)", "dtype i8, i16"),
        ("input %x: i8[1]<1.0, 0> %y: i8[1]<1.0, 0> = quantize(%x)", "dtype f32"),
        (
            "input %x: i8[2]<1.0, 0> input %z: i8[3]<1.0, 0> %y: i8[3]<1.0, 0> = add(%x, %z)",
            "broadc",
        ),
        (
            "input %x: i8[2]<1.0, 0> input %z: i8[2]<2.0, 0> %y: i8[2]<1.0, 0> = minimum(%x, %z)",
            "same quantization of lhs and rhs",
        ),
        (
            "input %x: i8[2]<1.0, 0> input %z: i8[2]<1.0, 0> %y: i8[2]<1.0, 3> = maximum(%x, %z)",
            "same quantization of lhs and result",
        ),
        ("input %x: i8[2]<1.0, 0> input %z: f32[2] %y: f32[2] = add(%x, %z)", "one dtype"),
    ],
)
def test_wrong_types_are_named(text: str, message: str) -> None:
    with pytest.raises(GraphError, match=message):
        parse_graph(f'graph 2 "g" {{ {text} output %y }}')


@pytest.mark.parametrize(("kind", "expected"), [("minimum", [-3, 2, 9]), ("maximum", [2, 7, 9])])
def test_an_extremum_compares_integers_as_they_are(
    run: Run, kind: str, expected: list[int]
) -> None:
    body = f"""
      input %x: i8[3]<0.5, 4>
      input %y: i8[3]<0.5, 4>
      %z: i8[3]<0.5, 4> = {kind}(%x, %y)
      output %z"""
    assert run(body, [-3, 7, 9], [2, 2, 9]) == expected


@pytest.mark.parametrize(("kind", "infinite"), [("minimum", -np.inf), ("maximum", np.inf)])
def test_an_extremum_that_nobody_wins_is_the_right_operand_as_in_tflite(
    run: Run, kind: str, infinite: float
) -> None:
    body = f"""
      input %x: f32[5]
      input %y: f32[5]
      %z: f32[5] = {kind}(%x, %y)
      output %z"""
    found = np.array(run(body, [np.nan, 1, 0.0, -0.0, infinite], [1, np.nan, -0.0, 0.0, 5]))
    np.testing.assert_array_equal(found, [1, np.nan, 0, 0, infinite])
    assert np.signbit(found).tolist()[2:4] == [True, False]


@pytest.mark.parametrize("length", [1, 3, 8, 33])
def test_a_minus_zero_stays_in_arrays_of_any_length(run: Run, length: int) -> None:
    body = f"""
      input %x: f32[{length}]
      %y: f32[{length}] = relu6(%x)
      output %y"""
    assert np.signbit(np.array(run(body, [-0.0] * length))).all()


def test_infinities_saturate_as_in_tflite(run: Run) -> None:
    body = """
      input %x: f32[4]
      %y: f32[4] = add(%x, %x)
      output %y"""
    largest = float(np.finfo(np.float32).max)
    assert run(body, [np.inf, -np.inf, 3e38, 1]) == [largest, -largest, largest, 2]
