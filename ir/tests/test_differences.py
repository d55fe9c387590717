"""SquaredDifference, Div and Gelu: by hand, against real numbers, and what is refused."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from tinsmith_ir import DType, GraphError, Quantization, TensorType, parse_graph
from tinsmith_ir.float_functions import gelu_by_tanh_f32, gelu_f32
from tinsmith_ir.operators import Gelu

Run = Callable[..., list[object]]


def gelu(value: float) -> float:
    return value / 2 * math.erfc(-value * math.sqrt(0.5))


def test_squared_difference_by_hand(run: Run) -> None:
    body = """
      input %x: {0}[3]{1}
      input %y: {0}[1]{1}
      %z: {0}[3]{2} = squared_difference(%x, %y)
      output %z"""
    quantized = body.format("i8", "<0.5, 1>", "<0.25, -128>")
    assert run(quantized, [-9, 3, 127], [5]) == [14 * 14 - 128, 4 - 128, 127]
    assert run(body.format("f32", "", ""), [1.0, 2.5, -4.0], [2.0]) == [1.0, 0.25, 36.0]
    wrapped = (1 << 20) * (1 << 20) % (1 << 32)
    assert run(body.format("i32", "", ""), [1 << 20, 3, -4], [0]) == [wrapped, 9, 16]


def test_div_by_hand(run: Run) -> None:
    body = """
      input %x: f32[4]
      input %y: f32[4]
      %z: f32[4] = div(%x, %y){}
      output %z"""
    largest = float(np.finfo(np.float32).max)
    x, y = [1.0, -6.0, 1.0, 30.0], [4.0, 2.0, 0.0, 3.0]
    assert run(body.format(""), x, y) == [0.25, -3.0, largest, 10.0]
    assert run(body.format(" {activation=relu6}"), x, y) == [0.25, 0.0, 6.0, 6.0]


def test_gelu_of_floats_is_near_the_real_number() -> None:
    x = np.random.default_rng(2).uniform(-12, 13, 20000).astype(np.float32)
    real = np.array([gelu(value) for value in x.tolist()])
    assert (np.abs(gelu_f32(x) - real) <= 1.2e-5 * np.abs(real)).all()
    assert np.abs(gelu_by_tanh_f32(x) - real).max() < 5e-4


def test_ends_of_gelu() -> None:
    ends = np.array([np.nan, np.inf, 0.0, -40.0, 1e30], np.float32)
    expected = np.array([np.nan, np.inf, 0, 0, 1e30], np.float32)
    np.testing.assert_array_equal(gelu_f32(ends), expected)
    np.testing.assert_array_equal(gelu_by_tanh_f32(ends), expected)


@pytest.mark.parametrize("approximate", [False, True])
def test_gelu_of_int8_is_near_the_real_number(approximate: bool) -> None:
    source = TensorType((256,), DType.INT8, Quantization.per_tensor(0.03, -10))
    result = TensorType((256,), DType.INT8, Quantization.per_tensor(0.02, -100))
    real = np.array([gelu(0.03 * (i + 10)) for i in range(-128, 128)])
    table = Gelu(approximate=approximate).table([source], result)
    assert np.abs(table - np.clip(real / 0.02 - 100, -128, 127)).max() < 0.54


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("i16[2]<1.0, 0> = squared_difference(%x, %x)", "dtype f32, i8, i32, got i16"),
        ("i16[2]<1.0, 0> = div(%x, %x)", "dtype f32, i32, i64, got i16"),
        ("i16[2]<1.0, 0> = elu(%x)", "dtype f32, i8, got i16"),
    ],
)
def test_types_that_are_refused(statement: str, message: str) -> None:
    head = "input %x: i16[2]<1.0, 0>"
    with pytest.raises(GraphError, match=message):
        parse_graph(f'graph 2 "g" {{ {head} %y: {statement} output %y }}')
