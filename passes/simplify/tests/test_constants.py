"""FoldConstants."""

from tinsmith_ir.parser import parse_graph
from tinsmith_ir.passes import Pass
from tinsmith_ir.printer import print_graph
from tinsmith_ir.testing import assert_rewrites
from tinsmith_simplify import FoldConstants


def test_a_chain_of_nodes_on_constants_becomes_a_constant() -> None:
    assert_rewrites(
        FoldConstants(),
        """graph "g" {
          input %x: f32[2]
          const %a: f32[2] = [1.0, -2.0]
          const %b: f32[1] = [0.5]
          %sum: f32[2] = add(%a, %b)
          %clamped: f32[2] = relu(%sum)
          %y: f32[2] = mul(%x, %clamped)
          output %y
        }""",
        """graph "g" {
          input %x: f32[2]
          const %a: f32[2] = [1.0, -2.0]
          const %b: f32[1] = [0.5]
          const %sum: f32[2] = [1.5, -1.5]
          const %clamped: f32[2] = [1.5, 0.0]
          %y: f32[2] = mul(%x, %clamped)
          output %y
        }""",
    )


def test_integers_fold_with_their_rounding() -> None:
    assert_rewrites(
        FoldConstants(),
        """graph "g" {
          input %x: i8[2]<0.25, 0>
          const %a: i8[2]<0.5, 0> = [3, -100]
          %b: i8[2]<0.25, 0> = requantize(%a)
          %y: i8[2]<0.5, 0> = add(%x, %b)
          output %y
        }""",
        """graph "g" {
          input %x: i8[2]<0.25, 0>
          const %a: i8[2]<0.5, 0> = [3, -100]
          const %b: i8[2]<0.25, 0> = [6, -128]
          %y: i8[2]<0.5, 0> = add(%x, %b)
          output %y
        }""",
    )


def unchanged(pass_: Pass, text: str) -> None:
    graph = parse_graph(text)
    assert print_graph(pass_.run(graph)) == print_graph(graph)


def test_a_node_that_reads_an_input_stays() -> None:
    unchanged(
        FoldConstants(),
        """graph "g" {
          input %x: f32[2]
          const %a: f32[2] = [1.0, 2.0]
          %y: f32[2] = add(%a, %x)
          output %y
        }""",
    )


def test_a_node_that_computes_an_output_stays() -> None:
    unchanged(
        FoldConstants(),
        """graph "g" {
          const %a: f32[2] = [1.0, 2.0]
          %y: f32[2] = relu(%a)
          output %y
        }""",
    )


def test_a_result_above_the_limit_stays() -> None:
    text = """graph "g" {
      input %x: f32[100]
      const %a: f32[1] = [1.0]
      %wide: f32[100] = pad(%a) {padding=[0,99]}
      %y: f32[100] = add(%x, %wide)
      output %y
    }"""
    unchanged(FoldConstants(max_bytes=399), text)
    assert len(FoldConstants(max_bytes=400).run(parse_graph(text)).nodes) == 1
