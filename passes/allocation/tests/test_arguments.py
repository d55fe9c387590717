"""Wrong arguments are refused at once."""

from typing import Any

import pytest
from tinsmith_allocation import (
    AllocateBuffers,
    Block,
    Leave,
    Plan,
    check_plan,
    demand,
    lower_bound,
    plan_exact,
    plan_greedy,
    render_map,
)
from tinsmith_ir import ArgumentError

BLOCK = Block("a", 10, 0, 1)


@pytest.mark.parametrize(
    ("make", "arguments", "message"),
    [
        (Block, ("a", 10.5, 0, 1), r"Block: expected size_bytes to be int, got 10.5 \(float\)"),
        (Block, ("a", "10", 0, 1), "size_bytes"),
        (Block, ("a", True, 0, 1), "size_bytes"),
        (Block, (1, 10, 0, 1), "name"),
        (Block, ("a", 10, 0, None), "last_step"),
        (Block, ("a", 10, 0, 1, 4.0), "alignment"),
        (Leave, ("a", None), "source"),
        (Plan, ([BLOCK], {"a": 0}, 10), "blocks"),
        (Plan, ((BLOCK,), {"a": 0.0}, 10), "offsets"),
        (AllocateBuffers, ("yes",), "exact to be bool"),
        (AllocateBuffers, (True, 10.0, 0, "8 KiB"), "available_bytes"),
        (AllocateBuffers().run, ("program",), "program to be Program"),
        (plan_exact, ([("a", 10)],), "blocks"),
        (plan_greedy, (BLOCK,), "blocks"),
        (lower_bound, ("a",), "blocks"),
        (demand, ("program", "m"), "program to be Program"),
        (check_plan, (None,), "plan to be Plan"),
        (render_map, ((BLOCK,),), "plan to be Plan"),
    ],
)
def test_a_wrong_type_is_refused_at_once(make: Any, arguments: Any, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        make(*arguments)
