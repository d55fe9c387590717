"""Accelerators with a scratchpad: what is under way at once, what stays in order, and what memory has no room for."""

import random

import numpy as np
import pytest
from accelerated_networks import (
    BYTES,
    CORE_CYCLES,
    ELEMENTS,
    JOB_CYCLES,
    KERNELS,
    accelerated,
    chip,
)
from tinsmith_ir import Program, evaluate_program, verify_program
from tinsmith_ir.first_fit import needed_bytes
from tinsmith_ir.program import Call, Copy, Wait
from tinsmith_overlap import OverlapCalls, Overlapping
from tinsmith_overlap.tokens import TOKENS

_BRANCHES = "a = one x, b = two x, c = core b"


def _overlapped(
    program: Program, near_bytes: int = 1 << 16, far_bytes: int = 1 << 16
) -> tuple[Program, Overlapping | None]:
    """Verified, and of the same results whenever engines end."""
    found = OverlapCalls(chip(near_bytes, far_bytes), KERNELS).run_in_detail(program)
    verify_program(found.ir)
    x = np.linspace(-3, 3, ELEMENTS, dtype=np.float32)
    expected = evaluate_program(program, [x])
    for completion in ("earliest", "latest"):
        results = evaluate_program(found.ir, [x], completion=completion)
        for name in program.outputs:
            np.testing.assert_array_equal(results[name], expected[name])
    facts = found.facts
    assert facts is None or isinstance(facts, Overlapping)
    return found.ir, facts


def _most_under_way(program: Program) -> tuple[int, int]:
    """Of calls, and of all steps."""
    under_way: list[Call | Copy] = []
    most = 0, 0
    for step in program.steps:
        if isinstance(step, Wait):
            under_way = [other for other in under_way if other.token != step.token]
        elif isinstance(step, Call | Copy) and step.token is not None:
            under_way.append(step)
            calls = sum(isinstance(other, Call) for other in under_way)
            most = max(most[0], calls), max(most[1], len(under_way))
    return most


def _order(program: Program) -> list[str]:
    """Calls by name, and copies by what they read."""
    return [
        step.name if isinstance(step, Call) else f"copy {step.source}"
        for step in program.steps
        if isinstance(step, Call | Copy)
    ]


def test_two_arrays_compute_at_once_and_the_core_beside_them() -> None:
    program = accelerated(_BRANCHES, "a", "c")
    assert _most_under_way(program) == (1, 1)
    found, facts = _overlapped(program)
    assert _most_under_way(found)[0] == 2
    assert facts is not None
    assert facts.jobs == ("a", "b") or facts.jobs == ("b", "a")
    assert facts.before - facts.after > 0.8 * JOB_CYCLES


def test_a_copy_goes_on_beside_a_job() -> None:
    """That of `a`, for the core, while the same array computes `b`: the other one copies."""
    found, facts = _overlapped(accelerated("a = one x, b = one x, c = core a", "b", "c"))
    assert facts is not None
    steps = found.steps
    ((job, token),) = (
        (i, step.token)
        for i, step in enumerate(steps)
        if isinstance(step, Call) and step.name == "b"
    )
    (copy,) = (
        i for i, step in enumerate(steps) if isinstance(step, Copy) and step.source == "a.near"
    )
    assert token is not None
    wait = next(i for i in range(job, len(steps)) if steps[i] == Wait(token))
    assert job < copy < wait
    assert facts.before - facts.after > 0.8 * CORE_CYCLES


def test_a_chain_is_left_alone() -> None:
    program = accelerated("a = one x, b = two a, c = core b", "c")
    found, facts = _overlapped(program)
    assert found is program
    assert facts is None


def test_what_reads_a_result_waits_for_it() -> None:
    found, _ = _overlapped(accelerated("a = one x, b = two x, s = sum a b, c = core a", "s", "c"))
    order = _order(found)
    assert order.index("s") > max(order.index("a"), order.index("b"))


