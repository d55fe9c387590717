"""The pipeline verifies, times, and holds passes to their contracts."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pytest
from tinsmith_ir import (
    BIT_EXACT,
    Contract,
    Graph,
    GraphError,
    NumericChange,
    Pipeline,
    Relu6,
    Remarks,
    parse_graph,
)
from tinsmith_ir.testing import random_inputs

TEXT = """graph 2 "g" {
  input %x: f32[8]
  %a: f32[8] = add(%x, %x)
  %b: f32[8] = relu(%a) loc("m.tflite", "op 1")
  %y: f32[8] = mul(%b, %b)
  output %y
}"""


@dataclass(frozen=True)
class Change:
    function: Callable[[Graph], Graph]
    contract: Contract = BIT_EXACT
    name: str = "change"

    def run(self, graph: Graph) -> Graph:
        return self.function(graph)


class Doubt(Change):
    def run_with_remarks(self, graph: Graph) -> tuple[Graph, Remarks]:
        return self.run(graph), Remarks(("it may be better",), "guess")


def keep(graph: Graph) -> Graph:
    return graph


def negate_less(graph: Graph) -> Graph:
    nodes = [replace(node, operator=Relu6()) if node.name == "b" else node for node in graph.nodes]
    return graph.rebuilt(nodes=nodes)


def forget(graph: Graph) -> Graph:
    return graph.rebuilt(nodes=graph.nodes[1:])


def rename_output(graph: Graph) -> Graph:
    return graph.rebuilt(outputs=[graph.nodes[0].outputs[0]])


def test_records_say_what_ran_and_whether_it_was_compared() -> None:
    graph = parse_graph(TEXT)
    passes = [Change(keep), Change(negate_less, NumericChange("clamps at 6"), "clamp")]
    plain = Pipeline(passes).run(graph)
    assert [record.verified for record in plain.records] == [False, False]
    result = Pipeline(passes).run(graph, verify_inputs=random_inputs(graph))
    assert [(r.name, str(r.contract), r.verified) for r in result.records] == [
        ("change", "bit_exact", True),
        ("clamp", "numeric_change: clamps at 6", False),
    ]
    assert all(record.seconds >= 0 for record in result.records)
    assert result.graph.nodes[1].operator == Relu6()


def test_records_keep_the_warnings_of_passes_that_have_some() -> None:
    result = Pipeline([Change(keep), Doubt(keep)]).run(parse_graph(TEXT))
    assert [record.warnings for record in result.records] == [(), ("it may be better",)]
    assert [record.found_by for record in result.records] == ["", "guess"]


def test_a_broken_promise_names_the_pass_and_the_first_tensor() -> None:
    graph = parse_graph(TEXT)
    inputs = {"x": np.arange(8, dtype=np.float32)}
    passes = [Change(keep), Change(negate_less, name="clamp-more"), Change(keep)]
    with pytest.raises(GraphError) as caught:
        Pipeline(passes).run(graph, verify_inputs=inputs)
    assert "'clamp-more' promised bit_exact but changed %b in" in str(caught.value)
    assert "m.tflite: op 1" in str(caught.value)


def test_a_pass_that_breaks_the_graph_is_named() -> None:
    with pytest.raises(GraphError, match=r"pass 'change' made a graph that is not valid.*%a"):
        Pipeline([Change(forget)]).run(parse_graph(TEXT))


def test_a_pass_may_not_change_the_interface() -> None:
    with pytest.raises(GraphError, match="expected the inputs and outputs to stay"):
        Pipeline([Change(rename_output)]).run(parse_graph(TEXT))


def test_an_invalid_graph_is_not_blamed_on_the_first_pass() -> None:
    with pytest.raises(GraphError, match=r"^graph 'g'"):
        Pipeline([Change(keep)]).run(forget(parse_graph(TEXT)))
