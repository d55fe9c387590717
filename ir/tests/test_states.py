"""What a graph or a program keeps from run to run."""

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

import numpy as np
import pytest
from tinsmith_ir import (
    BIT_EXACT,
    Add,
    Array,
    Buffer,
    Contract,
    DType,
    EvaluationError,
    Graph,
    GraphError,
    Kept,
    ParseError,
    Pipeline,
    Program,
    State,
    TensorType,
    Value,
    evaluate_frames,
    evaluate_graph,
    evaluate_program_frames,
    parse_graph,
    parse_program,
    print_graph,
    print_program,
    verify_graph,
    verify_program,
)
from tinsmith_ir.builder import GraphBuilder
from tinsmith_ir.rewrite import erase_dead

RUNNING_SUM = """graph 2 "sums" {
  input %x: f32[2]
  state %sum: f32[2] = [10.0, 20.0] next %next
  %next: f32[2] = add(%sum, %x)
  output %next
}
"""

# Of two frames ago: what is kept of one run is kept once more by the next.
DELAY = """graph 2 "delay" {
  input %x: f32[2]
  state %last: f32[2] = [1.0, 2.0] next %x
  state %before: f32[2] = [3.0, 4.0] next %last
  %y: f32[2] = relu(%before)
  output %y
}
"""

PROGRAM = """program 2 "sums" for "host" {
  memory "arena" align 16
  memory "state" align 16
  buffer %x: f32[2] in "arena" at 0
  buffer %next: f32[2] in "arena" at 16
  buffer %sum: f32[2] in "state" at 0
  input %x
  state %sum = [10.0, 20.0]
  call "next" kernel "add": %next = add(%sum, %x)
  copy %next -> %sum
  output %next
}
"""


def frames(*rows: Sequence[float]) -> list[list[Array]]:
    return [[np.array(row, np.float32)] for row in rows]


def results(graph: Graph, rows: list[list[Array]]) -> list[list[float]]:
    (name,) = (value.name for value in graph.outputs)
    return [found[name].tolist() for found in evaluate_frames(graph, rows)]


def test_state_is_initial_at_first_and_then_what_the_run_before_left() -> None:
    graph = parse_graph(RUNNING_SUM)
    assert results(graph, frames([1, 2], [3, 4], [5, 6])) == [[11, 22], [14, 26], [19, 32]]


def test_each_evaluation_begins_anew() -> None:
    graph = parse_graph(RUNNING_SUM)
    (given,) = frames([1, 2])
    assert [evaluate_graph(graph, given)["next"].tolist() for _ in range(2)] == [[11, 22]] * 2


def test_states_change_together_when_a_run_ends() -> None:
    graph = parse_graph(DELAY)
    assert results(graph, frames([5, 6], [7, 8], [9, 10])) == [[3, 4], [1, 2], [5, 6]]


def test_frames_are_asked_for_one_at_a_time() -> None:
    graph = parse_graph(RUNNING_SUM)
    runs = evaluate_frames(graph, (frame for frame in [*frames([1, 2]), [np.zeros(3)]]))
    assert next(runs)["next"].tolist() == [11, 22]
    with pytest.raises(EvaluationError, match="expected f32"):
        next(runs)


def test_kept_tensors_are_among_those_of_a_run() -> None:
    graph = parse_graph(DELAY)
    *_, last = evaluate_frames(graph, frames([5, 6], [7, 8]), keep=True)
    assert {name: array.tolist() for name, array in last.items()} == {
        "x": [7, 8],
        "last": [5, 6],
        "before": [1, 2],
        "y": [1, 2],
    }


@pytest.mark.parametrize("text", [RUNNING_SUM, DELAY])
def test_text_of_states_is_read_back(text: str) -> None:
    assert print_graph(parse_graph(text)) == text


def test_builder_makes_states() -> None:
    builder = GraphBuilder("sums")
    x = builder.input("x", TensorType((2,), DType.FLOAT32))
    state = builder.state("sum", np.array([10, 20], np.float32))
    result = builder.add(Add(), [state, x], "next")
    builder.keep(state, result)
    assert print_graph(builder.build(result)) == RUNNING_SUM


def test_state_that_the_builder_keeps_nothing_for_stays() -> None:
    builder = GraphBuilder()
    x = builder.input("x", TensorType((2,), DType.FLOAT32))
    state = builder.state("offset", np.array([1, 2], np.float32))
    graph = builder.build(builder.add(Add(), [state, x]))
    assert results(graph, frames([1, 1], [1, 1])) == [[2, 3], [2, 3]]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("next %next", "next %nothing", "expected a value defined above, got %nothing"),
        ("[10.0, 20.0]", "[10.0]", "expected 2 elements"),
        ("next %next", "", "expected 'next'"),
    ],
)
def test_texts_of_states_that_are_wrong(old: str, new: str, message: str) -> None:
    with pytest.raises(ParseError, match=message):
        parse_graph(RUNNING_SUM.replace(old, new))


