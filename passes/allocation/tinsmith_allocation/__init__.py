"""Offsets for buffers: exact and greedy planners, an independent checker, and the program pass.

What knows Programs is imported when it is asked for, since planning alone needs neither tinsmith_ir nor numpy.
"""

from typing import TYPE_CHECKING

from tinsmith_allocation.bound import lower_bound
from tinsmith_allocation.check import check_plan
from tinsmith_allocation.exact import plan_exact, plan_within
from tinsmith_allocation.foundation import program_part
from tinsmith_allocation.greedy import plan_greedy
from tinsmith_allocation.joint import JointPlan, Model, plan_jointly
from tinsmith_allocation.model import Block, Leave, Plan, PlanError, Status
from tinsmith_allocation.render import render_map
from tinsmith_allocation.search import improved

if TYPE_CHECKING:
    from tinsmith_allocation.allocate import (
        AllocateBuffers,
        Allocation,
        bytes_without_scratch,
        place,
        plan_of,
    )
    from tinsmith_allocation.ends import ExposeEnds
    from tinsmith_allocation.holding import HeldConstants, HoldConstants
    from tinsmith_allocation.lifetimes import Demand, demand
    from tinsmith_allocation.moving import moved_bytes, traffic
    from tinsmith_allocation.program_check import check_program
    from tinsmith_allocation.spilling import SpillBuffers, Spills, sizes_of

__all__ = [
    "AllocateBuffers",
    "Allocation",
    "Block",
    "Demand",
    "ExposeEnds",
    "HeldConstants",
    "HoldConstants",
    "JointPlan",
    "Leave",
    "Model",
    "Plan",
    "PlanError",
    "SpillBuffers",
    "Spills",
    "Status",
    "bytes_without_scratch",
    "check_plan",
    "check_program",
    "demand",
    "improved",
    "lower_bound",
    "moved_bytes",
    "place",
    "plan_exact",
    "plan_greedy",
    "plan_jointly",
    "plan_of",
    "plan_within",
    "render_map",
    "sizes_of",
    "traffic",
]

_OF_PROGRAMS = {
    "AllocateBuffers": "allocate",
    "Allocation": "allocate",
    "Demand": "lifetimes",
    "ExposeEnds": "ends",
    "HeldConstants": "holding",
    "HoldConstants": "holding",
    "SpillBuffers": "spilling",
    "Spills": "spilling",
    "bytes_without_scratch": "allocate",
    "check_program": "program_check",
    "demand": "lifetimes",
    "moved_bytes": "moving",
    "place": "allocate",
    "plan_of": "allocate",
    "sizes_of": "spilling",
    "traffic": "moving",
}


if not TYPE_CHECKING:  # to a checker, whatever is misspelt would be there

    def __getattr__(name: str) -> object:
        """What knows Programs, which the extra `program` of this package installs."""
        if name not in _OF_PROGRAMS:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(program_part(_OF_PROGRAMS[name]), name)
