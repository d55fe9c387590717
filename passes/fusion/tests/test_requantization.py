"""FuseRequantization."""

import pytest
from tinsmith_fusion import FuseRequantization
from tinsmith_ir.parser import parse_graph
from tinsmith_ir.testing import assert_rewrites


def graph(type_: str, *lines: str) -> str:
    body = "\n".join(lines)
    return f'graph 2 "g" {{\ninput %x: {type_}\n{body}\noutput %y\n}}'


@pytest.mark.parametrize(
    ("x", "middle", "y", "first", "second", "both"),
    [
        pytest.param(
            "i8[300]<0.5, 3>",
            "i16[300]<0.25, 0>",
            "i8[300]<0.5, -7>",
            "requantize",
            "requantize",
            "requantize",
            id="through a finer quantization",
        ),
        pytest.param(
            "u8[300]<0.5, 131>",
            "i8[300]<0.5, 3>",
            "i8[300]<0.3, -7>",
            "requantize",
            "requantize",
            "requantize",
            id="bytes become int8 first",
        ),
        pytest.param(
            "i8[300]<0.5, 3>",
            "i8[300]<0.5, -7>",
            "i8[300]<1.0, -128>",
            "relu",
            "requantize",
            "requantize",
            id="the result has no negative numbers anyway",
        ),
        pytest.param(
            "i8[300]<0.5, 3>",
            "i8[300]<0.5, 3>",
            "i8[300]<1.0, 0>",
            "relu",
            "requantize",
            "relu",
            id="clamp before rescaling",
        ),
        pytest.param(
            "i8[300]<0.5, 3>",
            "f32[300]",
            "i8[300]<0.75, 0>",
            "dequantize",
            "quantize",
            "requantize",
            id="through real numbers",
        ),
    ],
)
def test_two_become_one(x: str, middle: str, y: str, first: str, second: str, both: str) -> None:
    attribute = "{dtype=i16}" if middle.startswith("i16") else ""
    assert_rewrites(
        FuseRequantization(),
        graph(x, f"%a: {middle} = {first}(%x) {attribute}", f"%y: {y} = {second}(%a)"),
        graph(x, f"%y: {y} = {both}(%x)"),
    )


@pytest.mark.parametrize(
    ("x", "lines"),
    [
        pytest.param(
            "i8[4]<0.3, 3>",
            ("%a: i8[4]<1.0, 3> = requantize(%x)", "%y: i8[4]<0.3, 3> = requantize(%a)"),
            id="the middle is coarser",
        ),
        pytest.param(
            "i8[4]<1.0, 0>",
            ("%a: i8[4]<0.5, 0> = requantize(%x)", "%y: i8[4]<1.0, 0> = requantize(%a)"),
            id="the middle saturates",
        ),
        pytest.param(
            "i8[4]<1.0, 0>",
            ("%a: i8[4]<1.0, 0> = add(%x, %x)", "%y: i8[4]<2.0, 0> = requantize(%a)"),
            id="no table of two operands",
        ),
        pytest.param(
            "f32[4]",
            ("%a: i8[4]<1.0, 0> = quantize(%x)", "%y: i8[4]<2.0, 0> = requantize(%a)"),
            id="no table of real numbers",
        ),
        pytest.param(
            "i8[4]<1.0e6, 0>",
            ("%a: i8[4]<1.0, 0> = requantize(%x)", "%y: i8[4]<1.0e-6, 0> = requantize(%a)"),
            id="scales too far apart for one step",
        ),
    ],
)
def test_it_stays(x: str, lines: tuple[str, ...]) -> None:
    before = parse_graph(graph(x, *lines))
    assert FuseRequantization().run(before) is before
