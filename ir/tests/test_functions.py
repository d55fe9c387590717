"""Functions of one number: by hand, against real numbers, and what is refused."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from tinsmith_ir import DType, GraphError, Quantization, TensorType, parse_graph
from tinsmith_ir.float_functions import elu_f32, erf_f32, full_exp_f32, log_f32, round_f32, sqrt_f32
from tinsmith_ir.inverse_root import inverse_root
from tinsmith_ir.operators import Abs, Elu, Exp, Rsqrt

Run = Callable[..., list[object]]
Floats = NDArray[np.float32]


def typed(dtype: DType, scale: float, zero_point: int = 0) -> TensorType:
    return TensorType((256,), dtype, Quantization.per_tensor(scale, zero_point))


def test_floats_by_hand(run: Run) -> None:
    body = """
      input %x: f32[6]
      %y: f32[6] = {}(%x)
      output %y"""
    x = [-2.5, -0.25, 0.0, 0.5, 1.0, 2.25]
    expected = {
        "abs": [2.5, 0.25, 0.0, 0.5, 1.0, 2.25],
        "neg": [2.5, 0.25, 0.0, -0.5, -1.0, -2.25],
        "sign": [-1.0, -1.0, 0.0, 1.0, 1.0, 1.0],
        "square": [6.25, 0.0625, 0.0, 0.25, 1.0, 5.0625],
        "floor": [-3.0, -1.0, 0.0, 0.0, 1.0, 2.0],
        "ceil": [-2.0, 0.0, 0.0, 1.0, 1.0, 3.0],
        "round": [-2.0, 0.0, 0.0, 0.0, 1.0, 2.0],
    }
    assert {name: run(body.format(name), x) for name in expected} == expected
    assert run(body.format("sqrt"), [0.0, 0.25, 1.0, 2.25, 4.0, 9.0]) == [0, 0.5, 1, 1.5, 2, 3]
    assert run(body.format("rsqrt"), [0.0625, 0.25, 1, 4, 16, 64]) == [4, 2, 1, 0.5, 0.25, 0.125]
    assert run(body.format("log"), [1.0] * 6) == run(body.format("log"), [1.0] * 6) == [0.0] * 6
    assert run(body.format("exp"), [0.0] * 6) == [1.0] * 6
    assert run(body.format("erf"), [0.0, -0.0, 4.0, -4.0, 9.0, -9.0]) == [0, 0, 1, -1, 1, -1]


@pytest.mark.parametrize(
    ("function", "exact", "low", "high"),
    [
        (full_exp_f32, np.exp, -87.0, 88.7),
        (log_f32, np.log, 1e-44, 50.0),
        (log_f32, np.log, 0.9, 1.1),
        (sqrt_f32, np.sqrt, 1e-44, 1e38),
        (elu_f32, np.expm1, -40.0, -1e-30),
    ],
)
def test_floats_are_near_the_real_numbers(
    function: Callable[[Floats], Floats],
    exact: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    low: float,
    high: float,
) -> None:
    x = np.random.default_rng(1).uniform(low, high, 50000).astype(np.float32)
    real = exact(x.astype(np.float64))
    assert (np.abs(function(x) - real) <= 2.5e-7 * np.abs(real)).all()


def test_ends_of_float() -> None:
    ends = np.array([np.nan, np.inf, -np.inf, 0.0, -1e30, 1e30], np.float32)
    infinity, nan = np.inf, np.nan
    expected = {
        full_exp_f32: [nan, infinity, 0, 1, 0, infinity],
        log_f32: [nan, infinity, nan, -infinity, nan, math.log(1e30)],
        sqrt_f32: [nan, infinity, nan, 0, nan, 1e15],
        elu_f32: [nan, infinity, -1, 0, -1, 1e30],
        erf_f32: [nan, 1, -1, 0, -1, 1],
        round_f32: [nan, infinity, -infinity, 0, -1e30, 1e30],
    }
    for function, results in expected.items():
        np.testing.assert_allclose(function(ends), np.array(results, np.float32), rtol=1e-6)


def test_erf_is_near_the_real_number_and_odd() -> None:
    random = np.random.default_rng(2)
    x = np.concatenate([random.uniform(0, high, 20000) for high in (1e-30, 1.0, 1.1, 5.0)])
    x = np.concatenate([x.astype(np.float32), np.array([1e-45, 1e-39, 1.0, 1e30], np.float32)])
    real = np.array([math.erf(value) for value in x.tolist()])
    units = np.spacing(real.astype(np.float32)).astype(np.float64)
    assert (np.abs(erf_f32(x) - real) <= 2 * units).all()
    np.testing.assert_array_equal(erf_f32(-x), -erf_f32(x))


def test_subnormal_numbers_have_a_logarithm_and_a_root() -> None:
    x = np.array([1e-45, 1e-40], np.float32)
    np.testing.assert_allclose(log_f32(x), np.log(x.astype(np.float64)), rtol=1e-7)
    np.testing.assert_array_equal(sqrt_f32(x), np.sqrt(x.astype(np.float64)).astype(np.float32))


@pytest.mark.parametrize("scale", [0.001, 0.03, 0.2])
def test_int8_tables_are_the_nearest_integers(scale: float) -> None:
    x = scale * (np.arange(-128, 128) + 10)
    for operator, real in ((Exp(), np.exp(x)), (Elu(), np.where(x < 0, np.expm1(x), x))):
        result = float(np.float32(np.abs(real).max() / 120))
        table = operator.table([typed(DType.INT8, scale, -10)], typed(DType.INT8, result, -5))
        assert np.abs(table - np.clip(real / result - 5, -128, 127)).max() < 0.501


def test_int16_exp_is_near_the_real_number() -> None:
    x = np.arange(-32768, 32768, 13).astype(np.int16)
    (got,) = Exp().evaluate([x], [typed(DType.INT16, 0.0001)], [typed(DType.INT16, 0.001)])
    real = np.exp(0.0001 * x) / 0.001
    assert np.abs(got - np.minimum(real, 32767)).max() < 4.0


def test_int16_exp_of_what_float32_does_not_hold_ends_at_the_limit() -> None:
    x = np.array([-32768, 0, 10000], np.int16)
    (got,) = Exp().evaluate([x], [typed(DType.INT16, 0.001)], [typed(DType.INT16, 1e-30)])
    assert got.tolist() == [32767] * 3


def test_abs_of_integers_by_hand(run: Run) -> None:
    body = """
      input %x: {0}[4]<0.5, {1}>
      %y: {0}[4]<0.25, {1}> = abs(%x)
      output %y"""
    assert run(body.format("i8", 3), [-128, 0, 3, 10]) == [127, 9, 3, 17]
    assert run(body.format("i16", 0), [-32768, -7, 0, 10]) == [32767, 14, 0, 20]


def test_plain_int32_wraps(run: Run) -> None:
    body = """
      input %x: i32[3]
      %y: i32[3] = {}(%x)
      output %y"""
    x = [-(1 << 31), -5, 7]
    assert run(body.format("abs"), x) == [-(1 << 31), 5, 7]
    assert run(body.format("neg"), x) == [-(1 << 31), 5, -7]
    assert run(body.format("sign"), x) == [-1, -1, 1]


def test_inverse_root_in_fixed_point() -> None:
    values = np.array([0, 1, 2, 3, 255, 65536, (1 << 31) - 1], np.int32)
    multiplier, shift = inverse_root(values)
    got = multiplier * 2.0 ** (shift - 31)
    np.testing.assert_allclose(got, 1 / np.sqrt(np.maximum(values, 1)), rtol=2e-6)


def test_rsqrt_of_int8_is_the_largest_integer_where_there_is_no_root() -> None:
    table = Rsqrt().table([typed(DType.INT8, 1.0, -100)], typed(DType.INT8, 0.01, -128))
    assert table[: 128 - 100 + 1].tolist() == [127] * 29
    # 100 / sqrt(x) - 128
    assert table[[28 + 1, 28 + 4, 28 + 25, 28 + 100]].tolist() == [-28, -78, -108, -118]


@pytest.mark.parametrize(
    ("operator", "source", "result", "message"),
    [
        (Exp(), typed(DType.INT8, 1.0), typed(DType.INT8, 1e-40), "inverse is finite, got 1e-40"),
        (Exp(), typed(DType.INT16, 1.0), typed(DType.INT16, 1e-44), "inverses are finite, got 1.0"),
        (Abs(), typed(DType.INT16, 1e30), typed(DType.INT16, 1e-3), "below 2\\*\\*30|finite scale"),
        (Rsqrt(), typed(DType.INT8, 1e8), typed(DType.INT8, 1.0), "at most 2\\*\\*11"),
    ],
)
def test_scales_that_are_refused(
    operator: Exp | Abs | Rsqrt, source: TensorType, result: TensorType, message: str
) -> None:
    with pytest.raises(GraphError, match=message):
        operator.verify([source], [result])


@pytest.mark.parametrize(
    "mnemonic", ["erf", "log", "sqrt", "square", "floor", "ceil", "round", "neg", "sign"]
)
def test_functions_of_floats_refuse_int8(mnemonic: str) -> None:
    text = f'graph 2 "g" {{ input %x: i8[2]<1.0, 0> %y: i8[2]<1.0, 0> = {mnemonic}(%x) output %y }}'
    with pytest.raises(GraphError, match=r"dtype f32.*, got i8"):
        parse_graph(text)
