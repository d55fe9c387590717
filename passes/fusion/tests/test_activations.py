"""FuseActivations."""

import pytest
from tinsmith_fusion import FuseActivations
from tinsmith_ir.parser import parse_graph
from tinsmith_ir.testing import assert_rewrites

I8 = "i8[1,4,4,2]<0.5, -3>"

# (lines before the producer, the producer, its attributes, its result's type)
PRODUCERS = [
    (
        "input %x: i8[1,4,4,2]<0.25, 4>\n"
        "const %w: i8[2,1,1,2]<[0.5, 0.25], [0, 0], axis 0> = [1, -2, 3, 100]\n"
        "const %bias: i32[2] = [30, -40]",
        "conv2d(%x, %w, %bias)",
        "stride=[2,2]",
        "i8[1,2,2,2]<0.5, -3>",
    ),
    (
        "input %x: i8[1,4,4,2]<0.25, 4>\n"
        "const %w: i8[1,1,1,2]<[0.5, 0.25], [0, 0], axis 3> = [1, -2]",
        "depthwise_conv2d(%x, %w)",
        "padding=[0,1,0,1]",
        "i8[1,5,5,2]<0.5, -3>",
    ),
    (
        "input %x: i8[3,2]<0.25, 4>\nconst %w: i8[4,2]<0.5, 0> = [1, -2, 3, 100, 5, 6, 7, 8]",
        "fully_connected(%x, %w)",
        "",
        "i8[3,4]<0.5, -3>",
    ),
    (f"input %x: {I8}", "add(%x, %x)", "", "i8[1,4,4,2]<0.75, 5>"),
    (f"input %x: {I8}\ninput %z: {I8}", "sub(%x, %z)", "", "i8[1,4,4,2]<0.75, 5>"),
    (f"input %x: {I8}\ninput %z: {I8}", "mul(%x, %z)", "", "i8[1,4,4,2]<0.75, 5>"),
    (f"input %x: {I8}", "average_pool2d(%x)", "window=[2,2]", "i8[1,3,3,2]<0.5, -3>"),
    (f"input %x: {I8}", "max_pool2d(%x)", "window=[2,2]", "i8[1,3,3,2]<0.5, -3>"),
    ("input %x: f32[7]\ninput %z: f32[7]", "mul(%x, %z)", "", "f32[7]"),
]


def braces(*attributes: str) -> str:
    """Attributes in the order in which the printer writes them."""
    return f"{{{', '.join(a for a in attributes if a)}}}" if any(attributes) else ""


@pytest.mark.parametrize("clamp", ["relu", "relu6"])
@pytest.mark.parametrize(("before", "call", "attributes", "type_"), PRODUCERS)
def test_producer_takes_the_clamp_in(
    clamp: str, before: str, call: str, attributes: str, type_: str
) -> None:
    assert_rewrites(
        FuseActivations(),
        f"""graph 2 "g" {{
          {before}
          %a: {type_} = {call} {braces(attributes)}
          %y: {type_} = {clamp}(%a)
          output %y
        }}""",
        f"""graph 2 "g" {{
          {before}
          %y: {type_} = {call} {braces(attributes, f"activation={clamp}")}
          output %y
        }}""",
    )


@pytest.mark.parametrize(
    ("first", "second", "both"),
    [
        ("relu", "relu", "relu"),
        ("relu", "relu6", "relu6"),
        ("relu6", "relu", "relu6"),
        ("relu6", "relu6", "relu6"),
    ],
)
@pytest.mark.parametrize("type_", ["f32[300]", "i8[300]<0.0625, -20>"])
def test_clamps_compose(type_: str, first: str, second: str, both: str) -> None:
    assert_rewrites(
        FuseActivations(),
        f"""graph 2 "g" {{
          input %x: {type_}
          %a: {type_} = add(%x, %x) {{activation={first}}}
          %y: {type_} = {second}(%a)
          output %y
        }}""",
        f"""graph 2 "g" {{
          input %x: {type_}
          %y: {type_} = add(%x, %x) {{activation={both}}}
          output %y
        }}""",
    )


@pytest.mark.parametrize(
    ("type_", "lines"),
    [
        pytest.param(
            "i8[4]<0.25, -3>",
            "%a: i8[4]<0.5, -3> = add(%x, %x)\n%y: i8[4]<0.25, -3> = relu(%a)",
            id="rescales",
        ),
        pytest.param(
            "f32[4]",
            "%a: f32[4] = add(%x, %x)\n%b: f32[4] = relu(%a)\n%y: f32[4] = add(%a, %b)",
            id="others read the producer",
        ),
        pytest.param(
            "f32[4]",
            "%a: f32[4] = add(%x, %x)\n%y: f32[4] = relu(%a)\noutput %a",
            id="the producer is an output",
        ),
        pytest.param(
            "f32[4]",
            "%a: f32[4] = add(%x, %x) {activation=relu_n1_to_1}\n%y: f32[4] = relu(%a)",
            id="no single activation clamps to 0 and 1",
        ),
        pytest.param(
            "f32[4]",
            "%a: f32[4] = softmax(%x)\n%y: f32[4] = relu6(%a)",
            id="softmax does not clamp",
        ),
        pytest.param("f32[4]", "%y: f32[4] = relu(%x)", id="no producer"),
        pytest.param(
            "f32[4]",
            "%a: f32[4] = add(%x, %x)\n%y: f32[4] = add(%a, %a)",
            id="no clamp",
        ),
    ],
)
def test_it_stays(type_: str, lines: str) -> None:
    graph = parse_graph(f'graph 2 "g" {{\ninput %x: {type_}\n{lines}\noutput %y\n}}')
    assert FuseActivations().run(graph) is graph
