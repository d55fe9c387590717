"""Padding of layouts and room behind results are their buffer's, which others do not lie in."""

import pytest
from tinsmith_allocation import PlanError
from tinsmith_allocation.program_check import check_program
from tinsmith_allocation.touches import spans_of
from tinsmith_ir import parse_program
from tinsmith_ir.program import Program

# %a has 8 bytes behind its tensor, into which its writer may write while it reads %x.
_TEXT = """program 2 "p" for "host" {{
  memory "arena" align 4
  buffer %x: f32[2] in "arena"{0}
  buffer %a: 16 bytes in "arena"{1}
  view %a: f32[2] of %a
  buffer %b: f32[2] in "arena"{2}
  input %x
  call "a" kernel "k": %a = relu(%x)
  call "b" kernel "k": %b = relu(%a)
  output %b
}}
"""


def program(*offsets: int) -> Program:
    return parse_program(
        _TEXT.format(*(f" at {each}" for each in offsets) if offsets else [""] * 3)
    )


def test_the_last_view_of_a_buffer_touches_its_rest() -> None:
    assert spans_of(program()) == {"x": (0, 8), "a": (0, 16), "b": (0, 8)}


def test_a_plan_that_lays_an_operand_there_is_refused() -> None:
    with pytest.raises(PlanError, match="reads buffer x at 8 to 15"):
        check_program(program(8, 0, 16))
    check_program(program(16, 0, 16))
