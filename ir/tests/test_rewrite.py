"""Patterns on graphs: they fire until none does, and the graph's interface stays."""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pytest
from tinsmith_ir import (
    BIT_EXACT,
    Add,
    Constant,
    Contract,
    DType,
    Graph,
    GraphError,
    Node,
    Pipeline,
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
    verify_graph,
)
from tinsmith_ir.graph import GraphView
from tinsmith_ir.rewrite import fresh_name


def skip_relu(graph: GraphView, node: Node) -> Rewrite | None:
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
    def add_zero(graph: GraphView, node: Node) -> Rewrite | None:
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
    def turn_about(graph: GraphView, node: Node) -> Rewrite | None:
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


def flatten(graph: GraphView, node: Node) -> Rewrite | None:
    """A Relu of a vector in place of one of a matrix, under the same name."""
    del graph
    if not isinstance(node.operator, Relu) or len(node.outputs[0].type.shape) == 1:
        return None
    flat = Value(node.name, TensorType((2,), DType.FLOAT32))
    row = Value(f"{node.name}.row", flat.type)
    reshape = Node(Reshape(shape=(2,)), node.inputs, (row,))
    return Rewrite((flat,), (reshape, replace(node, inputs=(row,), outputs=(flat,))))


RETYPED = (
    "%m: f32[1,2] = reshape(%x) {shape=[1,2]}",
    "%y: f32[1,2] = relu(%m)",
    "%z: f32[2] = reshape(%y) {shape=[2]}",
)


def test_another_type_is_refused() -> None:
    graph = parse_graph(text(*RETYPED, "output %z"))
    with pytest.raises(GraphError, match="of type"):
        apply_patterns(graph, [flatten])


def test_a_pass_that_retypes_has_readers_read_the_new_type() -> None:
    graph = apply_patterns(parse_graph(text(*RETYPED, "output %z")), [flatten], may_retype=True)
    lines = (RETYPED[0], "%y.row: f32[2] = reshape(%m) {shape=[2]}", "%y: f32[2] = relu(%y.row)")
    assert print_graph(graph) == text(*lines, RETYPED[2], "output %z")
    verify_graph(graph)


def test_a_retyped_output_keeps_its_name_and_no_pipeline_lets_it_pass() -> None:
    @dataclass(frozen=True)
    class Flatten:
        name: ClassVar[str] = "flatten"
        contract: ClassVar[Contract] = BIT_EXACT

        def run(self, graph: Graph) -> Graph:
            return apply_patterns(graph, [flatten], may_retype=True)

    graph = parse_graph(text(*RETYPED, "output %y", "output %z"))
    retyped = Flatten().run(graph)
    verify_graph(retyped)
    assert retyped.outputs == (Value("y", TensorType((2,), DType.FLOAT32)), graph.outputs[1])
    with pytest.raises(GraphError, match="expected the inputs and outputs to stay"):
        Pipeline([Flatten()]).run(graph)


@pytest.mark.parametrize("count", [100, 200])
def test_behind_the_first_that_fires_a_node_is_tried_again_only_after_a_change_that_it_asked_for(
    count: int,
) -> None:
    tried: list[str] = []

    def skip_and_count(graph: GraphView, node: Node) -> Rewrite | None:
        tried.append(node.name)
        producer = graph.producer(node.present_inputs[0])
        if isinstance(node.operator, Relu) and producer is not None:
            return Rewrite(node.present_inputs)
        return None

    lines = ["%a0: f32[2] = add(%x, %x)"]
    for index in range(count):
        lines.append(f"%r{index}: f32[2] = relu(%a{index})")
        lines.append(f"%a{index + 1}: f32[2] = add(%r{index}, %x)")
    graph = apply_patterns(parse_graph(text(*lines, f"output %a{count}")), [skip_and_count])
    assert len(graph.nodes) == count + 1
    until_one_fires = ["a0", "r0"]
    assert tried[:2] == tried[2:4] == until_one_fires
    assert len(tried) == len(until_one_fires) + 2 * count + 1


def test_what_a_rewrite_behind_a_node_makes_its_case_is_found() -> None:
    def skip_read_once(graph: GraphView, node: Node) -> Rewrite | None:
        reader = graph.only_user(node.outputs[0])
        if isinstance(node.operator, Relu) and reader is not None:
            return Rewrite(node.present_inputs) if isinstance(reader.operator, Add) else None
        return None

    def skip_relu6(graph: GraphView, node: Node) -> Rewrite | None:
        del graph
        return Rewrite(node.present_inputs) if isinstance(node.operator, Relu6) else None

    before = text(
        "%a: f32[2] = relu(%x)",
        "%b: f32[2] = relu(%a)",
        "%c: f32[2] = relu6(%b)",
        "%y: f32[2] = add(%c, %x)",
        "output %y",
    )
    graph = apply_patterns(parse_graph(before), [skip_read_once, skip_relu6])
    assert print_graph(graph) == text("%y: f32[2] = add(%x, %x)", "output %y")
