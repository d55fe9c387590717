"""Orders of execution that keep few bytes live: the search, and the program pass."""

from tinsmith_scheduling.problem import Problem, Task
from tinsmith_scheduling.schedule import ScheduleCalls, live_bytes, peak_live_bytes, problem_of
from tinsmith_scheduling.search import Schedule, find_schedule

__all__ = [
    "Problem",
    "Schedule",
    "ScheduleCalls",
    "Task",
    "find_schedule",
    "live_bytes",
    "peak_live_bytes",
    "problem_of",
]
