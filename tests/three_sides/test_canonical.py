"""What `assert_same` takes for the same graph, and what not."""

import pytest
from canonical import assert_same
from tinsmith_ir.parser import parse_graph


def _graph(*lines: str) -> str:
    body = "\n".join(lines)
    return f'graph 2 "g" {{\ninput %x: f32[1,2]\n{body}\noutput %y\n}}'


_ONE = _graph(
    "const %w: f32[1,2] = [1.0, 2.0]",
    "%a: f32[1,2] = relu(%x)",
    "%b: f32[1,2] = tanh(%x)",
    "%c: f32[1,2] = mul(%a, %w)",
    "%y: f32[1,2] = add(%b, %c)",
)


def test_names_and_the_order_of_nodes_do_not_count() -> None:
    other = _graph(
        "const %weights: f32[1,2] = [1.0, 2.0000002]",
        "%one: f32[1,2] = tanh(%x)",
        "%two: f32[1,2] = relu(%x)",
        "%three: f32[1,2] = mul(%two, %weights)",
        "%y: f32[1,2] = add(%one, %three)",
    )
    assert_same(parse_graph(_ONE), parse_graph(other))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("[1.0, 2.0]", "[1.0, 2.000001]"),
        ("tanh(%x)", "relu(%x)"),
        ("mul(%a, %w)", "mul(%b, %w)"),
        ("add(%b, %c)", "add(%b, %c) {activation=relu}"),
    ],
    ids=["constant", "operator", "operand", "attribute"],
)
def test_anything_else_does(old: str, new: str) -> None:
    other = _ONE.replace(old, new)
    assert other != _ONE
    with pytest.raises(AssertionError):
        assert_same(parse_graph(_ONE), parse_graph(other))
