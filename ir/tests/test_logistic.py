"""Logistic and Tanh: by hand, against real numbers, and what is refused."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from tinsmith_ir import DType, GraphError, Quantization, TensorType, parse_graph
from tinsmith_ir.curves import Curve, int8_table, int16_table
from tinsmith_ir.float_arithmetic import logistic_f32, tanh_f32
from tinsmith_ir.operators import Logistic, SigmoidCurve, Tanh
from tinsmith_ir.parameters import curve_parameters

Run = Callable[..., list[object]]

UNIT = Quantization.per_tensor(1 / 256, -128)


def logistic(value: float) -> float:
    return 1 / (1 + math.exp(-value))


def i16(scale: float) -> TensorType:
    return TensorType((3,), DType.INT16, Quantization.per_tensor(scale, 0))


def test_int8_by_hand(run: Run) -> None:
    body = """
      input %x: i8[5]<1.0, 2>
      %y: i8[5]<0.00390625, -128> = logistic(%x)
      %z: i8[5]<0.0078125, 0> = tanh(%x)
      output %{}"""
    x = [-128, 1, 2, 3, 127]
    # 256 / (1 + e) = 68.8; 256 - 68.8 = 187.2; the end of the range is 255.
    assert run(body.format("y"), x) == [-128, 69 - 128, 0, 187 - 128, 127]
    # 128 * tanh(1) = 97.5
    assert run(body.format("z"), x) == [-128, -97, 0, 97, 127]


@pytest.mark.parametrize(
    ("curve", "real", "quantization"),
    [
        (Curve.LOGISTIC, logistic, UNIT),
        (Curve.TANH, math.tanh, Quantization.per_tensor(1 / 128, 0)),
        (Curve.TANH, math.tanh, Quantization.per_tensor(0.02, -5)),
    ],
)
@pytest.mark.parametrize("scale", [0.0007, 0.031, 0.5, 1e30])
def test_int8_is_the_nearest_integer(
    curve: Curve, real: Callable[[float], float], quantization: Quantization, scale: float
) -> None:
    table = int8_table(curve, Quantization.per_tensor(scale, -7), quantization)
    exact = np.array([real(max(-99.0, min(99.0, scale * (i + 7)))) for i in range(-128, 128)])
    steps = np.clip(exact / quantization.scale + quantization.zero_point, -128, 127)
    assert np.abs(table - steps).max() <= 0.5001


def test_int8_tanh_has_the_last_bit_of_fdlibm() -> None:
    """128 * tanh(0.9640855) is 95.499992, but fdlibm's float32, by a unit too large, makes it 95.5."""
    source = Quantization.per_tensor(0.08764413744211197, 39)
    table = int8_table(Curve.TANH, source, Quantization.per_tensor(1 / 128, 0))
    assert table[[128 + 28, 128 + 50]].tolist() == [-96, 96]


@pytest.mark.parametrize("scale", [2.0**-12, 0.0001, 0.002, 2.5])
@pytest.mark.parametrize(("operator", "real"), [(Logistic(), logistic), (Tanh(), math.tanh)])
def test_int16_is_near_the_real_number(
    operator: SigmoidCurve, real: Callable[[float], float], scale: float
) -> None:
    x = np.arange(-32768, 32768, 13).astype(np.int16)
    types = [TensorType(x.shape, DType.INT16, Quantization.per_tensor(scale, 0))]
    result = [TensorType(x.shape, DType.INT16, Quantization.per_tensor(1 / 32768, 0))]
    got = operator.evaluate([x], types, result)[0].astype(np.float64) / 32768
    exact = np.array([real(max(-99.0, scale * value)) for value in x.tolist()])
    assert np.abs(got - exact).max() < 1e-4


def test_int16_table_rises_from_a_half_to_the_limit() -> None:
    table = int16_table()
    # 65536 / (1 + exp(-1 / 24)) = 33450.6; at 12 / 24 it is 40793.5, raised by 0.06 * 13.1.
    assert table[[0, 1, 12, 254, 255]].tolist() == [0, 33451 - 32768, 40794 - 32768, 32766, 32767]
    assert (np.diff(table) >= 0).all()


@pytest.mark.parametrize(
    ("operator", "scale", "expected"),
    [
        (Logistic(), 2.0**-12, (3, 0)),
        (Logistic(), 2.0**-12 * 1.0006, (3, 0)),
        (Tanh(), 2.0**-11 * 1.0006, (6, 0)),
        # 12288 * 2**-11 * 1.0006 = 6.0036 = 24590.7 / 2**12
        (Logistic(), 2.0**-11 * 1.0006, (24590, 12)),
        (Tanh(), 2.5, (30720, 0)),
    ],
)
def test_int16_parameters_by_hand(
    operator: SigmoidCurve, scale: float, expected: tuple[int, int]
) -> None:
    p = curve_parameters(operator, [i16(scale)], i16(1 / 32768))
    assert (p.multiplier, p.right_shift) == expected


def test_floats_are_near_the_real_numbers_as_far_as_float32_goes() -> None:
    x = np.linspace(-104, 104, 20001).astype(np.float32)
    # Below -9 TFLite takes exp(x) for it.
    exact = np.array([math.exp(v) if v < -9 else logistic(v) for v in x.tolist()])
    smallest = 2.0**-149
    assert (np.abs(logistic_f32(x) - exact) <= 3e-7 * exact + smallest).all()
    tanh = np.tanh(x.astype(np.float64))
    assert (np.abs(tanh_f32(x) - tanh) <= 1.5e-7 * np.abs(tanh)).all()


def test_special_floats() -> None:
    x = np.array([np.nan, np.inf, -np.inf, -0.0, 1e-45], np.float32)
    np.testing.assert_array_equal(logistic_f32(x), np.array([np.nan, 1, 0, 0.5, 0.5], np.float32))
    tanh = tanh_f32(x)
    np.testing.assert_array_equal(tanh, np.array([np.nan, 1, -1, 0, 1e-45], np.float32))
    assert np.signbit(tanh[3])


@pytest.mark.parametrize(
    ("input_", "result", "message"),
    [
        ("i16[2]<0.001, 0>", "i16[2]<0.001, 0>", "result of scale 1/32768, got 0.001"),
        ("i16[2]<3.0, 0>", "i16[2]<3.0517578125e-05, 0>", "i16 scale in .*, got 3.0"),
        ("i16[2]<1e-20, 0>", "i16[2]<3.0517578125e-05, 0>", "i16 scale in .*, got 1e-20"),
        ("i8[2]<0.5, 0>", "i8[2]<1e-40, 0>", "inverse is finite, got 1e-40"),
        ("i32[2]", "i32[2]", "dtype f32, i8, i16, got i32"),
    ],
)
@pytest.mark.parametrize("mnemonic", ["logistic", "tanh"])
def test_types_that_are_refused(mnemonic: str, input_: str, result: str, message: str) -> None:
    with pytest.raises(GraphError, match=message):
        parse_graph(f'graph 2 "g" {{ input %x: {input_} %y: {result} = {mnemonic}(%x) output %y }}')
