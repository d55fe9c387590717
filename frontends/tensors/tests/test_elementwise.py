from collections.abc import Callable

import numpy as np
import pytest
from composed import Reals, assert_close, composed, numbers, result
from tinsmith_ir import Array
from tinsmith_tensors import Composer, Tensor
from tinsmith_tensors import activations as act
from tinsmith_tensors import elementwise as ew

Binary = Callable[[Composer, Tensor, Tensor], Tensor]
Unary = Callable[[Composer, Tensor], Tensor]
INTEGERS = ("i1", "u1", "<i2", "<i4", "<i8")


def truncated(lhs: Array, rhs: Array) -> Array:
    """As C divides integers."""
    quotient = lhs.astype(np.float64) / rhs.astype(np.float64)
    return np.trunc(quotient).astype(lhs.dtype)


BINARY: dict[str, tuple[Binary, Callable[[Array, Array], Array]]] = {
    "add": (ew.add, np.add),
    "sub": (ew.sub, np.subtract),
    "mul": (ew.mul, np.multiply),
    "div": (ew.div, truncated),
    "floor_div": (ew.floor_div, np.floor_divide),
    "floor_mod": (ew.floor_mod, np.mod),
    "truncated_mod": (ew.truncated_mod, np.fmod),
    "minimum": (ew.minimum, np.minimum),
    "maximum": (ew.maximum, np.maximum),
    "less": (ew.less, np.less),
    "less_equal": (ew.less_equal, np.less_equal),
    "equal": (ew.equal, np.equal),
}


@pytest.mark.parametrize("known", [(), (0,), (1,), (0, 1)])
@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("name", BINARY)
def test_integers_are_computed_as_numpy_does_known_or_not(
    name: str, dtype: str, known: tuple[int, ...]
) -> None:
    function, expected = BINARY[name]
    random = np.random.default_rng(1)
    low = 0 if dtype == "u1" else -100
    lhs = random.integers(low, 100, (3, 1, 5)).astype(dtype)
    rhs = random.integers(1, 100, (4, 1)).astype(dtype)
    found = result(function, lhs, rhs, known=known)
    assert np.array_equal(found, expected(lhs, rhs).astype(np.float64))


def test_narrow_integers_wrap() -> None:
    lhs, rhs = np.array([100, -100], np.int8), np.array([100, -100], np.int8)
    assert result(ew.add, lhs, rhs).tolist() == [-56.0, 56.0]


def test_a_truncated_rest_has_the_sign_of_the_dividend() -> None:
    lhs = np.array([-7, 7, -7, 7], np.int32)
    rhs = np.array([3, 3, -3, -3], np.int32)
    assert result(ew.truncated_mod, lhs, rhs).tolist() == np.fmod(lhs, rhs).tolist()
    real = lhs.astype(np.float64) + 0.25
    assert_close(result(ew.truncated_mod, real, rhs.astype(np.float64)), np.fmod(real, rhs))


@pytest.mark.parametrize("target", ["<i4", "<i8", "i1", "?", "<f4"])
@pytest.mark.parametrize("known", [(), (0,)])
def test_casts_cut_off(target: str, known: tuple[int, ...]) -> None:
    x = np.array([-1.75, -0.5, 0.0, 2.5], np.float32)
    found = result(lambda c, t: ew.cast(c, t, np.dtype(target)), x, known=known)
    assert found.tolist() == x.astype(target).astype(np.float64).tolist()


@pytest.mark.parametrize("known", [(0,), (1,)])
@pytest.mark.parametrize(
    ("function", "of_numpy"), [(ew.maximum, np.maximum), (ew.minimum, np.minimum)]
)
def test_nan_stays_beside_known_numbers(
    function: Callable[..., Tensor], of_numpy: Callable[..., Reals], known: tuple[int, ...]
) -> None:
    x, bound = np.array([np.nan, -1.0, 2.0]), np.array(0.5)
    operands = (bound, x) if known == (0,) else (x, bound)
    np.testing.assert_array_equal(result(function, *operands, known=known), of_numpy(x, bound))


def test_a_square_is_an_operator_of_its_own() -> None:
    graph = composed(lambda c, x: ew.power(c, x, c.number(2.0, x)), numbers(0, 3))
    assert [node.operator.mnemonic for node in graph.nodes] == ["square"]


