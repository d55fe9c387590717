"""Wrong arguments are refused at once."""

from typing import Any

import pytest
from tinsmith_ir import ArgumentError
from tinsmith_scheduling import ScheduleCalls, find_schedule, peak_live_bytes, problem_of


@pytest.mark.parametrize(
    ("make", "arguments", "message"),
    [
        (ScheduleCalls, ("256",), "beam_width to be int"),
        (ScheduleCalls().run, (None,), "program to be Program"),
        (problem_of, ("program",), "program to be Program"),
        (peak_live_bytes, ("program",), "program to be Program"),
        (find_schedule, ("problem",), "problem to be Problem"),
    ],
)
def test_a_wrong_type_is_refused_at_once(make: Any, arguments: Any, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        make(*arguments)
