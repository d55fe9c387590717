"""States of a graph in the program that computes it: where they lie, and who writes them when."""

from dataclasses import replace

import numpy as np
import pytest
from tinsmith_ir.errors import UnsupportedError
from tinsmith_ir.evaluate import equal_arrays, evaluate_frames, varied_frames
from tinsmith_ir.graph import Graph
from tinsmith_ir.parser import parse_graph
from tinsmith_ir.pipeline import Pipeline
from tinsmith_ir.program import Copy, Program
from tinsmith_ir.program_parser import parse_program
from tinsmith_ir.program_printer import print_program
from tinsmith_ir.simulate import evaluate_program_frames
from tinsmith_ir.testing import random_inputs
from tinsmith_lowering import Kernel, Lower, elementwise_walk, lower
from tinsmith_lowering.testing import toys
from tinsmith_target import target

HOST = target("host")


KERNELS = (replace(toys().add, walk=elementwise_walk), replace(toys().relu, walk=elementwise_walk))


def lowered(text: str, kernels: tuple[Kernel, ...] = (*KERNELS, toys().copy)) -> Program:
    """The program, which several frames have shown to compute what its graph does."""
    graph = parse_graph(text)
    result = Pipeline([Lower(HOST, kernels)]).run(graph, verify_inputs=random_inputs(graph))
    return parse_program(print_program(result.program))


def copies(program: Program) -> list[tuple[str, str]]:
    return [(step.source, step.destination) for step in program.steps if isinstance(step, Copy)]


def buffers(program: Program) -> dict[str, str]:
    """View -> memory and buffer."""
    return {
        view.name: f"{program.buffer_of(view.name).memory} {view.buffer}" for view in program.views
    }


def test_state_has_a_memory_of_its_own() -> None:
    program = lowered("""graph 2 "g" {
      input %x: f32[2]
      state %s: f32[2] = [1.0, 2.0] next %n
      %n: f32[2] = add(%s, %x)
      output %n
    }""")
    assert [memory.name for memory in program.memories] == ["arena", "state"]
    assert buffers(program) == {"x": "arena x", "s": "state s", "n": "arena n"}
    assert copies(program) == [("n", "s")]
    assert [(kept.view, kept.initial.tolist()) for kept in program.states] == [("s", [1, 2])]


def test_network_without_states_has_one_memory() -> None:
    program = lowered("""graph 2 "g" { input %x: f32[2] %n: f32[2] = relu(%x) output %n }""")
    assert [memory.name for memory in program.memories] == ["arena"]


GATED = """graph 2 "g" {
  input %x: f32[2]
  state %s: f32[2] = [1.0, 2.0] next %n
  %n: f32[2] = add(%s, %x)
  %y: f32[2] = relu(%n)
  output %y
}"""


def test_next_is_computed_where_the_state_lies_by_a_kernel_that_bears_it() -> None:
    program = lowered(GATED)
    assert copies(program) == []
    assert buffers(program)["n"] == "state s"


def test_next_is_copied_if_its_kernel_would_overwrite_what_it_reads() -> None:
    program = lowered(GATED, (toys().add, toys().relu))
    assert copies(program) == [("n", "s")]


def test_next_is_copied_if_the_state_is_read_later() -> None:
    program = lowered("""graph 2 "g" {
      input %x: f32[2]
      state %s: f32[2] = [1.0, 2.0] next %n
      %n: f32[2] = add(%s, %x)
      %m: f32[2] = relu(%n)
      %y: f32[2] = add(%m, %s)
      output %y
    }""")
    assert copies(program) == [("n", "s")]


def test_next_is_computed_in_place_behind_the_last_reader() -> None:
    program = lowered(
        """graph 2 "g" {
      input %x: f32[2]
      state %s: f32[2] = [1.0, 2.0] next %n
      %y: f32[2] = add(%s, %x)
      %n: f32[2] = relu(%y)
      output %y
    }""",
        (toys().add, toys().relu),
    )
    assert copies(program) == []
    assert buffers(program)["n"] == "state s"


def test_kernels_that_count_from_one_memory_get_no_state() -> None:
    fast = replace(KERNELS[0], name="toy_packed_add", takes_offsets=True)
    program = lowered(GATED, (fast, *KERNELS))
    (call, _) = program.calls
    assert call.kernel == "toy_add"
    assert call.reason == (
        "toy_packed_add: Operands and results lie in one memory: one of them is a state"
    )


def test_next_stays_in_the_arena_for_a_kernel_that_counts_from_it() -> None:
    fast = replace(KERNELS[1], name="toy_packed_relu", takes_offsets=True)
    program = lowered(GATED, (KERNELS[0], fast))
    assert [call.kernel for call in program.calls] == ["toy_add", "toy_packed_relu"]
    assert copies(program) == [("n", "s")]