@pytest.mark.parametrize("exponent", [1.0, 2.0, 3.0])
def test_exponents_of_more_axes_than_the_base_make_a_larger_result(exponent: float) -> None:
    base, exponents = numbers(0, 3), np.full((2, 3), exponent)
    assert_close(result(ew.power, base, exponents, known=(1,)), base**exponents)


@pytest.mark.parametrize("exponent", [1, 2, 3, 7, 12, 64])
def test_powers_of_integers_are_exact_and_wrap(exponent: int) -> None:
    base = np.array([-3, 0, 1, 5001], np.int64)
    found = result(lambda c, x: ew.integer_power(c, x, exponent), base)
    with np.errstate(over="ignore"):
        assert found.tolist() == (base**exponent).astype(np.float64).tolist()


def test_one_number_is_found_in_known_tensors_alone() -> None:
    c = Composer("g")
    assert ew.only_number(c.known(np.full((2, 2), 3, np.int64))) == 3.0
    assert ew.only_number(c.known(np.array([1.0, 2.0]))) is None
    assert ew.only_number(c.known(np.zeros((0,)))) is None


def logistic(x: Reals) -> Reals:
    return 1 / (1 + np.exp(-x))


def softplus(x: Reals) -> Reals:
    return np.logaddexp(0, x)


def elu(x: Reals, alpha: float) -> Reals:
    return np.where(x < 0, alpha * np.expm1(np.minimum(x, 0)), x)


CURVES: dict[str, tuple[Unary, Callable[[Reals], Reals]]] = {
    "sigmoid": (act.sigmoid, logistic),
    "silu": (act.silu, lambda x: x * logistic(x)),
    "swish": (lambda c, x: act.silu(c, x, 1.5), lambda x: x * logistic(1.5 * x)),
    "hard_sigmoid": (
        lambda c, x: act.hard_sigmoid(c, x, 0.2, 0.5),
        lambda x: np.clip(0.2 * x + 0.5, 0, 1),
    ),
    "hard_swish": (act.hard_swish, lambda x: x * np.clip(x + 3, 0, 6) / 6),
    "softplus": (act.softplus, softplus),
    "softplus of beta": (lambda c, x: act.softplus(c, x, 2.0), lambda x: softplus(2 * x) / 2),
    "mish": (act.mish, lambda x: x * np.tanh(softplus(x))),
    "softsign": (act.softsign, lambda x: x / (1 + np.abs(x))),
    "elu": (act.elu, lambda x: elu(x, 1.0)),
    "elu of alpha": (lambda c, x: act.elu(c, x, 0.3), lambda x: elu(x, 0.3)),
    "selu": (act.selu, lambda x: 1.0507009873554805 * elu(x, 1.6732632423543772)),
    "celu": (lambda c, x: act.celu(c, x, 2.0), lambda x: np.where(x < 0, 2 * np.expm1(x / 2), x)),
    "leaky_relu": (
        lambda c, x: act.leaky_relu(c, x, 0.1),
        lambda x: np.where(x < 0, 0.1 * x, x),
    ),
    "thresholded_relu": (
        lambda c, x: act.thresholded_relu(c, x, 0.7),
        lambda x: np.where(x > 0.7, x, 0),
    ),
    "relu6": (lambda c, x: act.clip(c, x, 0.0, 6.0), lambda x: np.clip(x, 0, 6)),
    "clip": (lambda c, x: act.clip(c, x, -0.5, None), lambda x: np.maximum(x, -0.5)),
}


@pytest.mark.parametrize("name", CURVES)
def test_curves_are_those_of_their_formulas(name: str) -> None:
    function, expected = CURVES[name]
    x = np.concatenate([5 * numbers(3, 200), [-100.0, -20.0, 0.0, 20.0, 88.0]])
    x = x.astype(np.float32).astype(np.float64)
    assert_close(result(function, x), expected(x))


def test_a_slope_that_broadcasts_beyond_its_operand_is_no_slope_of_a_channel() -> None:
    x, slope = numbers(0, 3), numbers(1, 2, 3)
    assert_close(result(act.prelu, x, slope), np.where(x < 0, x * slope, x))
    assert_close(result(act.prelu, slope, x), np.where(slope < 0, x * slope, slope))
