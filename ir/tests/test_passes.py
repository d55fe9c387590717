"""The pipeline verifies, times, and holds passes of both levels to their contracts."""

from collections.abc import Callable
from dataclasses import replace
from typing import ClassVar

import numpy as np
import pytest
from tinsmith_ir import (
    BIT_EXACT,
    AnyPass,
    Contract,
    Graph,
    GraphError,
    Metric,
    Outcome,
    Pass,
    Pipeline,
    Program,
    Relu6,
    Retyped,
    Tolerance,
    evaluate_graph,
    parse_graph,
    parse_program,
)

TEXT = """graph 2 "g" {
  input %x: f32[8]
  %a: f32[8] = add(%x, %x)
  %b: f32[8] = relu(%a) loc("m.tflite", "op 1")
  %y: f32[8] = mul(%b, %b)
  output %y
}"""

PROGRAM = """program 2 "g" for "t" {
  memory "arena" align 16
  buffer %x: f32[8] in "arena" at 0
  buffer %a: f32[8] in "arena" at 32
  buffer %b: f32[8] in "arena" at 64
  buffer %y: f32[8] in "arena" at 96
  input %x
  output %y
  call "a" kernel "k": %a = add(%x, %x)
  call "b" kernel "k": %b = relu(%a) loc("m.tflite", "op 1")
  call "y" kernel "k": %y = mul(%b, %b)
}"""
UP_TO_7 = {"x": np.arange(8, dtype=np.float32)}


def change(
    function: Callable[[Graph], Graph],
    promise: Contract = BIT_EXACT,
    called: str = "change",
) -> Pass[Graph, Graph]:
    class Change:
        name: ClassVar[str] = called
        contract: ClassVar[Contract] = promise

        def run(self, graph: Graph) -> Graph:
            return function(graph)

    return Change()


class Doubt:
    name: ClassVar[str] = "doubt"
    contract: ClassVar[Contract] = BIT_EXACT

    def run(self, graph: Graph) -> Graph:
        return graph

    def run_in_detail(self, graph: Graph) -> Outcome[Graph]:
        return Outcome(graph, ("it may be better",), facts=5)


class Lowered:
    name: ClassVar[str] = "lowered"
    contract: ClassVar[Contract] = BIT_EXACT

    def __init__(self, text: str) -> None:
        self._text = text

    def run(self, graph: Graph) -> Program:
        del graph
        return parse_program(self._text)


class Moved:
    """Puts %b elsewhere."""

    name: ClassVar[str] = "moved"
    contract: ClassVar[Contract] = BIT_EXACT

    def __init__(self, offset: int) -> None:
        self._offset = offset

    def run(self, program: Program) -> Program:
        return program.with_buffers(
            tuple(
                replace(found, offset=self._offset) if found.name == "b" else found
                for found in program.buffers
            )
        )


def keep(graph: Graph) -> Graph:
    return graph


def negate_less(graph: Graph) -> Graph:
    nodes = [replace(node, operator=Relu6()) if node.name == "b" else node for node in graph.nodes]
    return graph.rebuilt(nodes=nodes)


def forget(graph: Graph) -> Graph:
    return graph.rebuilt(nodes=graph.nodes[1:])


def rename_output(graph: Graph) -> Graph:
    return graph.rebuilt(outputs=[graph.nodes[0].outputs[0]])


def test_records_say_what_ran_and_how_far_results_went() -> None:
    graph = parse_graph(TEXT)
    passes = [change(keep), change(negate_less, Tolerance(Metric.SHARE, 0.9), "clamp")]
    plain = Pipeline(passes).run(graph)
    assert [record.verified for record in plain.records] == [False, False]
    assert [record.measured for record in plain.records] == [None, None]
    result = Pipeline(passes).run(graph, verify_inputs=UP_TO_7)
    assert [(r.name, str(r.contract), r.verified, r.measured) for r in result.records] == [
        ("change", "bit_exact", True, None),
        ("clamp", "tolerance: 0.9 share of the largest magnitude", True, (196 - 36) / 196),
    ]
    assert all(record.seconds >= 0 for record in result.records)
    assert result.graph.nodes[1].operator == Relu6()


def test_records_keep_what_passes_say_beside_their_result() -> None:
    result = Pipeline([change(keep), Doubt()]).run(parse_graph(TEXT))
    assert [record.warnings for record in result.records] == [(), ("it may be better",)]
    assert [record.facts for record in result.records] == [None, 5]


def test_what_starts_and_what_it_makes_is_told() -> None:
    told: list[str] = []
    Pipeline([change(keep), Lowered(PROGRAM)]).run(
        parse_graph(TEXT),
        on_start=lambda pass_: told.append(pass_.name),
        on_made=lambda pass_, ir: told.append(f"{pass_.name}: {type(ir).__name__}"),
    )
    assert told == ["change", "change: Graph", "lowered", "lowered: Program"]


