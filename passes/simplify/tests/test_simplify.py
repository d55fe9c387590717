"""Simplify as a whole: by hand, and on random graphs."""

import pytest
from tinsmith_ir.dtypes import DType
from tinsmith_ir.errors import UsageError
from tinsmith_ir.parser import parse_graph
from tinsmith_ir.passes import GraphPass
from tinsmith_ir.pipeline import Pipeline
from tinsmith_ir.testing import assert_rewrites, assert_same_bits, random_graph, random_inputs
from tinsmith_simplify import (
    FoldConstants,
    MergeCommonSubexpressions,
    RemoveDeadCode,
    RemoveIdentities,
    Simplify,
    SimplifyLayout,
)

PASSES: tuple[GraphPass, ...] = (
    FoldConstants(),
    RemoveIdentities(),
    SimplifyLayout(),
    MergeCommonSubexpressions(),
    RemoveDeadCode(),
)


def test_what_one_pass_uncovers_the_next_takes() -> None:
    """Two branches are equal once a constant is folded and what it multiplies by one is gone."""
    assert_rewrites(
        Simplify(),
        """graph 2 "g" {
          input %x: f32[1,4,1]
          const %half: f32[1] = [0.5]
          %one: f32[1] = add(%half, %half)
          %a: f32[1,4,1] = mul(%x, %one)
          %b: f32[4,1,1] = transpose(%a) {permutation=[1,2,0]}
          %c: f32[4] = reshape(%b) {shape=[4]}
          %d: f32[4] = reshape(%x) {shape=[4]}
          %e: f32[4] = relu(%c)
          %f: f32[4] = relu(%d)
          %unread: f32[4] = softmax(%f)
          %y: f32[4] = add(%e, %f)
          output %y
        }""",
        """graph 2 "g" {
          input %x: f32[1,4,1]
          %c: f32[4] = reshape(%x) {shape=[4]}
          %e: f32[4] = relu(%c)
          %y: f32[4] = add(%e, %e)
          output %y
        }""",
    )


def test_a_graph_that_is_simple_stays_the_same_object() -> None:
    graph = parse_graph(
        """graph 2 "g" {
          input %x: i8[1,2]<0.5, 0>
          const %w: i8[2,2]<0.5, 0> = [1, 2, 3, 4]
          %a: i8[1,2]<0.5, 0> = fully_connected(%x, %w) {activation=relu}
          %y: i8[1,2]<0.00390625, -128> = softmax(%a)
          output %y
        }"""
    )
    assert Simplify().run(graph) is graph


@pytest.mark.parametrize("dtype", [DType.INT8, DType.FLOAT32])
@pytest.mark.parametrize("seed", range(30))
def test_random_graphs_keep_their_bits_after_each_pass(seed: int, dtype: DType) -> None:
    graph = random_graph(seed, dtype=dtype, nodes=12)
    result = Pipeline(PASSES).run(graph, random_inputs(graph, seed))
    assert all(record.verified for record in result.records)
    assert len(result.graph.nodes) <= len(graph.nodes)


@pytest.mark.parametrize("seed", range(30))
def test_random_graphs_keep_their_bits_and_reach_an_end(seed: int) -> None:
    graph = random_graph(seed, nodes=12)
    simplified = Simplify().run(graph)
    assert_same_bits(graph, simplified)
    assert Simplify().run(simplified) is simplified


def test_no_rounds_are_wrong_use() -> None:
    with pytest.raises(UsageError, match="expected max_rounds from 1, got 0"):
        Simplify(max_rounds=0)
