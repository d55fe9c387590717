"""Offsets for buffers: exact and greedy planners, an independent checker, and the program pass."""

from tinsmith_allocation.allocate import (
    AllocateBuffers,
    Allocation,
    bytes_without_scratch,
    place,
    plan_of,
)
from tinsmith_allocation.bound import lower_bound
from tinsmith_allocation.check import check_plan, check_program
from tinsmith_allocation.exact import plan_exact
from tinsmith_allocation.greedy import plan_greedy
from tinsmith_allocation.lifetimes import Demand, demand
from tinsmith_allocation.model import Block, Leave, Plan, PlanError, Status
from tinsmith_allocation.render import render_map

__all__ = [
    "AllocateBuffers",
    "Allocation",
    "Block",
    "Demand",
    "Leave",
    "Plan",
    "PlanError",
    "Status",
    "bytes_without_scratch",
    "check_plan",
    "check_program",
    "demand",
    "lower_bound",
    "place",
    "plan_exact",
    "plan_greedy",
    "plan_of",
    "render_map",
]