def test_state_and_next_have_one_type() -> None:
    text = RUNNING_SUM.replace("next %next", "next %other").replace(
        "  output", "  %other: f32[1,2] = reshape(%next) {shape=[1,2]}\n  output"
    )
    with pytest.raises(GraphError, match=r"%sum is f32\[2\], its next %other f32\[1,2\]"):
        parse_graph(text)


def test_next_that_nothing_defines() -> None:
    graph = parse_graph(RUNNING_SUM)
    (state,) = graph.states
    broken = replace(state, next=Value("gone", state.value.type))
    with pytest.raises(GraphError, match="%gone in the next of state %sum"):
        verify_graph(graph.rebuilt(states=[broken]))


def test_names_of_states_are_those_of_nothing_else() -> None:
    graph = parse_graph(RUNNING_SUM)
    with pytest.raises(GraphError, match="%sum is defined twice"):
        verify_graph(graph.rebuilt(states=graph.states * 2))


def test_initial_data_have_the_shape_of_the_state() -> None:
    value = Value("h", TensorType((2,), DType.INT8))
    with pytest.raises(GraphError, match=r"state %h: expected i8\[2\], got int8\[3\]"):
        State(value, np.zeros(3, np.int8), value)


def test_dead_code_keeps_what_a_later_run_needs() -> None:
    graph = parse_graph(DELAY)
    assert erase_dead(graph) is graph


def test_states_that_only_feed_themselves_are_dead() -> None:
    text = RUNNING_SUM.replace("output %next", "%y: f32[2] = relu(%x)\n  output %y")
    cleaned = erase_dead(parse_graph(text))
    assert cleaned.states == ()
    assert [node.name for node in cleaned.nodes] == ["y"]


class _OtherState:
    """Makes a state begin with other numbers, which no output of the first frame shows."""

    name: ClassVar[str] = "other-state"
    contract: ClassVar[Contract] = BIT_EXACT

    def run(self, graph: Graph) -> Graph:
        states = [
            replace(state, initial=np.array([-1, -2], np.float32))
            if state.value.name == "last"
            else state
            for state in graph.states
        ]
        return graph.rebuilt(states=states)


def test_verification_runs_several_frames() -> None:
    graph = parse_graph(DELAY)
    (inputs,) = frames([5, 6])
    with pytest.raises(GraphError, match=r"other-state.*of frame 1, computed by"):
        Pipeline((_OtherState(),)).run(graph, verify_inputs=inputs)


def test_program_keeps_its_states_alone() -> None:
    program = parse_program(PROGRAM)
    runs = evaluate_program_frames(program, frames([1, 2], [3, 4], [5, 6]))
    assert [found["next"].tolist() for found in runs] == [[11, 22], [14, 26], [19, 32]]


def test_text_of_programs_with_states_is_read_back() -> None:
    assert print_program(parse_program(PROGRAM)) == PROGRAM


def test_bytes_of_the_run_before_are_gone() -> None:
    """The state lies over a buffer of the run, which so is what a run finds that nobody wrote."""
    program = parse_program(PROGRAM)
    steps = program.steps[1:]  # %next is never written
    runs = evaluate_program_frames(replace(program, steps=steps), frames([1, 2]))
    with pytest.raises(EvaluationError, match="%next is read but 8 of its 8 bytes"):
        next(runs)


def moved_over_the_state(program: Program) -> Program:
    """%next written where %sum lies, which is only right as long as nobody reads %sum later."""
    buffers = (*(b for b in program.buffers if b.name != "next"), Buffer("next", 8, "state", 0))
    return replace(program, buffers=buffers)


def test_state_that_is_overwritten_is_poison() -> None:
    program = moved_over_the_state(parse_program(PROGRAM))
    with pytest.raises(EvaluationError, match=r"%(sum|next) is read but"):
        next(evaluate_program_frames(program, frames([1, 2])))


@pytest.mark.parametrize(
    ("state", "message"),
    [
        (Kept("nothing", np.zeros(2, np.float32)), "%nothing among the program's inputs, states"),
        (Kept("sum", np.zeros(3, np.float32)), r"%sum is f32\[2\], begins as float32\(3,\)"),
        (Kept("sum", np.zeros(2, np.int8)), r"%sum is f32\[2\], begins as int8\(2,\)"),
    ],
)
def test_states_of_programs_that_are_wrong(state: Kept, message: str) -> None:
    program = parse_program(PROGRAM)
    with pytest.raises(GraphError, match=message):
        verify_program(replace(program, states=(state,)))


def test_program_states_twice() -> None:
    program = parse_program(PROGRAM)
    with pytest.raises(GraphError, match="each name has one definition: state 'sum'"):
        verify_program(replace(program, states=program.states * 2))
