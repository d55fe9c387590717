"""Calls that copy operands and results by themselves: their scratch alone lies in the scratchpad, which they have for
themselves.
"""

from dataclasses import replace

import pytest
from scratchpad_networks import ARRAY, chip, kernels, lowered
from tinsmith_ir import (
    Call,
    Copy,
    Program,
    UsageError,
    Wait,
    evaluate_graph,
    evaluate_program,
    parse_graph,
    parse_program,
    print_program,
    verify_program,
)
from tinsmith_ir.evaluate import equal_arrays
from tinsmith_ir.operators import Add, Relu
from tinsmith_ir.operators.base import Operator
from tinsmith_ir.random_graphs import random_graph
from tinsmith_ir.testing import random_inputs
from tinsmith_lowering import Beside, Kernel, Layer, check_near
from tinsmith_scratchpad import UseScratchpad

COPYING = "copying"
_SCRATCH_BYTES = 96

CHAIN = """graph 2 "chain" {
  input %x: i8[1,2,3]<0.5, 3>
  %a: i8[1,2,3]<0.5, 3> = add(%x, %x)
  %b: i8[1,2,3]<0.5, 3> = add(%a, %x)
  %r: i8[1,2,3]<0.5, 3> = relu(%b)
  %c: i8[1,2,3]<0.5, 3> = add(%r, %a)
  output %c
}
"""


def scratch_bytes(layer: Layer) -> int:
    del layer
    return _SCRATCH_BYTES


def with_copying(operator: type[Operator] = Relu) -> tuple[Kernel, ...]:
    """Relu or Add by a second accelerator, which copies by itself, the other by the first one."""
    return tuple(
        replace(
            kernel,
            scratch_bytes=scratch_bytes,
            beside=Beside(COPYING, depth=1, copies=True),
        )
        if kernel.accelerator == ARRAY and kernel.operator is operator
        else kernel
        for kernel in kernels()
    )


def used(
    program: Program, operator: type[Operator] = Relu, *, round_trips: bool = False
) -> Program:
    found = UseScratchpad(chip(), with_copying(operator), round_trips).run(program)
    verify_program(found)
    check_near(found, chip(), with_copying(operator))
    return found


def steps_of(program: Program) -> list[str]:
    return [
        f"{step.source} -> {step.destination}"
        if isinstance(step, Copy)
        else f"{step.name} on {step.engine}"
        for step in program.steps
        if isinstance(step, Copy | Call)
    ]


def test_its_tensors_stay_where_they_are_and_others_leave_the_memory_to_it() -> None:
    program = used(lowered(parse_graph(CHAIN), with_copying()))
    lines = "test_scratchpad_lines"
    assert steps_of(program) == [
        f"x -> x.{lines}",
        f"x.{lines} -> x.{lines}.near",
        f"a on {ARRAY}",
        f"b on {ARRAY}",
        # What is read behind it; `x` is not.
        "a.near -> a",
        "b.near -> b",
        f"r on {COPYING}",
        "r -> r.near",
        "a -> a.near",
        f"c on {ARRAY}",
        "c.near -> c",
        "c -> c.dense",
    ]
    (call,) = (call for call in program.calls if call.engine == COPYING)
    assert (call.inputs, call.outputs, call.scratch) == (("b",), ("r",), "r.scratch.near")
    places = {buffer.name: buffer.memory for buffer in program.buffers}
    assert places["r.scratch.near"] == "l1"
    assert "r.scratch" not in places
    assert program.engine[COPYING].reaches == ("l1", "arena")


def test_who_reads_its_result_waits_for_it() -> None:
    program = used(lowered(parse_graph(CHAIN), with_copying()))
    steps = list(program.steps)
    (at,) = (i for i, step in enumerate(steps) if isinstance(step, Call) and step.name == "r")
    assert isinstance(steps[at + 1], Wait)


@pytest.mark.parametrize("round_trips", [False, True])
def test_random_networks_compute_the_same_whenever_engines_end(round_trips: bool) -> None:
    started = 0
    for seed in range(24):
        graph = random_graph(seed, nodes=30)
        program = used(lowered(graph, with_copying(Add)), Add, round_trips=round_trips)
        started += sum(call.engine == COPYING for call in program.calls)
        inputs = random_inputs(graph, 1)
        wanted = evaluate_graph(graph, inputs)
        again = parse_program(print_program(program))
        for completion in ("earliest", "latest"):
            found = evaluate_program(
                again, [inputs[name] for name in again.inputs], completion=completion
            )
            for value, name in zip(graph.outputs, program.outputs, strict=True):
                assert equal_arrays(wanted[value.name], found[name]), (seed, name)
    assert started > 10


def test_scratch_that_lies_elsewhere_is_found() -> None:
    program = lowered(parse_graph(CHAIN.replace("add(", "mul(")), with_copying())
    with pytest.raises(UsageError, match=r"alone, but r\.scratch lies in arena"):
        check_near(program, chip(), with_copying())
