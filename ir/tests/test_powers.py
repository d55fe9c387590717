"""Pow by hand, against real numbers, and what is refused."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from tinsmith_ir import GraphError, parse_graph
from tinsmith_ir.powers import pow_f32

Run = Callable[..., list[object]]

_BODY = "input %x: f32[{0}] input %y: f32[{0}] %z: f32[{0}] = pow(%x, %y) output %z"


def assert_near(base: NDArray[np.float32], exponent: NDArray[np.float32]) -> None:
    """Within 1.5 units of the real number, or the same end."""
    with np.errstate(all="ignore"):
        wanted = np.power(base.astype(np.longdouble), exponent.astype(np.longdouble))
        nearest = wanted.astype(np.float32)
        found = pow_f32(base, exponent)
        units = np.abs(found - wanted) / np.spacing(np.abs(nearest))
    same = (found == nearest) | (np.isnan(found) & np.isnan(nearest))
    assert (same | (units <= 1.5)).all()


def test_powers_that_are_exact(run: Run) -> None:
    base, exponent = [2.0, 3.0, -3.0, 0.25, 1.5, -2.0], [10.0, 4.0, 3.0, 0.5, 2.0, -2.0]
    assert run(_BODY.format(6), base, exponent) == [1024.0, 81.0, -27.0, 0.5, 2.25, 0.25]


def test_ends_are_those_of_c(run: Run) -> None:
    inf, nan = math.inf, math.nan
    given: list[tuple[float, float, float]] = [
        (nan, 0.0, 1.0),
        (1.0, nan, 1.0),
        (0.0, -3.0, inf),
        (-0.0, -3.0, -inf),
        (0.0, 2.5, 0.0),
        (-1.0, inf, 1.0),
        (0.5, inf, 0.0),
        (0.5, -inf, inf),
        (-inf, 3.0, -inf),
        (-inf, -2.0, 0.0),
        (-1.0, 3e38, 1.0),
        (2.0, 128.0, inf),
        (2.0, -149.0, 2.0**-149),
        (2.0, -151.0, 0.0),
        (-2.0, 0.5, nan),
        (nan, 1.0, nan),
    ]
    base, exponent, wanted = ([*column] for column in zip(*given, strict=True))
    np.testing.assert_array_equal(run(_BODY.format(len(given)), base, exponent), wanted)


def test_powers_are_near_the_real_number() -> None:
    random = np.random.default_rng(3)
    bits = random.integers(0, 1 << 32, (2, 50000), dtype=np.uint32).view(np.float32)
    assert_near(bits[0], bits[1])
    assert_near(
        random.uniform(0, 10, 50000).astype(np.float32),
        random.uniform(-30, 30, 50000).astype(np.float32),
    )
    assert_near(
        random.uniform(-9, 9, 50000).astype(np.float32),
        random.integers(-30, 31, 50000).astype(np.float32),
    )


def test_bases_near_one_and_large_exponents_are_near_the_real_number() -> None:
    random = np.random.default_rng(4)
    rest = random.uniform(-1, 1, 50000) * np.exp2(-random.integers(1, 24, 50000))
    exponent = random.uniform(-60, 60, 50000) / np.abs(rest)
    assert_near((1 + rest).astype(np.float32), exponent.astype(np.float32))


def test_operands_broadcast(run: Run) -> None:
    body = "input %x: f32[2, 1] input %y: f32[3] %z: f32[2, 3] = pow(%x, %y) output %z"
    assert run(body, [2.0, 3.0], [0.0, 1.0, 2.0]) == [1.0, 2.0, 4.0, 1.0, 3.0, 9.0]


def test_integers_are_refused() -> None:
    with pytest.raises(GraphError, match="dtype f32, got i32"):
        parse_graph('graph 2 "g" { input %x: i32[2] %y: i32[2] = pow(%x, %x) output %y }')
