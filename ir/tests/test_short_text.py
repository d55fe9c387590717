import pytest
from tinsmith_ir.errors import ParseError
from tinsmith_ir.parser import parse_graph
from tinsmith_ir.printer import print_graph
from tinsmith_ir.short_text import COLUMNS, shortened


@pytest.mark.parametrize(
    ("statement", "short"),
    [
        ("input %x: i8[1]<0.003921568859368563, -128>", "input %x: i8[1]<~0.003922, -128>"),
        ("<[0.5, 4.88304540340323e-05], [0, 0], axis 3>", "<[0.5, ~4.883e-05], [0, 0], axis 3>"),
        ("{alpha=-0.30000001192092896}", "{alpha=~-0.3}"),
        ("const %c: i32[2] = [123456789, -15221]", "const %c: i32[2] = [123456789, -15221]"),
        ('loc("m.tflite", "scale 0.123456789")', 'loc("m.tflite", "scale 0.123456789")'),
        ("%v0.123456789: f32[2] = relu(%a-1.23456)", "%v0.123456789: f32[2] = relu(%a-1.23456)"),
        ('%"0.123456789": f32[2]', '%"0.123456789": f32[2]'),
        ("{low=0.0, high=6.0, big=inf}", "{low=0.0, high=6.0, big=inf}"),
    ],
)
def test_floats_are_rounded_and_marked_and_nothing_else(statement: str, short: str) -> None:
    assert shortened(statement) == short


_TEXT = """graph 2 "g" {
  input %x: i8[1,4]<0.003921568859368563, -128>
  %y: i8[1,4]<0.003921568859368563, -128> = relu(%x)
  output %y
}
"""


def test_short_text_is_not_read_back_with_other_numbers() -> None:
    short = print_graph(parse_graph(_TEXT), short=True)
    assert "<~0.003922, -128>" in short
    with pytest.raises(ParseError):
        parse_graph(short)


def test_short_text_that_loses_nothing_is_read_back_and_fits() -> None:
    name = "a" * 200
    text = _TEXT.replace("0.003921568859368563", "0.5").replace("%y", f"%{name}")
    short = print_graph(parse_graph(text), short=True)
    assert print_graph(parse_graph(short)) == print_graph(parse_graph(text))
    assert max(map(len, short.splitlines())) <= COLUMNS
