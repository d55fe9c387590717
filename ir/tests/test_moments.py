"""LayerNorm and RmsNorm: by hand, what is refused, and how far integers are from real numbers."""

from collections.abc import Callable, Iterator

import numpy as np
import pytest
from numpy.typing import NDArray
from tinsmith_ir import GraphError, parse_graph
from tinsmith_ir.dtypes import DType
from tinsmith_ir.graph import Array
from tinsmith_ir.inverse_root import EXACT_STEPS, TFLITE_STEPS, inverse_root
from tinsmith_ir.moment_parameters import IntegerGains, integer_gains
from tinsmith_ir.operators import LayerNorm, RmsNorm
from tinsmith_ir.types import Quantization, TensorType

Run = Callable[..., list[object]]
Reals = NDArray[np.float64]
Floats = NDArray[np.float32]

_LENGTHS = (1, 2, 3, 16, 129, 2048)
_WORST_OF_INT8 = 0.501
"""Steps, of results whose largest is at most 2048 of them."""


def test_layer_norm_of_floats(run: Run) -> None:
    # Of 1, 3: mean 2, variance 1; of equal ones nothing but beta is left.
    body = """input %x: f32[2,2] const %g: f32[2] = [2.0, 10.0] const %b: f32[2] = [0.5, 0.25]
    %y: f32[2,2] = layer_norm(%x, %g, %b) {epsilon=3.0} output %y"""
    assert run(body, [1.0, 3.0, 7.0, 7.0]) == [-0.5, 5.25, 0.5, 0.25]


def test_rms_norm_of_floats(run: Run) -> None:
    # Mean square 12.5; with epsilon 16: 4.
    body = "input %x: f32[1,2] %y: f32[1,2] = rms_norm(%x, none) {epsilon=3.5} output %y"
    assert run(body, [3.0, -4.0]) == [0.75, -1.0]


def test_layer_norm_of_integers_needs_no_zero_point(run: Run) -> None:
    # Of 10, 14, 18, 22: mean 16, variance 20; -6 / sqrt(20) = -1.342 and -2 / sqrt(20) = -0.447 in steps of 1/64.
    body = """input %x: i8[1,4]<0.5, {zero}> %y: i8[1,4]<0.015625, 3> = layer_norm(%x) output %y"""
    for zero in (-128, 0, 77):
        found = run(body.replace("{zero}", str(zero)), [10, 14, 18, 22])
        assert found == [-83, -26, 32, 89]


def test_rms_norm_of_integers(run: Run) -> None:
    # 3 and 4 from the zero point by sqrt(12.5) = 3.5355: 0.8485 and 1.1314, in steps of 1/64.
    body = "input %x: i8[1,2]<0.5, 1> %y: i8[1,2]<0.015625, 0> = rms_norm(%x) output %y"
    assert run(body, [4, 5]) == [54, 72]


def test_gamma_and_beta_are_parts_of_a_step(run: Run) -> None:
    # Rows of 2 have n below 2, so 26 of its 27 bits below 1; 16 bits below a step then ask for gamma in 2**-22 of it.
    body = f"""input %x: i8[1,2]<0.5, 0>
    const %g: i32[2]<{0.5 * 2.0**-22}, 0> = [{5 << 22}, {-3 << 22}]
    const %b: i32[2]<{0.5 * 2.0**-16}, 0> = [{7 << 16}, {1 << 15}]
    %y: i8[1,2]<0.5, 0> = layer_norm(%x, %g, %b) output %y"""
    assert run(body, [-1, 1]) == [2, -2]  # 7 - 5, and 1/2 - 3 rounded up


def test_a_row_of_equal_integers_is_beta(run: Run) -> None:
    body = """input %x: i8[3,4]<0.5, 0> %y: i8[3,4]<0.5, 9> = layer_norm(%x) {epsilon=1e-30}
    output %y"""
    assert run(body, [-128] * 4 + [0] * 4 + [127] * 4) == [9] * 12


