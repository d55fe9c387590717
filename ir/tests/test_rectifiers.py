"""LeakyRelu, Prelu, HardSwish, ReluN1To1 and Relu0To1: by hand, and what is refused."""

from collections.abc import Callable

import numpy as np
import pytest
from tinsmith_ir import DType, GraphError, Quantization, TensorType, parse_graph
from tinsmith_ir.operators import HardSwish, LeakyRelu
from tinsmith_ir.rectifier_parameters import hard_swish_parameters, leaky_relu_parameters

Run = Callable[..., list[object]]


def i8(scale: float, zero_point: int = 0) -> TensorType:
    return TensorType((256,), DType.INT8, Quantization.per_tensor(scale, zero_point))


def test_leaky_relu_by_hand(run: Run) -> None:
    body = """
      input %x: i8[5]<0.5, 2>
      %y: i8[5]<0.25, -1> = leaky_relu(%x) {alpha=0.25}
      output %y"""
    # 0.25 * 0.5 / 0.25 = 0.5, halves up: -130 makes -65 and -1 makes 0, less the zero point; above zero 2.
    assert run(body, [-128, 1, 2, 3, 127]) == [-66, -1, -1, 1, 127]


def test_leaky_relu_of_a_negative_alpha_goes_up_on_both_sides(run: Run) -> None:
    body = """
      input %x: i16[4]<1.0, 0>
      %y: i16[4]<1.0, 0> = leaky_relu(%x) {alpha=-2.0}
      output %y"""
    assert run(body, [-32768, -7, 0, 9]) == [32767, 14, 0, 9]


def test_leaky_relu_parameters_by_hand() -> None:
    p = leaky_relu_parameters(-0.75, [i8(0.5, 3)], i8(1.0, -4))
    assert (p.input_offset, p.output_offset) == (-3, -4)
    assert (p.multiplier, p.shift) == (1 << 30, 0)
    # 0.375 = 0.75 / 2
    assert (p.negative_multiplier, p.negative_shift) == (-3 << 29, -1)


def test_prelu_has_an_alpha_for_each_channel(run: Run) -> None:
    body = """
      input %x: i8[2,3]<1.0, 0>
      const %a: i8[3]<0.5, 1> = [1, 3, -1]
      %y: i8[2,3]<1.0, 0> = prelu(%x, %a)
      output %y"""
    # alphas 0, 1 and -1
    assert run(body, [[-5, -5, -5], [5, 5, 5]]) == [0, -5, 5, 5, 5, 5]


def test_hard_swish_of_int8_is_near_the_real_number() -> None:
    table = HardSwish().table([i8(0.04, -3)], i8(0.03, -100))
    x = 0.04 * (np.arange(-128, 128) + 3)
    steps = x * np.clip(x + 3, 0, 6) / 6 / 0.03 - 100
    assert np.abs(table - np.clip(steps, -128, 127)).max() < 1.1


def test_floats_by_hand(run: Run) -> None:
    body = """
      input %x: f32[5]
      const %a: f32[1] = [0.5]
      %y: f32[5] = {}
      output %y"""
    x = [-4.0, -1.5, 0.0, 0.75, 6.0]
    expected = {
        "leaky_relu(%x) {alpha=0.25}": [-1.0, -0.375, 0.0, 0.75, 6.0],
        "prelu(%x, %a)": [-2.0, -0.75, 0.0, 0.75, 6.0],
        "hard_swish(%x)": [0.0, -0.375, 0.0, 0.46875, 6.0],
        "relu_n1_to_1(%x)": [-1.0, -1.0, 0.0, 0.75, 1.0],
        "relu_0_to_1(%x)": [0.0, 0.0, 0.0, 0.75, 1.0],
    }
    assert {call: run(body.format(call), x) for call in expected} == expected


@pytest.mark.parametrize("mnemonic", ["relu_n1_to_1", "relu_0_to_1"])
def test_clamps_to_one_of_integers(run: Run, mnemonic: str) -> None:
    body = f"""
      input %x: i8[4]<0.1, 0>
      %y: i8[4]<0.05, 10> = {mnemonic}(%x)
      output %y"""
    lowest = -10 if mnemonic == "relu_n1_to_1" else 10
    assert run(body, [-100, 0, 3, 100]) == [lowest, 10, 16, 30]


@pytest.mark.parametrize(
    ("source", "result", "message"),
    [(1.0, 0.004, "ratio of input and result scale"), (1000.0, 1000.0, "input scale in")],
)
def test_hard_swish_refuses_what_tflite_has_no_bits_for(
    source: float, result: float, message: str
) -> None:
    with pytest.raises(GraphError, match=message):
        hard_swish_parameters([i8(source)], i8(result))


def test_leaky_relu_refuses_an_alpha_beyond_float32() -> None:
    with pytest.raises(GraphError, match="finite in float32, got 1e\\+39"):
        LeakyRelu(alpha=1e39).verify([i8(1.0)], [i8(1.0)])


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("%y: i16[2,3]<1.0, 0> = hard_swish(%x)", "dtype f32, i8, got i16"),
        ("%y: i16[2,3]<1.0, 0> = prelu(%x, %x)", "dtype f32, i8, got i16"),
        ("%y: i16[2,3]<1.0, 0> = prelu(%x, %b)", "one dtype, got i16 and f32"),
        ("%y: f32[4,2,3] = prelu(%b, %c)", "broadcasts to the input .*2, 3.*, got .*4, 1, 1"),
    ],
)
def test_types_that_are_refused(statement: str, message: str) -> None:
    head = "input %x: i16[2,3]<1.0, 0> input %b: f32[2,3] input %c: f32[4,1,1]"
    with pytest.raises(GraphError, match=message):
        parse_graph(f'graph 2 "g" {{ {head} {statement} output %y output %b output %c }}')
