"""Patterns on graphs: they fire until none does, and the graph's interface stays."""

from dataclasses import replace

import numpy as np
import pytest
from tinsmith_ir import (
    Constant,
    DType,
    Graph,
    GraphError,
    Node,
    Relu,
    Relu6,
    Reshape,
    Rewrite,
    TensorType,
    Value,
    apply_patterns,
    erase_dead,
    parse_graph,
    print_graph,
)
from tinsmith_ir.rewrite import fresh_name, replace_value


def skip_relu(graph: Graph, node: Node) -> Rewrite | None:
    del graph
    return Rewrite(node.present_inputs) if isinstance(node.operator, Relu) else None


def text(*lines: str) -> str:
    return "\n".join(
        ['graph 2 "g" {', "  input %x: f32[2]", *(f"  {line}" for line in lines), "}", ""]
    )


def test_a_value_takes_the_place_of_a_result() -> None:
    before = text(
        "%a: f32[2] = relu(%x)",
        "%b: f32[2] = relu(%a)",
        "%c: f32[2] = add(%a, %b)",
        "output %c",
    )
    after = text("%c: f32[2] = add(%x, %x)", "output %c")
    assert print_graph(apply_patterns(parse_graph(before), [skip_relu])) == after


def test_an_output_keeps_its_name_when_its_node_goes() -> None:
    before = text(
        "%a: f32[2] = add(%x, %x)",
        "%b: f32[2] = relu(%a)",
        "%c: f32[2] = sub(%a, %b)",
        "output %b",
        "output %c",
    )
    after = text("%b: f32[2] = add(%x, %x)", "%c: f32[2] = sub(%b, %b)", "output %b", "output %c")
    assert print_graph(apply_patterns(parse_graph(before), [skip_relu])) == after


@pytest.mark.parametrize(
    "lines",
    [
        ("%y: f32[2] = relu(%x)", "output %y"),
        ("const %c: f32[2] = [1.0, 2.0]", "%y: f32[2] = relu(%c)", "output %y"),
        ("%a: f32[2] = relu6(%x)", "%y: f32[2] = relu(%a)", "output %a", "output %y"),
    ],
)
def test_an_output_that_could_not_keep_its_name_stays(lines: tuple[str, ...]) -> None:
    graph = parse_graph(text(*lines))
    assert apply_patterns(graph, [skip_relu]) is graph


def test_new_nodes_and_constants_come_in_the_place_of_the_old() -> None:
    def add_zero(graph: Graph, node: Node) -> Rewrite | None:
        if not isinstance(node.operator, Relu6):
            return None
        zero = Value(fresh_name(graph, "x"), node.outputs[0].type)
        data = np.zeros(2, np.float32)
        operator = parse_graph(text("%y: f32[2] = add(%x, %x)", "output %y")).nodes[0].operator
        new = Node(operator, (node.inputs[0], zero), node.outputs)
        return Rewrite(node.outputs, (new,), (Constant(zero, data),))

    graph = parse_graph(text("%y: f32[2] = relu6(%x)", "output %y"))
    expected = text("const %x_1: f32[2] = [0.0, 0.0]", "%y: f32[2] = add(%x, %x_1)", "output %y")
    assert print_graph(apply_patterns(graph, [add_zero])) == expected
    assert graph.nodes[0].operator == Relu6()


def test_a_pattern_that_never_ends_is_named() -> None:
    def turn_about(graph: Graph, node: Node) -> Rewrite | None:
        del graph
        other = Relu() if isinstance(node.operator, Relu6) else Relu6()
        return Rewrite(node.outputs, (replace(node, operator=other),))

    graph = parse_graph(text("%y: f32[2] = relu(%x)", "output %y"))
    with pytest.raises(GraphError, match="within 100 rewrites, but turn_about fired again"):
        apply_patterns(graph, [turn_about])


def test_dead_nodes_and_constants_go_and_inputs_stay() -> None:
    before = text(
        "const %c: f32[2] = [1.0, 2.0]",
        "%a: f32[2] = add(%x, %c)",
        "%b: f32[2] = relu(%a)",
        "%y: f32[2] = relu(%x)",
        "output %y",
    )
    graph = erase_dead(parse_graph(before))
    assert print_graph(graph) == text("%y: f32[2] = relu(%x)", "output %y")
    assert erase_dead(graph) is graph


def test_another_type_is_refused() -> None:
    graph = parse_graph(text("%y: f32[1,2] = reshape(%x) {shape=[1,2]}", "output %y"))
    assert isinstance(graph.nodes[0].operator, Reshape)
    other = Value("x", TensorType((2,), DType.FLOAT32))
    with pytest.raises(GraphError, match="of type"):
        replace_value(graph, graph.outputs[0], other)
