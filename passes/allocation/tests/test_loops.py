"""Buffers of loop bodies: placed for one iteration, right in all."""

from dataclasses import replace

import numpy as np
import pytest
from tinsmith_allocation import AllocateBuffers, demand, plan_of
from tinsmith_ir import Program, evaluate_program, parse_program
from tinsmith_ir.lifetimes import written_lives
from tinsmith_ir.random_programs import random_program

RELU = 'call "r" kernel "k": %b = relu(%a)'


def program(*steps: str) -> Program:
    """Rows of x, each of 16 bytes, by way of buffers of one row, to rows of y."""
    buffers = "\n".join(f'buffer %{name}: i8[16]<0.5, 3> in "ram"' for name in "abc")
    return parse_program(f"""program 2 "p" for "host" {{
  memory "ram" align 16
  buffer %x: i8[4,16]<0.5, 3> in "ram"
  buffer %y: i8[4,16]<0.5, 3> in "ram"
  {buffers}
  view %from: i8[16]<0.5, 3> of %x start 16*i
  view %to: i8[16]<0.5, 3> of %y start 16*i
  input %x
  {chr(10).join(steps)}
  output %y
}}""")


def check(given: Program) -> Program:
    """The placed program, which computes the same."""
    placed = AllocateBuffers().run(given)
    type_ = given.type_of("x")
    x = np.arange(type_.elements).reshape(type_.shape).astype(type_.dtype.numpy)
    wanted, got = evaluate_program(given, [x])["y"], evaluate_program(placed, [x])["y"]
    assert wanted.tobytes() == got.tobytes()
    return placed


def offsets(placed: Program, *names: str) -> list[int | None]:
    return [placed.buffer[name].offset for name in names]


def test_buffers_of_one_body_share_their_place() -> None:
    """And rows of the output lie where those of the input were."""
    rest = ["copy %b -> %c", "copy %c -> %to", "}"]
    placed = check(program("loop i of 4 {", "copy %from -> %a", RELU, *rest))
    assert set(offsets(placed, "a", "b")) == {64, 80}
    assert offsets(placed, "a") == offsets(placed, "c")
    plan = plan_of(placed, "ram")
    assert (plan.arena_bytes, plan.lower_bound) == (96, 96)


def test_a_result_lies_over_its_operand_in_every_iteration() -> None:
    over = f"{RELU} over %a up to 0"
    steps = ["copy %from -> %a", over, "copy %b -> %to"]
    placed = check(program("fill %c with 0", "loop i of 4 {", *steps, "}"))
    assert offsets(placed, "a") == offsets(placed, "b")


def test_a_result_does_not_lie_over_what_the_next_iteration_reads() -> None:
    over = f"{RELU} over %a up to 0"
    given = program(
        "fill %a with 1", "fill %c with 0", "loop i of 4 {", "copy %c -> %to", over, "}"
    )
    assert demand(given, "ram").leaves == ()
    placed = check(given)
    assert offsets(placed, "a") != offsets(placed, "b")


@pytest.mark.parametrize("seed", range(15))
def test_random_programs_placed_anew_compute_the_same(seed: int) -> None:
    given = random_program(seed)
    used = written_lives(given).spans
    buffers = (replace(given.buffer[name], offset=None) for name in used)
    views = (view for view in given.views if view.buffer in used)
    check(replace(given, buffers=tuple(buffers), views=tuple(views)))