def test_memories_have_room_for_what_lives_at_once() -> None:
    """The branches of both arrays lie in three places at once, which are fewer where there are no more."""
    layers = "a = one x, b = core a, c = two x, d = core c"
    program = accelerated(layers, "b", "d")
    needed = needed_bytes(program)["l1"]
    found, most = _overlapped(program)
    assert needed_bytes(found)["l1"] > needed
    tight, less = _overlapped(accelerated(layers, "b", "d", near_bytes=needed), needed)
    assert needed_bytes(tight)["l1"] == needed
    assert most is not None
    assert less is not None
    assert most.after < less.after < less.before


def test_the_memory_of_the_core_has_room_for_it_too() -> None:
    layers, outputs = _random_layers(8)
    program = accelerated(layers, *outputs)
    needed = needed_bytes(program)["arena"]
    found, most = _overlapped(program)
    assert needed_bytes(found)["arena"] > needed
    tight, less = _overlapped(program, far_bytes=needed)
    assert needed_bytes(tight)["arena"] == needed
    assert most is not None
    assert less is not None
    assert most.after < less.after < less.before


def test_a_part_is_ordered_where_the_whole_has_no_room() -> None:
    layers, outputs = _random_layers(5)
    program = accelerated(layers, *outputs)
    needed = needed_bytes(program)["l1"]
    found, whole = _overlapped(program)
    assert needed_bytes(found)["l1"] > needed
    tight, part = _overlapped(accelerated(layers, *outputs, near_bytes=needed), needed)
    assert needed_bytes(tight)["l1"] <= needed
    assert whole is not None
    assert part is not None
    assert whole.after < part.after < part.before


def test_no_more_is_started_than_there_are_tokens() -> None:
    layers = ", ".join(f"a{i} = {('one', 'two')[i % 2]} x" for i in range(2 * TOKENS))
    program = accelerated(layers, *(f"a{i}" for i in range(2 * TOKENS)))
    found, facts = _overlapped(program)
    assert facts is not None
    assert (
        max(
            step.token.base
            for step in found.steps
            if isinstance(step, Call | Copy) and step.token is not None
        )
        < TOKENS
    )


def test_a_program_with_places_is_left_alone() -> None:
    program = accelerated(_BRANCHES, "a", "c")
    offsets = {name: BYTES * number for number, name in enumerate(program.buffer)}
    placed = program.with_buffers(
        tuple(
            type(buffer)(buffer.name, buffer.size_bytes, buffer.memory, offsets[buffer.name])
            for buffer in program.buffers
        )
    )
    assert OverlapCalls(chip(), KERNELS).run(placed) is placed


@pytest.mark.parametrize("near_bytes", [1 << 16, 5 * BYTES])
def test_random_networks_compute_the_same_in_fewer_cycles(near_bytes: int) -> None:
    gained = 0
    for seed in range(16):
        layers, outputs = _random_layers(seed)
        program = accelerated(layers, *outputs, near_bytes=near_bytes)
        found, facts = _overlapped(program, near_bytes=near_bytes)
        if facts is None:
            assert found is program
            continue
        assert facts.after < facts.before
        gained += 1
        assert needed_bytes(found)["l1"] <= near_bytes
        assert found.steps == _overlapped(program, near_bytes=near_bytes)[0].steps
    assert gained > 4


def _random_layers(seed: int) -> tuple[str, list[str]]:
    generator = random.Random(seed)
    names, layers, unread = ["x"], list[str](), set[str]()
    for number in range(14):
        name, kind = f"v{number}", generator.choice(["one", "two", "two", "core", "sum"])
        operands = [generator.choice(names[-4:]) for _ in range(2 if kind == "sum" else 1)]
        layers.append(f"{name} = {kind} {' '.join(operands)}")
        unread = (unread - set(operands)) | {name}
        names.append(name)
    return ", ".join(layers), sorted(unread)
