"""ScheduleCalls on programs."""

from collections.abc import Sequence

import numpy as np
import pytest
from tinsmith_allocation import demand, lower_bound
from tinsmith_copy_elision import elide_copies
from tinsmith_ir import (
    DType,
    Graph,
    GraphError,
    Program,
    evaluate_frames,
    evaluate_program_frames,
    parse_graph,
    parse_program,
    print_step,
    verify_program,
)
from tinsmith_ir.evaluate import equal_arrays, varied_frames
from tinsmith_ir.hazards import step_names
from tinsmith_ir.program import simple_steps
from tinsmith_ir.random_states import with_states
from tinsmith_ir.testing import random_graph, random_inputs
from tinsmith_lowering import lower
from tinsmith_reference import backend
from tinsmith_scheduling import ScheduleCalls, live_bytes, peak_live_bytes, problem_of
from tinsmith_target import target

HOST = target("host")

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


def lowered(graph: Graph) -> Program:
    return lower(graph, HOST, backend().kernels(HOST))


def of_text(body: str) -> Program:
    return parse_program(f"""program 2 "p" for "host" {{\n  memory "arena" align 16\n{body}\n}}""")


def results(program: Program) -> list[str]:
    """What each step writes, but for scratch."""
    return [step_names(step)[1][0] for step in simple_steps(program.steps)]


def test_branches_run_one_after_the_other() -> None:
    program = lowered(parse_graph(BRANCHES))
    scheduled = ScheduleCalls().run(program)
    verify_program(scheduled)
    assert results(scheduled) == ["a", "a_mean", "b", "b_mean", "y"]
    # A mean lies over what it is of, a sum over its operands, and all begin at multiples of 16 bytes.
    assert live_bytes(program) == (416, 816, 800, 416, 32)
    assert live_bytes(scheduled) == (416, 416, 432, 416, 32)
    assert peak_live_bytes(scheduled) == 432


def test_an_order_that_is_as_good_as_any_stays() -> None:
    scheduled = ScheduleCalls().run(lowered(parse_graph(BRANCHES)))
    assert ScheduleCalls().run(scheduled) is scheduled


def test_constants_and_states_take_no_memory_and_a_reshape_shares_that_of_its_operand() -> None:
    program = lowered(
        parse_graph(
            """graph 2 "g" {
          input %x: f32[8]
          state %s: f32[2,4] = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0] next %y
          const %c: f32[8] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]
          %flat: f32[2,4] = reshape(%x) {shape=[2,4]}
          %y: f32[2,4] = softmax(%flat)
          %d: f32[2,4] = reshape(%c) {shape=[2,4]}
          %z: f32[2,4] = add(%s, %d)
          output %x
          output %z
        }"""
        )
    )
    # x; then y, which is copied to the state at the end; %d, over which %z lies.
    assert results(program) == ["y", "d", "z", "s"]
    assert live_bytes(program) == (64, 96, 96, 96)


def test_scratch_counts_while_its_call_runs() -> None:
    program = of_text(
        """  buffer %x: f32[4] in "arena"
  buffer %y: f32[4] in "arena"
  buffer %work: i8[100] in "arena"
  input %x
  call "y" kernel "k": %y = relu(%x) scratch %work
  copy %y -> %x
  output %x"""
    )
    assert live_bytes(program) == (16 + 16 + 112, 32)


def test_scratch_that_calls_share_is_a_buffer_like_others() -> None:
    program = of_text(
        """  buffer %x: f32[4] in "arena"
  buffer %y: f32[4] in "arena"
  buffer %z: f32[4] in "arena"
  buffer %work: i8[100] in "arena"
  input %x
  call "y" kernel "k": %y = relu(%x) scratch %work
  call "z" kernel "k": %z = relu(%y) scratch %work
  output %z"""
    )
    assert live_bytes(program) == (16 + 16 + 112, 16 + 16 + 112)
    first, second = problem_of(program).tasks
    assert (first.scratch_bytes, second.scratch_bytes, "work" in first.writes) == (0, 0, True)


