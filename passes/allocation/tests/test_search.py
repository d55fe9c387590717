"""Our own search finds least arenas and proves them, and never claims what is not so."""

import random

import pytest
from tinsmith_allocation import Block, Leave, Plan, Status, check_plan, improved, plan_greedy
from tinsmith_allocation.instances import packed_blocks
from tinsmith_allocation.search import WORK_PER_SECOND

SEVEN_FOR_SIX = [
    Block(name, size, first, last)
    for name, size, first, last in [
        ("a", 3, 0, 0),
        ("b", 3, 0, 1),
        ("c", 1, 1, 3),
        ("d", 2, 2, 3),
        ("e", 2, 1, 4),
        ("f", 1, 2, 4),
        ("g", 3, 4, 5),
        ("h", 3, 5, 5),
    ]
]


def least_arena(blocks: list[Block]) -> int:
    """By trying all orders of putting blocks on what lies below them: one of them makes a smallest plan."""
    best = sum(block.size_bytes + block.alignment for block in blocks) + max(
        (block.offset or 0) + block.size_bytes for block in blocks
    )
    fixed = {block.name: block.offset for block in blocks if block.offset is not None}

    def put(offsets: dict[str, int], arena: int) -> None:
        nonlocal best
        if arena >= best:
            return
        left = [block for block in blocks if block.name not in offsets]
        if not left:
            best = arena
        for block in left:
            others = [
                other for other in blocks if other.name in offsets and other.lives_with(block)
            ]
            ends = [offsets[other.name] + other.size_bytes for other in others]
            # On any of those that are there, or on the ground, if that is free.
            for rest in {0, *ends}:
                offset = rest + -rest % block.alignment
                if all(
                    offset + block.size_bytes <= offsets[other.name]
                    or offset >= offsets[other.name] + other.size_bytes
                    for other in others
                ):
                    put({**offsets, block.name: offset}, max(arena, offset + block.size_bytes))

    put(
        {name: offset or 0 for name, offset in fixed.items()},
        max(
            (offset + b.size_bytes for b in blocks if (offset := fixed.get(b.name)) is not None),
            default=0,
        ),
    )
    return best


def random_problem(seed: int) -> list[Block]:
    draw = random.Random(seed)
    alignments = draw.choice([(1,), (4,), (1, 2, 4)])
    blocks: list[Block] = []
    for index in range(draw.randint(4, 6)):
        first = draw.randint(0, 4)
        last = first + draw.choice([0, 0, 1, 2])
        alignment = draw.choice(alignments)
        offset = alignment * draw.randint(0, 6) if index == 0 and draw.random() < 0.3 else None
        blocks.append(Block(f"b{index}", draw.randint(1, 9), first, last, alignment, offset))
    return blocks


def test_seven_bytes_are_proven_where_six_live_at_once() -> None:
    plan = improved(plan_greedy(SEVEN_FOR_SIX), WORK_PER_SECOND)
    check_plan(plan)
    assert (plan.arena_bytes, plan.lower_bound) == (7, 7)


def test_small_problems_are_solved_as_by_trying_everything() -> None:
    open_problems = 0
    for seed in range(400):
        blocks = random_problem(seed)
        greedy = plan_greedy(blocks, improvements=0)
        if greedy.status is Status.OPTIMAL:
            continue
        open_problems += 1
        plan = improved(greedy, WORK_PER_SECOND)
        check_plan(plan)
        least = least_arena(blocks)
        assert plan.lower_bound <= least <= plan.arena_bytes, seed
        assert plan.arena_bytes == least, seed
    assert open_problems > 20


@pytest.mark.parametrize("seed", range(6))
def test_blocks_cut_from_a_full_arena_fill_it_again(seed: int) -> None:
    blocks = packed_blocks(seed, count=60, steps=40, height=256)
    plan = improved(plan_greedy(blocks), 20 * WORK_PER_SECOND)
    check_plan(plan)
    assert (plan.arena_bytes, plan.status) == (256, Status.OPTIMAL)


def test_a_plan_that_fits_is_good_enough() -> None:
    blocks = packed_blocks(1, count=60, steps=40, height=256)
    greedy = plan_greedy(blocks)
    roomy = improved(greedy, WORK_PER_SECOND, capacity_bytes=greedy.arena_bytes)
    assert roomy.offsets == greedy.offsets
    assert improved(greedy, 20 * WORK_PER_SECOND, capacity_bytes=260).arena_bytes <= 260


def test_what_is_below_the_least_arena_is_proven_not_to_fit() -> None:
    plan = improved(plan_greedy(SEVEN_FOR_SIX, improvements=0), WORK_PER_SECOND, capacity_bytes=6)
    assert plan.lower_bound == 7


def test_the_same_work_makes_the_same_plan() -> None:
    blocks = packed_blocks(3, count=80, steps=50, height=512)
    greedy = plan_greedy(blocks)
    one, two = (improved(greedy, WORK_PER_SECOND, seed=5) for _ in range(2))
    assert one == two
    assert one.lower_bound <= one.arena_bytes <= greedy.arena_bytes


def test_plans_with_leaves_and_without_blocks_stay_as_they_are() -> None:
    blocks = (Block("a", 4, 0, 1), Block("b", 4, 1, 2), Block("c", 4, 0, 2))
    plan = Plan(blocks, {"a": 0, "b": 8, "c": 4}, 8, (Leave("b", "a"),))
    assert improved(plan, WORK_PER_SECOND) is plan
    empty = Plan((), {}, 0)
    assert improved(empty, WORK_PER_SECOND) is empty