@pytest.mark.parametrize(
    ("metric", "bound", "far"),
    [(Metric.SHARE, 0.8, "0.816327"), (Metric.STEPS, 159.0, "160")],
)
def test_results_beyond_the_tolerance_are_measured_and_named(
    metric: Metric, bound: float, far: str
) -> None:
    passes = [change(negate_less, Tolerance(metric, bound))]
    with pytest.raises(GraphError) as caught:
        Pipeline(passes).run(parse_graph(TEXT), verify_inputs=UP_TO_7)
    assert (
        f"promised tolerance: {bound:g} {metric.value} but changed outputs by {far}, first %b in 4 of 8"
        in str(caught.value)
    )


@pytest.mark.parametrize(("zero", "is_kept"), [(0, True), (1, True), (3, False)])
def test_steps_are_measured_by_name_and_through_what_is_new(zero: int, is_kept: bool) -> None:
    """%n is new, and off by some steps; %y was there, and is off by as many."""
    before = parse_graph("""graph 2 "g" {
      input %x: i8[4]<0.5, 0>
      %a: i8[4]<0.25, 0> = requantize(%x)
      %y: i8[4]<0.25, 0> = relu(%a)
      output %y
    }""")
    after = parse_graph(f"""graph 2 "g" {{
      input %x: i8[4]<0.5, 0>
      %a: i8[4]<0.25, 0> = requantize(%x)
      const %off: i8[1]<0.25, 0> = [{zero}]
      %n: i8[4]<0.25, 0> = add(%a, %off)
      %y: i8[4]<0.25, 0> = relu(%n)
      output %y
    }}""")
    pipeline = Pipeline([change(lambda _: after, Tolerance(Metric.STEPS_OF_EACH, 1.0))])
    inputs = {"x": np.array([0, 1, 2, 3], np.int8)}
    if is_kept:
        assert pipeline.run(before, verify_inputs=inputs).records[0].measured == zero
        return
    with pytest.raises(GraphError, match="changed outputs by 3, most in %y"):
        pipeline.run(before, verify_inputs=inputs)


@pytest.mark.parametrize(("factor", "is_kept"), [(1.0001, True), (1.01, False)])
def test_shares_of_each_are_not_those_of_what_is_rounded_behind(
    factor: float, is_kept: bool
) -> None:
    """A float moves by a little, and an integer behind it by a step, which is a large share."""
    text = """graph 2 "g" {{
      input %x: f32[2]
      const %f: f32[1] = [{factor}]
      %a: f32[2] = mul(%x, %f)
      %y: i8[2]<1.0, 0> = quantize(%a)
      output %y
    }}"""
    before, after = (parse_graph(text.format(factor=each)) for each in (1.0, factor))
    inputs = {"x": np.array([1.4999, -0.2], np.float32)}
    one, other = (evaluate_graph(each, inputs)["y"] for each in (before, after))
    assert one[0] != other[0]
    pipeline = Pipeline([change(lambda _: after, Tolerance(Metric.SHARE_OF_EACH, 1e-3))])
    if is_kept:
        (record,) = pipeline.run(before, verify_inputs=inputs).records
        assert record.measured == pytest.approx(factor - 1, rel=0.01)
        return
    with pytest.raises(GraphError, match=r"in each operator by itself but .* most in %a"):
        pipeline.run(before, verify_inputs=inputs)


@pytest.mark.parametrize(("bound", "is_kept"), [(0.5, True), (0.49, False)])
def test_noise_is_a_share_of_the_deviation_whatever_the_zero_point(
    bound: float, is_kept: bool
) -> None:
    """Of 96, 100, 96, 100, whose deviation is 2, each is off by 1; the sign of none matters."""
    text = """graph 2 "g" {{
      input %x: i8[4]<0.5, 98>
      const %off: i8[4]<0.5, 98> = {off}
      %y: i8[4]<0.5, 98> = add(%x, %off)
      output %y
    }}"""
    before, after = (
        parse_graph(text.format(off=off)) for off in ([98, 98, 98, 98], [99, 97, 97, 99])
    )
    pipeline = Pipeline([change(lambda _: after, Tolerance(Metric.NOISE_OF_EACH, bound))])
    inputs = {"x": np.array([96, 100, 96, 100], np.int8)}
    if is_kept:
        assert pipeline.run(before, verify_inputs=inputs).records[0].measured == 0.5
        return
    with pytest.raises(GraphError, match=r"changed outputs by 0\.5, most in %y"):
        pipeline.run(before, verify_inputs=inputs)


def test_noise_of_a_constant_result_is_in_steps() -> None:
    constant = np.full(4, 7, np.int8)
    assert Metric.NOISE_OF_EACH.of(constant, constant + np.int8(1)) == 1.0
    assert Metric.NOISE_OF_EACH.of(constant, constant) == 0.0


