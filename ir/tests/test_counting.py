"""FloorDiv, FloorMod, CumSum, Sin and Cos by hand."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from tinsmith_ir import GraphError, parse_graph
from tinsmith_ir.trigonometry import cos_f32, sin_f32

Run = Callable[..., list[object]]


def _binary(name: str, dtype: str, count: int) -> str:
    shape = f"{dtype}[{count}]"
    return f"input %x: {shape} input %y: {shape} %z: {shape} = {name}(%x, %y) output %z"


def test_quotients_go_down_and_rests_have_the_divisors_sign(run: Run) -> None:
    lhs, rhs = [7, -7, 7, -7, 6], [2, 2, -2, -2, 3]
    assert run(_binary("floor_div", "i32", 5), lhs, rhs) == [3, -4, -4, 3, 2]
    assert run(_binary("floor_mod", "i32", 5), lhs, rhs) == [1, 1, -1, -1, 0]
    floats = [7.5, -7.5], [2.0, 2.0]
    assert run(_binary("floor_div", "f32", 2), *floats) == [3.0, -4.0]
    assert run(_binary("floor_mod", "f32", 2), *floats) == [1.5, 0.5]


def test_nothing_divided_is_0_of_integers(run: Run) -> None:
    lowest = -(1 << 31)
    assert run(_binary("floor_div", "i32", 2), [5, lowest], [0, -1]) == [0, lowest]
    assert run(_binary("floor_mod", "i32", 2), [5, lowest], [0, -1]) == [0, 0]


def test_sums_of_all_in_front(run: Run) -> None:
    head = "input %x: i32[4] %y: i32[4] = cumsum(%x) "
    assert run(head + "output %y", [1, 2, 3, 4]) == [1, 3, 6, 10]
    assert run(head + "{exclusive=true} output %y", [1, 2, 3, 4]) == [0, 1, 3, 6]
    assert run(head + "{reverse=true} output %y", [1, 2, 3, 4]) == [10, 9, 7, 4]
    assert run(head + "{exclusive=true, reverse=true} output %y", [1, 2, 3, 4]) == [9, 7, 4, 0]


def test_integers_wrap(run: Run) -> None:
    body = "input %x: i32[2] %y: i32[2] = cumsum(%x) output %y"
    assert run(body, [(1 << 31) - 1, 1]) == [(1 << 31) - 1, -(1 << 31)]


def test_sin_and_cos_are_near_however_large_the_number() -> None:
    random = np.random.default_rng(0)
    bits = random.integers(0, 1 << 32, 20000, dtype=np.uint32).view(np.float32)
    turns = np.float32(math.pi / 4) * np.arange(-99, 99, dtype=np.float32)
    values = np.concatenate([bits[np.isfinite(bits)], turns])
    for ours, exact in ((sin_f32, np.sin), (cos_f32, np.cos)):
        wanted = exact(values.astype(np.float64))
        units = np.spacing(np.abs(wanted).astype(np.float32)).astype(np.float64)
        assert (np.abs(ours(values) - wanted) <= 3 * units).all()


def test_sin_and_cos_of_what_is_no_angle(run: Run) -> None:
    body = "input %x: f32[4] %y: f32[4] = sin(%x) output %y"
    result = run(body, [math.inf, -math.inf, math.nan, -0.0])
    np.testing.assert_array_equal(np.array(result), [math.nan, math.nan, math.nan, -0.0])
    assert math.copysign(1, float(str(result[3]))) == -1


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("input %x: i8[2]<1.0, 0> %y: i8[2]<1.0, 0> = floor_div(%x, %x)", "dtype f32, i32"),
        ("input %x: f32[2] %y: f32[2] = cumsum(%x) {axis=1}", "within rank 1"),
        ("input %x: i16[2]<1.0, 0> %y: i16[2]<1.0, 0> = cumsum(%x)", "dtype f32, i32, i64"),
    ],
)
def test_what_has_no_meaning_is_refused(body: str, message: str) -> None:
    with pytest.raises(GraphError, match=message):
        parse_graph(f'graph 2 "g" {{ {body} output %y }}')
