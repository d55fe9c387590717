"""Pieces of one buffer over dead pieces of another: the leaves, and what checkers and evaluator make of them."""

import re
from dataclasses import replace

import numpy as np
import pytest
from row_programs import program, random_rows
from tinsmith_allocation import AllocateBuffers, Leave, PlanError, check_program, demand, plan_exact
from tinsmith_ir import (
    GraphError,
    Program,
    evaluate_program,
    parse_program,
    verify_program,
)
from tinsmith_ir.graph import Array
from tinsmith_ir.program import Overlap

ROW = 32


def rows(step: str, count: int = 4) -> list[str]:
    """A step for each row; 0, 1 and 2 in it are this row, the next, and the one behind."""

    def made(index: int) -> str:
        return re.sub(r"\d", lambda digit: str((int(digit.group()) + index) * ROW), step)

    return [made(index) for index in range(count)]


def inputs_of(given: Program) -> dict[str, Array]:
    random = np.random.default_rng(5)
    types = {name: given.type_of(name) for name in given.inputs}
    return {
        name: random.integers(-128, 128, type_.shape).astype(type_.dtype.numpy)
        for name, type_ in types.items()
    }


def same(given: Program, placed: Program) -> bool:
    """True if the two compute the same."""
    inputs = inputs_of(given)
    wanted, got = evaluate_program(given, inputs), evaluate_program(placed, inputs)
    return all(array.tobytes() == got[name].tobytes() for name, array in wanted.items())


def at(given: Program, over: str, under: str, distance: int) -> Program:
    """The one buffer at some distance over the other, the rest far from both."""
    far = 1000
    buffers = [replace(buffer, offset=far * (2 + n)) for n, buffer in enumerate(given.buffers)]
    places = {over: far + distance, under: far}
    return given.with_buffers(
        tuple(replace(each, offset=places.get(each.name, each.offset)) for each in buffers)
    )


def is_accepted(placed: Program) -> bool:
    """By the checker of plans, and by the verifier, which checks calls by themselves."""
    try:
        check_program(placed)
        verify_program(placed)
    except (PlanError, GraphError):
        return False
    return True


def leave_of(given: Program, output: str, source: str) -> Leave | None:
    found = {(leave.output, leave.source): leave for leave in demand(given, "ram").leaves}
    return found.get((output, source))


@pytest.mark.parametrize(
    ("step", "at_most", "at_least"),
    [
        # Apart in each call: a row ends where the one that it is made from begins. The fifth row is never read.
        ("y[0:1] = x[0:1]", -ROW, 4 * ROW),
        ("y[0:1] <- x[0:1]", -ROW, 4 * ROW),
        ("y[0:1] = x[0:1] over", 0, 4 * ROW),
        # Rows are read for the next one, too.
        ("y[0:1] = x[0:1] + x[1:2]", -ROW, None),
        ("y[0:1] = x[0:1] + x[1:2] over", 0, None),
        # The first row is never read.
        ("y[0:1] = x[1:2]", 0, None),
        ("y[0:1] = x[1:2] over", ROW, None),
    ],
)
def test_how_near_follows_from_what_is_read_later_and_what_calls_bear(
    step: str, at_most: int, at_least: int | None
) -> None:
    given = program({"x": 5 * ROW, "y": 4 * ROW}, rows(step))
    assert leave_of(given, "y", "x") == Leave("y", "x", at_most, at_least)
    right = at(given, "y", "x", at_most)
    assert is_accepted(right)
    assert same(given, right)


@pytest.mark.parametrize("nearer", [1, ROW])
def test_a_byte_or_a_row_nearer_is_found(nearer: int) -> None:
    """By who owns bytes, as the call itself bears it, and by the bytes that come out."""
    given = program({"x": 5 * ROW, "y": 4 * ROW}, rows("y[0:1] = x[1:2] + x[0:1] over"))
    check_program(at(given, "y", "x", 0))
    wrong = at(given, "y", "x", nearer)
    with pytest.raises(PlanError, match=r"reads buffer x\..*, but y has written byte"):
        check_program(wrong)
    apart = tuple(replace(step, over=(Overlap(0, ROW), Overlap(1, ROW))) for step in given.calls)
    assert not same(given, replace(wrong, steps=apart))


