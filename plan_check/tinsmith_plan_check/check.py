"""All checks of a plan, one behind the other."""

from tinsmith_plan_check.bound import check_bounds
from tinsmith_plan_check.cuts import check_cuts
from tinsmith_plan_check.leaves import check_leaves
from tinsmith_plan_check.lives import check_lives
from tinsmith_plan_check.loops import check_loops
from tinsmith_plan_check.patches import check_patches
from tinsmith_plan_check.plan import Plan
from tinsmith_plan_check.simulate import simulate
from tinsmith_plan_check.structure import Layout, check_structure


def check_plan(plan: Plan) -> None:
    """Derive every claim of a plan from its steps; raises PlanRefusedError for the first that does not hold."""
    layout = Layout(plan)
    check_structure(layout)
    check_loops(plan)
    simulate(layout)
    check_cuts(layout)
    check_patches(layout)
    lives = check_lives(plan)
    check_leaves(layout, lives)
    check_bounds(layout, lives)
