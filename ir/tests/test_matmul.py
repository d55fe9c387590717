"""BatchMatmul by hand."""

from collections.abc import Callable

import pytest
from tinsmith_ir import Box, GraphError, parse_graph

Run = Callable[..., list[object]]


def test_rows_times_columns(run: Run) -> None:
    body = "input %x: f32[2,2] input %y: f32[2,1] %z: f32[2,1] = batch_matmul(%x, %y) output %z"
    assert run(body, [1.0, 2.0, 3.0, 4.0], [5.0, 6.0]) == [17.0, 39.0]


def test_operands_may_be_transposed(run: Run) -> None:
    body = """input %x: f32[2,1] input %y: f32[3,2] %z: f32[1,3] =
        batch_matmul(%x, %y) {transpose_lhs=true, transpose_rhs=true} output %z"""
    assert run(body, [1.0, 10.0], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]) == [21.0, 43.0, 65.0]


def test_integers_are_taken_from_their_zero_points(run: Run) -> None:
    # (3 - 1) * (4 + 2) + (1 - 1) * (7 + 2) = 12, in units of 0.25 of 0.5 * 0.5, from 5 on
    body = """input %x: i8[1,2]<0.5, 1> input %y: i8[2,1]<0.5, -2> %z: i8[1,1]<0.25, 5> =
        batch_matmul(%x, %y) output %z"""
    assert run(body, [3, 1], [4, 7]) == [17]


@pytest.mark.parametrize(
    ("rounding", "expected"), [("tflite", [1, -1]), ("nearest", [1, 0]), ("floor", [0, -1])]
)
def test_halves_go_where_the_rounding_says(rounding: str, expected: list[int], run: Run) -> None:
    body = f"""input %x: i8[2,1]<0.5, 0> input %y: i8[1,1]<0.5, 0> %z: i8[2,1]<1.0, 0> =
        batch_matmul(%x, %y) {{rounding={rounding}}} output %z"""
    assert run(body, [2, -2], [1]) == expected


def test_a_part_reads_some_rows_and_some_columns() -> None:
    (node,) = (
        parse_graph("""graph 2 "g" { input %x: f32[3,4,5] input %y: f32[1,6,5] %z: f32[3,4,6] =
        batch_matmul(%x, %y) {transpose_rhs=true} output %z }""").nodes
    )
    box = Box(((1, 2), (0, 2), (3, 6)))
    types = [value.type for value in node.inputs if value is not None]
    found = node.operator.restrict(box, types, [node.outputs[0].type])
    assert found is not None
    assert found.operands == (Box(((1, 2), (0, 2), (0, 5))), Box(((0, 1), (3, 6), (0, 5))))


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("input %x: f32[2,3] %z: f32[2,2] = batch_matmul(%x, %x)", "matrices to multiply"),
        ("input %x: f32[3] %z: f32[3] = batch_matmul(%x, %x)", "expected matrices"),
        (
            "input %x: i16[2,2]<1.0, 0> %z: i16[2,2]<0.001, 0> = batch_matmul(%x, %x)",
            r"below 2\*\*7",
        ),
    ],
)
def test_what_has_no_meaning_is_refused(body: str, message: str) -> None:
    with pytest.raises(GraphError, match=message):
        parse_graph(f'graph 2 "g" {{ {body} output %z }}')
