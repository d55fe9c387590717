"""Several models in one arena: over one another, or beside each other where they run at the same time."""

import pytest
from tinsmith_allocation import Block, JointPlan, Leave, Model, PlanError, Status, plan_jointly
from tinsmith_allocation.foundation import UsageError
from tinsmith_allocation.joint import check_jointly


def model(name: str, size: int, alignment: int = 1, offset: int | None = None) -> Model:
    """Two blocks that live together, of half the size each."""
    half = size // 2
    return Model(
        name,
        (Block("x", half, 0, 1, alignment, offset), Block("y", half, 1, 2, alignment)),
    )


A, B, C = model("a", 100), model("b", 60), model("c", 40)


def test_models_that_never_run_together_share_all_bytes() -> None:
    plan = plan_jointly([A, B, C])
    check_jointly(plan.plans)
    assert (plan.arena_bytes, plan.status) == (100, Status.OPTIMAL)
    assert [min(found.offsets.values()) for found in plan.plans.values()] == [0, 0, 0]


def test_models_that_run_together_add_up() -> None:
    together = [{"a", "b", "c"}]
    plan = plan_jointly([A, B, C], together=together)
    check_jointly(plan.plans, together)
    assert (plan.arena_bytes, plan.lower_bound) == (200, 200)


def test_of_models_in_two_groups_only_partners_lie_apart() -> None:
    together = [{"a", "b"}, {"b", "c"}]
    plan = plan_jointly([A, B, C], together=together)
    check_jointly(plan.plans, together)
    assert (plan.arena_bytes, plan.lower_bound) == (160, 160)


def test_a_model_begins_at_its_alignment() -> None:
    plan = plan_jointly([model("odd", 102), model("even", 32, 16)], together=[{"odd", "even"}])
    check_jointly(plan.plans, [{"odd", "even"}])
    assert plan.arena_bytes == 134  # the aligned one below


def test_a_model_with_a_fixed_block_begins_at_the_bottom() -> None:
    plan = plan_jointly([A, model("dma", 8, offset=12)], together=[{"a", "dma"}])
    check_jointly(plan.plans, [{"a", "dma"}])
    assert plan.plans["dma"].offsets["x"] == 12
    assert plan.arena_bytes == 116
    with pytest.raises(PlanError, match="both have blocks with an offset"):
        plan_jointly(
            [model("one", 8, offset=0), model("two", 8, offset=8)], together=[{"one", "two"}]
        )


def test_leaves_hold_within_a_model() -> None:
    blocks = (Block("x", 50, 0, 1), Block("y", 50, 1, 2))
    assert plan_jointly([Model("a", blocks, (Leave("y", "x"),))]).arena_bytes == 50


def test_bytes_that_two_running_models_share_are_found() -> None:
    plan = plan_jointly([A, B])
    with pytest.raises(PlanError, match="a and b run at the same time and share bytes 0 to 59"):
        check_jointly(plan.plans, [{"a", "b"}])


def test_names_are_checked() -> None:
    with pytest.raises(UsageError, match="no model has the name z: expected one of a, b"):
        plan_jointly([A, B], together=[{"a", "z"}])
    with pytest.raises(UsageError, match="the same name"):
        plan_jointly([A, A])


def test_no_models_need_no_bytes() -> None:
    assert plan_jointly([]) == JointPlan({}, 0)
