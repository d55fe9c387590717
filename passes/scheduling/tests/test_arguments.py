"""Wrong arguments are refused at once."""

from typing import Any

import pytest
from tinsmith_ir import ArgumentError
from tinsmith_scheduling import ScheduleNodes, find_schedule, peak_live_bytes, problem_of


@pytest.mark.parametrize(
    ("make", "arguments", "message"),
    [
        (ScheduleNodes, ("256",), "beam_width to be int"),
        (ScheduleNodes().run, (None,), "graph to be Graph"),
        (problem_of, ("graph",), "graph to be Graph"),
        (peak_live_bytes, ("graph",), "graph to be Graph"),
        (find_schedule, ("problem",), "problem to be Problem"),
    ],
)
def test_a_wrong_type_is_refused_at_once(make: Any, arguments: Any, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        make(*arguments)