def test_integers_may_get_another_width(run: Run) -> None:
    wide = """input %x: i8[1,2]<0.5, 1> %y: i16[1,2]<0.0009765625, 0> = rms_norm(%x) {result=i16}
    output %y"""
    assert run(wide, [4, 5]) == [869, 1159]
    narrow = """input %x: i16[1,2]<0.0005, 0> %y: i8[1,2]<0.015625, 0> = rms_norm(%x) {result=i8}
    output %y"""
    assert run(narrow, [3000, 4000]) == [54, 72]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("input %x: f32[2,3] %y: f32[2,3] = layer_norm(%x) {epsilon=0.0}", "epsilon above 0"),
        ("input %x: f32[2,3] %y: f32[2,3] = layer_norm(%x) {epsilon=1e39}", "is a float32"),
        ("input %x: f32[] %y: f32[] = layer_norm(%x)", "rank 1"),
        (
            "input %x: f32[2,3] const %g: f32[2] = [1.0, 1.0] %y: f32[2,3] = rms_norm(%x, %g)",
            r"gamma of shape \(3,\)",
        ),
        (
            "input %x: i8[1,1]<0.5, 0> const %g: f32[1] = [1.0] %y: i8[1,1]<0.5, 0> = rms_norm(%x, %g)",
            "gamma of dtype i32",
        ),
        (
            "input %x: i8[1,1]<0.5, 0> const %b: i32[1]<0.3, 0> = [1] "
            "%y: i8[1,1]<0.5, 0> = layer_norm(%x, none, %b)",
            "beta of a scale that is the result's times a power of two",
        ),
        (
            "input %x: i8[1,1]<0.5, 0> const %b: i32[1]<0.5, 0> = [1] "
            "%y: i8[1,1]<0.5, 0> = layer_norm(%x, none, %b)",
            "from 1 to 30 bits below a step of the result, got 0",
        ),
        (
            "input %x: i8[1,1]<0.5, 0> const %b: i32[1]<0.25, 0> = [1] const %g: i32[1]<0.25, 0> = [1] "
            "%y: i8[1,1]<0.5, 0> = layer_norm(%x, %g, %b)",
            "times the scale of beta",
        ),
        (
            "input %x: i8[1,2]<0.5, 0> %y: i8[1,2]<1e-12, 0> = layer_norm(%x)",
            "from 1 to 30 bits below a step",
        ),
        (
            "input %x: i8[1,2]<1e-30, 0> %y: i8[1,2]<0.1, 0> = layer_norm(%x)",
            "not beyond all squares",
        ),
        (
            "input %x: i8[1,32769]<0.5, 0> %y: i8[1,32769]<0.1, 0> = layer_norm(%x)",
            "at most 32768 integers",
        ),
        ("input %x: f32[2] %y: i8[2]<0.1, 0> = layer_norm(%x) {result=i8}", "no result of i8"),
    ],
)
def test_what_has_no_meaning_is_refused(body: str, message: str) -> None:
    with pytest.raises(GraphError, match=message):
        parse_graph(f'graph 2 "g" {{ {body} output %y }}')


def test_gamma_that_is_no_number_is_refused() -> None:
    type_ = TensorType((1, 2), DType.INT8, Quantization.per_tensor(0.1, 0))
    with pytest.raises(GraphError, match="finite numbers"):
        integer_gains(LayerNorm(), type_, type_, np.array([1.0, np.nan], np.float32), None)
    with pytest.raises(GraphError, match="fewer than"):
        integer_gains(LayerNorm(), type_, type_, np.array([1.0, 1e9], np.float32), None)


def rows(length: int, dtype: DType, random: np.random.Generator) -> Iterator[Array]:
    """All equal, one outlier far and near, saturated, and random ones from narrow to wide."""
    low, high = dtype.integer_range
    for first, others in ((5, 5), (high, 3), (4, 3), (high, high), (low, low), (high, low)):
        row = np.full(length, others)
        row[0] = first
        yield row
    yield np.where(np.arange(length) % 2, low, high)
    for deviation in (1.5, high / 4, 2 * high):
        for _ in range(3):
            yield np.clip(np.rint(random.normal(0.0, deviation, length)), low, high)


def exact(
    operator: LayerNorm | RmsNorm, row: Array, source: Quantization, gains: tuple[Floats, Floats]
) -> Reals:
    """The real result; of moments that are whole, so that no difference of two close numbers is lost."""
    length, integers = len(row), row.astype(np.int64) - source.zero_point
    total = int(integers.sum()) if operator.is_centred else 0
    squares = length * int((integers * integers).sum()) - total * total
    epsilon = float(np.float32(operator.epsilon)) * (length / source.scale) ** 2
    normal = (length * integers - total) / np.sqrt(squares + epsilon)
    return normal * gains[0].astype(np.float64) + gains[1].astype(np.float64)


def evaluated(
    operator: LayerNorm | RmsNorm,
    row: Array,
    types: tuple[TensorType, TensorType],
    gains: IntegerGains,
) -> Reals:
    given = ((gains.gamma, gains.gamma_scale), (gains.beta, gains.beta_scale))
    parts = given[: len(operator.operands) - 1]
    factors = (
        array if array is None else TensorType(array.shape, DType.INT32, q) for array, q in parts
    )
    inputs = [types[0], *factors]
    operator.verify(inputs, [types[1]])
    (found,) = operator.evaluate([row, *(array for array, _ in parts)], inputs, [types[1]])
    return found.astype(np.float64)


