"""MergeCommonSubexpressions."""

from tinsmith_ir.parser import parse_graph
from tinsmith_ir.testing import assert_rewrites
from tinsmith_simplify import MergeCommonSubexpressions


def test_equal_nodes_and_constants_are_merged_through_their_readers() -> None:
    assert_rewrites(
        MergeCommonSubexpressions(),
        """graph 2 "g" {
          input %x: f32[2]
          const %a: f32[2] = [1.0, 2.0]
          const %b: f32[2] = [1.0, 2.0]
          %s: f32[2] = add(%x, %a)
          %t: f32[2] = add(%x, %b)
          %u: f32[2] = relu(%s)
          %v: f32[2] = relu(%t)
          %y: f32[2] = mul(%u, %v)
          output %y
        }""",
        """graph 2 "g" {
          input %x: f32[2]
          const %a: f32[2] = [1.0, 2.0]
          %s: f32[2] = add(%x, %a)
          %u: f32[2] = relu(%s)
          %y: f32[2] = mul(%u, %u)
          output %y
        }""",
    )


def test_an_output_stays_but_its_readers_read_the_first() -> None:
    assert_rewrites(
        MergeCommonSubexpressions(),
        """graph 2 "g" {
          input %x: f32[2]
          %s: f32[2] = relu(%x)
          %t: f32[2] = relu(%x)
          %y: f32[2] = add(%s, %t)
          output %t
          output %y
        }""",
        """graph 2 "g" {
          input %x: f32[2]
          %s: f32[2] = relu(%x)
          %t: f32[2] = relu(%x)
          %y: f32[2] = add(%s, %s)
          output %t
          output %y
        }""",
    )


def test_other_operands_attributes_or_types_are_not_equal() -> None:
    graph = parse_graph(
        """graph 2 "g" {
          input %x: i8[2]<0.5, 0>
          input %z: i8[2]<0.5, 0>
          %a: i8[2]<0.5, 0> = add(%x, %z)
          %b: i8[2]<0.5, 0> = add(%z, %x)
          %c: i8[2]<0.5, 1> = add(%x, %z)
          %d: i8[2]<0.5, 0> = add(%x, %z) {activation=relu}
          output %a
          output %b
          output %c
          output %d
        }"""
    )
    assert MergeCommonSubexpressions().run(graph) is graph


def test_constants_of_equal_bytes_but_other_types_are_not_equal() -> None:
    graph = parse_graph(
        """graph 2 "g" {
          input %x: i8[2]<0.5, 0>
          const %a: i8[2]<0.5, 0> = [1, 2]
          const %b: i8[2]<0.25, 0> = [1, 2]
          const %c: i8[1,2]<0.5, 0> = [1, 2]
          %s: i8[2]<0.5, 0> = add(%x, %a)
          %t: i8[2]<0.5, 0> = add(%s, %b)
          %y: i8[1,2]<0.5, 0> = add(%t, %c)
          output %y
        }"""
    )
    assert MergeCommonSubexpressions().run(graph) is graph


def test_zeros_of_other_sign_are_not_equal() -> None:
    graph = parse_graph(
        """graph 2 "g" {
          input %x: f32[2]
          %a: f32[3] = pad(%x) {padding=[0,1], value=0.0}
          %b: f32[3] = pad(%x) {padding=[0,1], value=-0.0}
          %y: f32[6] = concat(%a, %b)
          output %y
        }"""
    )
    assert MergeCommonSubexpressions().run(graph) is graph
