"""Orders of execution that keep few bytes live: the search, a command of its own, and the program pass.

What knows Programs is imported when it is asked for, since ordering alone needs neither tinsmith_ir nor numpy.
"""

from typing import TYPE_CHECKING

from tinsmith_scheduling.foundation import program_part
from tinsmith_scheduling.problem import Problem, ProblemError, Task
from tinsmith_scheduling.search import Schedule, find_schedule

if TYPE_CHECKING:
    from tinsmith_scheduling.schedule import (
        ScheduleCalls,
        live_bytes,
        peak_live_bytes,
        problem_of,
    )

__all__ = [
    "Problem",
    "ProblemError",
    "Schedule",
    "ScheduleCalls",
    "Task",
    "find_schedule",
    "live_bytes",
    "peak_live_bytes",
    "problem_of",
]

_OF_PROGRAMS = {"ScheduleCalls", "live_bytes", "peak_live_bytes", "problem_of"}


if not TYPE_CHECKING:  # to a checker, whatever is misspelt would be there

    def __getattr__(name: str) -> object:
        """What knows Programs, which the extra `program` of this package installs."""
        if name not in _OF_PROGRAMS:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(program_part("schedule"), name)
