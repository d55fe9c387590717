"""What plain int32 and int64 have: at the ends of their ranges, and where float64 is not exact."""

from collections.abc import Callable

import numpy as np
import pytest
from tinsmith_ir import GraphError, parse_graph

Run = Callable[..., list[object]]

LOWEST, HIGHEST = -(1 << 63), (1 << 63) - 1
LARGE = (1 << 53) + 1
TYPES = [("i32", -(1 << 31), (1 << 31) - 1), ("i64", LOWEST, HIGHEST)]


def unary(name: str, dtype: str, count: int, attributes: str = "", result: str = "") -> str:
    return f"input %x: {dtype}[{count}] %y: {result or f'{dtype}[{count}]'} = {name}(%x) {attributes} output %y"


def binary(name: str, dtype: str, count: int) -> str:
    shape = f"{dtype}[{count}]"
    return f"input %x: {shape} input %y: {shape} %z: {shape} = {name}(%x, %y) output %z"


@pytest.mark.parametrize(("dtype", "low", "high"), TYPES)
def test_functions_wrap(dtype: str, low: int, high: int, run: Run) -> None:
    x = [low, high, -7, 0]
    assert run(unary("abs", dtype, 4), x) == [low, high, 7, 0]
    assert run(unary("neg", dtype, 4), x) == [low, -high, 7, 0]
    assert run(unary("sign", dtype, 4), x) == [-1, 1, -1, 0]


@pytest.mark.parametrize(("dtype", "low", "high"), TYPES)
def test_quotients_go_to_0_or_down(dtype: str, low: int, high: int, run: Run) -> None:
    lhs, rhs = [low, low, high, 7, -7, 7, 5], [-1, 1, -1, 2, 2, -2, 0]
    assert run(binary("div", dtype, 7), lhs, rhs) == [low, low, -high, 3, -3, -3, 0]
    assert run(binary("floor_div", dtype, 7), lhs, rhs) == [low, low, -high, 3, -4, -4, 0]
    assert run(binary("floor_mod", dtype, 7), lhs, rhs) == [0, 0, 0, 1, 1, -1, 0]
    assert run(binary("floor_mod", dtype, 2), [low, high], [low, low]) == [0, -1]


@pytest.mark.parametrize(("dtype", "low", "high"), TYPES)
def test_sums_and_products_wrap(dtype: str, low: int, high: int, run: Run) -> None:
    over = "{axes=[0]}"
    assert run(unary("sum", dtype, 3, over, f"{dtype}[]"), [high, 1, 5]) == [low + 5]
    assert run(unary("reduce_prod", dtype, 3, over, f"{dtype}[]"), [high, 2, 3]) == [-6]


def test_int64_is_exact_where_float64_is_not(run: Run) -> None:
    x = [LARGE, LARGE - 1, -LARGE]
    over = "{axes=[0]}"
    assert run(binary("minimum", "i64", 3), x, [LARGE - 1, LARGE, 1 << 40]) == [
        LARGE - 1,
        LARGE - 1,
        -LARGE,
    ]
    assert run(binary("maximum", "i64", 3), x, [LARGE - 1, LARGE, 1 << 40]) == [
        LARGE,
        LARGE,
        1 << 40,
    ]
    assert run(unary("reduce_max", "i64", 3, over, "i64[]"), x) == [LARGE]
    assert run(unary("reduce_min", "i64", 3, over, "i64[]"), x) == [-LARGE]
    assert run(unary("arg_max", "i64", 3, "", "i32[]"), x) == [0]
    assert run(unary("arg_min", "i64", 3, "", "i32[]"), x) == [2]
    assert run(binary("div", "i64", 3), x, [1, 1, -1]) == [LARGE, LARGE - 1, LARGE]
    body = (
        "input %x: i64[2] input %y: i64[2] %z: bool[2] = compare(%x, %y) {relation=less} output %z"
    )
    assert run(body, [LARGE - 1, LARGE], [LARGE, LARGE]) == [True, False]


def test_the_ends_of_int64_are_found(run: Run) -> None:
    over = "{axes=[0]}"
    assert run(unary("reduce_max", "i64", 2, over, "i64[]"), [LOWEST, LOWEST]) == [LOWEST]
    assert run(unary("reduce_min", "i64", 2, over, "i64[]"), [HIGHEST, HIGHEST]) == [HIGHEST]


def test_int64_is_chosen_and_gathered(run: Run) -> None:
    head = "input %x: i64[3] input %i: i32[2] "
    assert run(head + "%y: i64[2] = gather(%x, %i) output %y", [LARGE, 1, LOWEST], [2, 0]) == [
        LOWEST,
        LARGE,
    ]
    body = "input %c: bool[2] input %x: i64[2] %y: i64[2] = select(%c, %x, %n) output %y"
    constant = f"const %n: i64[1] = [{LOWEST}] "
    assert run(constant + body, np.array([True, False]), [LARGE, 5]) == [LARGE, LOWEST]


def test_a_mean_of_plain_integers_is_refused() -> None:
    with pytest.raises(GraphError, match="input of dtype f32, i8, i16, got i64"):
        parse_graph('graph 2 "g" { input %x: i64[2] %y: i64[] = mean(%x) {axes=[0]} output %y }')


def test_a_plain_sum_has_no_other_rounding() -> None:
    with pytest.raises(GraphError, match="rounding"):
        parse_graph(
            'graph 2 "g" { input %x: i32[2] %y: i32[] = sum(%x) {axes=[0], rounding=floor} output %y }'
        )
