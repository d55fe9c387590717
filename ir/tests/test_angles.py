"""Tan, the functions that give angles, and the hyperbolic ones: by hand, against float64, and at the ends."""

import math
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from numpy.typing import NDArray
from tinsmith_ir.arcs import acos_f32, asin_f32, atan_f32
from tinsmith_ir.hyperbolics import acosh_f32, asinh_f32, atanh_f32, cosh_f32, sinh_f32
from tinsmith_ir.trigonometry import tan_f32

Floats = NDArray[np.float32]
Ours = Callable[[Floats], Floats]
Exact = Callable[[NDArray[np.float64]], NDArray[np.float64]]
Run = Callable[..., list[object]]

INFINITY, NAN = math.inf, math.nan


def places() -> Floats:
    """Of all sizes that float32 has, of both signs, and many of those near where functions bend."""
    random = np.random.default_rng(5)
    bits = random.integers(0, 1 << 32, 20000, dtype=np.uint32).view(np.float32)
    near = [random.uniform(-high, high, 8000) for high in (0.01, 0.6, 1.0, 3.0, 20.0, 92.0)]
    ends = [
        side * (1 + sign * 10.0 ** random.uniform(-7, -1, 4000))
        for side in (1, -1)
        for sign in (1, -1)
    ]
    borders = [0.5, math.sqrt(2) - 1, math.sqrt(2) + 1, 1.0, math.pi / 4, math.pi / 2, 80.0, 4096.0]
    exact = np.array([*borders, 1e-45, 1e-39, 3.4e38], np.float32)
    neighbours = [
        exact,
        np.nextafter(exact, np.float32(0)),
        np.nextafter(exact, np.float32(INFINITY)),
    ]
    return np.concatenate(
        [
            bits[np.isfinite(bits)],
            *(part.astype(np.float32) for part in (*near, *ends)),
            *neighbours,
        ]
    )


@pytest.mark.parametrize(
    ("ours", "exact", "low", "high", "units"),
    [
        (tan_f32, np.tan, -INFINITY, INFINITY, 4),
        (asin_f32, np.arcsin, -1, 1, 3),
        (acos_f32, np.arccos, -1, 1, 2),
        (atan_f32, np.arctan, -INFINITY, INFINITY, 2),
        (sinh_f32, np.sinh, -89.4, 89.4, 3),
        (cosh_f32, np.cosh, -89.4, 89.4, 3),
        (asinh_f32, np.arcsinh, -INFINITY, INFINITY, 2),
        (acosh_f32, np.arccosh, 1, INFINITY, 3),
        (atanh_f32, np.arctanh, np.nextafter(-1, 0), np.nextafter(1, 0), 2),
    ],
)
def test_results_are_near_the_real_numbers(
    ours: Ours, exact: Exact, low: float, high: float, units: int
) -> None:
    x = places()
    x = x[(x >= low) & (x <= high)]
    wanted = exact(x.astype(np.float64))
    unit = np.spacing(np.abs(wanted).astype(np.float32)).astype(np.float64)
    assert (np.abs(ours(x) - wanted) <= units * unit).all()


@pytest.mark.parametrize("ours", [tan_f32, asin_f32, atan_f32, sinh_f32, asinh_f32, atanh_f32])
def test_odd_functions_are_odd_in_every_bit(ours: Ours) -> None:
    x = places()
    x = x[~np.isnan(ours(x))]
    assert np.array_equal(ours(-x).view(np.uint32), ours(x).view(np.uint32) ^ np.uint32(1 << 31))


@pytest.mark.parametrize(
    ("ours", "results"),
    [
        (tan_f32, [NAN, NAN, NAN, 0.0, -0.0, math.tan(1), -math.tan(1), math.tan(2)]),
        (asin_f32, [NAN, NAN, NAN, 0.0, -0.0, math.pi / 2, -math.pi / 2, NAN]),
        (acos_f32, [NAN, NAN, NAN, math.pi / 2, math.pi / 2, 0.0, math.pi, NAN]),
        (
            atan_f32,
            [NAN, math.pi / 2, -math.pi / 2, 0.0, -0.0, math.pi / 4, -math.pi / 4, math.atan(2)],
        ),
        (
            sinh_f32,
            [NAN, INFINITY, -INFINITY, 0.0, -0.0, math.sinh(1), -math.sinh(1), math.sinh(2)],
        ),
        (cosh_f32, [NAN, INFINITY, INFINITY, 1.0, 1.0, math.cosh(1), math.cosh(1), math.cosh(2)]),
        (
            asinh_f32,
            [NAN, INFINITY, -INFINITY, 0.0, -0.0, math.asinh(1), -math.asinh(1), math.asinh(2)],
        ),
        (acosh_f32, [NAN, INFINITY, NAN, NAN, NAN, 0.0, NAN, math.acosh(2)]),
        (atanh_f32, [NAN, NAN, NAN, 0.0, -0.0, INFINITY, -INFINITY, NAN]),
    ],
)
def test_ends(ours: Ours, results: Sequence[float]) -> None:
    ends = np.array([NAN, INFINITY, -INFINITY, 0.0, -0.0, 1.0, -1.0, 2.0], np.float32)
    got, wanted = ours(ends), np.array(results, np.float32)
    np.testing.assert_allclose(got, wanted, rtol=3e-7)
    has_sign = ~np.isnan(wanted)
    assert np.array_equal(np.signbit(got)[has_sign], np.signbit(wanted)[has_sign])


def test_sinh_and_cosh_end_where_float_does() -> None:
    x = np.array([89.41, 89.42, 1e30], np.float32)
    for ours in (sinh_f32, cosh_f32):
        assert ours(x).tolist() == [
            pytest.approx(math.cosh(float(x[0])), rel=3e-7),
            INFINITY,
            INFINITY,
        ]


def test_cosh_is_never_below_1() -> None:
    assert cosh_f32(places()).min() == 1.0


def test_operators_by_hand(run: Run) -> None:
    body = "input %x: f32[3] %y: f32[3] = {}(%x) output %y"
    for mnemonic in ("tan", "asin", "atan", "sinh", "asinh", "atanh"):
        x = [0.5, -0.25, 0.75]
        wanted = [getattr(math, mnemonic)(value) for value in x]
        np.testing.assert_allclose(np.array(run(body.format(mnemonic), x)), wanted, rtol=3e-7)
    for mnemonic, x in (
        ("acos", [0.5, -0.25, 1.0]),
        ("cosh", [0.5, 0.0, -3.0]),
        ("acosh", [1.0, 1.5, 9.0]),
    ):
        wanted = [getattr(math, mnemonic)(value) for value in x]
        np.testing.assert_allclose(np.array(run(body.format(mnemonic), x)), wanted, rtol=3e-7)
