"""Compare and Select by hand, and Minimum and Maximum of bool."""

from collections.abc import Callable

import pytest
from tinsmith_ir import GraphError, parse_graph

Run = Callable[..., list[object]]
NAN = float("nan")


@pytest.mark.parametrize(
    ("relation", "expected"),
    [
        ("equal", [False, True, False]),
        ("not_equal", [True, False, True]),
        ("less", [True, False, False]),
        ("less_equal", [True, True, False]),
    ],
)
def test_relations(run: Run, relation: str, expected: list[bool]) -> None:
    body = f"input %x: i32[3] input %z: i32[] %y: bool[3] = compare(%x, %z) {{relation={relation}}}"
    assert run(body + " output %y", [1, 2, 3], [2]) == expected


def test_nan_is_not_equal_to_itself(run: Run) -> None:
    head = "input %x: f32[1] %y: bool[1] = compare(%x, %x) "
    assert run(head + "{relation=equal} output %y", [NAN]) == [False]
    assert run(head + "{relation=not_equal} output %y", [NAN]) == [True]
    assert run(head + "{relation=less_equal} output %y", [NAN]) == [False]


def test_quantized_numbers_are_compared_in_one_scale(run: Run) -> None:
    # 0.5 * (3 - 1) and 0.25 * (q + 2)
    body = "input %x: i8[1]<0.5, 1> input %z: i8[3]<0.25, -2> %y: bool[3] = compare(%x, %z) "
    assert run(body + "{relation=less} output %y", [3], [1, 2, 3]) == [False, False, True]
    assert run(body + "{relation=equal} output %y", [3], [1, 2, 3]) == [False, True, False]


def test_what_is_nearer_than_a_256th_may_be_equal(run: Run) -> None:
    body = "input %x: i8[1]<0.001, 0> input %z: i8[1]<0.001, 0> %y: bool[1] = compare(%x, %z) "
    assert run(body + "{relation=equal} output %y", [4], [5]) == [True]
    assert run(body + "{relation=equal} output %y", [4], [9]) == [False]


def test_select_takes_elements_as_they_are(run: Run) -> None:
    body = """
      input %c: bool[2,1]
      input %x: i8[2]<0.5, 7>
      input %z: i8[]<0.5, 7>
      %y: i8[2,2]<0.5, 7> = select(%c, %x, %z)
      output %y"""
    assert run(body, [1, 0], [1, 2], [-9]) == [1, 2, -9, -9]


def test_and_and_or(run: Run) -> None:
    head = "input %x: bool[4] input %z: bool[4] %y: bool[4] = "
    pairs = [0, 0, 1, 1], [0, 1, 0, 1]
    assert run(head + "minimum(%x, %z) output %y", *pairs) == [False, False, False, True]
    assert run(head + "maximum(%x, %z) output %y", *pairs) == [False, True, True, True]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "input %x: i8[1]<1.0, 0> %y: bool[1] = compare(%x, %x)",
            "expected scales below 1, got 1.0",
        ),
        ("input %x: i16[1]<0.5, 0> %y: bool[1] = compare(%x, %x)", "lhs of dtype"),
        ("input %x: i8[1] %y: bool[1] = compare(%x, %x)", "lhs with a quantization"),
        ("input %x: f32[1] input %z: i32[1] %y: bool[1] = compare(%x, %z)", "of one dtype"),
        ("input %c: i32[1] input %x: f32[1] %y: f32[1] = select(%c, %x, %x)", "dtype bool"),
        (
            "input %c: bool[1] input %x: f32[2] input %z: i32[2] %y: f32[2] = select(%c, %x, %z)",
            "operands of one dtype, got f32 and i32",
        ),
        (
            "input %c: bool[3] input %x: f32[2] %y: f32[2] = select(%c, %x, %x)",
            "expected shapes that broadcast",
        ),
        (
            "input %c: bool[1] input %x: i8[2]<0.5, 0> input %z: i8[2]<0.5, 1> "
            "%y: i8[2]<0.5, 0> = select(%c, %x, %z)",
            "same quantization of on_true and on_false",
        ),
    ],
)
def test_what_does_not_fit_is_named(text: str, message: str) -> None:
    with pytest.raises(GraphError, match=message):
        parse_graph(f'graph 2 "g" {{ {text} output %y }}')