def test_a_broken_promise_names_the_pass_and_the_first_tensor() -> None:
    graph = parse_graph(TEXT)
    passes = [change(keep), change(negate_less, called="clamp-more"), change(keep)]
    with pytest.raises(GraphError) as caught:
        Pipeline(passes).run(graph, verify_inputs=UP_TO_7)
    assert "'clamp-more' promised bit_exact but changed %b in" in str(caught.value)
    assert "m.tflite: op 1" in str(caught.value)


def test_a_pass_that_breaks_the_graph_is_named() -> None:
    with pytest.raises(GraphError, match=r"pass 'change' made a graph that is not valid.*%a"):
        Pipeline([change(forget)]).run(parse_graph(TEXT))


def test_a_pass_may_not_change_the_interface() -> None:
    with pytest.raises(GraphError, match="expected the inputs and outputs to stay"):
        Pipeline([change(rename_output)]).run(parse_graph(TEXT))


def test_an_invalid_graph_is_not_blamed_on_the_first_pass() -> None:
    with pytest.raises(GraphError, match=r"^graph 'g'"):
        Pipeline([change(keep)]).run(forget(parse_graph(TEXT)))


def test_programs_are_compared_to_the_last_pass() -> None:
    passes: list[AnyPass] = [change(keep), Lowered(PROGRAM), Moved(128)]
    result = Pipeline(passes).run(parse_graph(TEXT), verify_inputs=UP_TO_7)
    assert [record.verified for record in result.records] == [True, True, True]
    assert result.program.buffer["b"].offset == 128
    with pytest.raises(GraphError, match="made a Program; expected a Graph"):
        _ = result.graph


def test_a_lowering_that_changes_a_result_is_named_with_the_call() -> None:
    wrong = PROGRAM.replace("relu(", "relu6(")
    with pytest.raises(GraphError) as caught:
        Pipeline([Lowered(wrong)]).run(parse_graph(TEXT), verify_inputs=UP_TO_7)
    assert "pass 'lowered' promised bit_exact but changed %b in 4 of 8 elements" in str(
        caught.value
    )
    assert 'call "b" kernel "k": %b = relu6(%a)' in str(caught.value)


def test_a_program_whose_buffers_overlap_is_named() -> None:
    passes: list[AnyPass] = [Lowered(PROGRAM), Moved(48)]
    with pytest.raises(
        GraphError,
        match=r"pass 'moved' made a program that is not valid: (.|\n)*%b over %a at distance 16",
    ):
        Pipeline(passes).run(parse_graph(TEXT), verify_inputs=UP_TO_7)


def test_a_program_that_breaks_a_rule_is_named() -> None:
    with pytest.raises(GraphError, match="pass 'moved' made a program that is not valid"):
        Pipeline([Lowered(PROGRAM), Moved(-4)]).run(parse_graph(TEXT))


def test_a_lowering_keeps_inputs_and_types() -> None:
    wrong = PROGRAM.replace("%x", "%other")
    with pytest.raises(GraphError, match=r"input %x f32\[8\].*got input %other f32\[8\]"):
        Pipeline([Lowered(wrong)]).run(parse_graph(TEXT))


@pytest.mark.parametrize(
    ("passes", "message"),
    [
        ([Moved(0)], "pass 'moved' takes a Program, but stands where there is a Graph"),
        (
            [Lowered(PROGRAM), change(keep)],
            "pass 'change' takes a Graph, but stands where there is a Program",
        ),
    ],
)
def test_a_pass_at_the_wrong_level_is_named(passes: list[AnyPass], message: str) -> None:
    with pytest.raises(GraphError, match=message):
        Pipeline(passes).run(parse_graph(TEXT))


QUANTIZED = """graph 2 "g" {
  input %x: i8[8] <0.5, 0>
  %y: i8[8] <0.5, 0> = relu(%x)
  output %y
}"""


def quantized(graph: Graph) -> Graph:
    del graph
    return parse_graph(QUANTIZED)


def clamped(graph: Graph) -> Graph:
    return graph.rebuilt(nodes=[replace(node, operator=Relu6()) for node in graph.nodes])


def test_a_retyped_graph_is_the_measure_of_what_follows() -> None:
    text = QUANTIZED.replace("i8[8] <0.5, 0>", "f32[8]")
    retype = change(quantized, Retyped("int8 of scale 0.5"), "retype")
    result = Pipeline([retype, change(keep)]).run(parse_graph(text), verify_inputs=UP_TO_7)
    assert [record.verified for record in result.records] == [False, True]
    with pytest.raises(GraphError, match="'clamp' promised bit_exact but changed %y in 1 of 8"):
        Pipeline([retype, change(clamped, called="clamp")]).run(
            parse_graph(text), verify_inputs=UP_TO_7
        )


def test_types_change_in_retyping_passes_only() -> None:
    text = QUANTIZED.replace("i8[8] <0.5, 0>", "f32[8]")
    with pytest.raises(GraphError, match="expected the inputs and outputs to stay"):
        Pipeline([change(quantized)]).run(parse_graph(text))
