"""The checker of plans finds each kind of mistake, and passes what is right."""

import pytest
from tinsmith_allocation import Block, Leave, Plan, PlanError, check_plan

A = Block("a", 16, 0, 1, 8)
B = Block("b", 16, 1, 2, 8)
C = Block("c", 16, 2, 3, 8)


def test_blocks_that_never_meet_may_share_bytes() -> None:
    check_plan(Plan((A, B, C), {"a": 0, "b": 16, "c": 0}, 32))


@pytest.mark.parametrize(
    ("offsets", "reason"),
    [
        ({"a": 0, "b": 8, "c": 32}, "a and b both hold bytes 8 to 15 in step 1"),
        ({"a": 0, "b": 16, "c": 24}, "b and c both hold bytes 24 to 31 in step 2"),
        ({"a": 0, "b": 20, "c": 0}, "b at 20: expected a multiple of 8"),
        ({"a": -16, "b": 16, "c": 0}, "before the arena"),
        ({"a": 0, "b": 16}, "c has no offset"),
    ],
)
def test_a_mistake_is_named(offsets: dict[str, int], reason: str) -> None:
    with pytest.raises(PlanError, match=reason):
        check_plan(Plan((A, B, C), offsets, 32))


def test_a_bound_above_the_arena_is_a_mistake() -> None:
    with pytest.raises(PlanError, match="the bound is wrong"):
        check_plan(Plan((A, B, C), {"a": 0, "b": 16, "c": 0}, 33))


def test_two_blocks_of_one_name_are_a_mistake() -> None:
    with pytest.raises(PlanError, match="two blocks have the name a"):
        check_plan(Plan((A, Block("a", 4, 7, 8)), {"a": 0}, 16))


def test_a_leave_allows_its_distances_only() -> None:
    leave = (Leave("b", "a", None, exactly=(0,)),)
    check_plan(Plan((A, B), {"a": 0, "b": 0}, 16, leave))
    with pytest.raises(PlanError, match="a and b"):
        check_plan(Plan((A, B), {"a": 8, "b": 0}, 16, leave))
    upwards = (Leave("b", "a", 0),)
    check_plan(Plan((A, B), {"a": 8, "b": 0}, 16, upwards))
    with pytest.raises(PlanError, match="b at distance 8, too near"):
        check_plan(Plan((A, B), {"a": 0, "b": 8}, 16, upwards))


def test_a_leave_covers_all_steps_that_two_blocks_share() -> None:
    longer = Block("a", 16, 0, 7, 8)
    later = Block("c", 16, 5, 6, 8)
    leave = (Leave("b", "a", -8),)
    check_plan(Plan((longer, B), {"a": 8, "b": 0}, 16, leave))
    with pytest.raises(PlanError, match="b at distance 0, too near"):
        check_plan(Plan((longer, B), {"a": 0, "b": 0}, 16, leave))
    with pytest.raises(PlanError, match="a and c both hold bytes 8 to 15 in step 5"):
        check_plan(Plan((longer, B, later), {"a": 8, "b": 0, "c": 0}, 16, leave))


class CountedOffsets(dict[str, int]):
    """Offsets that count how often one is asked for."""

    asked = 0

    def __getitem__(self, name: str) -> int:
        self.asked += 1
        return super().__getitem__(name)


def test_a_block_is_compared_with_its_neighbours_alone() -> None:
    blocks = tuple(Block(f"b{index}", 8, 0, 9, 8) for index in range(1000))
    offsets = CountedOffsets({block.name: 8 * index for index, block in enumerate(blocks)})
    check_plan(Plan(blocks, offsets, 8000))
    assert offsets.asked <= 4 * len(blocks)


def test_a_block_inside_the_first_of_two_that_share_a_start_is_found() -> None:
    source, output = Block("source", 64, 0, 1, 8), Block("output", 8, 1, 2, 8)
    inside = Block("inside", 8, 1, 1, 8)
    plan = Plan(
        (source, output, inside),
        {"source": 0, "output": 0, "inside": 32},
        64,
        (Leave("output", "source"),),
    )
    with pytest.raises(PlanError, match="source and inside both hold bytes 32 to 39 in step 1"):
        check_plan(plan)


def test_a_block_above_an_output_inside_its_source_is_found_to_reach_into_the_source() -> None:
    source, output = Block("source", 64, 0, 1, 8), Block("output", 8, 1, 2, 8)
    above = Block("above", 8, 1, 1, 8)
    offsets = {"source": 0, "output": 16, "above": 40}
    plan = Plan((source, output, above), offsets, 64, (Leave("output", "source", 16),))
    with pytest.raises(PlanError, match="source and above both hold bytes 40 to 47 in step 1"):
        check_plan(plan)
