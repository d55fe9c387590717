"""Blocks that lie where larger ones of their kind do, and need not be planned."""

import random

import pytest
from tinsmith_allocation import Block, Leave, Status, check_plan, plan_exact, plan_greedy
from tinsmith_allocation.followers import without_followers
from tinsmith_allocation.model import checked_leaves

LONG = (Block("x", 64, -1, 9, 16), Block("y", 64, 0, 10, 16))


def leaders(*blocks: Block, leaves: tuple[Leave, ...] = ()) -> dict[str, str]:
    return dict(without_followers(blocks, checked_leaves(blocks, leaves)).leaders)


def test_of_scratch_beside_the_same_blocks_the_largest_is_planned() -> None:
    scratch = [Block(f"s{step}", 8 + step % 3, step, step, 16) for step in range(6)]
    found = leaders(*LONG, *scratch)
    assert found == {f"s{step}": "s2" for step in (0, 1, 3, 4, 5)}
    plan = plan_greedy([*LONG, *scratch])
    check_plan(plan)
    assert {plan.offsets[block.name] for block in scratch} == {128}
    assert [block.name for block in plan.blocks][2:] == [block.name for block in scratch]


@pytest.mark.parametrize(
    ("blocks", "leaves"),
    [
        ((Block("z", 8, 2, 3, 16),), ()),  # begins between
        ((Block("z", 8, -1, 2, 16),), ()),  # ends between
        ((Block("z", 8, 1, 1, 16), Block("w", 8, 3, 3, 16)), ()),  # two in a step
        ((), (Leave("s1", "x"),)),
        ((), (Leave("s3", "x"),)),
    ],
)
def test_what_lives_beside_others_has_a_place_of_its_own(
    blocks: tuple[Block, ...], leaves: tuple[Leave, ...]
) -> None:
    scratch = Block("s1", 8, 1, 1, 16), Block("s3", 16, 3, 3, 16)
    assert leaders(*LONG, *scratch) == {"s1": "s3"}
    assert leaders(*LONG, *scratch, *blocks, leaves=leaves) == {}


def test_what_is_aligned_otherwise_has_a_place_of_its_own() -> None:
    assert leaders(*LONG, Block("s1", 8, 1, 1, 16), Block("s3", 16, 3, 3, 4)) == {}


@pytest.mark.parametrize("seed", range(30))
def test_plans_are_as_small_as_those_with_a_place_for_each(seed: int) -> None:
    source = random.Random(seed)
    long = [
        Block(f"b{index}", source.randrange(1, 40), first, first + source.randrange(1, 12))
        for index, first in enumerate(source.choices(range(12), k=6))
    ]
    brief = [
        Block(f"s{index}", source.randrange(1, 40), step, step)
        for index, step in enumerate(source.choices(range(24), k=14))
    ]
    plan = plan_exact([*long, *brief])
    check_plan(plan)
    # Blocks of two steps have no followers; in twice as many steps, they are the same problem.
    twice = [
        Block(block.name, block.size_bytes, 2 * block.first_step, 2 * block.last_step + 1)
        for block in plan.blocks
    ]
    assert not leaders(*twice)
    other = plan_exact(twice)
    assert plan.status is other.status is Status.OPTIMAL
    assert plan.arena_bytes == other.arena_bytes
