"""Lookup: any function of int8."""

from collections.abc import Callable

import pytest
from tinsmith_ir import GraphError, parse_graph

Run = Callable[..., list[object]]

BACKWARDS = list(range(127, -129, -1))


def text(values: list[int], result: str = "i8[4]<2.0, 1>") -> str:
    return f"""
      input %x: i8[4]<0.5, -3>
      %y: {result} = lookup(%x) {{values={values}}}
      output %y"""


def test_each_integer_has_its_value(run: Run) -> None:
    assert run(text(BACKWARDS), [-128, -127, 0, 127]) == [127, 126, -1, -128]


@pytest.mark.parametrize(
    ("values", "result", "message"),
    [
        ([1, 2, 3], "i8[4]<2.0, 1>", "expected 256 values, got 3"),
        (
            [128, *BACKWARDS[1:]],
            "i8[4]<2.0, 1>",
            "expected values of i8, got some from -128 to 128",
        ),
        (BACKWARDS, "i8[4]", "expected result with a quantization"),
        (BACKWARDS, "i16[4]<2.0, 0>", r"expected a result i8\[4\], got i16"),
    ],
)
def test_tables_that_are_refused(values: list[int], result: str, message: str) -> None:
    with pytest.raises(GraphError, match=message):
        parse_graph(f'graph 2 "g" {{ {text(values, result)} }}')
