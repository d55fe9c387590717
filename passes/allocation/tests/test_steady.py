"""Blocks that serve alike lie in the same place where they can, and every plan stays one."""

import random

import pytest
from tinsmith_allocation import Block, Leave, Plan, check_plan, plan_greedy
from tinsmith_allocation.steady import steadied


def scratch(name: str, step: int) -> Block:
    return Block(name, 16, step, step, 4)


def test_scratch_lies_where_all_calls_leave_room() -> None:
    blocks = (
        scratch("first", 0),
        scratch("second", 1),
        Block("low", 16, 0, 0, 4),
        Block("between", 16, 1, 1, 4),
        Block("high", 16, 0, 1, 4),
    )
    offsets = {"first": 16, "second": 0, "low": 0, "between": 16, "high": 48}
    plan = steadied(Plan(blocks, offsets, 48), [["first", "second"]])
    check_plan(plan)
    assert plan.offsets["first"] == plan.offsets["second"] == 32
    assert plan.arena_bytes == 64


def test_what_has_its_own_offset_stays() -> None:
    blocks = (Block("first", 16, 0, 0, 4, 32), scratch("second", 1), Block("all", 16, 0, 1, 4))
    plan = Plan(blocks, {"first": 32, "second": 16, "all": 0}, 32)
    assert steadied(plan, [["first", "second"]]).offsets["first"] == 32


def test_scratch_keeps_apart_from_scratch_of_the_same_step() -> None:
    blocks = (scratch("first", 0), scratch("second", 0), scratch("third", 1))
    plan = steadied(
        Plan(blocks, {"first": 0, "second": 16, "third": 16}, 32), [["first", "second", "third"]]
    )
    check_plan(plan)
    assert len({*plan.offsets.values()}) == 2


@pytest.mark.parametrize("seed", range(60))
def test_a_plan_stays_a_plan_of_the_same_size(seed: int) -> None:
    generator = random.Random(seed)
    blocks: list[Block] = []
    for number in range(generator.randint(2, 25)):
        first = generator.randint(0, 12)
        size, last = generator.randint(1, 60), first + generator.randint(0, 5)
        blocks.append(Block(f"tensor {number}", size, first, last, generator.choice((1, 4, 16))))
    groups = [
        [scratch(f"scratch {group} {step}", step) for step in range(generator.randint(1, 12))]
        for group in range(2)
    ]
    blocks += [block for group in groups for block in group]
    leaves = [
        Leave(output.name, source.name, generator.randint(-8, 8))
        for output in blocks
        for source in blocks
        if output.name < source.name and output.lives_with(source) and generator.random() < 0.2
    ]
    plan = plan_greedy(blocks, leaves=leaves)
    names = [[block.name for block in group] for group in groups]
    made = steadied(plan, names)
    check_plan(made)
    assert made.arena_bytes <= plan.arena_bytes
    for group in names:
        offsets = [{found.offsets[name] for name in group} for found in (plan, made)]
        assert len(offsets[1]) <= len(offsets[0])
