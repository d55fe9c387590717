"""Blocks that have an offset of their own keep it, and the others are planned around them."""

import pytest
from tinsmith_allocation import (
    Block,
    Leave,
    Plan,
    PlanError,
    Status,
    check_plan,
    lower_bound,
    plan_exact,
    plan_greedy,
)


def test_others_lie_around_a_block_with_an_offset() -> None:
    blocks = [Block("dma", 8, 0, 3, offset=4), Block("a", 4, 0, 1), Block("b", 8, 1, 2)]
    plan = plan_exact(blocks)
    check_plan(plan)
    assert (plan.offsets["dma"], plan.offsets["a"], plan.offsets["b"]) == (4, 0, 12)
    assert plan.arena_bytes == 20
    assert plan.status is Status.OPTIMAL


def test_the_solver_keeps_offsets(monkeypatch: pytest.MonkeyPatch) -> None:
    def unchanged(plan: Plan, work: int, seed: int) -> Plan:
        return plan

    monkeypatch.setattr("tinsmith_allocation.exact.improved", unchanged)
    blocks = [
        Block("dma", 2, 2, 3, offset=1),
        *(Block(f"b{at}", size, *steps) for at, (size, *steps) in enumerate(_SIX_FOR_SEVEN)),
    ]
    plan = plan_exact(blocks)
    check_plan(plan)
    assert plan.offsets["dma"] == 1


_SIX_FOR_SEVEN = [(3, 0, 0), (3, 0, 1), (1, 1, 3), (2, 1, 4), (1, 2, 4), (3, 4, 5), (3, 5, 5)]


def test_the_bound_counts_what_ends_high() -> None:
    assert lower_bound([Block("dma", 8, 0, 0, offset=100), Block("a", 4, 0, 0)]) == 108


def test_blocks_in_each_others_way_are_refused() -> None:
    blocks = [Block("a", 8, 0, 1, offset=0), Block("b", 8, 1, 2, offset=4)]
    with pytest.raises(PlanError, match=r"a and b live together and have the offsets 0 and 4"):
        plan_greedy(blocks)
    leave = Leave("b", "a", at_most=None, at_least=4)
    assert plan_greedy(blocks, leaves=[leave]).arena_bytes == 12
    apart = [blocks[0], Block("b", 8, 2, 3, offset=4)]
    assert plan_greedy(apart).arena_bytes == 12


def test_a_block_of_one_step_keeps_its_offset_beside_larger_ones() -> None:
    blocks = [Block("all", 4, 0, 3), Block("s0", 16, 0, 0), Block("s1", 8, 1, 1, offset=32)]
    plan = plan_exact(blocks)
    check_plan(plan)
    assert plan.offsets["s1"] == 32


@pytest.mark.parametrize(("alignment", "offset"), [(1, -1), (8, 4), (1, 1 << 63)])
def test_offsets_that_none_can_have_are_refused(alignment: int, offset: int) -> None:
    with pytest.raises(PlanError, match="expected an offset"):
        Block("a", 4, 0, 0, alignment, offset)


def test_a_moved_block_is_found() -> None:
    with pytest.raises(PlanError, match="block a at 0: it must be at 4"):
        check_plan(Plan((Block("a", 4, 0, 0, offset=4),), {"a": 0}, 4))