def test_calls_with_scratch_run_when_little_else_is_live() -> None:
    program = of_text(
        """  buffer %x: f32[4] in "arena"
  buffer %a: f32[64] in "arena"
  buffer %a_mean: f32[1] in "arena"
  buffer %b: f32[4] in "arena"
  buffer %work: i8[512] in "arena"
  buffer %y: f32[4] in "arena"
  input %x
  call "a" kernel "k": %a = pad(%x) {padding=[0,60]}
  call "b" kernel "k": %b = relu(%x) scratch %work
  call "a_mean" kernel "k": %a_mean = mean(%a) {axes=[0], keep_dims=true}
  call "y" kernel "k": %y = add(%a_mean, %b)
  output %y"""
    )
    assert peak_live_bytes(program) == 16 + 256 + 16 + 512
    scheduled = ScheduleCalls().run(program)
    assert results(scheduled) == ["b", "a", "a_mean", "y"]
    assert peak_live_bytes(scheduled) == 16 + 16 + 512


@pytest.mark.parametrize(
    ("over", "bytes_"),
    [
        ("", 128),
        (" over %x up to 0", 64),
        (" over %x up to -1", 64 + 16),
        (" over %x up to -32", 64 + 32),
        (" over %x up to -64", 128),
        (" over %x from 16", 64 + 16),
        (" over %x at 48", 64 + 48),
        (" over %x at 8", 128),
    ],
)
def test_what_a_result_may_lie_over_counts_once(over: str, bytes_: int) -> None:
    program = of_text(
        f"""  buffer %x: f32[16] in "arena"
  buffer %y: f32[16] in "arena"
  input %x
  call "y" kernel "k": %y = relu(%x){over}
  output %y"""
    )
    assert live_bytes(program) == (bytes_,)
    wanted = demand(program, "arena")
    assert lower_bound(wanted.blocks, wanted.leaves) == bytes_


def test_an_operand_that_is_needed_later_is_not_written_over() -> None:
    """So the one that overwrites its operand runs last."""
    program = of_text(
        """  buffer %x: f32[16] in "arena"
  buffer %a: f32[16] in "arena"
  buffer %b: f32[4] in "arena"
  input %x
  call "a" kernel "k": %a = relu(%x) over %x up to 0
  call "b" kernel "k": %b = slice(%x) {begin=[0], shape=[4]}
  output %a
  output %b"""
    )
    assert live_bytes(program) == (128, 64 + 64 + 16)
    scheduled = ScheduleCalls().run(program)
    assert results(scheduled) == ["b", "a"]
    assert live_bytes(scheduled) == (80, 80)


# Written in two parts, read as a whole, written again, read again.
PARTS = """  buffer %x: f32[4] in "arena"
  buffer %c: 32 bytes in "arena"
  view %low: f32[4] of %c
  view %high: f32[4] of %c start 16
  view %both: f32[8] of %c
  buffer %y: f32[8] in "arena"
  buffer %z: f32[8] in "arena"
  input %x
  call "low" kernel "k": %low = relu(%x)
  call "high" kernel "k": %high = relu6(%x)
  call "y" kernel "k": %y = relu(%both)
  copy %x -> %low
  call "z" kernel "k": %z = relu(%both)
  output %y
  output %z"""


def test_steps_stay_behind_those_whose_bytes_they_read_or_overwrite() -> None:
    tasks = problem_of(of_text(PARTS)).tasks
    assert [sorted(task.after) for task in tasks] == [[], [], ["0", "1"], ["2"], ["1", "3"]]


def test_a_buffer_of_several_writers_lives_from_the_first_to_its_last_reader() -> None:
    program = of_text(PARTS)
    assert live_bytes(program) == (16 + 32, 16 + 32, 16 + 32 + 32, 16 + 32 + 32, 32 + 32 + 32)


def test_an_order_that_is_not_proven_is_said_to_be_so() -> None:
    program = lowered(parse_graph(BRANCHES))
    assert ScheduleCalls().run_in_detail(program).warnings == ()
    outcome = ScheduleCalls(max_expansions=0).run_in_detail(program)
    assert results(outcome.ir) == ["a", "a_mean", "b", "b_mean", "y"]
    (warning,) = outcome.warnings
    assert "order of 5 operations: this is the order of a heuristic, with 432 bytes" in warning
    assert "none less than 416" in warning


