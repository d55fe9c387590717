"""ScheduleNodes on graphs."""

import numpy as np
import pytest
from tinsmith_ir.evaluate import evaluate_graph
from tinsmith_ir.parser import parse_graph
from tinsmith_ir.printer import print_graph
from tinsmith_ir.testing import random_graph, random_inputs
from tinsmith_ir.verify import verify_graph
from tinsmith_scheduling import ScheduleNodes, live_bytes, peak_live_bytes

# Two branches that widen x and narrow it again; the text has both wide tensors live at once.
BRANCHES = """graph 2 "branches" {
  input %x: f32[1]
  %a: f32[100] = pad(%x) {padding=[0,99]}
  %b: f32[100] = pad(%x) {padding=[99,0]}
  %a_mean: f32[1] = mean(%a) {axes=[0], keep_dims=true}
  %b_mean: f32[1] = mean(%b) {axes=[0], keep_dims=true}
  %y: f32[1] = add(%a_mean, %b_mean)
  output %y
}"""

BRANCHES_SCHEDULED = """graph 2 "branches" {
  input %x: f32[1]
  %a: f32[100] = pad(%x) {padding=[0,99]}
  %a_mean: f32[1] = mean(%a) {axes=[0], keep_dims=true}
  %b: f32[100] = pad(%x) {padding=[99,0]}
  %b_mean: f32[1] = mean(%b) {axes=[0], keep_dims=true}
  %y: f32[1] = add(%a_mean, %b_mean)
  output %y
}"""


def test_branches_run_one_after_the_other() -> None:
    graph = parse_graph(BRANCHES)
    scheduled = ScheduleNodes().run(graph)
    assert print_graph(scheduled) == print_graph(parse_graph(BRANCHES_SCHEDULED))
    assert live_bytes(graph) == (404, 804, 804, 408, 12)
    assert live_bytes(scheduled) == (404, 408, 408, 408, 12)


def test_an_order_that_is_as_good_as_any_stays() -> None:
    graph = parse_graph(BRANCHES_SCHEDULED)
    assert ScheduleNodes().run(graph) is graph


def test_constants_take_no_memory_and_a_reshape_shares_that_of_its_operand() -> None:
    graph = parse_graph(
        """graph 2 "g" {
          input %x: f32[4]
          const %c: f32[4] = [1.0, 2.0, 3.0, 4.0]
          %flat: f32[2,2] = reshape(%x) {shape=[2,2]}
          %y: f32[2,2] = relu(%flat)
          %d: f32[2,2] = reshape(%c) {shape=[2,2]}
          %z: f32[2,2] = add(%y, %d)
          output %z
        }"""
    )
    assert live_bytes(graph) == (16, 32, 32, 48)


def test_an_order_that_is_not_proven_is_said_to_be_so() -> None:
    graph = parse_graph(BRANCHES)
    assert ScheduleNodes().run_in_detail(graph).warnings == ()
    outcome = ScheduleNodes(beam_width=1).run_in_detail(graph)
    scheduled, (warning,) = outcome.ir, outcome.warnings
    assert print_graph(scheduled) == print_graph(parse_graph(BRANCHES_SCHEDULED))
    assert "order of 5 operations: the search could not look at all orders" in warning
    assert "408 bytes" in warning


def test_an_input_that_is_an_output_stays_live() -> None:
    graph = parse_graph(
        """graph 2 "g" {
          input %x: i8[4]<0.5, 0>
          %y: i8[4]<0.5, 0> = relu(%x)
          %z: i8[4]<0.5, 0> = relu(%y)
          output %z
          output %x
        }"""
    )
    assert live_bytes(graph) == (8, 12)


def test_a_graph_without_nodes_has_no_peak() -> None:
    graph = parse_graph("""graph 2 "g" {\n input %x: f32[1]\n output %x\n}""")
    assert peak_live_bytes(graph) == 0
    assert ScheduleNodes().run(graph) is graph


@pytest.mark.parametrize("seed", range(20))
def test_random_graphs_stay_valid_exact_and_no_larger(seed: int) -> None:
    graph = random_graph(seed)
    scheduled = ScheduleNodes(beam_width=16).run(graph)
    verify_graph(scheduled)
    assert peak_live_bytes(scheduled) <= peak_live_bytes(graph)
    inputs = random_inputs(graph, seed)
    before, after = evaluate_graph(graph, inputs), evaluate_graph(scheduled, inputs)
    for name, array in before.items():
        np.testing.assert_array_equal(array.view(np.uint8), after[name].view(np.uint8))
