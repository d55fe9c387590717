"""How far integers of curves and of softmax are from the real functions: README.md states what is held here.

Real results are computed in float64 of the numbers that operands stand for, and clamped as integers are.
"""

import math
from collections.abc import Callable, Iterator, Mapping

import numpy as np
import pytest
from numpy.typing import NDArray
from tinsmith_ir import Array, DType, Quantization, TensorType
from tinsmith_ir.operators import Elu, Exp, Gelu, Logistic, Operator, Softmax, Tanh

Reals = NDArray[np.float64]

_TABLES = 0.501
"""Steps. Tables are made in float32, which moves what is near the middle of two integers."""
_LENGTHS = (1, 2, 3, 16, 64, 197, 1000, 4000)
_SCALES = (1e-5, 1e-3, 0.01, 0.02, 0.05, 0.07, 0.1, 0.2, 0.3, 0.5, 1.0, 4.0)


def _logistic(x: Reals) -> Reals:
    return np.exp(-np.logaddexp(0.0, -x))


def _gelu(x: Reals) -> Reals:
    return np.array([0.5 * value * math.erfc(-value / math.sqrt(2.0)) for value in x.tolist()])


def _gelu_of_tanh(x: Reals) -> Reals:
    return 0.5 * x * (1.0 + np.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * x**3)))


def _elu(x: Reals) -> Reals:
    return np.where(x < 0, np.expm1(np.minimum(x, 0.0)), x)


_CURVES: Mapping[str, tuple[Operator, Callable[[Reals], Reals]]] = {
    "logistic": (Logistic(), _logistic),
    "tanh": (Tanh(), np.tanh),
    "exp": (Exp(), np.exp),
    "elu": (Elu(), _elu),
    "gelu": (Gelu(), _gelu),
    "gelu_of_tanh": (Gelu(approximate=True), _gelu_of_tanh),
}


def _quantized(shape: tuple[int, ...], dtype: DType, scale: float, zero_point: int) -> TensorType:
    return TensorType(shape, dtype, Quantization.per_tensor(float(np.float32(scale)), zero_point))


def _numbers(type_: TensorType, integers: Array) -> Reals:
    assert type_.quantization is not None
    return type_.quantization.scale * (integers.astype(np.float64) - type_.quantization.zero_point)


def _all_integers(dtype: DType) -> Array:
    low, high = dtype.integer_range
    return np.arange(low, high + 1).astype(dtype.numpy)


def _steps(type_: TensorType, real: Reals) -> Reals:
    """Real numbers in steps of a type, clamped."""
    assert type_.quantization is not None
    found = real / type_.quantization.scale + type_.quantization.zero_point
    return np.clip(found, *type_.dtype.integer_range)


def _distances(
    operator: Operator,
    integers: Array,
    types: tuple[TensorType, TensorType],
    real: Reals,
) -> Reals:
    """Of each result from the real one, in steps."""
    operator.verify([types[0]], [types[1]])
    (found,) = operator.evaluate([integers], [types[0]], [types[1]])
    return np.abs(found.astype(np.float64) - _steps(types[1], real))


def _result_type(name: str, real: Reals) -> TensorType:
    """TFLite's of curves that end; else such that integers reach from the least to the largest, and 0 is one."""
    if name in ("logistic", "tanh"):
        return _quantized(
            real.shape, DType.INT8, *{"logistic": (1 / 256, -128), "tanh": (1 / 128, 0)}[name]
        )
    low, high = min(float(real.min()), 0.0), max(float(real.max()), 0.0)
    scale = (high - low) / 255
    return _quantized(real.shape, DType.INT8, scale, round(-128 - low / scale))


@pytest.mark.parametrize("name", sorted(_CURVES))
def test_curves_of_int8_are_rounded_once(name: str) -> None:
    operator, curve = _CURVES[name]
    integers = _all_integers(DType.INT8)
    farthest = 0.0
    for scale in (2.0**-10, 2.0**-8, 0.0123, 0.05, 0.1, 0.25):
        for zero_point in (-128, -20, 0, 100, 127):
            source = _quantized(integers.shape, DType.INT8, scale, zero_point)
            real = curve(_numbers(source, integers))
            result = _result_type(name, real)
            found = _distances(operator, integers, (source, result), real)
            farthest = max(farthest, float(found.max()))
    assert 0.4 < farthest <= _TABLES


