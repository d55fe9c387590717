"""RemoveIdentities: each pattern fires where it is exact, and only there."""

import pytest
from tinsmith_ir.parser import parse_graph
from tinsmith_ir.printer import print_graph
from tinsmith_ir.testing import assert_rewrites
from tinsmith_simplify import RemoveIdentities

F32 = "f32[1,2,2,3]"
I8 = "i8[1,2,2,3]<0.5, -3>"


def between(type_: str, lines: str, constants: str = "") -> str:
    """A graph of x -> a (relu6), `lines` from a to b, b -> y (relu6), all of one type."""
    return f"""graph 2 "g" {{
      input %x: {type_}
      {constants}
      %a: {type_} = relu6(%x)
      {lines}
      %y: {type_} = relu6(%b)
      output %y
    }}"""


def without(type_: str) -> str:
    """The same graph with nothing in between."""
    return f"""graph 2 "g" {{
      input %x: {type_}
      %a: {type_} = relu6(%x)
      %y: {type_} = relu6(%a)
      output %y
    }}"""


@pytest.mark.parametrize(
    ("type_", "line"),
    [
        (F32, f"%b: {F32} = reshape(%a) {{shape=[1,2,2,3]}}"),
        (F32, f"%b: {F32} = transpose(%a) {{permutation=[0,1,2,3]}}"),
        (F32, f"%b: {F32} = pad(%a) {{padding=[0,0,0,0,0,0,0,0]}}"),
        (F32, f"%b: {F32} = slice(%a) {{begin=[0,0,0,0], shape=[1,2,2,3]}}"),
        (F32, f"%b: {F32} = slice(%a) {{begin=[0,0,0,0], shape=[1,2,2,3], strides=[-2,1,1,1]}}"),
        (F32, f"%b: {F32} = concat(%a)"),
        (I8, f"%b: {I8} = concat(%a) {{axis=3}}"),
        (I8, f"%b: {I8} = requantize(%a)"),
        (I8, f"%b: {I8} = average_pool2d(%a)"),
        (I8, f"%b: {I8} = max_pool2d(%a)"),
        (I8, f"%f: {F32} = dequantize(%a)\n %b: {I8} = quantize(%f)"),
    ],
)
def test_it_disappears(type_: str, line: str) -> None:
    assert_rewrites(RemoveIdentities(), between(type_, line), without(type_))


@pytest.mark.parametrize(
    ("type_", "line"),
    [
        (F32, f"%b: {F32} = transpose(%a) {{permutation=[0,2,1,3]}}"),
        (F32, f"%b: {F32} = slice(%a) {{begin=[0,0,1,0], shape=[1,2,2,3], strides=[1,1,-1,1]}}"),
        (F32, f"%b: {F32} = concat(%a) {{activation=relu}}"),
        (F32, f"%b: {F32} = average_pool2d(%a)"),
        (F32, f"%b: {F32} = relu(%a)"),
        (I8, f"%b: {I8} = relu(%a)"),
        (I8, f"%b: {I8} = max_pool2d(%a) {{activation=relu}}"),
        (I8, f"%b: {I8} = average_pool2d(%a) {{window=[2,2], padding=[1,0,1,0]}}"),
        (I8, f"%f: {F32} = dequantize(%a)\n%r: {F32} = relu(%f)\n%b: {I8} = quantize(%r)"),
        (I8, f"%c: i8[1,2,2,3]<1.0, -3> = requantize(%a)\n%b: {I8} = requantize(%c)"),
    ],
)
def test_it_stays(type_: str, line: str) -> None:
    graph = parse_graph(between(type_, line))
    assert RemoveIdentities().run(graph) is graph


def test_a_relu_that_clamps_nothing_disappears() -> None:
    """With the zero point at -128 there is no integer for a negative number."""
    type_ = "i8[4]<0.5, -128>"
    assert_rewrites(RemoveIdentities(), between(type_, f"%b: {type_} = relu(%a)"), without(type_))


def test_a_relu6_whose_range_ends_at_six_disappears() -> None:
    type_ = "i8[4]<0.0235294122248888, -128>"
    assert_rewrites(
        RemoveIdentities(),
        f'graph 2 "g" {{\ninput %x: {type_}\n%a: {type_} = relu6(%x)\n'
        f"%y: {type_} = add(%a, %x)\noutput %y\n}}",
        f'graph 2 "g" {{\ninput %x: {type_}\n%y: {type_} = add(%x, %x)\noutput %y\n}}',
    )


@pytest.mark.parametrize(
    ("constant", "line"),
    [
        ("const %c: f32[3] = [-0.0, -0.0, -0.0]", "add(%a, %c)"),
        ("const %c: f32[3] = [-0.0, -0.0, -0.0]", "add(%c, %a)"),
        ("const %c: f32[1] = [0.0]", "sub(%a, %c)"),
        ("const %c: f32[1,2,2,1] = [1.0, 1.0, 1.0, 1.0]", "mul(%a, %c)"),
        ("const %c: f32[1] = [1.0]", "mul(%c, %a)"),
    ],
)
def test_float_operations_on_nothing_disappear(constant: str, line: str) -> None:
    assert_rewrites(RemoveIdentities(), between(F32, f"%b: {F32} = {line}", constant), without(F32))