def distances(dtype: DType, result: DType, trials: int) -> Iterator[tuple[float, float]]:
    """Of random norms over the rows above, the largest distance from the real result, in steps, and Y + B + 1."""
    random = np.random.default_rng([trials, dtype.size_bytes, result.size_bytes])
    low, high = result.integer_range
    for trial in range(trials):
        length = _LENGTHS[trial % len(_LENGTHS)]
        kind = (LayerNorm, RmsNorm)[trial % 2]
        operator = kind(10.0 ** random.uniform(-12, -2), None if result is dtype else result)
        exponent = random.uniform(-12, 6) if trial % 3 == 0 else random.uniform(-3, 0)
        zero_point = int(random.integers(-128, 128)) if dtype is DType.INT8 else 0
        source = Quantization.per_tensor(float(np.float32(10.0**exponent)), zero_point)
        size = 10.0 ** random.uniform(-3, 3)
        gamma = (random.normal(1.0, 0.5, length) * size).astype(np.float32)
        beta = (random.normal(0.0, size, length) * operator.is_centred).astype(np.float32)
        largest = 4 * np.abs(gamma).max() + np.abs(beta).max()
        scale = float(np.float32(largest / high * 4.0 ** random.uniform(-1, 1)))
        quantization = Quantization.per_tensor(scale, zero_point if result is DType.INT8 else 0)
        types = (TensorType((length,), dtype, source), TensorType((length,), result, quantization))
        gains = integer_gains(operator, *types, gamma, beta)
        share = (np.sqrt(length) * np.abs(gamma).max() + np.abs(beta).max()) / scale + 1
        for integers in rows(length, dtype, random):
            row = integers.astype(dtype.numpy)
            real = exact(operator, row, source, (gamma, beta)) / scale + quantization.zero_point
            found = evaluated(operator, row, types, gains)
            yield float(np.abs(np.clip(real, low, high) - found).max()), float(share)


@pytest.mark.parametrize("dtype", [DType.INT8, DType.INT16])
@pytest.mark.parametrize("result", [DType.INT8, DType.INT16])
def test_integers_are_as_near_to_real_numbers_as_said(dtype: DType, result: DType) -> None:
    for distance, share in distances(dtype, result, 300):
        assert distance <= 0.5 + share * 2.0**-22
        if share <= 2048:
            assert distance <= _WORST_OF_INT8


@pytest.mark.parametrize("kind", [LayerNorm, RmsNorm])
@pytest.mark.parametrize("dtype", [DType.INT8, DType.INT16])
@pytest.mark.parametrize("length", [1, 2, 1 << 15])
@pytest.mark.parametrize("scale", [1e-12, 1e-3, 1e18])
@pytest.mark.parametrize("epsilon", [1e-30, 1e-5, 1.0])
def test_no_number_leaves_its_integers_at_the_borders(
    kind: type[LayerNorm | RmsNorm], dtype: DType, length: int, scale: float, epsilon: float
) -> None:
    """What wraps, or is shifted by too much, is far from the real result."""
    operator = kind(epsilon)
    zero_point = -128 if dtype is DType.INT8 else 0
    source = Quantization.per_tensor(float(np.float32(scale)), zero_point)
    ones = np.ones(length, np.float32)
    for row in rows(length, dtype, np.random.default_rng(0)):
        real = exact(operator, row, source, (ones, 0 * ones))
        step = float(np.float32(max(np.abs(real).max() / 100, np.sqrt(length) * 2.0**-20)))
        types = (
            TensorType((length,), dtype, source),
            TensorType((length,), dtype, Quantization.per_tensor(step, 0)),
        )
        found = evaluated(
            operator, row.astype(dtype.numpy), types, integer_gains(operator, *types, ones, None)
        )
        share = np.sqrt(length) / step + 1
        # int16 rows of that length keep epsilon in whole parts of X.
        slack = share * (2.0**-17 if length > 512 and dtype is DType.INT16 else 2.0**-22)
        assert np.abs(real / step - found).max() <= 0.5 + slack


@pytest.mark.parametrize(("steps", "bits"), [(TFLITE_STEPS, 19), (EXACT_STEPS, 23)])
def test_one_step_more_makes_an_inverse_root_as_near_as_said(steps: int, bits: int) -> None:
    random = np.random.default_rng(0)
    drawn = random.integers(1, 1 << 31, 100_000)
    # The first guess is furthest from the root of numbers a little above a power of 4.
    near = (1 << 27) + np.arange(10_000)
    values = np.concatenate([np.arange(1, 10_000), near, drawn]).astype(np.int32)
    multiplier, shift = inverse_root(values, steps)
    found = multiplier * np.exp2(shift.astype(np.float64) - 31) * np.sqrt(values.astype(np.float64))
    farthest = float(np.abs(found - 1).max())
    assert 2.0 ** -(bits + 1) < farthest < 2.0**-bits
