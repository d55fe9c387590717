"""What is printed parses back to the same object, to the bit."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from tinsmith_ir import (
    OPERATORS,
    Array,
    Constant,
    DType,
    Graph,
    Location,
    Node,
    Pad,
    Program,
    Quantization,
    Relu,
    TensorType,
    Value,
    parse_graph,
    parse_program,
    print_graph,
    print_program,
)
from tinsmith_ir.testing import GraphBuilder, random_graph

README = Path(__file__).parent.parent / "README.md"


def same_bytes(first: Array, second: Array) -> bool:
    return (first.shape, first.dtype, first.tobytes()) == (
        second.shape,
        second.dtype,
        second.tobytes(),
    )


def assert_same_graph(first: Graph, second: Graph) -> None:
    assert (first.name, first.inputs, first.outputs, first.nodes) == (
        second.name,
        second.inputs,
        second.outputs,
        second.nodes,
    )
    assert [node.location for node in first.nodes] == [node.location for node in second.nodes]
    assert [c.value for c in first.constants] == [c.value for c in second.constants]
    for one, other in zip(first.constants, second.constants, strict=True):
        assert same_bytes(one.data, other.data)


def assert_same_program(first: Program, second: Program) -> None:
    fields = (
        "name",
        "target",
        "memories",
        "engines",
        "buffers",
        "views",
        "steps",
        "inputs",
        "outputs",
    )
    for field in fields:
        assert getattr(first, field) == getattr(second, field), field
    assert [(c.name, c.type, c.layout, c.memory) for c in first.constants] == [
        (c.name, c.type, c.layout, c.memory) for c in second.constants
    ]
    for one, other in zip(first.constants, second.constants, strict=True):
        assert same_bytes(one.data, other.data)


def test_every_operator_round_trips_in_random_networks() -> None:
    seen: set[str] = set()
    for seed in range(120):
        graph = random_graph(seed)
        assert_same_graph(graph, parse_graph(print_graph(graph)))
        seen |= {node.operator.mnemonic for node in graph.nodes}
    assert seen == set(OPERATORS)


@pytest.mark.parametrize(
    "data",
    [
        np.array([0.1, -0.0, 1e-45, 3.4028235e38, 16777217], np.float32),
        np.array([np.nan, np.inf, -np.inf], np.float32),
        np.array([0x7FC00001], np.uint32).view(np.float32),
        np.random.default_rng(0).standard_normal(100).astype(np.float32),
        np.array([-128, 127], np.int8),
        np.arange(-30000, 30000, 7).astype(np.int16),
        np.array([-(2**31), 2**31 - 1], np.int32),
        np.array([True, False]),
        np.ones((3, 7), np.bool_),
        np.array(5, np.int32),
    ],
)
def test_constants_keep_their_bytes(data: Array) -> None:
    builder = GraphBuilder()
    constant = builder.constant("c", data)
    graph = builder.build(constant)
    assert_same_graph(graph, parse_graph(print_graph(graph)))


def test_scales_and_attributes_keep_every_bit() -> None:
    scales = (1 / 3, 1e-30, float(np.float32(0.1)), 1e-45)
    type_ = TensorType((1, 4), DType.INT32, Quantization(scales, (0, 1, -2, 3), 1))
    graph = Graph("g", (Value("x", type_),), (Value("x", type_),), ())
    assert parse_graph(print_graph(graph)).inputs[0].type == type_
    builder = GraphBuilder()
    x = builder.input("x", TensorType((2,), DType.FLOAT32))
    padded = builder.build(builder.add(Pad(padding=(1, 1), value=0.1 + 0.2), [x]))
    assert parse_graph(print_graph(padded)).nodes == padded.nodes


def test_names_and_locations_may_hold_anything() -> None:
    type_ = TensorType((1,), DType.FLOAT32)
    names = ["a b", 'quo"te', "new\nline", "ümlaut;😀", "%", "\\", "model/a:0", "plain_1.x/y-z"]
    values = [Value(name, type_) for name in names]
    nodes = [
        Node(Relu(), (one,), (other,), Location('f"ile.tflite', "op\n1"))
        for one, other in pairwise(values)
    ]
    graph = Graph("n\t", (values[0],), (values[-1],), tuple(nodes))
    assert_same_graph(graph, parse_graph(print_graph(graph)))


def test_parsed_constants_are_read_only() -> None:
    graph = parse_graph('graph 2 "g" { const %c: i8[2] = [1, 2] output %c }')
    assert not graph.constants[0].data.flags.writeable
    assert isinstance(graph.constants[0], Constant)


def test_a_summary_is_short_and_does_not_parse_back() -> None:
    builder = GraphBuilder()
    graph = builder.build(builder.constant("c", np.zeros(1000, np.int8)))
    text = print_graph(graph, constants="summary")
    assert len(text) < 120
    with pytest.raises(Exception, match="print them inline"):
        parse_graph(text)


PROGRAM = """program 2 "p" for "cortex-m4" {
  memory "arena" size 1024 align 16
  memory "fast" align 4 remote
  memory "flash" align 16
  engine "dma" reaches "arena", "fast" unordered depth 2 align 4
  buffer %x: i8[1,16]<0.5, 0> in "arena" at 0
  buffer %y: i8[1,4]<0.25, -1> in "arena" at 16
  view %flat: i8[4]<0.25, -1> of %y
  buffer %copy: i8[4]<0.25, -1> in "fast"
  buffer %lines: 96 bytes in "arena" at 64
  view %other: i8[4]<0.25, -1> of %lines start 8
  view %window: i8[2,4]<0.25, -1> of %lines strides [16,1] ring axis 0 of 3 at 1
  buffer %fc.scratch: i8[32] in "arena" at 32
  const %w: i8[4,16]<0.5, 0> = base64 "%W%"
  const %b: i32[4] = [1, -2, 3, -4]
  const %fc.shifts: i32[2] layout "shifts" in "flash" = [3, 4]
  input %x
  call "fc" kernel "arm_fully_connected_s8": %y = fully_connected(%x, %w, %b) {activation=relu} scratch %fc.scratch \
reads %b, %fc.shifts reason "no \\"dsp\\""
      loc("a.tflite", "op 0")
  copy %flat -> %copy on "dma" token 3
  wait 3
  call "id" kernel "copy": %other = reshape(%flat) {shape=[4]}
  output %copy
}
"""


def test_a_program_prints_as_it_was_written() -> None:
    text = PROGRAM.replace("%W%", "AQ" + "ID" * 41 + "AQ==")
    program = parse_program(text)
    assert print_program(program) == text
    assert_same_program(program, parse_program(print_program(program)))
    assert program.view["flat"].buffer == "y"
    assert program.memories[1].size_bytes is None
    assert program.calls[0].scratch == "fc.scratch"
    assert program.calls[0].reason == 'no "dsp"'


def test_the_graph_in_the_readme_parses() -> None:
    readme = README.read_text(encoding="utf-8")
    start = readme.index('graph 2 "tiny"')
    graph = parse_graph(readme[start : readme.index('"""', start)])
    assert graph.macs == 4 * 4 * 2 * 9


def test_the_program_in_the_readme_prints_as_it_stands_there() -> None:
    readme = README.read_text(encoding="utf-8")
    start = readme.index('program 2 "copy"')
    text = readme[start : readme.index("```", start)]
    assert print_program(parse_program(text)) == text


def test_the_grammar_in_the_readme_names_every_dtype_and_mnemonic() -> None:
    readme = README.read_text(encoding="utf-8")
    for dtype in DType:
        assert f"'{dtype.value}'" in readme
    for mnemonic, operator in OPERATORS.items():
        assert f"`{mnemonic}`" in readme
        assert operator.__name__ in readme