@pytest.mark.parametrize(
    ("constant", "line"),
    [
        ("const %c: f32[1] = [0.0]", "add(%a, %c)"),
        ("const %c: f32[1] = [-0.0]", "sub(%a, %c)"),
        ("const %c: f32[1] = [0.0]", "sub(%c, %a)"),
        ("const %c: f32[3] = [1.0, 1.0, 1.5]", "mul(%a, %c)"),
        ("const %c: f32[1] = [1.0]", "mul(%a, %c) {activation=relu}"),
    ],
)
def test_float_operations_that_change_some_number_stay(constant: str, line: str) -> None:
    graph = parse_graph(between(F32, f"%b: {F32} = {line}", constant))
    assert RemoveIdentities().run(graph) is graph


@pytest.mark.parametrize(
    ("constant", "line"),
    [
        ("const %c: i8[1]<0.5, 7> = [7]", "add(%a, %c)"),
        ("const %c: i8[3]<0.5, 7> = [7, 7, 7]", "add(%c, %a)"),
        ("const %c: i8[1]<0.5, -3> = [127]", "minimum(%a, %c)"),
        ("const %c: i8[1]<0.5, 7> = [7]", "sub(%a, %c)"),
        ("const %c: i8[1]<0.25, 3> = [7]", "mul(%a, %c)"),
    ],
)
def test_integer_operations_on_nothing_disappear(constant: str, line: str) -> None:
    assert_rewrites(RemoveIdentities(), between(I8, f"%b: {I8} = {line}", constant), without(I8))


@pytest.mark.parametrize(
    ("constant", "line"),
    [
        ("const %c: i8[3]<0.5, 7> = [7, 8, 7]", "add(%a, %c)"),
        ("const %c: i8[1]<0.5, -3> = [126]", "minimum(%a, %c)"),
        ("const %c: i8[1]<0.5, 7> = [7]", "add(%a, %c) {activation=relu}"),
        ("const %c: i8[1]<0.25, 3> = [8]", "mul(%a, %c)"),
        ("const %c: i8[1]<0.5, 7> = [7]", "sub(%c, %a)"),
    ],
)
def test_integer_operations_that_change_some_integer_stay(constant: str, line: str) -> None:
    graph = parse_graph(between(I8, f"%b: {I8} = {line}", constant))
    assert RemoveIdentities().run(graph) is graph


def test_an_operand_that_is_smaller_than_the_result_stays() -> None:
    graph = parse_graph(
        """graph 2 "g" {
          input %x: f32[1]
          const %c: f32[4] = [1.0, 1.0, 1.0, 1.0]
          %b: f32[4] = mul(%x, %c)
          %y: f32[4] = relu(%b)
          output %y
        }"""
    )
    assert RemoveIdentities().run(graph) is graph


def test_an_output_keeps_its_name_and_its_producer_takes_it() -> None:
    assert_rewrites(
        RemoveIdentities(),
        """graph 2 "g" {
          input %x: f32[2]
          %a: f32[2] = relu(%x)
          %y: f32[2] = reshape(%a) {shape=[2]}
          %z: f32[2] = relu6(%a)
          output %y
          output %z
        }""",
        """graph 2 "g" {
          input %x: f32[2]
          %y: f32[2] = relu(%x)
          %z: f32[2] = relu6(%y)
          output %y
          output %z
        }""",
    )


@pytest.mark.parametrize(
    "text",
    [
        """graph 2 "g" {
          input %x: f32[2]
          %y: f32[2] = reshape(%x) {shape=[2]}
          output %y
        }""",
        """graph 2 "g" {
          input %x: f32[2]
          %y: f32[2] = relu(%x)
          %z: f32[2] = reshape(%y) {shape=[2]}
          output %y
          output %z
        }""",
    ],
)
def test_an_output_that_must_be_a_copy_stays(text: str) -> None:
    graph = parse_graph(text)
    assert print_graph(RemoveIdentities().run(graph)) == print_graph(graph)


@pytest.mark.parametrize(
    ("quantization", "clamp", "goes"),
    [
        ("<0.02, -128>", "relu", True),
        ("<0.02, -127>", "relu", False),
        ("<0.02, -128>", "relu6", True),
        ("<0.03, -128>", "relu6", False),
    ],
    ids=["least_is_zero", "one_below_zero", "largest_below_six", "largest_above_six"],
)
def test_a_clamp_that_no_integer_reaches_goes(quantization: str, clamp: str, goes: bool) -> None:
    def graph(attributes: str) -> str:
        return f"""graph 2 "g" {{
          input %x: i8[4]<0.05, 1>
          input %z: i8[4]<0.04, 2>
          %y: i8[4]{quantization} = add(%x, %z){attributes}
          output %y
        }}"""

    given = graph(f" {{activation={clamp}}}")
    assert_rewrites(RemoveIdentities(), given, graph("") if goes else given)


def test_a_clamp_of_floats_stays() -> None:
    given = """graph 2 "g" {
      input %x: f32[4]
      %y: f32[4] = add(%x, %x) {activation=relu}
      output %y
    }"""
    assert_rewrites(RemoveIdentities(), given, given)


def test_a_clamp_that_is_an_operator_stays_one() -> None:
    given = """graph 2 "g" {
      input %x: i8[4]<0.02, -128>
      %y: i8[4]<0.001, 0> = relu_n1_to_1(%x)
      output %y
    }"""
    assert_rewrites(RemoveIdentities(), given, given)
