"""AveragePool2D, MaxPool2D, Mean and Softmax by hand."""

from collections.abc import Callable

import numpy as np
import pytest
from tinsmith_ir import DType, GraphError, Mean, Quantization, Softmax, TensorType, parse_graph
from tinsmith_ir.parameters import mean_parameters, softmax_parameters

Run = Callable[..., list[object]]


@pytest.mark.parametrize(
    ("values", "expected"), [([1, 2], 2), ([-1, -2], -2), ([0, -1], -1), ([0, 1], 1), ([3, 4], 4)]
)
def test_average_rounds_halves_away_from_integer_zero(
    run: Run, values: list[int], expected: int
) -> None:
    body = """
      input %x: i8[1,1,2,1]<1.0, 100>
      %y: i8[1,1,1,1]<1.0, 100> = average_pool2d(%x) {window=[1,2]}
      output %y"""
    assert run(body, values) == [expected]


@pytest.mark.parametrize(
    ("dtype", "zero_point", "expected"),
    [
        ("i8", 0, [0, 2, 2, 0, -2, -2]),
        ("i8", 3, [1, 1, 3, -1, -1, -3]),
        ("i16", 0, [0, 2, 2, 0, -2, -2]),
    ],
)
def test_halves_less_the_zero_point_go_to_even_if_asked(
    dtype: str, zero_point: int, expected: list[int], run: Run
) -> None:
    body = f"""
      input %x: {dtype}[1,1,12,1]<1.0, {zero_point}>
      %y: {dtype}[1,1,6,1]<1.0, {zero_point}> =
        average_pool2d(%x) {{window=[1,2], stride=[1,2], halves_to_even=true}}
      output %y"""
    assert run(body, [0, 1, 1, 2, 2, 3, 0, -1, -1, -2, -2, -3]) == expected


@pytest.mark.parametrize(
    ("type_", "attributes", "message"),
    [
        ("f32[1,1,2,1]", "", "expected halves_to_even of i8 or i16, got f32"),
        (
            "i8[1,1,2,1]<1.0, 0>",
            ", halves_up=true",
            "expected halves_up or halves_to_even, got both",
        ),
    ],
)
def test_halves_go_one_way_and_floats_have_none(type_: str, attributes: str, message: str) -> None:
    result = type_.replace("2,1]", "1,1]")
    pool = "average_pool2d(%x) {window=[1,2], halves_to_even=true" + attributes + "}"
    with pytest.raises(GraphError, match=message):
        parse_graph(f'graph 2 "g" {{ input %x: {type_} %y: {result} = {pool} output %y }}')


def test_average_leaves_padding_out_of_the_count(run: Run) -> None:
    body = """
      input %x: f32[1,2,2,1]
      %y: f32[1,3,3,1] = average_pool2d(%x) {window=[2,2], padding=[1,1,1,1]}
      output %y"""
    assert run(body, [1, 2, 3, 4]) == [1, 1.5, 2, 2, 2.5, 3, 3, 3.5, 4]


def test_maximum_never_takes_padding(run: Run) -> None:
    body = """
      input %x: i8[1,1,2,1]<1.0, 0>
      %y: i8[1,1,3,1]<1.0, 0> = max_pool2d(%x) {window=[1,2], padding=[0,0,1,1]}
      output %y"""
    assert run(body, [-128, -100]) == [-128, -100, -100]


def test_pools_clamp_and_stride(run: Run) -> None:
    body = """
      input %x: f32[1,1,4,1]
      %y: f32[1,1,2,1] = max_pool2d(%x) {window=[1,2], stride=[1,2], activation=relu6}
      output %y"""
    assert run(body, [-3, -4, 7, 1]) == [0, 6]


def test_pool_refuses_another_quantization_and_padding_as_wide_as_the_window() -> None:
    head = 'graph 2 "g" { input %x: i8[1,2,2,1]<1.0, 0> '
    with pytest.raises(GraphError, match="same quantization"):
        parse_graph(head + "%y: i8[1,2,2,1]<2.0, 0> = max_pool2d(%x) output %y }")
    with pytest.raises(GraphError, match="padding below the window"):
        parse_graph(
            head + "%y: i8[1,4,2,1]<1.0, 0> = max_pool2d(%x) {padding=[1,1,0,0]} output %y }"
        )


def test_mean_drops_or_keeps_the_axes(run: Run) -> None:
    text = "input %x: f32[1,2,2,2] %y: f32[{shape}] = mean(%x) {{axes=[1,2]{keep}}} output %y"
    values = [1, 10, 2, 20, 3, 30, 4, 40]
    assert run(text.format(shape="1,2", keep=""), values) == [2.5, 25]
    assert run(text.format(shape="1,1,1,2", keep=", keep_dims=true"), values) == [2.5, 25]


def test_integer_mean_subtracts_the_zero_point_before_rounding(run: Run) -> None:
    body = """
      input %x: i8[2,2]<1.0, 100>
      %y: i8[2]<1.0, 0> = mean(%x) {axes=[1]}
      output %y"""
    # (101 + 102) / 2 - 100 = 1.5 -> 2; (99 + 98) / 2 - 100 = -1.5 -> -1 half up, then exact
    assert run(body, [101, 102, 99, 98]) == [2, -1]