@pytest.mark.parametrize(("name", "bound"), [("logistic", 2.0), ("tanh", 3.5)])
def test_curves_of_int16_are_straight_lines_between_few_numbers(name: str, bound: float) -> None:
    operator, curve = _CURVES[name]
    integers = _all_integers(DType.INT16)
    result = _quantized(integers.shape, DType.INT16, 2.0**-15, 0)
    for scale in (
        *np.geomspace(1e-7, 1e-2, 40).tolist(),
        *(2.0**power for power in range(-20, -6)),
    ):
        source = _quantized(integers.shape, DType.INT16, scale, 0)
        real = curve(_numbers(source, integers))
        assert _distances(operator, integers, (source, result), real).max() <= bound


def test_exp_of_int16_is_put_off_by_a_step_of_its_operand_and_by_the_bend_of_its_lines() -> None:
    integers = _all_integers(DType.INT16)
    for scale in np.geomspace(1e-6, 2e-3, 30).tolist():
        source = _quantized(integers.shape, DType.INT16, scale, 0)
        real = np.exp(_numbers(source, integers))
        result = _quantized(integers.shape, DType.INT16, float(real.max()) / 32767, 0)
        bound = 2.0 + _steps(result, real) * (scale + (128 * scale) ** 2 / 8)
        assert (_distances(Exp(), integers, (source, result), real) <= bound).all()


@pytest.mark.parametrize("name", ["gelu", "gelu_of_tanh"])
def test_gelu_of_int16_is_put_off_as_exp_is(name: str) -> None:
    """Its slope is at most 1.13, its bend at most 0.8. Where results are clamped, the line there is cut off, too."""
    operator, curve = _CURVES[name]
    integers = _all_integers(DType.INT16)
    for scale in np.geomspace(1e-6, 3e-2, 24).tolist():
        source = _quantized(integers.shape, DType.INT16, scale, 0)
        real = curve(_numbers(source, integers))
        step = float(np.abs(real).max()) / 32767
        result = _quantized(integers.shape, DType.INT16, step, 0)
        bound = 1.5 + (1.13 * scale + 0.8 * (128 * scale) ** 2 / 8) / step
        assert _distances(operator, integers, (source, result), real).max() <= bound


def _rows(length: int, dtype: DType, random: np.random.Generator) -> Iterator[NDArray[np.float64]]:
    """One far above, far below or next to all others, equal ones, two halves, ramps, and random ones."""
    low, high = dtype.integer_range
    pairs = (
        (5, 5),
        (high, 3),
        (high, high),
        (low, low),
        (high, low),
        (low, high),
        (high, high - 1),
        (high - 1, high),
    )
    for first, others in pairs:
        row = np.full(length, float(others))
        row[0] = first
        yield row
    yield np.where(np.arange(length) % 2, float(low), float(high))
    yield np.rint(np.linspace(low, high, length))
    yield np.maximum(high - np.arange(length), float(low))
    for deviation in (1.5, high / 20, high / 4, 2 * high):
        for _ in range(3):
            yield np.clip(np.rint(random.normal(0.0, deviation, length)), low, high)


def _softmax_excess(
    operator: Softmax, result: tuple[DType, float, int], share: float, per: int
) -> float:
    """Over all rows, the most that a distance is beyond `share` steps for each real one and `per` elements besides."""
    dtype = DType.INT16 if result[0] is DType.INT16 and not operator.wide else DType.INT8
    random, most = np.random.default_rng(0), -math.inf
    for length in _LENGTHS:
        for scale in _SCALES:
            integers = np.stack(list(_rows(length, dtype, random))).astype(dtype.numpy)
            step = scale if dtype is DType.INT8 else scale / 256
            types = (
                _quantized(integers.shape, dtype, step, 0),
                _quantized(integers.shape, *result),
            )
            numbers = _numbers(types[0], integers)
            powers = np.exp(numbers - numbers.max(axis=-1, keepdims=True))
            real = powers / powers.sum(axis=-1, keepdims=True)
            allowed = real * share * (length - per)
            most = max(most, float((_distances(operator, integers, types, real) - allowed).max()))
    return most


def test_softmax_of_int8_loses_by_its_sum_alone() -> None:
    """Exponentials are summed in units of 2**-19: each may put the sum off by half of that, and results by 2**-20."""
    excess = _softmax_excess(Softmax(), (DType.INT8, 1 / 256, -128), 2.0**-12, 0)
    assert 0.4 < excess <= 0.501


def test_wide_softmax_loses_by_its_sum_alone() -> None:
    excess = _softmax_excess(Softmax(wide=True), (DType.INT16, 1 / 65536, -32768), 2.0**-4, 0)
    assert 0.4 < excess <= 0.501


def test_softmax_of_int16_counts_what_is_far_below_the_largest() -> None:
    """Its table of exponentials has units of 2**-15 and never gives less than two of them."""
    excess = _softmax_excess(Softmax(), (DType.INT16, 1 / 32768, 0), 2.0, 1)
    assert 1.0 < excess <= 2.0 + 1e-6
