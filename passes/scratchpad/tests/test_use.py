"""What accelerators touch lies in their scratchpad; who else wants it gets a copy, once."""

import re
from dataclasses import replace

import numpy as np
import pytest
from scratchpad_networks import ALIGNMENT, ARRAY, chip, kernels, lowered
from tinsmith_ir import (
    Call,
    Copy,
    DoesNotFitError,
    GraphError,
    Loop,
    Program,
    UsageError,
    evaluate_frames,
    evaluate_program_frames,
    parse_graph,
    parse_program,
    print_program,
    verify_program,
)
from tinsmith_ir.evaluate import equal_arrays, varied_frames
from tinsmith_ir.program_printer import print_step
from tinsmith_ir.random_graphs import random_graph
from tinsmith_ir.random_states import with_states
from tinsmith_ir.testing import random_inputs
from tinsmith_lowering import Layer, Layouts, check_near
from tinsmith_scratchpad import UseScratchpad
from tinsmith_target import target

CHAIN = """graph 2 "chain" {
  input %x: i8[1,2,3]<0.5, 3>
  %a: i8[1,2,3]<0.5, 3> = relu(%x)
  %b: i8[1,2,3]<0.5, 3> = add(%a, %x)
  %m: i8[1,2,3]<0.5, 3> = softmax_like(%b)
  %c: i8[1,2,3]<0.5, 3> = add(%m, %a)
  output %c
}
""".replace("softmax_like(%b)", "mul(%b, %b)")


def used(program: Program, *, round_trips: bool = False) -> Program:
    found = UseScratchpad(chip(), kernels(), round_trips).run(program)
    verify_program(found)
    check_near(found, chip(), kernels())
    return found


def steps_of(program: Program) -> list[str]:
    return [
        f"{step.source} -> {step.destination}" + (f" by {step.engine}" if step.engine else "")
        if isinstance(step, Copy)
        else f"{step.name} on {step.engine or 'core'}"
        if isinstance(step, Call)
        else print_step(step)
        for step in program.steps
        if not isinstance(step, Loop)
    ]


def test_tensors_are_copied_where_sides_meet_and_nowhere_else() -> None:
    program = used(lowered(parse_graph(CHAIN)))
    lines = "test_scratchpad_lines"
    assert steps_of(program) == [
        f"x -> x.{lines}",
        f"x.{lines} -> x.{lines}.near by dma",
        "wait 1",
        f"a on {ARRAY}",
        "wait 0",
        f"b on {ARRAY}",
        "wait 0",
        "b.near -> b by dma",
        "wait 1",
        "b -> b.dense",
        "m on core",
        f"m -> m.{lines}",
        f"m.{lines} -> m.{lines}.near by dma",
        "wait 1",
        f"c on {ARRAY}",
        "wait 0",
        "c.near -> c by dma",
        "wait 1",
        "c -> c.dense",
    ]
    memories = {buffer.name: buffer.memory for buffer in program.buffers}
    assert memories["a.near"] == "l1"
    assert "a" not in memories  # nobody but the array touches it
    assert program.memory["l1"].is_remote
    assert {memory.alignment for memory in program.memories} == {ALIGNMENT}


def test_round_trips_copy_operands_and_results_of_each_call() -> None:
    program = used(lowered(parse_graph(CHAIN)), round_trips=True)
    lines = "test_scratchpad_lines"
    assert steps_of(program) == [
        f"x -> x.{lines}",
        f"x.{lines} -> x.{lines}.near by dma",
        "wait 1",
        f"a on {ARRAY}",
        "wait 0",
        "a.near -> a by dma",
        "wait 1",
        "a -> a.near by dma",
        "wait 1",
        f"x.{lines} -> x.{lines}.near by dma",
        "wait 1",
        f"b on {ARRAY}",
        "wait 0",
        "b.near -> b by dma",
        "wait 1",
        "b -> b.dense",
        "m on core",
        f"m -> m.{lines}",
        f"m.{lines} -> m.{lines}.near by dma",
        "wait 1",
        "a -> a.near by dma",
        "wait 1",
        f"c on {ARRAY}",
        "wait 0",
        "c.near -> c by dma",
        "wait 1",
        "c -> c.dense",
    ]


def test_cores_work_on_while_the_array_computes() -> None:
    text = CHAIN.replace("mul(%b, %b)", "mul(%x, %x)").replace("add(%m, %a)", "add(%m, %b)")
    steps = steps_of(used(lowered(parse_graph(text))))
    started, core = steps.index(f"b on {ARRAY}"), steps.index("m on core")
    assert "wait 0" not in steps[started:core]