def test_mean_multiplier_holds_the_count() -> None:
    type_ = TensorType((1, 3, 5, 2), DType.INT8, Quantization.per_tensor(0.5, 0))
    out = TensorType((1, 2), DType.INT8, Quantization.per_tensor(0.25, 0))
    p = mean_parameters(Mean(axes=(1, 2)), [type_], out)
    assert p.count == 15
    assert abs(p.multiplier * 2.0 ** (p.shift - 31) - 2 / 15) < 1e-9


@pytest.mark.parametrize("axes", ["[]", "[2,1]", "[1,1]", "[4]", "[-1]"])
def test_mean_refuses_axes_out_of_order_or_range(axes: str) -> None:
    text = (
        f'graph 2 "g" {{ input %x: f32[1,2,2,2] %y: f32[1] = mean(%x) {{axes={axes}}} output %y }}'
    )
    with pytest.raises(GraphError, match="axes"):
        parse_graph(text)


def test_integer_softmax_of_equal_values_is_uniform(run: Run) -> None:
    body = """
      input %x: i8[1,4]<0.1, 0>
      %y: i8[1,4]<0.00390625, -128> = softmax(%x)
      output %y"""
    assert run(body, [7, 7, 7, 7]) == [-64, -64, -64, -64]


def test_wide_softmax_of_equal_values_is_uniform(run: Run) -> None:
    body = """
      input %x: i8[1,4]<0.1, 0>
      %y: i16[1,4]<0.0000152587890625, -32768> = softmax(%x) {wide=true}
      output %y"""
    assert run(body, [7, 7, 7, 7]) == [-16384] * 4


def test_integer_softmax_is_near_the_real_one_on_every_difference(run: Run) -> None:
    body = """
      input %x: i8[256,2]<0.05, 0>
      %y: i8[256,2]<0.00390625, -128> = softmax(%x)
      output %y"""
    pairs = np.stack([np.full(256, 127), np.arange(-128, 128)], axis=1)
    got = (np.array(run(body, pairs), np.float64).reshape(256, 2) + 128) / 256
    real = np.exp(pairs * 0.05)
    assert np.abs(got - real / real.sum(axis=1, keepdims=True)).max() <= 1 / 256


def test_softmax_drops_differences_that_are_too_large(run: Run) -> None:
    body = """
      input %x: i8[1,2]<8.0, 0>
      %y: i8[1,2]<0.00390625, -128> = softmax(%x)
      output %y"""
    assert run(body, [127, -128]) == [127, -128]


def test_softmax_parameters_by_hand() -> None:
    x = TensorType((1, 2), DType.INT8, Quantization.per_tensor(0.25, 0))
    p = softmax_parameters(Softmax(beta=2.0), [x], x)
    # 2 * 0.25 * 2**26 = 2**25 = 2**30 * 2**(26 - 31); 31 * 2**26 / 2**26
    assert (p.input_multiplier, p.input_left_shift, p.diff_min) == (1 << 30, 26, -31)


def test_int16_softmax_of_equal_values_is_uniform(run: Run) -> None:
    body = """
      input %x: i16[1,2]<0.001, 0>
      %y: i16[1,2]<0.000030517578125, 0> = softmax(%x)
      output %y"""
    assert np.abs(np.array(run(body, [5, 5])) - 16384).max() <= 4


def test_int16_softmax_refuses_scales_that_leave_int32() -> None:
    with pytest.raises(GraphError, match="below 5"):
        parse_graph(
            'graph 2 "g" { input %x: i16[1,2]<6.0, 0> %y: i16[1,2]<0.000030517578125, 0> = softmax(%x) output %y }'
        )


def test_float_softmax_sums_to_one(run: Run) -> None:
    body = "input %x: f32[2,3] %y: f32[2,3] = softmax(%x) {beta=0.5} output %y"
    got = np.array(run(body, [1, 2, 3, -200, 0, 200])).reshape(2, 3)
    real = np.exp(0.5 * np.array([[1, 2, 3], [-200, 0, 200]]) - [[1.5], [100]])
    assert np.abs(got - real / real.sum(axis=1, keepdims=True)).max() < 1e-6


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("%y: i8[1,2]<0.5, 0> = softmax(%x)", "1/256"),
        ("%y: i8[1,2]<0.00390625, -128> = softmax(%x) {beta=-1.0}", "beta above 0"),
        (
            "%y: i16[1,2]<0.0000152587890625, 0> = softmax(%x) {wide=true}",
            "1/65536 and zero point -32768",
        ),
    ],
)
def test_softmax_refuses_other_results(line: str, message: str) -> None:
    with pytest.raises(GraphError, match=message):
        parse_graph(f'graph 2 "g" {{ input %x: i8[1,2]<0.5, 0> {line} output %y }}')


@pytest.mark.parametrize("zeros", [(0.0, -0.0), (-0.0, 0.0)])
@pytest.mark.parametrize("channels", [1, 3, 8, 33])
def test_maximum_of_two_zeros_is_the_first(
    run: Run, zeros: tuple[float, float], channels: int
) -> None:
    body = f"""
      input %x: f32[1,1,2,{channels}]
      %y: f32[1,1,1,{channels}] = max_pool2d(%x) {{window=[1,2]}}
      output %y"""
    result = run(body, np.repeat(np.array(zeros, np.float32), channels))
    assert (np.signbit(np.array(result)) == np.signbit(zeros[0])).all()