def test_state_alone_is_refused_where_every_kernel_counts_from_one_memory() -> None:
    fast = replace(KERNELS[0], name="toy_packed_add", takes_offsets=True)
    with pytest.raises(UnsupportedError, match="one of them is a state"):
        lower(parse_graph(GATED), HOST, (fast, toys().relu))


def shift_register(length: int) -> str:
    states = "".join(
        f"state %s{i}: f32[2] = [{i}.0, {i}.5] next {'%x' if i == 0 else f'%s{i - 1}'}\n"
        for i in range(length)
    )
    return f"""graph 2 "g" {{
      input %x: f32[2]
      {states}
      %y: f32[2] = relu(%s{length - 1})
      output %y
    }}"""


def test_shift_register_is_copied_from_its_end() -> None:
    program = lowered(shift_register(4))
    assert copies(program) == [("s2", "s3"), ("s1", "s2"), ("s0", "s1"), ("x", "s0")]


def test_states_that_change_places_go_by_a_copy() -> None:
    program = lowered("""graph 2 "g" {
      input %x: f32[2]
      state %a: f32[2] = [1.0, 2.0] next %b
      state %b: f32[2] = [3.0, 4.0] next %a
      %y: f32[2] = add(%x, %a)
      output %y
    }""")
    assert copies(program) == [("a", "a.copy"), ("b", "a"), ("a.copy", "b")]


def test_output_that_is_a_state_is_that_of_before() -> None:
    program = lowered("""graph 2 "g" {
      input %x: f32[2]
      state %s: f32[2] = [1.0, 2.0] next %n
      %n: f32[2] = add(%s, %x)
      %y: f32[1,2] = reshape(%s) {shape=[1,2]}
      output %s
      output %y
    }""")
    assert program.outputs == ("s.copy", "y.copy")


def test_next_may_be_an_input_a_constant_or_the_state_itself() -> None:
    program = lowered("""graph 2 "g" {
      input %x: f32[2]
      state %a: f32[2] = [1.0, 2.0] next %x
      state %b: f32[2] = [3.0, 4.0] next %c
      state %d: f32[2] = [5.0, 6.0] next %d
      const %c: f32[2] = [7.0, 8.0]
      %ab: f32[2] = add(%a, %b)
      %y: f32[2] = add(%ab, %d)
      output %y
    }""")
    assert copies(program) == [("x", "a"), ("c", "b")]


def test_two_states_of_one_next() -> None:
    program = lowered("""graph 2 "g" {
      input %x: f32[2]
      state %a: f32[2] = [1.0, 2.0] next %n
      state %b: f32[2] = [3.0, 4.0] next %n
      %n: f32[2] = add(%a, %b)
      %y: f32[2] = add(%n, %x)
      output %y
    }""")
    assert copies(program) == [("n", "b")]
    assert buffers(program)["n"] == "state a"


def random_graph(generator: np.random.Generator) -> Graph:
    """Adds and relus over inputs and states; what is next is anything."""
    count = int(generator.integers(1, 5))
    values = ["x", *(f"s{i}" for i in range(count))]
    nodes: list[str] = []
    for index in range(int(generator.integers(1, 7))):
        first, second = generator.choice(values, 2)
        kinds = [f"relu(%{first})", f"add(%{first}, %{second})"]
        nodes.append(f"%n{index}: f32[2] = {generator.choice(kinds)}")
        values.append(f"n{index}")
    states = [
        f"state %s{i}: f32[2] = [{i}.0, -{i}.5] next %{generator.choice(values)}"
        for i in range(count)
    ]
    outputs = [f"output %{name}" for name in {str(generator.choice(values)), values[-1]}]
    lines = ["input %x: f32[2]", *states, *nodes, *sorted(outputs)]
    return parse_graph('graph 2 "g" {\n' + "\n".join(lines) + "\n}")


@pytest.mark.parametrize("seed", range(60))
def test_random_states_run_as_the_graph(seed: int) -> None:
    graph = random_graph(np.random.default_rng(seed))
    program = lower(graph, HOST, (*KERNELS, toys().copy))
    frames = [*varied_frames({"x": np.array([1.5, -2.5], np.float32)}, 5)]
    runs = zip(
        evaluate_frames(graph, frames), evaluate_program_frames(program, frames), strict=True
    )
    for wanted, got in runs:
        for array, result in zip(wanted.values(), got.values(), strict=True):
            assert equal_arrays(array, result)