@pytest.mark.parametrize("round_trips", [False, True])
def test_random_networks_compute_the_same_whenever_engines_end(round_trips: bool) -> None:
    copied = 0
    for seed in range(12):
        graph = random_graph(seed, nodes=30)
        graph = graph if seed % 2 else with_states(graph, seed)
        whole = lowered(graph)
        program = used(whole, round_trips=round_trips)
        copied += sum(isinstance(step, Copy) and step.engine is not None for step in program.steps)
        frames = [*varied_frames(random_inputs(graph, 1), 3)]
        for completion in ("earliest", "latest"):
            again = parse_program(print_program(program))
            runs = zip(
                evaluate_frames(graph, frames),
                evaluate_program_frames(again, frames, completion=completion),
                strict=True,
            )
            for wanted, found in runs:
                for value, name in zip(graph.outputs, program.outputs, strict=True):
                    assert equal_arrays(wanted[value.name], found[name]), (seed, name)
    assert copied > 20


@pytest.mark.parametrize("round_trips", [False, True])
def test_a_part_that_the_array_writes_keeps_the_rest_of_its_buffer(round_trips: bool) -> None:
    text = """program 2 "p" for "host" {
      memory "arena" align 16
      buffer %x: i8[32]<0.5, 0> in "arena"
      buffer %both: 64 bytes in "arena"
      view %left: i8[32]<0.5, 0> of %both
      view %right: i8[32]<0.5, 0> of %both start 32
      view %all: i8[64]<0.5, 0> of %both
      buffer %y: i8[64]<0.5, 0> in "arena"
      input %x
      copy %x -> %left
      call "a" kernel "KERNEL": %right = relu(%x)
      copy %all -> %y
      output %y
    }"""
    (kernel, *_) = (
        kernel.key
        for kernel in kernels()
        if kernel.accelerator and kernel.key.endswith("/relu/i8 -> i8")
    )
    program = used(parse_program(text.replace("KERNEL", kernel)), round_trips=round_trips)
    x = np.arange(-16, 16).astype(np.int8)
    (found,) = evaluate_program_frames(program, [{"x": x}])
    np.testing.assert_array_equal(found["y"], [*x, *np.maximum(x, 0)])


def test_boards_without_a_scratchpad_and_programs_without_an_array_are_left_alone() -> None:
    program = lowered(parse_graph(CHAIN))
    assert UseScratchpad(target("host"), kernels()).run(program) is program
    cores = tuple(kernel for kernel in kernels() if not kernel.accelerator)
    alone = lowered(parse_graph(CHAIN), cores)
    assert UseScratchpad(chip(), cores).run(alone) is alone


def test_a_program_that_the_pass_has_not_seen_is_refused() -> None:
    program = lowered(parse_graph(CHAIN))
    with pytest.raises(UsageError, match=r"reads and writes l1 alone, but .* lies in arena; keep"):
        check_near(program, chip(), kernels())


def _refused(program: Program, message: str) -> None:
    with pytest.raises(UsageError, match=re.escape(message)):
        UseScratchpad(chip(), kernels()).run(program)


def test_calls_that_cannot_be_given_away_are_refused() -> None:
    program = lowered(parse_graph(CHAIN))
    (first, *_) = (step for step in program.steps if isinstance(step, Call))
    index = program.steps.index(first)
    within = (*program.steps[:index], Loop("i", 1, (first,)), *program.steps[index + 1 :])
    _refused(replace(program, steps=within), "layer a: expected an accelerator's call outside")
    started = used(program)
    with pytest.raises(UsageError, match="got one on 'array'; leave out that pass"):
        UseScratchpad(chip(), kernels()).run(started)
    without = tuple(replace(kernel, beside=None) for kernel in kernels())
    with pytest.raises(UsageError, match=re.escape("expected a kernel with start and wait")):
        UseScratchpad(chip(), without).run(program)


def dense_layouts(layer: Layer) -> Layouts:
    del layer
    return Layouts()


def test_tensors_whose_bytes_no_copy_moves_are_found() -> None:
    dense = tuple(replace(kernel, layouts=dense_layouts) for kernel in kernels())
    program = lowered(parse_graph(CHAIN), dense)
    found = UseScratchpad(chip(), dense).run(program)
    with pytest.raises(GraphError, match="engine 'dma' copies multiples of 32 bytes"):
        verify_program(found)


def test_a_tensor_larger_than_the_scratchpad_is_refused() -> None:
    program = lowered(parse_graph(CHAIN))
    assert UseScratchpad(chip(), kernels(), bytes=32).run(program).memory["l1"].size_bytes == 32
    message = r"layer a does not fit into the 31 bytes of l1: x\.\S+ takes 32, and the layer cannot be cut"
    with pytest.raises(DoesNotFitError, match=message) as found:
        UseScratchpad(chip(), kernels(), bytes=31).run(program)
    assert (found.value.needed_bytes, found.value.available_bytes) == (32, 31)
