"""Calls that copy operands or results by themselves: what else they touch lies in the scratchpad, beside what has room
there.
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
from tinsmith_lowering.kernel import no_scratch
from tinsmith_scratchpad import UseScratchpad

COPYING = "copying"
_SCRATCH_BYTES = 96
_ROOM_FOR_NOTHING, _ROOM_FOR_ONE = 96, 128
"""Of the scratchpad, beside that, and a tensor of 32 bytes."""

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


BOTH = Beside(COPYING, depth=1, copies_operands=True, copies_results=True)
"""A second accelerator, whose kernels copy everything."""
OPERANDS = Beside(ARRAY, depth=1, copies_operands=True)
RESULTS = Beside(ARRAY, depth=1, copies_results=True)
"""Kernels of the first one that copy what they read, or what they write."""


def with_copying(operator: type[Operator] = Relu, beside: Beside = BOTH) -> tuple[Kernel, ...]:
    """Relu or Add by a kernel that copies by itself, the other by one of the first accelerator that does not."""
    return tuple(
        replace(kernel, scratch_bytes=scratch_bytes, beside=beside)
        if kernel.accelerator == ARRAY and kernel.operator is operator
        else kernel
        for kernel in kernels()
    )


def used(
    program: Program,
    operator: type[Operator] = Relu,
    beside: Beside = BOTH,
    *,
    round_trips: bool = False,
    size_bytes: int = 4096,
) -> Program:
    kernels = with_copying(operator, beside)
    found = UseScratchpad(chip(size_bytes), kernels, round_trips).run(program)
    verify_program(found)
    check_near(found, chip(size_bytes), kernels)
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
    program = used(lowered(parse_graph(CHAIN), with_copying()), size_bytes=_ROOM_FOR_NOTHING)
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


def test_without_scratch_it_leaves_what_others_have_there() -> None:
    """It copies its operand to the scratchpad, or its result from there, and has its place as others have theirs."""
    for beside, copied in ((OPERANDS, ["b.near -> b"]), (RESULTS, ["r -> r.near"])):
        kernels = tuple(
            replace(kernel, scratch_bytes=no_scratch) for kernel in with_copying(beside=beside)
        )
        program = UseScratchpad(chip(), kernels).run(lowered(parse_graph(CHAIN), kernels))
        verify_program(program)
        steps = steps_of(program)
        lines = f"b on {ARRAY}", f"c on {ARRAY}"
        between = steps[steps.index(lines[0]) + 1 : steps.index(lines[1])]
        assert sorted(between) == sorted([f"r on {ARRAY}", *copied])
        inputs = random_inputs(parse_graph(CHAIN), 1)
        found, wanted = (
            evaluate_program(program, inputs),
            evaluate_graph(parse_graph(CHAIN), inputs),
        )
        assert all(map(equal_arrays, found.values(), wanted.values()))


def test_a_kernel_that_copies_its_result_reads_where_its_engine_left_it() -> None:
    program = used(
        lowered(parse_graph(CHAIN), with_copying(beside=RESULTS)),
        beside=RESULTS,
        size_bytes=_ROOM_FOR_ONE,
    )
    assert steps_of(program)[2:9] == [
        f"a on {ARRAY}",
        f"b on {ARRAY}",
        # What is read behind it and is no operand of it; that has the room.
        "a.near -> a",
        f"r on {ARRAY}",
        "r -> r.near",
        "a -> a.near",
        f"c on {ARRAY}",
    ]
    (call,) = (call for call in program.calls if call.name == "r")
    assert (call.inputs, call.outputs, call.scratch) == (("b.near",), ("r",), "r.scratch.near")
    # One engine, of kernels that differ.
    assert [engine.name for engine in program.engines] == [ARRAY, "dma"]
    assert program.engine[ARRAY].reaches == ("l1", "arena")


def test_a_kernel_that_copies_its_operands_leaves_its_result_there() -> None:
    program = used(
        lowered(parse_graph(CHAIN), with_copying(beside=OPERANDS)),
        beside=OPERANDS,
        size_bytes=_ROOM_FOR_ONE,
    )
    assert steps_of(program)[4:9] == [
        "a.near -> a",
        "b.near -> b",
        f"r on {ARRAY}",
        "a -> a.near",
        f"c on {ARRAY}",
    ]
    (call,) = (call for call in program.calls if call.name == "r")
    assert (call.inputs, call.outputs) == (("b",), ("r.near",))


def test_an_operand_that_is_read_again_stays_until_it_is_sent_out() -> None:
    text = CHAIN.replace("add(%r, %a)", "add(%r, %b)")
    program = used(lowered(parse_graph(text), with_copying(beside=RESULTS)), beside=RESULTS)
    assert steps_of(program)[2:7] == [
        f"a on {ARRAY}",
        f"b on {ARRAY}",
        f"r on {ARRAY}",
        "r -> r.near",
        f"c on {ARRAY}",
    ]


@pytest.mark.parametrize("size_bytes", [_ROOM_FOR_ONE, 4096])
def test_what_has_room_beside_its_scratch_stays(size_bytes: int) -> None:
    """`a`, which is read behind it; what it reads itself does not."""
    program = used(lowered(parse_graph(CHAIN), with_copying()), size_bytes=size_bytes)
    assert steps_of(program)[2:8] == [
        f"a on {ARRAY}",
        f"b on {ARRAY}",
        "b.near -> b",
        f"r on {COPYING}",
        "r -> r.near",
        f"c on {ARRAY}",
    ]


def test_what_is_read_first_stays_where_there_is_room_for_one() -> None:
    """`x` is read in front of `a`."""
    text = CHAIN.replace("add(%r, %a)", "add(%r, %x)").replace(
        "output %c", "output %c\n  output %y"
    )
    text = text.replace("  output %c\n", "  %y: i8[1,2,3]<0.5, 3> = add(%c, %a)\n  output %c\n")
    program = used(lowered(parse_graph(text), with_copying()), size_bytes=_ROOM_FOR_ONE)
    (at,) = (i for i, step in enumerate(steps_of(program)) if step == f"r on {COPYING}")
    assert steps_of(program)[at - 2 : at] == ["a.near -> a", "b.near -> b"]


def test_nothing_stays_that_has_no_room_later() -> None:
    """`a` would lie beside `r`, `d`, `e` and `f`."""
    text = CHAIN.replace(
        "  %c: i8[1,2,3]<0.5, 3> = add(%r, %a)",
        """
  %d: i8[1,2,3]<0.5, 3> = add(%r, %r)
  %e: i8[1,2,3]<0.5, 3> = add(%d, %r)
  %f: i8[1,2,3]<0.5, 3> = add(%e, %d)
  %g: i8[1,2,3]<0.5, 3> = add(%f, %r)
  %c: i8[1,2,3]<0.5, 3> = add(%g, %a)""",
    )
    whole = lowered(parse_graph(text), with_copying())
    assert "a.near -> a" in steps_of(used(whole, size_bytes=_ROOM_FOR_ONE))
    assert "a.near -> a" not in steps_of(used(whole, size_bytes=_ROOM_FOR_ONE + 32))


def test_who_reads_its_result_waits_for_it() -> None:
    program = used(lowered(parse_graph(CHAIN), with_copying()))
    steps = list(program.steps)
    (at,) = (i for i, step in enumerate(steps) if isinstance(step, Call) and step.name == "r")
    assert isinstance(steps[at + 1], Wait)


@pytest.mark.parametrize("round_trips", [False, True])
@pytest.mark.parametrize("beside", [BOTH, OPERANDS, RESULTS])
def test_random_networks_compute_the_same_whenever_engines_end(
    beside: Beside, round_trips: bool
) -> None:
    started = 0
    for seed in range(24):
        graph = random_graph(seed, nodes=30)
        whole = lowered(graph, with_copying(Add, beside))
        program = used(whole, Add, beside, round_trips=round_trips)
        started += sum(isinstance(call.operator, Add) for call in program.calls if call.engine)
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
