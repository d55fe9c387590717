"""TopK, TopKIndices, ReduceProd, Div and Mul of plain integers by hand."""

from collections.abc import Callable

import pytest
from tinsmith_ir import GraphError, parse_graph
from tinsmith_ir.boxes import Box
from tinsmith_ir.operators import TopK

Run = Callable[..., list[object]]


def _ranked(name: str, dtype: str, count: int) -> str:
    result = "i32" if name.endswith("indices") else dtype
    return f"""
      input %x: {dtype}[2,4]
      %y: {result}[2,{count}] = {name}(%x) {{count={count}}}
      output %y"""


def test_the_largest_of_each_row_come_first_and_of_equal_ones_the_first(run: Run) -> None:
    rows = [[3, 7, 7, -1], [0, 0, -5, 0]]
    assert run(_ranked("top_k", "i32", 3), rows) == [7, 7, 3, 0, 0, 0]
    assert run(_ranked("top_k_indices", "i32", 3), rows) == [1, 2, 0, 0, 1, 3]


def test_nan_comes_behind_all_others(run: Run) -> None:
    rows = [["nan", "-inf", "nan", 2.0], ["inf", 1.0, "nan", 3.0]]
    assert run(_ranked("top_k_indices", "f32", 4), rows) == [3, 1, 0, 2, 0, 3, 1, 2]


def test_more_than_there_are_is_refused() -> None:
    with pytest.raises(GraphError, match=r"a count of 1 to the last dimension of \(2, 4\), got 5"):
        parse_graph(f'graph 2 "g" {{{_ranked("top_k", "f32", 5)}\n}}')


def test_the_first_of_a_row_are_cut_off_and_the_last_are_not() -> None:
    graph = parse_graph(f'graph 2 "g" {{{_ranked("top_k", "f32", 3)}\n}}')
    types = [value.type for value in graph.inputs], [value.type for value in graph.outputs]
    found = graph.nodes[0].operator.restrict(Box(((1, 2), (0, 2))), *types)
    assert found is not None
    assert (found.operator, found.operands) == (TopK(count=2), (Box(((1, 2), (0, 4))),))
    assert graph.nodes[0].operator.restrict(Box(((1, 2), (1, 3))), *types) is None


def test_products(run: Run) -> None:
    body = "input %x: i32[2,3] %y: i32[2] = reduce_prod(%x) {axes=[1]} output %y"
    assert run(body, [[2, -3, 4], [2**16, 2**16, 5]]) == [-24, 0]
    floats = (
        "input %x: f32[2,2] %y: f32[1,2] = reduce_prod(%x) {axes=[0], keep_dims=true} output %y"
    )
    assert run(floats, [[0.5, 3.0], [4.0, -1.5]]) == [2.0, -4.5]


def test_quotients_of_integers_go_towards_0(run: Run) -> None:
    body = "input %x: i32[6] input %y: i32[6] %z: i32[6] = div(%x, %y) output %z"
    low = -(2**31)
    assert run(body, [7, -7, 7, 5, low, low], [2, 2, -2, 0, -1, 0]) == [3, -3, -3, 0, low, 0]


def test_products_of_int64_wrap(run: Run) -> None:
    body = "input %x: i64[3] input %y: i64[3] %z: i64[3] = mul(%x, %y) output %z"
    assert run(body, [2**40, 2**62, -3], [2**10, 4, 5]) == [2**50, 0, -15]
