"""RemoveDeadCode."""

from tinsmith_ir.parser import parse_graph
from tinsmith_ir.testing import assert_rewrites
from tinsmith_simplify import RemoveDeadCode


def test_nodes_and_constants_without_readers_go_and_inputs_stay() -> None:
    assert_rewrites(
        RemoveDeadCode(),
        """graph 2 "g" {
          input %x: f32[2]
          input %unread: f32[1]
          const %a: f32[2] = [1.0, 2.0]
          const %b: f32[2] = [3.0, 4.0]
          %dead: f32[2] = add(%x, %b)
          %deader: f32[2] = relu(%dead)
          %y: f32[2] = add(%x, %a)
          output %y
        }""",
        """graph 2 "g" {
          input %x: f32[2]
          input %unread: f32[1]
          const %a: f32[2] = [1.0, 2.0]
          %y: f32[2] = add(%x, %a)
          output %y
        }""",
    )


def test_a_constant_that_is_an_output_stays() -> None:
    graph = parse_graph(
        """graph 2 "g" {
          input %x: f32[1]
          const %a: f32[1] = [1.0]
          output %a
        }"""
    )
    assert RemoveDeadCode().run(graph) is graph
