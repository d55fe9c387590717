"""LogSoftmax, L2Normalization and bilinear resizing of what stands for uint8, by hand."""

from collections.abc import Callable

import pytest
from tinsmith_ir import GraphError, parse_graph

Run = Callable[..., list[object]]


def test_log_softmax_of_equal_elements_is_minus_the_logarithm_of_their_number(run: Run) -> None:
    # log(4) = 1.386, in units of 1/16 from 127 down: 22.2
    body = "input %x: i8[1,4]<0.1, 3> %y: i8[1,4]<0.0625, 127> = log_softmax(%x) output %y"
    assert run(body, [5, 5, 5, 5]) == [105, 105, 105, 105]


def test_log_softmax_ends_at_the_smallest_int8(run: Run) -> None:
    body = "input %x: i8[1,2]<1.0, 0> %y: i8[1,2]<0.0625, 127> = log_softmax(%x) output %y"
    assert run(body, [100, 0]) == [127, -128]


def test_log_softmax_of_one_float_is_0(run: Run) -> None:
    body = "input %x: f32[2,1] %y: f32[2,1] = log_softmax(%x) output %y"
    assert run(body, [3.5, -1e30]) == [0.0, 0.0]


def test_l2_normalization_divides_by_the_norm(run: Run) -> None:
    # 3, 4 from the zero point: 0.6 and 0.8 in units of 1/128
    body = "input %x: i8[1,2]<0.5, 1> %y: i8[1,2]<0.0078125, 0> = l2_normalization(%x) output %y"
    assert run(body, [4, 5]) == [77, 102]
    floats = "input %x: f32[1,2] %y: f32[1,2] = l2_normalization(%x) output %y"
    assert run(floats, [3.0, 4.0]) == pytest.approx([0.6, 0.8])


def test_l2_normalization_of_nothing_is_nothing(run: Run) -> None:
    body = "input %x: i8[1,2]<0.5, 1> %y: i8[1,2]<0.0078125, 0> = l2_normalization(%x) output %y"
    assert run(body, [1, 1]) == [0, 0]
    floats = "input %x: f32[1,2] %y: f32[1,2] = l2_normalization(%x) output %y"
    assert run(floats, [0.0, 5e-7]) == pytest.approx([0.0, 0.5])


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("input %x: i8[1,2]<0.5, 1> %y: i8[1,2]<0.0625, 0> = log_softmax(%x)", "zero point 127"),
        ("input %x: i8[1,2]<0.5, 1> %y: i8[1,2]<0.01, 0> = l2_normalization(%x)", "1/128"),
        (
            "input %x: i8[1,4096]<0.5, 1> %y: i8[1,4096]<0.0625, 127> = log_softmax(%x)",
            "at most 4095",
        ),
        ("input %x: i16[1,2]<0.5, 0> %y: i16[1,2]<0.0625, 0> = log_softmax(%x)", "dtype f32, i8"),
        ("input %x: f32[] %y: f32[] = l2_normalization(%x)", "rank 1"),
    ],
)
def test_what_has_no_meaning_is_refused(body: str, message: str) -> None:
    with pytest.raises(GraphError, match=message):
        parse_graph(f'graph 2 "g" {{ {body} output %y }}')


def test_the_bytes_of_uint8_are_rounded_half_up(run: Run) -> None:
    # -128 and -127 are the bytes 0 and 1: 0.5 becomes 1; as integers -127.5 goes away from zero
    head = "input %x: i8[1,1,2,1]<0.5, 0> %y: i8[1,1,4,1]<0.5, 0> = resize_bilinear(%x) "
    assert run(head + "{size=[1,4]} output %y", [-128, -127]) == [-128, -128, -127, -127]
    assert run(head + "{size=[1,4], in_float32=true} output %y", [-128, -127]) == [
        -128,
        -127,
        -127,
        -127,
    ]