def test_an_input_that_is_an_output_stays_live() -> None:
    program = of_text(
        """  buffer %x: i8[16]<0.5, 0> in "arena"
  buffer %y: i8[16]<0.5, 0> in "arena"
  buffer %z: i8[16]<0.5, 0> in "arena"
  input %x
  call "y" kernel "k": %y = relu(%x) over %x up to 0
  call "z" kernel "k": %z = relu(%y)
  output %z
  output %x"""
    )
    assert live_bytes(program) == (32, 48)


def test_a_program_without_steps_has_no_peak() -> None:
    program = of_text("""  buffer %x: f32[1] in "arena"\n  input %x\n  output %x""")
    assert peak_live_bytes(program) == 0
    assert ScheduleCalls().run(program) is program


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (
            """  buffer %x: f32[2] in "arena"
  buffer %y: f32[2] in "arena"
  input %x
  loop i of 2 {
    copy %x -> %y
  }
  output %y""",
            "loops or engines",
        ),
        (
            """  buffer %x: f32[2] in "arena" at 0
  buffer %y: f32[2] in "arena" at 16
  input %x
  copy %x -> %y
  output %y""",
            "addresses",
        ),
        (
            """  memory "far" align 4
  buffer %x: f32[2] in "arena"
  buffer %y: f32[2] in "far"
  input %x
  copy %x -> %y
  output %y""",
            "tensors in several memories",
        ),
    ],
)
def test_a_program_whose_order_is_fixed_stays_and_is_not_said_to_be_the_best(
    body: str, reason: str
) -> None:
    program = of_text(body)
    outcome = ScheduleCalls().run_in_detail(program)
    assert outcome.ir is program
    assert (outcome.found_by, outcome.is_proven) == ("given", False)
    with pytest.raises(GraphError, match=f"program 'p': its order is fixed by {reason}"):
        live_bytes(program)


def check(graph: Graph, program: Program) -> bool:
    """The program of a graph stays valid and right, and its peak does not rise; say whether its order changed."""
    scheduled = ScheduleCalls(beam_width=16).run(program)
    verify_program(scheduled)
    assert sorted(map(print_step, scheduled.steps)) == sorted(map(print_step, program.steps))
    assert peak_live_bytes(scheduled) <= peak_live_bytes(program)
    inputs = random_inputs(graph, 1)
    frames = [*varied_frames(inputs, 3)] if graph.states else [inputs]
    with np.errstate(all="ignore"):
        wanted = [*evaluate_frames(graph, frames)]
        got = [*evaluate_program_frames(scheduled, frames)]
    for mine, theirs in zip(wanted, got, strict=True):
        for value, name in zip(graph.outputs, program.outputs, strict=True):
            assert equal_arrays(mine[value.name], theirs[name])
    return scheduled is not program


def changes(graphs: Sequence[Graph]) -> int:
    return sum(check(graph, lowered(graph)) for graph in graphs)


@pytest.mark.parametrize("dtype", [DType.INT8, DType.FLOAT32])
def test_random_networks_stay_valid_exact_and_no_larger(dtype: DType) -> None:
    assert changes([random_graph(seed, dtype=dtype) for seed in range(20)]) > 3


def test_random_networks_with_states_stay_valid_exact_and_no_larger() -> None:
    """States are written by copies at the end, or by calls that follow all who read them."""
    assert changes([with_states(random_graph(seed), seed) for seed in range(20)]) > 3


def test_random_networks_with_views_stay_valid_exact_and_no_larger() -> None:
    """Buffers then have several writers, and readers of parts."""
    changed = 0
    for seed in range(60):
        graph = random_graph(seed, nodes=14)
        program = lowered(graph)
        elided = elide_copies(program)
        changed += elided is not program and check(graph, elided)
    assert changed > 3


@pytest.mark.parametrize("seed", range(10))
def test_the_peak_is_what_the_allocator_cannot_go_below(seed: int) -> None:
    """But for the padding behind the highest buffer, and inputs that nobody reads."""
    program = ScheduleCalls(beam_width=16).run(lowered(random_graph(seed)))
    wanted = demand(program, "arena")
    inputs = sum(-(-program.view[name].type.size_bytes // 16) * 16 for name in program.inputs)
    peak, bound = peak_live_bytes(program), lower_bound(wanted.blocks, wanted.leaves)
    assert peak - 16 < bound <= max(peak, inputs)
