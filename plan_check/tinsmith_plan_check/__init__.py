"""Checks a plan of memory (`plan.json`) by deriving each claim from its steps; shares no code with any planner."""

from tinsmith_plan_check.check import check_plan
from tinsmith_plan_check.errors import PlanFileError, PlanRefusedError
from tinsmith_plan_check.plan import SCHEMA, Plan
from tinsmith_plan_check.reader import read_plan

__all__ = [
    "SCHEMA",
    "Plan",
    "PlanFileError",
    "PlanRefusedError",
    "check_plan",
    "read_plan",
]