def test_downwards() -> None:
    steps = rows("y[0:1] = x[2:3]")[::-1]
    given = program({"x": 6 * ROW, "y": 4 * ROW}, steps)
    # The last rows of x are read first; what is below the third is never read.
    assert leave_of(given, "y", "x") == Leave("y", "x", -2 * ROW, 3 * ROW)


def test_rows_over_rows_that_are_written_beside_them() -> None:
    """x to h to y, row by row of both, all three over one another."""
    pairs = zip(rows("h[0:1] = x[0:1] over"), rows("y[0:1] = h[0:1] over"), strict=True)
    given = program(
        {"x": 4 * ROW, "h": 4 * ROW, "y": 4 * ROW}, [step for pair in pairs for step in pair]
    )
    assert leave_of(given, "h", "x") == Leave("h", "x", 0)
    placed = AllocateBuffers().allocate(given)
    assert placed.plans["ram"].arena_bytes == 4 * ROW
    assert same(given, placed.program)


def test_parts_that_are_written_later_lie_where_others_were() -> None:
    """What a concatenation without copies looks like: its second half comes when h is dead."""
    given = program(
        {"x": 96, "h": 96, "y": 192},
        ["y[0:96] = x[0:96]", "h[0:96] = x[0:96]", "y[96:192] = h[0:96] over"],
    )
    assert leave_of(given, "y", "h") == Leave("y", "h", -96)
    assert AllocateBuffers().plan(given, "ram").arena_bytes == 192 + 96


def test_an_input_does_not_lie_over_another_that_nobody_reads() -> None:
    given = program({"x": 128, "z": 128, "y": 128}, rows("y[0:1] = x[0:1]"))
    given = replace(given, inputs=("x", "z"))
    assert {leave.output for leave in demand(given, "ram").leaves} == {"y"}


def test_what_an_engine_touches_stays_apart() -> None:
    steps = "\n".join(
        f"""copy %x{row} -> %y{row} on "dma" token {row}
        wait {row}"""
        for row in range(4)
    )
    views = "\n".join(
        f"""view %{name}{row}: i8[32]<0.5, 3> of %{name} start {32 * row}"""
        for name in "xy"
        for row in range(4)
    )
    given = parse_program(f"""program 2 "p" for "host" {{
      memory "ram" align 16
      engine "dma" reaches "ram" align 1
      buffer %x: i8[128]<0.5, 3> in "ram"
      buffer %y: i8[128]<0.5, 3> in "ram"
      {views}
      input %x
      {steps}
      output %y
    }}""")
    assert demand(given, "ram").leaves == ()


@pytest.mark.parametrize("seed", range(60))
def test_every_distance_of_random_rows(seed: int) -> None:
    """What is allowed is right; next to what is allowed is wrong."""
    given = random_rows(seed, row=24, rows=4)
    for leave in demand(given, "ram").leaves:
        output, source = given.buffer[leave.output], given.buffer[leave.source]
        low, high = -output.size_bytes, source.size_bytes
        at_most = low if leave.at_most is None else leave.at_most
        at_least = high if leave.at_least is None else leave.at_least
        assert at_most < at_least
        near = {at_most - 1, at_most, at_least, at_least + 1, *leave.exactly}
        for distance in {*near, *range(low, at_most, 17), *range(at_least, high, 17)}:
            placed = at(given, leave.output, leave.source, distance)
            assert is_accepted(placed), (leave, distance)
            assert same(given, placed), (leave, distance)
        for distance in {at_most + 1, at_least - 1} - {*leave.exactly}:
            assert not is_accepted(at(given, leave.output, leave.source, distance)), (
                leave,
                distance,
            )


@pytest.mark.parametrize("seed", range(60))
def test_random_rows_placed_compute_the_same(seed: int) -> None:
    given = random_rows(seed, row=40, rows=8, alignment=(1, 16)[seed % 2])
    allocation = AllocateBuffers(time_limit=1.0).allocate(given)
    assert is_accepted(allocation.program)
    assert same(given, allocation.program)
    plan = allocation.plans["ram"]
    assert plan.arena_bytes <= plan_exact(plan.blocks).arena_bytes
